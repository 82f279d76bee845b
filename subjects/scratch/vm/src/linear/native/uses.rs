//! How one VM uses the units of its program.

use super::memory::{Entry, Mode};
use super::unit::Unit;

/// A unit is compiled after the dispatcher has reached it, without native code, this number of
/// times for each of its instructions.
const PATIENCE: u32 = 500;

/// The fixed cost of each unit, in instructions, for allocating memory and making it executable.
const FIXED: u32 = 30;

/// The state of a unit in one VM.
#[derive(Clone, Copy)]
pub(super) enum Use {
    /// The unit is not compiled yet, and the dispatcher has reached it this number of times.
    Waits(u32),
    /// The unit is compiled.
    Native(Entry, Length, Calls, Mode),
    /// The unit cannot be compiled.
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

    /// Returns whether recent executions are too short for native code.
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

/// Counts of the calls from native code to functions, and of the blocks that native code executes.
#[derive(Clone, Copy, Default)]
pub(super) struct Calls {
    calls: u64,
    blocks: u64,
}

impl Calls {
    /// Number of blocks for each instruction of the unit after which the VM chooses the mode.
    const BLOCKS: u64 = 10_000;
    /// Below this number of calls for each block, calls go through the bridge.
    const FEW: f64 = 0.02;
    /// Above this number of calls for each block, calls are direct again.
    const MANY: f64 = 0.06;

    /// Adds calls and blocks. Returns the better mode after enough blocks.
    #[inline]
    fn mode_after(&mut self, (blocks, calls): (u32, u64), unit: &Unit, mode: Mode) -> Option<Mode> {
        self.blocks += u64::from(blocks);
        self.calls += calls;
        if self.blocks < Self::BLOCKS * unit.length() as u64 {
            return None;
        }
        let share = self.calls as f64 / self.blocks as f64;
        *self = Calls::default();
        Some(match mode {
            Mode::Direct if share < Self::FEW => Mode::Bridged,
            Mode::Bridged if share > Self::MANY => Mode::Direct,
            same => same,
        })
    }
}

impl Use {
    /// Changes to the other mode if that mode is expected to be faster. With `is_eager`, both modes
    /// are used in turn.
    #[inline]
    pub(super) fn note(
        &mut self,
        (blocks, calls): (u32, u64),
        unit: &Unit,
        is_eager: bool,
        compile: impl FnOnce(Mode) -> Option<Entry>,
    ) {
        let Use::Native(entry, _, sum, mode) = self else { return };
        let next = match (is_eager, *mode) {
            (true, Mode::Direct) => Mode::Bridged,
            (true, Mode::Bridged) => Mode::Direct,
            (false, present) => sum.mode_after((blocks, calls), unit, present).unwrap_or(present),
        };
        if next != *mode
            && let Some(compiled) = compile(next)
        {
            (*entry, *mode) = (compiled, next);
        }
    }

    /// Counts a miss, and returns the new use.
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
            None if is_due => compile().map(|entry| (entry, Mode::Direct)),
            None => return Use::Waits(missed),
        };
        compiled.map_or(Use::Handled, |(entry, mode)| {
            Use::Native(entry, Length::default(), Calls::default(), mode)
        })
    }
}
