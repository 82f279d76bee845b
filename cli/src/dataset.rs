//! `catherd dataset`: corpora of Scratch projects and of JavaScript packages.

use catherd_analysis::corpus::{self, Tables};
use catherd_cli_console::{Exit, Failure};
use catherd_javascript_commands::packages;
use catherd_scratch_commands::dataset as scratch;
use clap::Subcommand;

use crate::failure::Worded;

/// Samples, generates, verifies and describes corpora of projects.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(flatten)]
    Scratch(scratch::Command),
    #[command(name = "javascript")]
    JavaScript(packages::Arguments),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Scratch(command) => scratch::run(command, &|folder, size, feature| {
            corpus::draw(folder, &Tables { size, feature }).map_err(Worded::worded)
        }),
        Command::JavaScript(arguments) => packages::run(&arguments),
    }
}
