//! Replaces native code in builds without it.

use std::marker::PhantomData;

use super::executor::{Executor, Step, Stop};
use crate::program::Program;
use crate::tracer::Tracer;

/// The units of a program, of which there are none.
#[derive(Default)]
pub(crate) struct Units(());

/// The native code of one VM, of which there is none.
pub(crate) struct Native<T>(PhantomData<T>);

impl<T> Default for Native<T> {
    fn default() -> Native<T> {
        Native(PhantomData)
    }
}

impl<T: Tracer> Native<T> {
    pub(crate) fn disable(&mut self) {}

    pub(crate) fn hurry(&mut self) {}

    #[inline(always)]
    pub(super) fn count(&mut self, _: u32) {}

    #[inline(always)]
    pub(super) fn shift(&self) -> u32 {
        0
    }

    #[inline(always)]
    pub(super) fn prepare(&mut self, _: &Program, _: &[Step<T>]) {}
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn run_native(&mut self, _: &[Step<T>], _: usize) -> Option<(Stop, usize)> {
        None
    }
}
