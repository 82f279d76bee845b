//! Test generation for Scratch programs, after *Automated Test Generation for Scratch
//! Programs* (the Whisker paper).
//!
//! - What there is to cover, and how far a test is from it: [`goals`], [`graph`],
//!   [`fitness`], [`trace`].
//! - What a test is made of: [`event`], [`extraction`], [`chromosome`].
//! - From a project to a suite: [`Prepared`], [`Request`], [`Generated`], [`Suite`].
//! - Executing a suite: [`LinkedSuite`], [`Runner`], [`Verdict`].

mod assertion;
pub mod chromosome;
mod compat;
mod counts;
#[cfg(test)]
mod draft;
pub mod event;
mod execution;
pub mod extraction;
pub mod fitness;
mod generation;
pub mod goals;
pub mod graph;
mod limits;
mod local_search;
mod minimisation;
pub mod mutation;
mod problem;
mod random_testing;
mod recorder;
mod runner;
#[cfg(test)]
mod sample;
mod settings;
mod suite;
pub mod trace;

pub use assertion::Assertions;
pub use compat::Compat;
pub use counts::Counts;
pub use generation::{ENGINE, End, GenerateError, Generated, Prepared, Request, generate, replay};
pub use limits::{LimitCount, Limits};
pub use runner::{AssertionNo, Bounds, Execution, Failure, LinkedSuite, Runner, Verdict};
pub use settings::{Configuration, Selection, Settings};
pub use suite::{
    Assertion, Effect, Expected, FORMAT, Suite, SuiteError, SuiteEvent, SuiteTest, Tolerances,
};
