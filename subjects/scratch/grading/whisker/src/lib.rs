//! Execution of test suites for Scratch programs that were written by hand in JavaScript.
//!
//! [`whisker`] executes suites for Whisker on the Scratch virtual machine. A verdict is a function
//! of project, suite, seed and [`whisker::SuiteOptions`]: time is counted in steps of the machine,
//! and all limits are counts.

mod kind;
mod seed;
pub mod whisker;

pub use kind::{KindError, SuiteKind};
pub use seed::Seed;
