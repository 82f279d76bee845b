//! In place of native code, in builds without it.

use std::marker::PhantomData;

use super::executor::{Executor, Step, Stop};
use crate::program::Program;
use crate::tracer::Tracer;

/// The units of a program: none.
#[derive(Default)]
pub(crate) struct Units(());

/// The native code of one VM: none.
pub(crate) struct Native<T>(PhantomData<T>);

impl<T> Default for Native<T> {
    fn default() -> Native<T> {
        Native(PhantomData)
    }
}

/// What an executor needs of native code: nothing.
pub(crate) struct Link<'a, T: Tracer>(PhantomData<&'a T>);

impl<T: Tracer> Link<'_, T> {
    #[inline(always)]
    pub(crate) fn shift(&self) -> u32 {
        0
    }
}

impl<T: Tracer> Native<T> {
    pub(crate) fn disable(&mut self) {}

    pub(crate) fn hurry(&mut self) {}

    #[inline(always)]
    pub(super) fn count(&mut self, _: u32) {}

    #[inline(always)]
    pub(super) fn link(&self, _: &T, _: &Program, _: &[Step<T>]) -> Link<'_, T> {
        Link(PhantomData)
    }
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(always)]
    pub(super) fn run_native(&mut self, _: &[Step<T>], _: usize) -> Option<(Stop, usize)> {
        None
    }
}
