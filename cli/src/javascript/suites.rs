//! The commands for one project and one suite, for JavaScript projects.

use std::fmt::Write as _;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_experiments::{Algorithm, Budget};
use catherd_javascript_kind::classes::machine::instrument::MutationOperator;
use catherd_javascript_kind::classes::mutation::{
    MutantOutcome, MutantResult, MutationReport, MutationSettings,
};
use catherd_javascript_kind::classes::{Generated, Style, Suite, Verdict, export};
use catherd_javascript_kind::project::{Project, is_project};
use serde_json::{Value, json};

/// Whether a text is that of a suite for a JavaScript project.
pub(crate) fn is_suite(text: &str) -> bool {
    text.trim_start().starts_with('{')
        && serde_json::from_str::<Value>(text).is_ok_and(|value| value["subject"] == "javascript")
}

fn unusable(path: &Path, cause: &str) -> Failure {
    Failure::new(format!("{}: {cause}", path.display()))
        .hint("name a .js file, a folder with package.json or subject.toml, or a .tgz package")
}

/// Reads a project.
pub(crate) fn open(path: &Path) -> Result<Project, Failure> {
    if !is_project(path) {
        return Err(unusable(path, "no JavaScript project"));
    }
    Project::open(path, None, None).map_err(|cause| unusable(path, &cause))
}

/// Reads project and suite, and checks that the suite was made for the project.
fn pair(
    project: &Path,
    file: &Path,
    text: &str,
    any_project: bool,
) -> Result<(Project, Suite), Failure> {
    let suite = Suite::from_json(text).map_err(|error| {
        Failure::new(format!("{}: {error}", file.display()))
            .hint("generate a suite with catherd generate")
    })?;
    let opened = open(project)?;
    if !any_project && suite.project != opened.digest() {
        let cause = "the suite was generated for another project";
        return Err(Failure::new(format!("{}: {cause}", file.display()))
            .hint("name the project for which the suite was generated, or use --any-project"));
    }
    Ok((opened, suite))
}

/// What `catherd generate` is asked for.
pub(crate) struct Generation<'a> {
    pub(crate) project: &'a Path,
    pub(crate) out: Option<&'a Path>,
    pub(crate) algorithm: Algorithm,
    pub(crate) seed: u64,
    pub(crate) budget: Budget,
    pub(crate) minimise: bool,
    pub(crate) class: Option<String>,
    pub(crate) method: Option<String>,
    pub(crate) style: Style,
    pub(crate) json: bool,
    pub(crate) quiet: bool,
}

/// Generates a suite for a JavaScript project.
pub(crate) fn generate(
    asked: Generation<'_>,
    show: &mut (dyn FnMut(&catherd_search::Progress) + Send),
) -> Result<Exit, Failure> {
    let start = Instant::now();
    let path = asked.project;
    let project = Project::open(path, asked.class, asked.method);
    let project = project.map_err(|cause| unusable(path, &cause))?;
    let generated = project.generate(
        &asked.algorithm,
        asked.seed,
        &asked.budget,
        asked.minimise,
        &mut |progress| {
            show(progress);
            ControlFlow::Continue(())
        },
    );
    let generated = generated.map_err(|cause| unusable(path, &cause))?;
    let mut skipped = Vec::new();
    let mut text = generated.suite.to_json();
    if let Some(out) = asked.out.filter(|out| is_code(out)) {
        let code = project.code(path, out, asked.style).map_err(|cause| unusable(path, &cause))?;
        let exported = export(&generated.suite, &code);
        (text, skipped) = (exported.text, exported.skipped);
    }
    match asked.out {
        Some(out) => std::fs::write(out, &text).map_err(|error| {
            Failure::new(format!("{}: {error}", out.display()))
                .hint("name a file that you may write to with --out")
        })?,
        None => terminal::print(&text),
    }
    let report = summary(path, &generated, &skipped, start.elapsed().as_secs_f64());
    match (asked.out, asked.json) {
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

/// Executes a suite and writes TAP or JSON.
pub(crate) fn test(
    project: &Path,
    file: &Path,
    text: &str,
    any_project: bool,
    seed: Option<u64>,
    as_json: bool,
) -> Result<Exit, Failure> {
    let (opened, suite) = pair(project, file, text, any_project)?;
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
            json!({"verdict": "failed", "message": format!("the limit `{name}` is met")})
        }
    }
}

/// Shows what a suite covers.
pub(crate) fn coverage(
    project: &Path,
    file: &Path,
    text: &str,
    any_project: bool,
    as_json: bool,
) -> Result<Exit, Failure> {
    let (opened, suite) = pair(project, file, text, any_project)?;
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

/// What `catherd mutate` is asked for.
pub(crate) struct Mutation<'a> {
    pub(crate) project: &'a Path,
    pub(crate) file: &'a Path,
    pub(crate) any_project: bool,
    pub(crate) settings: MutationSettings,
    pub(crate) json: bool,
    pub(crate) survivors: bool,
    pub(crate) quiet: bool,
}

/// Executes a suite on mutants of its project.
pub(crate) fn mutate(asked: &Mutation<'_>, text: &str) -> Result<Exit, Failure> {
    let start = Instant::now();
    let (opened, suite) = pair(asked.project, asked.file, text, asked.any_project)?;
    let bar = terminal::bar(if asked.quiet { 0 } else { 1 });
    let seen = AtomicUsize::new(0);
    let report = opened.mutate(&suite, &asked.settings, &mut |done, all| {
        bar.set_length(all as u64);
        bar.set_position(done as u64);
        seen.store(done, Ordering::Relaxed);
        ControlFlow::Continue(())
    });
    bar.finish_and_clear();
    let report = report.map_err(|cause| unusable(asked.project, &cause))?;
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
