//! Numbers and digests that identify runs, studies and leases.

use catherd_experiments::Digest;

/// The digest of everything that the record of a run depends on.
pub type RunId = Digest;

/// The number of a run in its store, from 0, which never changes.
pub type RunNumber = u32;

/// The number of a study in its store, from 0, which changes with the plan.
pub type StudyNumber = u32;

/// The number of a group of runs in the queue, from 0.
pub type GroupNumber = u32;

/// The number of an engine of a subject kind in the queue, from 0.
pub type EngineNumber = u32;

/// The number of a set of studies in the ledger, from 0.
pub type StudySetNumber = u32;

/// A fencing token: the number of a lease. A token is larger than the tokens of all earlier leases
/// of the store.
pub type Token = u64;
