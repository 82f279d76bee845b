//! How far a study is.

use std::collections::{BTreeMap, VecDeque};
use std::time::Duration;

use crate::ledger::{Ledger, Phase, RunNumber, Token};

/// Rates are taken over this time.
const WINDOW: Duration = Duration::from_secs(30);

/// A snapshot: planned = pending + leased + done + failed + quarantined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// Runs of the study.
    pub planned: u64,
    /// Runs that wait.
    pub pending: u64,
    /// Runs in the hands of workers.
    pub leased: u64,
    /// Runs that ended properly.
    pub done: u64,
    /// Runs with a verdict against them.
    pub failed: u64,
    /// Runs given up.
    pub quarantined: u64,
    /// Live workers.
    pub workers: usize,
    /// Accepted records per second over the last half minute.
    pub runs_per_second: f64,
    /// Of the runs that are done and have goals, in 0..=1.
    pub mean_coverage: Option<f64>,
    /// Until the last run ends, from measured run times.
    pub eta: Option<Duration>,
    /// The runs that workers execute just now, as of their last heartbeats.
    pub running: Vec<Running>,
    /// What keeps the coordinator from working, such as a full disk.
    pub trouble: Option<String>,
}

impl Progress {
    /// Every run has ended.
    pub fn is_finished(&self) -> bool {
        self.pending == 0 && self.leased == 0
    }
}

/// How far a run is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Live {
    /// Test executions so far.
    pub executions: u64,
    /// Steps so far.
    pub steps: u64,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// A run in the hands of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    /// The run.
    pub run: RunNumber,
    /// Who executes it.
    pub worker: String,
    /// How far it is.
    pub live: Live,
}

/// What the snapshots need beyond the ledger.
#[derive(Debug, Default)]
pub(crate) struct Meter {
    /// (second, records accepted in it), the oldest first.
    recent: VecDeque<(u64, u64)>,
    started: Duration,
    coverage_sum: f64,
    coverage_count: u64,
    live: BTreeMap<Token, Live>,
}

impl Meter {
    /// A meter that starts with the coverage of earlier sessions.
    pub(crate) fn new(now: Duration, coverage_sum: f64, coverage_count: u64) -> Meter {
        Meter { started: now, coverage_sum, coverage_count, ..Meter::default() }
    }

    pub(crate) fn accepted(&mut self, now: Duration, coverage: Option<f64>) {
        match self.recent.back_mut() {
            Some((second, count)) if *second == now.as_secs() => *count += 1,
            _ => self.recent.push_back((now.as_secs(), 1)),
        }
        if let Some(coverage) = coverage {
            self.coverage_sum += coverage;
            self.coverage_count += 1;
        }
    }

    pub(crate) fn watched(&mut self, live: Vec<(Token, Live)>) {
        self.live.extend(live);
    }

    pub(crate) fn snapshot(&mut self, now: Duration, ledger: &Ledger) -> Progress {
        let oldest = now.saturating_sub(WINDOW).as_secs();
        while self.recent.front().is_some_and(|&(second, _)| second < oldest) {
            self.recent.pop_front();
        }
        self.live.retain(|&token, _| ledger.lease(token).is_some());
        let running = self.live.iter().filter_map(|(&token, &live)| {
            let (run, worker) = ledger.lease(token)?;
            Some(Running { run, worker: worker.to_owned(), live })
        });
        let running = running.collect();
        let accepted: u64 = self.recent.iter().map(|&(_, count)| count).sum();
        let over = now.saturating_sub(self.started).min(WINDOW).as_secs_f64().max(0.1);
        let workers = ledger.live_workers();
        let coverage = self.coverage_sum / self.coverage_count as f64;
        let share = |work: Duration| work / u32::try_from(workers).unwrap_or(u32::MAX);
        Progress {
            planned: ledger.planned(),
            pending: ledger.count(Phase::Pending),
            leased: ledger.count(Phase::Leased),
            done: ledger.count(Phase::Done),
            failed: ledger.count(Phase::Failed),
            quarantined: ledger.count(Phase::Quarantined),
            workers,
            runs_per_second: accepted as f64 / over,
            mean_coverage: (self.coverage_count > 0).then_some(coverage),
            eta: if workers == 0 { None } else { ledger.queue().expected_work().map(share) },
            running,
            trouble: None,
        }
    }
}
