//! Lowering of conditions to comparisons and jumps.

use super::form::{
    Instruction, Kind, Link, ListNo, MAX_TESTS, NOWHERE, Operand, Reading, Relation, Way,
};
use super::lower::Lowering;
use super::texts::reversed;
use crate::code::{Comparison, Expr, ExprId};
use crate::compare::short_comparand;

impl Lowering<'_> {
    /// Returns the jump that is taken if the outcome equals `jumps`.
    pub(super) fn condition(&mut self, e: ExprId, jumps: bool) -> usize {
        if let Some(at) = self.sharing(&[e], |lowering| lowering.comparisons(e, jumps)) {
            return at;
        }
        self.emit_for(Instruction::Decide { jumps, to: NOWHERE }, e)
    }

    fn comparisons(&mut self, e: ExprId, jumps: bool) -> Option<usize> {
        let first = self.form.instructions.len();
        let (inner, negated) = self.without_not(e);
        let (link, last, negated) = self.last_comparison(inner, negated)?;
        let begun = (link != Link::Push).then(|| self.begin_skip(last, link)).flatten();
        let at = if let Some((how, list, index, b)) = self.comparison_of_item(last) {
            let way = Way::new(how, negated, link, jumps);
            self.emit_for(Instruction::CompareItem { way, list, index, b, to: NOWHERE }, e)
        } else if let Some((how, (place, text), b)) = self.comparison_of_letter(last) {
            let way = Way::new(how, negated, link, jumps);
            self.emit_for(Instruction::CompareLetter { way, place, text, b, to: NOWHERE }, e)
        } else if let Some((how, a, b)) = self.comparison(last) {
            let (a, b) = self.operands(how, a, b)?;
            let relation = Relation::new(how, negated);
            self.emit_for(Instruction::Compare { relation, link, jumps, a, b, to: NOWHERE }, e)
        } else {
            self.tests(last, negated, link, MAX_TESTS)?;
            self.emit_for(Instruction::Branch { jumps, to: NOWHERE }, e)
        };
        self.end_skip(begun, at, true);
        self.belongs(first, at);
        Some(at)
    }

    /// Lowers all of a condition except its last comparison. Returns the link of this comparison
    /// with the lowered part, the comparison, and whether it is negated. If the condition is not an
    /// `and` or `or` that ends with a comparison, lowers nothing and returns the whole condition
    /// with [`Link::Push`].
    fn last_comparison(&mut self, e: ExprId, negated: bool) -> Option<(Link, ExprId, bool)> {
        let (a, b, link) = match self.source.exprs[e.0 as usize] {
            Expr::And(a, b) => (a, b, Link::And),
            Expr::Or(a, b) => (a, b, Link::Or),
            _ => return Some((Link::Push, e, negated)),
        };
        let (last, inner) = self.without_not(b);
        if self.comparison(last).is_none() {
            return Some((Link::Push, e, negated));
        }
        self.tests(a, negated, Link::Push, MAX_TESTS)?;
        let link = if negated { link.negated() } else { link };
        Some((link, last, negated != inner))
    }

    /// An expression without the negations around it, and whether the number of negations is odd.
    fn without_not(&self, mut e: ExprId) -> (ExprId, bool) {
        let mut negated = false;
        while let Expr::Not(inner) = self.source.exprs[e.0 as usize] {
            (e, negated) = (inner, !negated);
        }
        (e, negated)
    }

    /// Negations become negated comparisons: `not (a and b)` has the same distances as `(not a) or
    /// (not b)`. `room` is the number of outcomes that may wait.
    fn tests(&mut self, e: ExprId, negated: bool, link: Link, room: usize) -> Option<()> {
        let (e, inner) = self.without_not(e);
        let negated = negated != inner;
        let registers = self.registers;
        if let Some((how, list, index, b)) = self.comparison_of_item(e) {
            self.registers = registers;
            let way = Way::new(how, negated, link, false);
            self.emit(Instruction::TestItem { way, list, index, b, whole: NOWHERE });
            return (room > 0).then_some(());
        }
        if let Some((how, (place, text), b)) = self.comparison_of_letter(e) {
            self.registers = registers;
            let way = Way::new(how, negated, link, false);
            self.emit(Instruction::TestLetter { way, place, text, b, whole: NOWHERE });
            return (room > 0).then_some(());
        }
        if let Some((how, a, b)) = self.comparison(e) {
            let (a, b) = self.operands(how, a, b)?;
            self.registers = registers;
            let relation = Relation::new(how, negated);
            self.emit(Instruction::Test { relation, link, a, b, whole: NOWHERE });
            return (room > 0).then_some(());
        }
        let (a, b, both) = match self.source.exprs[e.0 as usize] {
            Expr::And(a, b) => (a, b, Link::And),
            Expr::Or(a, b) => (a, b, Link::Or),
            Expr::Outcome(a) => {
                self.tests(a, negated, Link::Push, room)?;
                self.emit(Instruction::Outcome);
                if link != Link::Push {
                    self.emit(Instruction::Combine(link));
                }
                return Some(());
            }
            _ => return None,
        };
        let both = if negated { both.negated() } else { both };
        self.tests(a, negated, Link::Push, room)?;
        let begun = self.begin_skip(b, both);
        self.tests(b, negated, both, room.checked_sub(1)?)?;
        self.end_skip(begun, self.form.instructions.len(), false);
        if link != Link::Push {
            self.emit(Instruction::Combine(link));
        }
        Some(())
    }

    /// The comparison with the item as the first operand, the list and index of the item, and the
    /// other operand.
    fn comparison_of_item(&mut self, e: ExprId) -> Option<(Comparison, ListNo, Operand, Operand)> {
        let (how, a, b) = self.comparison(e)?;
        // If both operands are items, the first is computed before the instruction, which reads the
        // second.
        let last = self.item(b);
        let (list, index) = last.or_else(|| self.item(a))?;
        self.attempt(|lowering| {
            let list = ListNo::new(list)?;
            let (how, index, b) = if last.is_some() {
                let a = lowering.read(a, Reading::Comparand)?;
                (reversed(how), lowering.index(index)?, a)
            } else {
                let index = lowering.index(index)?;
                (how, index, lowering.read(b, Reading::Comparand)?)
            };
            // If the index is a word, the interpreter evaluates the comparison and would draw
            // again.
            (!lowering.draws).then_some((how, list, index, b))
        })
    }

    fn operands(
        &mut self,
        how: Comparison,
        a_expr: ExprId,
        b_expr: ExprId,
    ) -> Option<(Operand, Operand)> {
        let exprs = self.source.exprs;
        let is_letter = |e: ExprId| matches!(exprs[e.0 as usize], Expr::LetterOf { .. });
        let (of_a, of_b) = (self.reading(how, a_expr, b_expr), self.reading(how, b_expr, a_expr));
        let (a, b) = (self.read(a_expr, of_a)?, self.read(b_expr, of_b)?);
        let is_literal = |operand: Operand| operand.kind() == Kind::Constant;
        // A comparison of a letter with a word never compares numbers.
        let is_word =
            |operand: Operand| is_literal(operand) && self.form.numbers[operand.index()].is_nan();
        // If both operands are long strings, the interpreter evaluates the comparison and would
        // draw again.
        if self.draws && a.kind() != Kind::Register && b.kind() != Kind::Register {
            return None;
        }
        if is_word(a) && is_letter(b_expr) || is_word(b) && is_letter(a_expr) {
            return None;
        }
        (!(is_literal(a) && is_literal(b))).then_some((a, b))
    }

    pub(super) fn reading(&mut self, how: Comparison, e: ExprId, other: ExprId) -> Reading {
        let is_letter = matches!(self.source.exprs[e.0 as usize], Expr::LetterOf { .. });
        if is_letter && how == Comparison::Equals {
            let literal = self.literal(other).and_then(|to| self.form.values.get(to.index()));
            if literal.and_then(short_comparand).is_some_and(|number| !number.is_nan()) {
                return Reading::Digit;
            }
        }
        Reading::Comparand
    }
}
