//! Test generation for Scratch programs, according to *Automated Test Generation for Scratch
//! Programs* (the Whisker paper).
//!
//! - Goals and fitness: [`model`], [`graph`], [`fitness`], [`catherd_scratch_trace`].
//! - Tests: [`chromosome`], [`extraction`], [`parameters`].
//! - From a project to a suite: [`Prepared`], [`Request`], [`Generated`].
//!
//! Suites and their execution are in `catherd-scratch-suite`.

mod assertion;
pub mod chromosome;
mod compat;
mod counts;
mod criteria;
mod error;
mod execution;
pub mod extraction;
pub mod fitness;
mod generation;
pub mod graph;
mod limits;
mod local_search;
mod minimisation;
pub mod model;
pub mod parameters;
mod prepared;
mod problem;
mod random_testing;
mod request;
mod settings;

pub use assertion::Assertions;
pub use compat::Compat;
pub use counts::Counts;
pub use criteria::Criteria;
pub use error::GenerateError;
pub use generation::generate;
pub use limits::{LimitCount, Limits};
pub use prepared::Prepared;
pub use request::{BranchCoverage, End, Generated, Request};
pub use settings::{Configuration, GenerationSettings, Selection};
