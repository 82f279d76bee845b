//! Prints the events of a study as JSON, one object on each line of standard output.

use std::path::Path;
use std::time::{Duration, Instant};

use catherd_analysis_results::WrittenResults;
use catherd_cli_console::terminal;
use catherd_coordinator::{FailureCount, Progress};
use serde_json::{Value, json};

use super::display::ended;

/// Minimum time between two events of progress.
const INTERVAL: Duration = Duration::from_secs(1);

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Events {
    wanted: bool,
    last: Option<Instant>,
}

impl Events {
    pub(super) fn new(wanted: bool) -> Events {
        Events { wanted, last: None }
    }

    fn report(&self, event: &Value) {
        if self.wanted {
            terminal::print(&format!("{event}\n"));
        }
    }

    /// Reports that a plan begins. A race consists of several plans.
    pub(super) fn started(&self, study: &str, before: &Progress, workers: usize) {
        self.report(&json!({
            "event": "started", "study": study, "runs": before.planned,
            "ended_earlier": ended(before), "workers": workers,
        }));
    }

    pub(super) fn progressed(&mut self, progress: &Progress) {
        if !self.wanted || self.last.is_some_and(|last| last.elapsed() < INTERVAL) {
            return;
        }
        self.last = Some(Instant::now());
        self.report(&json!({
            "event": "progress", "runs": progress.planned, "done": progress.done,
            "failed": progress.failed, "quarantined": progress.quarantined,
            "executing": progress.leased, "runs_per_second": progress.runs_per_second,
            "left_ms": progress.eta.map(|left| left.as_millis() as u64),
            "mean_coverage": progress.mean_coverage, "store_error": progress.last_error,
        }));
    }

    pub(super) fn failed(&self, count: &FailureCount) {
        self.report(&json!({
            "event": "failure", "algorithm": count.label, "reason": count.reason,
        }));
    }

    pub(super) fn stopped(&self, study: &str, folder: &Path) {
        self.report(&json!({ "event": "stopped", "study": study, "results": folder }));
    }

    pub(super) fn finished(
        &self,
        study: &str,
        folder: &Path,
        results: &WrittenResults,
        time: Duration,
    ) {
        let problems = results.problems.iter().map(|((project, reason), runs)| {
            json!({ "project": project, "reason": reason, "runs": runs })
        });
        self.report(&json!({
            "event": "finished", "study": study, "results": folder,
            "runs": results.states.planned, "done": results.states.done,
            "failed": results.states.failed, "quarantined": results.states.quarantined,
            "suites": results.suites, "problems": problems.collect::<Vec<_>>(),
            "seconds": time.as_secs_f64(),
        }));
    }
}
