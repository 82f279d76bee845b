//! Counts failed attempts by algorithm and reason.

use std::collections::{BTreeMap, BTreeSet};

use catherd_experiments::text::truncated;

use crate::ids::{GroupNumber, RunNumber};

/// Failures with further pairs of an algorithm and a reason are not counted.
const MAX_REASONS: usize = 200;

const MAX_REASON_BYTES: usize = 500;

/// Attempts of an algorithm that failed for one reason since the coordinator started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FailureCount {
    /// Label of the algorithm.
    pub label: String,
    /// Why the attempts failed.
    pub reason: String,
    /// Number of attempts.
    pub attempts: u64,
    /// Number of different runs of these attempts, at most 100.
    pub runs: usize,
    /// Number of projects of these attempts.
    pub projects: usize,
    /// Number of runs of the algorithm that ended without an error since the coordinator started.
    pub done: u64,
}

const MAX_RUNS: usize = 100;

#[derive(Debug)]
struct Failures {
    label: String,
    reason: String,
    attempts: u64,
    runs: BTreeSet<RunNumber>,
    groups: BTreeSet<GroupNumber>,
}

#[derive(Debug, Default)]
pub(crate) struct FailureCounts {
    /// The failures, in the order in which their reasons first occurred.
    counts: Vec<Failures>,
    done: BTreeMap<String, u64>,
}

impl FailureCounts {
    pub(crate) fn add(&mut self, label: &str, run: RunNumber, group: GroupNumber, reason: &str) {
        let reason = truncated(reason, MAX_REASON_BYTES);
        let known = self.counts.iter().position(|one| one.label == label && one.reason == reason);
        let at = match known {
            Some(at) => at,
            None if self.counts.len() < MAX_REASONS => {
                self.counts.push(Failures {
                    label: label.to_owned(),
                    reason: reason.into_owned(),
                    attempts: 0,
                    runs: BTreeSet::new(),
                    groups: BTreeSet::new(),
                });
                self.counts.len() - 1
            }
            None => return,
        };
        let failures = &mut self.counts[at];
        failures.attempts += 1;
        failures.groups.insert(group);
        if failures.runs.len() < MAX_RUNS {
            failures.runs.insert(run);
        }
    }

    pub(crate) fn note_done(&mut self, label: &str) {
        match self.done.get_mut(label) {
            Some(count) => *count += 1,
            None => drop(self.done.insert(label.to_owned(), 1)),
        }
    }

    pub(crate) fn snapshot(&self) -> Vec<FailureCount> {
        let counts = self.counts.iter().map(|one| FailureCount {
            label: one.label.clone(),
            reason: one.reason.clone(),
            attempts: one.attempts,
            runs: one.runs.len(),
            projects: one.groups.len(),
            done: self.done.get(&one.label).copied().unwrap_or_default(),
        });
        counts.collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_counted_by_algorithm_and_reason() {
        let mut counts = FailureCounts::default();
        counts.note_done("a");
        for (run, group) in [(0, 0), (7, 1), (7, 1)] {
            counts.add("a", run, group, "no result");
        }
        counts.add("b", 8, 2, "no result");
        counts.add("a", 9, 3, &"x".repeat(1000));
        let found = counts.snapshot();
        let of = |number: usize| {
            let FailureCount { label, attempts, runs, projects, done, .. } = &found[number];
            (label.as_str(), *attempts, *runs, *projects, *done)
        };
        assert_eq!(
            [of(0), of(1), of(2)],
            [("a", 3, 2, 2, 1), ("b", 1, 1, 1, 0), ("a", 1, 1, 1, 1)]
        );
        assert!(found[2].reason.ends_with("x ... (500 more bytes)"));
        for number in 0..2 * MAX_REASONS {
            counts.add("a", 0, 0, &number.to_string());
        }
        assert_eq!(counts.snapshot().len(), MAX_REASONS);
    }
}
