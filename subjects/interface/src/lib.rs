//! The interface of subject kinds: everything that the other parts of catherd know about tested
//! programs.
//!
//! - [`SubjectKind`]: a kind, from its name to its runner; [`ToolKind`]: the additional interface of
//!   kinds whose algorithms are external tools; [`Kinds`]: the kinds that a program supports.
//! - [`AlgorithmInfo`], [`ParameterInfo`]: the settings that a study may use; [`FieldError`]: a
//!   setting that a kind refuses; [`Resolved`]: the algorithms of a study and their tools.
//! - [`FoundProjects`], [`FoundProject`]: the projects that a study names; [`files`]: the search
//!   for projects of kinds whose projects are single files.
//! - [`Runner`], [`RunProgress`], [`RunError`]: the execution of runs; [`LoadedRunner`]: a runner for
//!   a [`LoadedProject`]; [`LoadedProjects`]: the projects that a runner keeps in memory.
//! - [`Approach`]: how close a run came to an uncovered goal.
//! - [`Picture`]: a picture of a suite's execution, for reports.
//! - [`search`]: conversions for kinds whose algorithms are from `catherd-search`.
//!
//! The kinds [`command`] and [`noop`] are modules of this crate: `command` runs external tools;
//! `noop` executes nothing, and is used to test and measure the coordinator and its workers.
//!
//! A new kind needs a type that implements [`SubjectKind`], and one line in the binary's list of
//! kinds.

mod algorithm;
mod approach;
pub mod command;
pub mod files;
mod kind;
mod loaded;
pub mod noop;
mod picture;
mod projects;
mod recent;
mod resolved;
mod runner;
pub mod search;

pub use algorithm::{
    ANY_ALGORITHM, AlgorithmInfo, FieldError, ParameterInfo, Values, parameter_names,
};
pub use approach::{Approach, Approaches, OpenGoals};
pub use kind::{Kinds, SubjectKind, ToolKind, UnknownKind};
pub use loaded::{LoadedProject, LoadedProjects, LoadedRunner};
pub use picture::{Picture, PictureError};
pub use projects::{
    FindError, FoundProject, FoundProjects, Progress, ProjectTable, ReadError, SkippedProject,
};
pub use recent::Recent;
pub use resolved::{ResolveError, Resolved};
pub use runner::{
    Examination, Limits, LoadError, Programs, RunError, RunProgress, Runner, RunnerContext,
    Survival,
};
