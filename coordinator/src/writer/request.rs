//! Requests to the writer, and the handle that sends them.

use std::collections::BTreeSet;
use std::sync::mpsc;

use catherd_experiments::{Digest, Engines, Plan};
use tokio::sync::{oneshot, watch};

use crate::error::{PlanningRefused, StoreUnavailable, SubmitError};
use crate::ids::{RunNumber, StudyNumber, Token};
use crate::ledger::{Grant, Verdict};
use crate::progress::{Progress, RunProgress};
use crate::store::{ProjectChunk, StoredRecord, StudyState};

/// A request to the writer, with the channel of its reply. If the channel is dropped, the changes
/// could not be made durable and the request should be repeated.
pub(crate) enum Request {
    Register {
        worker: String,
        reply: oneshot::Sender<()>,
    },
    Lease {
        worker: String,
        engines: Engines,
        loaded: BTreeSet<Digest>,
        held: BTreeSet<Token>,
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
    /// Store a chunk of a project; one reply per chunk.
    PutProjectChunk {
        chunk: ProjectChunk,
        reply: mpsc::Sender<()>,
    },
    /// Add, extend or reactivate a study. The reply follows when the study is completely planned; a
    /// repeated request for the same plan waits for the same planning.
    Plan {
        plan: Box<Plan>,
        /// The client has made this request before.
        waiting: bool,
        reply: oneshot::Sender<Result<StudyNumber, PlanningRefused>>,
    },
    /// Store the description of the projects of a study, as JSON.
    Describe {
        study: StudyNumber,
        description: Vec<u8>,
        reply: oneshot::Sender<()>,
    },
    /// Pause, resume or cancel a study, also while it is being planned. The reply is false if there
    /// is no study of this name.
    SetState {
        name: String,
        state: StudyState,
        reply: oneshot::Sender<bool>,
    },
    /// Remove a study, also while it is being planned. The reply is false if there is no study of
    /// this name.
    Delete {
        name: String,
        reply: oneshot::Sender<bool>,
    },
    /// Show known damage of the store in the progress; `None` if there is none any more.
    NoteDamage(Option<String>),
    /// End the writer after the batch that contains this request.
    Close,
}

pub(crate) struct LeaseReply {
    /// The leases, each with the specification of its run as JSON.
    pub(crate) leases: Vec<(Grant, Vec<u8>)>,
    /// All runs have ended and no study can be added.
    pub(crate) finished: bool,
}

pub(crate) struct HeartbeatReply {
    /// Leases that have ended.
    pub(crate) dropped: Vec<Token>,
    /// The worker is drained.
    pub(crate) drained: bool,
}

/// The verdict on a completion, or why it was refused.
pub(crate) type CommitResult = Result<Verdict, String>;

/// The end of a lease as reported by its worker.
pub(crate) struct Completion {
    pub(crate) run: RunNumber,
    pub(crate) token: Token,
    pub(crate) result: AttemptResult,
}

/// The result of an attempt as reported by its worker.
pub(crate) enum AttemptResult {
    Record(Box<StoredRecord>),
    /// A record that cannot be accepted, with the reason. The attempt counts as crashed, because
    /// the same run would otherwise be executed for ever.
    Unacceptable(String),
    /// The attempt crashed, for this reason.
    Crash(String),
    Returned,
}

/// Sends requests to the writer and reads its progress; cheap to clone.
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

    /// Sends a request without waiting for its reply.
    pub(crate) fn send(&self, request: Request) -> Result<(), StoreUnavailable> {
        self.requests.send(request).map_err(|_| StoreUnavailable)
    }

    /// Sends a request and waits for its reply.
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
    ) -> Result<StudyNumber, SubmitError> {
        let plan = Box::new(plan);
        Ok(self.call(|reply| Request::Plan { plan, waiting, reply }).await??)
    }

    pub(crate) async fn describe(
        &self,
        study: StudyNumber,
        description: Vec<u8>,
    ) -> Result<(), StoreUnavailable> {
        self.call(|reply| Request::Describe { study, description, reply }).await
    }

    pub(crate) async fn delete(&self, name: String) -> Result<bool, StoreUnavailable> {
        self.call(|reply| Request::Delete { name, reply }).await
    }

    pub(crate) async fn set_state(
        &self,
        name: String,
        state: StudyState,
    ) -> Result<bool, StoreUnavailable> {
        self.call(|reply| Request::SetState { name, state, reply }).await
    }
}

/// Sends the reply to a request. Called after the effects of the request are durable.
pub(super) type PendingReply = Box<dyn FnOnce() + Send>;

/// A reply to be sent later.
pub(super) fn reply_later<T: Send + 'static>(to: oneshot::Sender<T>, value: T) -> PendingReply {
    Box::new(move || {
        // The receiver may have been dropped (request timed out).
        let _ = to.send(value);
    })
}
