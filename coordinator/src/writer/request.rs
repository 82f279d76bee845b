//! Requests to the writer, and the handle that sends them.

use std::collections::BTreeSet;
use std::sync::mpsc;
use std::time::Duration;

use catherd_experiments::{Digest, Engines, Plan};
use tokio::sync::{oneshot, watch};

use super::estimate::{Cell, Estimate};
use super::why::Explanation;
use crate::auth::Caller;
use crate::error::{ForeignStudy, PlanningRefused, StoreUnavailable, SubmitError};
use crate::ids::{RunNumber, StudyNumber, Token};
use crate::ledger::{Grant, Verdict, WorkerRule};
use crate::progress::{Progress, RunProgress};
use crate::queue::SubjectEngine;
use crate::store::{ClaimChange, ProjectChunk, StoredRecord, StudyState};

/// If the channel of the reply is dropped, the outcome is unknown and the request should be
/// repeated.
pub(crate) enum Request {
    Register {
        worker: String,
        reply: oneshot::Sender<()>,
    },
    Lease {
        worker: String,
        lease: LeaseRequest,
        reply: oneshot::Sender<LeaseReply>,
    },
    Heartbeat {
        worker: String,
        held: BTreeSet<Token>,
        progress: Vec<(Token, RunProgress)>,
        reply: oneshot::Sender<HeartbeatReply>,
    },
    Commit {
        worker: String,
        completions: Vec<Completion>,
        reply: oneshot::Sender<Vec<CommitResult>>,
    },
    PutProjectChunk {
        chunk: ProjectChunk,
        reply: mpsc::Sender<()>,
    },
    /// Add, change or reactivate a study. The reply follows when the study is completely planned.
    Plan {
        plan: Box<Plan>,
        /// Whether the client repeats an earlier request.
        waiting: bool,
        caller: Caller,
        /// The parts of the claim that the client states.
        claim: ClaimChange,
        reply: oneshot::Sender<Result<StudyNumber, PlanningRefused>>,
    },
    /// The description is JSON.
    Describe {
        study: StudyNumber,
        description: Vec<u8>,
        reply: oneshot::Sender<()>,
    },
    /// The reply is false if there is no study with this name.
    SetState {
        name: String,
        state: StudyState,
        caller: Caller,
        reply: oneshot::Sender<ChangeResult>,
    },
    /// The reply is false if there is no study with this name.
    SetClaim {
        name: String,
        claim: ClaimChange,
        caller: Caller,
        reply: oneshot::Sender<ChangeResult>,
    },
    /// The reply contains the names of the live workers to which the rule applies.
    SetWorkers {
        name: String,
        rule: Option<WorkerRule>,
        reply: oneshot::Sender<Vec<String>>,
    },
    Why {
        run: RunNumber,
        reply: oneshot::Sender<Explanation>,
    },
    Estimate {
        cells: Vec<Cell>,
        engine: SubjectEngine,
        reply: oneshot::Sender<Estimate>,
    },
    /// The reply is false if there is no study with this name.
    Delete {
        name: String,
        caller: Caller,
        reply: oneshot::Sender<ChangeResult>,
    },
    /// Show damage to stored projects in the progress, and lease no run on these projects.
    NoteDamage {
        projects: BTreeSet<Digest>,
        damage: Option<String>,
    },
    /// End the writer after the batch that contains this request.
    Close,
}

#[derive(Default)]
pub(crate) struct LeaseRequest {
    pub(crate) engines: Engines,
    pub(crate) loaded: BTreeSet<Digest>,
    pub(crate) held: BTreeSet<Token>,
    pub(crate) host: String,
    /// Time until the worker's allocation ends.
    pub(crate) remaining: Option<Duration>,
}

pub(crate) struct LeaseReply {
    /// The leases, with the specification of each run as JSON.
    pub(crate) leases: Vec<(Grant, Vec<u8>)>,
    /// Whether all runs have ended and no study can be added.
    pub(crate) finished: bool,
}

pub(crate) struct HeartbeatReply {
    pub(crate) dropped: Vec<Token>,
    pub(crate) drained: bool,
}

/// Whether there is a study with the name, or why the caller may not change it.
pub(crate) type ChangeResult = Result<bool, ForeignStudy>;

/// The verdict on a completion, or why it was refused.
pub(crate) type CommitResult = Result<Verdict, String>;

pub(crate) struct Completion {
    pub(crate) run: RunNumber,
    pub(crate) token: Token,
    pub(crate) result: AttemptResult,
}

pub(crate) enum AttemptResult {
    Record(Box<StoredRecord>),
    /// The record cannot be accepted, for this reason. The attempt counts as crashed, because
    /// otherwise the same run would be executed forever.
    Unacceptable(String),
    Crash(String),
    Returned,
}

impl Request {
    /// The amount of work in the request, in completions and other entries.
    pub(super) fn weight(&self) -> usize {
        match self {
            Request::Commit { completions, .. } => 1 + completions.len(),
            Request::Lease { lease, .. } => 1 + lease.held.len() + lease.loaded.len(),
            Request::Heartbeat { held, .. } => 1 + held.len(),
            Request::Estimate { cells, .. } => 1 + cells.len(),
            _ => 1,
        }
    }
}

#[derive(Clone)]
pub(crate) struct WriterHandle {
    requests: mpsc::Sender<Request>,
    pub(crate) progress: watch::Receiver<Progress>,
}

impl WriterHandle {
    pub(super) fn new(
        requests: mpsc::Sender<Request>,
        progress: watch::Receiver<Progress>,
    ) -> WriterHandle {
        WriterHandle { requests, progress }
    }

    pub(crate) fn send(&self, request: Request) -> Result<(), StoreUnavailable> {
        self.requests.send(request).map_err(|_| StoreUnavailable)
    }

    pub(crate) async fn call<T>(
        &self,
        request: impl FnOnce(oneshot::Sender<T>) -> Request,
    ) -> Result<T, StoreUnavailable> {
        let (reply, replied) = oneshot::channel();
        self.send(request(reply))?;
        replied.await.map_err(|_| StoreUnavailable)
    }

    pub(crate) async fn submit(
        &self,
        plan: Plan,
        waiting: bool,
        caller: Caller,
        claim: ClaimChange,
    ) -> Result<StudyNumber, SubmitError> {
        let plan = Box::new(plan);
        Ok(self.call(|reply| Request::Plan { plan, waiting, caller, claim, reply }).await??)
    }

    pub(crate) async fn describe(
        &self,
        study: StudyNumber,
        description: Vec<u8>,
    ) -> Result<(), StoreUnavailable> {
        self.call(|reply| Request::Describe { study, description, reply }).await
    }

    pub(crate) async fn delete(
        &self,
        name: String,
        caller: Caller,
    ) -> Result<ChangeResult, StoreUnavailable> {
        self.call(|reply| Request::Delete { name, caller, reply }).await
    }

    pub(crate) async fn set_state(
        &self,
        name: String,
        state: StudyState,
        caller: Caller,
    ) -> Result<ChangeResult, StoreUnavailable> {
        self.call(|reply| Request::SetState { name, state, caller, reply }).await
    }

    pub(crate) async fn set_claim(
        &self,
        name: String,
        claim: ClaimChange,
        caller: Caller,
    ) -> Result<ChangeResult, StoreUnavailable> {
        self.call(|reply| Request::SetClaim { name, claim, caller, reply }).await
    }
}

/// Sends the reply to a request, after its effects are durable.
pub(super) type PendingReply = Box<dyn FnOnce() + Send>;

pub(super) fn reply_later<T: Send + 'static>(to: oneshot::Sender<T>, value: T) -> PendingReply {
    Box::new(move || {
        // The receiver may have been dropped, because the request timed out.
        let _ = to.send(value);
    })
}
