//! Repetition of executions that exceed the engine's stack.

use crate::live::Live;

/// An execution that exceeds the stack twice is repeated with a stack that is larger by this
/// factor. If the execution then ends within all limits, it has the same result with any larger
/// stack.
const DEEPER: usize = 4;

/// An execution that exceeds the stack of [`DEEPER`] as well is repeated with a stack that is
/// larger than the first one by this factor. If the execution exceeds even this stack, it is
/// regarded as endless recursion in any build, because the sizes of frames in different builds
/// differ by less.
const DEEPEST: usize = 7;

/// An execution that took too much of the stack. Its results must not be used, because a script can
/// catch the error that the engine throws at the end of its stack.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TooDeep {
    /// The limit that ends the execution: `frames` for endless recursion, `stack` if the execution
    /// ends only in some builds.
    pub(crate) limit: &'static str,
}

impl Live {
    /// Returns the result, and whether a larger stack was needed.
    pub(crate) fn within_the_stack<R>(
        &mut self,
        mut execute: impl FnMut(&mut Live) -> R,
    ) -> Result<(R, bool), TooDeep> {
        // Try twice, because other code on this thread may have used the end of the stack before
        // the first attempt.
        for times in [1, 1, DEEPER] {
            self.engine.deepen(times);
            let result = execute(self);
            if !self.engine.exceeded_stack() {
                self.engine.deepen(1);
                return Ok((result, times > 1));
            }
        }
        self.engine.deepen(DEEPEST);
        execute(self);
        let endless = self.engine.exceeded_stack();
        self.engine.deepen(1);
        Err(TooDeep { limit: if endless { "frames" } else { "stack" } })
    }
}
