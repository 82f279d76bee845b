//! Native code that finds the items of lists.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::generator::{Generator, I, TRUSTED, VALUE_SHIFT};
use super::kept::KeptList;
use crate::linear::form::ListNo;
use crate::target::List;

#[derive(Clone, Copy)]
pub(super) struct Items {
    pub(super) address: Value,
    pub(super) length: Value,
}

impl Generator<'_, '_> {
    pub(super) fn list(&self, list: ListNo) -> (Value, i32) {
        let offset = (list.index() * size_of::<List>()) as i32;
        (self.lists[usize::from(list.is_own())], offset)
    }

    pub(super) fn items(&mut self, list: ListNo) -> Items {
        if let Some(&items) = self.items.get(&list) {
            return items;
        }
        let is_open = self.open(list);
        let items = self.items_of(list, is_open);
        self.items.insert(list, items);
        items
    }

    fn items_of(&mut self, list: ListNo, is_open: Value) -> Items {
        let (lists, offset) = self.list(list);
        let open = offset + offset_of!(List, open) as i32;
        let shared =
            self.builder.ins().load(I, TRUSTED, lists, offset + offset_of!(List, items) as i32);
        let shared = self.builder.ins().iadd_imm_s(shared, i64::from(self.layout.shared_items));
        let own = self.builder.ins().iadd_imm_s(lists, i64::from(open));
        let vector = self.builder.ins().select(is_open, own, shared);
        self.vector(vector)
    }

    /// Notes that a list exists. Returns whether it is open.
    fn open(&mut self, list: ListNo) -> Value {
        let (lists, offset) = self.list(list);
        let exists = self.builder.ins().iconst(types::I8, 1);
        let field = offset + offset_of!(List, exists) as i32;
        self.builder.ins().store(TRUSTED, exists, lists, field);
        let capacity = offset + offset_of!(List, open) as i32 + self.layout.values.capacity;
        let capacity = self.builder.ins().load(I, TRUSTED, lists, capacity);
        self.builder.ins().icmp_imm_s(IntCC::SignedGreaterThanOrEqual, capacity, 0)
    }

    fn vector(&mut self, vector: Value) -> Items {
        let layout = self.layout.values;
        let address = self.builder.ins().load(I, TRUSTED, vector, layout.address);
        Items { address, length: self.builder.ins().load(I, TRUSTED, vector, layout.length) }
    }

    pub(super) fn open_vector(&mut self, list: ListNo) -> Value {
        let (lists, offset) = self.list(list);
        let open = i64::from(offset) + offset_of!(List, open) as i64;
        self.builder.ins().iadd_imm_s(lists, open)
    }

    fn fetch_items(&mut self, list: ListNo, kept: KeptList) -> Items {
        let is_open = self.open(list);
        let items = self.items_of(list, is_open);
        self.builder.def_var(kept.address, items.address);
        self.builder.def_var(kept.length, items.length);
        self.builder.def_var(kept.is_open, is_open);
        items
    }

    pub(super) fn open_items(&mut self, list: ListNo, longer: Block) -> Items {
        let Some(kept) = self.kept.list(list) else {
            let is_open = self.open(list);
            self.unless(is_open, longer);
            let vector = self.open_vector(list);
            return self.vector(vector);
        };
        let (next, unknown) = (self.block(), self.seldom());
        let is_open = self.builder.use_var(kept.is_open);
        self.builder.ins().brif(is_open, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        self.fetch_items(list, kept);
        let is_open = self.builder.use_var(kept.is_open);
        self.builder.ins().brif(is_open, next, &[], longer, &[]);
        self.builder.switch_to_block(next);
        let address = self.builder.use_var(kept.address);
        Items { address, length: self.builder.use_var(kept.length) }
    }

    pub(super) fn length(&mut self, list: ListNo) -> Value {
        let Some(kept) = self.kept.list(list) else { return self.items(list).length };
        let (next, unknown) = (self.block(), self.seldom());
        let length = self.builder.use_var(kept.length);
        self.builder.ins().brif(length, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        self.fetch_items(list, kept);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        self.builder.use_var(kept.length)
    }

    pub(super) fn item(&mut self, list: ListNo, index: Value, longer: Block) -> Value {
        let Some(kept) = self.kept.list(list) else {
            let items = self.items(list);
            return self.item_of(items, index, longer);
        };
        let place = self.place_of(index);
        let (next, unknown) = (self.block(), self.seldom());
        let length = self.builder.use_var(kept.length);
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, place, length);
        self.builder.ins().brif(exists, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        let length = self.fetch_items(list, kept).length;
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, place, length);
        self.builder.ins().brif(exists, next, &[], longer, &[]);
        self.builder.switch_to_block(next);
        let address = self.builder.use_var(kept.address);
        self.nth(address, place)
    }

    /// An index before the first item results in a place that is too large for any list.
    fn place_of(&mut self, index: Value) -> Value {
        // The conversion rounds towards 0 and converts NaN to 0.
        let index = self.builder.ins().fcvt_to_sint_sat(I, index);
        self.builder.ins().iadd_imm_s(index, -1)
    }

    pub(super) fn item_of(&mut self, items: Items, index: Value, longer: Block) -> Value {
        let place = self.place_of(index);
        let exists = self.builder.ins().icmp(IntCC::UnsignedLessThan, place, items.length);
        self.unless(exists, longer);
        self.nth(items.address, place)
    }

    pub(super) fn nth(&mut self, address: Value, place: Value) -> Value {
        let offset = self.builder.ins().ishl_imm_s(place, VALUE_SHIFT);
        self.builder.ins().iadd(address, offset)
    }

    pub(super) fn forget_items(&mut self, list: ListNo) {
        if let Some(kept) = self.kept.list(list) {
            let none = self.builder.ins().iconst(I, 0);
            let closed = self.builder.ins().iconst(types::I8, 0);
            self.builder.def_var(kept.length, none);
            self.builder.def_var(kept.is_open, closed);
        }
        self.items.clear();
    }
}
