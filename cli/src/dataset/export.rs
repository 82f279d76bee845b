//! `catherd dataset export`: what another laboratory needs to get the same corpus.

use std::path::PathBuf;

use catherd_datasets::corpus::export_frozen;
use clap::Args;

use super::read;
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Writes the list of ids and digests from which others get the same corpus.
///
/// `catherd dataset sample --from-list` fetches what it lists and reports every project
/// that is gone or was changed since.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset export corpora/random1000 --frozen random1000.csv
  catherd dataset sample --from-list random1000.csv -o corpora/again")]
pub(crate) struct Arguments {
    /// Folder of the corpus
    #[arg(value_name = "DIR")]
    folder: PathBuf,

    /// File to write
    #[arg(long, value_name = "FILE")]
    frozen: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let corpus = read(&arguments.folder)?;
    export_frozen(&corpus, &arguments.frozen)?;
    let count = corpus.members.len();
    terminal::print(&format!("{}: {count} projects\n", arguments.frozen.display()));
    Ok(Exit::Fine)
}
