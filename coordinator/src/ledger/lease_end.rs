//! How leases end, and how expired leases are reinstated.

use std::collections::BTreeSet;
use std::time::Duration;

use super::shares::Shares;
use super::{AttemptEnd, Effect, ExpiredLease, Lease, Ledger, Phase, Verdict};
use crate::ids::{RunNumber, Token};
use crate::lease_expiry::{expiry, has_expired};

impl Ledger {
    pub(super) fn reinstate_leases(
        &mut self,
        now: Duration,
        name: &str,
        held: &BTreeSet<Token>,
        effects: &mut Vec<Effect>,
    ) {
        for token in held {
            if self.expired.get(token).is_some_and(|lease| lease.worker == name) {
                self.reinstate(now, *token, expiry(now, self.policy.term), effects);
            }
        }
    }

    fn reinstate(
        &mut self,
        now: Duration,
        token: Token,
        expiry: Duration,
        effects: &mut Vec<Effect>,
    ) {
        let Some(lease) = self.expired.remove(&token) else { return };
        let ExpiredLease { run: number, attempt, worker, counted_as_loss } = lease;
        let run = &mut self.runs[number as usize];
        if run.phase.is_final() {
            return;
        }
        if counted_as_loss {
            run.losses -= 1;
            effects.push(Effect::LossReverted { run: number, attempt });
            effects.push(Effect::Save(number));
        }
        if run.phase == Phase::Pending && run.token == token {
            let (set, group) = (run.set, run.group);
            self.queue.remove(set, group, number);
            self.queue.note_leased(group);
            self.set_phase(number, Phase::Leased);
            let study = self.sets[set as usize].charged();
            let advance = Shares::advance_of(self.queue.known_time(group));
            self.hold(now, token, Lease { run: number, worker, expiry, study, advance });
            effects.push(Effect::Save(number));
        }
    }

    pub(super) fn commit(
        &mut self,
        now: Duration,
        name: &str,
        number: RunNumber,
        token: Token,
        end: AttemptEnd,
        effects: &mut Vec<Effect>,
    ) {
        let holder = self.leases.get(&token).map(|lease| &lease.worker);
        let holder = holder.or_else(|| self.expired.get(&token).map(|lease| &lease.worker));
        if holder.is_some_and(|holder| holder != name) {
            effects.push(Effect::Verdict(Verdict::OtherHolder));
            return;
        }
        self.settle(now, name);
        if self.expired.get(&token).is_some_and(|lease| lease.run == number) {
            self.reinstate(now, token, Duration::ZERO, effects);
        }
        if self.leases.get(&token).is_none_or(|lease| lease.run != number) {
            self.commit_without_lease(number, token, end, effects);
            return;
        }
        let worker = self.release(token).map(|lease| lease.worker).unwrap_or_default();
        match end {
            AttemptEnd::Done(time) => {
                self.accept(number, &worker, time, Phase::Done, effects);
            }
            AttemptEnd::Failed(time) => {
                self.accept(number, &worker, time, Phase::Failed, effects);
            }
            AttemptEnd::Crashed => self.note_crash(number, worker, effects),
            AttemptEnd::Returned => {
                // A run that its worker returned does not count as attempted.
                self.runs[number as usize].attempt -= 1;
                self.requeue_or_quarantine(number, false);
            }
        }
        effects.push(Effect::Save(number));
        effects.push(Effect::Verdict(Verdict::Accepted));
    }

    fn commit_without_lease(
        &mut self,
        number: RunNumber,
        token: Token,
        end: AttemptEnd,
        effects: &mut Vec<Effect>,
    ) {
        let run = &self.runs[number as usize];
        // No lease of a run is granted after its record was accepted, so the latest token is the
        // accepted one.
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
    }

    fn accept(
        &mut self,
        number: RunNumber,
        worker: &str,
        time: Duration,
        phase: Phase,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(worker) = self.workers.get_mut(worker) {
            worker.consecutive_crashes.clear();
        }
        self.crashed_on.remove(&number);
        self.queue.record_time(self.runs[number as usize].group, time);
        self.set_phase(number, phase);
        effects.push(Effect::Accept(number));
    }

    fn note_crash(&mut self, number: RunNumber, worker: String, effects: &mut Vec<Effect>) {
        let run = &mut self.runs[number as usize];
        run.crashes += 1;
        let crashes = run.crashes;
        effects.push(Effect::Crashed { run: number, attempt: run.attempt });
        let names = self.crashed_on.entry(number).or_default();
        names.insert(worker.clone());
        let on_several = names.len() > 1;
        if on_several {
            // The run is probably the cause of these crashes, so they must not drain any worker.
            for worker in self.workers.values_mut() {
                worker.consecutive_crashes.remove(&number);
            }
        } else {
            self.record_worker_crash(&worker, number);
        }
        let limit = self.policy.max_crashes * if on_several { 1 } else { 2 };
        self.requeue_or_quarantine(number, crashes >= limit);
    }

    /// The only usable worker is not drained.
    fn record_worker_crash(&mut self, name: &str, number: RunNumber) {
        let usable = |other: &String, worker| other != name && self.is_usable(other, worker);
        let others = self.workers.iter().any(|(other, worker)| usable(other, worker));
        let Some(worker) = self.workers.get_mut(name) else { return };
        worker.consecutive_crashes.insert(number);
        let too_many = worker.consecutive_crashes.len() >= self.policy.max_consecutive_crashes;
        worker.drained |= others && too_many;
    }

    pub(super) fn expire(&mut self, now: Duration, effects: &mut Vec<Effect>) {
        self.settle_all(now);
        let expired: Vec<_> = self
            .leases
            .iter()
            .filter(|(_, lease)| has_expired(lease.expiry, now))
            .map(|(&token, lease)| {
                let in_hand = self.workers[&lease.worker].leases.first() == Some(&token);
                (token, in_hand)
            })
            .collect();
        for (token, in_hand) in expired {
            if let Some(Lease { run, worker, .. }) = self.end_uncommitted(token, in_hand, effects) {
                let attempt = self.runs[run as usize].attempt;
                let lease = ExpiredLease { run, attempt, worker, counted_as_loss: in_hand };
                self.expired.insert(token, lease);
            }
        }
        self.expired.retain(|_, lease| !self.runs[lease.run as usize].phase.is_final());
        self.forget_silent(now);
    }

    /// With `in_hand`, the worker was executing the run, so a loss is counted.
    pub(super) fn end_uncommitted(
        &mut self,
        token: Token,
        in_hand: bool,
        effects: &mut Vec<Effect>,
    ) -> Option<Lease> {
        let lease = self.release(token)?;
        let number = lease.run;
        let run = &mut self.runs[number as usize];
        if in_hand {
            run.losses += 1;
            let (attempt, worker) = (run.attempt, lease.worker.clone());
            effects.push(Effect::Lost { run: number, attempt, worker });
        }
        let exhausted = run.losses >= self.policy.max_losses;
        self.requeue_or_quarantine(number, exhausted);
        effects.push(Effect::Save(number));
        Some(lease)
    }

    fn release(&mut self, token: Token) -> Option<Lease> {
        let lease = self.leases.remove(&token)?;
        if let Some(worker) = self.workers.get_mut(&lease.worker) {
            worker.release(token, lease.study, &mut self.shares);
        }
        self.shares.note_advance(lease.study, lease.advance, -1.0);
        self.queue.note_released(self.runs[lease.run as usize].group);
        Some(lease)
    }

    fn requeue_or_quarantine(&mut self, number: RunNumber, exhausted: bool) {
        if exhausted {
            self.crashed_on.remove(&number);
            self.set_phase(number, Phase::Quarantined);
        } else {
            self.set_phase(number, Phase::Pending);
            let run = &self.runs[number as usize];
            if self.sets[run.set as usize].active {
                self.queue.push(run.set, run.group, number);
            }
        }
    }
}
