//! `catherd test` for a Scratch project: executes the tests of a suite.

pub(crate) mod itch;
pub(crate) mod javascript;
mod many;
mod output;
pub(crate) mod suite;

use std::fmt::Write as _;
use std::fs::File;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, Pair, terminal};
use catherd_scratch_grading_report::{ProjectReport, Skips, Status};
use catherd_scratch_grading_whisker::SuiteKind;
use catherd_scratch_suite::{
    AssertionNo, Bounds, Execution, Failure as FailedAssertion, LinkedSuite, Runner, Suite,
    SuiteTest, Verdict,
};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};

pub use self::output::Format;
use self::output::Output;
use self::suite::{LoadedSuite, Tests};
use crate::project;

/// Flags of `catherd test`. The public flags also apply to suites of other kinds.
#[derive(Args)]
pub struct Flags {
    /// Whether a suite in JavaScript has tests for Whisker or is a plan for Itch [default:
    /// recognised by its text]
    #[arg(long, value_name = "KIND")]
    kind: Option<Kind>,

    /// Seed of the project's random numbers: a number, or for a suite in JavaScript also a word
    /// [default: the seed in the suite, or else a fixed seed]
    #[arg(long, value_name = "N")]
    pub seed: Option<String>,

    /// Skip the flaky assertions; they are always skipped if --seed differs from the seed of the
    /// suite
    #[arg(long)]
    stable: bool,

    /// Maximum length of a test, in steps of 1/30 s of Scratch time; a longer test does not pass.
    /// For a plan for Itch: of the whole judgement, in steps of 1/60 s
    #[arg(long, value_name = "N", default_value_t = Bounds::default().steps)]
    steps: u64,

    /// Write one JSON object instead of TAP
    #[arg(long)]
    pub json: bool,

    /// Format of the report [default: tap; table for several projects]
    #[arg(long, value_name = "FORMAT", conflicts_with = "json")]
    pub format: Option<Format>,

    /// Write the report to this file instead of standard output
    #[arg(long, short, value_name = "FILE")]
    pub output: Option<PathBuf>,

    /// Continue the table that an earlier command has written to the file of -o: leading rows whose
    /// project, suite and flags are the same are kept, and the other projects are executed
    #[arg(long, requires = "output")]
    resume: bool,

    /// Stop at the first project that cannot be used, or has a test that fails or ends with an
    /// error
    #[arg(long)]
    fail_fast: bool,

    /// Number of projects that are executed at the same time [default: one for each core]
    #[arg(long, short = 'j', value_name = "N")]
    threads: Option<NonZeroUsize>,

    /// Project that pupils were given to start from. --expect needs it, and a plan for Itch
    /// compares PROJECT with it [default for plans: PROJECT itself]
    #[arg(long, value_name = "PROJECT")]
    template: Option<PathBuf>,

    /// Check the suite instead of a pupil's work. `exercise`: no test may fail or end with an error
    /// on PROJECT, the solution, but at least one must do so on the project of --template
    #[arg(long, value_name = "WHAT", requires = "template")]
    expect: Option<Expectation>,

    /// Exit with 0 even if tests fail, as Whisker does; with 1 only if they cannot be executed
    #[arg(long)]
    pub exit_zero: bool,

    #[command(flatten)]
    javascript: javascript::Choices,

    #[command(flatten)]
    itch: itch::PlanChoices,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Tests for Whisker
    Whisker,
    /// A plan for Itch
    Itch,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Expectation {
    /// The project is accepted and the template is rejected
    Exercise,
}

struct Arguments<'a> {
    pair: &'a Pair,
    flags: &'a Flags,
}

/// Executes the tests of a suite with this text.
///
/// # Errors
///
/// If the project or the suite cannot be used, or the report cannot be written.
pub fn run(pair: &Pair, flags: &Flags, text: &str) -> Result<Exit, Failure> {
    let arguments = &Arguments { pair, flags };
    let javascript = project::is_javascript(text);
    let plan = arguments.is_plan(text, javascript)?;
    let projects = many::projects_in(&arguments.pair.project)?;
    let models = javascript::is_models(text);
    let default = if projects.is_some() { Format::Table } else { Format::Tap };
    let format = match arguments.flags.format {
        Some(format) => format,
        None if arguments.flags.json => Format::Json,
        None => default,
    };
    // The judgement of one submission is written in a format of Itch unless --format or --expect is
    // given.
    if plan
        && projects.is_none()
        && arguments.flags.format.is_none()
        && arguments.flags.expect.is_none()
    {
        return itch::run(arguments, text);
    }
    // For a generated suite and one project, TAP and JSON on standard output have a format that is
    // older than the other formats.
    let own = [Format::Tap, Format::Json].contains(&format) && arguments.flags.output.is_none();
    if !plan
        && !javascript
        && !models
        && projects.is_none()
        && own
        && arguments.flags.expect.is_none()
    {
        return run_generated(arguments, format == Format::Json);
    }
    let suite = match plan {
        true => arguments.load_plan(text)?,
        false => arguments.load(text, javascript, projects.is_some())?,
    };
    if arguments.flags.expect.is_some() {
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

impl Arguments<'_> {
    fn is_plan(&self, text: &str, javascript: bool) -> Result<bool, Failure> {
        let Some(kind) = self.flags.kind else {
            return Ok(SuiteKind::of(text) == Ok(SuiteKind::Itch));
        };
        if !javascript {
            let error = "--kind is for suites in JavaScript, and this one is JSON";
            let error = Failure::new(format!("{}: {error}", self.pair.suite.display()));
            return Err(error.hint("leave --kind out"));
        }
        Ok(kind == Kind::Itch)
    }

    fn seed_and_bounds(&self, suite: &Suite) -> Result<(u64, Bounds), Failure> {
        let seed = match &self.flags.seed {
            Some(text) => text.parse().map_err(|_| {
                Failure::new(format!("--seed {text}: not a whole number, or out of range"))
                    .hint("give a number from 0 to 18446744073709551615")
            })?,
            None => suite.seed,
        };
        let flaky = !self.flags.stable && seed == suite.seed;
        Ok((seed, Bounds { steps: self.flags.steps, flaky, ..Bounds::default() }))
    }

    fn load_plan(&self, text: &str) -> Result<LoadedSuite, Failure> {
        let plan = itch::PlanTests::new(self, text)?;
        Ok(LoadedSuite::new(&self.pair.suite, text, Tests::Plan(Box::new(plan))))
    }

    fn load(&self, text: &str, javascript: bool, several: bool) -> Result<LoadedSuite, Failure> {
        let tests = if javascript {
            javascript::tests(self, text)?
        } else if javascript::is_models(text) {
            javascript::models(self, text)?
        } else {
            let mut suite = project::parse_suite(self.pair, text)?;
            // The template of an exercise is another project than its solution.
            if !self.pair.any_project && !several && self.flags.expect.is_none() {
                let subject = project::open(&self.pair.project)?;
                project::check_digest(self.pair, &suite, &subject)?;
            } else if !self.pair.any_project {
                let error = "a generated suite belongs to one project";
                return Err(Failure::new(format!("{}: {error}", self.pair.suite.display()))
                    .hint("use --any-project to execute it on other projects"));
            }
            let (seed, bounds) = self.seed_and_bounds(&suite)?;
            suite.reseed(seed);
            Tests::Generated(Box::new((suite, bounds)))
        };
        Ok(LoadedSuite::new(&self.pair.suite, text, tests))
    }

    fn report(
        &self,
        suite: &LoadedSuite,
        projects: Option<Vec<PathBuf>>,
        format: Format,
    ) -> Result<Exit, Failure> {
        let skips = if self.flags.javascript.strict { Skips::NotOk } else { Skips::Directive };
        let schedule =
            many::Schedule { threads: self.flags.threads, fail_fast: self.flags.fail_fast };
        let several = projects.is_some();
        let mut paths = projects.unwrap_or_else(|| vec![self.pair.project.clone()]);
        let (mut file, mut table, mut all_passed) = (None, None, true);
        if let Some(path) = &self.flags.output {
            if self.flags.resume {
                if format != Format::Table {
                    let error = Failure::new("--resume: only a table can be continued");
                    return Err(error.hint("use --format table, or leave --resume out"));
                }
                let resumed = many::resume(path, suite, &paths)?;
                (table, all_passed) = (resumed.table, resumed.all_passed);
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
        let exit = |passed: Exit| if all_passed { passed } else { Exit::Incomplete };
        if !several {
            return report_one(suite, &paths, &mut output).map(exit);
        }
        suite.check(&paths).map_err(|cause| {
            let error = format!("{}: {cause}", self.pair.suite.display());
            Failure::new(error).hint("correct the suite")
        })?;
        output.begin()?;
        many::run(suite, &paths, schedule, &mut output).map(exit)
    }

    fn check_exercise(&self, suite: &LoadedSuite) -> Result<Exit, Failure> {
        let Some(template) = &self.flags.template else {
            return Err(Failure::new("--expect exercise: no --template")
                .hint("name the project from which pupils start with --template"));
        };
        if self.flags.json || self.flags.format.is_some_and(|format| format != Format::Tap) {
            return Err(Failure::new("--expect exercise: the report is TAP")
                .hint("leave --json and --format out"));
        }
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
        match &self.flags.output {
            Some(path) => {
                std::fs::write(path, text).map_err(|error| output::unwritable(path, &error))?;
            }
            None => terminal::print(&text),
        }
        let holds = solution.is_empty() && !start.is_empty();
        Ok(if holds { Exit::Success } else { Exit::Incomplete })
    }
}

fn report_one(
    suite: &LoadedSuite,
    paths: &[PathBuf],
    output: &mut Output,
) -> Result<Exit, Failure> {
    let mut all_passed = true;
    for path in paths {
        let subject = project::open(path)?;
        let report = suite.execute(path, &subject).map_err(|cause| {
            Failure::new(format!("{}: {cause}", suite.name))
                .hint("correct the suite or the project")
        })?;
        all_passed &= report.passed();
        output.begin()?;
        output.project(&ProjectReport::Executed(report))?;
    }
    output.end()?;
    Ok(if all_passed { Exit::Success } else { Exit::Incomplete })
}

fn run_generated(arguments: &Arguments, json: bool) -> Result<Exit, Failure> {
    let pair = arguments.pair;
    let (subject, suite) = project::open_pair(pair)?;
    let program = project::compile(&pair.project, &subject, suite.machine.compat)?;
    let mut linked =
        LinkedSuite::new(&suite, &program).map_err(|error| project::suite_failure(pair, error))?;
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
            // JSON is valid YAML, and writing to a string cannot fail.
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
