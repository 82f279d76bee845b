//! The durable state: an SQLite file or a PostgreSQL database, with the same tables. One [`Store`]
//! writes, and any number of [`StoreReader`]s read at the same time.
//!
//! Runs belong to the store and not to a study. A study is a list of runs, so runs that two studies
//! have in common are executed once.
//!
//! Calls may wait for the database. Async code may make them only on threads of a multi-threaded
//! runtime.

mod backup;
mod cells;
mod checksum;
mod database;
mod error;
mod files;
mod load;
mod lookup;
mod model;
mod planned;
mod planning;
#[cfg(feature = "postgres")]
mod postgres;
mod projects;
mod prune;
mod queries;
mod reader;
mod records;
mod repair;
mod row;
mod schema;
mod sqlite;
mod url;
mod write;

pub use backup::{BackupContents, BackupError, backup};
pub use cells::{CellRuns, ListedRun, RecordedRun};
pub use error::StoreError;
pub(crate) use error::with_causes;
pub use lookup::{EndedAttempt, FoundRun};
pub use model::{
    Breakdown, Claim, ClaimChange, ProjectChunk, StoreChange, StoredRecord, StoredRun, StoredStudy,
    StudyState,
};
pub use planning::{PlannedRun, PlannedStudy, Planning};
pub use prune::Pruned;
pub use reader::{MissingRuns, QuarantinedRun, StoreReader};
pub use records::Records;
pub use repair::Repair;
pub use url::StoreUrl;
pub use write::{Store, TransactionObserver};
