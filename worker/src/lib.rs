//! The worker: one process, pinned to one core, that leases runs, executes them and
//! commits their records.
//!
//! - [`run_worker`] is the whole process; [`Options`] is what it needs to know.
//! - [`Subject`] is what executes a run: [`scratch`] generates tests for Scratch
//!   projects, [`command`] runs any program, [`rehearsal`] does nothing.
//! - [`LocalFleet`] keeps one worker process a core alive on this machine.
//!
//! Inside, an `executor` thread runs one job at a time, and a `session` on the async
//! side talks to the coordinator meanwhile. A finished record goes to the `spool` on
//! disk before it is offered and stays there until it is acknowledged, so neither the
//! death of this process nor that of the coordinator costs more than the run in hand. If
//! that took too much memory, its `will` says so through the process that comes next.

mod cache;
mod calls;
pub mod command;
mod disk_cache;
mod executor;
mod fleet;
mod limits;
mod memory;
pub mod rehearsal;
pub mod scratch;
mod seat;
mod session;
mod spool;
mod stage;
mod subject;
mod will;
mod worker;

pub use disk_cache::DiskCache;
pub use fleet::LocalFleet;
pub use limits::Limits;
pub use memory::Memory;
pub use seat::{allowed_cores, host};
pub use stage::Stage;
pub use subject::{Live, MakeSubject, RunError, Subject};
pub use worker::{Ending, Options, WorkerError, rehearse_worker, run_worker};
