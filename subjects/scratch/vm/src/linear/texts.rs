//! Lowering of blocks and conditions that read letters or join strings.

use super::form::{Instruction, NOWHERE, Operand, Reading};
use super::lower::Lowering;
use crate::code::{Comparison, Expr, ExprId};

impl Lowering<'_> {
    pub(super) fn is_join(&self, e: ExprId) -> bool {
        matches!(self.source.exprs[e.0 as usize], Expr::Join(..))
    }

    /// The block must be the only block of its run, because joining may take all of the fuel.
    pub(super) fn join(&mut self, to: Operand, e: ExprId) -> Option<()> {
        let Expr::Join(a, b) = self.source.exprs[e.0 as usize] else { return None };
        // In an expansion, the slice must not end.
        if self.current.expansion != NOWHERE {
            return None;
        }
        let a = self.literal(a).or_else(|| self.stored(a))?;
        let instruction = match self.source.exprs[b.0 as usize] {
            Expr::LetterOf { letter, text } => {
                let (place, text) = self.letter_of_stored(letter, text)?;
                Instruction::JoinLetter { to, a, place, text }
            }
            _ => Instruction::Join { to, a, b: self.literal(b).or_else(|| self.stored(b))? },
        };
        self.emit_for(instruction, e);
        Some(())
    }

    pub(super) fn letter_of_stored(
        &mut self,
        letter: ExprId,
        text: ExprId,
    ) -> Option<(Operand, Operand)> {
        let place = self.number(letter)?;
        let text = self.literal(text).or_else(|| self.stored(text))?;
        (!self.draws).then_some((place, text))
    }

    /// The comparison with the letter first, the position and the string of the letter, and the
    /// other operand.
    pub(super) fn comparison_of_letter(
        &mut self,
        e: ExprId,
    ) -> Option<(Comparison, (Operand, Operand), Operand)> {
        let (how, a, b) = self.comparison(e)?;
        let (how, letter, other) = match self.source.exprs[b.0 as usize] {
            Expr::LetterOf { .. } => (reversed(how), b, a),
            _ => (how, a, b),
        };
        let Expr::LetterOf { letter: place, text } = self.source.exprs[letter.0 as usize] else {
            return None;
        };
        if self.reading(how, letter, other) == Reading::Digit {
            return None;
        }
        self.attempt(|lowering| {
            let other = lowering.read(other, Reading::Comparand)?;
            Some((how, lowering.letter_of_stored(place, text)?, other))
        })
    }
}

/// The comparison with its operands in the reverse order: `a < b` has the outcome and the distances
/// of `b > a`.
pub(super) fn reversed(how: Comparison) -> Comparison {
    match how {
        Comparison::Less => Comparison::Greater,
        Comparison::Equals => Comparison::Equals,
        Comparison::Greater => Comparison::Less,
    }
}
