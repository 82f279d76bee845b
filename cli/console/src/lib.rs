//! Functions and types for the commands of catherd.
//!
//! - [`Failure`]: the error of a command, with a hint; [`Exit`]: the result of a command that did
//!   not fail; [`exit_codes`]: the section of a command's help that lists exit codes.
//! - [`terminal`]: results, progress and logs; [`BudgetBar`]: the progress of a search.
//! - [`places`]: checks of paths, and folders for working files; [`output`]: files that are
//!   written.
//! - [`Pair`], [`Generation`], [`Mutation`]: the requests of commands that serve several kinds.

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
