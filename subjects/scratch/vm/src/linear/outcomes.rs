//! Outcomes of conditions in linear form, and their distances.

use catherd_scratch_sb3::BlockNo;

use super::executor::Executor;
use super::form::Link;
use crate::code::Comparison;
use crate::distance::{ConditionDistances, of_comparison};
use crate::tracer::Tracer;

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn report(&mut self, no: BlockNo, to_true: f64, to_false: f64) {
        if T::ACTIVE {
            self.tracer.distance(no, to_true, to_false);
        }
    }

    /// Whether the tracer still needs distances of a block.
    #[inline(always)]
    pub(super) fn measures(&self, no: BlockNo) -> bool {
        if !T::ACTIVE {
            return false;
        }
        let known = self.tracer.known_distances(no);
        !(known.0 <= 0.0 && known.1 <= 0.0)
    }

    /// The outcome of a comparison or its negation. Reports its distances if the tracer needs them.
    #[inline(always)]
    pub(super) fn decide(
        &mut self,
        no: BlockNo,
        how: Comparison,
        negated: bool,
        x: f64,
        y: f64,
    ) -> bool {
        if self.measures(no) {
            let test = measured(how, negated, x, y);
            self.report(no, test.to_true, test.to_false);
            return test.value;
        }
        let value = match how {
            Comparison::Less => x < y,
            Comparison::Equals => x == y,
            Comparison::Greater => x > y,
        };
        value != negated
    }

    #[inline(always)]
    pub(super) fn link(&mut self, link: Link, test: ConditionDistances) {
        let test = match link {
            Link::Push => test,
            Link::And => ConditionDistances::and(self.pop_test(), test),
            Link::Or => ConditionDistances::or(self.pop_test(), test),
        };
        // The index is in bounds, because lowering limits the number of tests of a condition.
        let at = self.tests.waiting;
        let tests = &mut *self.tests;
        tests.outcomes[at] = test.value;
        (tests.to_true[at], tests.to_false[at]) = (test.to_true, test.to_false);
        tests.waiting = at + 1;
    }

    #[inline(always)]
    pub(super) fn is_decided(&self, link: Link) -> bool {
        let top = self.tests.outcomes[self.tests.waiting - 1];
        match link {
            Link::Push => false,
            Link::And => !top,
            Link::Or => top,
        }
    }

    #[inline(always)]
    pub(super) fn pop_test(&mut self) -> ConditionDistances {
        let at = self.tests.waiting - 1;
        let tests = &mut *self.tests;
        tests.waiting = at;
        let (to_true, to_false) = (tests.to_true[at], tests.to_false[at]);
        ConditionDistances { value: tests.outcomes[at], to_true, to_false }
    }

    #[inline(always)]
    pub(super) fn finish_test(&mut self, no: BlockNo) -> bool {
        let test = self.pop_test();
        if self.measures(no) {
            self.report(no, test.to_true, test.to_false);
        }
        test.value
    }
}

/// The distances of a comparison of numbers other than NaN, or of its negation.
#[inline(always)]
pub(super) fn measured(how: Comparison, negated: bool, x: f64, y: f64) -> ConditionDistances {
    negated_if(negated, of_comparison(how, x, y))
}

#[inline(always)]
pub(super) fn negated_if(negated: bool, test: ConditionDistances) -> ConditionDistances {
    if negated { ConditionDistances::not(test) } else { test }
}
