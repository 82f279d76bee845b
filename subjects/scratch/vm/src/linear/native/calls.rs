//! Native code of calls whose frames are delayed, and of returns from such calls.

use std::mem::offset_of;

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{Block, InstBuilder, Value, types};

use super::generator::{Generator, I, TRUSTED};
use crate::linear::executor::{Delayed, MAX_DELAYED};
use crate::linear::form::Site;

/// Maximum number of parameters of a call with native code.
const MAX_PARAMETERS: u16 = 8;

impl Generator<'_, '_> {
    fn add_frames(&mut self, frames: Value, negative: bool) {
        let field = self.abi.delayed_frames;
        let before = self.field(field, types::I32);
        let after = match negative {
            true => self.builder.ins().isub(before, frames),
            false => self.builder.ins().iadd(before, frames),
        };
        self.set_field(field, after);
    }

    fn delayed(&mut self, call: Value) -> Value {
        let all = self.field(self.abi.delayed, I);
        let offset = self.builder.ins().imul_imm_s(call, size_of::<Delayed>() as i64);
        self.builder.ins().iadd(all, offset)
    }

    fn end_by_handler(&mut self, at: usize, longer: Block) {
        if self.leaves(at, longer) {
            return;
        }
        self.builder.switch_to_block(longer);
        let next = self.single(at);
        self.builder.ins().jump(self.enters, &[next.into()]);
    }

    pub(super) fn call_block(&mut self, at: usize, site: Site) {
        let (first, count) = site.operands;
        if site.delayed == 0 || count > MAX_PARAMETERS {
            let next = self.handler(at);
            self.forget_kept();
            self.builder.ins().jump(self.enters, &[next.into()]);
            return;
        }
        let longer = self.seldom();
        let calls = self.field(self.abi.calls, I);
        let room = MAX_DELAYED as i64;
        let fits = self.builder.ins().icmp_imm_s(IntCC::UnsignedLessThan, calls, room);
        self.unless(fits, longer);

        // Overwrite popped values, which are still in memory.
        let (values, number) = self.abi.parameter(self.layout);
        let (values, number) = (self.field(values, I), self.field(number, I));
        let before = self.field(self.abi.parameter_count, I);
        let after = self.builder.ins().iadd_imm_s(before, i64::from(count));
        let exist = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, after, number);
        self.unless(exist, longer);
        let form = self.form;
        let place = self.nth(values, before);
        let operands = &form.operands[first as usize..first as usize + usize::from(count)];
        for (operand, offset) in operands.iter().zip((0..).step_by(16)) {
            let parameter = self.copied(*operand, longer);
            self.demand_defined(parameter, longer);
            self.copy(parameter, (place, offset), longer);
        }

        let delayed = self.delayed(calls);
        let caller = self.field(self.abi.base, I);
        let caller = self.builder.ins().ireduce(types::I32, caller);
        let index = self.builder.ins().iconst(types::I32, at as i64);
        let frames = self.builder.ins().iconst(types::I32, i64::from(site.delayed));
        for (value, offset) in [
            (index, offset_of!(Delayed, at)),
            (caller, offset_of!(Delayed, base)),
            (frames, offset_of!(Delayed, frames)),
        ] {
            self.builder.ins().store(TRUSTED, value, delayed, offset as i32);
        }
        let more = self.builder.ins().iadd_imm_s(calls, 1);
        self.set_field(self.abi.calls, more);
        self.add_frames(frames, false);
        self.set_field(self.abi.parameter_count, after);
        let base = self.builder.ins().iadd_imm_s(after, -i64::from(site.parameters));
        self.set_field(self.abi.base, base);
        self.go_to(site.entry as usize);
        self.end_by_handler(at, longer);
    }

    pub(super) fn return_from_block(&mut self, at: usize) {
        let Some(count) = self.parameters_here.filter(|count| *count <= MAX_PARAMETERS) else {
            let next = self.handler(at);
            self.forget_kept();
            self.builder.ins().jump(self.enters, &[next.into()]);
            return;
        };
        let longer = self.seldom();
        let calls = self.field(self.abi.calls, I);
        let is_delayed = self.builder.ins().icmp_imm_s(IntCC::NotEqual, calls, 0);
        self.unless(is_delayed, longer);
        // Call the handler if a parameter has a reference count, because the handler frees long
        // strings.
        let (values, _) = self.abi.parameter(self.layout);
        let (values, base) = (self.field(values, I), self.field(self.abi.base, I));
        let length = self.field(self.abi.parameter_count, I);
        let own = self.builder.ins().isub(length, base);
        let expected = i64::from(count);
        let as_called = self.builder.ins().icmp_imm_s(IntCC::Equal, own, expected);
        self.unless(as_called, longer);
        let place = self.nth(values, base);
        for offset in (0..i32::from(count)).map(|parameter| parameter * 16) {
            self.demand_uncounted((place, offset), longer);
        }

        let calls = self.builder.ins().iadd_imm_s(calls, -1);
        self.set_field(self.abi.calls, calls);
        let delayed = self.delayed(calls);
        let part = |generator: &mut Self, offset: usize| {
            generator.builder.ins().load(types::I32, TRUSTED, delayed, offset as i32)
        };
        let index = part(self, offset_of!(Delayed, at));
        let caller = part(self, offset_of!(Delayed, base));
        let frames = part(self, offset_of!(Delayed, frames));
        self.add_frames(frames, true);
        self.set_field(self.abi.parameter_count, base);
        let caller = self.builder.ins().uextend(I, caller);
        self.set_field(self.abi.base, caller);
        let index = self.builder.ins().uextend(I, index);
        let next = self.builder.ins().iadd_imm_s(index, 1);
        self.builder.ins().jump(self.enters, &[next.into()]);
        self.end_by_handler(at, longer);
    }
}
