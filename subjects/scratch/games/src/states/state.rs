//! States of a program: paths with their snapshots.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::event::{Event, Interaction};
use catherd_scratch_trace::Trace;
use catherd_scratch_vm::Snapshot;
use catherd_search::Stream;

/// A state, which consists of the path that led to it and, while there is memory for it, a
/// snapshot.
#[derive(Clone)]
pub(crate) struct State(pub(super) Rc<StateData>);

pub(super) struct StateData {
    pub(super) seed: u64,
    pub(super) steps: u64,
    pub(super) interaction: Interaction,
    /// Stream of the extraction of events, at its position in this state.
    pub(super) extraction: Stream,
    pub(super) path: Option<Rc<Link>>,
    pub(super) saved: Slot,
}

impl std::fmt::Debug for StateData {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StateData").field("steps", &self.steps).finish_non_exhaustive()
    }
}

pub(super) struct Link {
    pub(super) event: Event,
    pub(super) before: Option<Rc<Link>>,
}

impl Drop for Link {
    /// Drops long paths without recursion.
    fn drop(&mut self) {
        let mut before = self.before.take();
        while let Some(link) = before {
            before = Rc::try_unwrap(link).ok().and_then(|mut link| link.before.take());
        }
    }
}

impl State {
    pub(crate) fn seed(&self) -> u64 {
        self.0.seed
    }

    pub(crate) fn events(&self) -> Vec<Event> {
        links(self.0.path.as_ref()).iter().map(|link| link.event).collect()
    }
}

/// The links of a path, from the first.
pub(super) fn links(path: Option<&Rc<Link>>) -> Vec<Rc<Link>> {
    let mut links: Vec<_> =
        std::iter::successors(path.cloned(), |link| link.before.clone()).collect();
    links.reverse();
    links
}

pub(super) struct Saved {
    pub(super) machine: Snapshot,
    pub(super) trace: Trace,
    pub(super) evaluated: Vec<BlockNo>,
}

/// A snapshot whose bytes are subtracted from the used memory when it is dropped.
pub(super) struct Counted {
    pub(super) saved: Saved,
    pub(super) bytes: usize,
    pub(super) used: Rc<Cell<usize>>,
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.used.set(self.used.get().saturating_sub(self.bytes));
    }
}

pub(super) type Slot = RefCell<Option<Counted>>;
