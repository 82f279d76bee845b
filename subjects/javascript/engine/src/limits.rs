//! Counted limits on scripts.

use std::cell::Cell;
use std::fmt;

use catherd_platform::stack_address;

/// Bytes of a large block of memory that count as one unit of operations, because no poll counts
/// the time for filling and copying.
const BYTES_PER_UNIT: usize = 32 * 1024;
/// Minimum size of a large block, which is refused once a limit is reached.
const LARGE_BLOCK: usize = BYTES_PER_UNIT;
/// Jobs (continuations of promises) in one unit of operations.
const JOBS_PER_UNIT: u64 = 1_000;

/// Limits on the scripts of one engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Operations from one call of [`Session::begin_turn`](crate::Session::begin_turn) to the next,
    /// in units of 10,000: backward jumps, calls, steps of regular expressions and other work.
    pub turn: u64,
    /// Operations from one call of [`Session::begin_test`](crate::Session::begin_test) to the next,
    /// in units of 10,000.
    pub test: u64,
    /// Bytes of memory.
    pub memory: usize,
    /// Bytes of the engine's stack. A script that exceeds them gets a `RangeError`, unless the
    /// engine is guarded ([`Engine::guard`](crate::Engine::guard)).
    pub stack: usize,
    /// Number of timers that may wait at the same time.
    pub timers: usize,
}

impl Default for Limits {
    /// 2,000 units per turn, 20,000 per test, 64 MiB, 512 KiB of stack, 100,000 timers.
    fn default() -> Limits {
        Limits { turn: 2_000, test: 20_000, memory: 64 << 20, stack: 512 << 10, timers: 100_000 }
    }
}

/// The reason why a script was ended, which the script cannot catch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The script exceeded [`Limits::turn`] or [`Limits::test`].
    Operations,
    /// The script exceeded [`Limits::memory`].
    Memory,
    /// The script took most of [`Limits::stack`] in a guarded engine.
    Stack,
    /// The caller ended the script.
    Caller,
}

/// A switch with which a host function ends the script that calls it.
#[derive(Clone)]
pub struct Halt(pub(crate) std::rc::Rc<Meter>);

impl Halt {
    /// Ends the script at the next poll.
    pub fn now(&self) {
        self.0.stop(Stop::Caller);
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stop::Operations => "the script does not stop computing",
            Stop::Memory => "the script uses more memory than allowed",
            Stop::Stack => "the script takes too much of the stack",
            Stop::Caller => "the script was ended",
        })
    }
}

#[derive(Clone)]
pub(crate) struct Meter {
    limits: Limits,
    most_in_turn: Cell<u64>,
    turn: Cell<u64>,
    test: Cell<u64>,
    jobs: Cell<u64>,
    bytes: Cell<usize>,
    stopped: Cell<Option<Stop>>,
    /// The address on the stack below which scripts are ended; 0 if there is none.
    floor: Cell<usize>,
    below_floor: Cell<bool>,
}

impl Meter {
    pub(crate) fn new(limits: Limits) -> Meter {
        Meter {
            limits,
            most_in_turn: Cell::new(limits.turn),
            turn: Cell::new(0),
            test: Cell::new(0),
            jobs: Cell::new(0),
            bytes: Cell::new(0),
            stopped: Cell::new(None),
            floor: Cell::new(0),
            below_floor: Cell::new(false),
        }
    }

    pub(crate) fn continue_from(&self, other: &Meter) {
        self.most_in_turn.set(other.most_in_turn.get());
        self.turn.set(other.turn.get());
        self.test.set(other.test.get());
        self.jobs.set(other.jobs.get());
        self.bytes.set(other.bytes.get());
        self.stopped.set(other.stopped.get());
    }

    pub(crate) fn set_floor(&self, address: usize) {
        self.floor.set(address);
    }

    pub(crate) fn check_floor(&self) {
        if stack_address() < self.floor.get() {
            self.below_floor.set(self.below_floor.get() || self.stopped.get().is_none());
            self.stop(Stop::Stack);
        }
    }

    pub(crate) fn was_below_floor(&self) -> bool {
        self.below_floor.get()
    }

    pub(crate) fn forget_floor(&self) {
        self.below_floor.set(false);
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn stopped(&self) -> Option<Stop> {
        self.stopped.get()
    }

    pub(crate) fn resume(&self, turn: u64) {
        self.stopped.set(None);
        self.most_in_turn.set(turn);
        self.begin_turn();
    }

    pub(crate) fn begin_turn(&self) {
        self.turn.set(0);
    }

    pub(crate) fn begin_test(&self) {
        self.turn.set(0);
        self.test.set(0);
    }

    pub(crate) fn test_units(&self) -> u64 {
        self.test.get()
    }

    pub(crate) fn count(&self, units: u64) -> bool {
        self.turn.set(self.turn.get() + units);
        self.test.set(self.test.get() + units);
        if self.turn.get() > self.most_in_turn.get() || self.test.get() > self.limits.test {
            self.stop(Stop::Operations);
        }
        self.stopped.get().is_some()
    }

    pub(crate) fn count_job(&self) -> bool {
        self.jobs.set(self.jobs.get() + 1);
        self.count(u64::from(self.jobs.get().is_multiple_of(JOBS_PER_UNIT)))
    }

    /// Counts a new block of memory. Returns false if the block is refused.
    ///
    /// Small blocks are granted up to twice the limit, because parts of the engine abort the
    /// process if such a request fails.
    pub(crate) fn allocate(&self, size: usize) -> bool {
        self.check_floor();
        let bytes = self.bytes.get().saturating_add(size);
        let large = size >= LARGE_BLOCK;
        if bytes > self.limits.memory {
            self.stop(Stop::Memory);
        }
        if large {
            self.count((size / BYTES_PER_UNIT) as u64);
        }
        let refused = large && self.stopped.get().is_some();
        if refused || bytes > self.limits.memory.saturating_mul(2) {
            return false;
        }
        self.bytes.set(bytes);
        true
    }

    pub(crate) fn grow(&self, size: usize) {
        self.bytes.set(self.bytes.get().saturating_add(size));
    }

    pub(crate) fn free(&self, size: usize) {
        self.bytes.set(self.bytes.get().saturating_sub(size));
    }

    pub(crate) fn stop(&self, stop: Stop) {
        if self.stopped.get().is_none() {
            self.stopped.set(Some(stop));
        }
    }
}
