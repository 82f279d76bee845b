//! Results of mutants, and scores of suites.

use catherd_scratch_suite::Failure;
use rustc_hash::FxHashMap;

use crate::mutant::Mutant;
use crate::operator::Operator;

/// Outcome of a mutant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum MutantOutcome {
    /// A test that passes on the original fails.
    Killed,
    /// All executed tests pass.
    Survived,
    /// A test reached a limit before any test failed, or the mutant cannot be compiled.
    Limit,
    /// No test that passes on the original can notice the change.
    NotCovered,
    /// The mutant cannot behave differently from the original.
    Equivalent,
}

/// Result of a mutant.
#[derive(Clone, Debug, PartialEq)]
pub struct MutantResult<F = Failure> {
    /// The outcome.
    pub outcome: MutantOutcome,
    /// The tests that failed, in ascending order.
    pub kills: Vec<Kill<F>>,
    /// Number of tests executed on the mutant.
    pub executions: u32,
    pub(super) fingerprint: Option<u64>,
}

/// A test that failed on a mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill<F = Failure> {
    /// Position of the test in the suite.
    pub test: u32,
    /// The reason for the failure.
    pub failure: F,
}

impl<F> MutantResult<F> {
    pub(super) fn unexecuted(outcome: MutantOutcome) -> Self {
        Self { outcome, kills: Vec::new(), executions: 0, fingerprint: None }
    }

    pub(super) fn kill(&mut self, test: u32, failure: F) {
        self.outcome = MutantOutcome::Killed;
        self.kills.push(Kill { test, failure });
    }
}

/// For each executed mutant, the number of the first executed mutant that is the same program, if
/// it is an earlier one; `None` for other mutants.
pub fn duplicates<F>(results: &[MutantResult<F>]) -> Vec<Option<usize>> {
    let mut first = FxHashMap::default();
    let original = results.iter().enumerate().map(|(number, result)| {
        let original = *first.entry(result.fingerprint?).or_insert(number);
        (original != number).then_some(original)
    });
    original.collect()
}

/// Counts of mutants by outcome.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Number of mutants with [`MutantOutcome::Killed`].
    pub killed: u64,
    /// Number of mutants with [`MutantOutcome::Survived`].
    pub survived: u64,
    /// Number of mutants with [`MutantOutcome::Limit`].
    pub limit: u64,
    /// Number of mutants with [`MutantOutcome::NotCovered`].
    pub not_covered: u64,
    /// Number of mutants with [`MutantOutcome::Equivalent`].
    pub equivalent: u64,
    /// Number of executed mutants that are the same program as an earlier executed mutant. They are
    /// also included in the other counts.
    pub duplicates: u64,
}

impl Tally {
    /// Counts the mutants of an operator, or of all operators for `None`.
    pub fn of<F>(
        mutants: &[Mutant],
        results: &[MutantResult<F>],
        operator: Option<Operator>,
    ) -> Self {
        let mut tally = Self::default();
        let all = mutants.iter().zip(results).zip(duplicates(results));
        for ((mutant, result), duplicate) in all {
            if operator.is_some_and(|operator| operator != mutant.operator) {
                continue;
            }
            *match result.outcome {
                MutantOutcome::Killed => &mut tally.killed,
                MutantOutcome::Survived => &mut tally.survived,
                MutantOutcome::Limit => &mut tally.limit,
                MutantOutcome::NotCovered => &mut tally.not_covered,
                MutantOutcome::Equivalent => &mut tally.equivalent,
            } += 1;
            tally.duplicates += u64::from(duplicate.is_some());
        }
        tally
    }

    /// Number of all mutants, including equivalent mutants and duplicates.
    pub fn mutants(&self) -> u64 {
        self.killed + self.survived + self.limit + self.not_covered + self.equivalent
    }

    /// The mutation score of the Whisker paper: the share of killed mutants among all mutants, in
    /// 0..=1; `None` without mutants.
    pub fn score(&self) -> Option<f64> {
        share(self.killed, self.mutants())
    }

    /// The share of killed mutants among the mutants that were killed, survived or reached a limit,
    /// in 0..=1; `None` if there are no such mutants.
    pub fn score_of_covered(&self) -> Option<f64> {
        share(self.killed, self.killed + self.survived + self.limit)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
