//! `catherd vm`: the machine alone.

mod bench;
mod conformance;
mod fidelity;
mod replay;

use std::path::Path;

use catherd_fidelity::Corpus;
use clap::Subcommand;

use crate::failure::{Exit, Failure};

/// Looks at the Scratch machine itself.
#[derive(Subcommand)]
pub(crate) enum Command {
    Conformance(conformance::Arguments),
    Replay(replay::Arguments),
    Fidelity(fidelity::Arguments),
    Bench(bench::Arguments),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Conformance(arguments) => conformance::run(arguments),
        Command::Replay(arguments) => replay::run(arguments),
        Command::Fidelity(arguments) => fidelity::run(arguments),
        Command::Bench(arguments) => bench::run(arguments),
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
