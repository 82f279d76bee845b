//! `catherd sequences test`: executes tests on a system.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_sequences_testing::systems::{self, Online, Shortened, System, Verdict};
use catherd_sequences_testing::{EventId, Space, TestCase};
use clap::Args;
use serde_json::{Value, json};

use crate::{Settings, Subject, output, read_tests, up_to, write};

/// Maximum number of other tests that are executed to shorten a test.
const MAX_SHORTENING: usize = 10_000;

/// Executes tests on a system and prints the results as TAP.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences test builtin:abp suite.json --system abp --bug abp-1 --shrink
  catherd sequences test login.bp suite.json --command 'python3 adapter.py'
  catherd sequences test login.bp --online 20 --command 'python3 adapter.py'
  catherd sequences test login.bp suite.json --command 'python3 adapter.py' --shrink --failures failures.json

An adapter reads JSON lines, {\"reset\": true} and {\"event\": \"send\", \"fields\": {}}, and answers
each with {\"ok\": true}, {\"ok\": false, \"why\": \"...\"} or {\"skip\": true}. With --online it may add
which events come next: {\"ok\": true, \"next\": [\"sAck\", \"sNak\"]}. It may also name
goals of the system itself that the event reached, such as lines of code: {\"ok\": true, \"coverage\": [\"retry\", 120]}.

If the last event of a test has a mark, as in !send, the system must refuse it: answer {\"ok\": false}.

Exit codes: 0 if all tests pass, 2 if one does not, 1 if they cannot be executed.")]
pub struct Test {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    /// File of tests
    #[arg(value_name = "TESTS", required_unless_present = "online")]
    tests: Option<String>,

    #[command(flatten)]
    settings: Settings,

    /// Built-in system under test: abp or moodle
    #[arg(long, value_name = "NAME", required_unless_present = "command")]
    system: Option<String>,

    /// Fault that the built-in system has [default: none]
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    bug: Option<String>,

    /// Program that connects the system under test, with its arguments
    #[arg(long, value_name = "PROGRAM", conflicts_with = "system")]
    command: Option<String>,

    /// Number of tests to make while they are executed: each next event is the least often taken of
    /// those that the model and the last answer allow
    #[arg(long, value_name = "N", conflicts_with = "tests")]
    online: Option<u64>,

    /// Seed of the choices of --online
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Maximum length of a test of --online, in events
    #[arg(long, value_name = "N", default_value_t = catherd_sequences_testing::DEFAULT_LENGTH, value_parser = up_to(10_000_000))]
    length: usize,

    /// Maximum time for an answer, in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    event_ms: u64,

    /// Number of repetitions of a failing test; a test whose results differ is flaky
    #[arg(long, value_name = "N", default_value_t = 3)]
    confirm: usize,

    /// Shorten failing tests, within what the model allows
    #[arg(long)]
    shrink: bool,

    /// File of results that catherd sequences risk reads: a line for each test
    #[arg(long, value_name = "FILE")]
    results: Option<String>,

    /// File that collects failing tests (shortened with --shrink). Its tests are executed first,
    /// and those that pass are removed from it
    #[arg(long, value_name = "FILE", conflicts_with = "online")]
    failures: Option<String>,

    /// Print one JSON object instead of TAP
    #[arg(long)]
    json: bool,
}

fn system(arguments: &Test) -> Result<Box<dyn System>, Failure> {
    if let Some(command) = &arguments.command {
        let program: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let limit = Duration::from_millis(arguments.event_ms);
        return systems::command(&program, limit)
            .map_err(|error| Failure::new(error).hint("check the program of --command"));
    }
    let name = arguments.system.as_deref().unwrap_or_default();
    let name = name.strip_prefix("builtin:").unwrap_or(name);
    systems::builtin(name, arguments.bug.as_deref()).map_err(Failure::new)
}

struct Executed {
    case: TestCase,
    verdict: Verdict,
    shortened: Option<Shortened>,
    /// Number of goals of the system that no earlier test reached.
    new_goals: usize,
}

struct Goal {
    /// Number of tests that reached the goal.
    tests: u64,
    /// Number of the first of these tests, from 1.
    first: usize,
}

fn tap(subject: &Subject, number: usize, test: &Executed) -> String {
    match &test.verdict {
        Verdict::Passed => format!("ok {number}{}\n", tap_goals(test)),
        Verdict::Flaky => format!("not ok {number} # flaky\n"),
        Verdict::Failed { at, why } => {
            let mut text = format!("not ok {number} - {why}\n  ---\n  event: {}\n", at + 1);
            if let Some(short) = &test.shortened {
                let _ =
                    writeln!(text, "  shortened: {}", output::line(&subject.labels(&short.case)));
                let _ = writeln!(text, "  minimum: {}", short.minimality.name());
            }
            text + "  ...\n"
        }
    }
}

fn tap_goals(test: &Executed) -> String {
    match test.new_goals {
        0 => String::new(),
        goals => format!(" - {} of the system", terminal::plural(goals, "new goal")),
    }
}

fn to_json(subject: &Subject, number: usize, test: &Executed) -> Value {
    let mut value = json!({"test": number, "events": subject.labels(&test.case)});
    if test.new_goals > 0 {
        value["new_goals"] = json!(test.new_goals);
    }
    match &test.verdict {
        Verdict::Passed => value["outcome"] = json!("passed"),
        Verdict::Flaky => value["outcome"] = json!("flaky"),
        Verdict::Failed { at, why } => {
            value["outcome"] = json!("failed");
            value["event"] = json!(at + 1);
            value["why"] = json!(why);
            if let Some(short) = &test.shortened {
                value["shortened"] = json!(subject.labels(&short.case));
                value["minimum"] = json!(short.minimality.name());
            }
        }
    }
    value
}

enum Plan<'s> {
    Given(Vec<TestCase>),
    Online(Box<Online<'s>>, u64),
}

impl Plan<'_> {
    fn len(&self) -> usize {
        match self {
            Plan::Given(cases) => cases.len(),
            Plan::Online(_, count) => *count as usize,
        }
    }

    /// Executes the test with this number, counted from 0.
    fn execute(
        &mut self,
        number: usize,
        subject: &Subject,
        system: &mut dyn System,
        repeats: usize,
    ) -> Result<(TestCase, Verdict), Failure> {
        match self {
            Plan::Given(cases) => {
                let case = std::mem::take(&mut cases[number]);
                let verdict = systems::confirm(system, &subject.events, &case, repeats);
                Ok((case, verdict.map_err(Failure::new)?))
            }
            // Do not repeat the test, because an online test depends on the answers of the system
            // and on earlier tests, so a repetition may take other events.
            Plan::Online(online, _) => {
                let (events, verdict) = online.test(system).map_err(Failure::new)?;
                Ok((TestCase::from(events), verdict))
            }
        }
    }
}

fn plan<'s>(
    arguments: &Test,
    subject: &'s Subject,
    space: Option<&'s Space>,
) -> Result<Plan<'s>, Failure> {
    let Some(count) = arguments.online else {
        let file = arguments.tests.as_deref().unwrap_or_default();
        let mut cases = earlier_failures(arguments, subject)?;
        for case in subject.cases(&read_tests(file)?, file)? {
            if !cases.contains(&case) {
                cases.push(case);
            }
        }
        return Ok(Plan::Given(cases));
    };
    let space = space.filter(|space| !space.truncated()).ok_or_else(|| {
        Failure::new("--online: the model has more states than were explored").hint("raise --limit")
    })?;
    let online = Online::new(space, &subject.events, arguments.seed, arguments.length);
    Ok(Plan::Online(Box::new(online), count))
}

fn earlier_failures(arguments: &Test, subject: &Subject) -> Result<Vec<TestCase>, Failure> {
    let Some(file) = arguments.failures.as_deref().filter(|file| Path::new(file).exists()) else {
        return Ok(Vec::new());
    };
    let labels = read_tests(file)?;
    let all = labels.len();
    let known = labels.into_iter().filter_map(|test| subject.cases(&[test], file).ok());
    let is_allowed = |case: &TestCase| match subject.space() {
        Some(space) => systems::allowed(space, &case.events),
        None => true,
    };
    let cases: Vec<TestCase> = known.flatten().filter(is_allowed).collect();
    if cases.len() < all {
        let dropped = terminal::plural(all - cases.len(), "test");
        terminal::note(&format!(
            "{file}: left out {dropped} with events that are unknown or not allowed by the model"
        ));
    }
    Ok(cases)
}

fn keep_failures(file: &str, subject: &Subject, failing: &[TestCase]) -> Result<(), Failure> {
    let event = |event: EventId| json!(subject.events.get(event));
    let mut kept: Vec<String> = Vec::new();
    for case in failing {
        let happens = case.events.iter().map(|&happened| event(happened));
        let refused = case.refused.map(|refused| json!({"refused": event(refused)}));
        let line = Value::from_iter(happens.chain(refused)).to_string();
        if !kept.contains(&line) {
            kept.push(line);
        }
    }
    write(file, &format!("[\n{}\n]\n", kept.join(",\n")))
}

#[derive(Default)]
struct Results {
    not_passed: usize,
    flaky: usize,
    json: Vec<Value>,
    /// The results as lines of the file that `catherd sequences risk` reads.
    lines: String,
    failing: Vec<TestCase>,
    goals: BTreeMap<String, Goal>,
}

impl Results {
    fn add(&mut self, subject: &Subject, number: usize, executed: &Executed, as_json: bool) {
        self.not_passed += usize::from(executed.verdict != Verdict::Passed);
        self.flaky += usize::from(executed.verdict == Verdict::Flaky);
        let result = if executed.verdict == Verdict::Passed { "passed" } else { "failed" };
        let happened = labels(subject, &executed.case.events);
        let _ = writeln!(self.lines, "{}", result.to_owned() + "," + &output::line(&happened));
        if executed.verdict != Verdict::Passed {
            self.failing.push(
                executed.shortened.as_ref().map_or(&executed.case, |short| &short.case).clone(),
            );
        }
        match as_json {
            true => self.json.push(to_json(subject, number, executed)),
            false => terminal::print(&tap(subject, number, executed)),
        }
    }

    /// Returns the number of new goals.
    fn reach(&mut self, number: usize, goals: BTreeSet<String>) -> usize {
        let before = self.goals.len();
        for goal in goals {
            let known = self.goals.entry(goal).or_insert(Goal { tests: 0, first: number });
            known.tests += 1;
        }
        self.goals.len() - before
    }
}

pub(crate) fn test(arguments: &Test) -> Result<Exit, Failure> {
    let subject = arguments.settings.open(&arguments.model)?;
    let mut plan = plan(arguments, &subject, subject.space())?;
    let mut system = system(arguments)?;
    let count = plan.len();
    if !arguments.json {
        terminal::print(&format!("TAP version 14\n1..{count}\n"));
    }
    let mut results = Results { lines: "result,test\n".to_owned(), ..Results::default() };
    for number in 0..count {
        let (case, verdict) = plan.execute(number, &subject, &mut *system, arguments.confirm)?;
        let new_goals = results.reach(number + 1, system.take_reached());
        let mut executed = Executed { case, verdict, shortened: None, new_goals };
        if let (true, Verdict::Failed { .. }, Some(space)) =
            (arguments.shrink, &executed.verdict, subject.space())
        {
            let short = systems::shorten(
                &mut *system,
                &subject.events,
                space,
                &executed.case,
                MAX_SHORTENING,
            );
            executed.shortened = Some(short.map_err(Failure::new)?);
            // Discard the goals that shorter tests reached, so that they are not counted for the
            // next test.
            system.take_reached();
        }
        results.add(&subject, number + 1, &executed, arguments.json);
    }
    let coverage = match &plan {
        Plan::Given(_) => None,
        Plan::Online(online, _) => Some(online.coverage()),
    };
    if arguments.json {
        let goals = results.goals.iter();
        let goals: Vec<Value> = goals
            .map(|(name, goal)| json!({"goal": name, "tests": goal.tests, "first": goal.first}))
            .collect();
        let value = json!({"tests": count, "failed": results.not_passed - results.flaky,
                           "flaky": results.flaky, "transitions": coverage,
                           "system_goals": goals, "results": results.json});
        terminal::print(&(value.to_string() + "\n"));
    } else {
        if let Some(share) = coverage {
            let share = 100.0 * share;
            terminal::note(&format!("the tests took {share:.1} % of the transitions"));
        }
        if !results.goals.is_empty() {
            let goals = terminal::plural(results.goals.len(), "goal");
            terminal::note(&format!("the tests reached {goals} of the system"));
        }
    }
    if let Some(file) = &arguments.results {
        write(file, &results.lines)?;
    }
    if let Some(file) = &arguments.failures {
        keep_failures(file, &subject, &results.failing)?;
    }
    Ok(if results.not_passed > 0 { Exit::Incomplete } else { Exit::Success })
}

fn labels(subject: &Subject, test: &[EventId]) -> Vec<String> {
    test.iter().map(|&event| subject.label(event)).collect()
}
