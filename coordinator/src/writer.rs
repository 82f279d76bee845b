//! One thread owns the ledger and the store. It takes all requests that have arrived,
//! steps the ledger through them, makes their effects durable in one transaction, and
//! only then answers them. While it waits for the disk the next group gathers, so the
//! number of fsyncs a second bounds no throughput.

use std::fs::File;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::Duration;

use tokio::sync::watch;

use crate::clock::Clock;
use crate::ledger::{Event, Policy};
use crate::progress::{PlanningProgress, Progress};
use crate::store::{Store, StoreError, StoreUrl, TransactionObserver};

mod changes;
mod leader;
mod load;
mod request;
#[cfg(test)]
mod tests;

use changes::Changes;
use leader::{Leader, reply_later};
pub(crate) use request::{AttemptResult, Completion, Outcomes, Request};

/// Most requests in one transaction.
const GROUP: usize = 1024;

/// The ledger hears of passing time this often.
const TICK: Duration = Duration::from_millis(200);

/// Sends the answer of a request whose effects are durable.
type Answer = Box<dyn FnOnce() + Send>;

/// Which studies a writer serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All active ones.
    All,
    /// This one.
    Only(String),
}

/// What a writer serves, and by which rules.
pub(crate) struct WriterConfig {
    pub(crate) url: StoreUrl,
    /// Where older versions kept projects.
    pub(crate) archives: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) policy: Policy,
    pub(crate) observer: Option<Arc<dyn TransactionObserver>>,
}

/// See the module's page. [`crate::Coordinator::new_manual`] gives it to its caller.
pub struct Writer {
    requests: Receiver<Request>,
    config: WriterConfig,
    clock: Arc<dyn Clock>,
    last_tick: Duration,
    progress: watch::Sender<Progress>,
    /// None while another coordinator leads the store or it cannot be reached.
    leader: Option<Leader>,
    /// Why there is no leader, until there is one and the store accepts something.
    last_error: Option<String>,
    /// Held as long as anything may be written.
    _lock: Option<File>,
}

impl Writer {
    /// Opens a writer on a store, and the way to it. Where another coordinator leads the store,
    /// it stands by if it may.
    pub(crate) fn open(
        config: WriterConfig,
        store: Result<Store, StoreError>,
        clock: Arc<dyn Clock>,
        lock: Option<File>,
        stand_by: bool,
    ) -> Result<(Writer, Sender<Request>), StoreError> {
        let now = clock.now();
        let (sender, requests) = mpsc::channel();
        let mut writer = Writer {
            requests,
            config,
            clock,
            last_tick: Duration::ZERO,
            progress: watch::Sender::default(),
            leader: None,
            last_error: None,
            _lock: lock,
        };
        match store.and_then(|store| Leader::take(&writer.config, store, now)) {
            Ok(leader) => {
                writer.leader = Some(leader);
                writer.show(now);
            }
            Err(StoreError::LedByAnother) if stand_by => writer.note(&StoreError::LedByAnother),
            Err(error) => return Err(error),
        }
        Ok((writer, sender))
    }

    pub(crate) fn watch(&self) -> watch::Receiver<Progress> {
        self.progress.subscribe()
    }

    /// Serves requests until it is closed.
    pub(crate) fn serve(mut self) {
        loop {
            let mut group = Vec::new();
            // Planning goes on whenever nobody asks for anything else, and beside all that.
            match self.requests.recv_timeout(if self.plans() { Duration::ZERO } else { TICK }) {
                Ok(request) => group.push(request),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return,
            }
            group.extend(self.requests.try_iter().take(GROUP - group.len()));
            let closing = group.iter().any(|request| matches!(request, Request::Close));
            if !self.answer(group) {
                std::thread::sleep(TICK);
            }
            if closing {
                return;
            }
        }
    }

    /// Serves the requests that have arrived, without waiting for any. False if the store
    /// refused: nobody got an answer then.
    pub fn process_pending(&mut self) -> bool {
        let group = self.requests.try_iter().take(GROUP).collect();
        self.answer(group)
    }

    /// Whether a study is being planned.
    fn plans(&self) -> bool {
        self.leader.as_ref().is_some_and(|leader| !leader.plannings.is_empty())
    }

    fn answer(&mut self, group: Vec<Request>) -> bool {
        let now = self.clock.now();
        let tick = group.is_empty() && !self.plans() || now.saturating_sub(self.last_tick) >= TICK;
        if tick {
            self.last_tick = now;
        }
        match self.take(now, group, tick) {
            Ok(answers) => {
                answers.into_iter().for_each(|answer| answer());
                true
            }
            Err(error) => {
                self.note(&error);
                false
            }
        }
    }

    /// Notes that the store refused. The leader is kept as long as the connection lives: the
    /// session that led goes on leading.
    fn note(&mut self, error: &StoreError) {
        let last_error = error.to_string();
        if self.last_error.as_ref() != Some(&last_error) {
            tracing::error!("{last_error}");
        }
        self.leader.take_if(|leader| !leader.store.is_alive());
        if let Some(leader) = &mut self.leader {
            leader.stale = true;
        }
        self.last_error = Some(last_error);
        let last_error = self.last_error.clone();
        self.progress.send_modify(|progress| progress.last_error = last_error);
    }

    /// Takes a group of requests as far as the answers, which may leave.
    fn take(
        &mut self,
        now: Duration,
        group: Vec<Request>,
        tick: bool,
    ) -> Result<Vec<Answer>, StoreError> {
        let leader = match &mut self.leader {
            Some(leader) => leader,
            none => {
                let store = Store::take_over(&self.config.url, self.config.policy.term)?;
                let leader = Leader::take(&self.config, store, now)?;
                tracing::info!("leading the store from now on");
                // Other troubles end when the store has accepted something.
                self.last_error
                    .take_if(|last_error| *last_error == StoreError::LedByAnother.to_string());
                none.insert(leader)
            }
        };
        if leader.stale {
            leader.reload(&self.config, now)?;
        }
        let mut changes = Changes::default();
        let mut answers = Vec::new();
        let mut replanned = false;
        for request in group {
            match request {
                Request::Plan { plan, answer } => answers.extend(leader.begin(*plan, answer)?),
                Request::SetState { name, state, answer } => {
                    replanned = true;
                    leader.keep(std::mem::take(&mut changes))?;
                    tracing::info!(study = name, state = state.name(), "a study was changed");
                    answers
                        .push(reply_later(answer, leader.set_state(&self.config, &name, state)?));
                }
                other => answers.extend(leader.handle(now, other, &mut changes)?),
            }
        }
        if tick {
            let effects = leader.ledger.step(now, Event::Tick);
            changes.note(&effects, None);
        }
        if leader.keep(changes)? {
            self.last_error = None;
        } else if tick {
            leader.store.renew()?;
        }
        if let Some(planned) = leader.plan_on(&self.config)? {
            self.last_error = None;
            replanned = true;
            answers.extend(planned);
        }
        // Whoever is told of a change, or that a study has ended, must find it so.
        if tick || replanned || leader.ledger.is_finished() {
            self.show(now);
        }
        Ok(answers)
    }

    fn show(&mut self, now: Duration) {
        if let Some(leader) = &mut self.leader {
            let last_error = self.last_error.clone();
            let snapshot = leader.tracker.snapshot(now, &leader.ledger);
            let planning = leader.plannings.iter().map(|(planning, _)| {
                let (runs, of) = planning.progress();
                PlanningProgress { study: planning.name().to_owned(), runs, of }
            });
            let planning = planning.collect();
            self.progress.send_replace(Progress { last_error, planning, ..snapshot });
        }
    }
}
