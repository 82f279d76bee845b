//! Sends requests to the coordinator.

use std::pin::pin;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use catherd_experiments::Digest;
use catherd_proto::transport::{self, AuthChannel, MAX_PROJECT, REQUEST_TIMEOUT};
use catherd_proto::v1;
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use tokio::time::Instant;
use tonic::{Code, Response, Status};

use crate::outage::{GRACE, OutageReporter};

/// Time without an answer after which an outage is reported, even though the request may still
/// succeed.
const SILENCE: Duration = Duration::from_secs(4);

/// First and longest pause between two attempts.
const PAUSE: (Duration, Duration) = (Duration::from_millis(50), Duration::from_secs(2));

/// Returns new clients if the coordinators are known to have moved since the last call.
type Relocate = Arc<dyn Fn() -> Option<Vec<CoordinatorClient<AuthChannel>>> + Send + Sync>;

/// A client of one or more coordinators with the same store, of which at most one leads.
#[derive(Clone)]
pub(crate) struct FailoverClient {
    clients: Arc<RwLock<Vec<CoordinatorClient<AuthChannel>>>>,
    /// Used only if coordinators may move.
    relocate: Option<Relocate>,
    /// The position of the coordinator to which requests are sent.
    leader: Arc<AtomicUsize>,
    retry_timeout: Duration,
    outage: Arc<OutageReporter>,
}

impl FailoverClient {
    /// `addresses` names the coordinators in reports.
    pub(crate) fn new(
        clients: Vec<CoordinatorClient<AuthChannel>>,
        addresses: String,
        retry_timeout: Duration,
    ) -> FailoverClient {
        let outage = Arc::new(OutageReporter::new(addresses, retry_timeout));
        let clients = Arc::new(RwLock::new(clients));
        FailoverClient { clients, relocate: None, leader: Arc::default(), retry_timeout, outage }
    }

    /// The function is called whenever the client fails over.
    #[must_use]
    pub(crate) fn with_relocation(
        self,
        relocate: impl Fn() -> Option<Vec<CoordinatorClient<AuthChannel>>> + Send + Sync + 'static,
    ) -> FailoverClient {
        FailoverClient { relocate: Some(Arc::new(relocate)), ..self }
    }

    /// The position may be from an earlier list.
    fn client(&self, position: usize) -> CoordinatorClient<AuthChannel> {
        let clients = self.clients.read().unwrap_or_else(PoisonError::into_inner);
        clients[position % clients.len()].clone()
    }

    pub(crate) async fn call_once<T, F>(
        &self,
        request: impl FnOnce(CoordinatorClient<AuthChannel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let start = Instant::now();
        let client = self.client(self.leader.load(Ordering::Relaxed));
        let answer = self.watched(start, SILENCE, request(client)).await;
        if let Err(status) = &answer
            && !is_refusal(status)
        {
            // The request is not repeated here, so report the outage without a grace period.
            self.outage
                .unanswered(start.checked_sub(GRACE).unwrap_or(start), &transport::reason(status));
        }
        answer.map(Response::into_inner)
    }

    /// Reports an outage if the answer does not arrive within `silence`.
    async fn watched<T>(
        &self,
        since: Instant,
        silence: Duration,
        request: impl Future<Output = Result<T, Status>>,
    ) -> Result<T, Status> {
        let mut request = pin!(request);
        let answer = match tokio::time::timeout(silence, &mut request).await {
            Ok(answer) => answer,
            Err(_) => {
                self.outage.unanswered(since, "no answer");
                request.await
            }
        };
        if answer.as_ref().err().is_none_or(is_refusal) {
            self.outage.answered();
        }
        answer
    }

    /// Requests that fail together advance only once, because otherwise they could return to the
    /// silent coordinator.
    fn fail_over(&self, silent: usize) {
        let moved = self.relocate.as_ref().and_then(|relocate| relocate());
        let mut clients = self.clients.write().unwrap_or_else(PoisonError::into_inner);
        if let Some(moved) = moved.filter(|moved| !moved.is_empty()) {
            *clients = moved;
            self.leader.store(0, Ordering::Relaxed);
            return;
        }
        let next = (silent + 1) % clients.len();
        // Another request may have failed over already.
        let _ = self.leader.compare_exchange(silent, next, Ordering::Relaxed, Ordering::Relaxed);
    }

    /// Repeats a request until it is answered or refused, or the retry time-out has passed.
    pub(crate) async fn call<T, F>(
        &self,
        request: impl FnMut(CoordinatorClient<AuthChannel>) -> F,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        self.repeat(request, SILENCE).await
    }

    async fn repeat<T, F>(
        &self,
        mut request: impl FnMut(CoordinatorClient<AuthChannel>) -> F,
        silence: Duration,
    ) -> Result<T, Status>
    where
        F: Future<Output = Result<Response<T>, Status>>,
    {
        let start = Instant::now();
        let mut pause = PAUSE.0;
        loop {
            let current = self.leader.load(Ordering::Relaxed);
            let answer = request(self.client(current));
            match self.watched(start, silence, answer).await {
                Ok(reply) => return Ok(reply.into_inner()),
                Err(status) if is_refusal(&status) => return Err(status),
                Err(status) if start.elapsed() >= self.retry_timeout => return Err(status),
                Err(status) => {
                    tracing::debug!("repeating a request: {status}");
                    self.outage.unanswered(start, &transport::reason(&status));
                    self.fail_over(current);
                }
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(PAUSE.1);
        }
    }

    pub(crate) async fn fetch(&self, digest: Digest) -> Result<Arc<[u8]>, Status> {
        // The time-out of the transport covers only the beginning of a stream.
        let limit = 6 * REQUEST_TIMEOUT;
        let fetch = |client| async move {
            let slow = |_| Status::deadline_exceeded("the project is arriving too slowly");
            tokio::time::timeout(limit, download(client, digest)).await.map_err(slow)?
        };
        // A download may take a long time although the coordinator answers.
        self.repeat(fetch, limit).await
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
            return Err(Status::out_of_range(format!(
                "project {digest} is larger than announced or allowed"
            )));
        }
        bytes.extend_from_slice(&chunk.data);
    }
    if Digest::of(&bytes) != digest {
        return Err(Status::out_of_range(format!("project {digest} arrived damaged")));
    }
    Ok(Response::new(bytes.into()))
}

/// A repetition would probably get the same answer.
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
    use catherd_proto::transport::Access;

    use super::*;

    #[tokio::test]
    async fn requests_that_fail_together_fail_over_once() {
        let clients = ["http://ant:1", "http://bee:1"];
        let clients =
            clients.map(|at| transport::coordinator_client(at, &Access::default()).unwrap());
        let client = FailoverClient::new(clients.to_vec(), String::new(), Duration::ZERO);
        let leader = || client.leader.load(Ordering::Relaxed);
        client.fail_over(0);
        client.fail_over(0);
        assert_eq!(leader(), 1);
        client.fail_over(1);
        assert_eq!(leader(), 0);
    }
}
