//! `catherd test` with a suite that was written by hand in JavaScript.

use std::path::Path;

use catherd_javascript_suites::whisker::{self, Options, Status, SuiteFile};
use catherd_javascript_suites::{Seed, SuiteKind, report};
use clap::{Args, ValueEnum};
use serde_json::json;

use super::many;
use crate::failure::{Exit, Failure};
use crate::project;
use crate::terminal;

/// Options of suites in JavaScript.
#[derive(Args)]
#[command(next_help_heading = "Suites in JavaScript")]
pub(super) struct Choices {
    /// Execute only the tests of this name; may be repeated
    #[arg(long, value_name = "NAME")]
    test: Vec<String>,

    /// Execute only the tests of this category; may be repeated
    #[arg(long, value_name = "NAME")]
    category: Vec<String>,

    /// Version of Whisker whose comparisons and types are used
    #[arg(long, value_name = "VERSION", default_value = "2023")]
    compat: Compat,

    /// Do without `wait` and hints, and draw the suite's random numbers from those of the project,
    /// as the original does
    #[arg(long)]
    pub(super) strict: bool,

    /// Acceleration that the suite reads; it changes nothing else
    #[arg(long, value_name = "FACTOR", default_value_t = 1.0)]
    acceleration: f64,

    /// Report how many blocks the tests reach
    #[arg(long)]
    coverage: bool,
}

/// A version of Whisker.
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Compat {
    /// Of July 2022, which the published studies used
    #[value(name = "2022")]
    Of2022,
    /// Of October 2023
    #[value(name = "2023")]
    Of2023,
}

pub(super) fn run(arguments: &super::Arguments, text: &str) -> Result<Exit, Failure> {
    let (project, path) = (&arguments.pair.project, arguments.pair.suite.as_path());
    let failure =
        |error: &dyn std::fmt::Display| Failure::new(format!("{}: {error}", path.display()));
    match SuiteKind::of(text) {
        // Plans for Itch have a module of their own.
        Ok(SuiteKind::Whisker | SuiteKind::Itch) => {}
        Err(error) => {
            let hint =
                "assign an array of tests: module.exports = [{ name, test: async t => ... }]";
            return Err(failure(&error).hint(hint));
        }
    }
    let suite = SuiteFile::new(&file_name(path), text).map_err(|error| failure(&error))?;
    let options = options(arguments);
    if let Some(paths) = many::projects_in(project)? {
        if arguments.json {
            let error = Failure::new("--json: a folder of projects gives a table in CSV");
            return Err(error.hint("leave --json out, or name one project"));
        }
        return many::run(&suite, &paths, &options);
    }
    let subject = project::open(project)?;
    let program = project::compile_for_scripts(project, &subject)?;
    let outcome = whisker::run(&suite, &program, &options)
        .map_err(|error| failure(&error).hint("correct the suite"))?;
    let passed = outcome.count(Status::Pass) + outcome.count(Status::Skip);
    if arguments.json {
        let mut report = json!({
            "project": project.display().to_string(),
            "suite": path.display().to_string(),
        });
        for status in [Status::Pass, Status::Fail, Status::Error, Status::Skip] {
            report[status.name()] = json!(outcome.count(status));
        }
        report["tests"] = json!(outcome.tests);
        if let Some((covered, total)) = outcome.coverage {
            report["coverage"] = json!({ "covered": covered, "total": total });
        }
        terminal::print(&format!("{report}\n"));
    } else {
        terminal::print(&report::tap(&outcome, arguments.javascript.strict));
    }
    Ok(if passed == outcome.tests.len() { Exit::Success } else { Exit::Incomplete })
}

fn file_name(path: &Path) -> String {
    path.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn options(arguments: &super::Arguments) -> Options {
    let Choices { test, category, compat, strict, acceleration, coverage } = &arguments.javascript;
    let seed = |text: &String| match text.parse() {
        Ok(number) => Seed::number(number),
        Err(_) => Seed::text(text),
    };
    Options {
        seed: arguments.seed.as_ref().map(seed),
        tests: test.clone(),
        categories: category.clone(),
        strict: *strict,
        compat_p: *compat == Compat::Of2022,
        acceleration: *acceleration,
        steps: arguments.steps,
        coverage: *coverage,
        ..Options::default()
    }
}
