//! The random streams of a seed by number, one for each purpose.

/// The search for a suite.
pub(crate) const SEARCH: u64 = 0;

/// The choice between tests of equal gain.
pub(crate) const TIES: u64 = 5;

/// The draws of the policy [`Thompson`](crate::risk::Policy::Thompson).
pub(crate) const RISK: u64 = 6;

/// The choice of negative tests.
pub(crate) const NEGATIVE: u64 = 7;

/// The choice of events by a test that is made while it is executed.
pub(crate) const ONLINE: u64 = 8;

/// The tries of synthetic models; try k of model n has the number `SYNTHETIC + n * TRIES + k`.
pub(crate) const SYNTHETIC: u64 = 1 << 62;

/// The first walk of a pool; walk k has the number `WALKS + k`.
pub(crate) const WALKS: u64 = 1 << 32;
