//! The standard health service (`grpc.health.v1.Health`). It needs no token, because it reports
//! only the serving status.

use catherd_proto::v1::{coordinator_server, studies_server};
use tokio::sync::watch;
use tonic_health::ServingStatus;
use tonic_health::pb::health_server::{Health, HealthServer};

use crate::progress::Progress;

/// The service whose status is `SERVING` while the coordinator leads a working store or stands by.
pub const STANDBY_SERVICE: &str = "catherd.standby";

/// The service whose status is `SERVING` while the coordinator answers.
pub const LIVE_SERVICE: &str = "catherd.live";

/// Services whose status is `SERVING` only while the store works and this coordinator leads it. The
/// empty name stands for the whole server.
const SERVICES: [&str; 3] = ["", coordinator_server::SERVICE_NAME, studies_server::SERVICE_NAME];

/// Must be called within a tokio runtime.
pub(crate) fn service(mut progress: watch::Receiver<Progress>) -> HealthServer<impl Health> {
    let (reporter, server) = tonic_health::server::health_reporter();
    tokio::spawn(async move {
        reporter.set_service_status(LIVE_SERVICE, ServingStatus::Serving).await;
        loop {
            let state = |progress: &Progress| (progress.last_error.is_none(), progress.standby);
            let before @ (healthy, standby) = state(&progress.borrow_and_update());
            let status = |serves| match serves {
                true => ServingStatus::Serving,
                false => ServingStatus::NotServing,
            };
            for service in SERVICES {
                reporter.set_service_status(service, status(healthy)).await;
            }
            reporter.set_service_status(STANDBY_SERVICE, status(healthy || standby)).await;
            let changed = progress.wait_for(|progress| state(progress) != before);
            if changed.await.is_err() {
                return;
            }
        }
    });
    server
}
