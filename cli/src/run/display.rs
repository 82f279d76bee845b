//! The progress of a study: a bar if standard error is a terminal, otherwise a line every few
//! seconds.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use catherd_cli_console::terminal::{self, BARS, plural};
use catherd_coordinator::Progress;
use catherd_experiments::Plan;
use indicatif::{ProgressBar, ProgressStyle};

/// Time between two lines.
const LINE_INTERVAL: Duration = Duration::from_secs(5);

/// Maximum number of runs in execution whose goals are shown.
const MAX_EXECUTING: usize = 4;

/// Name and size of a plan, for the first line.
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

/// Shows progress until the plan has ended.
pub(super) struct Display(Mode);

enum Mode {
    Bar(ProgressBar),
    Lines { next: Instant },
    Quiet,
}

impl Display {
    /// Prints what is to be run and how many of these runs ended earlier.
    pub(super) fn new(quiet: bool, title: &Title, before: &Progress, workers: usize) -> Display {
        if quiet {
            return Display(Mode::Quiet);
        }
        let mut line = format!(
            "{}: {}, {} for each project, on {}",
            title.name,
            plural(before.planned as usize, "run"),
            title.runs_per_project,
            plural(workers, "worker"),
        );
        if ended(before) > 0 {
            let _ = write!(line, "; {} of them ended earlier", ended(before));
        }
        terminal::note(&line);
        if before.is_finished() {
            return Display(Mode::Quiet);
        }
        if !io::stderr().is_terminal() {
            return Display(Mode::Lines { next: Instant::now() + LINE_INTERVAL });
        }
        let bar = BARS.add(ProgressBar::new(before.planned));
        let template = "{wide_bar:.cyan/dim} {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Display(Mode::Bar(bar))
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        match &mut self.0 {
            Mode::Bar(bar) => {
                bar.set_position(ended(progress));
                bar.set_message(describe(progress));
            }
            Mode::Lines { next } if *next <= Instant::now() => {
                *next += LINE_INTERVAL;
                terminal::note(&describe(progress));
            }
            Mode::Lines { .. } | Mode::Quiet => {}
        }
    }

    pub(super) fn draining(&self) {
        if !matches!(self.0, Mode::Quiet) {
            terminal::note("Stopping after the current runs; press Ctrl-C again to stop at once.");
        }
    }

    pub(super) fn end(&mut self, progress: &Progress) {
        match &self.0 {
            Mode::Bar(bar) => bar.finish_and_clear(),
            Mode::Lines { .. } => terminal::note(&describe(progress)),
            Mode::Quiet => {}
        }
    }
}

fn ended(progress: &Progress) -> u64 {
    progress.done + progress.failed + progress.quarantined
}

fn describe(progress: &Progress) -> String {
    let mut line = format!("{}/{} runs", ended(progress), progress.planned);
    // Writing to a string does not fail.
    let failed = progress.failed + progress.quarantined;
    let _ = write!(line, ", {failed} failed, {:.1} runs/s", progress.runs_per_second);
    if let Some(coverage) = progress.mean_coverage {
        let _ = write!(line, ", mean coverage {:.1} %", 100.0 * coverage);
    }
    match (progress.is_finished(), progress.eta) {
        (true, _) => {}
        // A rate from before the store failed says nothing.
        _ if progress.last_error.is_some() => {}
        (false, Some(eta)) => {
            let _ = write!(line, ", {} left", terminal::clock(eta));
        }
        (false, None) => line.push_str(", time left unknown"),
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

    #[test]
    fn a_line_has_counts_rate_coverage_and_time_left() {
        let progress = Progress {
            planned: 40,
            pending: 19,
            leased: 2,
            done: 17,
            failed: 1,
            quarantined: 1,
            runs_per_second: 2.25,
            mean_coverage: Some(0.805),
            eta: Some(Duration::from_secs(3729)),
            ..Progress::default()
        };
        assert_eq!(
            describe(&progress),
            "19/40 runs, 2 failed, 2.2 runs/s, mean coverage 80.5 %, 1:02:09 left"
        );
        let executing = |covered, goals| ExecutingRun {
            run: 0,
            worker: "w".to_owned(),
            progress: RunProgress { covered, goals, ..RunProgress::default() },
        };
        let executing = vec![executing(35, 108), executing(0, 0), executing(12, 40)];
        let line = describe(&Progress { executing, ..progress.clone() });
        assert!(line.ends_with(", 1:02:09 left, executing: 35/108 and 12/40 goals"), "{line}");
        let last_error = Some("disk full".to_owned());
        let line = describe(&Progress { mean_coverage: None, eta: None, last_error, ..progress });
        assert_eq!(line, "19/40 runs, 2 failed, 2.2 runs/s (disk full)");
    }
}
