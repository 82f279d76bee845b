//! Folders of results: projects, results of runs, and the tables that are made from them.
//!
//! - [`Corpus`] finds and describes the projects of a study, and stores them at a coordinator.
//! - [`StudyFolder`] is a folder of results, which belongs to one study.
//! - [`RunResult`] is the result of a run; [`StoredStudies`] reads the results in a store.
//! - [`StudyTables`] writes the tables; [`InterimTables`] writes them while runs are executed.
//! - [`remake`] makes the tables of a study again from the results of its runs.
//! - [`race`] executes runs in rounds and drops configurations that have lost.
//! - [`stop`] executes seeds in rounds and ends when no pair of algorithms needs more seeds.

mod artifacts;
mod corpus;
mod error;
mod folder;
mod goals;
mod interim;
pub mod race;
mod remake;
pub mod stop;
mod stored;
mod tables;

pub use corpus::Corpus;
pub use error::{ResultsError, WriteError};
pub use folder::{CORPUS, MANIFEST, RESULT_FILES, StudyFolder, contents};
pub use interim::InterimTables;
pub use remake::remake;
pub use stored::{RunResult, StoredStudies};
pub use tables::{Extent, StudyTables, WrittenResults};
