//! `catherd test`, `coverage` and `mutate` for JavaScript.

use std::fmt::{Display, Write as _};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, Mutation, Pair};
use catherd_javascript_kind::classes::machine::instrument::MutationOperator;
use catherd_javascript_kind::classes::mutation::{
    MutantOutcome, MutantResult, MutationReport, MutationSettings,
};
use catherd_javascript_kind::classes::{Suite, Verdict};
use catherd_javascript_kind::configuration;
use catherd_javascript_kind::project::{Project, is_project};
use serde_json::{Value, json};

use crate::apart::execute_apart;

/// Whether a file with this content is a suite for a JavaScript project.
pub fn is_suite(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && serde_json::from_str::<Value>(text).is_ok_and(|value| value["subject"] == "javascript")
}

pub(crate) fn unusable(path: &Path, cause: &dyn Display) -> Failure {
    Failure::new(format!("{}: {cause}", path.display())).hint(
        "a project is a .js or .ts file, a folder with package.json or subject.toml, or a .tgz package",
    )
}

pub(crate) fn open(path: &Path) -> Result<Project, Failure> {
    if !is_project(path) {
        return Err(unusable(path, &"not a JavaScript project"));
    }
    Project::open(path, None, None).map_err(|cause| unusable(path, &cause))
}

fn open_pair(pair: &Pair, text: &str) -> Result<(Project, Suite), Failure> {
    let file = pair.suite.as_path();
    let suite = Suite::from_json(text).map_err(|error| {
        Failure::new(format!("{}: {error}", file.display()))
            .hint("generate a suite with catherd generate")
    })?;
    let opened = open(&pair.project)?;
    if !pair.any_project && suite.project != opened.digest() {
        let cause = "the suite was generated for another project";
        return Err(Failure::new(format!("{}: {cause}", file.display()))
            .hint("name the project for which the suite was generated, or use --any-project"));
    }
    Ok((opened, suite))
}

/// Executes the suite in `text` and prints TAP or JSON.
///
/// # Errors
///
/// If the project or the suite cannot be used.
pub fn test(pair: &Pair, text: &str, seed: Option<u64>, as_json: bool) -> Result<Exit, Failure> {
    let (project, file) = (pair.project.as_path(), pair.suite.as_path());
    if let Some(ended) = execute_apart(project) {
        return ended;
    }
    let (opened, suite) = open_pair(pair, text)?;
    let spinner = terminal::spinner(plural(suite.tests.len(), "test"));
    let seed = seed.unwrap_or(suite.seed);
    let verdicts = opened.check(&suite, seed, None).map_err(|cause| unusable(project, &cause))?;
    spinner.finish_and_clear();
    let passed = verdicts.iter().filter(|(verdict, _)| *verdict == Verdict::Passed).count();
    let failed = verdicts.len() - passed;
    if as_json {
        let tests = verdicts.iter().enumerate().map(|(number, (verdict, steps))| {
            let mut test = details(verdict);
            test["test"] = json!(number);
            test["steps"] = json!(steps);
            test
        });
        let report = json!({
            "project": project.display().to_string(), "suite": file.display().to_string(),
            "seed": seed, "passed": passed, "failed": failed,
            "tests": tests.collect::<Vec<_>>(),
        });
        terminal::print(&format!("{report}\n"));
    } else {
        let mut tap = format!("TAP version 13\n1..{}\n", verdicts.len());
        for (number, (verdict, _)) in verdicts.iter().enumerate() {
            let ok = if *verdict == Verdict::Passed { "ok" } else { "not ok" };
            let _ = writeln!(tap, "{ok} {} - test {number}", number + 1);
            if *verdict != Verdict::Passed {
                tap.push_str("  ---\n");
                for (key, value) in details(verdict).as_object().into_iter().flatten() {
                    let _ = writeln!(tap, "  {key}: {value}");
                }
                tap.push_str("  ...\n");
            }
        }
        let _ = write!(tap, "# tests {}\n# pass {passed}\n# fail {failed}\n", verdicts.len());
        terminal::print(&tap);
    }
    Ok(if failed == 0 { Exit::Success } else { Exit::Incomplete })
}

fn details(verdict: &Verdict) -> Value {
    match verdict {
        Verdict::Passed => json!({"verdict": "passed"}),
        Verdict::Failed { statement, expected, got } => {
            json!({"verdict": "failed", "statement": statement, "expected": expected, "got": got})
        }
        Verdict::Limit(name) => {
            json!({"verdict": "failed", "message": format!("the limit `{name}` is reached")})
        }
    }
}

/// Shows what the suite in `text` covers.
///
/// # Errors
///
/// If the project or the suite cannot be used.
pub fn coverage(pair: &Pair, text: &str, as_json: bool) -> Result<Exit, Failure> {
    let project = pair.project.as_path();
    if let Some(ended) = execute_apart(project) {
        return ended;
    }
    let (opened, suite) = open_pair(pair, text)?;
    let spinner = terminal::spinner(plural(suite.tests.len(), "test"));
    let coverage = opened.coverage(&suite).map_err(|cause| unusable(project, &cause))?;
    spinner.finish_and_clear();
    if as_json {
        terminal::print(&format!("{:#}\n", coverage.json));
        return Ok(Exit::Success);
    }
    let mut shown = String::new();
    let names = ["statements", "branches", "functions", "lines"];
    for (name, (covered, all)) in names.iter().zip(coverage.totals) {
        let percent = if all == 0 { 100.0 } else { 100.0 * covered as f64 / all as f64 };
        let _ = writeln!(shown, "{name:10} {percent:6.2} %  ({covered}/{all})");
    }
    let _ = writeln!(shown, "{} of {} goals uncovered", coverage.uncovered.len(), coverage.goals);
    for goal in &coverage.uncovered {
        let _ = writeln!(shown, "- {goal}");
    }
    terminal::print(&shown);
    Ok(Exit::Success)
}

/// The mutation operators, for the help.
pub const MUTATION_OPERATORS: &str = "\
Mutation operators of JavaScript:
  AOR  arithmetic operator replaced     SDL  expression statement left out
  ROR  relational operator replaced     LIT  literal replaced
  LCR  logical operator replaced        OCR  optional chaining removed
  COR  condition replaced by constant   MER  method replaced or left out
  UOI  unary operator replaced          ARF  body of an arrow function replaced
  BSR  block emptied";

/// Executes the suite in `text` on mutants of its project.
///
/// # Errors
///
/// If the project, the suite or the operators cannot be used.
pub fn mutate(asked: &Mutation, text: &str) -> Result<Exit, Failure> {
    if let Some(ended) = execute_apart(&asked.pair.project) {
        return ended;
    }
    let mut settings = MutationSettings {
        sample: asked.sample,
        seed: asked.seed,
        factor: asked.factor,
        ..MutationSettings::default()
    };
    if !asked.operators.is_empty() {
        settings.operators = configuration::operators(&asked.operators)
            .map_err(|error| Failure::new(error.cause).hint(error.advice))?;
    }
    let start = Instant::now();
    let (opened, suite) = open_pair(&asked.pair, text)?;
    let bar = terminal::bar(if asked.quiet { 0 } else { 1 });
    let seen = AtomicUsize::new(0);
    let report = opened.mutate(&suite, &settings, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        seen.store(done, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let report = report.map_err(|cause| unusable(&asked.pair.project, &cause))?;
    let Some(report) = report else { return Ok(Exit::Incomplete) };
    if asked.json {
        terminal::print(&lines(&report));
    } else {
        terminal::print(&table(&report));
    }
    if asked.survivors {
        for result in &report.results {
            if matches!(result.outcome, MutantOutcome::Survived | MutantOutcome::Limit) {
                let head = format!("{}: {}", result.id, result.change);
                terminal::print(&format!("{}\n", head.replace(char::is_control, " ")));
            }
        }
    }
    if !asked.quiet {
        let seconds = start.elapsed().as_secs_f64();
        terminal::note(&format!(
            "{}, {} that cannot be loaded and {} not counted, in {seconds:.2} s",
            plural(report.results.len(), "mutant"),
            plural(report.unloadable, "mutant"),
            if report.unloadable == 1 { "is" } else { "are" },
        ));
    }
    if report.left_out.is_empty() {
        return Ok(Exit::Success);
    }
    let numbers: Vec<String> = report.left_out.iter().map(usize::to_string).collect();
    terminal::note(&format!(
        "{} of {} tests do not pass on the project and are left out: {}",
        report.left_out.len(),
        suite.tests.len(),
        numbers.join(", ")
    ));
    Ok(Exit::Incomplete)
}

fn outcome_name(outcome: MutantOutcome) -> &'static str {
    match outcome {
        MutantOutcome::Killed => "killed",
        MutantOutcome::Survived => "survived",
        MutantOutcome::Limit => "limit",
        MutantOutcome::NotCovered => "not-covered",
    }
}

fn lines(report: &MutationReport) -> String {
    let line = |result: &MutantResult| {
        let (line, column) = result.mutant.position;
        let value = json!({
            "mutant": result.id, "operator": result.mutant.operator.name(),
            "target": result.file, "script": result.mutant.function,
            "block": format!("{line}:{column}"), "change": result.change,
            "outcome": outcome_name(result.outcome), "killed_by": result.killed_by,
            "executions": result.executions,
        });
        format!("{value}\n")
    };
    report.results.iter().map(line).collect()
}

fn table(report: &MutationReport) -> String {
    let mut text =
        "operator mutants  killed survived  limit uncovered  score  of covered\n".to_owned();
    let mut row = |name: &str, of: Option<MutationOperator>| {
        let results = || {
            let all = report.results.iter();
            all.filter(move |result| of.is_none_or(|of| result.mutant.operator == of))
        };
        let count = |outcome| results().filter(|result| result.outcome == outcome).count();
        let all = results().count();
        if all == 0 && of.is_some() {
            return;
        }
        let (killed, uncovered) = (count(MutantOutcome::Killed), count(MutantOutcome::NotCovered));
        let percent = |of: usize| match of {
            0 => "-".to_owned(),
            of => format!("{:.1} %", 100.0 * killed as f64 / of as f64),
        };
        let _ = writeln!(
            text,
            "{name:8} {all:7} {killed:7} {:8} {:6} {uncovered:9} {:>6} {:>11}",
            count(MutantOutcome::Survived),
            count(MutantOutcome::Limit),
            percent(all),
            percent(all - uncovered),
        );
    };
    for operator in MutationOperator::ALL {
        row(operator.name(), Some(operator));
    }
    row("all", None);
    text
}
