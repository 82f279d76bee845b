//! Ends of instructions, where the longer path meets the short path or leaves native code.

use cranelift_codegen::ir::{Block, InstBuilder, Value};

use super::generator::{D, Generator, SECOND, TRUSTED};
use crate::linear::form::{Kind, ListNo, Operand};

impl Generator<'_, '_> {
    pub(super) fn begin(&mut self) {
        self.before = (self.known.clone(), self.numerals.clone());
    }

    /// Forgets the values that were read in the current instruction, before its paths meet.
    pub(super) fn meet(&mut self) {
        (self.known, self.numerals) = std::mem::take(&mut self.before);
    }

    /// In [`Mode::Bridged`](super::memory::Mode::Bridged), lets a longer path leave native code before an
    /// instruction, and returns true.
    pub(super) fn leaves(&mut self, at: usize, longer: Block) -> bool {
        let leaves = self.leaves.is_some();
        if leaves {
            self.left.push((longer, at));
        }
        leaves
    }

    /// Generates the longer paths that leave native code.
    pub(super) fn leave(&mut self) {
        let Some(leaves) = self.leaves else { return };
        for (block, at) in std::mem::take(&mut self.left) {
            self.builder.switch_to_block(block);
            let at = self.constant(at as u64);
            self.builder.ins().jump(leaves, &[at.into()]);
        }
        self.builder.switch_to_block(leaves);
        let at = self.builder.block_params(leaves)[0];
        let next = self.single_of(self.abi.functions.leave, at);
        self.builder.ins().return_(&[next]);
    }

    /// Ends an instruction whose longer path calls the handler.
    pub(super) fn end(&mut self, at: usize, longer: Block) {
        if self.leaves(at, longer) {
            return;
        }
        self.meet();
        let next = self.block();
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(longer);
        let index = self.single(at);
        self.expect(at, index);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Ends an instruction that stores a number and whose handler stores a number as well.
    pub(super) fn store(&mut self, at: usize, to: Operand, number: Value, longer: Block) {
        let is_register = to.kind() == Kind::Register;
        let (place, offset) = match is_register {
            true => (self.numbers, to.index() as i32 * 8),
            false => {
                let (place, offset) = self.place(to, longer);
                if !self.known.contains_key(&to) && !self.stored.contains(&to) {
                    self.demand_writable(to, (place, offset), longer);
                    self.builder.ins().store(TRUSTED, self.header, place, offset);
                }
                (place, offset + SECOND)
            }
        };
        self.builder.ins().store(TRUSTED, number, place, offset);
        let is_kept = self.keep(to, number);
        if self.leaves(at, longer) {
            self.stored.insert(to);
            if !is_kept {
                self.numerals.remove(&to);
                self.known.insert(to, number);
            }
            return;
        }
        self.meet();
        let next = self.block();
        let result = self.builder.append_block_param(next, D);
        self.builder.ins().jump(next, &[number.into()]);
        self.builder.switch_to_block(longer);
        let index = self.single(at);
        self.expect(at, index);
        let number = self.builder.ins().load(D, TRUSTED, place, offset);
        self.builder.ins().jump(next, &[number.into()]);
        self.builder.switch_to_block(next);
        self.written(to);
        self.known.insert(to, result);
    }

    /// Ends an instruction that copies a value to a variable. `number` is the number of the value
    /// if it is known, and may be NaN.
    pub(super) fn end_copy(
        &mut self,
        at: usize,
        to: Operand,
        number: Option<Value>,
        longer: Block,
    ) {
        self.stored.remove(&to);
        let is_kept = self.keep_copied(to, number);
        self.end(at, longer);
        if !is_kept {
            self.known.remove(&to);
            self.numerals.remove(&to);
        }
    }

    /// Ends an instruction that writes a list.
    pub(super) fn end_list(&mut self, at: usize, list: ListNo, longer: Block) {
        if self.leaves(at, longer) {
            self.items.remove(&list);
            return;
        }
        self.meet();
        let next = self.block();
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(longer);
        let index = self.single(at);
        self.expect(at, index);
        self.forget_items(list);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        self.items.clear();
    }
}
