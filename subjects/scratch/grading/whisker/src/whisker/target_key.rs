//! Targets as scripts hold them.

use catherd_scratch_vm::{TargetId, TargetView};

/// A target as scripts hold it: its number in the machine and its serial number. Both together
/// tell a clone from a later one in the same place.
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

    /// The key that a script has passed. Scripts hold numbers below 2^53 only from `number`.
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
