//! The coordinator: owns the truth about the runs of studies and hands them to workers.
//!
//! # Rooms
//!
//! - [`ledger`]: the pure state machine of runs and leases; no clock, no I/O.
//! - [`queue`]: which pending runs a worker gets next.
//! - [`store`]: SQLite or PostgreSQL; what survives a power loss.
//! - `writer`: one thread around the three, which groups requests into transactions.
//! - `service`: gRPC in front of the writer, for workers; [`keys`] says who is one.
//! - `studies`: the same for people.
//! - `health`: whether the coordinator works, for supervisors.
//! - [`projects`]: project bytes by digest.
//! - [`progress`]: how far the studies are; `curve`: coverage meanwhile; `dashboard`: both
//!   for browsers and machines.
//! - [`clock`]: time as the ledger sees it.
//!
//! # On disk
//!
//! A study of `catherd run`, or all studies of a coordinator, run_progress in one folder:
//!
//! ```text
//! study.db          runs, leases, accepted records, project bytes (SQLite; with -wal and -shm
//!                   beside it)
//! study.lock        held by the one coordinator that serves the database
//! spool/<worker>/   records that a worker finished and nobody acknowledged yet
//! ```
//!
//! Any process may be killed at any moment and started again on this folder. Deleting
//! or moving the folder away starts the study afresh.
//!
//! With a PostgreSQL database nothing is left in the folder, and several coordinators may be started on it. One leads: its
//! session holds an advisory lock and does all the writing. The others stand by, answer
//! that they do, and one of them leads as soon as that session has ended, so a coordinator
//! that was thought dead can write nothing.

pub mod auth;
pub mod clock;
mod coordinator;
mod coverage_curve;
mod dashboard;
mod health;
pub mod ledger;
pub mod progress;
pub mod projects;
pub mod queue;
pub mod store;
mod study_service;
mod worker_service;
mod writer;

pub use coordinator::{Coordinator, CoordinatorError, Options, Records, StoreUnavailable};
pub use coverage_curve::CoverageCurve;
pub use ledger::Policy;
pub use progress::{
    AlgorithmCurve, ExecutingRun, Progress, RunProgress, StudyProgress, WorkerProgress,
};
pub use projects::Projects;
pub use store::{Breakdown, QuarantinedRun, RunId, StoreError, StoreUrl, StudyNumber, StudyState};
pub use writer::Writer;
