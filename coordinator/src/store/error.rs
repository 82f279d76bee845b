//! Errors of the store.

use std::fmt::Display;

use catherd_experiments::{Digest, RunSpec};

/// Why a request to the store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// SQLite returned an error.
    #[error("study database: {0}")]
    Sqlite(rusqlite::Error),
    /// PostgreSQL returned an error or cannot be reached.
    #[cfg(feature = "postgres")]
    #[error("study database: {}", with_causes(.0))]
    Postgres(tokio_postgres::Error),
    /// The feature `postgres` is off.
    #[error("this catherd was built without PostgreSQL")]
    WithoutPostgres,
    /// A thread, or the asynchronous runtime of the connection, cannot be started.
    #[error("study database: {0}")]
    Runtime(std::io::Error),
    /// Another coordinator writes to the PostgreSQL database.
    #[error("another coordinator leads this store")]
    LedByAnother,
    /// This version does not support the schema version of the database.
    #[error(
        "the study database has schema version {found}, but this catherd supports {known}; use \
         another version of catherd"
    )]
    Schema {
        /// Version found.
        found: i64,
        /// Latest supported version.
        known: i64,
    },
    /// Another program has deleted or replaced a file of the SQLite store while the store was open.
    /// Nothing is acknowledged afterwards.
    #[error(
        "{} was {change} by another program while it was in use; nothing is acknowledged any more",
        path.display()
    )]
    FileLost {
        /// The main file or its write-ahead log.
        path: std::path::PathBuf,
        /// What has happened to the file.
        change: &'static str,
    },
    /// The content of the database is inconsistent.
    #[error("the study database is damaged: {0}")]
    Damaged(String),
    /// The stored state of a run is not what was written.
    #[error("{line}")]
    DamagedRun {
        /// The run.
        run: Digest,
        /// The study, a description of the run, and what is damaged.
        line: String,
    },
    /// A plan, specification or record cannot be converted to or from JSON.
    #[error("cannot convert a plan, specification or record: {0}")]
    Json(serde_json::Error),
    /// The project is not stored completely.
    #[error("there is no project {0}")]
    NoProject(Digest),
    /// The study was replaced or deleted while it was read.
    #[error("the study was changed while its results were read; fetch them again")]
    StudyChanged,
    /// There is no such study.
    #[error("there is no study `{0}`")]
    NoStudy(String),
}

impl From<rusqlite::Error> for StoreError {
    fn from(cause: rusqlite::Error) -> StoreError {
        StoreError::Sqlite(cause)
    }
}

#[cfg(feature = "postgres")]
impl From<tokio_postgres::Error> for StoreError {
    fn from(cause: tokio_postgres::Error) -> StoreError {
        StoreError::Postgres(cause)
    }
}

impl From<serde_json::Error> for StoreError {
    fn from(cause: serde_json::Error) -> StoreError {
        StoreError::Json(cause)
    }
}

impl StoreError {
    /// Whether the error may be temporary.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            #[cfg(feature = "postgres")]
            StoreError::Postgres(error) => match error.code() {
                // The classes of codes 53 (insufficient resources) and 57 (operator intervention).
                Some(state) => state.code().starts_with("53") || state.code().starts_with("57"),
                None => error.is_closed() || is_io(error),
            },
            _ => false,
        }
    }

    pub(super) fn of_run(study: &str, spec: &RunSpec, cause: impl Display) -> StoreError {
        let (run, place) = (spec.id(), spec.place());
        let line = format!("study `{study}`: run {} ({place}) is damaged: {cause}", run.short());
        StoreError::DamagedRun { run, line }
    }

    /// Whether stored data is damaged or lost.
    pub fn is_damage(&self) -> bool {
        use rusqlite::ErrorCode::{DatabaseCorrupt, NotADatabase};
        match self {
            // A row refers to another row that is lost.
            StoreError::Sqlite(rusqlite::Error::SqliteFailure(error, _))
                if error.extended_code == rusqlite::ffi::SQLITE_CONSTRAINT_FOREIGNKEY =>
            {
                true
            }
            StoreError::Sqlite(error) => {
                matches!(error.sqlite_error_code(), Some(DatabaseCorrupt | NotADatabase))
            }
            StoreError::Damaged(_) | StoreError::DamagedRun { .. } | StoreError::Json(_) => true,
            _ => false,
        }
    }
}

#[cfg(feature = "postgres")]
fn is_io(error: &tokio_postgres::Error) -> bool {
    std::error::Error::source(error).is_some_and(|source| source.is::<std::io::Error>())
}

/// The message of an error of another crate, followed by the messages of its causes.
pub(crate) fn with_causes(error: &dyn std::error::Error) -> String {
    let causes = std::iter::successors(error.source(), |cause| cause.source());
    causes.fold(error.to_string(), |text, cause| format!("{text}: {cause}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A violated foreign key is damage, because the other row is lost.
    #[test]
    fn a_lost_row_is_damage() {
        let database = rusqlite::Connection::open_in_memory().unwrap();
        let tables = "PRAGMA foreign_keys = ON; CREATE TABLE a (id INTEGER PRIMARY KEY); \
                      CREATE TABLE b (a INTEGER UNIQUE REFERENCES a (id)); \
                      INSERT INTO a VALUES (1); INSERT INTO b VALUES (1);";
        database.execute_batch(tables).unwrap();
        let of = |row: &str| {
            let error = database.execute(&format!("INSERT INTO b VALUES ({row})"), []).unwrap_err();
            StoreError::from(error).is_damage()
        };
        assert!(of("2") && !of("1"));
    }
}
