//! `catherd generate` for a JavaScript project.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::time::Instant;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{BudgetBar, Exit, Failure, Generation, Spent};
use catherd_javascript_kind::classes::{self, Generated, export};
use catherd_javascript_kind::project::Project;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::suites::unusable;

/// Flags of `catherd generate` for JavaScript projects.
// `catherd generate` has the flags of several kinds, whose groups need different names.
#[derive(Args)]
#[group(id = "javascript-flags")]
pub struct Flags {
    /// The only class under test (JavaScript)
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// The only method of classes under test (JavaScript)
    #[arg(long, value_name = "NAME")]
    method: Option<String>,

    /// Test framework of a suite that is written as code (JavaScript)
    #[arg(long, value_name = "NAME", default_value = "node-test")]
    style: Style,
}

impl Flags {
    /// Whether a class or a method is chosen, which only JavaScript projects have.
    pub fn choose_targets(&self) -> bool {
        self.class.is_some() || self.method.is_some()
    }
}

/// The test framework of code.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Style {
    /// The test runner of Node.js
    NodeTest,
    /// Jest
    Jest,
    /// Mocha
    Mocha,
}

impl From<Style> for classes::Style {
    fn from(style: Style) -> classes::Style {
        match style {
            Style::NodeTest => classes::Style::NodeTest,
            Style::Jest => classes::Style::Jest,
            Style::Mocha => classes::Style::Mocha,
        }
    }
}

/// Generates a suite for a JavaScript project.
///
/// # Errors
///
/// If the project or the algorithm cannot be used, or the suite cannot be written.
pub fn generate(asked: &Generation, flags: Flags) -> Result<Exit, Failure> {
    let bar = BudgetBar::new(asked.budget.clone(), asked.quiet);
    let start = Instant::now();
    let (path, out) = (asked.project.as_path(), asked.out.as_deref());
    let project = Project::open(path, flags.class, flags.method);
    let project = project.map_err(|cause| unusable(path, &cause))?;
    let generated =
        project.generate(&asked.algorithm, asked.seed, &asked.budget, asked.minimise, &mut |now| {
            bar.show(Spent {
                executions: now.meter.executions(),
                steps: now.meter.steps(),
                covered: now.covered,
                goals: now.goals,
            });
            ControlFlow::Continue(())
        });
    bar.end();
    let generated = generated.map_err(|cause| unusable(path, &cause))?;
    let mut skipped = Vec::new();
    let mut text = generated.suite.to_json();
    if let Some(out) = out.filter(|out| is_code(out)) {
        let code =
            project.code(path, out, flags.style.into()).map_err(|cause| unusable(path, &cause))?;
        let exported = export(&generated.suite, &code);
        (text, skipped) = (exported.text, exported.skipped);
    }
    match out {
        Some(out) => std::fs::write(out, &text).map_err(|error| {
            Failure::new(format!("{}: {error}", out.display()))
                .hint("name a file that you may write to with --out")
        })?,
        None => terminal::print(&text),
    }
    let report = summary(path, &generated, &skipped, start.elapsed().as_secs_f64());
    match (out, asked.json) {
        (Some(_), true) => {
            let line = json!({
                "project": path.display().to_string(), "digest": generated.suite.project,
                "algorithm": generated.suite.algorithm, "seed": generated.suite.seed,
                "goals": generated.goals.len(), "covered": generated.covered.len(),
                "tests": generated.suite.tests.len(), "flaky": generated.flaky,
                "skipped": skipped.len(), "executions": generated.work.0,
                "steps": generated.work.1,
            });
            terminal::print(&format!("{line}\n"));
        }
        (Some(_), false) => terminal::print(&report),
        (None, _) if !asked.quiet => terminal::note(report.trim_end()),
        (None, _) => {}
    }
    Ok(Exit::Success)
}

/// Whether a suite in this file is code.
fn is_code(out: &Path) -> bool {
    let extension = out.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["js", "cjs", "mjs"].contains(&extension))
}

fn summary(
    path: &Path,
    generated: &Generated,
    skipped: &[(usize, String)],
    seconds: f64,
) -> String {
    let name = path.display();
    let (covered, goals) = (generated.covered.len(), generated.goals.len());
    if goals == 0 {
        return format!("{name}: nothing to cover beyond what loading executes\n");
    }
    let suite = &generated.suite;
    let size: usize = suite.tests.iter().map(|test| test.statements.len()).sum();
    let mut text = format!(
        "{name}: {covered} of {goals} goals covered ({:.1} %) by {} with {}\n",
        100.0 * covered as f64 / goals as f64,
        plural(suite.tests.len(), "test"),
        plural(size, "statement"),
    );
    for (number, reason) in skipped {
        let _ = writeln!(text, "test {number} is not in the code: {reason}");
    }
    let _ = writeln!(
        text,
        "{}, {}; minimisation removed {}; {seconds:.1} s",
        plural(generated.work.0 as usize, "execution"),
        plural(generated.work.1 as usize, "step"),
        plural(generated.removed, "statement"),
    );
    text
}
