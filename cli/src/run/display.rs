//! How far the study is, for people: a bar on a terminal, else a line now and then.

use std::fmt::Write as _;
use std::io::{self, IsTerminal};
use std::time::{Duration, Instant};

use catherd_coordinator::Progress;
use catherd_experiments::Plan;
use indicatif::{ProgressBar, ProgressStyle};

use crate::terminal::{self, BARS, plural};

/// Time between two lines.
const PAUSE: Duration = Duration::from_secs(5);

/// What is about to be run.
pub(super) struct Title {
    name: String,
    runs_a_project: usize,
}

impl Title {
    pub(super) fn new(plan: &Plan) -> Title {
        let runs_a_project = plan.algorithms.len() * plan.seeds.len();
        Title { name: plan.name.clone(), runs_a_project }
    }
}

pub(super) struct Display(Kind);

enum Kind {
    Bar(ProgressBar),
    Lines { next: Instant },
    Quiet,
}

impl Display {
    /// Says what is about to be run, and how much of it was before.
    pub(super) fn new(quiet: bool, title: &Title, before: &Progress, workers: usize) -> Display {
        if quiet {
            return Display(Kind::Quiet);
        }
        let mut line = format!(
            "{}: {}, {} a project, on {}",
            title.name,
            plural(before.planned as usize, "run"),
            title.runs_a_project,
            plural(workers, "worker"),
        );
        if ended(before) > 0 {
            let _ = write!(line, "; {} ended before", ended(before));
        }
        terminal::note(&line);
        if before.is_finished() {
            return Display(Kind::Quiet);
        }
        if !io::stderr().is_terminal() {
            return Display(Kind::Lines { next: Instant::now() + PAUSE });
        }
        let bar = BARS.add(ProgressBar::new(before.planned));
        let template = "{wide_bar:.cyan/dim} {msg}";
        bar.set_style(
            ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()),
        );
        Display(Kind::Bar(bar))
    }

    pub(super) fn show(&mut self, progress: &Progress) {
        match &mut self.0 {
            Kind::Bar(bar) => {
                bar.set_position(ended(progress));
                bar.set_message(describe(progress));
            }
            Kind::Lines { next } if *next <= Instant::now() => {
                *next += PAUSE;
                terminal::note(&describe(progress));
            }
            Kind::Lines { .. } | Kind::Quiet => {}
        }
    }

    pub(super) fn draining(&self) {
        if !matches!(self.0, Kind::Quiet) {
            terminal::note("Stopping when the runs in hand have ended; once more to stop at once.");
        }
    }

    pub(super) fn end(&mut self, progress: &Progress) {
        match &self.0 {
            Kind::Bar(bar) => bar.finish_and_clear(),
            Kind::Lines { .. } => terminal::note(&describe(progress)),
            Kind::Quiet => {}
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
        (false, Some(eta)) => {
            let _ = write!(line, ", {} left", terminal::clock(eta));
        }
        (false, None) => line.push_str(", time left unknown"),
    }
    if let Some(error) = &progress.last_error {
        let _ = write!(line, " ({error})");
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_what_people_ask() {
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
        let last_error = Some("disk full".to_owned());
        let line = describe(&Progress { mean_coverage: None, eta: None, last_error, ..progress });
        assert_eq!(line, "19/40 runs, 2 failed, 2.2 runs/s, time left unknown (disk full)");
    }
}
