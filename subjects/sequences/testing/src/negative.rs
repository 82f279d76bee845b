//! Negative tests: tests that end with an event which the system has to refuse.

use std::collections::BTreeMap;

use catherd_search::Stream;

use crate::events::EventId;
use crate::space::Space;
use crate::streams::NEGATIVE;

/// The beginning of the label of an event that the system has to refuse.
const MARK: char = '!';

/// A test with the event that the system has to refuse behind it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Case {
    /// The events that happen.
    pub events: Vec<EventId>,
    /// The event behind them that must not happen; `None` of a test that is not negative.
    pub refused: Option<EventId>,
}

impl From<Vec<EventId>> for Case {
    fn from(events: Vec<EventId>) -> Case {
        Case { events, refused: None }
    }
}

/// The label of an event that the system has to refuse, of an event's label.
pub(crate) fn refused(label: &str) -> String {
    format!("{MARK}{label}")
}

/// The label of the event that is marked as one that the system has to refuse; `None` if the label
/// has no mark.
pub fn unmarked(label: &str) -> Option<&str> {
    label.strip_prefix(MARK)
}

/// A negative test for each test that has one: a beginning of the test, and an event that the model
/// does not allow in the state behind it. Each is a pair of a state and an event that the fewest
/// earlier ones have, and of those one with the event that the fewest have; a random one of several.
/// States whose edges are not known, because the space is truncated, have none.
pub fn negatives(space: &Space, events: usize, tests: &[Vec<EventId>], seed: u64) -> Vec<Case> {
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
        found.push(Case { events: test[..position].to_vec(), refused: Some(event) });
    }
    found
}
