//! The data of the search for cycles.

use smallvec::SmallVec;

use crate::code::Slot;
use crate::limits::Hits;
use crate::thread::Frame;
use crate::value::Value;

/// Number of iterations of all loops in a slice between two searches.
pub(super) const INTERVAL: u32 = 4096;

/// The search in the current slice, which is not part of the state, because results do not depend
/// on the search.
pub(crate) struct Cycles {
    /// Number of iterations until `Interpreter::search_cycle` is called.
    pub(crate) due: u32,
    pub(super) noted: Option<Box<Noted>>,
}

impl Default for Cycles {
    fn default() -> Cycles {
        Cycles { due: INTERVAL, noted: None }
    }
}

pub(super) struct Noted {
    /// Frames of the thread. The last frame belongs to the loop.
    pub(super) stack: Vec<Frame>,
    pub(super) parameters: Vec<Value>,
    /// The variables that the loop may set, with their values.
    pub(super) variables: SmallVec<[(Slot, Value); 8]>,
    pub(super) position: (f64, f64),
    pub(super) hits: Hits,
    /// Position in the stream of random numbers.
    pub(super) drawn: u128,
    /// Fuel of the slice when the loop last had this state.
    pub(super) fuel: u32,
    /// Fuel consumed between the two latest times at which the loop had this state.
    pub(super) period: Option<u32>,
    /// Remaining iterations of the search: of all loops, and of this loop.
    pub(super) left: (u32, u32),
}

impl Cycles {
    #[inline]
    pub(crate) fn reset(&mut self) {
        self.due = INTERVAL;
        if self.noted.is_some() {
            self.noted = None;
        }
    }
}
