//! `catherd sequences test`: executes tests on a system.

use std::fmt::Write as _;
use std::time::Duration;

use catherd_sequences::systems::{self, Online, System, Verdict};
use catherd_sequences::{Case, EventId, Space};
use clap::Args;
use serde_json::{Value, json};

use super::{Settings, Subject, read_tests, up_to, write};
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Tests that are executed at most to shorten one.
const SHORTENING: usize = 10_000;

/// Executes tests on a system and prints the results as TAP.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd sequences test builtin:abp suite.json --system abp --bug abp-1 --shrink
  catherd sequences test login.bp suite.json --command 'python3 adapter.py'
  catherd sequences test login.bp --online 20 --command 'python3 adapter.py'

An adapter reads JSON lines, {\"reset\": true} and {\"event\": \"send\", \"fields\": {}}, and answers
each with {\"ok\": true}, {\"ok\": false, \"why\": \"...\"} or {\"skip\": true}. With --online it may add
which events come next: {\"ok\": true, \"next\": [\"sAck\", \"sNak\"]}.

An event with a mark, !send, as the last of its test has to be refused: answered with {\"ok\": false}.

Exit codes: 0 if all tests pass, 2 if one does not, 1 if they cannot be executed.")]
pub(crate) struct Test {
    /// Model: a file, or builtin:NAME
    #[arg(value_name = "MODEL")]
    model: String,

    /// File of tests
    #[arg(value_name = "TESTS", required_unless_present = "online")]
    tests: Option<String>,

    #[command(flatten)]
    settings: Settings,

    /// Built-in system: abp or moodle
    #[arg(long, value_name = "NAME", required_unless_present = "command")]
    system: Option<String>,

    /// Fault of the built-in system
    #[arg(long, value_name = "NAME", conflicts_with = "command")]
    bug: Option<String>,

    /// Program with arguments that answers events
    #[arg(long, value_name = "PROGRAM", conflicts_with = "system")]
    command: Option<String>,

    /// Make N tests while they are executed: each event is chosen from what the system answered to
    /// the one before, and of several the one that was taken least often
    #[arg(long, value_name = "N", conflicts_with = "tests")]
    online: Option<u64>,

    /// Seed of the choices of --online
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    seed: u64,

    /// Longest test of --online in events
    #[arg(long, value_name = "N", default_value_t = catherd_sequences::DEFAULT_LENGTH, value_parser = up_to(10_000_000))]
    length: usize,

    /// Longest answer to an event in milliseconds
    #[arg(long, value_name = "MS", default_value_t = 10_000)]
    event_ms: u64,

    /// Repetitions of a failing test; different results are flaky
    #[arg(long, value_name = "N", default_value_t = 3)]
    confirm: usize,

    /// Shorten failing tests within the model
    #[arg(long)]
    shrink: bool,

    /// Write a line for each test, passed or failed and its events, as `risk` reads them
    #[arg(long, value_name = "FILE")]
    results: Option<String>,

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

/// An executed test.
struct Executed {
    case: Case,
    verdict: Verdict,
    /// The shortest test with the same failure.
    shortest: Option<Case>,
}

/// The lines of a result of TAP.
fn tap(subject: &Subject, number: usize, test: &Executed) -> String {
    match &test.verdict {
        Verdict::Passed => format!("ok {number}\n"),
        Verdict::Flaky => format!("not ok {number} # flaky\n"),
        Verdict::Failed { at, why } => {
            let mut text = format!("not ok {number} - {why}\n  ---\n  event: {}\n", at + 1);
            if let Some(short) = &test.shortest {
                let _ = writeln!(text, "  shortest: {}", subject.labels(short).join(", "));
            }
            text + "  ...\n"
        }
    }
}

fn to_json(subject: &Subject, number: usize, test: &Executed) -> Value {
    let mut value = json!({"test": number, "events": subject.labels(&test.case)});
    match &test.verdict {
        Verdict::Passed => value["outcome"] = json!("passed"),
        Verdict::Flaky => value["outcome"] = json!("flaky"),
        Verdict::Failed { at, why } => {
            value["outcome"] = json!("failed");
            value["event"] = json!(at + 1);
            value["why"] = json!(why);
            if let Some(short) = &test.shortest {
                value["shortest"] = json!(subject.labels(short));
            }
        }
    }
    value
}

/// Tests and how they are executed.
enum Plan<'s> {
    Given(Vec<Case>),
    Online(Box<Online<'s>>, u64),
}

impl Plan<'_> {
    fn len(&self) -> usize {
        match self {
            Plan::Given(cases) => cases.len(),
            Plan::Online(_, count) => *count as usize,
        }
    }

    /// Executes the test with a number from 0.
    fn execute(
        &mut self,
        number: usize,
        subject: &Subject,
        system: &mut dyn System,
        repeats: usize,
    ) -> Result<(Case, Verdict), Failure> {
        match self {
            Plan::Given(cases) => {
                let case = std::mem::take(&mut cases[number]);
                let verdict = systems::confirm(system, &subject.events, &case, repeats);
                Ok((case, verdict.map_err(Failure::new)?))
            }
            // What the system does is not decided by the test alone, so that it is not repeated.
            Plan::Online(online, _) => {
                let (events, verdict) = online.test(system).map_err(Failure::new)?;
                Ok((Case::from(events), verdict))
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
        return Ok(Plan::Given(subject.cases(&read_tests(file)?, file)?));
    };
    let space = space.filter(|space| !space.truncated()).ok_or_else(|| {
        Failure::new("--online: the model has more states than were explored").hint("raise --limit")
    })?;
    let online = Online::new(space, &subject.events, arguments.seed, arguments.length);
    Ok(Plan::Online(Box::new(online), count))
}

pub(crate) fn test(arguments: &Test) -> Result<Exit, Failure> {
    let subject = arguments.settings.open(&arguments.model)?;
    let mut plan = plan(arguments, &subject, subject.space())?;
    let mut system = system(arguments)?;
    let count = plan.len();
    if !arguments.json {
        terminal::print(&format!("TAP version 14\n1..{count}\n"));
    }
    let (mut bad, mut flaky) = (0, 0);
    let (mut results, mut lines) = (Vec::new(), "result,test\n".to_owned());
    for number in 0..count {
        let (case, verdict) = plan.execute(number, &subject, &mut *system, arguments.confirm)?;
        let mut executed = Executed { case, verdict, shortest: None };
        bad += usize::from(executed.verdict != Verdict::Passed);
        flaky += usize::from(executed.verdict == Verdict::Flaky);
        if let (true, Verdict::Failed { .. }, Some(space)) =
            (arguments.shrink, &executed.verdict, subject.space())
        {
            let short =
                systems::shorten(&mut *system, &subject.events, space, &executed.case, SHORTENING);
            executed.shortest = Some(short.map_err(Failure::new)?);
        }
        let result = if executed.verdict == Verdict::Passed { "passed" } else { "failed" };
        let happened = labels(&subject, &executed.case.events);
        let _ = writeln!(lines, "{}", [vec![result.to_owned()], happened].concat().join(","));
        match arguments.json {
            true => results.push(to_json(&subject, number + 1, &executed)),
            false => terminal::print(&tap(&subject, number + 1, &executed)),
        }
    }
    let coverage = match &plan {
        Plan::Given(_) => None,
        Plan::Online(online, _) => Some(online.coverage()),
    };
    if arguments.json {
        let value = json!({"tests": count, "failed": bad - flaky, "flaky": flaky,
                           "transitions": coverage, "results": results});
        terminal::print(&(value.to_string() + "\n"));
    } else if let Some(share) = coverage {
        terminal::note(&format!("the tests took {:.1} % of the transitions", 100.0 * share));
    }
    if let Some(file) = &arguments.results {
        write(file, &lines)?;
    }
    Ok(if bad > 0 { Exit::Incomplete } else { Exit::Success })
}

fn labels(subject: &Subject, test: &[EventId]) -> Vec<String> {
    test.iter().map(|&event| subject.label(event)).collect()
}
