//! Negative tests: tests that end with an event that the system must refuse.

use std::collections::BTreeMap;

use catherd_search::Stream;

use crate::events::EventId;
use crate::space::Space;
use crate::streams::NEGATIVE;

/// The prefix of the label of an event that the system must refuse.
const MARK: char = '!';

/// A test. It is negative if it ends with an event that the system must refuse.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TestCase {
    /// The events that happen.
    pub events: Vec<EventId>,
    /// The event after `events` that the system must refuse; `None` for a test that is not
    /// negative.
    pub refused: Option<EventId>,
}

impl From<Vec<EventId>> for TestCase {
    fn from(events: Vec<EventId>) -> TestCase {
        TestCase { events, refused: None }
    }
}

pub(crate) fn refused(label: &str) -> String {
    format!("{MARK}{label}")
}

/// Removes the mark from the label of an event that the system must refuse. Returns `None` if the
/// label has no mark.
pub fn unmarked(label: &str) -> Option<&str> {
    label.strip_prefix(MARK)
}

/// Makes a negative test from each test that allows one: a prefix of the test, followed by an event
/// that the model does not allow after the prefix. Pairs of a state and an event that are rare in
/// earlier negative tests are preferred.
pub fn negatives(space: &Space, events: usize, tests: &[Vec<EventId>], seed: u64) -> Vec<TestCase> {
    let mut stream = Stream::new(seed, NEGATIVE);
    let mut pairs: BTreeMap<(u32, EventId), u32> = BTreeMap::new();
    let mut uses = vec![0_u32; events];
    let mut found = Vec::new();
    for test in tests {
        let (mut fewest, mut best) = ((u32::MAX, u32::MAX), Vec::new());
        let mut state = Some(0);
        for position in 0..=test.len() {
            let Some(at) = state.filter(|&at| space.is_explored(at)) else { break };
            for event in (0..events as EventId).filter(|&event| space.step(at, event).is_none()) {
                let pair = pairs.get(&(at, event)).copied().unwrap_or(0);
                let key = (pair, uses[event as usize]);
                if key < fewest {
                    fewest = key;
                    best.clear();
                }
                if key == fewest {
                    best.push((position, at, event));
                }
            }
            state = test.get(position).and_then(|&event| space.step(at, event));
        }
        if best.is_empty() {
            continue;
        }
        let &(position, state, event) = stream.pick(&best);
        *pairs.entry((state, event)).or_default() += 1;
        uses[event as usize] += 1;
        found.push(TestCase { events: test[..position].to_vec(), refused: Some(event) });
    }
    found
}
