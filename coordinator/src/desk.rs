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
use crate::progress::{Planned, Progress};
use crate::store::{Place, Store, StoreError, Witness};

mod changes;
mod load;
mod request;
mod seat;
#[cfg(test)]
mod tests;

use changes::Changes;
pub(crate) use request::{Completion, Outcomes, Request, Told};
use seat::{Seat, say};

/// Most requests in one transaction.
const GROUP: usize = 1024;

/// The ledger hears of passing time this often.
const TICK: Duration = Duration::from_millis(200);

/// Sends the answer of a request whose effects are durable.
type Answer = Box<dyn FnOnce() + Send>;

/// Which studies a desk serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scope {
    /// All active ones.
    All,
    /// This one.
    Only(String),
}

/// What a desk serves, and by which rules.
pub(crate) struct Charge {
    pub(crate) place: Place,
    /// Where older versions kept projects.
    pub(crate) archives: PathBuf,
    pub(crate) scope: Scope,
    pub(crate) policy: Policy,
    pub(crate) witness: Option<Arc<dyn Witness>>,
}

/// See the module's page. [`crate::Coordinator::by_hand`] gives it to its caller.
pub struct Desk {
    requests: Receiver<Request>,
    charge: Charge,
    clock: Arc<dyn Clock>,
    last_tick: Duration,
    progress: watch::Sender<Progress>,
    /// None while another coordinator leads the store or it cannot be reached.
    seat: Option<Seat>,
    /// Why there is no seat, until there is one and the store accepts something.
    trouble: Option<String>,
    /// Held as long as anything may be written.
    _lock: Option<File>,
}

impl Desk {
    /// Opens a desk on a store, and the way to it. Where another coordinator leads the store,
    /// it stands by if it may.
    pub(crate) fn open(
        charge: Charge,
        store: Result<Store, StoreError>,
        clock: Arc<dyn Clock>,
        lock: Option<File>,
        stand_by: bool,
    ) -> Result<(Desk, Sender<Request>), StoreError> {
        let now = clock.now();
        let (sender, requests) = mpsc::channel();
        let mut desk = Desk {
            requests,
            charge,
            clock,
            last_tick: Duration::ZERO,
            progress: watch::Sender::default(),
            seat: None,
            trouble: None,
            _lock: lock,
        };
        match store.and_then(|store| Seat::take(&desk.charge, store, now)) {
            Ok(seat) => {
                desk.seat = Some(seat);
                desk.show(now);
            }
            Err(StoreError::Led) if stand_by => desk.note(&StoreError::Led),
            Err(error) => return Err(error),
        }
        Ok((desk, sender))
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
    pub fn turn(&mut self) -> bool {
        let group = self.requests.try_iter().take(GROUP).collect();
        self.answer(group)
    }

    /// Whether a study is being planned.
    fn plans(&self) -> bool {
        self.seat.as_ref().is_some_and(|seat| !seat.plannings.is_empty())
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

    /// Notes that the store refused. The seat is kept as long as the connection lives: the
    /// session that led goes on leading.
    fn note(&mut self, error: &StoreError) {
        let trouble = error.to_string();
        if self.trouble.as_ref() != Some(&trouble) {
            tracing::error!("{trouble}");
        }
        self.seat.take_if(|seat| !seat.store.is_alive());
        if let Some(seat) = &mut self.seat {
            seat.stale = true;
        }
        self.trouble = Some(trouble);
        let trouble = self.trouble.clone();
        self.progress.send_modify(|progress| progress.trouble = trouble);
    }

    /// Takes a group of requests as far as the answers, which may leave.
    fn take(
        &mut self,
        now: Duration,
        group: Vec<Request>,
        tick: bool,
    ) -> Result<Vec<Answer>, StoreError> {
        let seat = match &mut self.seat {
            Some(seat) => seat,
            none => {
                let store = Store::succeed(&self.charge.place, self.charge.policy.term)?;
                let seat = Seat::take(&self.charge, store, now)?;
                tracing::info!("leading the store from now on");
                // Other troubles end when the store has accepted something.
                self.trouble.take_if(|trouble| *trouble == StoreError::Led.to_string());
                none.insert(seat)
            }
        };
        if seat.stale {
            seat.reload(&self.charge, now)?;
        }
        let mut changes = Changes::default();
        let mut answers = Vec::new();
        let mut replanned = false;
        for request in group {
            match request {
                Request::Plan { plan, answer } => answers.extend(seat.begin(*plan, answer)?),
                Request::SetState { name, state, answer } => {
                    replanned = true;
                    seat.keep(std::mem::take(&mut changes))?;
                    tracing::info!(study = name, state = state.name(), "a study was changed");
                    answers.push(say(answer, seat.set_state(&self.charge, &name, state)?));
                }
                other => answers.extend(seat.handle(now, other, &mut changes)?),
            }
        }
        if tick {
            let effects = seat.ledger.step(now, Event::Tick);
            changes.note(&effects, None);
        }
        if seat.keep(changes)? {
            self.trouble = None;
        } else if tick {
            seat.store.renew()?;
        }
        if let Some(planned) = seat.plan_on(&self.charge)? {
            self.trouble = None;
            replanned = true;
            answers.extend(planned);
        }
        // Whoever is told of a change, or that a study has ended, must find it so.
        if tick || replanned || seat.ledger.is_finished() {
            self.show(now);
        }
        Ok(answers)
    }

    fn show(&mut self, now: Duration) {
        if let Some(seat) = &mut self.seat {
            let trouble = self.trouble.clone();
            let snapshot = seat.meter.snapshot(now, &seat.ledger);
            let planning = seat.plannings.iter().map(|(planning, _)| {
                let (runs, of) = planning.progress();
                Planned { study: planning.name().to_owned(), runs, of }
            });
            let planning = planning.collect();
            self.progress.send_replace(Progress { trouble, planning, ..snapshot });
        }
    }
}
