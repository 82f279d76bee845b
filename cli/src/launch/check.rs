//! Checks that the coordinator would admit workers, before the workers are submitted.

use std::time::Duration;

use catherd_cli_console::Failure;
use catherd_proto::transport;
use catherd_proto::v1;
use tonic::{Code, Status};

use crate::remote::Credentials;

/// Time within which the coordinator must answer.
const LIMIT: Duration = Duration::from_secs(10);

/// Requests a project that does not exist from the coordinators until one of them answers. Only a
/// token that admits workers permits this request.
pub(crate) fn admits_workers(
    credentials: &Credentials,
    addresses: &[String],
) -> Result<(), Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|cause| Failure::new(format_args!("cannot start: {cause}")))?;
    let mut failure = Failure::new("no address of a coordinator").hint("name one with --connect");
    for (address, access) in credentials.reach_all(addresses)? {
        let answer = runtime.block_on(async {
            let mut client = transport::coordinator_client(&address, &access)
                .map_err(|cause| Status::invalid_argument(cause.to_string()))?;
            let request = v1::FetchProjectRequest { digest: vec![0; 32].into() };
            let asked = async { client.fetch_project(request).await?.into_inner().message().await };
            let slow = |_| Status::deadline_exceeded("no answer");
            tokio::time::timeout(LIMIT, asked).await.map_err(slow)?
        });
        let Err(status) = answer else { return Ok(()) };
        match status.code() {
            Code::NotFound => return Ok(()),
            Code::PermissionDenied | Code::Unauthenticated => {
                let reason = transport::reason(&status);
                return Err(Failure::new(format_args!(
                    "the coordinator at {address} would refuse the workers: {reason}"
                ))
                .hint(
                    "make a token: catherd token worker -o FILE, and name it with --token-file",
                ));
            }
            _ => {
                let reason = transport::reason(&status);
                failure = Failure::new(format_args!(
                    "the coordinator at {address} cannot be reached: {reason}"
                ))
                .hint("start it, correct --connect, or use --no-check if only the nodes reach it");
            }
        }
    }
    Err(failure)
}
