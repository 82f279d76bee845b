//! The rules by which runs are leased, repeated and quarantined.

use std::time::Duration;

/// The rules of the leases of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Duration of a lease.
    pub term: Duration,
    /// Number of crashed attempts after which a run is quarantined if it crashed on several
    /// workers. On one worker, a run may crash twice as often.
    pub max_crashes: u32,
    /// Number of lost workers after which a run is quarantined. Should be larger than
    /// `max_crashes`, because most losses are not caused by the run.
    pub max_losses: u32,
    /// Number of different runs that must crash on a worker, without an accepted record in between,
    /// before the worker is drained.
    pub max_consecutive_crashes: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            term: Duration::from_secs(15),
            max_crashes: 3,
            max_losses: 10,
            max_consecutive_crashes: 10,
        }
    }
}
