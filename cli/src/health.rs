//! `catherd health`: asks a coordinator whether it serves.

use std::time::Duration;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_coordinator::{LIVE_SERVICE, STANDBY_SERVICE};
use catherd_proto::transport::{self, Access};
use clap::Args;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::remote::Remote;

/// Asks a coordinator whether it serves.
///
/// The command is for probes and scripts. The request is defined by the health service of gRPC, and
/// needs no token. A coordinator serves while its store works and no other coordinator on this
/// store is the leader. Of several coordinators, one must serve.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd health
  catherd health --coordinator ant.example.org:7420 --tls certs/people --timeout 2
  catherd health --coordinator ant:7420,bee:7420

Exit codes:
  0  the coordinator serves, or one of several does
  1  it does not serve or does not answer; standard error says why")]
pub(crate) struct Arguments {
    #[command(flatten)]
    remote: Remote,

    /// How long to wait for the answer, in seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=3600))]
    timeout: u64,

    /// Also succeed while the coordinator stands by, because another coordinator is the leader
    #[arg(long)]
    standby: bool,

    /// Also succeed while the store fails: the coordinator answers, and a restart would not help
    #[arg(long, conflicts_with = "standby")]
    live: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let mut failure = Failure::new("no address of a coordinator");
    for (address, access) in arguments.remote.addresses()? {
        match arguments.ask(&address, &access) {
            Ok(()) => return Ok(Exit::Success),
            Err(cause) => failure = cause,
        }
    }
    Err(failure)
}

impl Arguments {
    fn ask(&self, address: &str, access: &Access) -> Result<(), Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|cause| Failure::new(format_args!("cannot start: {cause}")))?;
        let service = match () {
            () if self.live => LIVE_SERVICE,
            () if self.standby => STANDBY_SERVICE,
            () => "",
        };
        let limit = Duration::from_secs(self.timeout);
        let no_answer = |cause: String| {
            Failure::new(format_args!("no answer from the coordinator at {address}: {cause}"))
                .hint("check that it runs, and that the address and the certificates are right")
        };
        let answer = runtime.block_on(async {
            let mut client = transport::channel(address, access).map(HealthClient::new)?;
            let request = client.check(HealthCheckRequest { service: service.to_owned() });
            Ok(tokio::time::timeout(limit, request).await)
        });
        let answer =
            answer.map_err(|cause: tonic::transport::Error| no_answer(cause.to_string()))?;
        let answer = answer.map_err(|_| no_answer(format!("none in {} s", self.timeout)))?;
        let answer = answer.map_err(|status| no_answer(status.message().to_owned()))?;
        match answer.into_inner().status() {
            ServingStatus::Serving => {
                terminal::print(&format!("the coordinator at {address} serves\n"));
                Ok(())
            }
            _ => Err(Failure::new(format_args!("the coordinator at {address} is not serving"))
                .hint(
                    "the coordinator's log says why: its store fails, or another coordinator is \
                     the leader",
                )),
        }
    }
}
