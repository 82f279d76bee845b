//! The coordinator: owns the truth about a study's runs and hands them to workers.
//!
//! # Rooms
//!
//! - [`ledger`]: the pure state machine of runs and leases; no clock, no I/O.
//! - [`queue`]: which pending runs a worker gets next.
//! - [`store`]: SQLite; what survives a power loss.
//! - `desk`: one thread around the three, which groups requests into transactions.
//! - `service`: gRPC in front of the desk.
//! - [`projects`]: project bytes by digest.
//! - [`progress`]: how far the study is.
//! - [`clock`]: time as the ledger sees it.
//!
//! # On disk
//!
//! A study lives in one folder:
//!
//! ```text
//! study.db          runs, leases, accepted records (SQLite; with -wal and -shm beside it)
//! study.lock        held by the one coordinator that serves the study
//! projects/<hex>    project bytes, named by their SHA-256
//! spool/<worker>/   records that a worker finished and nobody acknowledged yet
//! ```
//!
//! Any process may be killed at any moment and started again on this folder. Deleting
//! or moving the folder away starts the study afresh.

pub mod clock;
mod coordinator;
mod desk;
pub mod ledger;
pub mod progress;
pub mod projects;
pub mod queue;
mod service;
pub mod store;

pub use coordinator::{Coordinator, CoordinatorError, Options};
pub use ledger::Policy;
pub use progress::{Live, Progress, Running};
pub use projects::Projects;
pub use store::{Problem, RunId, StoreError};
