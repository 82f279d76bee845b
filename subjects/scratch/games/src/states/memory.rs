//! Storage for the snapshots of states, with a limit. A state whose snapshot is dropped keeps its
//! path.

use std::cell::Cell;
use std::collections::VecDeque;
use std::rc::{Rc, Weak};

use super::state::{Counted, Saved, StateData};

/// Snapshots in use, the oldest first, and their size in bytes.
#[derive(Debug)]
pub(super) struct Memory {
    limit: usize,
    used: Rc<Cell<usize>>,
    holders: VecDeque<Weak<StateData>>,
}

impl Memory {
    pub(super) fn new(limit: usize) -> Self {
        Self { limit, used: Rc::default(), holders: VecDeque::new() }
    }

    /// Stores the snapshot of a state, unless the snapshot exceeds the limit. If the limit is
    /// exceeded afterwards, drops the snapshots of other states, the oldest first.
    pub(super) fn keep(&mut self, state: &Rc<StateData>, saved: Saved, bytes: usize) {
        if bytes > self.limit {
            return;
        }
        self.used.set(self.used.get() + bytes);
        *state.saved.borrow_mut() = Some(Counted { saved, bytes, used: Rc::clone(&self.used) });
        self.holders.push_back(Rc::downgrade(state));
        while self.used.get() > self.limit {
            let Some(oldest) = self.holders.pop_front() else { break };
            if let Some(oldest) = oldest.upgrade() {
                oldest.saved.borrow_mut().take();
            }
        }
        // Remove the entries of dropped states from time to time.
        if self.holders.len() > 1_024 && self.holders.len().is_power_of_two() {
            self.holders.retain(|holder| holder.strong_count() > 0);
        }
    }
}
