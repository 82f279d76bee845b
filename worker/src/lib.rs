//! The worker: one process, pinned to one core, that leases runs, executes them and
//! commits their records. It knows no kind of subject: a [`Runner`](catherd_interface::Runner)
//! that the program makes executes the runs of a kind.
//!
//! - [`run_worker`] is the whole process; [`Options`] configures it.
//! - [`LocalFleet`] keeps one worker process on each core alive on this machine.
//!
//! Inside, an `executor` thread runs one job at a time, and a `session` on the async
//! side talks to the coordinator meanwhile. A finished record goes to the `spool` on
//! disk before it is committed and stays there until it is acknowledged, so neither the
//! death of this process nor that of the coordinator costs more than the current run. If
//! that run exceeded the memory limit, the next process sends the `crash_report` about it.

mod allocator;
mod client;
mod crash_report;
mod disk_cache;
mod executor;
mod fleet;
mod outage;
mod project_cache;
mod session;
mod simulated_host;
mod spool;
mod worker;

use catherd_interface::Runner;

pub use allocator::OomMarkingAllocator;
pub use disk_cache::DiskCache;
pub use fleet::LocalFleet;
pub use simulated_host::SimulatedHost;
pub use worker::{
    CoordinatorAddress, ExitReason, Options, WorkerError, run_simulated_worker, run_worker,
};

/// Makes the runner of a subject kind by the kind's name. `None` if this worker has no such
/// kind.
pub type MakeRunner = dyn Fn(&str) -> Option<Box<dyn Runner>> + Send;

// Both crates bound the size of a project, and neither depends on the other.
const _: () =
    assert!(catherd_proto::transport::MAX_PROJECT == catherd_interface::files::LARGEST_PROJECT);
