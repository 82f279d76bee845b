//! `catherd test`: executes the tests of a suite on a project.

pub(crate) mod itch;
pub(crate) mod javascript;
mod many;
mod output;
pub(crate) mod suite;

use std::fmt::Write as _;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_grading_report::{ProjectReport, Skips, Status};
use catherd_scratch_grading_whisker::SuiteKind;
use catherd_scratch_suite::{
    AssertionNo, Bounds, Execution, Failure as FailedAssertion, LinkedSuite, Runner, Suite,
    SuiteTest, Verdict,
};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

use self::output::{Format, Output};
use self::suite::{LoadedSuite, Tests};
use crate::project::{self, Pair};

/// Executes the tests of a suite on a project and writes the verdicts in TAP, the Test Anything
/// Protocol, or another format.
///
/// A suite is a JSON file that catherd generated for a Scratch or JavaScript project, a JavaScript file with tests for Whisker, a JSON file
/// with models for Whisker, or a plan for Itch, whose judgement is written in Itch's partial format;
/// its content decides. For a folder of projects, or a list of them on standard input (`-`), the suite
/// is executed on each and the statuses are written as a table in CSV, in the order of the projects.
/// With the seed of a generated suite, all assertions are checked; with any other, those that do not
/// depend on random numbers.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd test game.sb3 suite.json
  catherd test game.sb3 suite.json --seed 7
  catherd test list.js suite.json
  catherd test homework.sb3 model-solution.json --any-project --json
  catherd test game.sb3 tests.js --test start --coverage
  catherd test game.sb3 models.json --model-repetitions 10
  catherd test homework.sb3 plan.js --template start.sb3
  catherd test class tests.js -o table.csv --resume
  catherd test class tests.js --format junit -o report.xml
  catherd test solution.sb3 tests.js --template start.sb3 --expect exercise

Exit codes: 0 if all tests pass or are skipped, 2 if one does not or a project of several cannot be
used, 1 if they cannot be executed.")]
pub(crate) struct Arguments {
    #[command(flatten)]
    pair: Pair,

    /// What a suite in JavaScript is, where its text does not say [default: by its content]
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,

    /// Seed of the project's random blocks; for suites in JavaScript a number or text [default: the
    /// suite's]
    #[arg(long, value_name = "N")]
    seed: Option<String>,

    /// Leave flaky assertions out, also with the seed of a generated suite
    #[arg(long)]
    stable: bool,

    /// Maximum length of a test in steps (1/30 s of Scratch time each); longer tests fail
    #[arg(long, value_name = "N", default_value_t = Bounds::default().steps)]
    steps: u64,

    /// Print one JSON object instead of TAP
    #[arg(long)]
    json: bool,

    /// Format of the report [default: tap; table for several projects]
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    format: Option<Format>,

    /// Write the report to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,

    /// Go on with the table of an earlier command in the file of -o: rows whose project, suite and
    /// options are the same are kept
    #[arg(long, requires = "output")]
    resume: bool,

    /// End at the first project with a test that does not pass
    #[arg(long)]
    fail_fast: bool,

    /// Threads for several projects [default: one for each core]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// The project from which pupils start; for plans for Itch PROJECT unless it is given
    #[arg(long, value_name = "PROJECT")]
    template: Option<PathBuf>,

    /// Check the suite itself: `exercise` if it must accept PROJECT and reject the template
    #[arg(long, value_name = "WHAT", requires = "template")]
    expect: Option<Expectation>,

    /// Exit with 0 whenever the tests could be executed, as Whisker does
    #[arg(long)]
    exit_zero: bool,

    #[command(flatten)]
    javascript: javascript::Choices,

    #[command(flatten)]
    itch: itch::PlanChoices,
}

/// What a suite in JavaScript is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Tests for Whisker
    Whisker,
    /// A plan for Itch
    Itch,
}

/// What is expected of a suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Expectation {
    /// The project is accepted and the template is rejected
    Exercise,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let exit = execute(arguments)?;
    Ok(if arguments.exit_zero { Exit::Success } else { exit })
}

fn execute(arguments: &Arguments) -> Result<Exit, Failure> {
    let text = arguments.pair.read_suite()?;
    if crate::javascript::suites::is_suite(&text) {
        return arguments.test_javascript(&text);
    }
    let javascript = project::is_javascript(&text);
    let plan = arguments.is_plan(&text, javascript)?;
    let projects = many::projects_in(&arguments.pair.project)?;
    let models = javascript::is_models(&text);
    let default = if projects.is_some() { Format::Table } else { Format::Tap };
    let format = match arguments.format {
        Some(format) => format,
        None if arguments.json => Format::Json,
        None => default,
    };
    // The judgement of one submission has the form that the platform of Itch reads.
    if plan && projects.is_none() && arguments.format.is_none() && arguments.expect.is_none() {
        return itch::run(arguments, &text);
    }
    // The report of one generated suite has its own form, which is older than the others.
    let own = [Format::Tap, Format::Json].contains(&format) && arguments.output.is_none();
    if !plan && !javascript && !models && projects.is_none() && own && arguments.expect.is_none() {
        return run_generated(arguments, format == Format::Json);
    }
    let suite = match plan {
        true => arguments.load_plan(&text)?,
        false => arguments.load(&text, javascript)?,
    };
    if arguments.expect.is_some() {
        return arguments.check_exercise(&suite);
    }
    if plan && format == Format::WhiskerCsv {
        let error =
            Failure::new("this format is for suites for Whisker, and not for plans for Itch");
        return Err(error.hint("choose --format table"));
    }
    if projects.is_some() && [Format::Json, Format::Dodona].contains(&format) {
        let error = Failure::new("this format is for one project, not for a folder or a list");
        return Err(error.hint("choose --format table, ndjson, junit or tap, or name one project"));
    }
    arguments.report(&suite, projects, format)
}

impl Arguments {
    /// Whether the suite is a plan for Itch, by its text unless the caller says so.
    fn is_plan(&self, text: &str, javascript: bool) -> Result<bool, Failure> {
        let Some(kind) = self.kind else {
            return Ok(SuiteKind::of(text) == Ok(SuiteKind::Itch));
        };
        if !javascript {
            let error = "--kind is for suites in JavaScript, and this one is JSON";
            let error = Failure::new(format!("{}: {error}", self.pair.suite.display()));
            return Err(error.hint("leave --kind out"));
        }
        Ok(kind == Kind::Itch)
    }

    /// Seed and bounds of a generated suite.
    fn seed_and_bounds(&self, suite: &Suite) -> Result<(u64, Bounds), Failure> {
        let seed = match &self.seed {
            Some(text) => text.parse().map_err(|_| {
                Failure::new(format!("--seed {text}: not a whole number"))
                    .hint("give a number from 0 to 18446744073709551615")
            })?,
            None => suite.seed,
        };
        let flaky = !self.stable && seed == suite.seed;
        Ok((seed, Bounds { steps: self.steps, flaky, ..Bounds::default() }))
    }

    /// Executes a suite for a JavaScript project.
    fn test_javascript(&self, text: &str) -> Result<Exit, Failure> {
        let format = self.format.unwrap_or(if self.json { Format::Json } else { Format::Tap });
        if ![Format::Tap, Format::Json].contains(&format) || self.output.is_some() {
            let error = Failure::new("a suite for JavaScript is reported as TAP or JSON alone");
            return Err(error.hint("leave --format and --output out, or use --json"));
        }
        let seed = self.seed.as_deref().map(str::parse).transpose();
        let seed = seed.map_err(|_| {
            Failure::new("--seed: not a whole number")
                .hint("give a number from 0 to 18446744073709551615")
        })?;
        let Pair { project, suite, any_project } = &self.pair;
        let json = format == Format::Json;
        crate::javascript::suites::test(project, suite, text, *any_project, seed, json)
    }

    /// The plan for Itch with its options.
    fn load_plan(&self, text: &str) -> Result<LoadedSuite, Failure> {
        let plan = itch::PlanTests::new(self, text)?;
        Ok(LoadedSuite::new(&self.pair.suite, text, Tests::Plan(Box::new(plan))))
    }

    /// The suite with its options.
    fn load(&self, text: &str, javascript: bool) -> Result<LoadedSuite, Failure> {
        let tests = if javascript {
            javascript::tests(self, text)?
        } else if javascript::is_models(text) {
            javascript::models(self, text)?
        } else {
            let mut suite = self.pair.parse_suite(text)?;
            if !self.pair.any_project {
                let error = "a generated suite belongs to one project";
                return Err(Failure::new(format!("{}: {error}", self.pair.suite.display()))
                    .hint("use --any-project to execute it on others"));
            }
            let (seed, bounds) = self.seed_and_bounds(&suite)?;
            suite.reseed(seed);
            Tests::Generated(Box::new((suite, bounds)))
        };
        Ok(LoadedSuite::new(&self.pair.suite, text, tests))
    }

    /// Executes the suite and writes the reports.
    fn report(
        &self,
        suite: &LoadedSuite,
        projects: Option<Vec<PathBuf>>,
        format: Format,
    ) -> Result<Exit, Failure> {
        let skips = if self.javascript.strict { Skips::NotOk } else { Skips::Directive };
        let schedule = many::Schedule { threads: self.threads, fail_fast: self.fail_fast };
        let several = projects.is_some();
        let mut paths = projects.unwrap_or_else(|| vec![self.pair.project.clone()]);
        let (mut file, mut table, mut fine) = (None, None, true);
        if let Some(path) = &self.output {
            if self.resume {
                if format != Format::Table {
                    let error = Failure::new("--resume: only a table can be continued");
                    return Err(error.hint("leave --format out, or --resume"));
                }
                let resumed = many::resume(path, suite, &paths)?;
                (table, fine) = (resumed.table, resumed.fine);
                paths.drain(..resumed.kept);
                file = Some((path.clone(), resumed.file));
            } else {
                let created = File::create(path);
                let created = created.map_err(|error| output::unwritable(path, &error))?;
                file = Some((path.clone(), created));
            }
        }
        let mut output = Output::new(format, skips, several, file);
        if let Some(table) = table {
            output.resume(table);
        }
        if !several {
            return Arguments::report_one(suite, &paths, &mut output);
        }
        suite.check(&paths).map_err(|cause| {
            let error = format!("{}: {cause}", self.pair.suite.display());
            Failure::new(error).hint("correct the suite")
        })?;
        output.begin()?;
        let exit = many::run(suite, &paths, schedule, &mut output)?;
        Ok(if fine { exit } else { Exit::Incomplete })
    }

    /// Writes the report of one project, whose errors are those of the command.
    fn report_one(
        suite: &LoadedSuite,
        paths: &[PathBuf],
        output: &mut Output,
    ) -> Result<Exit, Failure> {
        let mut fine = true;
        for path in paths {
            let subject = project::open(path)?;
            let report = suite.execute(path, &subject).map_err(|cause| {
                Failure::new(format!("{}: {cause}", suite.name))
                    .hint("correct the suite or the project")
            })?;
            fine &= report.is_fine();
            output.begin()?;
            output.project(&ProjectReport::Executed(report))?;
        }
        output.end()?;
        Ok(if fine { Exit::Success } else { Exit::Incomplete })
    }

    /// Checks that the suite accepts a solution and rejects what it started from.
    fn check_exercise(&self, suite: &LoadedSuite) -> Result<Exit, Failure> {
        let Some(template) = &self.template else {
            return Err(Failure::new("--expect exercise: no --template")
                .hint("name the project from which pupils start with --template"));
        };
        let accepted = |path: &Path| {
            let subject = project::open(path)?;
            let report = suite.execute(path, &subject).map_err(|cause| {
                Failure::new(format!("{}: {cause}", path.display())).hint("correct the suite")
            })?;
            let names = report
                .tests
                .iter()
                .enumerate()
                .filter(|(_, test)| matches!(test.status, Status::Fail | Status::Error));
            Ok::<_, Failure>(names.map(|(at, _)| report.path(at).join(" / ")).collect::<Vec<_>>())
        };
        let (solution, start) = (accepted(&self.pair.project)?, accepted(template)?);
        let ok = |holds: bool| if holds { "ok" } else { "not ok" };
        let (first, second) = (ok(solution.is_empty()), ok(!start.is_empty()));
        let mut text = format!("TAP version 13\n1..2\n{first} 1 - the solution is accepted\n");
        for name in &solution {
            text += &format!("# not passed: {}\n", name.replace(char::is_control, " "));
        }
        text += &format!("{second} 2 - the template is rejected\n");
        terminal::print(&text);
        let holds = solution.is_empty() && !start.is_empty();
        Ok(if holds { Exit::Success } else { Exit::Incomplete })
    }
}

/// Executes a generated suite on its project.
fn run_generated(arguments: &Arguments, json: bool) -> Result<Exit, Failure> {
    let (subject, suite) = arguments.pair.open()?;
    let program = arguments.pair.compile(&subject)?;
    let mut linked =
        LinkedSuite::new(&suite, &program).map_err(|error| arguments.pair.failure(error))?;
    let (seed, bounds) = arguments.seed_and_bounds(&suite)?;
    linked.seed = seed;
    let mut runner = Runner::new(program, suite.machine.clone(), ());
    if !json {
        terminal::print(&format!("TAP version 13\n1..{}\n", suite.tests.len()));
    }
    let bar = terminal::bar(suite.tests.len());
    let mut passed = 0;
    let mut tests = Vec::new();
    for number in 0..suite.tests.len() {
        let execution = runner.run(&linked, number, bounds);
        passed += usize::from(execution.verdict.is_pass());
        if json {
            tests.push(describe(&suite, number, &execution));
        } else {
            terminal::print(&tap(&suite, number, &execution));
        }
        bar.inc(1);
    }
    bar.finish_and_clear();
    let failed = suite.tests.len() - passed;
    if json {
        let report = json!({
            "project": arguments.pair.project.display().to_string(),
            "suite": arguments.pair.suite.display().to_string(),
            "seed": seed,
            "passed": passed,
            "failed": failed,
            "tests": tests,
        });
        terminal::print(&format!("{report}\n"));
    } else {
        terminal::print(&format!(
            "# tests {}\n# pass {passed}\n# fail {failed}\n",
            passed + failed
        ));
    }
    Ok(if failed == 0 { Exit::Success } else { Exit::Incomplete })
}

/// The TAP lines of a test.
fn tap(suite: &Suite, number: usize, execution: &Execution) -> String {
    let name = format!("{} - test {number}", number + 1);
    if let Verdict::Passed = execution.verdict {
        return match execution.fault {
            None => format!("ok {name}\n"),
            Some(fault) => format!("ok {name}\n# {fault}\n"),
        };
    }
    let mut text = format!("not ok {name}\n  ---\n");
    if let Value::Object(details) = describe(suite, number, execution) {
        for (key, value) in details.iter().filter(|(key, _)| *key != "test") {
            // JSON is valid YAML; writing to a string does not fail.
            let _ = writeln!(text, "  {key}: {value}");
        }
    }
    text + "  ...\n"
}

fn describe(suite: &Suite, number: usize, execution: &Execution) -> Value {
    let Execution { verdict, steps, fault, .. } = execution;
    let mut test = json!({ "test": number, "steps": steps });
    if let Some(fault) = fault {
        test["fault"] = json!(fault);
    }
    match verdict {
        Verdict::Passed => test["verdict"] = json!("passed"),
        Verdict::StepLimit => {
            test["verdict"] = json!("failed");
            test["message"] = json!("the test is longer than --steps allows");
        }
        Verdict::Fault(fault) => {
            test["verdict"] = json!("failed");
            test["message"] = json!(fault);
        }
        Verdict::Failed(FailedAssertion { assertion, after, got }) => {
            let AssertionNo { flaky, position } = *assertion;
            let SuiteTest { assertions, flaky: unstable, .. } = &suite.tests[number];
            let failed = &if flaky { unstable } else { assertions }[position as usize];
            test["verdict"] = json!("failed");
            test["message"] = json!(format!("after event {after}, expected {failed}"));
            test["expected"] = json!(failed);
            test["got"] = json!(got);
            test["flaky"] = json!(flaky);
        }
    }
    test
}
