//! Folders of results: the projects of a study, the results of its runs from a store or from
//! anywhere else, and the tables that are made of them. A front end decides what a person sees of it.
//!
//! - [`Corpus`]: the projects of a study, found, described, and stored at a coordinator.
//! - [`StudyFolder`]: the folder of a study, which belongs to one study.
//! - [`RunResult`]: the result of a run; [`StoredStudies`]: the results that a store has.
//! - [`StudyTables`]: writes a folder of results; [`InterimTables`]: does so while runs are executed.
//! - [`race`]: runs in rounds, each without the configurations that have lost.

mod artifacts;
mod corpus;
mod error;
mod folder;
mod goals;
mod interim;
pub mod race;
mod stored;
mod tables;

pub use corpus::Corpus;
pub use error::{ResultsError, WriteError};
pub use folder::{MANIFEST, RESULT_FILES, StudyFolder, contents};
pub use interim::InterimTables;
pub use stored::{RunResult, StoredStudies};
pub use tables::{Extent, StudyTables, WrittenResults};
