//! `catherd dataset diff`: compares two corpora.

use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::corpus::compare;
use clap::Args;

use super::read;

/// Compares the manifests and recipes of two corpora, except for the dates of fetching.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset diff corpora/random1000 theirs/random1000

Lines begin with - (only in the first), + (only in the second), ! (different) or = (the same
project under a different id).

Exit codes: 0 if the manifests agree, 2 if they differ, 1 if a corpus cannot be read.")]
pub struct Arguments {
    /// Folder of the first corpus
    #[arg(value_name = "DIR")]
    first: PathBuf,

    /// Folder of the second corpus
    #[arg(value_name = "DIR")]
    second: PathBuf,
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let (first, second) = (read(&arguments.first)?, read(&arguments.second)?);
    let difference = compare(&first, &second);
    let mut text = String::new();
    let lines = |sign: &str, ids: &[String]| -> String {
        ids.iter().map(|id| format!("{sign} {id}\n")).collect()
    };
    text += &lines("-", &difference.only_first);
    text += &lines("+", &difference.only_second);
    text += &lines("!", &difference.changed);
    for (id, column) in &difference.redescribed {
        text += &format!("! {id}: {column}\n");
    }
    for (old, new) in &difference.renamed {
        text += &format!("= {old} {new}\n");
    }
    if difference.reordered {
        text += "the projects are the same, but in a different order\n";
    }
    if difference.other_recipe {
        text += "the recipes or sampling frames differ\n";
    }
    let same = difference.is_empty();
    if same {
        let projects = terminal::plural(first.members.len(), "project");
        text += &format!("both contain the same {projects}\n");
    }
    terminal::print(&text);
    Ok(if same { Exit::Success } else { Exit::Incomplete })
}
