//! Whether the coordinator works, in the protocol that supervisors and load balancers know:
//! `grpc.health.v1.Health`. It needs no token, since it says nothing else.

use catherd_proto::v1::{coordinator_server, studies_server};
use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};

use crate::progress::Progress;

/// The services that are told of; the empty name stands for the whole server.
const SERVICES: [&str; 3] = ["", coordinator_server::SERVICE_NAME, studies_server::SERVICE_NAME];

/// Serving while the store works and this coordinator leads it. To be called in a runtime.
pub(crate) fn service(mut progress: watch::Receiver<Progress>) -> HealthServer<impl Health> {
    let (reporter, server) = tonic_health::server::health_reporter();
    tokio::spawn(async move {
        loop {
            let works = progress.borrow_and_update().last_error.is_none();
            let status = if works { ServingStatus::Serving } else { ServingStatus::NotServing };
            for service in SERVICES {
                reporter.set_service_status(service, status).await;
            }
            let other = progress.wait_for(|progress| progress.last_error.is_none() != works);
            if other.await.is_err() {
                return;
            }
        }
    });
    server
}
