//! The state of a leading coordinator.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, RunOutcome};

use super::changes::{Changes, Commit, Payload};
use super::load::{Groups, LoadedState, active_studies, claims, load};
use super::planner::Planner;
use super::request::{PendingReply, reply_later};
use super::{
    AttemptResult, CommitResult, Completion, HeartbeatReply, LeaseReply, Request, Scope,
    WriterConfig,
};
use crate::ids::{RunId, RunNumber, Token};
use crate::ledger::{AttemptEnd, Effect, LeaseWish, Ledger, LedgerEvent, WorkerRule};
use crate::progress::{ProgressTracker, TooLongRuns};
use crate::store::{Breakdown, Store, StoreChange, StoreError, StoredRecord};

pub(super) struct Leader {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    pub(super) groups: Groups,
    /// Whether studies can be added. Workers are then never told that all runs have ended.
    serves_all: bool,
    pub(super) planner: Planner,
    criteria: Arc<BTreeMap<String, Vec<String>>>,
    /// Projects whose stored bytes are damaged. Their runs wait until the projects are stored
    /// again.
    pub(super) withheld: BTreeSet<Digest>,
    /// Labels of algorithms whose overlong runs have been logged.
    told: BTreeSet<String>,
    /// After an error, the outcome of the transaction is unknown, so the ledger is reloaded from
    /// the store before the next batch.
    pub(super) needs_reload: bool,
}

impl Leader {
    pub(super) fn new(
        config: &WriterConfig,
        mut store: Store,
        now: Duration,
    ) -> Result<Leader, StoreError> {
        store.migrate_project_files(&config.project_files)?;
        let mut store = store.with_observer(config.observer.clone());
        let LoadedState { ledger, tracker, groups } = load(&mut store, config, now)?;
        let (serves_all, planner) = (config.scope == Scope::All, Planner::default());
        let criteria = config.criteria.clone();
        Ok(Leader {
            store,
            ledger,
            tracker,
            groups,
            serves_all,
            planner,
            criteria,
            withheld: BTreeSet::new(),
            told: BTreeSet::new(),
            needs_reload: false,
        })
    }

    pub(super) fn reload(
        &mut self,
        config: &WriterConfig,
        now: Duration,
    ) -> Result<(), StoreError> {
        let LoadedState { ledger, tracker, groups } = load(&mut self.store, config, now)?;
        (self.ledger, self.groups) = (ledger, groups);
        self.tracker = tracker.continuing(std::mem::take(&mut self.tracker));
        self.needs_reload = false;
        Ok(())
    }

    pub(super) fn refresh_studies(&mut self, config: &WriterConfig) -> Result<(), StoreError> {
        let studies = self.store.studies()?;
        let active = active_studies(&studies, &config.scope);
        self.ledger.activate_claims(claims(&studies, &active));
        self.tracker.set_studies(studies, active);
        Ok(())
    }

    /// Returns the reply, unless the writer handles the request itself.
    pub(super) fn handle(
        &mut self,
        now: Duration,
        request: Request,
        changes: &mut Changes,
    ) -> Result<Option<PendingReply>, StoreError> {
        let reply: PendingReply = match request {
            // The writer handles these requests.
            Request::Close
            | Request::Plan { .. }
            | Request::SetState { .. }
            | Request::SetClaim { .. }
            | Request::SetWorkers { .. }
            | Request::Delete { .. }
            | Request::NoteDamage { .. } => return Ok(None),
            Request::Describe { study, description, reply } => {
                self.store.describe(study, &description)?;
                reply_later(reply, ())
            }
            Request::Why { run, reply } => {
                let explanation = self.explain(run);
                reply_later(reply, explanation)
            }
            Request::Estimate { cells, engine, reply } => {
                let estimate = self.estimate(&cells, &engine);
                reply_later(reply, estimate)
            }
            Request::PutProjectChunk { chunk, reply } => {
                changes.push(StoreChange::ProjectChunk(chunk));
                Box::new(move || {
                    // The receiver may have been dropped.
                    let _ = reply.send(());
                })
            }
            Request::Register { worker, reply } => {
                tracing::info!(worker, "a worker registered");
                let effects = self.ledger.step(now, LedgerEvent::Register { worker: &worker });
                self.tracker.note_effects(now, Some(&worker), &effects);
                changes.collect(&effects);
                reply_later(reply, ())
            }
            Request::Heartbeat { worker, held, progress, reply } => {
                let event = LedgerEvent::Heartbeat { worker: &worker, held: &held };
                let effects = self.ledger.step(now, event);
                changes.collect(&effects);
                let lease = |token| self.ledger.lease(token);
                let own = |token| lease(token).is_some_and(|(_, holder)| holder == worker);
                let progress = progress.into_iter().filter(|(token, _)| own(*token)).collect();
                self.tracker.note_run_progress(now, progress);
                let dropped = effects.iter().filter_map(|effect| match effect {
                    Effect::DropLease(token) => Some(*token),
                    _ => None,
                });
                let dropped = dropped.collect();
                let drained = effects.contains(&Effect::Drain);
                reply_later(reply, HeartbeatReply { dropped, drained })
            }
            Request::Lease { worker, lease, reply } => {
                let wish = LeaseWish {
                    engines: &lease.engines,
                    loaded: &lease.loaded,
                    held: &lease.held,
                    host: &lease.host,
                    remaining: lease.remaining,
                    withheld: &self.withheld,
                };
                let event = LedgerEvent::Lease { worker: &worker, wish };
                let effects = self.ledger.step(now, event);
                self.tracker.note_effects(now, Some(&worker), &effects);
                changes.collect(&effects);
                let grants = effects.into_iter().filter_map(|effect| match effect {
                    Effect::Grant(grant) => Some(grant),
                    _ => None,
                });
                let grants: Vec<_> = grants.collect();
                let runs: Vec<_> = grants.iter().map(|grant| grant.run).collect();
                let leases = grants.into_iter().zip(self.store.specs(&runs)?).collect();
                let finished = !self.serves_all && self.ledger.is_finished();
                reply_later(reply, LeaseReply { leases, finished })
            }
            Request::Commit { worker, completions, reply } => {
                let runs: Vec<_> = completions.iter().map(|completion| completion.run).collect();
                let ids = self.store.ids(&runs)?;
                let results = completions
                    .into_iter()
                    .zip(ids)
                    .map(|(completion, id)| self.commit(now, &worker, completion, id, changes));
                let results = results.collect();
                reply_later(reply, results)
            }
        };
        Ok(Some(reply))
    }

    fn commit(
        &mut self,
        now: Duration,
        worker: &str,
        Completion { run, token, result }: Completion,
        id: Option<RunId>,
        changes: &mut Changes,
    ) -> CommitResult {
        let id = id.ok_or_else(|| format!("the store has no run {run}"))?;
        let (end, payload) = match result {
            AttemptResult::Record(record) if record.run != id => {
                let reason = format!("run {run} is {id}, but the record belongs to {}", record.run);
                return Err(self.refuse(now, worker, (run, token), reason, changes));
            }
            AttemptResult::Record(record) => match self.unknown_criterion(run, &record) {
                Some(name) => {
                    let reason = format!("criteria: the subject kind has no `{name}`");
                    return Err(self.refuse(now, worker, (run, token), reason, changes));
                }
                None => classify(record),
            },
            AttemptResult::Unacceptable(reason) => {
                return Err(self.refuse(now, worker, (run, token), reason, changes));
            }
            AttemptResult::Crash(reason) => {
                (AttemptEnd::Crashed, Payload::Breakdown(Breakdown::Crashed, reason))
            }
            AttemptResult::Returned => (AttemptEnd::Returned, Payload::Nothing),
        };
        let effects = self.ledger.step(now, LedgerEvent::Commit { worker, run, token, end });
        self.tracker.note_effects(now, Some(worker), &effects);
        let group = self.ledger.run(run).map_or(0, |run| run.group);
        let label = self.groups.label(group);
        match &payload {
            Payload::Record(record) if effects.contains(&Effect::Accept(run)) => {
                let studies = self.ledger.studies_of(run);
                self.tracker.note_accepted(now, record, worker, (label, run, group), studies);
            }
            Payload::Breakdown(_, reason)
                if effects.iter().any(|effect| matches!(effect, Effect::Crashed { .. })) =>
            {
                self.tracker.note_failed_attempt((label, run, group), reason);
            }
            _ => {}
        }
        let verdict = effects.iter().find_map(|effect| match effect {
            Effect::Verdict(verdict) => Some(*verdict),
            _ => None,
        });
        changes.collect_commit(&effects, Commit { worker, token, payload });
        verdict.ok_or_else(|| format!("internal error: no verdict on run {run}"))
    }

    /// The attempt counts as crashed if the worker holds the lease. Returns the reason.
    fn refuse(
        &mut self,
        now: Duration,
        worker: &str,
        (run, token): (RunNumber, Token),
        reason: String,
        changes: &mut Changes,
    ) -> String {
        if self.ledger.lease(token) == Some((run, worker)) {
            let end = AttemptEnd::Crashed;
            let effects = self.ledger.step(now, LedgerEvent::Commit { worker, run, token, end });
            self.tracker.note_effects(now, Some(worker), &effects);
            let reason = format!("the record was refused: {reason}");
            let payload = Payload::Breakdown(Breakdown::Crashed, reason);
            changes.collect_commit(&effects, Commit { worker, token, payload });
        }
        reason
    }

    /// A criterion of a record that the run's subject kind is known not to have.
    fn unknown_criterion<'r>(&self, run: RunNumber, record: &'r StoredRecord) -> Option<&'r str> {
        let engine = self.ledger.queue().engine_of(self.ledger.run(run)?.group);
        let known = self.criteria.get(&engine.kind)?;
        record.criteria.iter().find(|name| !known.contains(name)).map(String::as_str)
    }

    /// Returns the names of the live workers to which the rule applies.
    pub(super) fn set_workers(
        &mut self,
        name: &str,
        rule: Option<WorkerRule>,
    ) -> Result<Vec<String>, StoreError> {
        self.store.set_worker_rule(name, rule)?;
        let word = rule.map_or("admitted", WorkerRule::name);
        tracing::info!(name, "workers are {word}");
        self.ledger.set_rules(self.store.worker_rules()?);
        let workers = self.ledger.workers().filter(|w| w.name == name || w.host == name);
        Ok(workers.map(|worker| worker.name.to_owned()).collect())
    }

    /// Each algorithm is logged once.
    pub(super) fn too_long(&mut self) -> Vec<TooLongRuns> {
        let Some(longest) = self.ledger.longest_allocation() else { return Vec::new() };
        let mut found: BTreeMap<&str, TooLongRuns> = BTreeMap::new();
        for (group, runs, expected) in self.ledger.queue().longer_than(longest) {
            let label = self.groups.label(group);
            let entry = found.entry(label).or_insert_with(|| TooLongRuns {
                label: label.to_owned(),
                longest,
                ..TooLongRuns::default()
            });
            entry.runs += u64::from(runs);
            entry.expected = entry.expected.max(expected);
        }
        let found: Vec<_> = found.into_values().collect();
        for runs in &found {
            if self.told.insert(runs.label.clone()) {
                tracing::warn!(
                    "runs of {} are expected to take up to {} s, and no worker stays for longer \
                     than {} s: start workers with a longer allocation, or lower the budget",
                    runs.label,
                    runs.expected.as_secs(),
                    longest.as_secs()
                );
            }
        }
        found
    }

    /// Returns false if there are no changes.
    pub(super) fn persist(&mut self, changes: Changes) -> Result<bool, StoreError> {
        if changes.is_empty() {
            return Ok(false);
        }
        self.store.apply(&changes.into_vec(&self.ledger))?;
        Ok(true)
    }
}

/// A run that exceeded a limit of the worker counts as a crash, because another computer may be
/// faster or have more memory.
fn classify(record: Box<StoredRecord>) -> (AttemptEnd, Payload) {
    let crashed = |kind, reason| (AttemptEnd::Crashed, Payload::Breakdown(kind, reason));
    match record.outcome {
        RunOutcome::Done | RunOutcome::NoGoals => {
            (AttemptEnd::Done(record.wall), Payload::Record(record))
        }
        RunOutcome::Failed => (AttemptEnd::Failed(record.wall), Payload::Record(record)),
        RunOutcome::TimedOut | RunOutcome::OutOfMemory if record.own_limit => {
            (AttemptEnd::Failed(record.wall), Payload::Record(record))
        }
        RunOutcome::TimedOut => crashed(Breakdown::TimedOut, record.reason),
        RunOutcome::OutOfMemory => crashed(Breakdown::OutOfMemory, record.reason),
    }
}
