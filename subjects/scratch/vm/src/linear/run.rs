//! Entry to the linear form, and execution by the interpreter of whatever has no instruction.

use std::mem::take;

use super::executor::{Executor, Stop};
use super::form::{Instruction, Kind, NOWHERE, Operand, Quantity};
use super::frames::push_path;
use super::lower::{DEEPEST, LONGEST_RUN};
use super::parameters::Parameters;
use super::steps::Steps;
use crate::code::{CommandId, NONE};
use crate::interpreter::Interpreter;
use crate::thread::Frame;
use crate::tracer::Tracer;
use crate::value::Value;

/// Maximum number of frames that a call and the called custom block push before the next call.
const ROOM: usize = 2 * DEEPEST + 8;

/// Lengths of a thread's stacks before frames and parameters of expansions are pushed.
#[derive(Clone, Copy, Default)]
struct Outside {
    frames: usize,
    parameters: usize,
}

impl<T: Tracer> Interpreter<'_, T> {
    /// Executes as much of the called custom block on top of the stack as is in linear form.
    #[inline]
    pub(crate) fn enter_called(&mut self) {
        let stack = &self.state.threads[self.thread].stack;
        let Some(top) = stack.last() else { return };
        if let Some(at) = self.entry(top.block) {
            self.run_linear(at);
        }
    }

    /// The thread must be in warp and have fuel.
    #[inline]
    pub(crate) fn enter_loop_again(&mut self) {
        let stack = &mut self.state.threads[self.thread].stack;
        let Some(&top) = stack.last() else { return };
        if let Some(at) = self.entry(top.block) {
            let stack = &mut self.state.threads[self.thread].stack;
            stack.push(Frame::new(NONE, top.warp, top.visible_parameters()));
            // Undo the count of this iteration, because the executor counts it again.
            self.buffers.cycles.due = self.buffers.cycles.due.wrapping_add(1);
            self.run_linear(at);
        }
    }

    /// Executes the blocks in linear form that follow a block in warp, which has just ended and is
    /// replaced on top of the stack.
    #[inline]
    pub(crate) fn resume_after(&mut self, block: CommandId) {
        let Some(&resumption) = self.program.linear.resumptions.get(block as usize) else { return };
        if resumption.at == NOWHERE || !self.enters() {
            return;
        }
        let stack = &mut self.state.threads[self.thread].stack;
        stack.truncate(stack.len() - resumption.branches as usize);
        if let Some(top) = stack.last_mut() {
            top.renew();
        }
        self.run_linear(resumption.at as usize);
    }

    #[inline]
    fn entry(&self, command: CommandId) -> Option<usize> {
        let at = self.program.linear.entry(command)?;
        self.enters().then_some(at)
    }

    #[inline]
    fn enters(&self) -> bool {
        let stack = &self.state.threads[self.thread].stack;
        !T::WATCHES
            && !self.buffers.interprets
            && stack.last().is_some_and(|top| top.warp)
            && self.slice_fuel > u32::from(LONGEST_RUN)
            && stack.len() + ROOM <= self.settings.stack_limit
    }

    fn run_linear(&mut self, mut at: usize) {
        let program = self.program;
        let form = &program.linear;
        self.linear.prepare(form);
        self.linear.tests.waiting = 0;
        loop {
            let (stop, stopped, outside) = self.run_executor(at);
            if stop == Stop::Leave {
                return;
            }
            let origin = form.origins[stopped];
            let command = &program.commands[origin.command as usize];
            at = stopped + 1;
            if self.buffers.interpreted.is_some() && stop != Stop::Apply {
                self.count_fallback(origin.no, form.instructions[stopped].fallback());
            }
            match form.instructions[stopped] {
                Instruction::Apply { a, b } if stop == Stop::Apply => {
                    match self.apply_series(stopped, (a, b)) {
                        Some(next) => at = next,
                        None => return,
                    }
                }
                Instruction::Evaluate { to } => {
                    debug_assert_eq!(to.kind(), Kind::Register);
                    let number = self.arithmetic(origin.expr);
                    let number = number.unwrap_or_else(|| self.number(origin.expr));
                    self.linear.numbers[to.index()] = number;
                }
                Instruction::Compare { jumps, to, .. }
                | Instruction::Branch { jumps, to }
                | Instruction::Decide { jumps, to } => {
                    self.linear.tests.waiting = 0;
                    if self.condition(command.no, origin.expr) == jumps {
                        at = to as usize;
                    }
                }
                Instruction::CompareItem { way, to, .. }
                | Instruction::CompareLetter { way, to, .. } => {
                    self.linear.tests.waiting = 0;
                    if self.condition(command.no, origin.expr) == way.jumps() {
                        at = to as usize;
                    }
                }
                Instruction::PushValue { place } => {
                    let sprite = self.state.targets[self.target].sprite as usize;
                    let value = match self.value(origin.expr) {
                        Value::Undefined => program.default_of(sprite, origin.command, place),
                        value => value,
                    };
                    self.state.threads[self.thread].parameters.push(value);
                }
                _ => {
                    self.execute_op(&command.op, command.no);
                    if self.is_exhausted_after(origin.command) {
                        return;
                    }
                }
            }
            if origin.expansion != NOWHERE {
                let thread = &mut self.state.threads[self.thread];
                thread.stack.truncate(outside.frames);
                thread.parameters.truncate(outside.parameters);
                if let Some(top) = thread.stack.last_mut() {
                    top.renew();
                }
            }
        }
    }

    /// Continues with the following blocks while each of them is an application without operands to
    /// compute. Returns the instruction at which the linear form continues; `None` if there is no
    /// fuel left.
    #[inline(never)]
    fn apply_series(&mut self, mut at: usize, mut operands: (Operand, Operand)) -> Option<usize> {
        let program = self.program;
        let form = &program.linear;
        loop {
            let origin = form.origins[at];
            let command = &program.commands[origin.command as usize];
            self.apply_operands(&command.op, command.no, operands);
            if self.is_exhausted_after(origin.command) {
                return None;
            }
            let (
                Some(&Instruction::Run { count: 1, calls: false, .. }),
                Some(&Instruction::Apply { a, b }),
            ) = (form.instructions.get(at + 1), form.instructions.get(at + 2))
            else {
                return Some(at + 1);
            };
            if self.slice_fuel <= 1 {
                return Some(at + 1);
            }
            self.consume_fuel(1);
            if T::ACTIVE {
                self.tracer.covered(form.origins[at + 1].no);
            }
            if let Some(counts) = self.buffers.interpreted.as_deref_mut() {
                counts.blocks += 1;
            }
            (at, operands) = (at + 2, (a, b));
        }
    }

    /// If no fuel is left, prepares the stack for the interpreter to continue.
    #[inline]
    fn is_exhausted_after(&mut self, command: CommandId) -> bool {
        let exhausted = self.slice_fuel == 0;
        if exhausted {
            let program = self.program;
            let stack = &mut self.state.threads[self.thread].stack;
            push_path(stack, &program.linear.parents, command);
            if let Some(top) = stack.last_mut() {
                top.block = program.commands[command as usize].next;
            }
        }
        exhausted
    }

    /// Indexed by [`Quantity`].
    #[inline]
    fn quantities(&self) -> [f64; Quantity::COUNT] {
        let own = &self.state.targets[self.target];
        let backdrop = self.state.targets[self.program.stage].costume;
        let (costume, backdrop) = (own.costume as f64 + 1.0, backdrop as f64 + 1.0);
        let (tempo, counter) = (self.state.tempo, self.state.counter);
        [own.x, own.y, own.direction, own.size, costume, backdrop, own.volume, tempo, counter]
    }

    /// Returns the reason for the stop, the instruction, and the lengths of the stacks before the
    /// frames of expansions were pushed.
    fn run_executor(&mut self, at: usize) -> (Stop, usize, Outside) {
        let quantities = self.quantities();
        let (state, program) = (&mut *self.state, self.program);
        let thread = &mut state.threads[self.thread];
        let visible = thread.stack.last().map_or(0, Frame::visible_parameters);
        let sprite = state.targets[self.target].sprite as usize;
        let (own, stage) = if self.target == program.stage {
            (None, &mut state.targets[program.stage])
        } else {
            // Both targets exist, because the program and a thread refer to them.
            match state.targets.get_disjoint_mut([self.target, program.stage]) {
                Ok([own, stage]) => (Some(own), stage),
                Err(_) => return (Stop::Leave, at, Outside::default()),
            }
        };
        let (own, own_lists) = own
            .map_or((&mut [][..], &mut [][..]), |own| (&mut own.variables[..], &mut own.lists[..]));
        let fuel = self.slice_fuel;
        let Steps { steps, single, numbers, tests, delayed, native } = &mut *self.linear;
        native.prepare(program, steps, single);
        let mut executor = Executor {
            numbers,
            variables: [&mut stage.variables, own],
            lists: [&mut stage.lists, own_lists],
            parameters: Parameters::new(take(&mut thread.parameters)),
            base: visible.saturating_sub(1) as usize,
            fuel,
            text_fuel: 0,
            due: self.buffers.cycles.due,
            stack: &mut thread.stack,
            delayed,
            calls: 0,
            delayed_frames: 0,
            room: self.settings.stack_limit - ROOM,
            text_limit: self.settings.text_limit,
            tracer: self.tracer,
            form: &program.linear,
            program,
            sprite,
            tests,
            angles: &mut self.buffers.angles,
            items: &mut self.buffers.items,
            quantities,
            random: &mut state.random,
            hits: &mut state.hits,
            step: state.steps,
            native,
            single,
            stopped: (Stop::Leave, at),
        };
        let (stop, stopped) = match executor.run_native(steps, at) {
            Some(stopped) => stopped,
            None => executor.run(steps, at),
        };
        executor.native.count(fuel - executor.fuel);
        executor.push_delayed();
        let outside =
            Outside { frames: executor.stack.len(), parameters: executor.parameters.len() };
        if stop == Stop::Interpret {
            executor.push_expansions(stopped);
        }
        executor.close();
        (self.slice_fuel, self.buffers.cycles.due) = (executor.fuel, executor.due);
        if let Some(counts) = self.buffers.interpreted.as_deref_mut() {
            counts.blocks += u64::from(fuel - self.slice_fuel - executor.text_fuel);
        }
        thread.parameters = executor.parameters.into_values();
        state.step_fuel = state.step_fuel.saturating_sub(u64::from(fuel - self.slice_fuel));
        (stop, stopped, outside)
    }
}
