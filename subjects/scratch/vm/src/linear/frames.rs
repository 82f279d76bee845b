//! Frames of loops and calls, which the linear form pushes and pops as the interpreter would.
//!
//! The frames of a call can be delayed: the executor pushes them only when they are needed.

use catherd_scratch_sb3::BlockNo;

use super::executor::{Delayed, Executor, MAX_DELAYED};
use super::form::{Form, Instruction, Kind, NOWHERE, Operand, Site};
use super::operands::{Any, Source, Stored};
use crate::code::{CommandId, NONE};
use crate::thread::Frame;
use crate::tracer::Tracer;
use crate::value::Value;

/// Sets the block on top of a stack and pushes the frames of the branches around it.
pub(super) fn push_path(stack: &mut Vec<Frame>, parents: &[CommandId], command: CommandId) {
    let Some(top) = stack.last() else { return };
    if parents[command as usize] == NONE {
        if let Some(top) = stack.last_mut() {
            top.block = command;
        }
        return;
    }
    let (below, first) = (stack.len() - 1, Frame::new(command, top.warp, top.visible_parameters()));
    let mut around = parents[command as usize];
    while around != NONE {
        stack.push(first);
        around = parents[around as usize];
    }
    around = command;
    for frame in stack[below..].iter_mut().rev() {
        frame.block = around;
        around = parents[around as usize];
    }
}

/// `parameters` is the value of [`Frame::parameters`] for the call.
#[inline(always)]
fn push_frames(
    stack: &mut Vec<Frame>,
    form: &Form,
    call: CommandId,
    definition: CommandId,
    parameters: u32,
) {
    push_path(stack, &form.parents, call);
    if let Some(frame) = stack.last_mut() {
        (frame.in_progress, frame.parameters) = (true, parameters);
    }
    stack.push(Frame::new(definition, true, parameters));
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn enter_loop(&mut self, at: usize, counted: bool, counter: f64) {
        debug_assert_eq!(self.calls, 0, "calls of custom blocks with loops are not delayed");
        push_path(self.stack, &self.form.parents, self.form.origins[at].command);
        if let Some(frame) = self.stack.last_mut() {
            (frame.is_loop, frame.in_progress, frame.counter) = (true, counted, counter);
            let body = Frame::new(NONE, frame.warp, frame.visible_parameters());
            self.stack.push(body);
        }
    }

    /// Returns whether the iteration begins.
    #[inline(always)]
    pub(super) fn count(&mut self, no: BlockNo) -> bool {
        let below = self.stack.len() - 2;
        let frame = &mut self.stack[below];
        frame.counter -= 1.0;
        let left = frame.counter;
        self.report_count(no, left);
        left >= 0.0
    }

    #[inline(always)]
    pub(super) fn report_count(&mut self, no: BlockNo, left: f64) {
        if left >= 0.0 {
            self.report(no, 0.0, left.max(1.0));
        } else {
            self.report(no, 1.0, 0.0);
        }
    }

    /// Returns false if the interpreter continues at the end of the body.
    #[inline(always)]
    pub(super) fn again(&mut self, no: BlockNo) -> bool {
        let searches = T::MERGES && self.due <= 1;
        if self.fuel <= 1 || searches {
            self.end_body();
            return false;
        }
        self.due = self.due.wrapping_sub(1);
        self.fuel -= 1;
        if T::ACTIVE {
            self.tracer.covered(no);
        }
        true
    }

    /// Pops frames; the frame below continues with the next block.
    #[inline(always)]
    pub(super) fn pop_frames(&mut self, count: usize) {
        self.stack.truncate(self.stack.len() - count);
        if let Some(top) = self.stack.last_mut() {
            top.renew();
        }
    }

    #[cold]
    fn end_body(&mut self) {
        if let Some(top) = self.stack.last_mut() {
            top.block = NONE;
        }
    }

    #[cold]
    pub(super) fn leave_at(&mut self, at: usize) {
        self.push_delayed();
        self.push_expansions(at);
        push_path(self.stack, &self.form.parents, self.form.origins[at].command);
    }

    #[inline(always)]
    pub(super) fn push_operand<S: Source>(&mut self, at: usize, a: Operand, place: u16) {
        if let Some(number) = S::number(self, a) {
            match self.parameters.next_number() {
                Some(place) => *place = number,
                None => self.parameters.push_number(number),
            }
            return;
        }
        self.push_value(at, a, place);
    }

    #[inline(never)]
    fn push_value(&mut self, at: usize, a: Operand, place: u16) {
        let form = self.form;
        if a.kind() == Kind::Constant
            && let Value::Text(text) = &form.values[a.index()]
        {
            return self.parameters.push_constant(text);
        }
        if let Stored::Other(Value::Text(text)) = Any::read(self, a) {
            let text = text.clone();
            return self.parameters.push_text(text);
        }
        let value = self.value(a);
        self.push(at, value, place);
    }

    pub(super) fn push(&mut self, at: usize, value: Value, place: u16) {
        let value = match value {
            Value::Undefined => {
                self.program.default_of(self.sprite, self.form.origins[at].command, place)
            }
            value => value,
        };
        self.parameters.push(value);
    }

    #[inline(always)]
    pub(super) fn push_parameters(&mut self, at: usize, site: &Site) {
        let (first, count) = site.operands;
        let operands = &self.form.operands[first as usize..first as usize + usize::from(count)];
        for (place, &a) in (site.parameters - count..).zip(operands) {
            self.push_operand::<Any>(at, a, place);
        }
    }

    #[inline(always)]
    pub(super) fn call(&mut self, at: usize, site: &Site) {
        self.push_parameters(at, site);
        self.push_delayed();
        let command = self.form.origins[at].command;
        self.push_call(command, site.definition, usize::from(site.parameters));
    }

    /// Calls a custom block whose frames are delayed and whose parameters are pushed.
    #[inline(always)]
    pub(super) fn call_delayed(&mut self, at: usize, site: &Site) {
        if self.calls == MAX_DELAYED {
            self.push_all_delayed();
        }
        let frames = u32::from(site.delayed);
        self.delayed[self.calls % MAX_DELAYED] =
            Delayed { at: at as u32, base: self.base as u32, frames };
        self.calls += 1;
        self.delayed_frames += frames;
        self.base = self.parameters.len() - usize::from(site.parameters);
    }

    #[inline(always)]
    pub(super) fn push_delayed(&mut self) {
        if self.calls > 0 {
            self.push_all_delayed();
        }
    }

    #[inline(never)]
    fn push_all_delayed(&mut self) {
        let form = self.form;
        let calls = &self.delayed[..self.calls];
        let bases = calls.iter().skip(1).map(|call| call.base).chain([self.base as u32]);
        for (call, base) in calls.iter().zip(bases) {
            let at = call.at as usize;
            if let Instruction::Call { site } = form.instructions[at] {
                let definition = form.sites[site as usize].definition;
                push_frames(self.stack, form, form.origins[at].command, definition, base + 1);
            }
        }
        (self.calls, self.delayed_frames) = (0, 0);
    }

    /// Returns the instruction at which the caller continues; `None` if the frames of the call are
    /// not delayed.
    #[inline(always)]
    pub(super) fn leave_delayed(&mut self) -> Option<usize> {
        self.calls = self.calls.checked_sub(1)?;
        let call = self.delayed[self.calls % MAX_DELAYED];
        self.delayed_frames -= call.frames;
        self.parameters.pop(self.base);
        self.base = call.base as usize;
        Some(call.at as usize + 1)
    }

    /// Pushes the frames of a call and of the custom block, whose parameters are on top.
    #[inline(always)]
    pub(super) fn push_call(&mut self, call: CommandId, definition: CommandId, parameters: usize) {
        self.base = self.parameters.len() - parameters;
        push_frames(self.stack, self.form, call, definition, self.base as u32 + 1);
    }

    /// Returns the instruction at which the caller continues; `None` if the interpreter continues
    /// instead.
    #[inline(always)]
    pub(super) fn leave_block(&mut self) -> Option<usize> {
        let below = self.stack.len().checked_sub(2)?;
        let caller = self.stack[below];
        let resumption = self.form.resumptions.get(caller.block as usize)?;
        if !caller.warp || resumption.at == NOWHERE || caller.parameters == 0 {
            self.end_body();
            return None;
        }
        self.parameters.pop(caller.parameters as usize - 1);
        self.pop_frames(1 + resumption.branches as usize);
        self.base = self.stack.last()?.visible_parameters().saturating_sub(1) as usize;
        Some(resumption.at as usize)
    }
}
