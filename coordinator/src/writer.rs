//! The writer: the only thread that changes the ledger and the store. Requests that arrive during a
//! transaction form the next batch, so the number of fsyncs per second does not limit the number of
//! requests per second.

use std::collections::BTreeMap;
use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Duration;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::lease_expiry::{TICK_INTERVAL, leader_silence};
use crate::ledger::{LedgerEvent, Policy};
use crate::progress::{PlanningProgress, Progress};
use crate::store::{Store, StoreError, StoreUrl, TransactionObserver};

mod changes;
mod estimate;
mod leader;
mod load;
mod planner;
mod planning;
mod request;
#[cfg(test)]
mod tests;
mod why;

use changes::Changes;
pub(crate) use estimate::Cell;
use leader::Leader;
use planning::Submission;
pub(crate) use request::{
    AttemptResult, CommitResult, Completion, HeartbeatReply, LeaseReply, LeaseRequest, Request,
    WriterHandle,
};
use request::{PendingReply, reply_later};
pub(crate) use why::Explanation;

/// Amount of work, in completions and other entries, at which no further request is added to a
/// transaction. Heartbeats that arrive during the transaction wait for its end.
const MAX_BATCH: usize = 4096;

/// Checkpoints keep the main file of an SQLite store nearly up to date.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(30);

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    All,
    /// The study with this name.
    Only(String),
}

pub(crate) struct WriterConfig {
    pub(crate) url: StoreUrl,
    /// Schema version 2 kept projects as files in this folder.
    pub(crate) project_files: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) policy: Policy,
    /// Names of the criteria, by subject kind. Records of kinds that are not listed may have any
    /// criteria.
    pub(crate) criteria: Arc<BTreeMap<String, Vec<String>>>,
    pub(crate) observer: Option<Arc<dyn TransactionObserver>>,
}

/// The only writer to a store. [`crate::Coordinator::new_manual`] returns a writer to its caller.
pub struct Writer {
    requests: Receiver<Request>,
    config: WriterConfig,
    clock: Arc<dyn Clock>,
    last_tick: Duration,
    last_checkpoint: Duration,
    progress: watch::Sender<Progress>,
    /// `None` while this coordinator does not lead the store.
    leader: Option<Leader>,
    /// The last error, until the next successful transaction.
    last_error: Option<String>,
    /// Whether the last error came from opening the store.
    cannot_open: bool,
    /// The file of the store that another program has deleted or replaced. No request is answered
    /// any more.
    lost_file: Option<(PathBuf, &'static str)>,
    /// Held while this process may write to an SQLite file.
    _lock: Option<File>,
}

impl Writer {
    /// With `stand_by`, the writer waits for a store that it cannot lead at once.
    pub(crate) fn open(
        config: WriterConfig,
        store: Result<Store, StoreError>,
        clock: Arc<dyn Clock>,
        lock: Option<File>,
        stand_by: bool,
    ) -> Result<(Writer, WriterHandle), StoreError> {
        let now = clock.now();
        let (sender, requests) = mpsc::channel();
        let mut writer = Writer {
            requests,
            config,
            clock,
            last_tick: Duration::ZERO,
            last_checkpoint: now,
            progress: watch::Sender::default(),
            leader: None,
            last_error: None,
            cannot_open: false,
            lost_file: None,
            _lock: lock,
        };
        match store.and_then(|store| Leader::new(&writer.config, store, now)) {
            Ok(leader) => {
                writer.leader = Some(leader);
                writer.publish_progress(now);
            }
            Err(error @ StoreError::LedByAnother) if stand_by => writer.record_error(&error),
            Err(error) if stand_by && error.may_pass() => {
                tracing::warn!("waiting for the store");
                writer.record_error(&error);
            }
            Err(error) => return Err(error),
        }
        let handle = WriterHandle::new(sender, writer.progress.subscribe());
        Ok((writer, handle))
    }

    pub(crate) fn run(mut self) {
        loop {
            let mut batch = Vec::new();
            // Do not wait while pages of studies are left: each iteration processes one page.
            let timeout = if self.has_pages() { Duration::ZERO } else { TICK_INTERVAL };
            match self.requests.recv_timeout(timeout) {
                Ok(request) => batch.push(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.gather(&mut batch);
            let closing = batch.iter().any(|request| matches!(request, Request::Close));
            if !self.process(batch) {
                std::thread::sleep(TICK_INTERVAL);
            }
            if closing {
                if let Some(leader) = self.leader {
                    leader.store.close();
                }
                return;
            }
        }
    }

    /// Processes the requests that have arrived, without waiting. Returns false if the store
    /// returned an error. In this case, no request of the batch is answered.
    pub fn process_pending(&mut self) -> bool {
        let mut batch = Vec::new();
        self.gather(&mut batch);
        self.process(batch)
    }

    fn gather(&self, batch: &mut Vec<Request>) {
        let mut weight: usize = batch.iter().map(Request::weight).sum();
        while weight < MAX_BATCH
            && let Ok(request) = self.requests.try_recv()
        {
            weight += request.weight();
            batch.push(request);
        }
    }

    fn has_pages(&self) -> bool {
        self.leader.as_ref().is_some_and(Leader::has_pages)
    }

    fn process(&mut self, batch: Vec<Request>) -> bool {
        let now = self.clock.now();
        let idle = batch.is_empty() && !self.has_pages();
        let tick = idle || now.saturating_sub(self.last_tick) >= TICK_INTERVAL;
        if tick {
            self.last_tick = now;
        }
        match self.process_batch(now, batch, tick) {
            Ok(replies) => {
                replies.into_iter().for_each(|reply| reply());
                true
            }
            Err(error) => {
                self.record_error(&error);
                false
            }
        }
    }

    /// This coordinator stays the leader while its connection is alive, because its session
    /// continues to hold the lock.
    fn record_error(&mut self, error: &StoreError) {
        let text = error.to_string();
        let standby = matches!(error, StoreError::LedByAnother);
        if self.last_error.as_ref() != Some(&text) {
            match standby {
                true => tracing::info!("{text}; this one stands by"),
                false => tracing::error!("{text}"),
            }
        }
        self.cannot_open = self.leader.is_none();
        self.leader.take_if(|leader| !leader.store.is_alive());
        if let Some(leader) = &mut self.leader {
            leader.needs_reload = true;
        }
        if let StoreError::FileLost { path, change } = error
            && self.lost_file.is_none()
        {
            self.lost_file = Some((path.clone(), *change));
            // Closing the store copies the contents of a deleted log into the main file, if the
            // main file still exists.
            self.leader.take().into_iter().for_each(|leader| leader.store.close());
            self.progress.send_modify(|progress| progress.lost_file = Some(text.clone()));
        }
        let damage = error.is_damage().then(|| text.clone());
        self.last_error = Some(text);
        let last_error = self.last_error.clone();
        self.progress.send_modify(|progress| {
            progress.last_error = last_error;
            progress.standby = standby;
            progress.damage = damage.or(progress.damage.take());
        });
    }

    fn process_batch(
        &mut self,
        now: Duration,
        batch: Vec<Request>,
        tick: bool,
    ) -> Result<Vec<PendingReply>, StoreError> {
        if let Some((path, change)) = self.lost_file.clone() {
            return Err(StoreError::FileLost { path, change });
        }
        let leader = match &mut self.leader {
            Some(leader) => leader,
            none => {
                let silence = leader_silence(self.config.policy.term);
                let store = Store::take_over(&self.config.url, silence)?;
                let leader = Leader::new(&self.config, store, now)?;
                tracing::info!("this coordinator leads the store from now on");
                // An error of writing is cleared by the next successful transaction.
                let led = StoreError::LedByAnother.to_string();
                self.last_error.take_if(|error| self.cannot_open || *error == led);
                none.insert(leader)
            }
        };
        if leader.needs_reload {
            leader.reload(&self.config, now)?;
        }
        let mut changes = Changes::default();
        let mut replies = Vec::new();
        let mut studies_changed = false;
        for request in batch {
            match request {
                Request::Plan { plan, waiting, caller, claim, reply } => {
                    studies_changed = true;
                    let submission = Submission { plan: *plan, waiting, caller, claim };
                    replies.extend(leader.begin_planning(&self.config, submission, reply)?);
                }
                Request::SetState { name, caller, reply, .. }
                | Request::SetClaim { name, caller, reply, .. }
                | Request::Delete { name, caller, reply }
                    if leader.foreign(&name, &caller).is_some() =>
                {
                    let foreign = leader.foreign(&name, &caller);
                    replies.push(reply_later(reply, foreign.map_or(Ok(false), Err)));
                }
                Request::SetState { name, state, reply, .. } => {
                    studies_changed = true;
                    leader.persist(std::mem::take(&mut changes))?;
                    tracing::info!(study = name, state = state.name(), "a study was changed");
                    let (known, ended) = leader.set_state(&self.config, &name, state)?;
                    replies.push(reply_later(reply, Ok(known)));
                    replies.extend(ended);
                }
                Request::SetClaim { name, claim, reply, .. } => {
                    studies_changed = true;
                    leader.persist(std::mem::take(&mut changes))?;
                    let known = leader.set_claim(&self.config, &name, claim)?;
                    replies.push(reply_later(reply, Ok(known)));
                }
                Request::SetWorkers { name, rule, reply } => {
                    studies_changed = true;
                    leader.persist(std::mem::take(&mut changes))?;
                    replies.push(reply_later(reply, leader.set_workers(&name, rule)?));
                }
                Request::Delete { name, reply, .. } => {
                    studies_changed = true;
                    leader.persist(std::mem::take(&mut changes))?;
                    tracing::info!(study = name, "a study was deleted");
                    let (known, ended) = leader.delete(&self.config, &name)?;
                    replies.push(reply_later(reply, Ok(known)));
                    replies.extend(ended);
                }
                Request::NoteDamage { projects, damage } => {
                    leader.withheld = projects;
                    self.progress.send_modify(|progress| progress.damage = damage);
                }
                other => replies.extend(leader.handle(now, other, &mut changes)?),
            }
        }
        if tick {
            let effects = leader.ledger.step(now, LedgerEvent::Tick);
            leader.tracker.note_effects(now, None, &effects);
            changes.collect(&effects);
        }
        if leader.persist(changes)? {
            self.last_error = None;
        } else if tick {
            leader.store.renew()?;
        }
        if let Some(planned) = leader.next_page(&self.config)? {
            self.last_error = None;
            studies_changed = true;
            replies.extend(planned);
        }
        leader.store.check_files()?;
        if tick && now.saturating_sub(self.last_checkpoint) >= CHECKPOINT_INTERVAL {
            self.last_checkpoint = now;
            // If the checkpoint fails, the write-ahead log keeps the changes.
            if let Err(error) = leader.store.checkpoint() {
                tracing::debug!("checkpoint: {error}");
            }
        }
        // A caller that is told about a change must find it in the progress, so publish before the
        // replies are sent.
        if tick || studies_changed || leader.ledger.is_finished() {
            self.publish_progress(now);
        }
        Ok(replies)
    }

    fn publish_progress(&mut self, now: Duration) {
        if let Some(leader) = &mut self.leader {
            let last_error = self.last_error.clone();
            let snapshot = leader.tracker.snapshot(now, &leader.ledger);
            let planning: Vec<PlanningProgress> = leader.planning_progress().collect();
            let too_long = leader.too_long();
            self.progress.send_modify(|progress| {
                let (damage, lost_file) = (progress.damage.take(), progress.lost_file.take());
                *progress =
                    Progress { last_error, damage, lost_file, planning, too_long, ..snapshot };
            });
        }
    }
}
