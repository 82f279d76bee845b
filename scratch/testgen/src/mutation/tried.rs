//! What came of mutants, one by one and together.

use rustc_hash::FxHashMap;

use super::{Mutant, Operator, Outcome};
use crate::runner::Failure;

/// What came of a mutant, and how.
#[derive(Clone, Debug, PartialEq)]
pub struct Tried {
    /// What came of it.
    pub outcome: Outcome,
    /// The tests that failed an assertion, ascending; only the first unless all were asked for.
    pub kills: Vec<Kill>,
    /// Tests executed on the mutant.
    pub executions: u32,
    /// [`catherd_vm::Program::fingerprint`] of mutants that were executed.
    pub(super) fingerprint: Option<u64>,
}

/// A test that a mutant did not pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kill {
    /// The test's number in the suite, from 0.
    pub test: u32,
    /// Its first assertion that did not hold.
    pub failure: Failure,
}

impl Tried {
    pub(super) fn unexecuted(outcome: Outcome) -> Self {
        Self { outcome, kills: Vec::new(), executions: 0, fingerprint: None }
    }

    pub(super) fn kill(&mut self, test: u32, failure: Failure) {
        self.outcome = Outcome::Killed;
        self.kills.push(Kill { test, failure });
    }
}

/// For each mutant the number of the first one before it that is the same program, if there
/// is one. Known only of mutants that were executed.
pub fn duplicates(tried: &[Tried]) -> Vec<Option<usize>> {
    let mut first = FxHashMap::default();
    let original = tried.iter().enumerate().map(|(number, tried)| {
        let original = *first.entry(tried.fingerprint?).or_insert(number);
        (original != number).then_some(original)
    });
    original.collect()
}

/// How many mutants came to what.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Mutants of [`Outcome::Killed`].
    pub killed: u64,
    /// Mutants of [`Outcome::Survived`].
    pub survived: u64,
    /// Mutants of [`Outcome::Limit`].
    pub limit: u64,
    /// Mutants of [`Outcome::NotCovered`].
    pub not_covered: u64,
    /// Mutants of [`Outcome::Equivalent`].
    pub equivalent: u64,
    /// Mutants that are the same program as an earlier one; they are counted above, too.
    pub duplicates: u64,
}

impl Tally {
    /// Counts the mutants of an operator, or all.
    pub fn of(mutants: &[Mutant], tried: &[Tried], operator: Option<Operator>) -> Self {
        let mut tally = Self::default();
        let all = mutants.iter().zip(tried).zip(duplicates(tried));
        for ((mutant, tried), duplicate) in all {
            if operator.is_some_and(|operator| operator != mutant.operator) {
                continue;
            }
            *match tried.outcome {
                Outcome::Killed => &mut tally.killed,
                Outcome::Survived => &mut tally.survived,
                Outcome::Limit => &mut tally.limit,
                Outcome::NotCovered => &mut tally.not_covered,
                Outcome::Equivalent => &mut tally.equivalent,
            } += 1;
            tally.duplicates += u64::from(duplicate.is_some());
        }
        tally
    }

    /// All mutants, equivalent ones and duplicates included.
    pub fn mutants(&self) -> u64 {
        self.killed + self.survived + self.limit + self.not_covered + self.equivalent
    }

    /// The mutation score as the Whisker paper has it: killed mutants of all mutants, in
    /// 0..=1; none without mutants.
    pub fn score(&self) -> Option<f64> {
        share(self.killed, self.mutants())
    }

    /// Killed mutants of those that tests execute, in 0..=1; none if there are none.
    pub fn score_of_covered(&self) -> Option<f64> {
        share(self.killed, self.killed + self.survived + self.limit)
    }
}

fn share(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| part as f64 / whole as f64)
}
