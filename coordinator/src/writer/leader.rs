//! The store, and what is known of it.

use std::collections::VecDeque;
use std::time::Duration;

use catherd_experiments::{Outcome, Plan};
use tokio::sync::oneshot;

use super::changes::{Changes, Payload};
use super::load::{Groups, Loaded, active, load};
use super::{Answer, AttemptResult, Completion, Outcomes, Request, Scope, WriterConfig};
use crate::ledger::{AttemptEnd, Effect, Event, Ledger, Phase};
use crate::progress::ProgressTracker;
use crate::store::{
    Breakdown, Change, Planning, RunId, Store, StoreError, StudyNumber, StudyState,
};

/// See the module's page.
pub(super) struct Leader {
    pub(super) store: Store,
    pub(super) ledger: Ledger,
    pub(super) tracker: ProgressTracker,
    groups: Groups,
    /// Studies may be added.
    standing: bool,
    /// Studies that are being planned, the first one now, and who waits for them.
    pub(super) plannings: VecDeque<(Planning, Vec<oneshot::Sender<StudyNumber>>)>,
    /// The store refused. It may have made the changes and failed to reply_later so, and it is
    /// right: the ledger has to be loaded again. Nobody got an answer, so everybody asks
    /// again.
    pub(super) stale: bool,
}

impl Leader {
    pub(super) fn take(
        config: &WriterConfig,
        mut store: Store,
        now: Duration,
    ) -> Result<Leader, StoreError> {
        store.migrate_project_files(&config.archives)?;
        let mut store = store.watched(config.observer.clone());
        let Loaded { ledger, tracker, groups } = load(&mut store, config, now)?;
        let (standing, plannings) = (config.scope == Scope::All, VecDeque::new());
        Ok(Leader { store, ledger, tracker, groups, standing, plannings, stale: false })
    }
}

impl Leader {
    /// Loads what the store says.
    pub(super) fn reload(
        &mut self,
        config: &WriterConfig,
        now: Duration,
    ) -> Result<(), StoreError> {
        let Loaded { ledger, tracker, groups } = load(&mut self.store, config, now)?;
        (self.ledger, self.groups) = (ledger, groups);
        self.tracker = tracker.after(std::mem::take(&mut self.tracker));
        self.stale = false;
        Ok(())
    }

    /// Pauses, resumes or cancels a study; false if there is none of this name.
    pub(super) fn set_state(
        &mut self,
        config: &WriterConfig,
        name: &str,
        state: StudyState,
    ) -> Result<bool, StoreError> {
        match self.store.set_state(name, state) {
            Ok(()) => self.restate(config).map(|()| true),
            Err(StoreError::NoStudy(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Learns which studies there are and in which state.
    fn restate(&mut self, config: &WriterConfig) -> Result<(), StoreError> {
        let studies = self.store.studies()?;
        let active = active(&studies, &config.scope);
        self.ledger.activate(&active);
        self.tracker.restate(studies, active);
        Ok(())
    }

    /// Begins to plan, unless all is as the plan says: whoever asks again while a large study
    /// is being planned must not have it planned again.
    pub(super) fn begin(
        &mut self,
        plan: Plan,
        answer: oneshot::Sender<StudyNumber>,
    ) -> Result<Option<Answer>, StoreError> {
        if let Some(study) = self.store.active(&plan)? {
            return Ok(Some(reply_later(answer, study)));
        }
        match self.plannings.iter_mut().find(|(planning, _)| planning.is_of(&plan)) {
            Some((_, waiting)) => waiting.push(answer),
            None => self.plannings.push_back((self.store.begin(plan)?, vec![answer])),
        }
        Ok(None)
    }

    /// Plans a page more; the answers to those who wait for a study that is whole.
    pub(super) fn plan_on(
        &mut self,
        config: &WriterConfig,
    ) -> Result<Option<Vec<Answer>>, StoreError> {
        let Some((planning, _)) = self.plannings.front_mut() else { return Ok(None) };
        let before = planning.progress().0;
        let whole = self.store.plan_on(planning)?;
        for (run, project, label) in planning.runs_from(before) {
            let add = || self.ledger.add_group(project);
            let group = self.groups.number(project, label, add);
            self.ledger.add_run(run, group);
        }
        let Some(study) = whole else { return Ok(None) };
        let Some((planning, waiting)) = self.plannings.pop_front() else { return Ok(None) };
        if let Some(runs) = planning.members() {
            self.ledger.assign(study, runs);
            let done = self.ledger.counts_of(study).of(Phase::Done) > 0;
            let coverage = if done { self.store.coverage(Some(study))? } else { Vec::new() };
            self.tracker.cover(study, coverage.first().map(|&(_, sum, count)| (sum, count)));
        }
        self.restate(config)?;
        let (runs, name) = (planning.progress().1, planning.name());
        tracing::info!(study = name, runs, "a study was planned");
        Ok(Some(waiting.into_iter().map(|answer| reply_later(answer, study)).collect()))
    }

    pub(super) fn handle(
        &mut self,
        now: Duration,
        request: Request,
        changes: &mut Changes,
    ) -> Result<Option<Answer>, StoreError> {
        let answer: Answer = match request {
            // Handled with the group.
            Request::Close | Request::Plan { .. } | Request::SetState { .. } => return Ok(None),
            Request::PutProjectChunk { part, answer } => {
                changes.others.push(Change::ProjectChunk(part));
                Box::new(move || {
                    // Whoever asked may be gone by then.
                    let _ = answer.send(());
                })
            }
            Request::Register { worker, answer } => {
                tracing::info!(worker, "a worker came");
                let effects = self.ledger.step(now, Event::Register { worker: &worker });
                changes.note(&effects, None);
                reply_later(answer, ())
            }
            Request::Heartbeat { worker, held, run_progress, answer } => {
                self.tracker.watched(run_progress);
                let event = Event::Heartbeat { worker: &worker, held: &held };
                let effects = self.ledger.step(now, event);
                changes.note(&effects, None);
                let dropped = effects.iter().filter_map(|effect| match effect {
                    Effect::Drop(token) => Some(*token),
                    _ => None,
                });
                let dropped = dropped.collect();
                reply_later(answer, (dropped, effects.contains(&Effect::Drain)))
            }
            Request::Lease { worker, loaded, held, answer } => {
                let event = Event::Lease { worker: &worker, loaded: &loaded, held: &held };
                let effects = self.ledger.step(now, event);
                changes.note(&effects, None);
                let grants = effects.into_iter().filter_map(|effect| match effect {
                    Effect::Grant(grant) => Some(grant),
                    _ => None,
                });
                let grants: Vec<_> = grants.collect();
                let runs: Vec<_> = grants.iter().map(|grant| grant.run).collect();
                let leases = grants.into_iter().zip(self.store.specs(&runs)?).collect();
                // More may come to a coordinator that serves all studies.
                let finished = !self.standing && self.ledger.is_finished();
                reply_later(answer, (leases, finished))
            }
            Request::Commit { worker, completions, answer } => {
                let runs: Vec<_> = completions.iter().map(|completion| completion.run).collect();
                let ids = self.store.ids(&runs)?;
                let outcomes = completions.into_iter().zip(ids);
                let outcomes = outcomes
                    .map(|(completion, id)| self.commit(now, &worker, completion, id, changes));
                let outcomes = outcomes.collect();
                reply_later(answer, outcomes)
            }
        };
        Ok(Some(answer))
    }

    fn commit(
        &mut self,
        now: Duration,
        worker: &str,
        Completion { run, token, end }: Completion,
        id: Option<RunId>,
        changes: &mut Changes,
    ) -> Outcomes {
        let id = id.ok_or_else(|| format!("the store has no run {run}"))?;
        let (end, payload) = match end {
            AttemptResult::Record(record) if record.run != id => {
                return Err(format!("run {run} is {id}, the record is of {}", record.run));
            }
            AttemptResult::Record(record) => match record.outcome {
                Outcome::Done | Outcome::NoGoals => {
                    (AttemptEnd::Done(record.wall), Payload::Record(record))
                }
                Outcome::Failed => (AttemptEnd::Failed(record.wall), Payload::Record(record)),
                // Limits of the runner: another machine may be faster or larger.
                Outcome::TimedOut => {
                    (AttemptEnd::Crashed, Payload::Reason(Breakdown::TimedOut, record.reason))
                }
                Outcome::OutOfMemory => {
                    (AttemptEnd::Crashed, Payload::Reason(Breakdown::OutOfMemory, record.reason))
                }
            },
            AttemptResult::Crash(reason) => {
                (AttemptEnd::Crashed, Payload::Reason(Breakdown::Crashed, reason))
            }
            AttemptResult::Returned => (AttemptEnd::Returned, Payload::Nothing),
        };
        let effects = self.ledger.step(now, Event::Commit { run, token, end });
        if let (Payload::Record(record), true) = (&payload, effects.contains(&Effect::Accept(run)))
        {
            let group = self.ledger.run(run).map_or(0, |run| run.group);
            let label = self.groups.label(group);
            self.tracker.accepted(now, record, worker, label, self.ledger.studies_of(run));
        }
        let verdict = effects.iter().find_map(|effect| match effect {
            Effect::Verdict(verdict) => Some(*verdict),
            _ => None,
        });
        changes.note(&effects, Some((worker, token, payload)));
        verdict.ok_or_else(|| format!("no verdict on run {run}"))
    }

    /// Makes changes durable; false if there are none.
    pub(super) fn keep(&mut self, changes: Changes) -> Result<bool, StoreError> {
        if changes.dirty.is_empty() && changes.others.is_empty() {
            return Ok(false);
        }
        let mut all = changes.others;
        all.extend(changes.dirty.into_iter().filter_map(|number| {
            let run = *self.ledger.run(number)?;
            Some(Change::Run(number, run, self.ledger.holder(number).map(str::to_owned)))
        }));
        self.store.apply(&all)?;
        Ok(true)
    }
}

/// An answer to be sent later; whoever asked may be gone by then.
pub(super) fn reply_later<T: Send + 'static>(to: oneshot::Sender<T>, value: T) -> Answer {
    Box::new(move || {
        let _ = to.send(value);
    })
}
