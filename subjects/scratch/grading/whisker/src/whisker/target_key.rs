//! Keys by which JavaScript refers to targets.

use catherd_scratch_vm::{TargetId, TargetView};

/// The key of a target: its number in the VM and its serial number. The serial number distinguishes
/// a clone from a later clone with the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TargetKey(u64);

impl TargetKey {
    const PLACES: u64 = 1 << 24;

    pub(crate) fn new(target: TargetId, serial: u32) -> TargetKey {
        TargetKey(u64::from(serial) * TargetKey::PLACES + u64::from(target.0))
    }

    pub(crate) fn of(view: &TargetView<'_>) -> TargetKey {
        TargetKey::new(view.id, view.serial)
    }

    /// Converts a number that a script has passed to a key. Such numbers come from `number` and are
    /// below 2^53.
    pub(crate) fn from_number(number: f64) -> TargetKey {
        TargetKey(number as u64)
    }

    pub(crate) fn number(self) -> f64 {
        self.0 as f64
    }

    pub(crate) fn target(self) -> TargetId {
        TargetId((self.0 % TargetKey::PLACES) as u32)
    }
}
