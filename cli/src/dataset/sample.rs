//! `catherd dataset sample`: a corpus of Scratch's shared projects.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use catherd_datasets::sample::{
    Addresses, Ended, Ids, Outcome, Progress, Request, Settings, sample,
};
use clap::Args;
use indicatif::{ProgressBar, ProgressStyle};

use super::{Out, seed, told};
use crate::failure::{Exit, Failure};
use crate::terminal::{self, BARS};

/// Time between two lines where there is no terminal.
const PAUSE: Duration = Duration::from_secs(10);

/// Samples shared projects from Scratch's servers into a corpus.
///
/// Ids are probed in the random order of a seed, or in that of a list, until enough are
/// accepted: shared, in the format of Scratch 3, with blocks, and no remixes (a list may
/// hold remixes). Every probe is logged with its outcome. The corpus does not depend on
/// faults, on how often the command was interrupted, or on how many probes run at once.
///
/// However it was interrupted, it goes on when the same command is given again; with a
/// larger --count, the corpus is enlarged.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd dataset sample --ids 400000000..700000000 --count 1000 --seed 1 -o corpora/random1000
  catherd dataset sample --from-list most-loved.txt --count 1000 -o corpora/top1000
  catherd dataset sample --ids 400000000..700000000 --count 250 --seed 2 \\
      --tuning-disjoint-from corpora/random1000 -o corpora/tuning

Exit codes: 0 if the corpus is whole, 2 if ids ran out before, 3 if the sample was stopped or ids
are undecided and the same command goes on, 1 if it could not be carried out.")]
pub(crate) struct Arguments {
    /// Project ids to draw from: the first, and one past the last
    #[arg(long, value_name = "A..B", value_parser = range, requires = "count", required_unless_present = "list")]
    ids: Option<Range<u64>>,

    /// File of ids to take in its order: one a line, perhaps with a comma and the SHA-256 of
    /// the project, as `catherd dataset export` writes it
    #[arg(long = "from-list", value_name = "FILE", conflicts_with = "ids")]
    list: Option<PathBuf>,

    /// Number of projects; of a list, all by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    count: Option<u32>,

    /// Seed of the random order
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = seed())]
    seed: u64,

    /// Leave out the projects of this corpus, by id and by contents; may be repeated
    #[arg(long = "tuning-disjoint-from", value_name = "DIR")]
    disjoint_from: Vec<PathBuf>,

    #[command(flatten)]
    out: Out,

    /// Who is asking, for the user agent: a page or an e-mail address
    #[arg(long, value_name = "TEXT")]
    contact: Option<String>,

    /// Requests a second, at most
    #[arg(long, value_name = "N", default_value_t = 5.0, value_parser = rate)]
    rate: f64,

    /// Projects that are probed at the same time
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u64).range(1..=16))]
    connections: u64,

    /// Attempts after the first, for each request that meets trouble
    #[arg(long, value_name = "N", default_value_t = 6, value_parser = clap::value_parser!(u32).range(0..=20))]
    retries: u32,

    /// Milliseconds before the second attempt; they double with each
    #[arg(long, value_name = "MS", default_value_t = 1000)]
    backoff: u64,

    /// Seconds without a byte after which an attempt has failed
    #[arg(long, value_name = "S", default_value_t = 30, value_parser = clap::value_parser!(u64).range(1..=600))]
    timeout: u64,

    /// End the sample although ids are undecided; they are counted in the sampling frame
    #[arg(long)]
    give_up_undecided: bool,

    /// Address of the server of descriptions
    #[arg(long, value_name = "URL", default_value_t = Addresses::default().api, value_parser = address)]
    api: String,

    /// Address of the server of projects
    #[arg(long, value_name = "URL", default_value_t = Addresses::default().projects, value_parser = address)]
    projects: String,

    /// Address of the server of costumes and sounds
    #[arg(long, value_name = "URL", default_value_t = Addresses::default().assets, value_parser = address)]
    assets: String,

    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

fn range(text: &str) -> Result<Range<u64>, String> {
    let ends = text.split_once("..").and_then(|(a, b)| a.parse().ok().zip(b.parse().ok()));
    match ends {
        Some((_, to)) if to > i64::MAX as u64 => Err(format!("ids end at {}", i64::MAX)),
        Some((from, to)) if from < to => Ok(from..to),
        Some(_) => Err("the first id is not below the last".to_owned()),
        None => Err("write A..B, such as 400000000..700000000".to_owned()),
    }
}

fn rate(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(rate) if (0.001..=1e6).contains(&rate) => Ok(rate),
        _ => Err("give requests a second, such as 5 or 0.5".to_owned()),
    }
}

fn address(text: &str) -> Result<String, String> {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    match host.map(|host| host.trim_end_matches('/')) {
        Some(host) if !host.is_empty() && !host.contains([' ', '?', '#']) => {
            Ok(text.trim_end_matches('/').to_owned())
        }
        _ => Err("give an address such as https://api.scratch.mit.edu".to_owned()),
    }
}

pub(super) fn run(arguments: Arguments) -> Result<Exit, Failure> {
    let ids = match (&arguments.ids, &arguments.list) {
        (_, Some(list)) => Ids::List(list.clone()),
        (Some(range), None) => Ids::Range(range.clone(), arguments.seed),
        (None, None) => return Err(Failure::new("neither --ids nor --from-list is given")),
    };
    let request = Request {
        ids,
        count: arguments.count.map(|count| count as usize),
        disjoint_from: arguments.disjoint_from,
    };
    let settings = Settings {
        addresses: Addresses {
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
    call_off_with_interrupt(stop.clone());
    let mut display = Display::new(arguments.quiet);
    let folder = &arguments.out.folder;
    let ended = sample(&request, &settings, folder, &stop, |progress| display.show(progress));
    display.end();
    let (ended, progress) = ended?;
    let go_on = "The same command goes on from here.";
    Ok(match ended {
        Ended::Whole(corpus) => {
            terminal::print(&(frame(&corpus.about.frame) + &troubles(&progress) + &told(&corpus)));
            Exit::Fine
        }
        Ended::Short(corpus) => {
            terminal::print(&(frame(&corpus.about.frame) + &troubles(&progress) + &told(&corpus)));
            terminal::note("All ids are probed; there are fewer projects than wanted.");
            Exit::Incomplete
        }
        Ended::Undecided(ids) => {
            terminal::print(&(outcomes(&progress) + &troubles(&progress)));
            for (id, trouble) in ids.iter().take(10) {
                terminal::note(&format!("undecided: {id}: {trouble}"));
            }
            terminal::note(&format!(
                "{} ids before the last project are undecided. The same command asks them again; \
                 --give-up-undecided ends the sample without them.",
                ids.len()
            ));
            Exit::Stopped
        }
        Ended::Unreachable(why) => {
            terminal::print(&(outcomes(&progress) + &troubles(&progress)));
            terminal::note(&format!("Nothing can be reached any more: {why}. {go_on}"));
            Exit::Stopped
        }
        Ended::Stopped => {
            terminal::print(&(outcomes(&progress) + &troubles(&progress)));
            terminal::note(&format!("Stopped with {} projects. {go_on}", progress.accepted));
            Exit::Stopped
        }
    })
}

/// The first interrupt calls the sample off; the next one ends the process, which costs
/// nothing but the probes under way.
fn call_off_with_interrupt(stop: Arc<AtomicBool>) {
    let wait = move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        runtime.block_on(async {
            tokio::signal::ctrl_c().await?;
            stop.store(true, Ordering::Relaxed);
            terminal::note(
                "Stopping when the requests in hand are answered; once more to stop at once.",
            );
            tokio::signal::ctrl_c().await?;
            std::process::exit(130)
        })
    };
    // Without this thread an interrupt ends the process at once, which is safe as well.
    let _ = std::thread::Builder::new().spawn(move || -> io::Result<()> { wait() });
}

/// The sampling frame: ids probed until the last project was found, by outcome.
fn frame(frame: &std::collections::BTreeMap<String, u64>) -> String {
    let total: u64 = frame.values().sum();
    let mut rows: Vec<(&str, u64)> = frame.iter().map(|(name, &n)| (&**name, n)).collect();
    rows.sort_by_key(|&(name, count)| (std::cmp::Reverse(count), name));
    let mut text = format!("{:<14} {:>8} {:>7}\n", "outcome", "ids", "");
    for (name, count) in rows {
        let meaning = Outcome::ALL.iter().find(|outcome| outcome.name() == name);
        let meaning = meaning.map_or("", |outcome| outcome.meaning());
        let percent = 100.0 * count as f64 / total.max(1) as f64;
        let _ = writeln!(text, "{name:<14} {count:>8} {percent:>5.1} %  {meaning}");
    }
    let _ = writeln!(text, "{:<14} {total:>8}", "all");
    text
}

/// As [`frame`], of everything that was probed so far.
fn outcomes(progress: &Progress) -> String {
    frame(&progress.outcomes.iter().map(|(o, &count)| (o.name().to_owned(), count)).collect())
}

/// Troubles that were overcome, or not.
fn troubles(progress: &Progress) -> String {
    if progress.troubles.is_empty() {
        return String::new();
    }
    let met: Vec<_> = progress.troubles.iter().map(|(name, n)| format!("{name} {n}")).collect();
    format!("requests repeated: {}\n", met.join(", "))
}

/// How far the sample is: a bar on a terminal, else a line now and then.
struct Display {
    kind: Kind,
    /// When this process began, and with how many projects.
    start: Option<(Instant, usize)>,
}

enum Kind {
    Bar(ProgressBar),
    Lines { next: Instant },
    Quiet,
}

impl Display {
    fn new(quiet: bool) -> Display {
        let kind = if quiet {
            Kind::Quiet
        } else if io::stderr().is_terminal() {
            let bar = BARS.add(ProgressBar::new(0));
            let style = ProgressStyle::with_template("{wide_bar:.cyan/dim} {msg}");
            bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()));
            Kind::Bar(bar)
        } else {
            Kind::Lines { next: Instant::now() + PAUSE }
        };
        Display { kind, start: None }
    }

    fn show(&mut self, progress: &Progress) {
        let (start, before) = *self.start.get_or_insert((Instant::now(), progress.accepted));
        let line = || describe(progress, progress.accepted - before, start.elapsed());
        match &mut self.kind {
            Kind::Bar(bar) => {
                bar.set_length(progress.wanted.map_or(0, |wanted| wanted as u64));
                bar.set_position(progress.accepted as u64);
                bar.set_message(line());
            }
            Kind::Lines { next } if *next <= Instant::now() => {
                *next += PAUSE;
                terminal::note(&line());
            }
            Kind::Lines { .. } | Kind::Quiet => {}
        }
    }

    fn end(&self) {
        if let Kind::Bar(bar) = &self.kind {
            bar.finish_and_clear();
        }
    }
}

/// `found` projects in this time tell how long the rest may take.
fn describe(progress: &Progress, found: usize, time: Duration) -> String {
    let mut line = format!("{}", progress.accepted);
    let _ = progress.wanted.map(|wanted| write!(line, "/{wanted}"));
    let _ = write!(line, " projects, {} ids", progress.probed());
    let undecided = progress.outcomes.get(&Outcome::Undecided).copied().unwrap_or(0);
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
    fn a_line_says_how_long_it_will_take() {
        let mut progress = Progress { wanted: Some(100), accepted: 40, ..Progress::default() };
        progress.outcomes.extend([(Outcome::Accepted, 40), (Outcome::Undecided, 2)]);
        let line = describe(&progress, 30, Duration::from_secs(60));
        assert_eq!(line, "40/100 projects, 42 ids, 2 undecided, 2:00 left");
    }

    #[test]
    fn ranges_and_addresses_are_checked() {
        assert_eq!(range("3..9"), Ok(3..9));
        assert!(range("9..3").is_err() && range("9").is_err());
        assert_eq!(address("http://h:1/api/").as_deref(), Ok("http://h:1/api"));
        assert!(address("ftp://h").is_err() && address("http://").is_err());
    }
}
