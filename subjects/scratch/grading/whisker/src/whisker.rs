//! Whisker's suites: the object `t` that tests get, the order inside of a step, and how tests end.
//!
//! `prelude/*.js` has what is easier in JavaScript: assertions, wrappers of sprites, lists of
//! callbacks. `host` has the functions through which it reaches the machine, `runner` executes suites,
//! `execution` one test.

mod detection;
mod driver;
mod execution;
mod hints;
mod host;
mod inputs;
mod mirror;
mod module;
mod options;
mod outcome;
mod runner;
mod stepper;
mod target_key;
mod targets;

pub use catherd_javascript_engine::Limits;
pub use detection::detected_inputs;
pub use module::{LoadError, Models, SuiteFile, TestInfo};
pub use options::Options;
pub use outcome::{Outcome, SuiteOutcome};
pub use runner::{Chosen, Executed, run, run_chosen};
