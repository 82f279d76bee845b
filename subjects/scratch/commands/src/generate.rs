//! `catherd generate` for a Scratch project.

use std::fs;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{BudgetBar, Exit, Failure, Generation, Spent, output};
use catherd_scratch_kind::{GeneratedSuite, GeneratorRequest, configuration};
use catherd_scratch_mutation::{self as mutation, Level, minimise};
use catherd_scratch_sb3::Project;
use catherd_scratch_suite::Suite;
use catherd_scratch_testgen::{Assertions, End, Generated};
use catherd_scratch_vm::Program;
use clap::{Args, ValueEnum};

use crate::failure::Worded;
use crate::project;

/// Flags of `catherd generate` for Scratch projects.
// `catherd generate` has the flags of several kinds, whose groups need different names.
#[derive(Args)]
#[group(id = "scratch-flags")]
pub struct Flags {
    /// Leave assertions out
    #[arg(long, conflicts_with_all = ["touching", "reexecutions"])]
    no_assertions: bool,

    /// Also assert which sprites touch each other or the edge
    #[arg(long)]
    touching: bool,

    /// Number of successive further executions of each test, with other seeds, in which all
    /// assertions that are not flaky must hold; at most 5 for a test without random numbers
    #[arg(long, value_name = "N", default_value_t = Assertions::default().reexecutions)]
    reexecutions: u32,

    /// Assertions that are kept: all; relevant: those that notice a mutant of the project; minimal
    /// or minimal-by-test: a small subset with which the suite or each test notices the same
    /// mutants; diverse: as minimal-by-test, and also the last two about each attribute of a
    /// sprite. Flaky assertions are kept only with all
    #[arg(long, value_name = "WHICH", default_value = "all", conflicts_with = "no_assertions")]
    assertions: Kept,

    /// Maximum number of mutants, drawn at random, that --assertions uses [default: all]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    asked_mutants: Option<u64>,

    /// Number of assertions that are kept for each mutant by --assertions minimal, minimal-by-test
    /// and diverse, if there are that many; with a larger number, the suite usually notices more of
    /// the mutants that were not used
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=1000))]
    noticed_by: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Kept {
    All,
    Relevant,
    Minimal,
    MinimalByTest,
    Diverse,
}

impl Flags {
    /// Whether --no-assertions or --touching is given, or --assertions with a value other than
    /// `all`.
    pub fn choose_assertions(&self) -> bool {
        self.no_assertions || self.touching || self.assertions != Kept::All
    }
}

/// Generates a suite for a Scratch project.
///
/// # Errors
///
/// If no suite can be generated or written.
pub fn generate(asked: &Generation, flags: &Flags) -> Result<Exit, Failure> {
    let start = Instant::now();
    let (mut generator, _) = configuration::read(&asked.algorithm).map_err(Worded::worded)?;
    let by_parameter = configuration::minimisation(&asked.algorithm).map_err(Worded::worded)?;
    let subject = project::open(&asked.project)?;
    let assertions = Assertions {
        touching: flags.touching,
        reexecutions: flags.reexecutions,
        ..Assertions::default()
    };
    let request = GeneratorRequest {
        seed: asked.seed,
        budget: configuration::budget(&asked.budget),
        project: hex::encode(subject.digest),
        assertions: (!flags.no_assertions).then_some(assertions),
    };
    generator.settings_mut().minimise &= asked.minimise;
    let settings = generator.settings().clone();
    let prepared = project::prepare(&asked.project, &subject, settings)?;
    let bar = BudgetBar::new(asked.budget.clone(), asked.quiet);
    let made = generator.generate(&prepared, &subject.project, request, |now| {
        bar.show(Spent {
            executions: now.meter.executions(),
            steps: now.meter.steps(),
            covered: now.covered,
            goals: now.goals,
        });
        ControlFlow::Continue(())
    });
    let GeneratedSuite { mut generated, further } = made;
    bar.end();
    let program = prepared.program();
    if let Some((level, sample)) = flags.minimisation(by_parameter) {
        minimise_assertions(asked, level, sample, &subject.project, program, &mut generated)?;
    }
    write(asked.out.as_deref(), &generated)?;
    let report = report(asked, flags, &generated, start.elapsed());
    match (&asked.out, asked.json) {
        (Some(_), true) => terminal::print(&format!("{}\n", json(asked, &generated, &further))),
        (Some(_), false) => terminal::print(&report),
        // The suite is written to standard output, so the report must go to standard error.
        (None, _) if !asked.quiet => terminal::note(report.trim_end()),
        (None, _) => {}
    }
    Ok(Exit::Success)
}

impl Flags {
    fn minimisation(
        &self,
        by_parameter: Option<(Level, Option<u64>)>,
    ) -> Option<(Level, Option<u64>)> {
        let level = match (self.assertions, by_parameter) {
            (Kept::Relevant, _) => Level::Relevant,
            (Kept::Minimal, _) => Level::Minimal(self.noticed_by),
            (Kept::MinimalByTest, _) => Level::MinimalByTest(self.noticed_by),
            (Kept::Diverse, _) => Level::Diverse(self.noticed_by),
            (Kept::All, Some((level, sample))) => {
                return Some((level, self.asked_mutants.or(sample)));
            }
            (Kept::All, None) => return None,
        };
        Some((level, self.asked_mutants))
    }
}

fn minimise_assertions(
    asked: &Generation,
    level: Level,
    sample: Option<u64>,
    project: &Project,
    program: &Arc<Program>,
    generated: &mut Generated,
) -> Result<(), Failure> {
    let bar = (!asked.quiet).then(|| terminal::bar(0));
    let settings = mutation::MutationSettings { sample, ..Default::default() };
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
        Failure::new(format_args!("{}: {error}", asked.project.display()))
            .hint("report this error and the command; --assertions all needs no mutants")
    })?;
    // `None` would mean that `progress` stopped the minimisation, which it never does.
    if let Some(minimised) = minimised {
        if !asked.quiet {
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

fn write(out: Option<&Path>, generated: &Generated) -> Result<(), Failure> {
    let Some(file) = out else {
        terminal::print(&generated.suite.to_json());
        return Ok(());
    };
    let javascript = file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("js"));
    if !javascript {
        return save(file, &generated.suite.to_json());
    }
    let json = file.with_extension("json");
    let known = |text: String| catherd_scratch_suite::Suite::from_json(&text).is_ok();
    if fs::exists(&json).unwrap_or(true) && !fs::read_to_string(&json).is_ok_and(known) {
        let problem = format!("{}: exists and is not a suite", json.display());
        return Err(Failure::new(problem)
            .hint("the suite is also written there as JSON: name another *.js"));
    }
    save(file, &generated.suite.to_javascript())?;
    save(&json, &generated.suite.to_json())
}

fn save(file: &Path, text: &str) -> Result<(), Failure> {
    output::write(file, text)
}

fn report(asked: &Generation, flags: &Flags, generated: &Generated, time: Duration) -> String {
    let name = asked.project.display();
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
    if let Some(branches) = &generated.branches {
        let (covered, all) = (branches.covered.len(), branches.goals);
        let percent = 100.0 * covered as f64 / f64::from(all.max(1));
        text += &format!("{covered} of {all} branches covered ({percent:.1} %)\n");
    }
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
        let tests = generated.suite.tests.iter().zip(0..);
        let tests = tests.filter(|(test, _)| !test.chance.is_empty());
        let tests: Vec<_> =
            tests.map(|(test, number)| format!("{number} ({})", test.chance.len())).collect();
        text += &format!(
            "{robust} of the covered blocks are covered under any random numbers; {chance} only by chance, in \
             tests (with the number of blocks): {}\n",
            tests.join(", ")
        );
    }
    if !flags.no_assertions {
        text += &format!(
            "{}, and {} flaky\n",
            plural(counts.suite_assertions as usize, "assertion"),
            counts.suite_flaky
        );
        text += &weak_tests(&generated.suite);
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

fn numbers_without_assertions(suite: &Suite) -> Vec<usize> {
    let tests = suite.tests.iter().zip(0..);
    tests.filter(|(test, _)| test.assertions.is_empty()).map(|(_, number)| number).collect()
}

fn weak_tests(suite: &Suite) -> String {
    let list =
        |numbers: &[usize]| numbers.iter().map(usize::to_string).collect::<Vec<_>>().join(", ");
    let mut text = String::new();
    let empty = numbers_without_assertions(suite);
    if !empty.is_empty() {
        text += &format!(
            "{} without an assertion, because no change of the program's state holds under every \
             seed, or --assertions left none: {}\n",
            plural(empty.len(), "test"),
            list(&empty)
        );
    }
    let tests = suite.tests.iter().zip(0..);
    let short = tests.filter_map(|(test, number)| Some((number, test.reexecutions?)));
    let (short, times): (Vec<usize>, Vec<u32>) = short.unzip();
    if let Some(least) = times.iter().min() {
        text += &format!(
            "{} whose assertions held in fewer successive executions than requested; executed again at \
             least {least} times: {}\n",
            plural(short.len(), "test"),
            list(&short)
        );
    }
    text
}

fn json(
    asked: &Generation,
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
    let mut json = serde_json::json!({
        "project": asked.project.display().to_string(),
        "digest": generated.suite.project,
        "algorithm": generated.suite.algorithm,
        "seed": generated.suite.seed,
        "outcome": outcome,
        "goals": generated.goals,
        "covered": generated.covered.len(),
        "tests_without_assertions": numbers_without_assertions(&generated.suite),
        "counts": counts,
    });
    if let Some(branches) = &generated.branches {
        json["branches"] =
            serde_json::json!({ "goals": branches.goals, "covered": branches.covered.len() });
    }
    json
}
