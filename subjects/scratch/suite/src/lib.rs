//! Test suites for Scratch programs: their format, their execution and what they cover.
//!
//! - Files: [`Suite`] (JSON), [`Suite::to_javascript`] (for Whisker).
//! - Execution: a [`LinkedSuite`] is a suite whose names have been looked up in a program; a
//!   [`Runner`] executes its tests, each of which ends in a [`Verdict`].
//! - Inputs of a test: [`event`]. Assertions: [`attribute`].
//! - Tests that react to the program: [`policy`].
//! - Coverage: [`goals`], [`measure_coverage`], [`measure_reliability`].
//!
//! Nothing here generates tests, so that suites written by hand need only this crate.

pub mod attribute;
mod comparison;
mod coverage;
mod error;
pub mod event;
mod format;
pub mod goals;
mod javascript;
mod linked;
pub mod policy;
mod reliability;
mod runner;
mod verdict;

pub use coverage::{CoveredBlocks, measure_coverage};
pub use error::{SuiteError, UnknownSprite};
pub use format::{
    Assertion, Axis, Choice, Comparison, ENGINE, Edge, Effect, Expected, FORMAT, Follow, Guard,
    Instance, Mouse, Near, Pair, Press, Proposal, Reacting, Sent, Sight, Suite, SuiteEvent,
    SuiteNetwork, SuitePolicy, SuiteRule, SuiteTest, Tolerances,
};
pub use linked::LinkedSuite;
pub use reliability::{Reliability, measure_reliability};
pub use runner::Runner;
pub use verdict::{AssertionNo, Bounds, Execution, Failure, Verdict};
