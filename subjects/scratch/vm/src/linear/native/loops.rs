//! Native code of runs and loops.

use std::mem::offset_of;

use catherd_scratch_sb3::BlockNo;
use cranelift_codegen::ir::condcodes::{FloatCC, IntCC};
use cranelift_codegen::ir::{Block, InstBuilder, TrapCode, Value, types};

use super::comparisons::Way;
use super::generator::{D, Generator, I, TRUSTED};
use super::marks::Mark;
use crate::code::{CommandId, NONE};
use crate::linear::form::{Instruction, Operand};
use crate::thread::Frame;

impl Generator<'_, '_> {
    /// Returns to the dispatcher after the handler of an instruction, for a path that leaves native
    /// code.
    fn leave_by(&mut self, at: usize, block: Block) {
        if self.leaves(at, block) {
            return;
        }
        let here = self.block();
        self.builder.ins().jump(here, &[]);
        self.builder.switch_to_block(block);
        let next = self.single(at);
        self.builder.ins().jump(self.returns, &[next.into()]);
        self.builder.switch_to_block(here);
    }

    /// Consumes fuel; jumps to `longer` if there may be too little.
    fn consume(&mut self, at: usize, count: u16, longer: Block) {
        let count = u32::from(count);
        let fuel = self.builder.use_var(self.kept.fuel);
        if self.paid < count {
            // In `Mode::Bridged`, test once for all instructions up to the next leader. Handlers
            // execute them if less fuel is left.
            self.paid = if self.leaves.is_some() { self.cost(at) } else { count };
            let all = i64::from(self.paid);
            let suffices = self.builder.ins().icmp_imm_s(IntCC::UnsignedGreaterThan, fuel, all);
            self.unless(suffices, longer);
        }
        self.paid -= count;
        let left = self.builder.ins().iadd_imm_s(fuel, -i64::from(count));
        self.builder.def_var(self.kept.fuel, left);
    }

    /// Maximum fuel of the runs and iterations from an instruction up to the next leader.
    fn cost(&self, first: usize) -> u32 {
        let mut cost = 0;
        for (at, instruction) in self.form.instructions.iter().enumerate().skip(first) {
            if at > first && self.leaders.contains_key(&at) && !self.entries.contains(&at) {
                break;
            }
            match instruction {
                Instruction::Run { count, .. } => cost += u32::from(*count),
                Instruction::Again { .. } | Instruction::CountAgain { .. } => return cost + 1,
                Instruction::Jump { .. } | Instruction::Call { .. } | Instruction::Return => break,
                _ => {}
            }
        }
        cost
    }

    pub(super) fn run(&mut self, at: usize, first: u32, count: u16, calls: bool) {
        let longer = self.seldom();
        if calls {
            let executor = self.executor;
            let stack = self.builder.ins().load(I, TRUSTED, executor, self.abi.stack);
            let length = self.layout.frames.length;
            let length = self.builder.ins().load(I, TRUSTED, stack, length);
            let delayed = self.field(self.abi.delayed_frames, types::I32);
            let delayed = self.builder.ins().uextend(I, delayed);
            let frames = self.builder.ins().iadd(length, delayed);
            let room = self.builder.ins().load(I, TRUSTED, executor, self.abi.room);
            let fits = self.builder.ins().icmp(IntCC::UnsignedLessThanOrEqual, frames, room);
            self.unless(fits, longer);
        }
        self.consume(at, count, longer);
        if self.abi.active {
            let mark = Mark::Run(first as usize);
            self.report(mark, self.abi.functions.report_run, at as u64);
        }
        self.leave_by(at, longer);
    }

    /// The addresses of the vector of frames and of the first frame, and the number of frames.
    fn frames(&mut self) -> (Value, Value, Value) {
        let stack = self.builder.ins().load(I, TRUSTED, self.executor, self.abi.stack);
        let layout = self.layout.frames;
        let address = self.builder.ins().load(I, TRUSTED, stack, layout.address);
        (stack, address, self.builder.ins().load(I, TRUSTED, stack, layout.length))
    }

    fn frame(&mut self, frames: Value, index: Value) -> Value {
        let offset = self.builder.ins().imul_imm_s(index, size_of::<Frame>() as i64);
        self.builder.ins().iadd(frames, offset)
    }

    fn set_byte(&mut self, frame: Value, offset: usize, byte: Value) {
        self.builder.ins().store(TRUSTED, byte, frame, offset as i32);
    }

    /// Whether handlers push and pop the frames of a loop inside this number of branches. In
    /// [`Mode::Direct`](super::memory::Mode), compiling code for this would take too much time.
    pub(super) fn calls_for_loop(&self, branches: usize) -> bool {
        self.leaves.is_none() && branches > 0
    }

    /// Executes an instruction with its handler, without counting the call.
    pub(super) fn uncounted(&mut self, at: usize) {
        let no = self.constant(at as u64);
        let next = self.single_of(self.abi.functions.uncounted, no);
        self.take_again();
        self.expect(at, next);
    }

    /// Pushes frames as `Executor::enter_loop` does.
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
        let path = self.path(at);
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

    /// The commands of the branches around a loop, from the outermost, and of the loop.
    pub(super) fn path(&self, at: usize) -> Vec<CommandId> {
        let mut path = Vec::new();
        let mut around = self.form.origins[at].command;
        while around != NONE {
            path.push(around);
            around = self.form.parents[around as usize];
        }
        path.reverse();
        path
    }

    /// Pops the frames of a loop and of the branches around it.
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
        if self.abi.active {
            self.unless_marked(Mark::Settled(no), |generator, next| {
                let function = generator.abi.functions.report_count;
                let no = generator.constant(no.0);
                generator.call(function, no, Some((left, left)), I);
                generator.builder.ins().jump(next, &[]);
            });
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
        self.consume(at, 1, longer);
        let due = self.builder.ins().iadd_imm_s(due, -1);
        self.builder.def_var(self.kept.due, due);
        if self.abi.active {
            self.report(Mark::Covered(no), self.abi.functions.report_block, u64::from(no.0));
        }
        self.leave_by(at, longer);
    }
}
