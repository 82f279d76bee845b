//! `catherd prune`: removes results that no study contains any more.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure};
use catherd_coordinator::{CoordinatorOptions, StoreUrl, prune};
use clap::Args;

use crate::failure::Worded;

/// Removes results that no study contains any more.
///
/// `catherd delete`, and a study that is submitted again with fewer projects, algorithms or seeds,
/// leave results in the store, so that they need not be computed again. This command removes these
/// results, and the projects that no study contains. Studies and their results stay. An SQLite
/// store returns the space to the file system. The coordinator of the store must be stopped.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd prune --dir /srv/catherd --older-than 30d
  catherd prune --store postgres://catherd@db/catherd --older-than 0d")]
pub(crate) struct Arguments {
    /// Folder of a coordinator, or of a study of `catherd run`
    #[arg(long, value_name = "DIR", required_unless_present = "store")]
    dir: Option<PathBuf>,

    /// Store in another place: postgres://USER@HOST/NAME, or an SQLite file
    #[arg(long, value_name = "STORE", conflicts_with = "dir")]
    store: Option<String>,

    /// Remove results that were stored longer ago than this, such as 12h or 30d
    #[arg(long, value_name = "TIME", value_parser = crate::worker::span)]
    older_than: Duration,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("warn");
    let store = match (&arguments.dir, &arguments.store) {
        (Some(folder), _) => CoordinatorOptions::new(folder).store,
        (None, store) => StoreUrl::parse(store.as_deref().unwrap_or_default()),
    };
    if let StoreUrl::Sqlite(path) = &store
        && !path.is_file()
    {
        return Err(Failure::new(format_args!("{} is not a file", path.display()))
            .hint("name the folder of a coordinator with --dir, or a store with --store"));
    }
    let before = SystemTime::now() - arguments.older_than;
    let before = before.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let before = i64::try_from(before.as_secs()).unwrap_or(i64::MAX);
    let pruned = prune(&store, before).map_err(Worded::worded)?;
    terminal::print(&format!(
        "{store}: the results of {} and {} were removed\n",
        plural(pruned.runs as usize, "run"),
        plural(pruned.projects as usize, "project")
    ));
    Ok(Exit::Success)
}
