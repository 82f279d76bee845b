//! `catherd dataset synth`: generates projects without a network.

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_corpora::synth;
use clap::Args;

use super::{OutputFolder, seed_parser, summary};
use crate::failure::Worded;

/// Generates a corpus of random, valid projects.
///
/// Sizes and blocks are distributed as in real projects, and every script can be started. The same
/// seed results in the same projects on every computer.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset synth --count 1000 --seed 1 -o corpora/synthetic
  catherd run --projects corpora/synthetic --algorithms random --executions 20")]
pub struct Arguments {
    /// Number of projects
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,

    /// Seed of the projects
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed_parser())]
    seed: u64,

    #[command(flatten)]
    out: OutputFolder,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { count, seed, out } = arguments;
    let count = count as usize;
    let bar = bar(count);
    let corpus = synth::write(&out.folder, count, seed, || bar.inc(1));
    bar.finish_and_clear();
    terminal::print(&summary(&corpus.map_err(Worded::worded)?));
    Ok(Exit::Success)
}
