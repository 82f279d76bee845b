//! Requests to the coordinator, repeated while they may still succeed.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use catherd_experiments::Digest;
use catherd_proto::transport::{AuthChannel, MAX_PROJECT, REQUEST_TIMEOUT};
use catherd_proto::v1;
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use tokio::time::Instant;
use tonic::{Code, Response, Status};

/// First and longest wait between two tries.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Connections to coordinators of the same store, of which one leads, and how long to wait
/// for an answer.
#[derive(Clone)]
pub(crate) struct Calls {
    clients: Arc<[CoordinatorClient<AuthChannel>]>,
    /// The one that answered last.
    leader: Arc<AtomicUsize>,
    patience: Duration,
}

impl Calls {
    /// `clients` are in the order in which they are tried.
    pub(crate) fn new(clients: Vec<CoordinatorClient<AuthChannel>>, patience: Duration) -> Calls {
        Calls { clients: clients.into(), leader: Arc::default(), patience }
    }

    /// The connection to the coordinator that answered last.
    pub(crate) fn client(&self) -> CoordinatorClient<AuthChannel> {
        self.clients[self.leader.load(Ordering::Relaxed)].clone()
    }

    /// Turns from a coordinator that did not answer to the next one, once, however many
    /// requests it left without an answer: two would otherwise lead back to it.
    fn turn_from(&self, silent: usize) {
        let next = (silent + 1) % self.clients.len();
        // If it fails another request has turned.
        let _ = self.leader.compare_exchange(silent, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Repeats a request, of each coordinator in turn, until it is answered, refused, or
    /// patience ends.
    pub(crate) async fn ask<T, F>(
        &self,
        mut request: impl FnMut(CoordinatorClient<AuthChannel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let start = Instant::now();
        let mut pause = PAUSE.0;
        loop {
            let asked = self.leader.load(Ordering::Relaxed);
            match request(self.clients[asked].clone()).await {
                Ok(reply) => return Ok(reply.into_inner()),
                Err(status) if is_refusal(&status) => return Err(status),
                Err(status) if start.elapsed() >= self.patience => return Err(status),
                Err(status) => {
                    tracing::debug!("asking again: {status}");
                    self.turn_from(asked);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Fetches a project and checks that it is the one.
    pub(crate) async fn fetch(&self, digest: Digest) -> Result<Arc<[u8]>, Status> {
        self.ask(|client| async move {
            // The time-out of a request ends with its first answer, not with its last.
            let slow = |_| Status::deadline_exceeded("the project comes too slowly");
            let limit = 6 * REQUEST_TIMEOUT;
            tokio::time::timeout(limit, download(client, digest)).await.map_err(slow)?
        })
        .await
    }
}

async fn download(
    mut client: CoordinatorClient<AuthChannel>,
    digest: Digest,
) -> Result<Response<Arc<[u8]>>, Status> {
    let request = v1::FetchProjectRequest { digest: digest.0.to_vec().into() };
    let mut chunks = client.fetch_project(request).await?.into_inner();
    let mut bytes = Vec::new();
    while let Some(chunk) = chunks.message().await? {
        if chunk.size > MAX_PROJECT || (bytes.len() + chunk.data.len()) as u64 > chunk.size {
            return Err(Status::out_of_range(format!("project {digest} is larger than agreed")));
        }
        bytes.extend_from_slice(&chunk.data);
    }
    if Digest::of(&bytes) != digest {
        return Err(Status::data_loss(format!("project {digest} arrived damaged")));
    }
    Ok(Response::new(bytes.into()))
}

/// Asking again would bring the same answer.
pub(crate) fn is_refusal(status: &Status) -> bool {
    matches!(
        status.code(),
        Code::InvalidArgument
            | Code::NotFound
            | Code::FailedPrecondition
            | Code::OutOfRange
            | Code::Unimplemented
            | Code::PermissionDenied
            | Code::Unauthenticated
            | Code::DataLoss
    )
}

#[cfg(test)]
mod tests {
    use catherd_proto::transport::{self, Access};

    use super::*;

    #[tokio::test]
    async fn requests_that_fail_together_turn_to_the_next_coordinator_once() {
        let clients = ["http://ant:1", "http://bee:1"];
        let clients =
            clients.map(|at| transport::coordinator_client(at, &Access::default()).unwrap());
        let calls = Calls::new(clients.to_vec(), Duration::ZERO);
        let leader = || calls.leader.load(Ordering::Relaxed);
        calls.turn_from(0);
        calls.turn_from(0);
        assert_eq!(leader(), 1);
        calls.turn_from(1);
        assert_eq!(leader(), 0);
    }
}
