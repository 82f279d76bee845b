//! Progress of the studies of a store.

use std::collections::BTreeMap;
use std::time::Duration;

use crate::coverage_curve::CoverageCurve;
use crate::failures::FailureCount;
use crate::ids::{RunNumber, StudyNumber};
use crate::ledger::{PhaseCounts, Usage, WorkerRule};
use crate::store::{Claim, StudyState};

pub(crate) use tracker::ProgressTracker;

mod tracker;

/// The progress of the studies of a store. The runs of all active studies together are counted by
/// phase: planned = pending + leased + done + failed + quarantined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// All runs.
    pub planned: u64,
    /// Runs queued for a worker.
    pub pending: u64,
    /// Runs leased to workers.
    pub leased: u64,
    /// Runs with an accepted record without an error.
    pub done: u64,
    /// Runs with an accepted record of a failure.
    pub failed: u64,
    /// Runs that are not attempted again, because too many attempts ended without a record.
    pub quarantined: u64,
    /// Accepted records per second over the last half minute.
    pub runs_per_second: f64,
    /// Mean coverage of the runs that are done, in 0..=1.
    pub mean_coverage: Option<f64>,
    /// Expected time until the last run ends, if it can be estimated.
    pub eta: Option<Duration>,
    /// The runs that workers are executing, as of their last heartbeats.
    pub executing: Vec<ExecutingRun>,
    /// Whether another coordinator leads the store and this one stands by.
    pub standby: bool,
    /// The last error of the store, such as a full disk, until the next successful transaction.
    pub last_error: Option<String>,
    /// Damage to the store, which stops the work that needs the damaged part.
    pub damage: Option<String>,
    /// A message about a file of the store that another program has deleted or replaced. The
    /// coordinator must then be restarted.
    pub lost_file: Option<String>,
    /// All studies of the store, by number.
    pub studies: Vec<StudyProgress>,
    /// Live workers by name.
    pub workers: Vec<WorkerProgress>,
    /// Interim coverage by study and algorithm.
    pub curves: Vec<AlgorithmCurve>,
    /// Studies that are being planned.
    pub planning: Vec<PlanningProgress>,
    /// Pending runs whose engine no usable worker executes.
    pub unserved: Vec<UnservedRuns>,
    /// Failed attempts since the coordinator started, by algorithm and reason.
    pub failures: Vec<FailureCount>,
    /// Pending runs that are expected to take longer than the allocation of every usable worker.
    pub too_long: Vec<TooLongRuns>,
    /// Time for which pending runs have waited without any run being leased.
    pub queue_age: Duration,
    /// How attempts have ended since the coordinator started, by worker.
    pub attempts: Vec<AttemptCounts>,
}

/// How the attempts of a worker have ended since the coordinator started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AttemptCounts {
    /// The worker's name.
    pub worker: String,
    /// The name of the worker's host; empty if unknown.
    pub host: String,
    /// Attempts that ended with an accepted record.
    pub accepted: u64,
    /// Attempts that crashed or exceeded a limit of the worker, or whose record was refused.
    pub crashed: u64,
    /// Attempts that ended because the worker was lost.
    pub lost: u64,
    /// Records that did not count, because their leases had ended.
    pub superseded: u64,
    /// Attempts at runs that had been attempted before.
    pub retried: u64,
}

impl AttemptCounts {
    /// The counts, each with its name in metrics.
    pub fn by_end(&self) -> [(&'static str, u64); 5] {
        [
            ("accepted", self.accepted),
            ("crashed", self.crashed),
            ("lost", self.lost),
            ("superseded", self.superseded),
            ("retried", self.retried),
        ]
    }
}

/// Pending runs of an algorithm that are expected to take longer than the allocation of every
/// usable worker.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TooLongRuns {
    /// The algorithm's label.
    pub label: String,
    /// Number of runs.
    pub runs: u64,
    /// Expected time of the longest of these runs.
    pub expected: Duration,
    /// The longest allocation of a usable worker.
    pub longest: Duration,
}

/// Pending runs of a subject kind whose engine no usable worker executes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UnservedRuns {
    /// The subject kind.
    pub kind: String,
    /// The engine id that the runs need.
    pub engine: String,
    /// Number of runs.
    pub runs: usize,
}

/// Progress of the planning of a study.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanningProgress {
    /// The study's name.
    pub study: String,
    /// Number of runs planned so far.
    pub planned: usize,
    /// Number of runs of the study.
    pub total: usize,
}

/// Progress of a worker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerProgress {
    /// The worker's name.
    pub name: String,
    /// Number of leases that the worker holds.
    pub leases: usize,
    /// Number of the worker's records that were accepted since the coordinator started.
    pub accepted: u64,
    /// Time since the worker last registered, requested runs or sent a heartbeat.
    pub silent: Duration,
    /// Whether the worker gets no further runs because too many runs in a row crashed on it.
    pub drained: bool,
    /// The name of the worker's host; empty if unknown.
    pub host: String,
    /// The rule of an operator that applies to the worker.
    pub rule: Option<WorkerRule>,
}

/// Interim coverage of an algorithm in a study, on the projects that can be compared.
#[derive(Clone, Debug, PartialEq)]
pub struct AlgorithmCurve {
    /// The study.
    pub study: StudyNumber,
    /// The algorithm's label.
    pub label: String,
    /// The position of the algorithm in the study.
    pub position: Option<usize>,
    /// Number of projects that can be compared.
    pub projects: usize,
    /// The mean over the algorithm's runs on these projects.
    pub curve: CoverageCurve,
}

/// Progress of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct StudyProgress {
    /// The study's number.
    pub number: StudyNumber,
    /// The study's name.
    pub name: String,
    /// Whether the study is active, paused or cancelled.
    pub state: StudyState,
    /// Name of the person who submitted the study; empty if unknown.
    pub owner: String,
    /// The study's claim on workers.
    pub claim: Claim,
    /// The study's runs by phase.
    pub counts: PhaseCounts,
    /// Mean coverage of the runs that are done, in 0..=1.
    pub mean_coverage: Option<f64>,
    /// The limit of executions of each run.
    pub executions: Option<u64>,
    /// The study's use of workers.
    pub usage: Usage,
    /// Expected time of the study's pending runs.
    pub left: Option<Duration>,
}

impl Progress {
    /// The study with this name.
    pub fn study(&self, name: &str) -> Option<&StudyProgress> {
        self.studies.iter().find(|study| study.name == name)
    }

    /// Whether every run of the active studies has ended.
    pub fn is_finished(&self) -> bool {
        self.pending == 0 && self.leased == 0
    }
}

/// Progress of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RunProgress {
    /// Work so far, by the name of the unit.
    pub work: BTreeMap<String, u64>,
    /// Goals covered so far.
    pub covered: u32,
    /// Goals of the project.
    pub goals: u32,
}

/// A run that a worker is executing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExecutingRun {
    /// The run.
    pub run: RunNumber,
    /// The worker.
    pub worker: String,
    /// The progress of the run.
    pub progress: RunProgress,
}
