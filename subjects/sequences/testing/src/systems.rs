//! Systems under test, with known faults on request.

mod abp;
mod command;
mod moodle;
mod online;
mod shorten;

use std::collections::BTreeSet;
use std::time::Duration;

use crate::events::{Event, EventId, Events};
use crate::negative::TestCase;
use crate::space::Space;

pub use command::CommandError;
pub use online::Online;
pub use shorten::{Minimality, Shortened, shorten};

/// The answer of a system to an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The event happened.
    Done,
    /// The event failed or was refused, for this reason.
    Failed(String),
    /// There is no valid answer, for this reason.
    Broken(String),
    /// The system does not know the event, or cannot execute it now; the test continues.
    Skipped,
}

/// A system to which events are sent.
pub trait System {
    /// Resets the system to its initial state.
    ///
    /// # Errors
    ///
    /// If the system cannot be used at all.
    fn reset(&mut self) -> Result<(), CommandError>;

    /// Sends an event.
    ///
    /// # Errors
    ///
    /// If the system cannot be used at all; a failure of the event is an [`Answer`].
    fn execute(&mut self, event: &Event) -> Result<Answer, CommandError>;

    /// The labels of the events that may come next, according to the system's last answer; `None`
    /// if the answer named none.
    fn next(&self) -> Option<&[String]> {
        None
    }

    /// Goals of the system itself, such as lines of its code, that answers have reported as reached
    /// since the last call to this method.
    fn take_reached(&mut self) -> BTreeSet<String> {
        BTreeSet::new()
    }
}

/// The names of the built-in systems, with the names of their faults.
pub const BUILTIN: [(&str, &[&str]); 2] =
    [("abp", &["abp-1", "abp-2", "abp-3", "abp-4"]), ("moodle", &["race"])];

/// Error for an unknown name of a built-in system or fault.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownSystem(String);

/// The built-in system with this name, and with a fault unless `fault` is `None`.
///
/// # Errors
///
/// If there is no such system or fault.
pub fn builtin(name: &str, fault: Option<&str>) -> Result<Box<dyn System>, UnknownSystem> {
    let Some((_, faults)) = BUILTIN.iter().find(|(known, _)| *known == name) else {
        let known: Vec<_> = BUILTIN.iter().map(|(name, _)| *name).collect();
        let cause = format!("unknown system `{name}`: use one of {}", known.join(", "));
        return Err(UnknownSystem(cause));
    };
    if let Some(fault) = fault.filter(|fault| !faults.contains(fault)) {
        let cause = format!("unknown fault `{fault}` of {name}: use one of {}", faults.join(", "));
        return Err(UnknownSystem(cause));
    }
    Ok(match name {
        "abp" => Box::new(abp::Protocol::new(fault)),
        _ => Box::new(moodle::Quiz::new(fault.is_some())),
    })
}

/// Starts a program that exchanges JSON messages, one per line. `limit` is the time limit for each
/// answer.
///
/// # Errors
///
/// If the program cannot be started.
pub fn command(program: &[String], limit: Duration) -> Result<Box<dyn System>, CommandError> {
    Ok(Box::new(command::Command::start(program, limit)?))
}

/// How a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The test passed.
    Passed,
    /// The test failed.
    Failed {
        /// The index of the event at which the test failed.
        at: usize,
        /// The reason.
        why: String,
    },
    /// Repetitions of the test ended differently.
    Flaky,
}

/// Executes a test.
///
/// # Errors
///
/// If the system cannot be used.
pub fn execute(
    system: &mut dyn System,
    events: &Events,
    test: &[EventId],
) -> Result<Verdict, CommandError> {
    system.reset()?;
    for (at, &event) in test.iter().enumerate() {
        if let Answer::Failed(why) | Answer::Broken(why) = system.execute(events.get(event))? {
            return Ok(Verdict::Failed { at, why });
        }
    }
    Ok(Verdict::Passed)
}

/// Executes a test that may be negative. The last event of a negative test counts as refused if the
/// system answers that the event failed, or skips the event; a missing answer is a failure.
///
/// # Errors
///
/// If the system cannot be used.
pub fn execute_case(
    system: &mut dyn System,
    events: &Events,
    case: &TestCase,
) -> Result<Verdict, CommandError> {
    let verdict = execute(system, events, &case.events)?;
    let (Verdict::Passed, Some(refused)) = (&verdict, case.refused) else { return Ok(verdict) };
    let (event, at) = (events.get(refused), case.events.len());
    Ok(match system.execute(event)? {
        Answer::Failed(_) | Answer::Skipped => Verdict::Passed,
        Answer::Broken(why) => Verdict::Failed { at, why },
        Answer::Done => {
            let why = format!("{}: accepted, but the model does not allow it", event.name);
            Verdict::Failed { at, why }
        }
    })
}

/// Executes a test, and repeats it `repeats` times if it fails. The test is flaky if a repetition
/// has a different result.
///
/// # Errors
///
/// If the system cannot be used.
pub fn confirm(
    system: &mut dyn System,
    events: &Events,
    case: &TestCase,
    repeats: usize,
) -> Result<Verdict, CommandError> {
    let first = execute_case(system, events, case)?;
    if first == Verdict::Passed {
        return Ok(first);
    }
    for _ in 0..repeats {
        if execute_case(system, events, case)? != first {
            return Ok(Verdict::Flaky);
        }
    }
    Ok(first)
}

/// Whether a model allows a sequence of events.
pub fn allowed(space: &Space, test: &[EventId]) -> bool {
    after(space, test).is_some()
}

fn after(space: &Space, test: &[EventId]) -> Option<u32> {
    test.iter().try_fold(0, |state, &event| space.step(state, event))
}

/// Whether letters contain a word: its letters follow one another directly or, if `apart` is true,
/// possibly with other letters between them.
pub fn contains<L: PartialEq>(letters: &[L], word: &[L], apart: bool) -> bool {
    if apart {
        let mut left = word;
        for letter in letters {
            if left.first() == Some(letter) {
                left = &left[1..];
            }
        }
        return left.is_empty();
    }
    word.is_empty() || letters.windows(word.len()).any(|window| window == word)
}
