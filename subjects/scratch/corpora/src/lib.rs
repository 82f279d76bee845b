//! Collections of Scratch projects: finding, loading and describing projects, and reproducible
//! corpora.
//!
//! [`find`] finds projects at paths and checks that they are usable. [`ProjectEntry::load`] returns
//! a [`LoadedProject`]: the project with its archive. [`describe`] counts the parts of a project.
//!
//! A [`corpus::Corpus`] is a folder with a manifest and a recipe. [`sample`] downloads
//! projects; [`synth`] generates projects without a network.

mod atomic_file;
mod authors;
mod collection;
pub mod corpus;
mod description;
mod loaded_project;
pub mod sample;
mod structure;
pub mod synth;
mod unique_names;

pub use authors::Authors;
pub use collection::{FindError, FoundProjects, ProjectEntry, SkippedProject, find};
pub use description::{Description, describe};
pub use loaded_project::{LoadError, LoadedProject};
pub use structure::structure;

/// Today's date in UTC, such as `2026-11-21`, for manifests.
pub fn today() -> String {
    chrono::Utc::now().date_naive().to_string()
}
