//! Minimisation of tests for the final suite (Whisker paper, section 5.4).

use std::time::Duration;

use catherd_scratch_suite::event::Event;
use catherd_search::{Clock, Stream, Test};

#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Candidate {
    /// Recorded events. A wait of one step follows each of them.
    pub(crate) events: Vec<Event>,
    pub(crate) length: usize,
    /// The covered goals, ascending.
    pub(crate) covered: Vec<u32>,
}

impl Candidate {
    pub(crate) fn new(events: Vec<Event>, test: &impl Test) -> Self {
        let goals = test.fitness().iter().zip(0..);
        let covered = goals.filter(|(fitness, _)| **fitness == 0.0).map(|(_, goal)| goal);
        Self { events, length: test.length(), covered: covered.collect() }
    }
}

/// Executes recorded events, even if an extractor would not list them.
pub(crate) trait Replayer {
    fn covers(&mut self, events: &[Event], goal: u32) -> bool;
    /// Returns all goals that these events cover, in ascending order.
    fn covered(&mut self, events: &[Event]) -> Vec<u32>;
}

#[derive(Clone, Copy)]
pub(crate) struct Minimisation<'a> {
    /// Whether events are removed. If not, tests remain as the search created them.
    pub(crate) enabled: bool,
    /// Number of executions, for all tests together, after which no more events are removed; `None`
    /// for no limit.
    pub(crate) limit: Option<u64>,
    /// A clock, and the time at which the removal of events stops; `None` for no limit. With a
    /// limit, suites depend on the computer.
    pub(crate) deadline: Option<(&'a dyn Clock, Duration)>,
    pub(crate) group: usize,
}

#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Minimised {
    pub(crate) tests: Vec<Candidate>,
    /// Number of tests by which the suite is smaller than the archive.
    pub(crate) removed_tests: u64,
    pub(crate) removed_events: u64,
    pub(crate) removed_codons: u64,
    pub(crate) executions: u64,
}

impl Minimisation<'_> {
    /// Chooses tests that together cover all goals that the archive covers, and minimises them if
    /// this is enabled. `order` lists all goals, deepest first, because a test that covers a deep
    /// goal usually covers the goals on the way to this goal as well.
    pub(crate) fn suite(
        self,
        archive: Vec<Candidate>,
        order: &[u32],
        replayer: &mut impl Replayer,
        rng: &mut Stream,
    ) -> Minimised {
        let goals = order.iter().copied().max().map_or(0, |goal| goal as usize + 1);
        let mut covering: Vec<Vec<usize>> = vec![Vec::new(); goals];
        for (position, test) in archive.iter().enumerate() {
            for &goal in &test.covered {
                covering[goal as usize].push(position);
            }
        }
        let mut suite = if self.enabled {
            self.minimal(&archive, &covering, order, replayer, rng)
        } else {
            smallest(&archive, &covering)
        };
        suite.removed_tests = (archive.len() as u64).saturating_sub(suite.tests.len() as u64);
        suite
    }

    fn minimal(
        self,
        archive: &[Candidate],
        covering: &[Vec<usize>],
        order: &[u32],
        replayer: &mut impl Replayer,
        rng: &mut Stream,
    ) -> Minimised {
        let mut suite = Minimised::default();
        let mut done = vec![false; covering.len()];
        for &goal in order {
            let tests = &covering[goal as usize];
            if done[goal as usize] || tests.is_empty() {
                continue;
            }
            let mut test = archive[*rng.pick(tests)].clone();
            let before = test.events.len();
            let mut executions = suite.executions;
            let limit = self.limit.unwrap_or(u64::MAX);
            minimise(&mut test.events, |events| {
                let late = self.deadline.is_some_and(|(clock, end)| clock.now() >= end);
                (executions < limit && !late).then(|| {
                    executions += 1;
                    replayer.covers(events, goal)
                })
            });
            suite.executions = executions;
            let removed = before - test.events.len();
            if removed > 0 {
                test.covered = replayer.covered(&test.events);
                suite.executions += 1;
                // Subtract the codon group of each removed event. The rest of the chromosome, which
                // was never executed, remains.
                let codons = (removed * self.group).min(test.length.saturating_sub(self.group));
                test.length -= codons;
                suite.removed_events += removed as u64;
                suite.removed_codons += codons as u64;
            }
            for &covered in &test.covered {
                done[covered as usize] = true;
            }
            suite.tests.push(test);
        }
        suite
    }
}

/// Removes events one by one, later events first, if the rest `holds`, and starts again after each
/// removal. At least one event remains, because a test without events would run no step.
fn minimise(events: &mut Vec<Event>, mut holds: impl FnMut(&[Event]) -> Option<bool>) {
    let mut shorter = Vec::with_capacity(events.len());
    'pass: while events.len() > 1 {
        for left_out in (0..events.len()).rev() {
            shorter.clear();
            shorter.extend_from_slice(&events[..left_out]);
            shorter.extend_from_slice(&events[left_out + 1..]);
            match holds(&shorter) {
                Some(true) => {
                    events.remove(left_out);
                    continue 'pass;
                }
                Some(false) => {}
                None => return,
            }
        }
        return;
    }
}

/// Chooses tests without changing them: first each test that covers a goal that no other test
/// covers, then for each remaining goal the shortest test.
fn smallest(archive: &[Candidate], covering: &[Vec<usize>]) -> Minimised {
    let mut suite = Minimised::default();
    let mut done = vec![false; covering.len()];
    for needed in [true, false] {
        for (goal, tests) in covering.iter().enumerate() {
            let shortest = tests.iter().min_by_key(|&&test| archive[test].length);
            let Some(&test) = shortest.filter(|_| !done[goal] && (!needed || tests.len() == 1))
            else {
                continue;
            };
            for &covered in &archive[test].covered {
                done[covered as usize] = true;
            }
            suite.tests.push(archive[test].clone());
        }
    }
    suite
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A replayer whose goals are covered by waits: goal g needs a wait of g + 1 steps anywhere
    /// after a wait of 50 + g steps.
    struct Waits {
        replays: u64,
    }

    impl Replayer for Waits {
        fn covers(&mut self, events: &[Event], goal: u32) -> bool {
            self.replays += 1;
            let at = |steps| events.iter().position(|&e| e == Event::Wait { steps });
            let last = |steps| events.iter().rposition(|&e| e == Event::Wait { steps });
            at(50 + goal).zip(last(goal + 1)).is_some_and(|(first, second)| first < second)
        }

        fn covered(&mut self, events: &[Event]) -> Vec<u32> {
            (0..3).filter(|&goal| self.covers(events, goal)).collect()
        }
    }

    fn candidate(waits: &[u32]) -> Candidate {
        let events: Vec<_> = waits.iter().map(|&steps| Event::Wait { steps }).collect();
        let covered = Waits { replays: 0 }.covered(&events);
        Candidate { length: events.len() * 2, events, covered }
    }

    const ON: Minimisation = Minimisation { enabled: true, limit: None, deadline: None, group: 2 };

    #[test]
    fn no_event_of_a_minimised_test_can_be_removed() {
        let archive = vec![candidate(&[9, 50, 52, 9, 50, 3, 1, 1, 9])];
        assert_eq!(archive[0].covered, [0, 2]);
        let mut replayer = Waits { replays: 0 };
        let suite = ON.suite(archive, &[2, 1, 0], &mut replayer, &mut Stream::new(1, 0));
        assert_eq!(suite.tests.len(), 2, "goal 0 is lost with goal 2's test and comes back");
        for (test, goal) in suite.tests.iter().zip([2, 0]) {
            assert!(replayer.covers(&test.events, goal));
            for left_out in 0..test.events.len() {
                let mut shorter = test.events.clone();
                shorter.remove(left_out);
                assert!(!replayer.covers(&shorter, goal));
            }
        }
        assert_eq!(suite.removed_events, 14);
        assert_eq!(suite.removed_codons, 28);
        assert_eq!(suite.removed_tests, 0);
    }

    #[test]
    fn tests_of_deep_goals_cover_the_goals_on_the_way() {
        let archive = vec![candidate(&[50, 1]), candidate(&[50, 51, 1, 2, 1])];
        let order = [1, 0, 2];
        let mut rng = Stream::new(1, 0);
        let off = Minimisation { limit: Some(0), ..ON };
        let suite = off.suite(archive.clone(), &order, &mut Waits { replays: 0 }, &mut rng);
        assert_eq!(suite.tests, [archive[1].clone()]);
        assert_eq!((suite.removed_tests, suite.executions), (1, 0));
    }

    #[test]
    fn the_last_event_is_never_removed() {
        let mut events = vec![Event::WAIT; 3];
        minimise(&mut events, |_| Some(true));
        assert_eq!(events.len(), 1);
    }

    #[test]
    fn removal_stops_when_the_budget_is_spent() {
        let archive = vec![candidate(&[9, 9, 9, 50, 1])];
        let mut replayer = Waits { replays: 0 };
        let bounded = Minimisation { limit: Some(3), ..ON };
        let suite = bounded.suite(archive, &[0], &mut replayer, &mut Stream::new(1, 0));
        assert_eq!(suite.tests[0].events.len(), 4, "one of three replays removed an event");
        assert_eq!(suite.executions, 4, "and one more found what the test covers");
    }

    #[test]
    fn removal_stops_at_the_deadline() {
        struct Seconds(std::cell::Cell<u64>);

        impl Clock for Seconds {
            fn now(&self) -> Duration {
                self.0.set(self.0.get() + 1);
                Duration::from_secs(self.0.get())
            }
        }

        let archive = vec![candidate(&[9, 9, 9, 50, 1])];
        let clock = Seconds(std::cell::Cell::new(0));
        let bounded = Minimisation { deadline: Some((&clock, Duration::from_secs(4))), ..ON };
        let mut replayer = Waits { replays: 0 };
        let suite = bounded.suite(archive, &[0], &mut replayer, &mut Stream::new(1, 0));
        assert_eq!(suite.tests[0].events.len(), 4, "three looks at the clock, one removal");
    }

    #[test]
    fn without_minimisation_needed_tests_come_first_and_then_short_ones() {
        let archive = vec![candidate(&[9, 50, 1, 51, 2]), candidate(&[51, 2]), candidate(&[52, 3])];
        let off = Minimisation { enabled: false, ..ON };
        let mut replayer = Waits { replays: 0 };
        let suite = off.suite(archive, &[0, 1, 2], &mut replayer, &mut Stream::new(1, 0));
        let lengths: Vec<_> = suite.tests.iter().map(|t| t.length).collect();
        assert_eq!(lengths, [10, 4], "goals 0 and 2 have one test each");
        assert_eq!(suite.removed_tests, 1);
        assert_eq!(replayer.replays, 0);
    }
}
