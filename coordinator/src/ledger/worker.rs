//! The workers of a ledger, and the rules of operators for them.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catherd_experiments::Engines;

use super::Ledger;
use super::event::LeaseWish;
use super::shares::Shares;
use crate::ids::{RunNumber, StudyNumber, Token};
use crate::lease_expiry::{expiry, has_expired};
use crate::queue::SubjectEngine;

/// A rule of an operator for the workers with a certain name or on a certain host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum WorkerRule {
    /// The workers finish their current runs, return the other runs and exit.
    Drain = 1,
    /// The workers do not get further runs, but do not exit.
    Block = 2,
}

impl WorkerRule {
    /// All rules, in the order of their numbers.
    pub const ALL: [WorkerRule; 2] = [WorkerRule::Drain, WorkerRule::Block];

    /// The word that describes a worker to which the rule applies.
    pub fn name(self) -> &'static str {
        match self {
            WorkerRule::Drain => "drained",
            WorkerRule::Block => "blocked",
        }
    }
}

/// A worker that sent a request within the last term or holds a lease.
#[derive(Clone, Debug, Default)]
pub(super) struct Worker {
    pub(super) leases: BTreeSet<Token>,
    /// Number of leases by the study to which they are charged.
    pub(super) studies: BTreeMap<StudyNumber, u32>,
    pub(super) last_seen: Duration,
    /// The worker's time has been charged up to this time.
    pub(super) settled: Duration,
    /// Runs that crashed only on this worker, since its last accepted record.
    pub(super) consecutive_crashes: BTreeSet<RunNumber>,
    pub(super) drained: bool,
    pub(super) engines: Engines,
    /// The name of the host; empty if unknown.
    pub(super) host: String,
    /// The remaining time of the allocation at the first request for runs.
    pub(super) allocation: Option<Duration>,
    /// Whether the current process has requested runs.
    pub(super) has_asked: bool,
}

impl Worker {
    pub(super) fn note_start(&mut self) {
        (self.has_asked, self.allocation) = (false, None);
    }

    pub(super) fn note_wish(&mut self, wish: &LeaseWish<'_>) {
        if self.engines != *wish.engines {
            self.engines = wish.engines.clone();
        }
        if self.host != wish.host {
            wish.host.clone_into(&mut self.host);
        }
        if !self.has_asked {
            (self.has_asked, self.allocation) = (true, wish.remaining);
        }
    }

    pub(super) fn hold(
        &mut self,
        token: Token,
        study: StudyNumber,
        now: Duration,
        shares: &mut Shares,
    ) {
        if self.leases.is_empty() {
            self.settled = now;
        }
        if self.leases.insert(token) {
            let leases = self.studies.entry(study).or_default();
            *leases += 1;
            if *leases == 1 {
                shares.note_worker(study, true);
            }
        }
    }

    pub(super) fn release(&mut self, token: Token, study: StudyNumber, shares: &mut Shares) {
        if !self.leases.remove(&token) {
            return;
        }
        let Some(leases) = self.studies.get_mut(&study) else { return };
        *leases -= 1;
        if *leases == 0 {
            self.studies.remove(&study);
            shares.note_worker(study, false);
        }
    }

    pub(super) fn rule(
        &self,
        name: &str,
        rules: &BTreeMap<String, WorkerRule>,
    ) -> Option<WorkerRule> {
        rules.get(name).or_else(|| rules.get(&self.host)).copied()
    }

    pub(super) fn is_to_drain(&self, name: &str, rules: &BTreeMap<String, WorkerRule>) -> bool {
        self.drained || self.rule(name, rules) == Some(WorkerRule::Drain)
    }

    pub(super) fn is_usable(&self, name: &str, rules: &BTreeMap<String, WorkerRule>) -> bool {
        !self.drained && self.rule(name, rules).is_none()
    }
}

/// A worker that sent a request within the last term or holds a lease.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LiveWorker<'a> {
    /// The name of the worker.
    pub name: &'a str,
    /// The name of the worker's host; empty if unknown.
    pub host: &'a str,
    /// Number of leases that the worker holds.
    pub leases: usize,
    /// The time when the worker last registered, requested runs or sent a heartbeat.
    pub last_seen: Duration,
    /// Whether the worker gets no further runs because too many runs in a row crashed on it.
    pub drained: bool,
    /// The rule of an operator that applies to the worker.
    pub rule: Option<WorkerRule>,
}

/// A live worker that executes the runs of an engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ServingWorker<'a> {
    /// The name of the worker.
    pub name: &'a str,
    /// Whether the worker is neither drained nor blocked.
    pub usable: bool,
}

impl Ledger {
    /// All live workers, sorted by name.
    pub fn workers(&self) -> impl ExactSizeIterator<Item = LiveWorker<'_>> {
        self.workers.iter().map(|(name, worker)| LiveWorker {
            name,
            host: &worker.host,
            leases: worker.leases.len(),
            last_seen: worker.last_seen,
            drained: worker.drained,
            rule: worker.rule(name, &self.rules),
        })
    }

    /// Replaces the rules for workers, by the name of the worker or of its host.
    pub fn set_rules(&mut self, rules: BTreeMap<String, WorkerRule>) {
        self.rules = rules;
    }

    /// The engines of pending runs that no usable worker executes and that have no leased runs,
    /// each with the number of its pending runs.
    pub fn unserved(&self) -> impl Iterator<Item = (&SubjectEngine, usize)> {
        let usable = || self.workers.iter().filter(|(name, worker)| self.is_usable(name, worker));
        self.queue.unserved(move |engine| usable().any(|(_, worker)| engine.is_in(&worker.engines)))
    }

    /// The live workers that execute the runs of an engine.
    pub fn serving(&self, engine: &SubjectEngine) -> Vec<ServingWorker<'_>> {
        let serving = self.workers.iter().filter(|(_, worker)| engine.is_in(&worker.engines));
        let serving = serving
            .map(|(name, worker)| ServingWorker { name, usable: self.is_usable(name, worker) });
        serving.collect()
    }

    /// The workers on which attempts at a run that has not ended crashed.
    pub fn crashed_on(&self, run: RunNumber) -> impl Iterator<Item = &str> {
        self.crashed_on.get(&run).into_iter().flatten().map(String::as_str)
    }

    /// Whether the lease is the first lease of its worker, whose run the worker executes.
    pub fn is_first_lease(&self, token: Token) -> bool {
        let worker = self.leases.get(&token).and_then(|lease| self.workers.get(&lease.worker));
        worker.is_some_and(|worker| worker.leases.first() == Some(&token))
    }

    /// The longest allocation of the usable workers. `None` if it is unlimited or unknown.
    pub fn longest_allocation(&self) -> Option<Duration> {
        let usable = self.workers.iter().filter(|(name, worker)| self.is_usable(name, worker));
        let mut longest = None;
        for (_, worker) in usable.filter(|(_, worker)| worker.has_asked) {
            longest = longest.max(Some(worker.allocation?));
        }
        longest
    }

    pub(super) fn is_usable(&self, name: &str, worker: &Worker) -> bool {
        worker.is_usable(name, &self.rules)
    }

    pub(super) fn settle_all(&mut self, now: Duration) {
        let names: Vec<String> = self.workers.keys().cloned().collect();
        names.iter().for_each(|name| self.settle(now, name));
        self.shares.bound_lag(self.workers.len(), self.queue.longest_time());
    }

    pub(super) fn forget_silent(&mut self, now: Duration) {
        let term = self.policy.term;
        self.workers.retain(|_, worker| {
            !worker.leases.is_empty() || !has_expired(expiry(worker.last_seen, term), now)
        });
    }
}
