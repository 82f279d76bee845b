//! `catherd vm`: the machine alone.

mod bench;
mod conformance;
mod digest;
mod fidelity;
mod fuzz;
mod replay;

use std::path::Path;

use catherd_conformance::Corpus;
use clap::Subcommand;

use crate::failure::{Exit, Failure};

/// Looks at the Scratch machine itself.
#[derive(Subcommand)]
pub(crate) enum Command {
    Conformance(conformance::Arguments),
    Replay(replay::Arguments),
    Fidelity(fidelity::Arguments),
    Bench(bench::Arguments),
    Digest(digest::Arguments),
    Fuzz(fuzz::Arguments),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Conformance(arguments) => conformance::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Fidelity(arguments) => fidelity::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
        Command::Digest(arguments) => digest::run(arguments),
        Command::Fuzz(arguments) => fuzz::run(arguments),
    }
}

/// The projects of a corpus; without one named, those beside the folder of the traces.
fn corpus(named: Option<&Path>, traces: &Path) -> Result<Corpus, Failure> {
    let beside = traces.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = named.unwrap_or(beside);
    Corpus::index(folder).map_err(|error| {
        Failure::new(format!("{}: {error}", folder.display()))
            .hint("name the folder of the projects with --corpus")
    })
}

/// The number of threads; without one asked for, one for each processor.
fn jobs(asked: Option<usize>) -> usize {
    let available = || std::thread::available_parallelism().map_or(1, usize::from);
    asked.unwrap_or_else(available).max(1)
}
