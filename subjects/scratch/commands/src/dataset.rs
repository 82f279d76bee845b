//! `catherd dataset`: commands for corpora of Scratch projects.

mod add;
mod describe;
mod diff;
mod export;
mod fetch;
mod sample;
mod split;
mod synth;
mod verify;

use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::{Measure, Noun};
use catherd_scratch_corpora::corpus::Corpus;
use clap::{Args, Subcommand};

use crate::failure::Worded;

/// Samples, generates, verifies and describes corpora of projects.
#[derive(Subcommand)]
#[allow(missing_docs, reason = "the arguments of each command contain its help")]
pub enum Command {
    Sample(sample::Arguments),
    Fetch(fetch::Arguments),
    Add(add::Arguments),
    Describe(describe::Arguments),
    Verify(verify::Arguments),
    Diff(diff::Arguments),
    Split(split::Arguments),
    Export(export::Arguments),
    Synth(synth::Arguments),
}

/// Function that draws two figures from the tables of `dataset describe` in a folder, and returns
/// the files of the figures.
pub type Draw<'a> = dyn Fn(&Path, Measure, Noun) -> Result<[PathBuf; 2], Failure> + 'a;

/// Executes `catherd dataset`; `draw` draws the figures of `describe`.
///
/// # Errors
///
/// If the command fails.
pub fn run(command: Command, draw: &Draw<'_>) -> Result<Exit, Failure> {
    match command {
        Command::Sample(arguments) => sample::run(arguments),
        Command::Fetch(arguments) => fetch::run(&arguments),
        Command::Add(arguments) => add::run(arguments),
        Command::Describe(arguments) => describe::run(arguments, draw),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Split(arguments) => split::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Synth(arguments) => synth::run(arguments),
    }
}

/// Argument `--out` of commands that write a corpus.
#[derive(Args)]
struct OutputFolder {
    /// Folder to write to
    #[arg(id = "out", long, short, value_name = "DIR")]
    folder: PathBuf,
}

/// `corpus.toml` contains the seed, so the maximum is the largest integer of TOML.
fn seed_parser() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

fn summary(corpus: &Corpus) -> String {
    let Corpus { folder, metadata, .. } = corpus;
    let projects = terminal::plural(metadata.projects, "project");
    format!("{}: {projects}, digest {}\n", folder.display(), metadata.digest)
}

/// Reads a corpus.
///
/// # Errors
///
/// If the corpus cannot be read.
pub fn read(folder: &Path) -> Result<Corpus, Failure> {
    Corpus::read(folder).map_err(Worded::worded)
}
