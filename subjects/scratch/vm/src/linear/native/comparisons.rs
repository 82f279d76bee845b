//! Native code of comparisons and conditions.
//!
//! If the distances of a block are not needed, only the outcomes of its condition are computed.
//! Outcomes are stored where handlers store them, so a handler can continue in the middle of a
//! condition.

use catherd_scratch_sb3::BlockNo;
use cranelift_codegen::ir::condcodes::FloatCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::abi::{self, Packed};
use super::generator::{Generator, I, TRUSTED};
use super::marks::Mark;
use super::unit::{MAX_INDICES, last_jump};
use crate::code::Comparison;
use crate::linear::form::{Kind, Link, MAX_TESTS, Operand, Operator, Skip};

#[derive(Clone, Copy)]
pub(super) struct Check {
    pub(super) how: Comparison,
    pub(super) negated: bool,
    pub(super) link: Link,
    pub(super) x: Value,
    pub(super) y: Value,
}

/// The outcome for which code jumps, and the destination.
#[derive(Clone, Copy)]
pub(super) struct Way {
    pub(super) on: bool,
    pub(super) to: u32,
}

impl Generator<'_, '_> {
    pub(super) fn jump_if(&mut self, outcome: Value, jump: Way) {
        let to = self.leader(jump.to);
        if jump.on { self.branch(outcome, to) } else { self.unless(outcome, to) }
    }

    fn outcome(&mut self, test: Check) -> Value {
        let how = match test.how {
            Comparison::Less => FloatCC::LessThan,
            Comparison::Equals => FloatCC::Equal,
            Comparison::Greater => FloatCC::GreaterThan,
        };
        let outcome = self.builder.ins().fcmp(how, test.x, test.y);
        if test.negated { self.builder.ins().bxor_imm_u(outcome, 1) } else { outcome }
    }

    /// Whether the result of an operator is known not to be NaN.
    pub(super) fn stays_ordered(
        &self,
        operator: Operator,
        (a, x): (Operand, Value),
        (b, y): (Operand, Value),
    ) -> bool {
        let is_suitable = |operand: Operand| {
            let number = self.form.numbers.get(operand.index()).copied().unwrap_or(f64::NAN);
            let is_additive = matches!(operator, Operator::Add | Operator::Subtract);
            operand.kind() == Kind::Constant && number.is_finite() && (is_additive || number != 0.0)
        };
        match operator {
            Operator::Modulo => false,
            Operator::Divide => is_suitable(b) && self.ordered.contains(&x),
            _ => {
                is_suitable(a) && self.ordered.contains(&y)
                    || is_suitable(b) && self.ordered.contains(&x)
            }
        }
    }

    /// Jumps to `longer` if one of two numbers is NaN.
    pub(super) fn demand_ordered(&mut self, x: Value, y: Value, longer: Block) {
        let (x, y) = match (self.ordered.contains(&x), self.ordered.contains(&y)) {
            (true, true) => return,
            (true, false) => (y, y),
            (false, true) => (x, x),
            (false, false) => (x, y),
        };
        let ordered = self.builder.ins().fcmp(FloatCC::Ordered, x, y);
        self.unless(ordered, longer);
        if self.leaves.is_some() {
            self.ordered.extend([x, y]);
        }
    }

    fn pack(&mut self, no: BlockNo, test: Check) -> Value {
        let packed = Packed::of(no, test.how, test.negated, test.link);
        self.constant(packed)
    }

    pub(super) fn decide(&mut self, no: BlockNo, test: Check, jump: Way) {
        let next = self.block();
        let to = self.leader(jump.to);
        let (yes, not) = if jump.on { (to, next) } else { (next, to) };
        self.unless_settled(no, |generator| {
            let (function, packed) = (generator.abi.functions.decide, generator.pack(no, test));
            let outcome = generator.call(function, packed, Some((test.x, test.y)), I);
            generator.builder.ins().brif(outcome, yes, &[], not, &[]);
        });
        let outcome = self.outcome(test);
        self.builder.ins().brif(outcome, yes, &[], not, &[]);
        self.builder.switch_to_block(next);
    }

    /// Lowering bounds the number of outcomes that wait.
    fn outcome_place(at: usize) -> i32 {
        assert!(at <= MAX_TESTS, "a condition has more outcomes than there is room for");
        abi::OUTCOMES + at as i32
    }

    fn set_waiting(&mut self, waiting: usize) {
        let waiting = self.constant(waiting as u64);
        self.builder.ins().store(TRUSTED, waiting, self.tests, abi::WAITING);
    }

    pub(super) fn test(&mut self, no: BlockNo, test: Check) {
        let next = self.block();
        let result = self.builder.append_block_param(next, types::I8);
        let below = match test.link {
            Link::Push => self.waiting,
            _ => self.waiting.saturating_sub(1),
        };
        let place = Self::outcome_place(below);
        self.unless_settled(no, |generator| {
            let (function, packed) = (generator.abi.functions.link, generator.pack(no, test));
            generator.call(function, packed, Some((test.x, test.y)), I);
            let outcome = generator.builder.ins().load(types::I8, TRUSTED, generator.tests, place);
            generator.builder.ins().jump(next, &[outcome.into()]);
        });
        let (outcome, _) = self.linked(test);
        self.builder.ins().store(TRUSTED, outcome, self.tests, place);
        self.set_waiting(below + 1);
        self.builder.ins().jump(next, &[outcome.into()]);
        self.builder.switch_to_block(next);
        self.waiting = below + 1;
        if self.leaves.is_some() {
            self.outcomes.insert(below, result);
        }
    }

    /// Generates code with `path` for the case that distances of a block may still matter. This
    /// code must end its block.
    fn unless_settled(&mut self, no: BlockNo, path: impl FnOnce(&mut Self)) {
        if self.abi.active {
            self.unless_marked(Mark::Settled(no), |generator, _| path(generator));
        }
    }

    fn waiting_outcome(&mut self, at: usize) -> Value {
        self.outcomes.get(&at).copied().unwrap_or_else(|| {
            let place = Self::outcome_place(at);
            self.builder.ins().load(types::I8, TRUSTED, self.tests, place)
        })
    }

    /// The outcome of a comparison, combined with the outcome on top if the two are linked, and the
    /// number of outcomes below the result.
    fn linked(&mut self, test: Check) -> (Value, usize) {
        let outcome = self.outcome(test);
        if test.link == Link::Push {
            return (outcome, self.waiting);
        }
        let below = self.waiting.saturating_sub(1);
        (self.combined(test.link, below, outcome), below)
    }

    fn combined(&mut self, link: Link, at: usize, outcome: Value) -> Value {
        let other = self.waiting_outcome(at);
        match link {
            Link::Push => outcome,
            Link::And => self.builder.ins().band(other, outcome),
            Link::Or => self.builder.ins().bor(other, outcome),
        }
    }

    pub(super) fn last_test(&mut self, no: BlockNo, test: Check, jump: Way) {
        let next = self.block();
        let to = self.leader(jump.to);
        let (yes, not) = if jump.on { (to, next) } else { (next, to) };
        self.unless_settled(no, |generator| {
            let (function, packed) = (generator.abi.functions.link, generator.pack(no, test));
            generator.call(function, packed, Some((test.x, test.y)), I);
            let outcome = generator.finish(no);
            generator.builder.ins().brif(outcome, yes, &[], not, &[]);
        });
        let (outcome, below) = self.linked(test);
        self.set_waiting(below);
        self.builder.ins().brif(outcome, yes, &[], not, &[]);
        self.builder.switch_to_block(next);
        self.waiting = below;
    }

    fn finish(&mut self, no: BlockNo) -> Value {
        let number = self.constant(no.0);
        self.call(self.abi.functions.finish, number, None, I)
    }

    /// The handler must change only waiting outcomes, because fields in registers are not put back.
    fn outcome_by_handler(&mut self, at: usize, next: Block) {
        let at = self.constant(at as u64);
        self.call(self.abi.functions.single, at, None, I);
        self.builder.ins().jump(next, &[]);
    }

    /// Ends a condition of which another condition uses only the outcome.
    pub(super) fn outcome_of_condition(&mut self, at: usize, no: BlockNo) {
        if self.abi.active {
            self.unless_marked(Mark::Settled(no), |generator, next| {
                generator.outcome_by_handler(at, next);
            });
        }
    }

    pub(super) fn combine(&mut self, at: usize, no: BlockNo, link: Link) {
        let next = self.block();
        self.unless_settled(no, |generator| generator.outcome_by_handler(at, next));
        let top = self.waiting.saturating_sub(1);
        let below = top.saturating_sub(1);
        let outcome = self.waiting_outcome(top);
        let outcome = self.combined(link, below, outcome);
        self.builder.ins().store(TRUSTED, outcome, self.tests, Self::outcome_place(below));
        self.set_waiting(top);
        self.waiting = top;
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        self.outcomes.remove(&below);
    }

    pub(super) fn branch_on_outcome(&mut self, no: BlockNo, jump: Way) {
        let next = self.block();
        let to = self.leader(jump.to);
        let (yes, not) = if jump.on { (to, next) } else { (next, to) };
        self.unless_settled(no, |generator| {
            let outcome = generator.finish(no);
            generator.builder.ins().brif(outcome, yes, &[], not, &[]);
        });
        let top = self.waiting.saturating_sub(1);
        let outcome = self.waiting_outcome(top);
        self.set_waiting(top);
        self.waiting = top;
        self.builder.ins().brif(outcome, yes, &[], not, &[]);
        self.builder.switch_to_block(next);
    }

    /// Evaluating the second side instead would also be correct.
    pub(super) fn skip(&mut self, no: BlockNo, skip: Skip) {
        if skip.indices.1 as usize > MAX_INDICES {
            return;
        }
        let next = self.block();
        self.unless_settled(no, |generator| {
            generator.builder.ins().jump(next, &[]);
        });
        let top = self.waiting.saturating_sub(1);
        let outcome = self.waiting_outcome(top);
        match skip.link {
            Link::And => self.branch(outcome, next),
            Link::Or => self.unless(outcome, next),
            Link::Push => {
                self.builder.ins().jump(next, &[]);
                return self.builder.switch_to_block(next);
            }
        }
        let (first, count) = skip.indices;
        let form = self.form;
        for &index in &form.operands[first as usize..(first + count) as usize] {
            let number = self.read(index, next);
            let is_number = self.builder.ins().fcmp(FloatCC::Ordered, number, number);
            self.unless(is_number, next);
        }
        if skip.is_last {
            self.set_waiting(top);
            let decided = skip.link == Link::Or;
            let to = match last_jump(form, skip.end) {
                Some((on, to)) if on == decided => to,
                _ => skip.end + 1,
            };
            self.go_to(to as usize);
        } else {
            self.go_to(skip.end as usize);
        }
        self.builder.switch_to_block(next);
    }
}
