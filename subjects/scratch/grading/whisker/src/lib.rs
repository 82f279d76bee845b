//! Execution of test suites in JavaScript for Scratch programs.
//!
//! [`whisker`] executes suites for Whisker on the Scratch VM. A verdict is a function of the
//! project, the suite and the [`whisker::SuiteOptions`], because time is counted in steps of the
//! VM, and all limits are counts.

mod kind;
mod seed;
pub mod whisker;

pub use kind::{KindError, SuiteKind};
pub use seed::Seed;
