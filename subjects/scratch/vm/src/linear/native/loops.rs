//! Native code of runs and loops.

use std::mem::offset_of;

use catherd_scratch_sb3::BlockNo;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, TrapCode, Value, types};

use super::abi::Address;
use super::comparisons::Way;
use super::generator::{D, Generator, I, TRUSTED};
use super::marks::Mark;
use crate::code::{CommandId, NONE};
use crate::linear::form::Operand;
use crate::thread::Frame;

impl Generator<'_, '_> {
    /// Calls a function that reports, unless `marked` is true.
    fn report(&mut self, marked: Value, function: Address, word: u64, number: Option<Value>) {
        let (next, reports) = (self.block(), self.seldom());
        self.builder.ins().brif(marked, next, &[], reports, &[]);
        self.builder.switch_to_block(reports);
        let word = self.constant(word);
        self.call(function, word, number.map(|number| (number, number)), I);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
    }

    /// Returns to the dispatcher after the handler of an instruction, for a path that leaves native
    /// code.
    fn leave_by(&mut self, at: usize, block: Block) {
        let here = self.block();
        self.builder.ins().jump(here, &[]);
        self.builder.switch_to_block(block);
        let next = self.single(at);
        self.builder.ins().jump(self.returns, &[next.into()]);
        self.builder.switch_to_block(here);
    }

    /// Consumes fuel; jumps to `longer` unless more than this amount is left.
    fn consume(&mut self, count: u16, longer: Block) {
        let fuel = self.builder.use_var(self.kept.fuel);
        let count = i64::from(count);
        let suffices = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, fuel, count);
        self.unless(suffices, longer);
        let left = self.builder.ins().iadd_imm_s(fuel, -count);
        self.builder.def_var(self.kept.fuel, left);
    }

    pub(super) fn run(&mut self, at: usize, first: u32, count: u16, calls: bool) {
        let longer = self.seldom();
        if calls {
            let executor = self.executor;
            let stack = self.builder.ins().load(I, TRUSTED, executor, self.abi.stack);
            let length = self.layout.frames.length;
            let length = self.builder.ins().load(I, TRUSTED, stack, length);
            let delayed = self.builder.ins().uload32(TRUSTED, executor, self.abi.delayed_frames);
            let frames = self.builder.ins().iadd(length, delayed);
            let room = self.builder.ins().load(I, TRUSTED, executor, self.abi.room);
            let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, frames, room);
            self.unless(fits, longer);
        }
        self.consume(count, longer);
        if self.abi.active {
            let marked = self.is_marked(Mark::Run(first as usize));
            self.report(marked, self.abi.functions.report_run, at as u64, None);
        }
        self.leave_by(at, longer);
    }

    /// The address of the vector of frames, the address of the first frame, and their number.
    fn frames(&mut self) -> (Value, Value, Value) {
        let stack = self.builder.ins().load(I, TRUSTED, self.executor, self.abi.stack);
        let layout = self.layout.frames;
        let address = self.builder.ins().load(I, TRUSTED, stack, layout.address);
        (stack, address, self.builder.ins().load(I, TRUSTED, stack, layout.length))
    }

    /// The address of the frame with an index.
    fn frame(&mut self, frames: Value, index: Value) -> Value {
        let offset = self.builder.ins().imul_imm_s(index, size_of::<Frame>() as i64);
        self.builder.ins().iadd(frames, offset)
    }

    fn set_byte(&mut self, frame: Value, offset: usize, byte: Value) {
        self.builder.ins().store(TRUSTED, byte, frame, offset as i32);
    }

    /// Pushes the frames of a loop, of the branches around it and of its body.
    pub(super) fn enter_loop(&mut self, at: usize, counted: bool, times: Operand) {
        let longer = self.seldom();
        let counter = match counted {
            true => {
                let times = self.read(times, longer);
                self.demand_ordered(times, times, longer);
                self.round(times)
            }
            false => self.builder.ins().f64const(0.0),
        };
        let path = self.path(self.form.origins[at].command);
        let (stack, address, length) = self.frames();
        let capacity = self.builder.ins().load(I, TRUSTED, stack, self.layout.frames.capacity);
        let after = self.builder.ins().iadd_imm_s(length, path.len() as i64);
        let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, after, capacity);
        self.unless(fits, longer);
        self.unless(length, longer);

        let top = self.builder.ins().iadd_imm_s(length, -1);
        let mut frame = self.frame(address, top);
        let word = |generator: &mut Self, offset: usize| {
            generator.builder.ins().load(types::I32, TRUSTED, frame, offset as i32)
        };
        let own = word(self, offset_of!(Frame, parameters));
        let outer = word(self, offset_of!(Frame, outer_parameters));
        let visible = self.builder.ins().umax(own, outer);
        let warp = offset_of!(Frame, warp) as i32;
        let warp = self.builder.ins().load(types::I8, TRUSTED, frame, warp);
        let (no, yes) =
            (self.builder.ins().iconst(types::I8, 0), self.builder.ins().iconst(types::I8, 1));
        let (none, zero) =
            (self.builder.ins().iconst(types::I32, 0), self.builder.ins().f64const(0.0));
        let mut loop_frame = frame;
        for (place, command) in path.iter().chain([&NONE]).enumerate() {
            if place > 0 {
                loop_frame = frame;
                frame = self.builder.ins().iadd_imm_s(frame, size_of::<Frame>() as i64);
                for (byte, offset) in [
                    (no, offset_of!(Frame, is_loop)),
                    (warp, offset_of!(Frame, warp)),
                    (no, offset_of!(Frame, in_progress)),
                ] {
                    self.set_byte(frame, offset, byte);
                }
                for (value, offset) in [
                    (none, offset_of!(Frame, parameters)),
                    (visible, offset_of!(Frame, outer_parameters)),
                    (zero, offset_of!(Frame, counter)),
                ] {
                    self.builder.ins().store(TRUSTED, value, frame, offset as i32);
                }
            }
            let block = self.builder.ins().iconst(types::I32, i64::from(*command as i32));
            let place = offset_of!(Frame, block) as i32;
            self.builder.ins().store(TRUSTED, block, frame, place);
        }
        self.set_byte(loop_frame, offset_of!(Frame, is_loop), yes);
        let in_progress = if counted { yes } else { no };
        self.set_byte(loop_frame, offset_of!(Frame, in_progress), in_progress);
        let place = offset_of!(Frame, counter) as i32;
        self.builder.ins().store(TRUSTED, counter, loop_frame, place);
        self.builder.ins().store(TRUSTED, after, stack, self.layout.frames.length);
        self.builder.def_var(self.kept.frame, loop_frame);
        self.builder.def_var(self.kept.counter, counter);
        self.end(at, longer);
    }

    /// The command of a loop after the commands of the branches around it, from the outermost.
    fn path(&self, command: CommandId) -> Vec<CommandId> {
        let mut path = Vec::new();
        let mut around = command;
        while around != NONE {
            path.push(around);
            around = self.form.parents[around as usize];
        }
        path.reverse();
        path
    }

    /// Pops the frames of a loop and of this number of branches around it.
    pub(super) fn leave_loop(&mut self, at: usize, branches: u16) {
        let longer = self.seldom();
        let (stack, address, length) = self.frames();
        let count = 1 + i64::from(branches);
        let exist = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, length, count);
        self.unless(exist, longer);
        let left = self.builder.ins().iadd_imm_s(length, -count);
        self.builder.ins().store(TRUSTED, left, stack, self.layout.frames.length);
        let top = self.builder.ins().iadd_imm_s(left, -1);
        let frame = self.frame(address, top);
        let no = self.builder.ins().iconst(types::I8, 0);
        self.set_byte(frame, offset_of!(Frame, is_loop), no);
        self.set_byte(frame, offset_of!(Frame, in_progress), no);
        let (none, zero) =
            (self.builder.ins().iconst(types::I32, 0), self.builder.ins().f64const(0.0));
        let place = offset_of!(Frame, parameters) as i32;
        self.builder.ins().store(TRUSTED, none, frame, place);
        self.builder.ins().store(TRUSTED, zero, frame, offset_of!(Frame, counter) as i32);
        let unknown = self.builder.ins().iconst(I, 0);
        self.builder.def_var(self.kept.frame, unknown);
        self.end(at, longer);
    }

    /// The address of the frame of the innermost loop, which is below the frame of its body.
    fn loop_frame(&mut self) -> Value {
        let (_, address, length) = self.frames();
        // The frames of the loop and its body are on the stack, because `EnterLoop` or the
        // interpreter has pushed them.
        let has_both = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, length, 1);
        self.builder.ins().trapz(has_both, TrapCode::unwrap_user(1));
        let below = self.builder.ins().iadd_imm_s(length, -2);
        self.frame(address, below)
    }

    pub(super) fn count(&mut self, no: BlockNo, end: u32) {
        let place = offset_of!(Frame, counter) as i32;
        let (next, unknown) = (self.block(), self.seldom());
        let frame = self.builder.use_var(self.kept.frame);
        self.builder.ins().brif(frame, next, &[], unknown, &[]);
        self.builder.switch_to_block(unknown);
        let frame = self.loop_frame();
        let counter = self.builder.ins().load(D, TRUSTED, frame, place);
        self.builder.def_var(self.kept.frame, frame);
        self.builder.def_var(self.kept.counter, counter);
        self.builder.ins().jump(next, &[]);
        self.builder.switch_to_block(next);
        let frame = self.builder.use_var(self.kept.frame);
        let before = self.builder.use_var(self.kept.counter);
        let one = self.builder.ins().f64const(1.0);
        let left = self.builder.ins().fsub(before, one);
        self.builder.def_var(self.kept.counter, left);
        self.builder.ins().store(TRUSTED, left, frame, place);
        if let Some(settled) = self.is_settled(no) {
            let function = self.abi.functions.report_count;
            self.report(settled, function, u64::from(no.0), Some(left));
        }
        let zero = self.builder.ins().f64const(0.0);
        let begins = self.builder.ins().fcmp(FloatCC::GreaterThanOrEqual, left, zero);
        self.jump_if(begins, Way { on: false, to: end });
    }

    pub(super) fn again(&mut self, at: usize, no: BlockNo) {
        let longer = self.seldom();
        let due = self.builder.use_var(self.kept.due);
        if self.abi.merges {
            let waits = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, due, 1);
            self.unless(waits, longer);
        }
        self.consume(1, longer);
        let due = self.builder.ins().iadd_imm_s(due, -1);
        self.builder.def_var(self.kept.due, due);
        if self.abi.active {
            let marked = self.is_marked(Mark::Covered(no));
            self.report(marked, self.abi.functions.report_block, u64::from(no.0), None);
        }
        self.leave_by(at, longer);
    }
}
