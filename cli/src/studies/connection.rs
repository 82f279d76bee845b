//! The connection of a command to its coordinator.

use std::cell::RefCell;
use std::pin::pin;
use std::time::Duration;

use catherd_cli_console::{Failure, terminal};
use catherd_proto::transport::{self, Access, AuthChannel};
use catherd_proto::v1;
use catherd_proto::v1::studies_client::StudiesClient;
use tokio::runtime::Runtime;
use tokio::task::{JoinError, JoinSet};
use tokio::time::{Instant, sleep, timeout};
use tonic::{Code, Status, Streaming};

use crate::remote::Remote;

/// Time without an answer after which the command prints the first note.
const SILENCE: Duration = Duration::from_secs(4);

/// Time between further notes.
const REPORT_INTERVAL: Duration = Duration::from_secs(30);

/// Maximum time for which a lost stream is requested again.
const RETRY_TIMEOUT: Duration = Duration::from_secs(600);

/// Time between two requests for a lost stream.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Time within which each of several coordinators must answer whether it leads.
const CHOICE_TIMEOUT: Duration = Duration::from_secs(4);

#[derive(Clone)]
struct Known {
    address: String,
    client: StudiesClient<AuthChannel>,
}

/// A connection to a coordinator or, if there are several on one store, to the leader.
///
/// A separate thread serves the connection, which stays alive while the command does other work,
/// such as writing tables.
pub(super) struct Connection {
    runtime: Runtime,
    known: Vec<Known>,
    /// The coordinator to which requests are sent.
    leader: RefCell<Known>,
}

impl Connection {
    pub(super) fn new(remote: &Remote) -> Result<Connection, Failure> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(1)
            .enable_all()
            .build()
            .map_err(|cause| Failure::new(format_args!("cannot start: {cause}")))?;
        let connect = |(address, access): (String, Access)| {
            let client = runtime.block_on(async { transport::studies_client(&address, &access) });
            let client = client.map_err(|cause| {
                Failure::new(format_args!(
                    "`{address}` is not the address of a coordinator: {cause}"
                ))
                .hint("write HOST:PORT, or several separated by commas")
            })?;
            Ok(Known { address, client })
        };
        let known = remote.addresses()?.into_iter().map(connect);
        let known = known.collect::<Result<Vec<_>, Failure>>()?;
        let first = known.first().cloned();
        let first = first.ok_or_else(|| {
            Failure::new("no address of a coordinator").hint("name one with --coordinator")
        })?;
        let connection = Connection { runtime, known, leader: RefCell::new(first) };
        connection.choose();
        Ok(connection)
    }

    /// If several coordinators are known, chooses the first coordinator that answers that it leads
    /// or that refuses the request.
    fn choose(&self) {
        let [first, others @ ..] = &self.known[..] else { return };
        if others.is_empty() {
            return;
        }
        let leads = async |known: &Known| {
            let mut client = known.client.clone();
            let status = client.get_status(v1::StatusRequest {});
            match timeout(CHOICE_TIMEOUT, status).await {
                Ok(Ok(status)) => !status.into_inner().standby,
                // A refusal will be reported whether the coordinator leads or not.
                Ok(Err(status)) => !may_pass(&status),
                Err(_) => false,
            }
        };
        let found = self.runtime.block_on(async {
            for known in std::iter::once(first).chain(others) {
                if leads(known).await {
                    return Some(known.clone());
                }
            }
            None
        });
        if let Some(found) = found {
            *self.leader.borrow_mut() = found;
        }
    }

    fn address(&self) -> String {
        self.leader.borrow().address.clone()
    }

    fn client(&self) -> StudiesClient<AuthChannel> {
        self.leader.borrow().client.clone()
    }

    pub(super) fn call<T>(
        &mut self,
        request: impl AsyncFnOnce(&mut StudiesClient<AuthChannel>) -> Result<tonic::Response<T>, Status>,
    ) -> Result<T, Failure> {
        let (mut client, address) = (self.client(), self.address());
        let reply = self.runtime.block_on(reported(&address, request(&mut client)));
        reply.map(tonic::Response::into_inner).map_err(|status| self.refused(&status))
    }

    /// Sends `requests` in order, at most `most` of them at the same time. `done` receives the
    /// result of each successful request.
    pub(super) fn in_parallel<T, R, F>(
        &self,
        most: usize,
        requests: impl Iterator<Item = Result<R, Failure>>,
        mut done: impl FnMut(T) -> Result<(), Failure>,
    ) -> Result<(), Failure>
    where
        T: Send + 'static,
        R: FnOnce(StudiesClient<AuthChannel>) -> F,
        F: Future<Output = Result<T, Status>> + Send + 'static,
    {
        let client = self.client();
        self.runtime.block_on(async {
            let mut sent = JoinSet::new();
            let mut ended = |answer: Result<Result<T, Status>, JoinError>| {
                let defect = |defect: JoinError| Status::internal(defect.to_string());
                let answer = answer.map_err(defect).and_then(|answer| answer);
                done(answer.map_err(|status| self.refused(&status))?)
            };
            for request in requests {
                if sent.len() >= most
                    && let Some(answer) = sent.join_next().await
                {
                    ended(answer)?;
                }
                sent.spawn(request?(client.clone()));
            }
            while let Some(answer) = sent.join_next().await {
                ended(answer)?;
            }
            Ok(())
        })
    }

    /// Passes the messages of a stream to `each` until `each` returns false. A lost stream is
    /// requested again.
    pub(super) fn follow<T>(
        &mut self,
        request: impl AsyncFn(
            &mut StudiesClient<AuthChannel>,
        ) -> Result<tonic::Response<Streaming<T>>, Status>,
        mut each: impl FnMut(T) -> bool,
    ) -> Result<(), Failure> {
        let mut stream = Lasting::new(self);
        loop {
            match stream.next(&request)? {
                Some(message) => {
                    if !each(message) {
                        return Ok(());
                    }
                }
                // The coordinator has ended, but may be started again.
                None => stream.lost(&Status::unavailable("the coordinator has ended"))?,
            }
        }
    }

    pub(super) fn refused(&self, status: &Status) -> Failure {
        let reason = transport::reason(status);
        let failure = Failure::new(format_args!("coordinator {}: {reason}", self.address()));
        if let Some(problem) = transport::problem(status) {
            return failure.hint(problem.hint);
        }
        failure.hint(hint(status.code()))
    }
}

/// What to do after a refusal with this code.
fn hint(code: Code) -> &'static str {
    match code {
        Code::Unauthenticated => {
            "work as the user of the coordinator, or name the file of a token with --token-file; \
             `catherd token` makes tokens"
        }
        Code::PermissionDenied => "with --token-file, name a file with a token that permits this",
        Code::NotFound => {
            "`catherd status` lists the studies, and runs.csv of a study lists its runs"
        }
        Code::InvalidArgument => "correct the study or the arguments, then repeat the command",
        Code::OutOfRange => "leave out large projects, or divide the study into several",
        Code::Aborted => "repeat the command if that is still what you want",
        Code::ResourceExhausted | Code::DeadlineExceeded => "repeat the command later",
        Code::DataLoss => {
            "restart the coordinator, which repairs its store, or start it on a copy of \
             `catherd backup`"
        }
        Code::FailedPrecondition => {
            "repeat the command with the version of catherd that the coordinator has"
        }
        _ => "start the coordinator, or name its address with --coordinator HOST:PORT",
    }
}

/// A stream that is requested again when it is lost.
pub(super) struct Lasting<'c, T> {
    connection: &'c Connection,
    stream: Option<Streaming<T>>,
    /// Whether the coordinator has accepted the request before.
    accepted: bool,
    /// The beginning of the outage, and the time of the next note about it.
    outage: Option<(Instant, Instant)>,
}

impl<'c, T> Lasting<'c, T> {
    pub(super) fn new(connection: &'c Connection) -> Lasting<'c, T> {
        Lasting { connection, stream: None, accepted: false, outage: None }
    }

    /// `request` must ask for the messages after the last message that was returned.
    pub(super) fn next(
        &mut self,
        request: &impl AsyncFn(
            &mut StudiesClient<AuthChannel>,
        ) -> Result<tonic::Response<Streaming<T>>, Status>,
    ) -> Result<Option<T>, Failure> {
        let connection = self.connection;
        loop {
            let (address, mut client) = (connection.address(), connection.client());
            let message = connection.runtime.block_on(async {
                let stream = match &mut self.stream {
                    Some(stream) => stream,
                    none => {
                        let opened = reported(&address, request(&mut client)).await?;
                        self.accepted = true;
                        none.insert(opened.into_inner())
                    }
                };
                reported(&address, stream.message()).await
            });
            match message {
                Ok(message) => {
                    if self.outage.take().is_some() {
                        terminal::note(&format!("coordinator {address} answers again"));
                    }
                    return Ok(message);
                }
                Err(status) => self.lost(&status)?,
            }
        }
    }

    fn lost(&mut self, status: &Status) -> Result<(), Failure> {
        let connection = self.connection;
        if !self.accepted || !may_pass(status) {
            return Err(connection.refused(status));
        }
        self.stream = None;
        let now = Instant::now();
        let (since, due) = self.outage.get_or_insert((now, now));
        if now - *since > RETRY_TIMEOUT {
            return Err(connection.refused(status));
        }
        if now >= *due {
            *due = now + REPORT_INTERVAL;
            let (address, reason) = (connection.address(), transport::reason(status));
            terminal::note(&format!(
                "coordinator {address} cannot be reached: {reason}; trying again"
            ));
        }
        connection.runtime.block_on(async { sleep(RETRY_PAUSE).await });
        connection.choose();
        Ok(())
    }
}

/// Whether a failure may be temporary, as during the restart of a coordinator.
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

/// Waits for an answer, and regularly prints that there is none yet.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_refusals_that_may_pass_are_to_be_repeated_later() {
        assert!(hint(Code::ResourceExhausted).contains("later"));
        assert!(hint(Code::OutOfRange).contains("divide the study"));
        assert!(hint(Code::Aborted).contains("repeat the command"));
        assert!(hint(Code::FailedPrecondition).contains("version of catherd"));
    }
}
