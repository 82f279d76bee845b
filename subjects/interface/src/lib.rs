//! The interface of a subject kind: everything that the rest of catherd knows about the tested
//! programs.
//!
//! - [`SubjectKind`]: one kind, from its name to its runner; [`ToolKind`]: the part of kinds whose
//!   algorithms are external tools; [`Kinds`]: the kinds of a program.
//! - [`AlgorithmInfo`], [`ParameterInfo`]: the settings that a study may use; [`FieldError`]: a
//!   setting that a kind refuses; [`Resolved`]: the algorithms of a study with their tools, which
//!   are read once.
//! - [`FoundProjects`], [`FoundProject`]: the projects that a study names; [`files`]: a search for
//!   kinds whose projects are single files.
//! - [`Runner`], [`RunProgress`], [`RunError`]: executing runs; [`LoadedRunner`]: a runner for a
//!   [`LoadedProject`]; [`LoadedProjects`]: the projects that a runner keeps.
//! - [`Picture`]: a picture of a suite's execution, for reports.
//! - [`search`]: conversions for kinds whose algorithms are from `catherd-search`.
//! - Two kinds are modules of this crate: [`command`] runs external tools; [`noop`] executes
//!   nothing, and is used to test and measure coordinator and workers.
//!
//! A kind is a crate that implements [`SubjectKind`], and one line where the binary lists its
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
