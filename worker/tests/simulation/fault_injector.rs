//! Injects faults before or after transactions of the coordinator.

use std::sync::{Arc, Mutex, MutexGuard};

use catherd_coordinator::store::{StoreChange, StoreError, TransactionObserver};

use crate::faults::Side;
use crate::invariants::InvariantChecker;

#[derive(Clone, Copy, Debug)]
pub(crate) enum TransactionFault {
    Die(Side),
    Fail(Side),
}

#[derive(Debug, Default)]
struct State {
    /// Faults with the number of the transaction, or with `None` for the next transaction.
    pending: Vec<(Option<u64>, TransactionFault)>,
    /// Whether the coordinator has died and has not been restarted.
    dead: bool,
}

#[derive(Debug)]
pub(crate) struct FaultInjector {
    state: Mutex<State>,
    checker: Arc<InvariantChecker>,
}

impl FaultInjector {
    pub(crate) fn new(checker: Arc<InvariantChecker>) -> Arc<FaultInjector> {
        Arc::new(FaultInjector { state: Mutex::default(), checker })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap()
    }

    /// `None` stands for the next transaction.
    pub(crate) fn prepare(&self, transaction: Option<u64>, fault: TransactionFault) {
        self.state().pending.push((transaction, fault));
    }

    /// Removes the faults that no transaction has triggered.
    pub(crate) fn clear(&self) {
        self.state().pending.clear();
    }

    pub(crate) fn is_dead(&self) -> bool {
        self.state().dead
    }

    pub(crate) fn crash(&self) {
        self.checker.coordinator_crashed();
        let mut state = self.state();
        state.dead = true;
        state.pending.clear();
    }

    pub(crate) fn restarted(&self) {
        self.state().dead = false;
    }

    fn inject(&self, side: Side) -> Result<(), StoreError> {
        let transaction = self.checker.transactions() + u64::from(side == Side::Before);
        let mut state = self.state();
        let fits = |&(when, fault): &(Option<u64>, TransactionFault)| {
            let (TransactionFault::Die(at) | TransactionFault::Fail(at)) = fault;
            at == side && when.is_none_or(|when| when == transaction)
        };
        let Some(at) = state.pending.iter().position(fits) else { return Ok(()) };
        let (_, fault) = state.pending.remove(at);
        drop(state);
        self.checker.log_line(format!("{fault:?}"));
        if matches!(fault, TransactionFault::Die(_)) {
            self.crash();
        }
        Err(StoreError::Runtime(std::io::Error::other("injected fault")))
    }
}

impl TransactionObserver for FaultInjector {
    fn before(&self, _: &[StoreChange]) -> Result<(), StoreError> {
        self.inject(Side::Before)
    }

    fn after(&self, changes: &[StoreChange]) -> Result<(), StoreError> {
        self.checker.check_transaction(changes);
        self.inject(Side::After)
    }
}
