//! The connection of a command to its coordinator.

use std::pin::pin;
use std::time::Duration;

use catherd_cli_console::{Failure, terminal};
use catherd_proto::transport::{self, AuthChannel};
use catherd_proto::v1::studies_client::StudiesClient;
use tokio::runtime::Runtime;
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status, Streaming};

use crate::remote::Remote;

/// Time without an answer after which the command says so.
const SILENCE: Duration = Duration::from_secs(4);

/// Time until it says so again.
const REPORT_INTERVAL: Duration = Duration::from_secs(30);

/// Longest time for which a stream that was lost is requested again.
const RETRY_TIMEOUT: Duration = Duration::from_secs(600);

/// Time between two requests for a stream that was lost.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// A connection to a coordinator.
pub(super) struct Connection {
    runtime: Runtime,
    client: StudiesClient<AuthChannel>,
    address: String,
}

impl Connection {
    pub(super) fn new(remote: &Remote) -> Result<Connection, Failure> {
        let (address, access) = remote.address()?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(|cause| Failure::new(format_args!("cannot start: {cause}")))?;
        let client = runtime.block_on(async { transport::studies_client(&address, &access) });
        let client = client.map_err(|cause| {
            Failure::new(format_args!("`{address}` is not the address of a coordinator: {cause}"))
                .hint("write HOST:PORT")
        })?;
        Ok(Connection { runtime, client, address })
    }

    /// Sends a request and returns the reply.
    pub(super) fn call<T>(
        &mut self,
        request: impl AsyncFnOnce(&mut StudiesClient<AuthChannel>) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Failure> {
        let reply = reported(&self.address, request(&mut self.client));
        let reply = self.runtime.block_on(reply);
        reply.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// Sends a request whose reply is a stream, while other requests are sent.
    pub(super) fn open<T>(
        &self,
        request: impl AsyncFnOnce(&mut StudiesClient<AuthChannel>) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Failure> {
        let mut client = self.client.clone();
        let reply = self.runtime.block_on(reported(&self.address, request(&mut client)));
        reply.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// Sends a request that takes long because it is large; the caller may repeat one that failed.
    pub(super) fn upload<T>(
        &mut self,
        request: impl AsyncFnOnce(&mut StudiesClient<AuthChannel>) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Status> {
        let reply = self.runtime.block_on(request(&mut self.client));
        reply.map(tonic::Response::into_inner)
    }

    /// The next message of a stream; `None` at its end.
    pub(super) fn next<T>(&self, stream: &mut Streaming<T>) -> Result<Option<T>, Failure> {
        let next = self.runtime.block_on(reported(&self.address, stream.message()));
        next.map_err(|status| self.refused(&status))
    }

    /// Passes the messages of a stream to `each` until it returns false. When the stream is lost, it is
    /// requested again.
    pub(super) fn follow<T>(
        &mut self,
        request: impl AsyncFn(
            &mut StudiesClient<AuthChannel>,
        ) -> Result<tonic::Response<Streaming<T>>, Status>,
        mut each: impl FnMut(T) -> bool,
    ) -> Result<(), Failure> {
        let mut stream = Some(self.call(&request)?);
        let mut outage: Option<(Instant, Instant)> = None;
        loop {
            let message = match &mut stream {
                Some(stream) => self.runtime.block_on(reported(&self.address, stream.message())),
                None => {
                    let requested = self.runtime.block_on(async {
                        sleep(RETRY_PAUSE).await;
                        request(&mut self.client).await
                    });
                    match requested {
                        Ok(opened) => {
                            stream = Some(opened.into_inner());
                            continue;
                        }
                        Err(status) => Err(status),
                    }
                }
            };
            let status = match message {
                Ok(Some(message)) => {
                    if outage.take().is_some() {
                        terminal::note(&format!("coordinator {} answers again", self.address));
                    }
                    if !each(message) {
                        return Ok(());
                    }
                    continue;
                }
                Ok(None) => Status::unavailable("the coordinator has ended"),
                Err(status) => status,
            };
            if !may_pass(&status) {
                return Err(self.refused(&status));
            }
            stream = None;
            let now = Instant::now();
            let (since, due) = outage.get_or_insert((now, now));
            if now - *since > RETRY_TIMEOUT {
                return Err(self.refused(&status));
            }
            if now >= *due {
                *due = now + REPORT_INTERVAL;
                let reason = transport::reason(&status);
                terminal::note(&format!(
                    "coordinator {} cannot be reached: {reason}; trying again",
                    self.address
                ));
            }
        }
    }

    /// The failure for an error status.
    pub(super) fn refused(&self, status: &Status) -> Failure {
        let reason = transport::reason(status);
        let failure = Failure::new(format_args!("coordinator {}: {reason}", self.address));
        if let Some(problem) = transport::problem(status) {
            return failure.hint(problem.hint);
        }
        match status.code() {
            Code::Unauthenticated => failure.hint(
                "work as the user of the coordinator, or name a file with a token with --token-file; \
                 `catherd token` makes tokens",
            ),
            Code::PermissionDenied => {
                failure.hint("name a file with such a token with --token-file")
            }
            Code::NotFound => failure.hint("`catherd status` lists the studies"),
            Code::InvalidArgument => failure.hint("correct the study, then repeat the command"),
            Code::Aborted => failure.hint("repeat the command if that is still what you want"),
            Code::ResourceExhausted => failure.hint("repeat the command later"),
            Code::FailedPrecondition => {
                failure.hint("use the same version of catherd on both machines")
            }
            _ => failure
                .hint("start the coordinator, or name its address with --coordinator HOST:PORT"),
        }
    }
}

/// Whether a failure may be temporary, such as while a coordinator is restarted.
fn may_pass(status: &Status) -> bool {
    transport::problem(status).is_some()
        || matches!(
            status.code(),
            Code::Unavailable
                | Code::Unknown
                | Code::Cancelled
                | Code::Internal
                | Code::DeadlineExceeded
        )
}

/// Waits for an answer, and says now and then that there is none.
async fn reported<T>(address: &str, answer: impl Future<Output = T>) -> T {
    let mut answer = pin!(answer);
    let (start, mut silence) = (Instant::now(), SILENCE);
    loop {
        if let Ok(answer) = timeout(silence, &mut answer).await {
            return answer;
        }
        let seconds = start.elapsed().as_secs();
        terminal::note(&format!("coordinator {address} has not answered for {seconds} s; waiting"));
        silence = REPORT_INTERVAL;
    }
}
