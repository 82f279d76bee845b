//! `catherd dataset`: commands for corpora of Scratch projects.

mod add;
mod describe;
mod diff;
mod export;
mod javascript;
mod sample;
mod split;
mod synth;
mod verify;

use std::path::{Path, PathBuf};

use catherd_cli_console::{Exit, Failure};
use catherd_scratch_corpora::corpus::Corpus;
use clap::{Args, Subcommand};

use crate::failure::Worded;

/// Samples, generates, verifies and describes corpora of Scratch projects.
#[derive(Subcommand)]
pub(crate) enum Command {
    Sample(sample::Arguments),
    Add(add::Arguments),
    Describe(describe::Arguments),
    Verify(verify::Arguments),
    Diff(diff::Arguments),
    Split(split::Arguments),
    Export(export::Arguments),
    Synth(synth::Arguments),
    #[command(name = "javascript")]
    JavaScript(javascript::Arguments),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Sample(arguments) => sample::run(arguments),
        Command::Add(arguments) => add::run(arguments),
        Command::Describe(arguments) => describe::run(arguments),
        Command::Verify(arguments) => verify::run(arguments),
        Command::Diff(arguments) => diff::run(arguments),
        Command::Split(arguments) => split::run(arguments),
        Command::Export(arguments) => export::run(arguments),
        Command::Synth(arguments) => synth::run(arguments),
        Command::JavaScript(arguments) => javascript::run(&arguments),
    }
}

/// Argument `--out` of the commands that write a corpus.
#[derive(Args)]
struct OutputFolder {
    /// Folder of the corpus to write
    #[arg(id = "out", long, short, value_name = "DIR")]
    folder: PathBuf,
}

/// Parser of a seed. Its range is that of integers in TOML, because `corpus.toml` contains it.
fn seed_parser() -> clap::builder::RangedU64ValueParser {
    clap::value_parser!(u64).range(..=i64::MAX as u64)
}

/// Summary of a corpus, which every command prints at its end.
fn summary(corpus: &Corpus) -> String {
    let Corpus { folder, metadata, .. } = corpus;
    format!("{}: {} projects, digest {}\n", folder.display(), metadata.projects, metadata.digest)
}

fn read(folder: &Path) -> Result<Corpus, Failure> {
    Ok(Corpus::read(folder).map_err(Worded::worded)?)
}
