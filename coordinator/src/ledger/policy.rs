//! The rules by which runs are leased, repeated and quarantined.

use std::time::Duration;

/// The rules of the leases of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// Duration of a lease; see [`lease_expiry`](crate::lease_expiry).
    pub term: Duration,
    /// Number of crashed attempts after which a run is quarantined, if it crashed on at least two
    /// workers. A run that crashed on only one worker is quarantined after twice as many.
    pub max_crashes: u32,
    /// Number of lost workers after which a run is quarantined. Should be larger than
    /// `max_crashes`, because most losses are caused by the computer, not by the run.
    pub max_losses: u32,
    /// A worker is drained after this number of different runs have crashed on it and on no other
    /// worker, without an accepted record in between. The last usable worker is never drained.
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
