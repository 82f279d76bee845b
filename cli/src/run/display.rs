//! The progress of a study: a bar if standard error is a terminal, otherwise a line every few
//! seconds.

use std::cmp::Ordering;
use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_coordinator::{FailureCount, Progress};
use catherd_experiments::Plan;
use indicatif::{ProgressBar, ProgressStyle};

use super::events::Events;

const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of executing runs for which goals are shown.
const MAX_EXECUTING: usize = 4;

/// Maximum number of reasons for failures that are shown while runs are executed.
const MAX_REASONS: usize = 5;

pub(super) struct Title {
    name: String,
    runs_per_project: usize,
}

impl Title {
    pub(super) fn new(plan: &Plan) -> Title {
        let runs_per_project = plan.algorithms.len() * plan.seeds.len();
        Title { name: plan.name.clone(), runs_per_project }
    }
}

pub(super) struct Display {
    mode: Mode,
    events: Events,
    reasons: usize,
    rate: Rate,
}

/// A known rate is computed again only after a run has ended.
#[derive(Default)]
struct Rate {
    ended: u64,
    shown: Option<String>,
}

impl Rate {
    fn of(&mut self, progress: &Progress) -> Option<&str> {
        let now = ended(progress);
        if self.shown.is_none() || self.ended != now {
            *self = Rate { ended: now, shown: Pace::of(progress).rate() };
        }
        self.shown.as_deref()
    }
}

enum Mode {
    Bar(ProgressBar),
    Lines { next: Instant },
    Quiet,
}

impl Display {
    fn of(mode: Mode) -> Display {
        Display { mode, events: Events::default(), reasons: 0, rate: Rate::default() }
    }

    pub(super) fn with_events(
        mut self,
        events: Events,
        title: &Title,
        before: &Progress,
        workers: usize,
    ) -> Display {
        self.events = events;
        self.events.started(&title.name, before, workers);
        self
    }

    pub(super) fn show_reasons(&mut self, progress: &Progress) {
        for count in progress.failures.iter().skip(self.reasons) {
            self.reasons += 1;
            self.events.failed(count);
            if matches!(self.mode, Mode::Quiet) {
                continue;
            }
            let FailureCount { label, reason, .. } = count;
            match self.reasons.cmp(&(MAX_REASONS + 1)) {
                Ordering::Less => terminal::note(&format!("failed: {label}: {reason}")),
                Ordering::Equal => terminal::note("failed: other reasons follow at the end"),
                Ordering::Greater => {}
            }
        }
    }

    pub(super) fn new(quiet: bool, title: &Title, before: &Progress, workers: usize) -> Display {
        if quiet {
            return Display::of(Mode::Quiet);
        }
        let mut line = format!(
            "{}: {}, {} for each project, on {}",
            title.name,
            plural(before.planned as usize, "run"),
            title.runs_per_project,
            plural(workers, "worker"),
        );
        if ended(before) > 0 {
            let _ = write!(line, "; {} of the runs ended earlier", ended(before));
        }
        terminal::note(&line);
        if before.is_finished() {
            return Display::of(Mode::Quiet);
        }
        if !io::stderr().is_terminal() {
            return Display::of(Mode::Lines { next: Instant::now() + LINE_INTERVAL });
        }
        let bar = BARS.add(ProgressBar::new(before.planned));
        let template = "{wide_bar:.cyan/dim} {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Display::of(Mode::Bar(bar))
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        self.events.progressed(progress);
        match &mut self.mode {
            Mode::Bar(bar) => {
                bar.set_position(ended(progress));
                bar.set_message(describe(progress, self.rate.of(progress)));
            }
            Mode::Lines { next } if *next <= Instant::now() => {
                *next += LINE_INTERVAL;
                terminal::note(&describe(progress, self.rate.of(progress)));
            }
            Mode::Lines { .. } | Mode::Quiet => {}
        }
    }

    pub(super) fn draining(&self) {
        if !matches!(self.mode, Mode::Quiet) {
            terminal::note("Stopping after the current runs; press Ctrl-C again to stop at once.");
        }
    }

    pub(super) fn end(&mut self, progress: &Progress) {
        self.show_reasons(progress);
        match &self.mode {
            Mode::Bar(bar) => bar.finish_and_clear(),
            Mode::Lines { .. } => {
                terminal::note(&describe(progress, self.rate.of(progress)));
            }
            Mode::Quiet => {}
        }
    }
}

/// How fast runs end, and how long the remaining runs take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pace {
    /// Number of runs that have not ended.
    pub(crate) left: u64,
    /// Expected time until these runs have ended.
    pub(crate) expected: Option<Duration>,
    /// Rate at which runs ended in the last half minute, per second.
    pub(crate) measured: f64,
}

impl Pace {
    fn of(progress: &Progress) -> Pace {
        Pace {
            left: progress.pending + progress.leased,
            expected: progress.eta,
            measured: progress.runs_per_second,
        }
    }

    /// Returns the expected time until the last run ends.
    pub(crate) fn left(&self) -> Option<Duration> {
        let at_rate = || Duration::try_from_secs_f64(self.left as f64 / self.measured).ok();
        self.expected.or_else(at_rate)
    }

    /// If the expected time is known, the rate agrees with that time.
    pub(crate) fn rate(&self) -> Option<String> {
        let per_second = match self.expected.map(|left| left.as_secs_f64()) {
            Some(seconds) if self.left > 0 && seconds > 0.0 => self.left as f64 / seconds,
            _ => self.measured,
        };
        let (amount, unit) = match per_second {
            rate if rate <= 0.0 || !rate.is_finite() => return None,
            rate if rate >= 0.95 => (rate, "s"),
            rate if rate * 60.0 >= 0.95 => (rate * 60.0, "min"),
            rate => (rate * 3600.0, "h"),
        };
        Some(format!("{amount:.1} runs/{unit}"))
    }
}

pub(super) fn ended(progress: &Progress) -> u64 {
    progress.done + progress.failed + progress.quarantined
}

fn describe(progress: &Progress, rate: Option<&str>) -> String {
    let mut line = format!("{}/{} runs", ended(progress), progress.planned);
    // Writing to a string does not fail.
    let failed = progress.failed + progress.quarantined;
    let _ = write!(line, ", {failed} failed");
    if let Some(rate) = rate {
        let _ = write!(line, ", {rate}");
    }
    if let Some(coverage) = progress.mean_coverage {
        let _ = write!(line, ", mean coverage {:.1} %", 100.0 * coverage);
    }
    // While the store fails, the expected time is out of date.
    if !progress.is_finished() && progress.last_error.is_none() {
        match Pace::of(progress).left() {
            Some(left) => {
                let _ = write!(line, ", {} left", terminal::clock(left));
            }
            None => line.push_str(", measuring how long a run takes"),
        }
    }
    let executing = progress.executing.iter().map(|run| &run.progress).filter(|run| run.goals > 0);
    let shares: Vec<_> =
        executing.take(MAX_EXECUTING).map(|run| format!("{}/{}", run.covered, run.goals)).collect();
    if !shares.is_empty() && !progress.is_finished() {
        let _ = write!(line, ", executing: {} goals", shares.join(" and "));
    }
    if let Some(error) = &progress.last_error {
        let _ = write!(line, " ({error})");
    }
    line
}

#[cfg(test)]
mod tests {
    use catherd_coordinator::{ExecutingRun, RunProgress};

    use super::*;

    fn describe(progress: &Progress) -> String {
        super::describe(progress, Pace::of(progress).rate().as_deref())
    }

    #[test]
    fn a_rate_stays_until_a_run_ends() {
        let at = |done, seconds| Progress {
            planned: 9,
            pending: 9 - done,
            done,
            eta: Some(Duration::from_secs(seconds)),
            ..Progress::default()
        };
        let mut rate = Rate::default();
        assert_eq!(rate.of(&Progress { eta: None, ..at(0, 0) }), None);
        assert_eq!(rate.of(&at(0, 90)), Some("6.0 runs/min"));
        assert_eq!(rate.of(&at(0, 45)), Some("6.0 runs/min"));
        assert_eq!(rate.of(&at(3, 72)), Some("5.0 runs/min"));
    }

    #[test]
    fn a_line_has_counts_rate_coverage_and_time_left() {
        let progress = Progress {
            planned: 40,
            pending: 19,
            leased: 2,
            done: 17,
            failed: 1,
            quarantined: 1,
            runs_per_second: 0.25,
            mean_coverage: Some(0.805),
            eta: Some(Duration::from_secs(3729)),
            ..Progress::default()
        };
        assert_eq!(
            describe(&progress),
            "19/40 runs, 2 failed, 20.3 runs/h, mean coverage 80.5 %, 1:02:09 left"
        );
        let executing = |covered, goals| ExecutingRun {
            run: 0,
            worker: "w".to_owned(),
            progress: RunProgress { covered, goals, ..RunProgress::default() },
        };
        let executing = vec![executing(35, 108), executing(0, 0), executing(12, 40)];
        let line = describe(&Progress { executing, ..progress.clone() });
        assert!(line.ends_with(", 1:02:09 left, executing: 35/108 and 12/40 goals"), "{line}");
        // Rate and remaining time agree. Without an expected time, the rate determines the
        // remaining time.
        let known = Progress { eta: Some(Duration::from_secs(7)), ..progress.clone() };
        assert!(describe(&known).contains(", 3.0 runs/s, "), "{}", describe(&known));
        let rated = Progress { eta: None, ..progress.clone() };
        assert!(describe(&rated).ends_with(", 1:24 left"), "{}", describe(&rated));
        let new = Progress { eta: None, runs_per_second: 0.0, ..progress.clone() };
        let line = describe(&new);
        assert!(line.ends_with("mean coverage 80.5 %, measuring how long a run takes"), "{line}");
        let last_error = Some("disk full".to_owned());
        let line = describe(&Progress { mean_coverage: None, eta: None, last_error, ..progress });
        assert_eq!(line, "19/40 runs, 2 failed, 15.0 runs/min (disk full)");
    }
}
