//! `catherd dataset export`: writes the list from which a corpus can be fetched again.

use std::path::PathBuf;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_corpora::corpus::export_frozen;
use clap::Args;

use super::read;
use crate::failure::Worded;

/// Writes a list of ids and digests from which others can fetch the same corpus.
///
/// `catherd dataset sample --from-list` fetches the listed projects, and logs those that have been
/// changed or removed since.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset export corpora/random1000 --frozen random1000.csv
  catherd dataset sample --from-list random1000.csv -o corpora/again")]
pub struct Arguments {
    /// Folder of the corpus
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File to write
    #[arg(long, short = 'o', value_name = "FILE")]
    frozen: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let corpus = read(&arguments.folder)?;
    export_frozen(&corpus, &arguments.frozen).map_err(Worded::worded)?;
    let count = corpus.members.len();
    terminal::print(&format!("{}: {}\n", arguments.frozen.display(), plural(count, "project")));
    Ok(Exit::Success)
}
