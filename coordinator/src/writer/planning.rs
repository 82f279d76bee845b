//! Planning of studies by the leader: one page at a time and in turn, so that a large study delays
//! neither requests nor other studies.

use catherd_experiments::Plan;

use super::WriterConfig;
use super::leader::Leader;
use super::planner::{Job, MAX_JOBS, Reply};
use super::request::{PendingReply, reply_later};
use crate::auth::Caller;
use crate::error::{ForeignStudy, PlanningRefused};
use crate::ledger::Phase;
use crate::progress::PlanningProgress;
use crate::queue::SubjectEngine;
use crate::store::{
    Claim, ClaimChange, PlannedRun, PlannedStudy, Planning, StoreError, StudyState,
};

pub(super) struct Submission {
    pub(super) plan: Plan,
    /// Whether the client repeats an earlier request.
    pub(super) waiting: bool,
    pub(super) caller: Caller,
    pub(super) claim: ClaimChange,
}

impl Leader {
    pub(super) fn has_pages(&self) -> bool {
        !self.planner.jobs.is_empty() || self.planner.clearing
    }

    pub(super) fn planning_progress(&self) -> impl Iterator<Item = PlanningProgress> {
        self.planner.jobs.iter().map(|job| {
            let (planned, total) = job.planning.progress();
            PlanningProgress { study: job.planning.name().to_owned(), planned, total }
        })
    }

    /// Studies that are being planned are checked as well.
    pub(super) fn foreign(&self, name: &str, caller: &Caller) -> Option<ForeignStudy> {
        let planned = self.planner.jobs.iter().map(|job| &job.planning);
        let planned = planned.filter(|planning| planning.name() == name).map(Planning::owner);
        let known = self.tracker.study_of(name).map(|study| &*study.owner);
        let owner = planned.chain(known).find(|owner| !caller.may_change(owner))?;
        Some(ForeignStudy { study: name.to_owned(), owner: owner.to_owned() })
    }

    /// Returns whether there is a study with this name, even if it is not completely planned.
    pub(super) fn set_claim(
        &mut self,
        config: &WriterConfig,
        name: &str,
        change: ClaimChange,
    ) -> Result<bool, StoreError> {
        let mut known = false;
        for job in self.planner.jobs.iter_mut().filter(|job| job.planning.name() == name) {
            job.planning.change_claim(change);
            known = true;
        }
        if let Some(study) = self.tracker.study_of(name) {
            let (number, claim) = (study.number, change.applied_to(study.claim));
            self.store.set_claim(number, claim)?;
            self.refresh_studies(config)?;
            known = true;
        }
        Ok(known)
    }

    /// Returns whether there is a study with this name, and the replies to submissions that a
    /// cancellation ends.
    pub(super) fn set_state(
        &mut self,
        config: &WriterConfig,
        name: &str,
        state: StudyState,
    ) -> Result<(bool, Vec<PendingReply>), StoreError> {
        let known = match self.store.set_state(name, state) {
            Ok(()) => self.refresh_studies(config).map(|()| true)?,
            Err(StoreError::NoStudy(_)) => false,
            Err(error) => return Err(error),
        };
        if state == StudyState::Cancelled {
            let ended = self.planner.end(name);
            return Ok((known || ended.is_some(), ended.unwrap_or_default()));
        }
        let mut planned = false;
        let jobs = self.planner.jobs.iter_mut();
        for job in jobs.filter(|job| job.planning.name() == name) {
            job.state = state;
            planned = true;
        }
        Ok((known || planned, Vec::new()))
    }

    /// Returns whether there is a study with this name, and the replies to submissions that the
    /// removal ends.
    pub(super) fn delete(
        &mut self,
        config: &WriterConfig,
        name: &str,
    ) -> Result<(bool, Vec<PendingReply>), StoreError> {
        let deleted = self.store.discard_study(name)?;
        if let Some(study) = deleted {
            self.ledger.assign(study, &[]);
            self.tracker.forget(study);
            self.planner.clearing = true;
            self.refresh_studies(config)?;
        }
        let ended = self.planner.end(name);
        Ok((deleted.is_some() || ended.is_some(), ended.unwrap_or_default()))
    }

    /// Starts to plan a study, or returns the reply to its submission. A repeated request waits for
    /// the same planning.
    pub(super) fn begin_planning(
        &mut self,
        config: &WriterConfig,
        submission: Submission,
        reply: Reply,
    ) -> Result<Option<PendingReply>, StoreError> {
        let Submission { plan, waiting, caller, claim } = submission;
        if let Some(foreign) = self.foreign(&plan.name, &caller) {
            return Ok(Some(reply_later(reply, Err(foreign.into()))));
        }
        let former = self.tracker.study_of(&plan.name).cloned();
        let owner = former.as_ref().map_or(String::new(), |study| study.owner.clone());
        let owner = if owner.is_empty() { caller.name().to_owned() } else { owner };
        let before = former.as_ref().map_or_else(Claim::default, |study| study.claim);
        if former.is_some() && claim != ClaimChange::default() {
            self.set_claim(config, &plan.name, claim)?;
        }
        let planning = self.store.begin_planning(plan)?.of(&owner, claim.applied_to(before));
        let digest = planning.digest();
        if let Some((study, state)) = self.store.study_with(&planning)?
            && (waiting || state == StudyState::Active)
        {
            return Ok(Some(reply_later(reply, Ok(study))));
        }
        let planner = &mut self.planner;
        if let Some(job) = planner.jobs.iter_mut().find(|job| job.planning.digest() == digest) {
            job.replies.push(reply);
            return Ok(None);
        }
        if waiting && planner.ended.contains(&digest) {
            return Ok(Some(reply_later(reply, Err(PlanningRefused::Ended))));
        }
        if planner.jobs.len() == MAX_JOBS {
            return Ok(Some(reply_later(reply, Err(PlanningRefused::Busy(MAX_JOBS)))));
        }
        planner.ended.retain(|ended| *ended != digest);
        planner.submitted += 1;
        let (order, state) = (planner.submitted, StudyState::Active);
        planner.jobs.push_front(Job { order, planning, state, replies: vec![reply] });
        Ok(None)
    }

    /// Plans or clears a page. Returns the replies to send if a study is complete.
    pub(super) fn next_page(
        &mut self,
        config: &WriterConfig,
    ) -> Result<Option<Vec<PendingReply>>, StoreError> {
        let Some(mut job) = self.planner.take_next() else {
            if self.planner.clearing {
                self.planner.clearing = self.store.clear_page()?;
            }
            return Ok(None);
        };
        match self.plan_page(&mut job) {
            Ok(Some(planned)) => {
                self.complete(config, &job.planning, planned)?;
                let replies = job.replies.into_iter();
                Ok(Some(replies.map(|reply| reply_later(reply, Ok(planned.study))).collect()))
            }
            Ok(None) => {
                self.planner.jobs.push_back(job);
                Ok(None)
            }
            Err(error) => {
                // The same page will be planned again.
                self.planner.jobs.push_front(job);
                Err(error)
            }
        }
    }

    fn plan_page(&mut self, job: &mut Job) -> Result<Option<PlannedStudy>, StoreError> {
        let Job { planning, state, .. } = job;
        let before = planning.progress().0;
        let planned = self.store.plan_next_page(planning, *state)?;
        let (kind, engine) = planning.engine();
        let engine = SubjectEngine { kind: kind.to_owned(), engine: engine.to_owned() };
        let engine = self.ledger.engine_number(&engine);
        for PlannedRun { number, project, label, place } in planning.runs_from(before) {
            let add = || self.ledger.add_group(project, engine);
            let group = self.groups.find_or_add(project, engine, label, add);
            if let Some(place) = place {
                self.ledger.set_place(number, place);
            }
            self.ledger.add_run(number, group);
        }
        Ok(planned)
    }

    fn complete(
        &mut self,
        config: &WriterConfig,
        planning: &Planning,
        PlannedStudy { study, replaced }: PlannedStudy,
    ) -> Result<(), StoreError> {
        if let Some(runs) = planning.members() {
            if let Some(replaced) = replaced {
                self.ledger.assign(replaced, &[]);
                self.tracker.renumber(replaced, study);
                self.planner.clearing = true;
            }
            self.ledger.assign(study, runs);
            let done = self.ledger.counts_of(study).of(Phase::Done) > 0;
            let coverage = if done { self.store.coverage(Some(study))? } else { Vec::new() };
            self.tracker.set_coverage(study, coverage.first().map(|&(_, sum, count)| (sum, count)));
        }
        self.refresh_studies(config)?;
        let (runs, name) = (planning.progress().1, planning.name());
        tracing::info!(study = name, runs, "a study was planned");
        Ok(())
    }
}
