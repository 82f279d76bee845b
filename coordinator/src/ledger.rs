//! The pure state machine of runs and leases: [`Ledger::step`] takes an event and the
//! time, and says what has to be written and answered. It has no clock and does no
//! I/O, so its laws can be checked by property tests:
//!
//! 1. at most one record of a run is ever accepted;
//! 2. planned = pending + leased + done + failed + quarantined, in every study;
//! 3. fencing tokens only grow, across restarts too;
//! 4. a run that has ended never changes again.
//!
//! `tests/ledger_laws.rs` does so, and the simulation in `worker/tests` watches the store for
//! the same laws while everything around it fails.
//!
//! A run is `pending -> leased -> done | failed | quarantined`. It is *failed* when the
//! tool gave a verdict that a repetition would not change, since a run is a pure
//! function. It is *quarantined* when attempts broke down too often: the tool crashed on
//! at least two workers ([`Policy::max_crashes`]), or workers died over it
//! ([`Policy::max_losses`]). A worker on which many different runs break down is *drained*:
//! the fault is likely its own.
//!
//! Runs belong to *sets* by the studies that want them. A run whose studies are all paused
//! or cancelled stays as it is: it is not given out, but a lease it has is honoured.
//!
//! A worker executes its leases in the order of their tokens, so when it dies only the
//! one with the lowest token was in its hands and is charged; the others go back to
//! the queue for free.
//!
//! A worker that was silent for too long may not be dead. When it is heard of again it has what
//! nobody else was given meanwhile, under the same token, and what it was charged is taken back.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use catherd_experiments::Digest;

use crate::queue::Queue;
use crate::store::StudyNumber;
pub use event::{AttemptEnd, Effect, Event, Grant, Verdict};
pub use run::{Phase, PhaseCounts, Run, RunNumber, StudySet, StudySetNumber, Token};

mod event;
mod membership;
mod run;

/// The rules of a study's leases.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Policy {
    /// A lease ends this long after its last renewal.
    pub term: Duration,
    /// Attempts at a run that may crash, on at least two workers. Twice as many if there
    /// is only one.
    pub max_crashes: u32,
    /// Workers that may be lost while they execute a run. More than for crashes,
    /// because most losses are the fault of the machine.
    pub max_losses: u32,
    /// Different runs that may crash on a worker and nowhere else, without one that does not
    /// in between, before it is drained. The last worker is never drained.
    pub max_consecutive_crashes: usize,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            term: Duration::from_secs(15),
            max_crashes: 3,
            max_losses: 10,
            max_consecutive_crashes: 10,
        }
    }
}

#[derive(Clone, Debug)]
struct Lease {
    run: RunNumber,
    worker: String,
    expires: Duration,
}

/// A lease that has expired. Its worker may come back.
#[derive(Clone, Debug)]
struct ExpiredLease {
    run: RunNumber,
    attempt: u32,
    worker: String,
    /// The run was thought to have cost the worker its life.
    charged: bool,
}

#[derive(Clone, Debug, Default)]
struct Worker {
    leases: BTreeSet<Token>,
    seen: Duration,
    /// Runs that crashed on it alone since the last that did not.
    consecutive_crashes: BTreeSet<RunNumber>,
    drained: bool,
}

/// Runs and leases of the studies of a store.
#[derive(Clone, Debug)]
pub struct Ledger {
    policy: Policy,
    runs: Vec<Run>,
    sets: Vec<StudySet>,
    queue: Queue,
    leases: BTreeMap<Token, Lease>,
    /// Until the run has ended or the worker comes back.
    expired: BTreeMap<Token, ExpiredLease>,
    workers: BTreeMap<String, Worker>,
    /// The workers on which runs crashed that have not ended.
    crashed_on: BTreeMap<RunNumber, BTreeSet<String>>,
    next_token: Token,
}

/// What was saved of a ledger.
#[derive(Clone, Debug, Default)]
pub struct LedgerSnapshot {
    /// By number; in every run, group and set are numbers of what is below.
    pub runs: Vec<Run>,
    /// Their sets; at least one.
    pub sets: Vec<StudySet>,
    /// Their groups; nothing pending.
    pub queue: Queue,
    /// The workers that hold some of them.
    pub holders: BTreeMap<RunNumber, String>,
    /// The workers on which some of them crashed.
    pub crashed_on: BTreeMap<RunNumber, BTreeSet<String>>,
}

impl Ledger {
    /// A ledger as it was saved. Every lease gets one fresh term: how long nobody looked
    /// at the clock is not known.
    pub fn restore(policy: Policy, saved: LedgerSnapshot, now: Duration) -> Ledger {
        let LedgerSnapshot { mut runs, mut sets, mut queue, mut holders, crashed_on } = saved;
        let mut leases = BTreeMap::new();
        let mut workers: BTreeMap<String, Worker> = BTreeMap::new();
        let mut next_token = 1;
        for (number, run) in (0..).zip(&mut runs) {
            let set = &mut sets[run.set as usize];
            match (run.phase, holders.remove(&number)) {
                (Phase::Leased, Some(name)) => {
                    let worker = workers.entry(name.clone()).or_default();
                    worker.leases.insert(run.token);
                    worker.seen = now;
                    let expires = now + policy.term;
                    leases.insert(run.token, Lease { run: number, worker: name, expires });
                    queue.note_leased(run.group);
                }
                (Phase::Leased, None) | (Phase::Pending, _) => {
                    run.phase = Phase::Pending;
                    if set.active {
                        queue.push(run.group, number);
                    }
                }
                _ => {}
            }
            set.counts.count(run.phase);
            next_token = next_token.max(run.token + 1);
        }
        let expired = BTreeMap::new();
        Ledger { policy, runs, sets, queue, leases, expired, workers, crashed_on, next_token }
    }

    /// What is known of a run.
    pub fn run(&self, run: RunNumber) -> Option<&Run> {
        self.runs.get(run as usize)
    }

    /// The worker that holds a run.
    pub fn holder(&self, run: RunNumber) -> Option<&str> {
        let lease = self.leases.get(&self.run(run)?.token)?;
        Some(&lease.worker)
    }

    /// The run and the worker of a lease that holds.
    pub fn lease(&self, token: Token) -> Option<(RunNumber, &str)> {
        self.leases.get(&token).map(|lease| (lease.run, lease.worker.as_str()))
    }

    /// The runs of active studies by phase.
    pub fn counts(&self) -> PhaseCounts {
        self.sum(|set| set.active)
    }

    /// The runs of a study by phase, whatever its state.
    pub fn counts_of(&self, study: StudyNumber) -> PhaseCounts {
        self.sum(|set| set.studies.contains(&study))
    }

    /// The studies that want a run.
    pub fn studies_of(&self, run: RunNumber) -> &[StudyNumber] {
        self.run(run).map_or(&[], |run| &self.sets[run.set as usize].studies)
    }

    fn sum(&self, wanted: impl Fn(&StudySet) -> bool) -> PhaseCounts {
        let mut sum = PhaseCounts::default();
        self.sets.iter().filter(|set| wanted(set)).for_each(|set| sum.add(&set.counts));
        sum
    }

    /// No run of an active study is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.counts().is_finished()
    }

    /// Workers heard of within the last term.
    pub fn live_workers(&self) -> usize {
        self.workers.len()
    }

    /// Every run_progress worker: its name, its leases, when it was last heard of, whether it is
    /// drained.
    pub fn workers(&self) -> impl Iterator<Item = (&str, usize, Duration, bool)> {
        self.workers
            .iter()
            .map(|(name, worker)| (&**name, worker.leases.len(), worker.seen, worker.drained))
    }

    /// The queue behind the pending runs.
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// Takes one event at a time that never goes back.
    pub fn step(&mut self, now: Duration, event: Event<'_>) -> Vec<Effect> {
        let mut effects = Vec::new();
        match event {
            Event::Register { worker } => self.register(now, worker, &mut effects),
            Event::Lease { worker, loaded, held } => {
                self.grant(now, worker, loaded, held, &mut effects);
            }
            Event::Heartbeat { worker, held } => self.heartbeat(now, worker, held, &mut effects),
            Event::Commit { run, token, end } => self.commit(run, token, end, &mut effects),
            Event::Tick => self.expire(now, &mut effects),
        }
        effects
    }

    fn register(&mut self, now: Duration, name: &str, effects: &mut Vec<Effect>) {
        let orphans = self.workers.get(name).map(|worker| worker.leases.clone());
        for (rank, token) in orphans.into_iter().flatten().enumerate() {
            self.lose(token, rank == 0, effects);
        }
        // Its predecessor is dead.
        self.expired.retain(|_, lapse| lapse.worker != name);
        self.see(now, name);
    }

    fn grant(
        &mut self,
        now: Duration,
        name: &str,
        loaded: &BTreeSet<Digest>,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        self.see(now, name);
        self.reinstate_leases(now, name, held, effects);
        let unheard: Vec<_> = self.workers[name].leases.difference(held).copied().collect();
        for token in unheard {
            self.lose(token, false, effects);
        }
        if self.workers[name].drained {
            return;
        }
        // A run that crashed here is for somebody on whom it has not, if there is somebody.
        let (workers, crashed_on) = (&self.workers, &self.crashed_on);
        let excluded = |run| {
            crashed_on.get(&run).is_some_and(|names| {
                let mut fresh = workers.iter().filter(|(_, worker)| !worker.drained);
                names.contains(name) && fresh.any(|(other, _)| !names.contains(other))
            })
        };
        for number in self.queue.take(loaded, self.workers.len(), excluded) {
            let token = self.next_token;
            self.next_token += 1;
            let run = &mut self.runs[number as usize];
            run.token = token;
            run.attempt += 1;
            let attempt = run.attempt;
            self.queue.note_leased(run.group);
            self.enter(number, Phase::Leased);
            let expires = now + self.policy.term;
            self.leases.insert(token, Lease { run: number, worker: name.to_owned(), expires });
            self.see(now, name).leases.insert(token);
            effects.push(Effect::Save(number));
            effects.push(Effect::Grant(Grant { run: number, attempt, token }));
        }
    }

    fn heartbeat(
        &mut self,
        now: Duration,
        name: &str,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        self.see(now, name);
        self.reinstate_leases(now, name, held, effects);
        for &token in held {
            match self.leases.get_mut(&token) {
                Some(lease) if lease.worker == name => lease.expires = now + self.policy.term,
                _ => effects.push(Effect::Drop(token)),
            }
        }
        if self.workers[name].drained {
            effects.push(Effect::Drain);
        }
    }

    /// Gives a worker that is back what it held and nobody was given since.
    fn reinstate_leases(
        &mut self,
        now: Duration,
        name: &str,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        for token in held {
            if self.expired.get(token).is_some_and(|lapse| lapse.worker == name) {
                self.resume(*token, now + self.policy.term, effects);
            }
        }
    }

    /// Takes back what is over now that the worker of a expired lease is heard of again: its loss
    /// and, if nobody was given the run since, that the lease has expired.
    fn resume(&mut self, token: Token, expires: Duration, effects: &mut Vec<Effect>) {
        let Some(ExpiredLease { run: number, attempt, worker, charged }) =
            self.expired.remove(&token)
        else {
            return;
        };
        let run = &mut self.runs[number as usize];
        if run.phase.is_final() {
            return;
        }
        if charged {
            run.losses -= 1;
            effects.push(Effect::LossReverted { run: number, attempt });
            effects.push(Effect::Save(number));
        }
        if run.phase == Phase::Pending && run.token == token {
            self.queue.remove(run.group, number);
            self.queue.note_leased(run.group);
            self.enter(number, Phase::Leased);
            if let Some(worker) = self.workers.get_mut(&worker) {
                worker.leases.insert(token);
            }
            self.leases.insert(token, Lease { run: number, worker, expires });
            effects.push(Effect::Save(number));
        }
    }

    fn commit(
        &mut self,
        number: RunNumber,
        token: Token,
        end: AttemptEnd,
        effects: &mut Vec<Effect>,
    ) {
        if self.expired.get(&token).is_some_and(|lapse| lapse.run == number) {
            self.resume(token, Duration::ZERO, effects);
        }
        if self.leases.get(&token).is_none_or(|lease| lease.run != number) {
            let run = &self.runs[number as usize];
            // No lease follows an accepted record, so the latest token is the accepted one.
            let accepted = matches!(run.phase, Phase::Done | Phase::Failed);
            let verdict = if accepted && run.token == token {
                Verdict::Repeated
            } else {
                if matches!(end, AttemptEnd::Done(_) | AttemptEnd::Failed(_)) {
                    effects.push(Effect::Supersede(number));
                }
                Verdict::Superseded
            };
            effects.push(Effect::Verdict(verdict));
            return;
        }
        let worker = self.release(token).map(|lease| lease.worker).unwrap_or_default();
        let run = &mut self.runs[number as usize];
        match end {
            AttemptEnd::Done(time) | AttemptEnd::Failed(time) => {
                if let Some(worker) = self.workers.get_mut(&worker) {
                    worker.consecutive_crashes.clear();
                }
                self.crashed_on.remove(&number);
                self.queue.measure(run.group, time);
                let done = matches!(end, AttemptEnd::Done(_));
                self.enter(number, if done { Phase::Done } else { Phase::Failed });
                effects.push(Effect::Accept(number));
            }
            AttemptEnd::Crashed => {
                run.crashes += 1;
                effects.push(Effect::Crashed { run: number, attempt: run.attempt });
                let crashes = run.crashes;
                let crashed_on = self.crashed_on.entry(number).or_default();
                crashed_on.insert(worker.clone());
                let shared = crashed_on.len() > 1;
                let most = self.policy.max_crashes * if shared { 1 } else { 2 };
                if shared {
                    // The fault is the run's.
                    for worker in self.workers.values_mut() {
                        worker.consecutive_crashes.remove(&number);
                    }
                } else {
                    self.record_worker_crash(&worker, number);
                }
                self.retry(number, crashes >= most);
            }
            AttemptEnd::Returned => self.retry(number, false),
        }
        effects.push(Effect::Save(number));
        effects.push(Effect::Verdict(Verdict::Accepted));
    }

    fn expire(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        let expired: Vec<_> = self
            .leases
            .iter()
            .filter(|(_, lease)| lease.expires <= now)
            .map(|(&token, lease)| {
                let in_hand = self.workers[&lease.worker].leases.first() == Some(&token);
                (token, in_hand)
            })
            .collect();
        for (token, charged) in expired {
            if let Some(Lease { run, worker, .. }) = self.lose(token, charged, effects) {
                let attempt = self.runs[run as usize].attempt;
                self.expired.insert(token, ExpiredLease { run, attempt, worker, charged });
            }
        }
        self.expired.retain(|_, lapse| !self.runs[lapse.run as usize].phase.is_final());
        let term = self.policy.term;
        self.workers.retain(|_, worker| !worker.leases.is_empty() || worker.seen + term > now);
    }

    /// Ends a lease without a word from its worker; `in_hand` if the run was being
    /// executed.
    fn lose(&mut self, token: Token, in_hand: bool, effects: &mut Vec<Effect>) -> Option<Lease> {
        let lease = self.release(token)?;
        let number = lease.run;
        let run = &mut self.runs[number as usize];
        if in_hand {
            run.losses += 1;
            let (attempt, worker) = (run.attempt, lease.worker.clone());
            effects.push(Effect::Lost { run: number, attempt, worker });
        }
        let exhausted = run.losses >= self.policy.max_losses;
        self.retry(number, exhausted);
        effects.push(Effect::Save(number));
        Some(lease)
    }

    fn release(&mut self, token: Token) -> Option<Lease> {
        let lease = self.leases.remove(&token)?;
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.leases.remove(&token);
        }
        self.queue.note_ended(self.runs[lease.run as usize].group);
        Some(lease)
    }

    /// Drains a worker on which one run after another crashes, unless it is the last.
    fn record_worker_crash(&mut self, name: &str, number: RunNumber) {
        let others = self.workers.iter().any(|(other, worker)| other != name && !worker.drained);
        let Some(worker) = self.workers.get_mut(name) else { return };
        worker.consecutive_crashes.insert(number);
        worker.drained |=
            others && worker.consecutive_crashes.len() >= self.policy.max_consecutive_crashes;
    }

    fn retry(&mut self, number: RunNumber, exhausted: bool) {
        if exhausted {
            self.crashed_on.remove(&number);
            self.enter(number, Phase::Quarantined);
        } else {
            self.enter(number, Phase::Pending);
            let run = &self.runs[number as usize];
            if self.sets[run.set as usize].active {
                self.queue.push(run.group, number);
            }
        }
    }

    fn enter(&mut self, number: RunNumber, phase: Phase) {
        let run = &mut self.runs[number as usize];
        self.sets[run.set as usize].counts.shift(run.phase, phase);
        run.phase = phase;
    }

    fn see(&mut self, now: Duration, name: &str) -> &mut Worker {
        let worker = self.workers.entry(name.to_owned()).or_default();
        worker.seen = now;
        worker
    }
}
