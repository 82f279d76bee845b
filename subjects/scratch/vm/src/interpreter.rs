//! The interpreter, which borrows the program and the state of a [`Vm`](crate::vm::Vm) separately,
//! so that code can be read while the state changes.

use catherd_elementary::AngleCache;
use catherd_scratch_render::DrawableSet;

use crate::cycles::noted::Cycles;
use crate::functions::Angles;
use crate::interpreted::Interpreted;
use crate::limits::Limit;
use crate::linear::{Items, Steps};
use crate::program::Program;
use crate::settings::VmSettings;
use crate::state::State;
use crate::stretches::Stretches;
use crate::tracer::Tracer;
use crate::value::Value;

/// Reusable buffers and caches. They are not part of the state, because results do not depend on
/// them.
#[derive(Default)]
pub(crate) struct Buffers {
    /// Values of [`crate::code::Expr::Reversed`] that are not used yet.
    pub(crate) deferred_operands: Vec<Value>,
    /// Values of [`crate::code::Command::early_inputs`].
    pub(crate) early_values: Vec<Value>,
    /// For each sprite, its instances, and the number of targets when the instances were collected.
    pub(crate) instances: Vec<(usize, DrawableSet)>,
    /// Threads that the last call to [`Interpreter::start_hats`] started.
    pub(crate) started: Vec<u32>,
    /// The position in the thread list after the last thread that was restarted.
    pub(crate) restarted: usize,
    pub(crate) angle_cache: AngleCache,
    pub(crate) angles: Angles,
    pub(crate) cycles: Cycles,
    pub(crate) items: Items,
    pub(crate) stretches: Stretches,
    /// See [`crate::Vm::interpret`].
    pub(crate) interprets: bool,
    pub(crate) interpreted: Option<Box<Interpreted>>,
}

/// The interpreter of one VM.
pub(crate) struct Interpreter<'a, T: Tracer> {
    pub(crate) program: &'a Program,
    pub(crate) settings: &'a VmSettings,
    pub(crate) state: &'a mut State,
    pub(crate) tracer: &'a mut T,
    pub(crate) buffers: &'a mut Buffers,
    pub(crate) linear: &'a mut Steps<T>,
    /// Slot of the executing thread; `NO_CURRENT` if there is none.
    pub(crate) thread: usize,
    pub(crate) target: usize,
    /// Remaining fuel of this slice, in blocks.
    pub(crate) slice_fuel: u32,
    /// Whether something visible has changed in this step.
    pub(crate) redraw: bool,
    /// Whether a watcher has ended the step.
    pub(crate) aborted: bool,
    /// Whether a block has failed, which ends the step for all threads.
    pub(crate) failed: bool,
}

impl<T: Tracer> Interpreter<'_, T> {
    /// Consumes fuel of the slice and the step. One unit is the cost of an ordinary block.
    #[inline]
    pub(crate) fn consume_fuel(&mut self, blocks: usize) {
        let blocks = u32::try_from(blocks).unwrap_or(u32::MAX);
        self.slice_fuel = self.slice_fuel.saturating_sub(blocks);
        self.state.step_fuel = self.state.step_fuel.saturating_sub(u64::from(blocks));
    }

    #[cold]
    pub(crate) fn hit(&mut self, limit: Limit) {
        self.state.hits.hit(limit, self.state.steps);
    }
}
