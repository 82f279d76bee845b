//! The coordinator: plans studies into a store, leases their runs to workers and accepts the
//! records.
//!
//! # Modules
//!
//! - [`ids`]: numbers and digests of runs, studies and leases.
//! - [`ledger`]: the state machine of runs and leases, without a clock and without I/O.
//!   [`lease_expiry`]: when a lease expires. [`queue`]: which pending runs a worker gets next.
//! - [`store`]: the durable state, in SQLite or PostgreSQL.
//! - `writer`: the thread that owns the ledger and the store, and groups requests into
//!   transactions.
//! - `worker_service`, `study_service`: the gRPC services for workers and for clients; `uploads`,
//!   `rate_limit`: bounds on their requests; [`auth`]: tokens and roles; `connections`: accepting,
//!   encrypting and limiting connections; `health`: the health service for supervisors.
//! - [`projects`]: project bytes by digest.
//! - [`progress`]: progress of the studies; `coverage_curve`: interim coverage; `failures`: failed
//!   attempts by reason; `dashboard`: a web page that shows them.
//! - [`clock`]: the clocks by which leases expire.
//!
//! # On disk
//!
//! A study of `catherd run`, or all studies of a coordinator, are stored in one folder:
//!
//! ```text
//! study.db          runs, leases, accepted records, project bytes (SQLite; with study.db-wal and
//!                   study.db-shm while a coordinator serves it, or after one was killed)
//! study.lock        locked by the one coordinator that serves the database
//! spool/<worker>/   finished records of a worker that the coordinator has not acknowledged
//! ```
//!
//! Any process may be killed at any moment and started again on this folder. If the folder is
//! deleted, the study starts from the beginning.
//!
//! With a PostgreSQL database, several coordinators may be started on the database. One of them is
//! the leader, which holds an advisory lock. The others stand by, and one of them takes over after
//! the leader's session has ended.

pub mod auth;
pub mod clock;
mod connections;
mod coordinator;
mod coverage_curve;
mod dashboard;
mod error;
mod failures;
mod health;
pub mod ids;
pub mod lease_expiry;
pub mod ledger;
mod metrics;
mod options;
pub mod progress;
pub mod projects;
pub mod queue;
mod rate_limit;
pub mod store;
mod study_service;
mod traces;
mod uploads;
mod worker_service;
mod writer;

pub use coordinator::{Coordinator, Records, WRITER_THREAD, prune};
pub use coverage_curve::CoverageCurve;
pub use error::{CoordinatorError, ForeignStudy, PlanningRefused, StoreUnavailable, SubmitError};
pub use failures::FailureCount;
pub use health::{LIVE_SERVICE, STANDBY_SERVICE};
pub use ids::{RunId, StudyNumber};
pub use ledger::{Phase, Policy, Usage, WorkerRule};
pub use options::CoordinatorOptions;
pub use progress::{
    AlgorithmCurve, ExecutingRun, PlanningProgress, Progress, RunProgress, StudyProgress,
    TooLongRuns, UnservedRuns, WorkerProgress,
};
pub use projects::Projects;
pub use store::{
    Breakdown, Claim, ClaimChange, QuarantinedRun, Repair, StoreError, StoreUrl, StudyState,
};
pub use traces::{Span, SpanSink};
pub use writer::Writer;
