//! Tests time-outs and pings: no peer may wait forever for a dead connection.

use std::sync::atomic::Ordering;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use catherd_coordinator::{Coordinator, CoordinatorOptions as Study};
use catherd_proto::transport::REQUEST_TIMEOUT;
use catherd_proto::v1::coordinator_server::{Coordinator as CoordinatorApi, CoordinatorServer};
use catherd_proto::v1::{self, HeartbeatRequest};
use futures_util::stream::Pending;
use tonic::{Request, Response, Status};
use turmoil::Sim;

use crate::wire::{self, COORDINATOR, Open};
use crate::world::plan;

/// Longer than the time-out of a ping, and shorter than the time-out of a request.
const PINGED: Duration = Duration::from_secs(11);

fn network() -> Sim<'static> {
    turmoil::Builder::new()
        .rng_seed(7)
        .tick_duration(Duration::from_millis(10))
        .max_message_latency(Duration::from_millis(20))
        .simulation_duration(Duration::from_secs(90))
        .build()
}

/// Adds a coordinator, which answers requests only if `answers` is true. Returns the number of open
/// connections.
fn coordinate(sim: &mut Sim<'_>, answers: bool) -> Open {
    let open = Open::default();
    let connections = open.clone();
    sim.host(COORDINATOR, move || {
        let connections = connections.clone();
        async move {
            let folder = tempfile::tempdir()?;
            let (coordinator, mut writer) =
                Coordinator::new_manual(Study::new(folder.path()), plan(1))?;
            tokio::spawn(coordinator.serve_on(wire::listen(connections).await?));
            loop {
                tokio::time::sleep(Duration::from_millis(20)).await;
                if answers {
                    writer.process_pending();
                }
            }
        }
    });
    open
}

fn heartbeat() -> HeartbeatRequest {
    HeartbeatRequest { worker: "w".into(), held: Vec::new() }
}

#[test]
fn pings_detect_a_dead_connection_and_it_recovers() {
    let mut sim = network();
    coordinate(&mut sim, true);
    sim.client("worker", async {
        let mut client = wire::client();
        client.heartbeat(heartbeat()).await?;
        turmoil::partition(COORDINATOR, "worker");
        let asked = turmoil::elapsed();
        client.heartbeat(heartbeat()).await.unwrap_err();
        let waited = turmoil::elapsed() - asked;
        assert!(waited < PINGED, "{waited:?}");
        tokio::time::sleep(Duration::from_secs(60)).await;
        turmoil::repair(COORDINATOR, "worker");
        let repaired = turmoil::elapsed();
        while client.heartbeat(heartbeat()).await.is_err() {}
        let waited = turmoil::elapsed() - repaired;
        assert!(waited < Duration::from_secs(6), "{waited:?}");
        Ok(())
    });
    sim.run().unwrap();
}

/// A server that answers no request and has no time-outs.
struct SilentCoordinator;

type Streamed = Pending<Result<v1::ProjectChunk, Status>>;

#[tonic::async_trait]
impl CoordinatorApi for SilentCoordinator {
    async fn register(
        &self,
        _: Request<v1::RegisterRequest>,
    ) -> Result<Response<v1::RegisterReply>, Status> {
        std::future::pending().await
    }

    async fn lease(
        &self,
        _: Request<v1::LeaseRequest>,
    ) -> Result<Response<v1::LeaseReply>, Status> {
        std::future::pending().await
    }

    async fn heartbeat(
        &self,
        _: Request<HeartbeatRequest>,
    ) -> Result<Response<v1::HeartbeatReply>, Status> {
        std::future::pending().await
    }

    async fn commit(
        &self,
        _: Request<v1::CommitRequest>,
    ) -> Result<Response<v1::CommitReply>, Status> {
        std::future::pending().await
    }

    type FetchProjectStream = Streamed;

    async fn fetch_project(
        &self,
        _: Request<v1::FetchProjectRequest>,
    ) -> Result<Response<Streamed>, Status> {
        std::future::pending().await
    }
}

#[test]
fn a_request_without_a_reply_times_out() {
    let mut sim = network();
    sim.host(COORDINATOR, || async {
        let connections = wire::listen(Open::default()).await?;
        let server = tonic::transport::Server::builder()
            .add_service(CoordinatorServer::new(SilentCoordinator));
        Ok(server.serve_with_incoming(connections).await?)
    });
    sim.client("worker", async {
        wire::client().heartbeat(heartbeat()).await.unwrap_err();
        let waited = turmoil::elapsed();
        assert!(waited < REQUEST_TIMEOUT + Duration::from_secs(1), "{waited:?}");
        Ok(())
    });
    sim.run().unwrap();
}

#[test]
fn the_coordinator_ends_a_request_that_it_cannot_answer() {
    let mut sim = network();
    coordinate(&mut sim, false);
    sim.client("worker", async {
        wire::client_without_timeouts().heartbeat(heartbeat()).await.unwrap_err();
        let waited = turmoil::elapsed();
        assert!(waited < REQUEST_TIMEOUT + Duration::from_secs(1), "{waited:?}");
        Ok(())
    });
    sim.run().unwrap();
}

#[test]
fn the_coordinator_forgets_workers_that_vanish() {
    let mut sim = network();
    let open = coordinate(&mut sim, true);
    let counted = Arc::new(Mutex::new(Vec::new()));
    let count = counted.clone();
    sim.client("worker", async move {
        let mut client = wire::client_without_timeouts();
        client.heartbeat(heartbeat()).await?;
        count.lock().unwrap().push(open.load(Ordering::Relaxed));
        turmoil::partition(COORDINATOR, "worker");
        tokio::time::sleep(PINGED).await;
        count.lock().unwrap().push(open.load(Ordering::Relaxed));
        Ok(())
    });
    sim.run().unwrap();
    assert_eq!(*counted.lock().unwrap(), [1, 0]);
}
