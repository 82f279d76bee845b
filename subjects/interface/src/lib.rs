//! The interface of subject kinds: everything that most other parts of catherd know about tested
//! programs.
//!
//! The kinds [`command`] and [`noop`] are modules of this crate. A new kind needs a type that
//! implements [`SubjectKind`], and one line in the binary's list of kinds.

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
