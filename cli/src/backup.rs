//! `catherd backup`: copies a store that is in use.

use std::path::{Path, PathBuf};

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, exit_codes};
use catherd_coordinator::StoreUrl;
use catherd_coordinator::store;
use clap::{ArgGroup, Args};
use indicatif::ProgressStyle;

use crate::failure::Worded;

/// Copies a store, even while runs are executed.
///
/// The store belongs to a study or to a coordinator. The copy contains every record that was
/// acknowledged before the command, and is an independent store: `catherd run` and `catherd
/// coordinator` continue with the copy in another folder. Copying the file with `cp` while runs are
/// executed misses the contents of the write-ahead log.
#[derive(Args)]
#[command(after_help = format!("{EXAMPLES}\n\n{}", exit_codes(&[])))]
#[command(group = ArgGroup::new("source").required(true).args(["study", "dir", "store"]))]
pub(crate) struct Arguments {
    /// Folder of a study, as `catherd run` has written it
    #[arg(value_name = "STUDY")]
    study: Option<PathBuf>,

    /// Folder of a coordinator
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,

    /// SQLite file of a store in another place
    #[arg(long, value_name = "FILE")]
    store: Option<String>,

    /// File of the copy, which must not exist
    #[arg(short, long, value_name = "FILE")]
    out: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  catherd backup results/smoke -o smoke.db
  catherd backup --dir /srv/catherd -o /backup/catherd.db

Restore it under the name study.db in a separate folder, and continue there:
  mkdir restored && cp smoke.db restored/study.db
  catherd run experiments/smoke.toml --out restored";

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("warn");
    let store = match arguments.store()? {
        StoreUrl::Sqlite(path) => path,
        StoreUrl::Postgres(_) => {
            return Err(Failure::new("catherd backup copies SQLite stores").hint(
                "dump the database with PostgreSQL's own command, even while coordinators serve \
                 it: pg_dump --format=custom --file=FILE postgres://USER@HOST/NAME",
            ));
        }
    };
    let bar = terminal::bar(0);
    let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {percent} % {eta}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
    let copied = store::backup(&store, &arguments.out, &mut |done, all| {
        bar.set_length(all);
        bar.set_position(done);
    });
    bar.finish_and_clear();
    let copied = copied.map_err(Worded::worded)?;
    terminal::print(&format!(
        "{}: {} with {}, {} bytes\n",
        arguments.out.display(),
        match copied.studies {
            1 => "1 study".to_owned(),
            number => format!("{number} studies"),
        },
        plural(copied.records as usize, "record"),
        copied.bytes,
    ));
    Ok(Exit::Success)
}

impl Arguments {
    fn store(&self) -> Result<StoreUrl, Failure> {
        let in_folder = |folder: &Path| {
            let file = folder.join("study.db");
            if file.is_file() {
                return Ok(StoreUrl::Sqlite(file));
            }
            let what = if folder.is_dir() { "has no study.db" } else { "is not a folder" };
            Err(Failure::new(format_args!("{} {what}", folder.display()))
                .hint("name the folder of a study (catherd run) or, with --dir, of a coordinator"))
        };
        match (&self.study, &self.dir, &self.store) {
            (Some(folder), _, _) | (_, Some(folder), _) => in_folder(folder),
            (_, _, Some(store)) => match StoreUrl::parse(store) {
                StoreUrl::Sqlite(file) if !file.is_file() => {
                    Err(Failure::new(format_args!("{} is not a file", file.display()))
                        .hint("name the SQLite file of a store"))
                }
                url => Ok(url),
            },
            // clap requires one of the three.
            (None, None, None) => Err(Failure::new("no store was named")
                .hint("name the folder of a study, or --dir and the folder of a coordinator")),
        }
    }
}
