//! Shorter tests that fail for the same reason.

use crate::events::{EventId, Events};
use crate::negative::TestCase;
use crate::space::Space;

use super::{CommandError, System, Verdict, after, execute_case};

/// Maximum number of shorter tests of the model that are listed in order to execute them all.
const MAX_SHORTER_TESTS: usize = 500;

/// The result of [`shorten`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shortened {
    /// The shortened test, or the original test if it was not shortened.
    pub case: TestCase,
    /// What is known about the length of the test.
    pub minimality: Minimality,
}

/// What is known about the length of a shortened test.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Minimality {
    /// No shorter test of the model fails for the same reason.
    Shortest,
    /// No event and no sequence of adjacent events can be left out. Other tests may be shorter.
    Local,
    /// The limit of executions was reached, or the test did not fail again: more events may be
    /// superfluous.
    Unfinished,
}

impl Minimality {
    /// The words that reports use.
    pub const fn name(self) -> &'static str {
        match self {
            Minimality::Shortest => "shortest test of the model",
            Minimality::Local => "local minimum",
            Minimality::Unfinished => "not known",
        }
    }
}

/// Searches for a shorter test that the model allows and that fails for the same reason. The test
/// itself and at most `tries` other tests are executed.
///
/// # Errors
///
/// If the system cannot be used.
pub fn shorten(
    system: &mut dyn System,
    events: &Events,
    space: &Space,
    case: &TestCase,
    tries: usize,
) -> Result<Shortened, CommandError> {
    let Verdict::Failed { at, why } = execute_case(system, events, case)? else {
        // Return the test as it is, because it did not fail again.
        return Ok(Shortened { case: case.clone(), minimality: Minimality::Unfinished });
    };
    let refused = case.refused.filter(|_| at == case.events.len());
    let mut failure = Failure { system, events, space, refused, why, left: tries };
    let mut best = case.events[..(at + 1).min(case.events.len())].to_vec();
    let is_local = failure.remove_parts(&mut best)?;
    let minimality = match shorter_tests(space, best.len()) {
        _ if !is_local => Minimality::Unfinished,
        Some(tests) if tests.len() <= failure.left => {
            for test in tests {
                if let Some(shortest) = failure.of(test)? {
                    best = shortest;
                    break;
                }
            }
            Minimality::Shortest
        }
        _ => Minimality::Local,
    };
    Ok(Shortened { case: TestCase { events: best, refused }, minimality })
}

struct Failure<'f> {
    system: &'f mut dyn System,
    events: &'f Events,
    space: &'f Space,
    /// The event that the system accepts, although the model does not allow it.
    refused: Option<EventId>,
    why: String,
    /// Number of tests that may still be executed.
    left: usize,
}

impl Failure<'_> {
    /// Returns the events up to the failure if the test fails for the same reason.
    fn of(&mut self, test: Vec<EventId>) -> Result<Option<Vec<EventId>>, CommandError> {
        if !self.is_allowed(&test) {
            return Ok(None);
        }
        self.left = self.left.saturating_sub(1);
        let mut case = TestCase { events: test, refused: self.refused };
        match execute_case(self.system, self.events, &case)? {
            Verdict::Failed { at, why }
                if why == self.why && (self.refused.is_none() || at == case.events.len()) =>
            {
                case.events.truncate(at + 1);
                Ok(Some(case.events))
            }
            _ => Ok(None),
        }
    }

    fn is_allowed(&self, test: &[EventId]) -> bool {
        match (self.refused, after(self.space, test)) {
            (_, None) => false,
            (None, Some(_)) => !test.is_empty(),
            (Some(event), Some(state)) => {
                self.space.is_explored(state) && self.space.step(state, event).is_none()
            }
        }
    }

    /// Removes parts of adjacent events, long parts first, until no part can be removed. Returns
    /// false at the limit of executions.
    fn remove_parts(&mut self, best: &mut Vec<EventId>) -> Result<bool, CommandError> {
        let mut parts = best.len();
        while parts >= 1 {
            let mut improved = false;
            for from in 0..(best.len() + 1).saturating_sub(parts) {
                if self.left == 0 {
                    return Ok(false);
                }
                let mut shorter = best.clone();
                shorter.drain(from..from + parts);
                if let Some(failing) = self.of(shorter)? {
                    *best = failing;
                    improved = true;
                    break;
                }
            }
            parts = if improved { best.len().saturating_sub(1) } else { parts - 1 };
        }
        Ok(true)
    }
}

/// All tests of a model with fewer events than `length`, the shortest first.
fn shorter_tests(space: &Space, length: usize) -> Option<Vec<Vec<EventId>>> {
    let mut all = Vec::new();
    let mut longest: Vec<(u32, Vec<EventId>)> = vec![(0, Vec::new())];
    for _ in 0..length {
        if longest.iter().any(|(state, _)| !space.is_explored(*state)) {
            return None;
        }
        all.extend(longest.iter().map(|(_, test)| test.clone()));
        if all.len() > MAX_SHORTER_TESTS {
            return None;
        }
        let mut longer = Vec::new();
        for (state, test) in &longest {
            for edge in space.edges(*state) {
                longer.push((edge.target, [&test[..], &[edge.event]].concat()));
            }
            if longer.len() > MAX_SHORTER_TESTS {
                // Do not continue, because either there are too many tests, or this was the last
                // round, whose longer tests are not needed.
                break;
            }
        }
        longest = longer;
    }
    Some(all)
}
