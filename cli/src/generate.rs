//! `catherd generate`: generates a test suite for one project.

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_experiments::{Algorithm, Budget, Flags, Parameter, Study};
use catherd_javascript_kind::classes;
use catherd_javascript_kind::project::is_project;
use catherd_scratch_kind::{GeneratedSuite, GeneratorRequest, configuration};
use catherd_scratch_mutation::{self as mutation, Level, minimise};
use catherd_scratch_sb3::Project;
use catherd_scratch_testgen::{Assertions, End, Generated};
use catherd_scratch_vm::Program;
use clap::{Args, ValueEnum};

use crate::failure::Worded;
use crate::javascript::suites::Generation;
use crate::{javascript, project, subjects};

/// Test executions if no budget is given.
const EXECUTIONS: &str = "1000";

/// Generates a test suite for one project.
///
/// The tests have no event that their blocks do not need, and assert what their events change in
/// the project. They are executed again with other random numbers: assertions that do not hold there are
/// listed separately as flaky, and blocks that are not covered as covered by chance. The same project, algorithm, seed and budget in executions or steps give the same suite.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd generate game.sb3 -o suite.json
  catherd generate game.sb3 --algorithm mosa --parameter population=10 --seed 3 -o suite.json
  catherd generate game.sb3 --wall 10s -o suite.js
  catherd generate game.sb3 --algorithm reflex --steps 2000000 -o suite.json
  catherd generate list.js --algorithm dynamosa -o list.test.js
  catherd generate package --class LinkedList --style jest -o list.test.js
  catherd generate game.sb3 --assertions minimal --asked-mutants 500 -o suite.json

A file named *.js is written as JavaScript: for a Scratch project for Whisker, with the same suite as
JSON beside it (suite.js and suite.json), for a JavaScript project (also *.mjs and *.cjs) for a test
framework. Any other is JSON for catherd test, catherd coverage and catherd mutate.

Exit codes: 0 if a suite was written, 1 if not. A project with nothing to cover has an empty suite.")]
pub(crate) struct Arguments {
    /// The project: an .sb3 or .sb2 file or an unpacked folder; a .js file, a folder with package.json
    /// or subject.toml, or a .tgz package
    #[arg(value_name = "PROJECT")]
    project: PathBuf,

    /// File of the suite, *.json or *.js [default: JSON on standard output]
    #[arg(long, short, value_name = "FILE")]
    out: Option<PathBuf>,

    #[arg(long, value_name = "NAME", default_value = "mio",
        help = format!("One of {}", subjects::algorithm_names()))]
    algorithm: String,

    /// A parameter of the algorithm, named as in study files; may be repeated
    #[arg(long, value_name = "NAME=VALUE", value_parser = parameter)]
    parameter: Vec<(String, Parameter)>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Budget: test executions [default: 1000, unless another budget is given]
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    executions: Option<String>,

    /// Budget: steps of the Scratch machine (1/30 s of Scratch time each)
    #[arg(long, value_name = "N", allow_hyphen_values = true)]
    steps: Option<String>,

    /// Budget: real time, such as 10s; the suite then depends on the machine
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    wall: Option<String>,

    /// The only class under test (JavaScript)
    #[arg(long, value_name = "NAME")]
    class: Option<String>,

    /// The only method of classes under test (JavaScript)
    #[arg(long, value_name = "NAME")]
    method: Option<String>,

    /// Test framework of a suite that is written as code (JavaScript)
    #[arg(long, value_name = "NAME", default_value = "node-test")]
    style: Style,

    /// Leave assertions out
    #[arg(long, conflicts_with_all = ["touching", "reexecutions"])]
    no_assertions: bool,

    /// Assert which sprites touch each other as well
    #[arg(long)]
    touching: bool,

    /// Number of executions of each test in a row, with other seeds, in which its assertions hold; the
    /// others are flaky. A test without random numbers is executed 5 times at most
    #[arg(long, value_name = "N", default_value_t = Assertions::default().reexecutions)]
    reexecutions: u32,

    /// Which assertions are kept: all, those that notice a mutant of the project, or as few as notice
    /// the same mutants, by the suite or by each test; diverse keeps the last two about each attribute of
    /// a sprite besides. Flaky ones are kept with all others alone
    #[arg(long, value_name = "WHICH", default_value = "all", conflicts_with = "no_assertions")]
    assertions: Kept,

    /// Most mutants that are asked for --assertions, each equally likely [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    asked_mutants: Option<u64>,

    /// How many assertions notice each mutant after --assertions minimal, minimal-by-test and diverse,
    /// where so many do before: more assertions notice more of the mutants that were not asked
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    noticed_by: u32,

    /// Do not minimise the tests of the search
    #[arg(long)]
    no_minimisation: bool,

    /// Print one JSON object about the run instead of a summary; needs --out
    #[arg(long, requires = "out")]
    json: bool,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// The assertions that a suite keeps.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kept {
    All,
    Relevant,
    Minimal,
    MinimalByTest,
    Diverse,
}

fn parameter(text: &str) -> Result<(String, Parameter), String> {
    let (name, value) = text.split_once('=').ok_or("write NAME=VALUE")?;
    let value = value.trim();
    let parameter = if let Ok(flag) = value.parse() {
        Parameter::Bool(flag)
    } else if let Ok(number) = value.parse() {
        Parameter::Integer(number)
    } else if let Ok(number) = value.parse::<f64>() {
        Parameter::Number(number)
    } else {
        Parameter::Text(value.to_owned())
    };
    Ok((name.trim().to_owned(), parameter))
}

pub(crate) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let start = Instant::now();
    // The budget is that of a study, so that it is checked in the same way.
    let unlimited = arguments.steps.is_none() && arguments.wall.is_none();
    let executions = arguments.executions.clone();
    let executions = executions.or_else(|| unlimited.then(|| EXECUTIONS.to_owned()));
    let work = [("executions", executions), ("steps", arguments.steps.clone())];
    let study = Study::from_flags(&Flags {
        projects: vec![arguments.project.clone()],
        algorithms: Some(arguments.algorithm.clone()),
        work: work
            .into_iter()
            .filter_map(|(unit, limit)| Some((unit.to_owned(), limit?)))
            .collect(),
        wall: arguments.wall.clone(),
        ..Flags::default()
    })
    .map_err(Worded::worded)?;
    let algorithm = Algorithm {
        label: arguments.algorithm.clone(),
        name: arguments.algorithm.clone(),
        parameters: arguments.parameter.iter().cloned().collect(),
    };
    if is_project(&arguments.project) {
        return arguments.generate_for_javascript(algorithm, study.budget);
    }
    if arguments.class.is_some() || arguments.method.is_some() {
        let error = Failure::new("--class and --method are for JavaScript projects alone");
        return Err(error.hint("leave them out"));
    }
    let (mut generator, _) = configuration::read(&algorithm).map_err(Worded::worded)?;
    let by_parameter = configuration::minimisation(&algorithm).map_err(Worded::worded)?;
    let subject = project::open(&arguments.project)?;
    let assertions = Assertions {
        touching: arguments.touching,
        reexecutions: arguments.reexecutions,
        ..Assertions::default()
    };
    let request = GeneratorRequest {
        seed: arguments.seed,
        budget: configuration::budget(&study.budget),
        project: hex::encode(subject.digest),
        assertions: (!arguments.no_assertions).then_some(assertions),
    };
    generator.settings_mut().minimise &= !arguments.no_minimisation;
    let settings = generator.settings().clone();
    let prepared = project::prepare(&arguments.project, &subject, settings)?;
    let progress = Progress::new(&arguments, study.budget);
    let made = generator.generate(&prepared, &subject.project, request, |now| {
        progress.show(now);
        ControlFlow::Continue(())
    });
    let GeneratedSuite { mut generated, further } = made;
    progress.end();
    let program = prepared.program();
    arguments.minimise(&subject.project, program, &mut generated, by_parameter)?;
    write(arguments.out.as_deref(), &generated)?;
    let report = report(&arguments, &generated, start.elapsed());
    match (&arguments.out, arguments.json) {
        (Some(_), true) => {
            terminal::print(&format!("{}\n", json(&arguments, &generated, &further)))
        }
        (Some(_), false) => terminal::print(&report),
        // Standard output has the suite, so that the report goes to standard error.
        (None, _) if !arguments.quiet => terminal::note(report.trim_end()),
        (None, _) => {}
    }
    Ok(Exit::Success)
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

impl Arguments {
    /// Generates a suite for a JavaScript project.
    fn generate_for_javascript(
        &self,
        algorithm: Algorithm,
        budget: Budget,
    ) -> Result<Exit, Failure> {
        if self.no_assertions || self.touching || self.assertions != Kept::All {
            let flags = "--no-assertions, --assertions and --touching";
            return Err(
                Failure::new(format_args!("{flags} are for Scratch alone")).hint("leave them out")
            );
        }
        let progress = Progress::new(self, budget.clone());
        let asked = Generation {
            project: &self.project,
            out: self.out.as_deref(),
            algorithm,
            seed: self.seed,
            budget,
            minimise: !self.no_minimisation,
            class: self.class.clone(),
            method: self.method.clone(),
            style: match self.style {
                Style::NodeTest => classes::Style::NodeTest,
                Style::Jest => classes::Style::Jest,
                Style::Mocha => classes::Style::Mocha,
            },
            json: self.json,
            quiet: self.quiet,
        };
        let result = javascript::suites::generate(asked, &mut |now| progress.show(now));
        progress.end();
        result
    }

    /// Drops the assertions that mutants do not need, if that is asked for.
    fn minimise(
        &self,
        project: &Project,
        program: &Arc<Program>,
        generated: &mut Generated,
        by_parameter: Option<(Level, Option<u64>)>,
    ) -> Result<(), Failure> {
        let (level, sample) = match (self.assertions, by_parameter) {
            (Kept::Relevant, _) => (Level::Relevant, self.asked_mutants),
            (Kept::Minimal, _) => (Level::Minimal(self.noticed_by), self.asked_mutants),
            (Kept::MinimalByTest, _) => (Level::MinimalByTest(self.noticed_by), self.asked_mutants),
            (Kept::Diverse, _) => (Level::Diverse(self.noticed_by), self.asked_mutants),
            (Kept::All, Some((level, sample))) => (level, self.asked_mutants.or(sample)),
            (Kept::All, None) => return Ok(()),
        };
        let bar = (!self.quiet).then(|| terminal::bar(0));
        let settings = mutation::Settings { sample, ..Default::default() };
        let suite = std::mem::take(&mut generated.suite);
        let progress = |done: usize, all: usize| {
            if let Some(bar) = &bar {
                bar.set_length(all as u64);
                bar.set_position(done as u64);
            }
            ControlFlow::Continue(())
        };
        let program = Arc::clone(program);
        let done = minimise(project, program, suite, settings, level, |_| true, progress);
        if let Some(bar) = &bar {
            bar.finish_and_clear();
        }
        let minimised = done.map_err(|error| {
            Failure::new(format_args!("{}: {error}", self.project.display()))
                .hint("report it with the command; --assertions all goes without mutants")
        })?;
        // Nothing interrupts it.
        if let Some(minimised) = minimised {
            if !self.quiet {
                terminal::note(&format!(
                    "{} of {} kept, which notice {} of {}",
                    minimised.after,
                    plural(minimised.before, "assertion"),
                    minimised.noticed,
                    plural(minimised.mutants, "mutant")
                ));
            }
            generated.counts.suite_assertions = minimised.after as u64;
            generated.counts.suite_flaky = 0;
            generated.suite = minimised.suite;
        }
        Ok(())
    }
}

fn write(out: Option<&Path>, generated: &Generated) -> Result<(), Failure> {
    let Some(file) = out else {
        terminal::print(&generated.suite.to_json());
        return Ok(());
    };
    let javascript = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("js"));
    if !javascript {
        return save(file, &generated.suite.to_json());
    }
    let beside = file.with_extension("json");
    let known = |text: String| catherd_scratch_suite::Suite::from_json(&text).is_ok();
    if fs::exists(&beside).unwrap_or(true) && !fs::read_to_string(&beside).is_ok_and(known) {
        let problem = format!("{}: exists and is no suite", beside.display());
        return Err(
            Failure::new(problem).hint("the JSON beside *.js goes there: name another *.js")
        );
    }
    save(file, &generated.suite.to_javascript())?;
    save(&beside, &generated.suite.to_json())
}

fn save(file: &Path, text: &str) -> Result<(), Failure> {
    fs::write(file, text).map_err(|error| {
        Failure::new(format!("{}: {error}", file.display()))
            .hint("name a file that you may write to with --out")
    })
}

fn report(arguments: &Arguments, generated: &Generated, time: Duration) -> String {
    let name = arguments.project.display();
    let counts = &generated.counts;
    let mut text = match generated.end {
        End::NothingToCover => {
            return format!("{name}: nothing to cover: it has no block that a test could reach\n");
        }
        End::NoInput => format!("{name}: reacts to no input, so one test waits\n"),
        End::Search(_) => String::new(),
    };
    let percent = 100.0 * counts.covered as f64 / counts.goals.max(1) as f64;
    text += &format!(
        "{name}: {} of {} blocks covered ({percent:.1} %) by {} with {}\n",
        counts.covered,
        counts.goals,
        plural(counts.suite_tests as usize, "test"),
        plural(counts.suite_events as usize, "event")
    );
    let tests = &generated.suite.tests;
    let networks = tests.iter().filter(|test| test.is_played_by_network()).count();
    if networks > 0 {
        text += &format!("{} played by networks\n", plural(networks, "test"));
    }
    let policies = tests.iter().filter(|test| !test.is_played_by_network());
    let policies = policies.filter_map(|test| test.policy.as_ref());
    let rules: usize = policies.clone().map(|policy| policy.rules.len()).sum();
    if policies.clone().next().is_some() {
        let policies = plural(policies.count(), "test");
        text += &format!("{policies} played by policies with {}\n", plural(rules, "rule"));
    }
    if let Some(robust) = counts.robust.filter(|robust| *robust < counts.covered) {
        let chance = plural((counts.covered - robust) as usize, "block");
        let tests = generated.suite.tests.iter().zip(1..);
        let tests = tests.filter(|(test, _)| !test.chance.is_empty());
        let tests: Vec<_> =
            tests.map(|(test, number)| format!("{number} ({})", test.chance.len())).collect();
        text += &format!(
            "{robust} of them with any random numbers; {chance} by chance; by test, with the number of \
             blocks: {}\n",
            tests.join(", ")
        );
    }
    if !arguments.no_assertions {
        text += &format!(
            "{}, and {} that depend on random numbers or the date\n",
            plural(counts.suite_assertions as usize, "assertion"),
            counts.suite_flaky
        );
    }
    if counts.hung_tests > 0 {
        let hung = plural(counts.hung_tests as usize, "execution");
        text += &format!("{hung} stopped because the program hung\n");
    }
    text + &format!(
        "{}, {}; minimisation removed {} in {}; {:.1} s\n",
        plural(counts.executions as usize, "execution"),
        plural(counts.steps as usize, "step"),
        plural(counts.minimised_events as usize, "event"),
        plural(counts.minimisation_executions as usize, "execution"),
        time.as_secs_f64()
    )
}

fn json(
    arguments: &Arguments,
    generated: &Generated,
    further: &[(&'static str, u64)],
) -> serde_json::Value {
    let outcome = match generated.end {
        End::NothingToCover => "nothing_to_cover",
        End::NoInput => "no_input",
        End::Search(_) => "searched",
    };
    let counts = generated.counts.named().chain(further.iter().copied());
    let counts: serde_json::Map<_, _> =
        counts.map(|(name, count)| (name.to_owned(), count.into())).collect();
    serde_json::json!({
        "project": arguments.project.display().to_string(),
        "digest": generated.suite.project,
        "algorithm": generated.suite.algorithm,
        "seed": generated.suite.seed,
        "outcome": outcome,
        "goals": generated.goals,
        "covered": generated.covered.len(),
        "counts": counts,
    })
}

/// A progress bar over the budget: the largest spent share of executions, steps and time.
struct Progress {
    bar: Option<indicatif::ProgressBar>,
    budget: catherd_experiments::Budget,
    start: Instant,
}

/// Length of the progress bar.
const PARTS: u64 = 1000;

impl Progress {
    fn new(arguments: &Arguments, budget: catherd_experiments::Budget) -> Progress {
        let bar = (!arguments.quiet).then(|| terminal::bar(PARTS as usize));
        let style = indicatif::ProgressStyle::with_template("{wide_bar:.cyan/dim} {msg} {eta}");
        if let (Some(bar), Ok(style)) = (&bar, style) {
            bar.set_style(style);
        }
        Progress { bar, budget, start: Instant::now() }
    }

    fn show(&self, now: &catherd_search::Progress) {
        let Some(bar) = &self.bar else { return };
        let part = |spent: u64, limit: Option<u64>| {
            limit.map_or(0, |limit| spent.saturating_mul(PARTS) / limit.max(1))
        };
        let (executions, steps) = (now.meter.executions(), now.meter.steps());
        let position = part(executions, self.budget.limit("executions"))
            .max(part(steps, self.budget.limit("steps")))
            .max(part(self.start.elapsed().as_millis() as u64, self.budget.wall_ms));
        bar.set_position(position.min(PARTS));
        bar.set_message(format!("{executions} executions, {}/{} goals", now.covered, now.goals));
    }

    fn end(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
