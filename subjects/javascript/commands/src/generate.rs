//! `catherd generate` for a JavaScript project.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::Instant;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{BudgetBar, Exit, Failure, Generation, Spent};
use catherd_experiments::{Algorithm, Parameter};
use catherd_javascript_kind::classes::{self, Code, Generated, Refinement, Suite, Verdict, export};
use catherd_javascript_kind::confirmation::{Confirmation, Node};
use catherd_javascript_kind::project::Project;
use catherd_search::Progress;
use clap::{Args, ValueEnum};
use serde_json::json;

use crate::apart::execute_apart;
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

    /// Node.js in which a suite that is written as code is confirmed: its tests are executed there three times, and
    /// what differs is asserted as Node.js shows it or left out (JavaScript)
    #[arg(long, value_name = "PROGRAM", default_value = "node")]
    node: PathBuf,

    /// Do not confirm a suite that is written as code (JavaScript)
    #[arg(long)]
    no_confirmation: bool,

    /// Write all tests of errors as code. Otherwise errors of the language are left out, and at most a tenth of the
    /// tests shows errors that the program throws itself (JavaScript)
    #[arg(long)]
    all_errors: bool,

    /// Only test functions that differ from a revision of Git, such as main or HEAD~1. Tests whose result is another one
    /// there come first (JavaScript)
    #[arg(long, value_name = "REV")]
    since: Option<String>,
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
    if let Some(ended) = execute_apart(&asked.project) {
        return ended;
    }
    let bar = BudgetBar::new(asked.budget.clone(), asked.quiet);
    let start = Instant::now();
    let (path, out) = (asked.project.as_path(), asked.out.as_deref());
    let project = Project::open(path, flags.class, flags.method);
    let project = project.map_err(|cause| unusable(path, &cause))?;
    let algorithm = with_words(&asked.algorithm);
    let before = flags.since.as_deref().map(|revision| project.at_revision(path, revision));
    let before = before.transpose().map_err(|cause| unusable(path, &cause))?;
    let (seed, budget) = (asked.seed, &asked.budget);
    let mut observer = |now: &Progress| {
        bar.show(Spent {
            executions: now.meter.executions(),
            steps: now.meter.steps(),
            covered: now.covered,
            goals: now.goals,
        });
        ControlFlow::Continue(())
    };
    let minimise = asked.minimise;
    let generated =
        project.generate(&algorithm, seed, budget, minimise, before.as_ref(), &mut observer);
    bar.end();
    let mut generated = generated.map_err(|cause| unusable(path, &cause))?;
    let compared = match (&before, &flags.since) {
        (Some(before), Some(revision)) => compared(before, revision, &mut generated.suite),
        _ => String::new(),
    };
    let mut skipped = Vec::new();
    let mut confirmed = String::new();
    let mut text = generated.suite.to_json();
    if let Some(out) = out.filter(|out| is_code(out)) {
        let mut code =
            project.code(path, out, flags.style.into()).map_err(|cause| unusable(path, &cause))?;
        code.all_errors = flags.all_errors;
        let refinement = Refinement { all_errors: flags.all_errors, ..Refinement::default() };
        let refined = project.refine(&generated.suite, &refinement);
        let mut suite = refined.map_err(|cause| unusable(path, &cause))?;
        if !flags.no_confirmation {
            code.note = confirm(&mut suite, &code, out, &flags.node, &mut skipped);
            confirmed = format!("{}\n", code.note);
        }
        let exported = export(&suite, &code);
        text = exported.text;
        skipped.extend(exported.skipped);
    }
    match out {
        Some(out) => std::fs::write(out, &text).map_err(|error| {
            Failure::new(format!("{}: {error}", out.display()))
                .hint("name a file that you may write to with --out")
        })?,
        None => terminal::print(&text),
    }
    let seconds = start.elapsed().as_secs_f64();
    let report = summary(path, &generated, &skipped, seconds) + &confirmed + &compared;
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

/// Executes the tests on the project as it was, and puts those first whose result is another one there. Returns a line
/// that says how many these are.
fn compared(before: &Project, revision: &str, suite: &mut Suite) -> String {
    let Ok(verdicts) = before.check(suite, suite.seed, None) else {
        return format!("The project cannot be loaded at {revision}.\n");
    };
    let passes: Vec<bool> =
        verdicts.iter().map(|(verdict, _)| *verdict == Verdict::Passed).collect();
    let tests = std::mem::take(&mut suite.tests).into_iter().zip(&passes);
    let (same, other): (Vec<_>, Vec<_>) = tests.partition(|(_, passes)| **passes);
    let count = other.len();
    suite.tests = other.into_iter().chain(same).map(|(test, _)| test).collect();
    format!("At {revision}, {} of {} fail; they are first.\n", count, plural(passes.len(), "test"))
}

/// The algorithm with values from the program's own words, unless the parameter `words` says otherwise.
fn with_words(algorithm: &Algorithm) -> Algorithm {
    let mut algorithm = algorithm.clone();
    let words = || Parameter::Bool(true);
    if algorithm.name != "flycatcher" {
        algorithm.parameters.entry("words".to_owned()).or_insert_with(words);
    }
    algorithm
}

/// Confirms a suite in Node.js. Returns a line that says whether it was confirmed, and adds the tests that were
/// dropped to `skipped`.
fn confirm(
    suite: &mut Suite,
    code: &Code,
    out: &Path,
    node: &Path,
    skipped: &mut Vec<(usize, String)>,
) -> String {
    let folder = out.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    let confirmed = Node::find(node).and_then(|node| node.confirm(suite, code, folder));
    match confirmed {
        Ok(Confirmation { version, rewritten, dropped }) => {
            let line = format!(
                "Confirmed in Node.js {version}, in three random orders: {} changed, {} left out.",
                plural(rewritten, "assertion"),
                plural(dropped.len(), "test")
            );
            skipped.extend(dropped);
            line
        }
        Err(cause) => format!("Not confirmed in Node.js: {cause}."),
    }
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
