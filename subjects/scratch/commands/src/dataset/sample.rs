//! `catherd dataset sample`: samples Scratch's shared projects.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, BARS};
use catherd_cli_console::{Exit, Failure};
use catherd_scratch_corpora::sample::{
    IdSource, ProbeOutcome, SampleEnd, SampleProgress, SampleRequest, SampleSettings,
    ServerAddresses, sample,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{OutputFolder, seed_parser, summary};
use crate::failure::Worded;

const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// Samples shared projects from Scratch's servers into a corpus.
///
/// Ids are probed in a random order that depends on the seed, or in the order of a list, until
/// enough projects are accepted. An accepted project is shared, is in the format of Scratch 3, has
/// blocks and all its media, and is not a remix unless it is in a list. Every probe is logged with
/// its outcome. Without --give-up-undecided, the corpus does not depend on network faults,
/// interruptions, or the number of concurrent probes.
///
/// An interrupted sample continues if the same command is run again. With a larger --count, the
/// corpus is enlarged.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset sample --ids 400000000..700000000 --count 1000 --seed 1 -o corpora/random1000
  catherd dataset sample --from-list most-loved.txt --count 1000 -o corpora/top1000
  catherd dataset sample --ids 400000000..700000000 --count 250 --seed 2 \\
      --tuning-disjoint-from corpora/random1000 -o corpora/tuning

Exit codes: 0 if the corpus is complete, 2 if there are fewer projects than wanted, 3 if the sample
is incomplete and the same command continues it, 1 if the command failed.")]
pub struct Arguments {
    /// Range of project ids to draw from: the first, and one past the last
    #[arg(long, value_name = "A..B", value_parser = parse_range, requires = "count", required_unless_present = "list")]
    ids: Option<Range<u64>>,

    /// File of ids to probe in its order: one per line, optionally with a comma and the SHA-256 of
    /// the project, as `catherd dataset export` writes them
    #[arg(long = "from-list", value_name = "FILE", conflicts_with = "ids")]
    list: Option<PathBuf>,

    /// Number of projects [default: all projects of the list]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,

    /// Seed of the random order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed_parser())]
    seed: u64,

    /// Leave out the projects of this corpus, by id and by contents; may be repeated
    #[arg(long = "tuning-disjoint-from", value_name = "DIR")]
    disjoint_from: Vec<PathBuf>,

    #[command(flatten)]
    out: OutputFolder,

    /// Contact for the user agent: a page or an e-mail address
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,

    /// Maximum number of requests per second
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = parse_rate)]
    rate: f64,

    /// Number of concurrent probes
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=16))]
    connections: u64,

    /// Maximum number of further attempts for a failed request
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,

    /// Pause before the second attempt at a request, in milliseconds; it roughly doubles with each
    /// attempt, up to a minute
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    backoff: u64,

    /// Maximum time without a received byte before an attempt fails, in seconds
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,

    /// Complete the sample even if ids are undecided; the sampling frame counts them
    #[arg(long)]
    give_up_undecided: bool,

    /// URL of the server of descriptions
    #[arg(long, value_name = "URL", default_value_t = ServerAddresses::default().api, value_parser = parse_url)]
    api: String,

    /// URL of the server of projects
    #[arg(long, value_name = "URL", default_value_t = ServerAddresses::default().projects, value_parser = parse_url)]
    projects: String,

    /// URL of the server of costumes and sounds
    #[arg(long, value_name = "URL", default_value_t = ServerAddresses::default().assets, value_parser = parse_url)]
    assets: String,

    /// Do not show progress
    #[arg(long, short)]
    quiet: bool,
}

fn parse_range(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| a.parse().ok().zip(b.parse().ok()));
    match ends {
        Some((_, to)) if to > i64::MAX as u64 => {
            Err(format!("the end must be at most {}", i64::MAX))
        }
        Some((from, to)) if from < to => Ok(from..to),
        Some(_) => Err("the first number must be smaller than the second".to_owned()),
        None => Err("give A..B, such as 400000000..700000000".to_owned()),
    }
}

pub(super) fn parse_rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.001..=1e6).contains(&rate) => Ok(rate),
        _ => Err("give requests per second, such as 5 or 0.5".to_owned()),
    }
}

fn parse_url(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host.map(|host| host.trim_end_matches('/')) {
        Some(host) if !host.is_empty() && !host.contains([' ', '?', '#']) => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("give a URL such as https://api.scratch.mit.edu".to_owned()),
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let ids = match (&arguments.ids, &arguments.list) {
        (_, Some(list)) => IdSource::List(list.clone()),
        (Some(range), None) => IdSource::Range(range.clone(), arguments.seed),
        (None, None) => {
            return Err(Failure::new("neither --ids nor --from-list is given")
                .hint("give --ids A..B or --from-list FILE"));
        }
    };
    let request = SampleRequest {
        ids,
        count: arguments.count.map(|count| count as usize),
        disjoint_from: arguments.disjoint_from,
    };
    let settings = SampleSettings {
        addresses: ServerAddresses {
            api: arguments.api,
            projects: arguments.projects,
            assets: arguments.assets,
        },
        rate: arguments.rate,
        connections: arguments.connections as usize,
        retries: arguments.retries,
        backoff: Duration::from_millis(arguments.backoff),
        timeout: Duration::from_secs(arguments.timeout),
        contact: arguments.contact,
        give_up: arguments.give_up_undecided,
    };
    let stop = Arc::new(AtomicBool::new(false));
    stop_on_interrupt(stop.clone());
    let mut display = ProgressDisplay::new(arguments.quiet);
    let folder = &arguments.out.folder;
    let result = sample(&request, &settings, folder, &stop, |progress| display.show(progress));
    display.end();
    let (end, progress) = result.map_err(Worded::worded)?;
    Ok(report(end, &progress))
}

fn report(end: SampleEnd, progress: &SampleProgress) -> Exit {
    let resume = "Run the same command again to continue.";
    match end {
        SampleEnd::Complete(corpus) => {
            terminal::print(
                &(frame_table(&corpus.metadata.frame) + &retry_line(progress) + &summary(&corpus)),
            );
            Exit::Success
        }
        SampleEnd::Short(corpus) => {
            terminal::print(
                &(frame_table(&corpus.metadata.frame) + &retry_line(progress) + &summary(&corpus)),
            );
            terminal::note("All ids have been probed, and there are fewer projects than wanted.");
            Exit::Incomplete
        }
        SampleEnd::Undecided(ids) => {
            terminal::print(&(outcome_table(progress) + &retry_line(progress)));
            for (id, cause) in ids.iter().take(10) {
                terminal::note(&format!("undecided: {id}: {cause}"));
            }
            terminal::note(&format!(
                "Undecided ids before the last project: {}. Run the same command again to probe \
                 them again, or add --give-up-undecided to complete the sample without them.",
                ids.len()
            ));
            Exit::Stopped
        }
        SampleEnd::Unreachable(cause) => {
            terminal::print(&(outcome_table(progress) + &retry_line(progress)));
            terminal::note(&format!("The servers cannot be reached: {cause}. {resume}"));
            Exit::Stopped
        }
        SampleEnd::Stopped => {
            terminal::print(&(outcome_table(progress) + &retry_line(progress)));
            let projects = terminal::plural(progress.accepted, "project");
            terminal::note(&format!("Stopped with {projects}. {resume}"));
            Exit::Stopped
        }
    }
}

/// The first interrupt stops the sample or the fetch, and the second ends the process, which loses
/// only the active requests.
pub(super) fn stop_on_interrupt(stop: Arc<AtomicBool>) {
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::signal::ctrl_c().await?;
            stop.store(true, Ordering::Relaxed);
            terminal::note(
                "Stopping when the requests in flight are answered; interrupt again to stop at once.",
            );
            tokio::signal::ctrl_c().await?;
            std::process::exit(130)
        })
    };
    // If the thread cannot be started, an interrupt ends the process at once, which is safe.
    let _ = std::thread::Builder::new().spawn(move || -> io::Result<()> { wait() });
}

pub(super) fn frame_table(frame: &std::collections::BTreeMap<String, u64>) -> String {
    let total: u64 = frame.values().sum();
    let mut rows: Vec<(&str, u64)> = frame.iter().map(|(name, &n)| (&**name, n)).collect();
    rows.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let mut text = format!("{:<14} {:>8} {:>7}\n", "outcome", "ids", "");
    for (name, count) in rows {
        let meaning = ProbeOutcome::ALL.iter().find(|outcome| outcome.name() == name);
        let meaning = meaning.map_or("", |outcome| outcome.meaning());
        let percent = 100.0 * count as f64 / total.max(1) as f64;
        let _ = writeln!(text, "{name:<14} {count:>8} {percent:>5.1} %  {meaning}");
    }
    let _ = writeln!(text, "{:<14} {total:>8}", "all");
    text
}

fn outcome_table(progress: &SampleProgress) -> String {
    frame_table(&progress.outcomes.iter().map(|(o, &count)| (o.name().to_owned(), count)).collect())
}

fn retry_line(progress: &SampleProgress) -> String {
    if progress.retries.is_empty() {
        return String::new();
    }
    let causes: Vec<_> = progress.retries.iter().map(|(name, n)| format!("{name} {n}")).collect();
    format!("failed attempts: {}\n", causes.join(", "))
}

pub(super) struct ProgressDisplay {
    kind: DisplayKind,
    /// Time of the first update, and number of projects at that time.
    start: Option<(Instant, usize)>,
}

enum DisplayKind {
    Bar(ProgressBar),
    Lines { next: Instant },
    Quiet,
}

impl ProgressDisplay {
    pub(super) fn new(quiet: bool) -> ProgressDisplay {
        let kind = if quiet {
            DisplayKind::Quiet
        } else if io::stderr().is_terminal() {
            let bar = BARS.add(ProgressBar::new(0));
            let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            DisplayKind::Bar(bar)
        } else {
            DisplayKind::Lines { next: Instant::now() + LINE_INTERVAL }
        };
        ProgressDisplay { kind, start: None }
    }

    pub(super) fn show(&mut self, progress: &SampleProgress) {
        let (start, before) = *self.start.get_or_insert((Instant::now(), progress.accepted));
        let line = || progress_line(progress, progress.accepted - before, start.elapsed());
        match &mut self.kind {
            DisplayKind::Bar(bar) => {
                bar.set_length(progress.wanted.map_or(0, |wanted| wanted as u64));
                bar.set_position(progress.accepted as u64);
                bar.set_message(line());
            }
            DisplayKind::Lines { next } if *next <= Instant::now() => {
                *next += LINE_INTERVAL;
                terminal::note(&line());
            }
            DisplayKind::Lines { .. } | DisplayKind::Quiet => {}
        }
    }

    pub(super) fn end(&self) {
        if let DisplayKind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// The remaining time is extrapolated from the `found` projects in `time`.
fn progress_line(progress: &SampleProgress, found: usize, time: Duration) -> String {
    let mut line = format!("{}", progress.accepted);
    let _ = progress.wanted.map(|wanted| write!(line, "/{wanted}"));
    let _ = write!(line, " projects, {} ids", progress.probed());
    let undecided = progress.outcomes.get(&ProbeOutcome::Undecided).copied().unwrap_or(0);
    if undecided > 0 {
        let _ = write!(line, ", {undecided} undecided");
    }
    if let Some(wanted) = progress.wanted.filter(|_| found > 0) {
        let left = wanted.saturating_sub(progress.accepted) as f64 / found as f64;
        let left = terminal::clock(time.mul_f64(left));
        let _ = write!(line, ", {left} left");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_contains_the_time_left() {
        let mut progress =
            SampleProgress { wanted: Some(100), accepted: 40, ..SampleProgress::default() };
        progress.outcomes.extend([(ProbeOutcome::Accepted, 40), (ProbeOutcome::Undecided, 2)]);
        let line = progress_line(&progress, 30, Duration::from_secs(60));
        assert_eq!(line, "40/100 projects, 42 ids, 2 undecided, 2:00 left");
    }

    #[test]
    fn ranges_and_urls_are_checked() {
        assert_eq!(parse_range("3..9"), Ok(3..9));
        assert!(parse_range("9..3").is_err() && parse_range("9").is_err());
        assert_eq!(parse_url("http://h:1/api/").as_deref(), Ok("http://h:1/api"));
        assert!(parse_url("ftp://h").is_err() && parse_url("http://").is_err());
    }
}
