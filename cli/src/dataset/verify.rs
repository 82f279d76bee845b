//! `catherd dataset verify`: whether a corpus is what it says.

use std::path::PathBuf;

use catherd_datasets::corpus::verify;
use clap::Args;

use super::{read, told};
use crate::failure::{Exit, Failure};
use crate::terminal;
use crate::terminal::bar;

/// Checks every project of a corpus: digest, packing, counts, checksums of its media, and
/// that nothing else lies there.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset verify corpora/random1000

Exit codes: 0 if all is well, 2 if something is not, 1 if the corpus cannot be read.")]
pub(crate) struct Arguments {
    /// Folder of the corpus
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let corpus = read(&arguments.folder)?;
    let bar = bar(corpus.members.len());
    let flaws = verify(&corpus, || bar.inc(1))?;
    bar.finish_and_clear();
    for flaw in &flaws {
        terminal::print(&format!("{flaw}\n"));
    }
    if flaws.is_empty() {
        terminal::print(&format!("{}all is as the manifest says\n", told(&corpus)));
        return Ok(Exit::Fine);
    }
    terminal::note(&format!("{}: {} flaws", corpus.folder.display(), flaws.len()));
    Ok(Exit::Incomplete)
}
