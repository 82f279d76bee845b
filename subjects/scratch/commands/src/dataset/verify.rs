//! `catherd dataset verify`: checks a corpus against its manifest.

use std::path::PathBuf;

use catherd_cli_console::terminal::{self, bar};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_corpora::corpus::verify;
use clap::Args;

use super::{read, summary};
use crate::failure::Worded;

/// Checks every project of a corpus: digest, packing, counts and checksums of its media. Also
/// checks that the folder of the projects contains no other files.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset verify corpora/random1000

Exit codes: 0 if the corpus is intact, 2 if it has a defect, 1 if it cannot be read.")]
pub struct Arguments {
    /// Folder of the corpus
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let corpus = read(&arguments.folder)?;
    let bar = bar(corpus.members.len());
    let flaws = verify(&corpus, || bar.inc(1)).map_err(Worded::worded)?;
    bar.finish_and_clear();
    for flaw in &flaws {
        terminal::print(&format!("{flaw}\n"));
    }
    if flaws.is_empty() {
        terminal::print(&format!("{}the corpus matches its manifest\n", summary(&corpus)));
        return Ok(Exit::Success);
    }
    let defects = terminal::plural(flaws.len(), "defect");
    terminal::note(&format!("{}: {defects}", corpus.folder.display()));
    Ok(Exit::Incomplete)
}
