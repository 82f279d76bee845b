//! How one VM uses the units of its program.

use super::memory::Entry;
use super::unit::Unit;

/// A unit is compiled after the dispatcher has reached it, without native code, this number of
/// times for each of its instructions. Compiling an instruction takes about 60 µs, and the
/// dispatcher reaches a unit every 10 to 50 ns.
const PATIENCE: u32 = 500;

/// The fixed cost of each unit, in instructions: its memory is allocated and made executable.
const FIXED: u32 = 30;

/// The state of a unit in one VM.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// The unit is not compiled yet, and the dispatcher has reached it this number of times.
    Waits(u32),
    /// The unit is compiled.
    Native(Entry, Length, Calls),
    /// The unit is not or cannot be compiled, or its native code calls so many functions that it saves nothing.
    Handled,
}

/// The lengths of executions from the entry into a unit until the interpreter takes over.
#[derive(Clone, Copy, Default)]
pub(super) struct Length {
    stops: u32,
    blocks: u32,
}

impl Length {
    /// Number of stops after which the VM decides whether to enter native code.
    const STOPS: u32 = 64;
    /// Minimum number of blocks for each stop.
    const BLOCKS: u32 = 12;

    /// Records the number of blocks up to a stop. Returns whether there are so few that entering
    /// native code takes longer than it saves.
    #[inline]
    pub(super) fn is_short_after(&mut self, blocks: u32) -> bool {
        self.blocks = self.blocks.saturating_add(blocks);
        self.stops += 1;
        if self.stops < Self::STOPS {
            return false;
        }
        let is_short = self.blocks < Self::STOPS * Self::BLOCKS;
        *self = Length::default();
        is_short
    }
}

/// How many functions native code calls, and how many blocks it executes.
#[derive(Clone, Copy, Default)]
pub(super) struct Calls {
    calls: u64,
    blocks: u64,
}

impl Calls {
    /// Number of blocks after which the VM decides whether native code is used further.
    const BLOCKS: u64 = 20_000;
    /// Maximum number of calls for each block. A call of a handler takes longer from native code than from
    /// another handler.
    const MAX: f64 = 0.5;
}

impl Use {
    /// Notes what native code has executed and called.
    #[inline]
    pub(super) fn note(&mut self, blocks: u32, calls: u64) {
        let Use::Native(_, _, sum) = self else { return };
        sum.blocks += u64::from(blocks);
        sum.calls += calls;
        if sum.blocks < Calls::BLOCKS {
            return;
        }
        if sum.calls as f64 > sum.blocks as f64 * Calls::MAX {
            *self = Use::Handled;
        } else {
            *sum = Calls::default();
        }
    }

    /// The use after one more miss, and whether the unit is to be compiled.
    #[inline]
    pub(super) fn after_miss(
        missed: u32,
        unit: &Unit,
        is_eager: bool,
        compile: impl FnOnce() -> Option<Entry>,
    ) -> Use {
        let missed = missed.saturating_add(1);
        // Check at intervals whether another VM has compiled the unit.
        if missed % 256 != 1 {
            return Use::Waits(missed);
        }
        let is_due = is_eager || missed >= PATIENCE.saturating_mul(unit.length() as u32 + FIXED);
        let compiled = match unit.compiled() {
            Some(compiled) => compiled,
            None if is_due => compile(),
            None => return Use::Waits(missed),
        };
        compiled
            .map_or(Use::Handled, |entry| Use::Native(entry, Length::default(), Calls::default()))
    }
}
