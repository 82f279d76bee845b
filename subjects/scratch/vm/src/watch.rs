//! Watching a VM in the middle of a step.

use std::ops::ControlFlow;

use crate::interpreter::Interpreter;
use crate::midstep::{Change, Midstep};
use crate::target::TargetId;
use crate::thread::NO_CURRENT;
use crate::tracer::Tracer;
use crate::vm::Vm;

impl Midstep<'_> {
    /// Exchanges the states of this VM and of another VM of the same program, which can then read
    /// and change the state. The caller must exchange the states again before the watcher returns;
    /// in the meantime, the other VM must not execute steps, stop scripts or be restored.
    pub fn exchange<T: Tracer>(&mut self, vm: &mut Vm<T>) {
        std::mem::swap(self.0, &mut vm.state);
    }
}

impl<T: Tracer> Vm<T> {
    /// Exchanges the states of two VMs of the same program.
    pub fn exchange_state<U: Tracer>(&mut self, other: &mut Vm<U>) {
        std::mem::swap(&mut self.state, &mut other.state);
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    #[inline]
    pub(crate) fn report(&mut self, change: impl FnOnce() -> Change) {
        if T::WATCHES && !self.aborted {
            self.state.reporting = self.thread;
            let flow = self.tracer.watch(&change(), Midstep(self.state));
            self.state.reporting = NO_CURRENT;
            self.aborted = flow == ControlFlow::Break(());
        }
    }

    #[inline]
    pub(crate) fn report_appearance(&mut self, target: usize) {
        self.report(|| Change::Appearance(TargetId(target as u32)));
    }
}
