//! What happens to the ledger, and what it asks for then.

use std::collections::BTreeSet;
use std::time::Duration;

use catherd_experiments::Digest;

use super::run::{RunNumber, Token};

/// How an attempt ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttemptEnd {
    /// With a record and a proper end; it took this long.
    Done(Duration),
    /// With a record and a verdict against the run.
    Failed(Duration),
    /// Without a result that can be trusted.
    Crashed,
    /// Not begun, or broken off for no fault of its own.
    Returned,
}

/// What happens to the ledger.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// A worker process has started.
    Register {
        /// Its name.
        worker: &'a str,
    },
    /// A worker wants runs.
    Lease {
        /// Its name.
        worker: &'a str,
        /// Projects it has at hand.
        loaded: &'a BTreeSet<Digest>,
        /// The leases it knows of.
        held: &'a BTreeSet<Token>,
    },
    /// A worker is alive.
    Heartbeat {
        /// Its name.
        worker: &'a str,
        /// The leases it works on.
        held: &'a BTreeSet<Token>,
    },
    /// An attempt has ended.
    Commit {
        /// The run.
        run: RunNumber,
        /// The lease.
        token: Token,
        /// How.
        end: AttemptEnd,
    },
    /// Time has passed.
    Tick,
}

/// A lease given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grant {
    /// The run.
    pub run: RunNumber,
    /// Which attempt this is, from 1.
    pub attempt: u32,
    /// The fencing token.
    pub token: Token,
}

/// What becomes of a commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It counts.
    Accepted,
    /// It counted already.
    Repeated,
    /// The lease had ended.
    Superseded,
}

/// What a step asks for. Everything but the answers must be durable before any answer
/// of the step leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Effect {
    /// Write what the ledger's [`run`](super::Ledger::run) and
    /// [`holder`](super::Ledger::holder) reply_later of this run.
    Save(RunNumber),
    /// Keep the record of the commit as the run's result.
    Accept(RunNumber),
    /// Keep the record of the commit for the curious.
    Supersede(RunNumber),
    /// Note that an attempt broke down because its worker was lost.
    Lost {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
        /// The worker's name.
        worker: String,
    },
    /// Forget that an attempt broke down because its worker was lost: it is back.
    LossReverted {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
    },
    /// Note that an attempt crashed.
    Crashed {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
    },
    /// Answer: a lease.
    Grant(Grant),
    /// Answer: this lease has ended, drop it.
    Drop(Token),
    /// Answer: take no more leases.
    Drain,
    /// Answer to a commit.
    Verdict(Verdict),
}
