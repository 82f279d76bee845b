//! `catherd vm`: commands that run the VM of Scratch without tests.

mod bench;
mod conformance;
mod digest;
mod fuzz;
mod interpreted;
mod replay;
mod replay_all;

use std::path::Path;

use catherd_cli_console::{Exit, Failure};
use catherd_scratch_conformance::ProjectIndex;
use clap::Subcommand;

/// Tests and measures the Scratch machine.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum Command {
    Conformance(conformance::Arguments),
    Replay(replay::Arguments),
    // The name of version 0.3, accepted for one more version.
    #[command(alias = "fidelity")]
    ReplayAll(replay_all::Arguments),
    Bench(bench::Arguments),
    // The names of version 0.3 for two commands of `catherd dev vm`, accepted for one more version.
    #[command(hide = true)]
    Digest(digest::Arguments),
    #[command(hide = true)]
    Fuzz(fuzz::Arguments),
    // Accepted only as `catherd dev vm interpreted`; without this attribute clap would accept it
    // here.
    #[command(skip)]
    Interpreted(interpreted::Arguments),
}

/// Compares builds of the Scratch machine, executes hostile projects on it, and counts the blocks
/// that it interprets.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum DevCommand {
    Digest(digest::Arguments),
    Fuzz(fuzz::Arguments),
    Interpreted(interpreted::Arguments),
}

impl From<DevCommand> for Command {
    fn from(command: DevCommand) -> Command {
        match command {
            DevCommand::Digest(arguments) => Command::Digest(arguments),
            DevCommand::Fuzz(arguments) => Command::Fuzz(arguments),
            DevCommand::Interpreted(arguments) => Command::Interpreted(arguments),
        }
    }
}

/// Executes `catherd vm`.
///
/// # Errors
///
/// If the command fails.
pub fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Conformance(arguments) => conformance::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::ReplayAll(arguments) => replay_all::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Digest(arguments) => digest::run(arguments),
        Command::Fuzz(arguments) => fuzz::run(arguments),
        Command::Interpreted(arguments) => interpreted::run(arguments),
    }
}

fn project_index(folder: Option<&Path>, traces: &Path) -> Result<ProjectIndex, Failure> {
    let parent = traces.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = folder.unwrap_or(parent);
    ProjectIndex::build(folder).map_err(|error| {
        Failure::new(format!("{}: {error}", folder.display()))
            .hint("give the folder of the projects with --corpus")
    })
}

fn thread_count(requested: Option<usize>) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    requested.unwrap_or_else(available).max(1)
}
