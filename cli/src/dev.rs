//! `catherd dev`: commands for the development of catherd, which are not needed for studies.

use catherd_cli_console::{Exit, Failure};
use clap::{Command as Program, Subcommand};

use crate::completions::{self, Manual};
use crate::{javascript, scratch, sequences};

/// Commands for the development of catherd.
#[derive(Subcommand)]
pub(crate) enum Command {
    #[command(subcommand)]
    Sequences(sequences::DevCommand),
    #[command(subcommand, name = "javascript")]
    JavaScript(javascript::DevCommand),
    #[command(subcommand)]
    Vm(scratch::vm::DevCommand),
    Manual(Manual),
}

pub(crate) fn run(command: Command, program: Program) -> Result<Exit, Failure> {
    match command {
        Command::Sequences(command) => sequences::run(command.into()),
        Command::JavaScript(command) => javascript::run(command.into()),
        Command::Vm(command) => scratch::vm::run(command.into()),
        Command::Manual(arguments) => completions::manual(&arguments, program),
    }
}
