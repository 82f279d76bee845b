//! Detects whether scripts use most of the native stack. Results must not depend on where the stack
//! ends, because the size of a frame differs between builds.

use std::cell::{Cell, RefCell};

use catherd_platform::{StackBand, stack_address};

/// The part of the stack that scripts may take, in tenths.
const USABLE_TENTHS: usize = 6;

/// Bytes that a frame may leave untouched: 65,534 operands of 16 bytes. A recursion through a
/// longer band of the stack always uses a part of the band.
const UNTOUCHED: usize = 1 << 20;

/// Bytes for partial pages at the ends of a band and for other variables of a frame.
const MARGIN: usize = 64 << 10;

#[derive(Debug, Default)]
pub(crate) struct Depth {
    /// How many times [`Limits::stack`](crate::Limits::stack) scripts may take, minus one.
    more: usize,
    /// The part of the stack that no script may reach; `None` if the system does not show its use.
    band: RefCell<Option<StackBand>>,
    exceeded: Cell<bool>,
    stale: Cell<bool>,
}

impl Depth {
    pub(crate) fn restart(&mut self, times: usize) {
        self.more = times.saturating_sub(1);
        self.stale.set(self.stale.get() || self.exceeded.get());
        self.exceeded.set(false);
    }

    pub(crate) fn times(&self) -> usize {
        self.more + 1
    }

    pub(crate) fn was_exceeded(&self) -> bool {
        self.exceeded.get()
    }

    /// Prepares an execution that may take `stack` bytes. Returns the address below which scripts
    /// are ended.
    pub(crate) fn begin(&self, stack: usize) -> usize {
        let floor = stack_address().saturating_sub(stack / 10 * USABLE_TENTHS);
        let length = (UNTOUCHED + MARGIN).min(stack / 5);
        let mut band = self.band.borrow_mut();
        // Keep a band that is near enough, because executions begin at slightly different depths.
        let near = |band: &StackBand| band.addresses().end.abs_diff(floor) <= stack / 20;
        if !band.as_ref().is_some_and(near) {
            *band = StackBand::new(floor.saturating_sub(length)..floor);
        } else if self.stale.get() {
            band.iter().for_each(StackBand::clear);
        }
        self.stale.set(false);
        floor
    }

    pub(crate) fn watch(&self) -> Watched<'_> {
        Watched(self)
    }
}

pub(crate) struct Watched<'a>(&'a Depth);

impl Drop for Watched<'_> {
    fn drop(&mut self) {
        if self.0.band.borrow().as_ref().is_some_and(StackBand::used) {
            self.0.exceeded.set(true);
        }
    }
}
