//! `catherd dataset diff`: how two corpora differ.

use std::path::PathBuf;

use catherd_datasets::corpus::compare;
use clap::Args;

use super::read;
use crate::failure::{Exit, Failure};
use crate::terminal;

/// Compares two corpora by their manifests: everything but the dates of fetching.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset diff corpora/random1000 theirs/random1000

Lines begin with - (the first alone has it), + (the second alone), ! (differs) or = (the same
project under another id).

Exit codes: 0 if both hold the same projects, 2 if not, 1 if one cannot be read.")]
pub(crate) struct Arguments {
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
        text += "the same projects in another order\n";
    }
    if difference.other_recipe {
        text += "other recipes\n";
    }
    let same = difference.is_none();
    if same {
        text += &format!("the same {} projects\n", first.members.len());
    }
    terminal::print(&text);
    Ok(if same { Exit::Fine } else { Exit::Incomplete })
}
