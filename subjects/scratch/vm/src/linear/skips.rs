//! Finds sides of `and` and `or` that need not be evaluated if the previous side decides the
//! result.
//!
//! The original always evaluates both sides. The results are the same without the second side if
//! the distances of the condition no longer matter, and if evaluating the side changes nothing and
//! takes no fuel.

use super::form::{Instruction, Kind, Link, ListNo, Operand, Skip};
use super::lower::Lowering;
use crate::code::{Expr, ExprId, MathOp, Slot};
use crate::eval::text_cost;
use crate::value::Value;

/// Minimum number of computations that are skipped. Fewer take less time than the decision.
const LEAST: u32 = 3;

/// Maximum number of computations of a side.
const MOST: u32 = 128;

#[derive(Default)]
struct Side {
    computations: u32,
    /// Variables and parameters that must be numbers, because an index that is a word may draw a
    /// random number.
    indices: Vec<Operand>,
}

/// A skip whose end is not known yet.
pub(super) struct Begun {
    skip: usize,
    /// Number of parts that were [kept](super::shared) before the side.
    kept: usize,
}

impl Lowering<'_> {
    pub(super) fn begin_skip(&mut self, side: ExprId, link: Link) -> Option<Begun> {
        let mut found = Side::default();
        self.is_free(side, &mut found)?;
        if found.computations < LEAST {
            return None;
        }
        let indices = (self.form.operands.len() as u32, found.indices.len() as u32);
        self.form.operands.extend(found.indices);
        let skip = self.form.skips.len();
        self.form.skips.push(Skip { link, end: 0, is_last: false, indices });
        self.emit(Instruction::Skip { skip: skip as u32 });
        Some(Begun { skip, kept: self.shared.kept() })
    }

    /// `end` is the next instruction of the condition, or its last instruction if `is_last` is set.
    pub(super) fn end_skip(&mut self, begun: Option<Begun>, end: usize, is_last: bool) {
        let Some(Begun { skip, kept }) = begun else { return };
        let skip = &mut self.form.skips[skip];
        (skip.end, skip.is_last) = (end as u32, is_last);
        // Forget the parts of this side, because they are not computed if the side is skipped.
        self.shared.truncate(kept);
    }

    /// Succeeds if evaluating a condition is known to change nothing and to take no fuel.
    fn is_free(&self, e: ExprId, side: &mut Side) -> Option<()> {
        match self.source.exprs[e.0 as usize] {
            Expr::And(a, b) | Expr::Or(a, b) => {
                self.is_free(a, side)?;
                self.is_free(b, side)
            }
            Expr::Not(a) | Expr::Outcome(a) => self.is_free(a, side),
            Expr::Less(a, b) | Expr::Equals(a, b) | Expr::Greater(a, b) => {
                side.computations += 1;
                let (a, b) = (self.is_short(a, side)?, self.is_short(b, side)?);
                (a || b).then_some(())
            }
            _ => None,
        }
    }

    /// Whether the value of an operand is never a long string. `None` unless evaluating the operand
    /// is known to change nothing and to take no fuel.
    fn is_short(&self, e: ExprId, side: &mut Side) -> Option<bool> {
        if side.computations > MOST {
            return None;
        }
        match self.source.exprs[e.0 as usize] {
            Expr::Number(_) => Some(true),
            Expr::Constant(c) => match &self.source.constants[c as usize] {
                Value::Number(_) => Some(true),
                Value::Text(text) => Some(text_cost(text.len()) == 0),
                Value::Bool(_) | Value::Undefined => None,
            },
            Expr::Variable(_) | Expr::Parameter(_) => {
                Some(matches!(self.stored(e)?.kind(), Kind::Register))
            }
            Expr::Add(a, b)
            | Expr::Subtract(a, b)
            | Expr::Multiply(a, b)
            | Expr::Divide(a, b)
            | Expr::Modulo(a, b) => {
                side.computations += 1;
                self.is_short(a, side)?;
                self.is_short(b, side)?;
                Some(true)
            }
            Expr::Math(MathOp::Unknown, _) => None,
            Expr::Round(a) | Expr::Math(_, a) => {
                side.computations += 1;
                self.is_short(a, side)?;
                Some(true)
            }
            Expr::LengthOfList(list) => self.is_declared(list).then_some(true),
            Expr::ItemOfList(list, index) => {
                side.computations += 1;
                self.is_number(index, side)?;
                self.is_declared(list).then_some(false)
            }
            _ => self.quantity(e).map(|_| true),
        }
    }

    /// Succeeds if an index is never a word. For a variable or parameter, succeeds as well, and
    /// adds it to the operands that must be numbers.
    fn is_number(&self, index: ExprId, side: &mut Side) -> Option<()> {
        match self.source.exprs[index.0 as usize] {
            Expr::Number(_) => {}
            Expr::Constant(c) => {
                let number = self.source.constants[c as usize].js_number();
                return (!number.is_nan()).then_some(());
            }
            Expr::Variable(_) | Expr::Parameter(_) => {
                let operand = self.stored(index)?;
                if operand.kind() != Kind::Register {
                    side.indices.push(operand);
                }
            }
            Expr::ItemOfList(..) => return None,
            _ => {
                self.is_short(index, side)?;
            }
        }
        Some(())
    }

    /// Whether the file declares a list, so reading the list does not create it.
    fn is_declared(&self, slot: Slot) -> bool {
        let (owner, index) = match slot {
            Slot::Stage(index) => (self.source.stage, index),
            Slot::Own(index) => (self.owner, index),
        };
        let lists = self.source.sprites.get(owner).map(|sprite| &sprite.lists);
        let list = lists.and_then(|lists| lists.get(index as usize));
        ListNo::new(slot).is_some() && list.is_some_and(|list| list.declared)
    }
}
