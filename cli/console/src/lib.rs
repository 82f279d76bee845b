//! What every command of catherd needs, whatever it is about.
//!
//! - [`Failure`]: the error of a command, with a hint; [`Exit`]: how a command that did not fail
//!   ended, and its exit code; [`exit_codes`]: the section of a help that lists them.
//! - [`terminal`]: results, progress and logs.
//! - [`file_names`]: names of studies, projects and algorithms, made safe for file systems.
//!
//! The errors of libraries are worded where a command shows them, in the `failure.rs` of a crate of
//! commands.

mod exit;
mod failure;
pub mod file_names;
pub mod terminal;

pub use exit::{Exit, exit_codes};
pub use failure::Failure;
