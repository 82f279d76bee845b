//! `catherd generate` for a JavaScript project.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{BudgetBar, Exit, Failure, Generation, Spent, output};
use catherd_experiments::{Algorithm, Parameter};
use catherd_javascript_kind::classes::{Generated, Suite, Verdict};
use catherd_javascript_kind::project::{GenerateOptions, Project};
use catherd_search::{Progress, Stop};
use clap::Args;
use serde_json::json;

use crate::apart::{generate_apart, is_orphan, journal, stop_at_signals};
use crate::code::CodeFlags;
use crate::suites::unusable;

const POLL: Duration = Duration::from_millis(500);

/// Flags of `catherd generate` for JavaScript projects.
// `catherd generate` has the flags of several kinds, whose groups need different names.
#[derive(Args)]
#[group(id = "javascript-flags")]
pub struct Flags {
    /// The only class under test (JavaScript)
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// Of classes, test only the methods with this name (JavaScript)
    #[arg(long, value_name = "NAME")]
    method: Option<String>,

    #[command(flatten)]
    code: CodeFlags,

    /// Generate again whenever a file of the project changes, until the command is ended; needs
    /// --out (JavaScript)
    #[arg(long, requires = "out")]
    watch: bool,

    /// Test only functions that have changed since a Git revision, such as main or HEAD~1. Tests
    /// that fail at that revision come first (JavaScript)
    #[arg(long, value_name = "REV")]
    since: Option<String>,
}

impl Flags {
    /// Whether a class or a method is chosen.
    pub fn choose_targets(&self) -> bool {
        self.class.is_some() || self.method.is_some()
    }
}

/// Generates a suite for a JavaScript project.
///
/// # Errors
///
/// If the project or the algorithm cannot be used, the child process fails, or the suite cannot be
/// written.
pub fn generate(asked: &Generation, flags: Flags) -> Result<Exit, Failure> {
    if let Some(ended) = generate_apart(&asked.project, asked.budget.wall_ms.is_none()) {
        return ended;
    }
    let stop = stop_at_signals();
    loop {
        let exit = once(asked, &flags, &stop)?;
        if !flags.watch || !changes(asked, &stop) {
            return Ok(exit);
        }
    }
}

/// Waits until the project changes. A project that cannot be read counts as unchanged, because it
/// may be in the middle of a change. Returns false if the command is to end.
fn changes(asked: &Generation, stop: &AtomicBool) -> bool {
    let digest = || Project::open(&asked.project, None, None).ok().map(|project| project.digest());
    let before = digest();
    loop {
        std::thread::sleep(POLL);
        if is_orphan() || stop.load(Ordering::Relaxed) {
            return false;
        }
        let now = digest();
        if now.is_some() && now != before {
            return true;
        }
    }
}

fn once(asked: &Generation, flags: &Flags, stop: &Arc<AtomicBool>) -> Result<Exit, Failure> {
    let bar = BudgetBar::new(asked.budget.clone(), asked.quiet);
    let start = Instant::now();
    let (path, out) = (asked.project.as_path(), asked.out.as_deref());
    let project = Project::open(path, flags.class.clone(), flags.method.clone());
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
        match stop.load(Ordering::Relaxed) {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    };
    let (journal, died) = journal();
    let options = GenerateOptions { minimise: asked.minimise, since: before.as_ref(), journal };
    let generated = project.generate(&algorithm, seed, budget, options, &mut observer);
    bar.end();
    let mut generated = generated.map_err(|cause| unusable(path, &cause))?;
    let compared = match (&before, &flags.since) {
        (Some(before), Some(revision)) => compared(before, revision, &mut generated.suite),
        _ => String::new(),
    };
    let (mut skipped, mut left_out, mut confirmed) = (0, String::new(), String::new());
    let mut text = generated.suite.to_json();
    if let Some(out) = out.filter(|out| is_code(out)) {
        // An interrupt that ended the search must not also end the refining.
        let stop = if stop.load(Ordering::Relaxed) { Arc::default() } else { Arc::clone(stop) };
        let written = flags.code.write(&project, path, out, &generated.suite, &stop)?;
        left_out = written.left_out();
        skipped = written.skipped.len();
        text = written.text;
        confirmed = written.note;
    }
    match out {
        Some(out) => output::write(out, &text)?,
        None => terminal::print(&text),
    }
    let seconds = start.elapsed().as_secs_f64();
    let (exit, early) = early(&generated, died.as_deref());
    if !early.is_empty() {
        terminal::note(&early);
    }
    let report = summary(path, &generated, &left_out, seconds) + &confirmed + &compared;
    match (out, asked.json) {
        (Some(_), true) => {
            let line = json!({
                "project": path.display().to_string(), "digest": generated.suite.project,
                "algorithm": generated.suite.algorithm, "seed": generated.suite.seed,
                "goals": generated.goals.len(), "covered": generated.covered.len(),
                "tests": generated.suite.tests.len(), "flaky": generated.flaky,
                "skipped": skipped, "executions": generated.work.0,
                "steps": generated.work.1,
            });
            terminal::print(&format!("{line}\n"));
        }
        (Some(_), false) => terminal::print(&report),
        (None, _) if !asked.quiet => terminal::note(report.trim_end()),
        (None, _) => {}
    }
    Ok(exit)
}

/// Returns the exit code, and a sentence if the search ended early or left out tests.
fn early(generated: &Generated, died: Option<&str>) -> (Exit, String) {
    let found = "the suite contains the tests found by then";
    if let Some(how) = died {
        let text = format!(
            "The process of the JavaScript engine ended ({how}): {found}, the last one after {}.",
            plural(generated.work.0 as usize, "execution"),
        );
        return (Exit::Incomplete, text);
    }
    match (&generated.failed, generated.stop) {
        (Some(error), _) => {
            (Exit::Incomplete, format!("The search ended early ({error}): {found}."))
        }
        (None, Some(Stop::Cancelled)) => {
            (Exit::Stopped, format!("The search was stopped by a signal: {found}."))
        }
        _ => match generated.counts.limits.get("crash") {
            Some(count) => {
                let tests = plural(*count as usize, "test");
                let text = format!(
                    "Left out: {tests} that ended the process of the engine, or would have called a function \
                     that had already ended it twice.",
                );
                let empty = generated.suite.tests.is_empty();
                (if empty { Exit::Incomplete } else { Exit::Success }, text)
            }
            None => (Exit::Success, String::new()),
        },
    }
}

/// Moves the tests that fail on the earlier version of the project to the beginning.
fn compared(before: &Project, revision: &str, suite: &mut Suite) -> String {
    let Ok(verdicts) = before.check(suite, suite.seed, None) else {
        return format!("The tests cannot be executed on the project at {revision}.\n");
    };
    let passes: Vec<bool> =
        verdicts.iter().map(|(verdict, _)| *verdict == Verdict::Passed).collect();
    let tests = std::mem::take(&mut suite.tests).into_iter().zip(&passes);
    let (same, other): (Vec<_>, Vec<_>) = tests.partition(|(_, passes)| **passes);
    let count = other.len();
    suite.tests = other.into_iter().chain(same).map(|(test, _)| test).collect();
    format!(
        "Failing at {revision}, and therefore first: {} of {}.\n",
        count,
        plural(passes.len(), "test")
    )
}

fn with_words(algorithm: &Algorithm) -> Algorithm {
    let mut algorithm = algorithm.clone();
    let words = || Parameter::Bool(true);
    if algorithm.name != "flycatcher" {
        algorithm.parameters.entry("words".to_owned()).or_insert_with(words);
    }
    algorithm
}

fn is_code(out: &Path) -> bool {
    let extension = out.extension().and_then(|extension| extension.to_str());
    extension.is_some_and(|extension| ["js", "cjs", "mjs"].contains(&extension))
}

fn summary(path: &Path, generated: &Generated, left_out: &str, seconds: f64) -> String {
    let name = path.display();
    let (covered, goals) = (generated.covered.len(), generated.goals.len());
    if goals == 0 {
        return format!(
            "{name}: nothing to cover: no function under test has a goal that loading does not cover\n"
        );
    }
    let suite = &generated.suite;
    let size: usize = suite.tests.iter().map(|test| test.statements.len()).sum();
    let mut text = format!(
        "{name}: {covered} of {goals} goals covered ({:.1} %) by {} with {}\n",
        100.0 * covered as f64 / goals as f64,
        plural(suite.tests.len(), "test"),
        plural(size, "statement"),
    );
    text.push_str(left_out);
    let _ = writeln!(
        text,
        "{}, {}; minimisation removed {}; {seconds:.1} s",
        plural(generated.work.0 as usize, "execution"),
        plural(generated.work.1 as usize, "step"),
        plural(generated.removed, "statement"),
    );
    text
}
