//! A limit on the number of connections without an accepted request. Connections that are only kept
//! open must not prevent new ones, so the oldest connections are closed.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use tokio::sync::{OwnedSemaphorePermit, Semaphore, oneshot};

#[derive(Clone)]
pub(crate) struct Unauthenticated {
    permits: Arc<Semaphore>,
    /// Senders that close a connection. Connections are numbered in the order of their arrival.
    closers: Arc<Mutex<BTreeMap<u64, oneshot::Sender<()>>>>,
}

impl Unauthenticated {
    pub(crate) fn new(limit: usize) -> Unauthenticated {
        Unauthenticated { permits: Arc::new(Semaphore::new(limit)), closers: Arc::default() }
    }

    /// Admits a connection, possibly after closing the oldest connection. The receiver gets a value
    /// when this connection must be closed, and an error when it need not be closed any more.
    pub(crate) async fn admit(&self, number: u64) -> (Peer, oneshot::Receiver<()>) {
        let permit = match self.permits.clone().try_acquire_owned() {
            Ok(permit) => Some(permit),
            Err(_) => {
                self.close_oldest();
                // This fails only if the semaphore is closed, which does not happen.
                self.permits.clone().acquire_owned().await.ok()
            }
        };
        let (closer, closed) = oneshot::channel();
        self.with(|closers| closers.insert(number, closer));
        let place = Place { number, connections: self.clone(), _permit: permit };
        (Peer(Arc::new(Mutex::new(Some(place)))), closed)
    }

    pub(crate) fn close_oldest(&self) {
        if let Some((_, closer)) = self.with(BTreeMap::pop_first) {
            // The connection may have ended already.
            let _ = closer.send(());
        }
    }

    fn with<T>(&self, act: impl FnOnce(&mut BTreeMap<u64, oneshot::Sender<()>>) -> T) -> T {
        act(&mut self.closers.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

struct Place {
    number: u64,
    connections: Unauthenticated,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Drop for Place {
    fn drop(&mut self) {
        self.connections.with(|closers| closers.remove(&self.number));
    }
}

/// The place of a connection within the limit. Each request of the connection has it as an
/// extension.
#[derive(Clone)]
pub(crate) struct Peer(Arc<Mutex<Option<Place>>>);

impl fmt::Debug for Peer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Peer")
    }
}

impl Peer {
    /// Removes the connection from the count.
    pub(crate) fn release(&self) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take();
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[tokio::test]
    async fn beyond_the_limit_the_oldest_connection_is_closed() {
        let connections = Unauthenticated::new(2);
        let (first, mut first_closed) = connections.admit(1).await;
        let (second, mut second_closed) = connections.admit(2).await;
        let third = connections.admit(3);
        tokio::pin!(third);
        assert!(tokio::time::timeout(Duration::ZERO, &mut third).await.is_err());
        assert_eq!(first_closed.try_recv(), Ok(()), "the oldest is told to close");
        first.release();
        let (_third, _) = third.await;
        assert_eq!(second_closed.try_recv(), Err(oneshot::error::TryRecvError::Empty));
        second.release();
        assert_eq!(second_closed.try_recv(), Err(oneshot::error::TryRecvError::Closed));
        let (_fourth, _) = connections.admit(4).await;
    }
}
