//! The ledger: the lease state machine of all runs. [`Ledger::step`] takes an event and the time,
//! and returns effects, which the caller carries out. The ledger has no clock and does no I/O, so
//! its laws can be checked by property tests (`tests/ledger_laws.rs`):
//!
//! 1. at most one record of a run is ever accepted;
//! 2. planned = pending + leased + done + failed + quarantined, in every study;
//! 3. fencing tokens only increase, even across restarts;
//! 4. a run that has ended never changes again;
//! 5. the last usable worker is not drained.
//!
//! A run is *quarantined* if too many attempts ended without a record. A worker on which many
//! different runs crash is *drained*, because the fault is probably the worker's.
//!
//! Runs that are contained in exactly the same studies form a *study set*.
//!
//! A worker executes its leases in the order of their tokens. A lost worker can therefore only have
//! been executing the run with the lowest token, so a loss is counted only for that run.
//!
//! A worker that was silent for too long may still be alive. If it reappears, its losses may
//! be reverted, and its leases may be reinstated ([`lease_expiry`](crate::lease_expiry)).

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::ids::{RunNumber, StudyNumber, Token};
use crate::lease_expiry::expiry;
use crate::queue::{Batch, BatchRequest, Queue};

pub use event::{AttemptEnd, Effect, Grant, LeaseWish, LedgerEvent, Verdict};
pub use policy::Policy;
pub use run::{Phase, PhaseCounts, RunStatus, StudySet};
pub use shares::{StudyClaim, Usage};
pub use worker::{LiveWorker, ServingWorker, WorkerRule};

mod event;
mod lease_end;
mod membership;
mod policy;
mod run;
pub mod shares;
mod worker;

use shares::Shares;
use worker::Worker;

#[derive(Clone, Debug)]
struct Lease {
    run: RunNumber,
    worker: String,
    expiry: Duration,
    /// The study to which the worker's time is charged.
    study: StudyNumber,
    /// The time that is charged to the study in advance.
    advance: Duration,
}

#[derive(Clone, Debug)]
struct ExpiredLease {
    run: RunNumber,
    attempt: u32,
    worker: String,
    counted_as_loss: bool,
}

/// Runs and leases of the studies of a store.
#[derive(Clone, Debug)]
pub struct Ledger {
    policy: Policy,
    runs: Vec<RunStatus>,
    sets: Vec<StudySet>,
    queue: Queue,
    leases: BTreeMap<Token, Lease>,
    /// Kept until the run has ended or the worker reappears.
    expired: BTreeMap<Token, ExpiredLease>,
    workers: BTreeMap<String, Worker>,
    /// The rules for workers, by the name of a worker or of a host.
    rules: BTreeMap<String, WorkerRule>,
    shares: Shares,
    /// The workers on which runs have crashed. Only runs that have not ended are kept.
    crashed_on: BTreeMap<RunNumber, BTreeSet<String>>,
    next_token: Token,
}

/// The state from which a ledger is restored.
#[derive(Clone, Debug, Default)]
pub struct LedgerSnapshot {
    /// All runs by number. Their groups and study sets are numbers within this snapshot.
    pub runs: Vec<RunStatus>,
    /// The study sets of the runs.
    pub sets: Vec<StudySet>,
    /// The groups of the runs, with nothing pending.
    pub queue: Queue,
    /// The workers of leased runs.
    pub holders: BTreeMap<RunNumber, String>,
    /// For each run that has not ended, the workers on which the run crashed.
    pub crashed_on: BTreeMap<RunNumber, BTreeSet<String>>,
}

impl Ledger {
    /// Restores a ledger. Leases of known workers get a new term.
    pub fn restore(policy: Policy, snapshot: LedgerSnapshot, now: Duration) -> Ledger {
        let LedgerSnapshot { mut runs, mut sets, mut queue, mut holders, crashed_on } = snapshot;
        let mut shares = Shares::default();
        let active = sets.iter().filter(|set| set.active).flat_map(|set| &set.studies);
        let active: BTreeSet<StudyNumber> = active.copied().collect();
        shares.set_claims(active.into_iter().map(StudyClaim::usual).collect());
        shares.set_lanes((0..).zip(&sets).map(|(number, set)| (number, &*set.studies)));
        let mut leases = BTreeMap::new();
        let mut workers: BTreeMap<String, Worker> = BTreeMap::new();
        let mut next_token = 1;
        for (number, run) in (0..).zip(&mut runs) {
            let set = &mut sets[run.set as usize];
            match (run.phase, holders.remove(&number)) {
                (Phase::Leased, Some(name)) => {
                    let worker = workers.entry(name.clone()).or_default();
                    let study = set.charged();
                    let advance = Shares::advance_of(queue.known_time(run.group));
                    worker.hold(run.token, study, now, &mut shares);
                    worker.last_seen = now;
                    shares.note_advance(study, advance, 1.0);
                    let expiry = expiry(now, policy.term);
                    let lease = Lease { run: number, worker: name, expiry, study, advance };
                    leases.insert(run.token, lease);
                    queue.note_leased(run.group);
                }
                (Phase::Leased, None) | (Phase::Pending, _) => {
                    run.phase = Phase::Pending;
                    if set.active {
                        queue.push(run.set, run.group, number);
                    }
                }
                _ => {}
            }
            set.counts.add_run(run.phase);
            next_token = next_token.max(run.token + 1);
        }
        let expired = BTreeMap::new();
        let rules = BTreeMap::new();
        Ledger {
            policy,
            runs,
            sets,
            queue,
            leases,
            expired,
            workers,
            rules,
            shares,
            crashed_on,
            next_token,
        }
    }

    /// The status of a run.
    pub fn run(&self, run: RunNumber) -> Option<&RunStatus> {
        self.runs.get(run as usize)
    }

    /// The worker that holds the lease of a run.
    pub fn holder(&self, run: RunNumber) -> Option<&str> {
        let lease = self.leases.get(&self.run(run)?.token)?;
        Some(&lease.worker)
    }

    /// The run and the worker of the lease with this token, if the lease has not ended.
    pub fn lease(&self, token: Token) -> Option<(RunNumber, &str)> {
        self.leases.get(&token).map(|lease| (lease.run, lease.worker.as_str()))
    }

    /// The runs of all active studies by phase.
    pub fn counts(&self) -> PhaseCounts {
        self.sum(|set| set.active)
    }

    /// The runs of a study by phase.
    pub fn counts_of(&self, study: StudyNumber) -> PhaseCounts {
        self.sum(|set| set.studies.contains(&study))
    }

    /// The studies that contain a run.
    pub fn studies_of(&self, run: RunNumber) -> &[StudyNumber] {
        self.run(run).map_or(&[], |run| &self.sets[run.set as usize].studies)
    }

    fn sum(&self, included: impl Fn(&StudySet) -> bool) -> PhaseCounts {
        let mut sum = PhaseCounts::default();
        self.sets.iter().filter(|set| included(set)).for_each(|set| sum.add(&set.counts));
        sum
    }

    /// Whether no run of an active study is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.counts().is_finished()
    }

    /// The queue of the pending runs.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Processes an event. `now` must never decrease.
    pub fn step(&mut self, now: Duration, event: LedgerEvent<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            LedgerEvent::Register { worker } => self.register(now, worker, &mut effects),
            LedgerEvent::Lease { worker, wish } => self.grant(now, worker, wish, &mut effects),
            LedgerEvent::Heartbeat { worker, held } => {
                self.heartbeat(now, worker, held, &mut effects)
            }
            LedgerEvent::Commit { worker, run, token, end } => {
                self.commit(now, worker, run, token, end, &mut effects);
            }
            LedgerEvent::Tick => self.expire(now, &mut effects),
        }
        effects
    }

    fn register(&mut self, now: Duration, name: &str, effects: &mut Vec<Effect>) {
        self.settle(now, name);
        let abandoned = self.workers.get(name).map(|worker| worker.leases.clone());
        for (rank, token) in abandoned.into_iter().flatten().enumerate() {
            self.end_uncommitted(token, rank == 0, effects);
        }
        // The previous process of this worker has exited, so it cannot commit its expired leases.
        self.expired.retain(|_, lease| lease.worker != name);
        self.note_seen(now, name).note_start();
    }

    fn grant(&mut self, now: Duration, name: &str, wish: LeaseWish<'_>, effects: &mut Vec<Effect>) {
        self.note_seen(now, name).note_wish(&wish);
        self.settle(now, name);
        self.reinstate_leases(now, name, wish.held, effects);
        let undelivered: Vec<_> =
            self.workers[name].leases.difference(wish.held).copied().collect();
        for token in undelivered {
            self.end_uncommitted(token, false, effects);
        }
        if !self.is_usable(name, &self.workers[name]) {
            return;
        }
        for (number, study) in self.choose(name, wish) {
            let token = self.next_token;
            self.next_token += 1;
            let run = &mut self.runs[number as usize];
            run.token = token;
            run.attempt += 1;
            let (attempt, group) = (run.attempt, run.group);
            self.queue.note_leased(group);
            self.set_phase(number, Phase::Leased);
            let expiry = expiry(now, self.policy.term);
            let advance = Shares::advance_of(self.queue.known_time(group));
            self.hold(
                now,
                token,
                Lease { run: number, worker: name.to_owned(), expiry, study, advance },
            );
            effects.push(Effect::Save(number));
            effects.push(Effect::Grant(Grant { run: number, attempt, token }));
        }
    }

    /// Each run is returned with the study to which it is charged.
    fn choose(&mut self, name: &str, wish: LeaseWish<'_>) -> Vec<(RunNumber, StudyNumber)> {
        // Skip runs that crashed on this worker if there is a usable worker on which they have not
        // crashed.
        let (workers, crashed_on, rules) = (&self.workers, &self.crashed_on, &self.rules);
        let excluded = |run| {
            crashed_on.get(&run).is_some_and(|names| {
                let mut usable =
                    workers.iter().filter(|(name, worker)| worker.is_usable(name, rules));
                names.contains(name) && usable.any(|(other, _)| !names.contains(other))
            })
        };
        let request = BatchRequest {
            engines: wish.engines,
            loaded: wish.loaded,
            workers: self.workers.len(),
            remaining: wish.remaining,
            withheld: wish.withheld,
        };
        let held = &self.workers[name].studies;
        let (mut batch, mut chosen) = (Batch::default(), Vec::new());
        let queue = &mut self.queue;
        for study in self.shares.order(|lane| queue.has_pending(lane)) {
            if batch.is_full() {
                break;
            }
            if self.shares.is_at_quota(study) && !held.contains_key(&study) {
                continue;
            }
            queue.fill(&mut batch, self.shares.lanes(study), &request, excluded);
            chosen.extend(batch.runs[chosen.len()..].iter().map(|&run| (run, study)));
        }
        chosen
    }

    fn hold(&mut self, now: Duration, token: Token, lease: Lease) {
        let worker = self.workers.entry(lease.worker.clone()).or_default();
        worker.hold(token, lease.study, now, &mut self.shares);
        self.shares.note_advance(lease.study, lease.advance, 1.0);
        self.leases.insert(token, lease);
    }

    fn settle(&mut self, now: Duration, name: &str) {
        let Some(worker) = self.workers.get_mut(name) else { return };
        let elapsed = now.saturating_sub(worker.settled);
        worker.settled = now;
        let executed = worker.leases.first().and_then(|token| self.leases.get(token));
        if let Some(lease) = executed {
            self.shares.charge(lease.study, elapsed);
        }
    }

    fn heartbeat(
        &mut self,
        now: Duration,
        name: &str,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        self.note_seen(now, name);
        self.reinstate_leases(now, name, held, effects);
        for &token in held {
            match self.leases.get_mut(&token) {
                Some(lease) if lease.worker == name => {
                    lease.expiry = expiry(now, self.policy.term);
                }
                _ => effects.push(Effect::DropLease(token)),
            }
        }
        if self.workers[name].is_to_drain(name, &self.rules) {
            effects.push(Effect::Drain);
        }
    }

    fn set_phase(&mut self, number: RunNumber, phase: Phase) {
        let run = &mut self.runs[number as usize];
        self.sets[run.set as usize].counts.move_run(run.phase, phase);
        run.phase = phase;
    }

    fn note_seen(&mut self, now: Duration, name: &str) -> &mut Worker {
        let worker = self.workers.entry(name.to_owned()).or_default();
        worker.last_seen = now;
        worker
    }
}

#[cfg(test)]
mod tests;
