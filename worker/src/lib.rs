//! The worker: one process, usually pinned to one core, that leases runs, executes them and commits
//! their records.
//!
//! - [`run_worker`] runs the whole process; [`WorkerOptions`] configures it.
//! - [`LocalFleet`] keeps a worker process alive on each of the given cores.
//! - [`SubjectProcess`] passes runs to a separate process; [`serve_subject`] runs in that process.
//!
//! Finished records are kept in the `spool` until they are acknowledged, so usually only the current
//! run is lost if this process or the coordinator dies.

mod allocator;
mod client;
mod crash_report;
mod disk_cache;
mod executor;
mod exit;
mod fleet;
mod measured_run;
mod outage;
mod project_cache;
mod session;
mod simulated_host;
mod spool;
mod subject_process;
mod worker;

use catherd_interface::Runner;

pub use allocator::OomMarkingAllocator;
pub use disk_cache::DiskCache;
pub use exit::{EXIT_DISK_FULL, ExitReason, WorkerError};
pub use fleet::LocalFleet;
pub use simulated_host::SimulatedHost;
pub use subject_process::{SubjectProcess, serve_subject};
pub use worker::{CoordinatorAddress, Relocation, WorkerOptions, run_simulated_worker, run_worker};

/// A function that makes the runner of a subject kind. `None` means that this worker does not
/// execute the kind.
pub type MakeRunner = dyn Fn(&str) -> Option<Box<dyn Runner>> + Send;

// Two crates that do not depend on each other limit the size of a project.
const _: () =
    assert!(catherd_proto::transport::MAX_PROJECT == catherd_interface::files::LARGEST_PROJECT);
