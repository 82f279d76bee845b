//! Calls to custom blocks.

use crate::code::{NONE, Op};
use crate::interpreter::Interpreter;
use crate::thread::Status;
use crate::tracer::Tracer;

/// Number of stack frames that a call searches for the same custom block to detect recursion.
const RECURSION_DEPTH: usize = 6;

impl<T: Tracer> Interpreter<'_, T> {
    pub(super) fn call(&mut self, procedure: Option<u32>, (from, to): (u32, u32)) {
        // Arguments may use the parameters of the caller. Therefore, the new parameters are pushed
        // after the caller's parameters and become visible only after the evaluation.
        let base = self.state.threads[self.thread].parameters.len();
        let program = self.program;
        let sprite = &program.sprites[self.state.targets[self.target].sprite as usize];
        let entry = procedure.map(|i| &sprite.procedures[i as usize]);
        let again = self.frame().in_progress;
        if let (Some(entry), false) = (entry, again) {
            self.thread().parameters.extend(entry.defaults.iter().cloned());
        }
        for &(slot, e) in &program.arguments[from as usize..to as usize] {
            let value = self.value(e);
            if slot != NONE && !again && value != crate::value::Value::Undefined {
                self.thread().parameters[base + slot as usize] = value;
            }
        }
        let Some(entry) = entry else { return };
        // A call is executed again after `stop this script` in its body; only its arguments are
        // evaluated again.
        if again {
            return;
        }
        let frame = self.frame();
        frame.in_progress = true;
        frame.parameters = base as u32 + 1;
        let in_warp = frame.warp;
        if entry.definition == NONE {
            return;
        }
        let limit = self.settings.stack_limit;
        // Recursion with more frames between two calls is not detected. Such recursion yields when
        // the fuel of the step is used up.
        let exhausted = self.state.step_fuel == 0;
        let recursive = !in_warp && (exhausted || self.is_recursive(procedure));
        let thread = self.thread();
        if thread.stack.len() >= limit {
            return self.overflow();
        }
        thread.push(entry.definition);
        if in_warp && self.slice_fuel == 0 {
            self.set_status(Status::Yield);
        } else if entry.warp {
            self.frame().warp = true;
        } else if recursive {
            self.set_status(Status::Yield);
        }
    }

    fn is_recursive(&self, procedure: Option<u32>) -> bool {
        let stack = &self.state.threads[self.thread].stack;
        stack.iter().rev().skip(1).take(RECURSION_DEPTH).any(|frame| {
            frame.block != NONE
                && matches!(self.program.commands[frame.block as usize].op,
                    Op::Call { procedure: other, .. } if other == procedure)
        })
    }
}
