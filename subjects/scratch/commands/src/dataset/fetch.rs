//! `catherd dataset fetch`: fetches the projects of a list of addresses.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_scratch_corpora::sample::{FetchEnd, SampleSettings, fetch};
use clap::Args;

use super::sample::{ProgressDisplay, frame_table, parse_rate, stop_on_interrupt};
use super::{OutputFolder, summary};
use crate::failure::Worded;

/// Fetches projects from the addresses of a list, such as files of public repositories, into a
/// corpus.
///
/// The list is a CSV file with the columns id, address and sha256, and optionally author and
/// licence. Projects that a server refuses, that cannot be used, or that do not have the SHA-256 in
/// the list, are left out and named. An interrupted fetch continues if the same command is run again.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset fetch datasets/repositories/random1000-real.csv -o corpora/random1000-real

Exit codes: 0 if the corpus has all projects of the list, 2 if some are left out, 3 if the fetch is
incomplete and the same command continues it, 1 if the command failed.")]
pub struct Arguments {
    /// List of the projects
    #[arg(value_name = "LIST.csv")]
    list: PathBuf,

    #[command(flatten)]
    out: OutputFolder,

    /// Contact for the user agent: a page or an e-mail address
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,

    /// Maximum number of requests per second
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = parse_rate)]
    rate: f64,

    /// Maximum number of further attempts for a failed request
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,

    /// Pause before the second attempt at a request, in milliseconds; it roughly doubles with each
    /// attempt, up to a minute
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    backoff: u64,

    /// Leave out projects that every attempt failed to fetch; three in a row still end the fetch
    #[arg(long)]
    give_up_undecided: bool,

    /// Do not show progress
    #[arg(long, short)]
    quiet: bool,
}

pub(super) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let settings = SampleSettings {
        rate: arguments.rate,
        retries: arguments.retries,
        backoff: Duration::from_millis(arguments.backoff),
        contact: arguments.contact.clone(),
        give_up: arguments.give_up_undecided,
        ..SampleSettings::default()
    };
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(stop.clone());
    let mut display = ProgressDisplay::new(arguments.quiet);
    let folder = &arguments.out.folder;
    let end = fetch(&arguments.list, &settings, folder, &stop, |progress| display.show(progress));
    display.end();
    match end.map_err(Worded::worded)? {
        FetchEnd::Fetched(corpus, missing) => {
            for (id, outcome, detail) in &missing {
                terminal::note(&format!("left out: {id}: {}: {detail}", outcome.name()));
            }
            terminal::print(&(frame_table(&corpus.metadata.frame) + &summary(&corpus)));
            Ok(if missing.is_empty() { Exit::Success } else { Exit::Incomplete })
        }
        FetchEnd::Unreachable(cause) => {
            terminal::note(&format!(
                "A project cannot be fetched: {cause}. Run the same command again to continue."
            ));
            Ok(Exit::Stopped)
        }
        FetchEnd::Stopped => {
            terminal::note("Stopped. Run the same command again to continue.");
            Ok(Exit::Stopped)
        }
    }
}
