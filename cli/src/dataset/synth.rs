//! `catherd dataset synth`: projects where there is no network.

use catherd_datasets::synth;
use clap::Args;

use super::{Out, seed, told};
use crate::failure::{Exit, Failure};
use crate::terminal;
use crate::terminal::bar;

/// Makes a corpus of random but valid and lively projects.
///
/// Sizes and blocks are distributed as in real projects; every script can be started. The
/// same seed gives the same projects on every machine.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset synth --count 1000 --seed 1 -o corpora/synthetic
  catherd run --projects corpora/synthetic --algorithms random --executions 20")]
pub(crate) struct Arguments {
    /// Number of projects
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    count: u64,

    /// Seed of the projects
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed())]
    seed: u64,

    #[command(flatten)]
    out: Out,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let Arguments { count, seed, out } = arguments;
    let count = count as usize;
    let bar = bar(count);
    let corpus = synth::write(&out.folder, count, seed, || bar.inc(1));
    bar.finish_and_clear();
    terminal::print(&told(&corpus?));
    Ok(Exit::Fine)
}
