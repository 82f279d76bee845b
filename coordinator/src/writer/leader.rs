//! The state of a leading coordinator: the open store, the ledger loaded from it, and the progress
//! counters.

use std::collections::VecDeque;
use std::time::Duration;

use catherd_experiments::{Outcome, Plan};
use tokio::sync::oneshot;

use super::changes::{Changes, Commit, Payload};
use super::load::{Groups, LoadedState, active_studies, load};
use super::{
    AttemptResult, CommitResult, Completion, HeartbeatReply, LeaseReply, PendingReply, Request,
    Scope, WriterConfig,
};
use crate::ids::{RunId, StudyNumber};
use crate::ledger::{AttemptEnd, Effect, Event, Ledger, Phase};
use crate::progress::{PlanningProgress, ProgressTracker};
use crate::store::{Breakdown, Change, Planning, Store, StoreError, StoredRecord, StudyState};

/// A study that is being planned.
struct PlanningJob {
    planning: Planning,
    /// Replies to send when the study is completely planned.
    replies: Vec<oneshot::Sender<StudyNumber>>,
}

/// The state of a leading coordinator. See the module.
pub(super) struct Leader {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    groups: Groups,
    /// Studies can be added, so workers are never told that all runs have ended.
    serves_all: bool,
    /// Studies that are being planned, the current one first.
    jobs: VecDeque<PlanningJob>,
    /// The last transaction returned an error, so its outcome is unknown. The ledger is reloaded
    /// from the store before the next batch. No request of the failed batch was answered, so their
    /// senders repeat them.
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
        let (serves_all, jobs) = (config.scope == Scope::All, VecDeque::new());
        Ok(Leader { store, ledger, tracker, groups, serves_all, jobs, needs_reload: false })
    }

    /// Reloads ledger and counters from the store.
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

    /// Pauses, resumes or cancels a study; false if there is no study of this name.
    pub(super) fn set_state(
        &mut self,
        config: &WriterConfig,
        name: &str,
        state: StudyState,
    ) -> Result<bool, StoreError> {
        match self.store.set_state(name, state) {
            Ok(()) => self.refresh_studies(config).map(|()| true),
            Err(StoreError::NoStudy(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Reads the studies and their states from the store.
    fn refresh_studies(&mut self, config: &WriterConfig) -> Result<(), StoreError> {
        let studies = self.store.studies()?;
        let active = active_studies(&studies, &config.scope);
        self.ledger.activate(&active);
        self.tracker.set_studies(studies, active);
        Ok(())
    }

    pub(super) fn is_planning(&self) -> bool {
        !self.jobs.is_empty()
    }

    pub(super) fn planning_progress(&self) -> impl Iterator<Item = PlanningProgress> {
        self.jobs.iter().map(|job| {
            let (planned, total) = job.planning.progress();
            PlanningProgress { study: job.planning.name().to_owned(), planned, total }
        })
    }

    /// Starts to plan a study. Replies at once if the active study of this name has this plan. A
    /// request that is repeated while the study is being planned joins the same planning.
    pub(super) fn begin_planning(
        &mut self,
        plan: Plan,
        reply: oneshot::Sender<StudyNumber>,
    ) -> Result<Option<PendingReply>, StoreError> {
        if let Some(study) = self.store.active_study_with(&plan)? {
            return Ok(Some(reply_later(reply, study)));
        }
        match self.jobs.iter_mut().find(|job| job.planning.is_of(&plan)) {
            Some(job) => job.replies.push(reply),
            None => {
                let planning = self.store.begin_planning(plan)?;
                self.jobs.push_back(PlanningJob { planning, replies: vec![reply] });
            }
        }
        Ok(None)
    }

    /// Plans one more page of the current study. Returns the replies if the study is complete.
    pub(super) fn plan_next_page(
        &mut self,
        config: &WriterConfig,
    ) -> Result<Option<Vec<PendingReply>>, StoreError> {
        let Some(PlanningJob { planning, .. }) = self.jobs.front_mut() else { return Ok(None) };
        let before = planning.progress().0;
        let completed = self.store.plan_next_page(planning)?;
        for (run, project, label) in planning.runs_from(before) {
            let add = || self.ledger.add_group(project);
            let group = self.groups.find_or_add(project, label, add);
            self.ledger.add_run(run, group);
        }
        let Some(study) = completed else { return Ok(None) };
        let Some(PlanningJob { planning, replies }) = self.jobs.pop_front() else {
            return Ok(None);
        };
        if let Some(runs) = planning.members() {
            self.ledger.assign(study, runs);
            let done = self.ledger.counts_of(study).of(Phase::Done) > 0;
            let coverage = if done { self.store.coverage(Some(study))? } else { Vec::new() };
            self.tracker.set_coverage(study, coverage.first().map(|&(_, sum, count)| (sum, count)));
        }
        self.refresh_studies(config)?;
        let (runs, name) = (planning.progress().1, planning.name());
        tracing::info!(study = name, runs, "a study was planned");
        Ok(Some(replies.into_iter().map(|reply| reply_later(reply, study)).collect()))
    }

    /// Steps the ledger through a request. Returns the reply, unless the writer handles the request
    /// itself.
    pub(super) fn handle(
        &mut self,
        now: Duration,
        request: Request,
        changes: &mut Changes,
    ) -> Result<Option<PendingReply>, StoreError> {
        let reply: PendingReply = match request {
            // Handled by the writer.
            Request::Close | Request::Plan { .. } | Request::SetState { .. } => return Ok(None),
            Request::PutProjectChunk { chunk, reply } => {
                changes.push(Change::ProjectChunk(chunk));
                Box::new(move || {
                    // The receiver may have been dropped.
                    let _ = reply.send(());
                })
            }
            Request::Register { worker, reply } => {
                tracing::info!(worker, "a worker registered");
                let effects = self.ledger.step(now, Event::Register { worker: &worker });
                changes.collect(&effects);
                reply_later(reply, ())
            }
            Request::Heartbeat { worker, held, progress, reply } => {
                self.tracker.note_run_progress(progress);
                let event = Event::Heartbeat { worker: &worker, held: &held };
                let effects = self.ledger.step(now, event);
                changes.collect(&effects);
                let dropped = effects.iter().filter_map(|effect| match effect {
                    Effect::DropLease(token) => Some(*token),
                    _ => None,
                });
                let dropped = dropped.collect();
                let drained = effects.contains(&Effect::Drain);
                reply_later(reply, HeartbeatReply { dropped, drained })
            }
            Request::Lease { worker, loaded, held, reply } => {
                let event = Event::Lease { worker: &worker, loaded: &loaded, held: &held };
                let effects = self.ledger.step(now, event);
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
                return Err(format!("run {run} is {id}, the record is of {}", record.run));
            }
            AttemptResult::Record(record) => classify(record),
            AttemptResult::Crash(reason) => {
                (AttemptEnd::Crashed, Payload::Breakdown(Breakdown::Crashed, reason))
            }
            AttemptResult::Returned => (AttemptEnd::Returned, Payload::Nothing),
        };
        let effects = self.ledger.step(now, Event::Commit { run, token, end });
        if let (Payload::Record(record), true) = (&payload, effects.contains(&Effect::Accept(run)))
        {
            let group = self.ledger.run(run).map_or(0, |run| run.group);
            let label = self.groups.label(group);
            self.tracker.note_accepted(now, record, worker, label, self.ledger.studies_of(run));
        }
        let verdict = effects.iter().find_map(|effect| match effect {
            Effect::Verdict(verdict) => Some(*verdict),
            _ => None,
        });
        changes.collect_commit(&effects, Commit { worker, token, payload });
        verdict.ok_or_else(|| format!("internal error: no verdict on run {run}"))
    }

    /// Makes changes durable. Returns false if there are none.
    pub(super) fn persist(&mut self, changes: Changes) -> Result<bool, StoreError> {
        if changes.is_empty() {
            return Ok(false);
        }
        self.store.apply(&changes.into_vec(&self.ledger))?;
        Ok(true)
    }
}

/// The end of an attempt with this record. A run that exceeded a limit of the worker counts as a
/// crash, because another machine may be faster or have more memory.
fn classify(record: Box<StoredRecord>) -> (AttemptEnd, Payload) {
    let crashed = |kind, reason| (AttemptEnd::Crashed, Payload::Breakdown(kind, reason));
    match record.outcome {
        Outcome::Done | Outcome::NoGoals => {
            (AttemptEnd::Done(record.wall), Payload::Record(record))
        }
        Outcome::Failed => (AttemptEnd::Failed(record.wall), Payload::Record(record)),
        Outcome::TimedOut => crashed(Breakdown::TimedOut, record.reason),
        Outcome::OutOfMemory => crashed(Breakdown::OutOfMemory, record.reason),
    }
}

/// A reply to be sent later.
pub(super) fn reply_later<T: Send + 'static>(to: oneshot::Sender<T>, value: T) -> PendingReply {
    Box::new(move || {
        // The receiver may have been dropped (request timed out).
        let _ = to.send(value);
    })
}
