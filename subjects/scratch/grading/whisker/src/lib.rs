//! Test suites for Scratch programs that were written by hand in JavaScript, executed on the
//! deterministic machine.
//!
//! [`whisker`] executes suites for Whisker. A verdict is a function of project, suite, seed and
//! [`whisker::Options`]: time is counted in steps of the machine, and all limits are counted.

mod kind;
mod seed;
pub mod whisker;

pub use kind::{KindError, SuiteKind};
pub use seed::Seed;
