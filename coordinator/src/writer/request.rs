//! What may be asked of the writer.

use std::collections::BTreeSet;
use std::sync::mpsc;

use catherd_experiments::{Digest, Plan};
use tokio::sync::oneshot;

use crate::ledger::{Grant, RunNumber, Token, Verdict};
use crate::progress::RunProgress;
use crate::store::{ProjectChunk, StoredRecord, StudyNumber, StudyState};

/// A request to the writer, with the way back. A dropped sender means that the effects
/// could not be made durable: the request should be repeated.
pub(crate) enum Request {
    Register {
        worker: String,
        answer: oneshot::Sender<()>,
    },
    Lease {
        worker: String,
        loaded: BTreeSet<Digest>,
        held: BTreeSet<Token>,
        answer: LeaseAnswer,
    },
    Heartbeat {
        worker: String,
        held: BTreeSet<Token>,
        run_progress: Vec<(Token, RunProgress)>,
        /// Leases to drop, and whether to take no more.
        answer: oneshot::Sender<(Vec<Token>, bool)>,
    },
    Commit {
        worker: String,
        completions: Vec<Completion>,
        answer: oneshot::Sender<Vec<Outcomes>>,
    },
    /// A part of a project is kept; one answer each.
    PutProjectChunk {
        part: ProjectChunk,
        answer: mpsc::Sender<()>,
    },
    /// A study is added, extended or begun again. Answered when it is whole; asked again
    /// meanwhile, it is planned once.
    Plan {
        plan: Box<Plan>,
        answer: oneshot::Sender<StudyNumber>,
    },
    /// A study is paused, resumed or cancelled; false if there is none of this name.
    SetState {
        name: String,
        state: StudyState,
        answer: oneshot::Sender<bool>,
    },
    /// The writer closes after the group that this request is in.
    Close,
}

type LeaseAnswer = oneshot::Sender<(Vec<(Grant, Vec<u8>)>, bool)>;

/// What becomes of a completion, or why it is none.
pub(crate) type Outcomes = Result<Verdict, String>;

/// The end of a lease as a worker tells it.
pub(crate) struct Completion {
    pub(crate) run: RunNumber,
    pub(crate) token: Token,
    pub(crate) end: AttemptResult,
}

/// How a worker says an attempt ended.
pub(crate) enum AttemptResult {
    Record(Box<StoredRecord>),
    Crash(String),
    Returned,
}
