//! Tests from the results of searches: minimised static tests, and tests with policies.

use catherd_scratch_suite::event::{Event, Vocabulary};
use catherd_scratch_suite::policy::Policy;
use catherd_scratch_suite::{SuiteEvent, SuitePolicy, SuiteTest};
use catherd_scratch_vm::Program;

use crate::reflex::Arena;

#[derive(Clone, Debug)]
pub(crate) struct PathTest {
    pub(crate) goal: u32,
    pub(crate) seed: u64,
    pub(crate) events: Vec<Event>,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Shortened {
    pub(crate) events: u64,
    pub(crate) executions: u64,
    /// Number of paths whose events do not cover their goal when they are sent again, which is a
    /// defect.
    pub(crate) unstable: u64,
}

/// Creates a test from a path, and tries to remove and merge its events with at most `limit`
/// executions after the first.
pub(crate) fn path_test(
    path: &PathTest,
    words: &Vocabulary,
    arena: &mut Arena<'_>,
    limit: u64,
    counts: &mut Shortened,
) -> Option<PathTest> {
    // The events are converted, because the arena has a different vocabulary.
    let mut events: Vec<Event> = path
        .events
        .iter()
        .filter_map(|event| SuiteEvent::new(*event, words).resolve(arena.words_mut()).ok())
        .collect();
    counts.executions += 1;
    let (sent, covers) = arena.replay(&events, path.seed, path.goal);
    if !covers {
        counts.unstable += 1;
        return None;
    }
    let before = events.len();
    events.truncate(sent.max(1));
    let mut executions = 0;
    let mut holds = |events: &[Event]| {
        executions += 1;
        arena.replay(events, path.seed, path.goal).1
    };
    let spent = &mut 0;
    remove_chunks(&mut events, limit, spent, &mut holds);
    merge(&mut events, limit, spent, &mut holds);
    counts.executions += executions;
    counts.events += (before - events.len()) as u64;
    Some(PathTest { events, ..*path })
}

/// Delta debugging (Zeller and Hildebrandt 2002): tries to remove halves, quarters and so on, down
/// to single events, from the end.
fn remove_chunks(
    events: &mut Vec<Event>,
    limit: u64,
    spent: &mut u64,
    holds: &mut impl FnMut(&[Event]) -> bool,
) {
    let mut size = events.len().div_ceil(2);
    while size > 0 {
        let mut end = events.len();
        while end > 0 && events.len() > 1 && *spent < limit {
            let start = end.saturating_sub(size);
            let mut shorter = events[..start].to_vec();
            shorter.extend_from_slice(&events[end..]);
            end = start;
            if shorter.is_empty() {
                continue;
            }
            *spent += 1;
            if holds(&shorter) {
                *events = shorter;
                end = end.min(events.len());
            }
        }
        if size == 1 {
            break;
        }
        size = size.div_ceil(2);
    }
}

/// Tries to merge neighbouring events: two waits, or two presses of the same key.
fn merge(
    events: &mut Vec<Event>,
    limit: u64,
    spent: &mut u64,
    holds: &mut impl FnMut(&[Event]) -> bool,
) {
    let mut at = 0;
    while at + 1 < events.len() && *spent < limit {
        let both = match (events[at], events[at + 1]) {
            (Event::Wait { steps: a }, Event::Wait { steps: b }) => {
                // The step after the first wait becomes a part of the wait.
                Some(Event::Wait { steps: a + b + 1 })
            }
            (Event::KeyPress { key, steps: a }, Event::KeyPress { key: other, steps: b })
                if key == other =>
            {
                Some(Event::KeyPress { key, steps: a + b + 1 })
            }
            _ => None,
        };
        if let Some(both) = both {
            let mut merged = events.clone();
            merged[at] = both;
            merged.remove(at + 1);
            *spent += 1;
            if holds(&merged) {
                *events = merged;
                continue;
            }
        }
        at += 1;
    }
}

/// Creates a static test for a suite whose seed is `seed`.
pub(crate) fn static_test(path: &PathTest, words: &Vocabulary, seed: u64) -> SuiteTest {
    SuiteTest {
        seed: Some(path.seed).filter(|own| *own != seed),
        events: path.events.iter().map(|event| SuiteEvent::new(*event, words)).collect(),
        ..SuiteTest::default()
    }
}

/// Creates a test with a policy and the seed `own` for a suite whose seed is `seed`.
pub(crate) fn policy_test(
    policy: &Policy,
    own: u64,
    words: &Vocabulary,
    program: &Program,
    seed: u64,
) -> SuiteTest {
    SuiteTest {
        seed: Some(own).filter(|own| *own != seed),
        policy: Some(SuitePolicy::new(policy, words, program)),
        ..SuiteTest::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn waits(steps: &[u32]) -> Vec<Event> {
        steps.iter().map(|&steps| Event::Wait { steps }).collect()
    }

    #[test]
    fn unneeded_events_are_removed_in_few_executions() {
        let mut events = waits(&(1..=128).collect::<Vec<_>>());
        let needed = waits(&[7, 100]);
        let mut executions = 0;
        let mut holds = |events: &[Event]| {
            executions += 1;
            needed.iter().all(|event| events.contains(event))
        };
        remove_chunks(&mut events, 1_000, &mut 0, &mut holds);
        assert_eq!(events, needed);
        assert!(executions < 40, "{executions}");
    }

    #[test]
    fn neighbours_are_merged_with_the_step_between_them() {
        let mut events = waits(&[3, 4]);
        merge(&mut events, 10, &mut 0, &mut |_| true);
        assert_eq!(events, waits(&[8]));
        let mut events = waits(&[3, 4]);
        merge(&mut events, 10, &mut 0, &mut |_| false);
        assert_eq!(events, waits(&[3, 4]));
    }

    #[test]
    fn the_limit_of_executions_ends_minimisation() {
        let mut events = waits(&[1, 2, 3, 4]);
        remove_chunks(&mut events, 0, &mut 0, &mut |_| true);
        assert_eq!(events.len(), 4);
    }
}
