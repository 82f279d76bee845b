//! Executions that take more than the engine's stack.

use catherd_javascript_engine::end_process;

use crate::live::Live;

/// What takes more than the stack is executed again with this many times as much, to learn whether it recurs
/// without end: frames of different builds differ by less.
const DEEPER: usize = 4;

impl Live {
    /// Executes scripts of a program. `None` if they recur without end in functions whose calls are not counted.
    /// Otherwise, if they take more than the stack, ends the process: whether they do differs between builds.
    pub(crate) fn within_the_stack<R>(
        &mut self,
        program: &str,
        mut execute: impl FnMut(&mut Live) -> R,
    ) -> Option<R> {
        // Other code on this thread may have used as much of the stack before the first attempt.
        for _ in 0..2 {
            self.engine.deepen(1);
            let result = execute(self);
            if !self.engine.exceeded_stack() {
                return Some(result);
            }
        }
        self.engine.deepen(DEEPER);
        execute(self);
        let endless = self.engine.exceeded_stack();
        self.engine.deepen(1);
        if !endless {
            end_process(&format!(
                "{program}: built-in functions call each other so deeply that the result would depend on the bytes \
                 of the stack; the process was ended"
            ));
        }
        None
    }
}
