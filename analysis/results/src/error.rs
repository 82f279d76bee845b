//! Errors of reading and writing results.

use std::io;
use std::path::PathBuf;

use catherd_analysis::tidy;
use catherd_coordinator::{Coordinator, CoordinatorError, StoreUrl};
use catherd_experiments::Digest;
use catherd_interface::{FindError, ReadError};

/// Why the projects or results of a study cannot be read or written.
#[derive(Debug, thiserror::Error)]
pub enum ResultsError {
    /// The folder or the store of the study cannot be used.
    #[error(transparent)]
    Coordinator(#[from] CoordinatorError),
    /// The tables cannot be read or written.
    #[error(transparent)]
    Tables(#[from] tidy::Error),
    /// The projects cannot be used.
    #[error(transparent)]
    Projects(#[from] FindError),
    /// A file cannot be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// The folder cannot be used for this study.
    #[error("{}: {holds}", folder.display())]
    Taken {
        /// The folder.
        folder: PathBuf,
        /// The reason.
        holds: String,
    },
    /// A file of the store was deleted or replaced while it was in use.
    #[error("{0}")]
    StoreLost(String),
    /// The store is damaged.
    #[error("{store}: {damage}")]
    StoreDamaged {
        /// The store.
        store: StoreUrl,
        /// The damage.
        damage: String,
    },
    /// A project cannot be stored.
    #[error("{store}: cannot store project {project}: {cause}")]
    NotStored {
        /// The store.
        store: StoreUrl,
        /// The project.
        project: Digest,
        /// The cause.
        cause: String,
    },
    /// The thread that writes interim tables cannot be started.
    #[error("{0}")]
    Thread(io::Error),
    /// Interim tables were not finished, because writing was stopped.
    #[error("stopped")]
    Cancelled,
}

impl ResultsError {
    /// The loss or damage of the store that a coordinator reports.
    pub fn of_store(coordinator: &Coordinator) -> Option<ResultsError> {
        let progress = coordinator.progress();
        if let Some(lost) = progress.lost_file {
            return Some(ResultsError::StoreLost(lost));
        }
        let store = coordinator.url().clone();
        progress.damage.map(|damage| ResultsError::StoreDamaged { store, damage })
    }
}

impl From<ReadError> for ResultsError {
    fn from(error: ReadError) -> ResultsError {
        ResultsError::Projects(error.into())
    }
}

/// Why tables are not written. `E` is the error of the source of the results.
#[derive(Debug, thiserror::Error)]
pub enum WriteError<E> {
    /// The source of the results of runs failed.
    #[error("{0}")]
    Source(E),
    /// The tables cannot be written.
    #[error(transparent)]
    Results(ResultsError),
}

impl<E, C: Into<ResultsError>> From<C> for WriteError<E> {
    fn from(cause: C) -> WriteError<E> {
        WriteError::Results(cause.into())
    }
}
