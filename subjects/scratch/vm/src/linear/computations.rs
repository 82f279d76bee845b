//! Lowering of blocks that change variables and lists.

use super::form::{Instruction, Kind, ListNo, Operand, Reading};
use super::lower::Lowering;
use crate::code::{Expr, ExprId, Op, Slot};

impl Lowering<'_> {
    pub(super) fn computation(&mut self, op: &Op) -> Option<()> {
        let first = self.form.instructions.len();
        match *op {
            Op::SetVariable(slot, value) if self.is_join(value) => {
                self.count_alone();
                self.join(Operand::variable(slot)?, value)?;
            }
            Op::SetVariable(slot, value) => {
                self.count();
                self.set(Operand::variable(slot)?, value)?;
            }
            Op::ChangeVariable(slot, by) => {
                self.count();
                let (to, b) = (Operand::variable(slot)?, self.number(by)?);
                self.emit(Instruction::Change { to, b });
            }
            Op::AddToList(list, item) => {
                self.count();
                let list = ListNo::new(list)?;
                if let Some((from, index)) = self.item(item) {
                    let (from, index) = (ListNo::new(from)?, self.index(index)?);
                    self.keeps(index)?;
                    self.emit(Instruction::AddItem { list, from, index });
                } else {
                    let item = self.read(item, Reading::Value)?;
                    self.emit(Instruction::AddToList { list, item });
                }
            }
            Op::ReplaceItemOfList { list, index, item } => {
                self.count();
                let (list, index) = (ListNo::new(list)?, self.index(index)?);
                if let Some((from, at)) = self.item(item) {
                    let (from, at) = (ListNo::new(from)?, self.index(at)?);
                    self.keeps(index)?;
                    self.keeps(at)?;
                    self.emit(Instruction::ReplaceByItem { list, index, from, at });
                } else {
                    let item = self.read(item, Reading::Value)?;
                    self.keeps(index)?;
                    self.emit(Instruction::ReplaceItem { list, index, item });
                }
            }
            _ => return None,
        }
        self.belongs(first, self.form.instructions.len() - 1);
        Some(())
    }

    pub(super) fn item(&self, e: ExprId) -> Option<(Slot, ExprId)> {
        match self.source.exprs[e.0 as usize] {
            Expr::ItemOfList(list, index) if self.reads_items => Some((list, index)),
            _ => None,
        }
    }

    /// Fails if the index may be a word in a block that has drawn a random number. For a word, the
    /// interpreter would execute the block from its beginning and draw again.
    pub(super) fn keeps(&self, index: Operand) -> Option<()> {
        let is_number = matches!(index.kind(), Kind::Register | Kind::Constant);
        (is_number || !self.draws).then_some(())
    }
}
