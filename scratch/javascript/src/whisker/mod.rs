//! Whisker's suites: the object `t` that tests get, the order inside of a step, and how tests end.
//!
//! `prelude/*.js` has what is easier in JavaScript: assertions, wrappers of sprites, lists of
//! callbacks. `host` has the functions through which it reaches the machine, `runner` executes tests.

mod driver;
mod hints;
mod host;
mod inputs;
mod module;
mod outcome;
mod runner;
mod stepper;
mod targets;

pub use module::{LoadError, SuiteFile, TestInfo};
pub use outcome::{Outcome, Status, SuiteOutcome};
pub use runner::{Options, run};
