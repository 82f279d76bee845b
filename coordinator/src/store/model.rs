//! The content of the store, and changes to it.

use std::time::Duration;

use catherd_experiments::{Digest, RunOutcome, RunRecord};
use catherd_proto::transport::PROJECT_CHUNK;

use crate::coverage_curve;
use crate::ids::{RunId, RunNumber, StudyNumber, Token};
use crate::ledger::RunStatus;

/// A record as it is stored, with the values that the coordinator reads.
#[derive(Clone, Debug)]
pub struct StoredRecord {
    /// The id of the run.
    pub run: RunId,
    /// The result of [`RunRecord::digest`].
    pub digest: Digest,
    /// How the run ended.
    pub outcome: RunOutcome,
    /// The result of [`RunRecord::ended_by_own_limit`].
    pub(crate) own_limit: bool,
    /// Number of goals of the project.
    pub goals: u32,
    /// Number of covered goals.
    pub covered: u32,
    /// Wall-clock time of the whole run.
    pub wall: Duration,
    /// The reason in the record.
    pub reason: String,
    pub(crate) criteria: Vec<String>,
    /// Coverage after 1, 2, 4, ... executions.
    pub(crate) curve: Option<Box<[f32; coverage_curve::POINTS]>>,
    /// The JSON of the record as it was received.
    pub json: Vec<u8>,
    /// The digest of `json`.
    pub(super) content: Digest,
}

impl StoredRecord {
    /// A record, with the JSON from which it was decoded.
    pub fn new(record: &RunRecord, json: Vec<u8>) -> StoredRecord {
        StoredRecord {
            run: record.run,
            digest: record.digest(),
            outcome: record.outcome,
            own_limit: record.ended_by_own_limit(),
            goals: record.goals(),
            covered: record.covered(),
            wall: Duration::from_millis(record.resources.wall_ms),
            reason: record.reason.clone(),
            criteria: record.criteria.iter().map(|criterion| criterion.name.clone()).collect(),
            curve: coverage_curve::of_record(record).map(Box::new),
            content: Digest::of(&json),
            json,
        }
    }

    /// Covered share of the goals, if the run is done and the project has goals.
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == RunOutcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }
}

/// Why an attempt ended without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Breakdown {
    /// The attempt crashed, or its record was refused.
    Crashed = 0,
    /// The run exceeded the wall-clock limit of the worker.
    TimedOut = 1,
    /// The run exceeded the memory limit of the worker.
    OutOfMemory = 2,
    /// The worker was lost.
    Lost = 3,
}

impl Breakdown {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Breakdown; 4] =
        [Breakdown::Crashed, Breakdown::TimedOut, Breakdown::OutOfMemory, Breakdown::Lost];
}

/// A chunk of a project. Projects are stored in chunks, because rows and transactions must not be
/// large.
#[derive(Clone, Debug)]
pub struct ProjectChunk {
    /// The digest of the whole project.
    pub(super) project: Digest,
    /// The number of the chunk, from 0.
    pub(super) number: usize,
    pub(super) bytes: Vec<u8>,
    /// Size of the whole project in bytes, only in the last chunk, which is sent after the others
    /// are stored.
    pub(super) size: Option<usize>,
}

impl ProjectChunk {
    /// The number of chunks of a project, at least one.
    pub(crate) fn count(project: &[u8]) -> usize {
        project.len().div_ceil(PROJECT_CHUNK).max(1)
    }

    pub(crate) fn new(digest: Digest, project: &[u8], number: usize) -> ProjectChunk {
        let end = ((number + 1) * PROJECT_CHUNK).min(project.len());
        let bytes = project[number * PROJECT_CHUNK..end].to_vec();
        let size = (number + 1 == ProjectChunk::count(project)).then_some(project.len());
        ProjectChunk { project: digest, number, bytes, size }
    }
}

/// A change to the store.
#[derive(Clone, Debug)]
pub enum StoreChange {
    /// The status of a run, and the worker that holds the lease.
    Run(RunNumber, RunStatus, Option<String>),
    /// The accepted record of a run.
    Record(RunNumber, Token, StoredRecord),
    /// A record whose lease had ended.
    Superseded(RunNumber, Token, StoredRecord),
    /// A chunk of a project.
    ProjectChunk(ProjectChunk),
    /// An attempt that ended without a record.
    Breakdown {
        /// The run.
        run: RunNumber,
        /// Number of the attempt.
        attempt: u32,
        /// Why the attempt ended.
        kind: Breakdown,
        /// The worker's name.
        worker: String,
        /// Details.
        reason: String,
    },
    /// The worker of an attempt has reappeared.
    LossReverted {
        /// The run.
        run: RunNumber,
        /// Number of the attempt.
        attempt: u32,
    },
}

/// The state of a study.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StudyState {
    /// The runs of the study are leased to workers.
    Active = 0,
    /// The runs are not leased until the study is resumed.
    Paused = 1,
    /// The runs are not leased. Records are kept.
    Cancelled = 2,
}

impl StudyState {
    /// All states, in the order of their numbers.
    pub const ALL: [StudyState; 3] =
        [StudyState::Active, StudyState::Paused, StudyState::Cancelled];

    /// The name of the state in JSON and in messages.
    pub fn name(self) -> &'static str {
        match self {
            StudyState::Active => "active",
            StudyState::Paused => "paused",
            StudyState::Cancelled => "cancelled",
        }
    }
}

/// The claim of a study on workers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Priority among the studies of an owner.
    pub priority: i32,
    /// Weight among studies of the same priority.
    pub share: u32,
    /// Maximum number of workers at the same time.
    pub quota: Option<u32>,
}

impl Default for Claim {
    fn default() -> Claim {
        Claim { priority: 0, share: 1, quota: None }
    }
}

/// A change of a claim, in which `None` means no change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClaimChange {
    /// The new priority.
    pub priority: Option<i32>,
    /// The new share.
    pub share: Option<u32>,
    /// The new quota. `Some(None)` removes the quota.
    pub quota: Option<Option<u32>>,
}

impl ClaimChange {
    /// The claim after the change.
    pub fn applied_to(self, before: Claim) -> Claim {
        Claim {
            priority: self.priority.unwrap_or(before.priority),
            share: self.share.unwrap_or(before.share),
            quota: self.quota.unwrap_or(before.quota),
        }
    }
}

/// A study in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStudy {
    /// The number of the study.
    pub number: StudyNumber,
    /// The name, unique in the store.
    pub name: String,
    /// The state of the study.
    pub state: StudyState,
    /// The plan as JSON; empty for a study that schema version 1 stored.
    pub plan: Vec<u8>,
    /// Name of the person who submitted the study; empty if unknown.
    pub owner: String,
    /// The claim of the study on workers.
    pub claim: Claim,
}

/// A run in the store.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// The number of the run.
    pub number: RunNumber,
    /// The status of the run. Group and study set are not stored.
    pub status: RunStatus,
    /// The worker that holds the lease.
    pub worker: Option<String>,
    /// The project.
    pub project: Digest,
    /// The label of the algorithm.
    pub label: String,
    /// Wall-clock time of the run, from the record.
    pub wall: Option<Duration>,
}
