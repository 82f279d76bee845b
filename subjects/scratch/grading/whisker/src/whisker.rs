//! Suites for Whisker and their execution.
//!
//! `prelude/*.js` implements the parts that are easier to write in JavaScript, for example
//! assertions, wrappers of sprites, and lists of callbacks. `host` and `targets` contain the native
//! functions that the prelude calls, `runner` executes suites, and `execution` executes one test.

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
pub use options::SuiteOptions;
pub use outcome::{SuiteOutcome, TestOutcome};
pub use runner::{Chosen, Executed, run, run_chosen};
