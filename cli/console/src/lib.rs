//! What every command of catherd needs, whatever it is about.
//!
//! - [`Failure`]: the error of a command, with a hint; [`Exit`]: how a command that did not fail
//!   ended, and its exit code; [`exit_codes`]: the section of a help that lists them.
//! - [`terminal`]: results, progress and logs; [`BudgetBar`]: the progress of a search.
//! - [`places`]: paths that do not exist, or are of another kind; [`output`]: files that are written.
//! - [`Pair`], [`Generation`], [`Mutation`]: what commands that serve several kinds are asked for.
//!
//! The errors of libraries are worded where a command shows them, in the `failure.rs` of a crate of
//! commands.

mod budget_bar;
mod exit;
mod failure;
pub mod output;
pub mod places;
mod request;
pub mod terminal;

pub use budget_bar::{BudgetBar, Spent};
pub use exit::{Exit, exit_codes};
pub use failure::Failure;
pub use request::{Generation, Mutation, Pair};
