//! Events that the ledger processes, and the effects that it returns.

use std::collections::BTreeSet;
use std::time::Duration;

use catherd_experiments::{Digest, Engines};

use crate::ids::{RunNumber, Token};

/// How an attempt at a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// The attempt ended after this time with a record without an error.
    Done(Duration),
    /// The attempt ended after this time with a record of a failure.
    Failed(Duration),
    /// The attempt crashed or exceeded a limit of the worker, or its record was refused.
    Crashed,
    /// The worker returned the run for a reason outside the run.
    Returned,
}

/// A request for runs.
#[derive(Clone, Copy, Debug)]
pub struct LeaseWish<'a> {
    /// The engines that the worker executes.
    pub engines: &'a Engines,
    /// Projects that the worker has loaded.
    pub loaded: &'a BTreeSet<Digest>,
    /// The leases that the worker knows.
    pub held: &'a BTreeSet<Token>,
    /// The name of the worker's host; empty if unknown.
    pub host: &'a str,
    /// Time until the worker's allocation ends.
    pub remaining: Option<Duration>,
    /// Projects that no worker can fetch now.
    pub withheld: &'a BTreeSet<Digest>,
}

/// An event that the ledger processes.
#[derive(Clone, Debug)]
pub enum LedgerEvent<'a> {
    /// A worker process has started.
    Register {
        /// The name of the worker.
        worker: &'a str,
    },
    /// A worker requests runs.
    Lease {
        /// The name of the worker.
        worker: &'a str,
        /// The request.
        wish: LeaseWish<'a>,
    },
    /// A worker renews its leases.
    Heartbeat {
        /// The name of the worker.
        worker: &'a str,
        /// The leases that the worker holds.
        held: &'a BTreeSet<Token>,
    },
    /// An attempt has ended.
    Commit {
        /// The name of the worker that commits.
        worker: &'a str,
        /// The run.
        run: RunNumber,
        /// The lease.
        token: Token,
        /// How the attempt ended.
        end: AttemptEnd,
    },
    /// Time has passed.
    Tick,
}

/// A lease that has been granted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The run.
    pub run: RunNumber,
    /// Number of this attempt at the run, from 1.
    pub attempt: u32,
    /// The fencing token.
    pub token: Token,
}

/// The answer to a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The commit counts.
    Accepted,
    /// A commit of the same lease was accepted before.
    Repeated,
    /// The commit does not count, because the lease had ended.
    Superseded,
    /// The commit has no effect, because the lease belongs to another worker.
    OtherHolder,
}

/// An effect of a step. The effects on the store must be durable before an answer is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Store the [`run`](super::Ledger::run) and its [`holder`](super::Ledger::holder).
    Save(RunNumber),
    /// Store the record of the commit as the result of the run.
    Accept(RunNumber),
    /// Store the record of the commit as superseded, for diagnosis.
    Supersede(RunNumber),
    /// Store that an attempt ended because its worker was lost.
    Lost {
        /// The run.
        run: RunNumber,
        /// Number of the attempt.
        attempt: u32,
        /// The worker's name.
        worker: String,
    },
    /// Undo [`Effect::Lost`], because the worker has reappeared.
    LossReverted {
        /// The run.
        run: RunNumber,
        /// Number of the attempt.
        attempt: u32,
    },
    /// Store that an attempt crashed.
    Crashed {
        /// The run.
        run: RunNumber,
        /// Number of the attempt.
        attempt: u32,
    },
    /// Answer: a new lease.
    Grant(Grant),
    /// Answer: the worker must drop this lease.
    DropLease(Token),
    /// Answer: the worker is drained.
    Drain,
    /// Answer: the verdict on a commit.
    Verdict(Verdict),
}
