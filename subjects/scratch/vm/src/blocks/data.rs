//! Blocks that change variables and lists.

use std::sync::Arc;

use crate::code::{Expr, ExprId, Slot};
use crate::eval::{LIST_LIMIT, ListIndex, list_cost};
use crate::interpreter::Interpreter;
use crate::limits::Limit;
use crate::midstep::Change;
use crate::target::TargetId;
use crate::tracer::Tracer;
use crate::value::Value;

impl<T: Tracer> Interpreter<'_, T> {
    #[inline]
    pub(super) fn update_variable(&mut self, slot: Slot, new: impl FnOnce(&Value) -> Value) {
        let variable = self.variable_mut(slot);
        let value = new(variable);
        let old = std::mem::replace(variable, value);
        let stage = self.program.stage;
        let current = self.target;
        self.report(|| {
            let (target, number) = match slot {
                Slot::Stage(number) => (stage, number),
                Slot::Own(number) => (current, number),
            };
            let target = TargetId(target as u32);
            Change::Variable { target, number: number as usize, old }
        });
    }

    pub(super) fn set_variable(&mut self, slot: Slot, value: ExprId) {
        if let Expr::Join(a, b) = self.program.exprs[value.0 as usize]
            && !T::WATCHES
            && matches!(self.program.exprs[a.0 as usize], Expr::Variable(own) if own == slot)
        {
            return self.append_to_variable(slot, b);
        }
        let value = self.value(value);
        self.update_variable(slot, |_| value);
    }

    /// Extends the text of the variable in place if possible.
    fn append_to_variable(&mut self, slot: Slot, end: ExprId) {
        let end = self.text(end);
        let start = match std::mem::replace(self.variable_mut(slot), Value::Undefined) {
            Value::Text(start) => start,
            other => other.to_text(),
        };
        let joined = self.join(start, &end);
        *self.variable_mut(slot) = Value::Text(joined);
    }

    pub(super) fn add_to_list(&mut self, list: Slot, item: ExprId) {
        let item = self.value(item);
        let items = &mut self.list(list).items;
        if items.len() < LIST_LIMIT {
            Arc::make_mut(items).push(item);
        } else {
            self.hit(Limit::List);
        }
    }

    pub(super) fn delete_all_of_list(&mut self, list: Slot) {
        let items = &mut self.list(list).items;
        match Arc::get_mut(items) {
            Some(items) => items.clear(),
            None => *items = Arc::default(),
        }
    }

    pub(super) fn delete_of_list(&mut self, list: Slot, index: ExprId) {
        let index = self.value(index);
        let length = self.list(list).items.len();
        match self.list_index(&index, length, true) {
            ListIndex::All => self.delete_all_of_list(list),
            ListIndex::At(i) => {
                self.consume_fuel(list_cost(length - i));
                Arc::make_mut(&mut self.list(list).items).remove(i);
            }
            ListIndex::Invalid => {}
        }
    }

    pub(super) fn insert_at_list(&mut self, list: Slot, index: ExprId, item: ExprId) {
        let item = self.value(item);
        let index = self.value(index);
        let length = self.list(list).items.len();
        let ListIndex::At(i) = self.list_index(&index, length + 1, false) else { return };
        if length >= LIST_LIMIT {
            self.hit(Limit::List);
        }
        if i >= LIST_LIMIT {
            return;
        }
        self.consume_fuel(list_cost(length - i));
        let items = Arc::make_mut(&mut self.list(list).items);
        items.insert(i, item);
        items.truncate(LIST_LIMIT);
    }

    pub(super) fn replace_item(&mut self, list: Slot, index: ExprId, item: ExprId) {
        let index = self.value(index);
        let item = self.value(item);
        let length = self.list(list).items.len();
        if let ListIndex::At(i) = self.list_index(&index, length, false) {
            Arc::make_mut(&mut self.list(list).items)[i] = item;
        }
    }
}
