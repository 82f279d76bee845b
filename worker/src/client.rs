//! Requests to the coordinator, repeated while a repetition may succeed.

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

/// A client of several coordinators with the same store, of which one leads: it repeats requests
/// and fails over to the next coordinator.
#[derive(Clone)]
pub(crate) struct FailoverClient {
    clients: Arc<[CoordinatorClient<AuthChannel>]>,
    /// The coordinator that answered last.
    leader: Arc<AtomicUsize>,
    retry_timeout: Duration,
}

impl FailoverClient {
    /// A client that tries coordinators in this order, and repeats a request for this long.
    pub(crate) fn new(
        clients: Vec<CoordinatorClient<AuthChannel>>,
        retry_timeout: Duration,
    ) -> FailoverClient {
        FailoverClient { clients: clients.into(), leader: Arc::default(), retry_timeout }
    }

    /// The connection to the coordinator that answered last.
    pub(crate) fn leader(&self) -> CoordinatorClient<AuthChannel> {
        self.clients[self.leader.load(Ordering::Relaxed)].clone()
    }

    /// Advances from a coordinator that did not answer to the next one, once for any number of
    /// requests that fail together; otherwise two of them would lead back to the silent one.
    fn fail_over(&self, silent: usize) {
        let next = (silent + 1) % self.clients.len();
        // Ignore the error: another request has failed over already.
        let _ = self.leader.compare_exchange(silent, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Sends a request to one coordinator after the other until it is answered or refused, or the
    /// retry time-out has passed.
    pub(crate) async fn call<T, F>(
        &self,
        mut request: impl FnMut(CoordinatorClient<AuthChannel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let start = Instant::now();
        let mut pause = PAUSE.0;
        loop {
            let current = self.leader.load(Ordering::Relaxed);
            match request(self.clients[current].clone()).await {
                Ok(reply) => return Ok(reply.into_inner()),
                Err(status) if is_refusal(&status) => return Err(status),
                Err(status) if start.elapsed() >= self.retry_timeout => return Err(status),
                Err(status) => {
                    tracing::debug!("repeating a request: {status}");
                    self.fail_over(current);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    /// Fetches a project and checks its digest.
    pub(crate) async fn fetch(&self, digest: Digest) -> Result<Arc<[u8]>, Status> {
        self.call(|client| async move {
            // The time-out of the transport covers the first message of a stream only.
            let slow = |_| Status::deadline_exceeded("the project arrives too slowly");
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
            return Err(Status::out_of_range(format!("project {digest} is larger than announced")));
        }
        bytes.extend_from_slice(&chunk.data);
    }
    if Digest::of(&bytes) != digest {
        return Err(Status::data_loss(format!("project {digest} arrived damaged")));
    }
    Ok(Response::new(bytes.into()))
}

/// Whether a repetition of the request would get the same answer.
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
    async fn requests_that_fail_together_fail_over_once() {
        let clients = ["http://ant:1", "http://bee:1"];
        let clients =
            clients.map(|at| transport::coordinator_client(at, &Access::default()).unwrap());
        let client = FailoverClient::new(clients.to_vec(), Duration::ZERO);
        let leader = || client.leader.load(Ordering::Relaxed);
        client.fail_over(0);
        client.fail_over(0);
        assert_eq!(leader(), 1);
        client.fail_over(1);
        assert_eq!(leader(), 0);
    }
}
