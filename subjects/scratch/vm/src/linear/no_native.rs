//! Replacement for native code in builds without native code.

use super::executor::{Executor, Step, Stop};
use crate::program::Program;
use crate::tracer::Tracer;

/// Empty replacement for the units of a program.
#[derive(Default)]
pub(crate) struct Units(());

/// Empty replacement for the native code of one VM.
#[derive(Default)]
pub(crate) struct Native(());

impl Native {
    pub(crate) fn disable(&mut self) {}

    pub(crate) fn hurry(&mut self) {}

    #[inline(always)]
    pub(super) fn count(&mut self, _: u32) {}

    #[inline(always)]
    pub(super) fn shift(&self) -> u32 {
        0
    }

    #[inline(always)]
    pub(super) fn prepare<T: Tracer>(&mut self, _: &Program, _: &[Step<T>], _: &mut [Step<T>]) {}
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn run_native(&mut self, _: &[Step<T>], _: usize) -> Option<(Stop, usize)> {
        debug_assert!(self.single.is_empty(), "only native code executes single steps");
        None
    }
}
