//! Lowering of conditions to comparisons and jumps.

use super::form::{Instruction, Kind, NOWHERE, Operand, Reading};
use super::lower::Lowering;
use crate::code::{Expr, ExprId};

/// Most comparisons whose outcomes wait for others.
pub(super) const MOST_TESTS: usize = 8;

impl Lowering<'_> {
    /// Lowers the condition of the block that is being lowered. Returns the jump that is taken if it
    /// `jumps`.
    pub(super) fn condition(&mut self, e: ExprId, jumps: bool) -> usize {
        if let Some(at) = self.attempt(|lowering| lowering.comparisons(e, jumps)) {
            return at;
        }
        self.emit_for(Instruction::Decide { jumps, to: NOWHERE }, e)
    }

    fn comparisons(&mut self, e: ExprId, jumps: bool) -> Option<usize> {
        let first = self.form.instructions.len();
        let at = if let Some((how, a, b)) = self.comparison(e) {
            let (a, b) = self.operands(a, b)?;
            self.emit_for(Instruction::Compare { how, jumps, a, b, to: NOWHERE }, e)
        } else {
            self.tests(e, MOST_TESTS)?;
            self.emit_for(Instruction::Branch { jumps, to: NOWHERE }, e)
        };
        self.belongs(first, at);
        Some(at)
    }

    fn tests(&mut self, e: ExprId, room: usize) -> Option<()> {
        if let Some((how, a, b)) = self.comparison(e) {
            let registers = self.registers;
            let (a, b) = self.operands(a, b)?;
            self.registers = registers;
            self.emit(Instruction::Test { how, a, b, whole: NOWHERE });
            return (room > 0).then_some(());
        }
        match self.source.exprs[e.0 as usize] {
            Expr::And(a, b) => {
                self.tests(a, room)?;
                self.tests(b, room.checked_sub(1)?)?;
                self.emit(Instruction::And);
            }
            Expr::Or(a, b) => {
                self.tests(a, room)?;
                self.tests(b, room.checked_sub(1)?)?;
                self.emit(Instruction::Or);
            }
            Expr::Not(a) => {
                self.tests(a, room)?;
                self.emit(Instruction::Not);
            }
            _ => return None,
        }
        Some(())
    }

    /// The operands of a comparison, of which not both are literals and none is a word.
    fn operands(&mut self, a: ExprId, b: ExprId) -> Option<(Operand, Operand)> {
        let (a, b) = (self.read(a, Reading::Comparand)?, self.read(b, Reading::Comparand)?);
        let is_literal = |operand: Operand| operand.kind() == Kind::Constant;
        let is_word =
            |operand: Operand| is_literal(operand) && self.form.numbers[operand.index()].is_nan();
        let decided = is_literal(a) && is_literal(b);
        (!(is_word(a) || is_word(b) || decided)).then_some((a, b))
    }
}
