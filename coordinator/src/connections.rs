//! Incoming connections of a listener, with limits on connections without an accepted request.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use catherd_proto::tls::{self, ServerConfig, TlsAcceptor, TlsStream};
use catherd_proto::transport::{Connected, TLS_REQUIRED};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};
use tokio_stream::Stream;
use tokio_util::either::Either;

mod unauthenticated;

pub(crate) use unauthenticated::Peer;
use unauthenticated::Unauthenticated;

const MAX_UNAUTHENTICATED: usize = 256;

const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// Pause after the system could not accept a connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Number of old connections that are closed when the system cannot accept a further one. If only
/// one were closed at a time, new connections would wait for a long time.
const CLOSED_AT_ONCE: usize = 32;

const LOG_INTERVAL: Duration = Duration::from_secs(10);

/// The first byte of a TLS connection (RFC 8446, section 5.1).
const TLS_HANDSHAKE: u8 = 22;

/// The TLS configuration of a listener, which may be replaced at any time.
pub(crate) type TlsSetting = Option<watch::Receiver<Arc<ServerConfig>>>;

pub(crate) struct Incoming {
    ready: mpsc::Receiver<Connection>,
}

impl Incoming {
    /// Must be called within a tokio runtime.
    pub(crate) fn of(listener: TcpListener, tls: TlsSetting) -> Incoming {
        let (sender, ready) = mpsc::channel(1);
        tokio::spawn(accept(listener, tls, sender));
        Incoming { ready }
    }
}

impl Stream for Incoming {
    type Item = io::Result<Connection>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.ready.poll_recv(context).map(|connection| connection.map(Ok))
    }
}

impl axum::serve::Listener for Incoming {
    type Io = Connection;
    type Addr = Peer;

    async fn accept(&mut self) -> (Connection, Peer) {
        match self.ready.recv().await {
            Some(connection) => {
                let peer = connection.peer.clone();
                (connection, peer)
            }
            // The accepting task ends only when this value is dropped.
            None => std::future::pending().await,
        }
    }

    fn local_addr(&self) -> io::Result<Peer> {
        // A listener has no `Peer`.
        Err(io::ErrorKind::Unsupported.into())
    }
}

async fn accept(listener: TcpListener, tls: TlsSetting, ready: mpsc::Sender<Connection>) {
    let unauthenticated = Unauthenticated::new(MAX_UNAUTHENTICATED);
    let (mut number, mut exhausted, mut log) = (0, false, FailureLog::default());
    let (failures, mut failed) = mpsc::channel(16);
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(failure) = failed.recv() => {
                log.add(failure);
                continue;
            }
            () = ready.closed() => return,
        };
        let (stream, address) = match accepted {
            Ok(accepted) => accepted,
            // The connection had ended before it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => continue,
            Err(error) => {
                if !exhausted {
                    tracing::error!("cannot accept connections, trying again: {error}");
                }
                exhausted = true;
                for _ in 0..CLOSED_AT_ONCE {
                    unauthenticated.close_oldest();
                }
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        if exhausted {
            tracing::info!("connections are accepted again");
            exhausted = false;
        }
        // Nagle's algorithm with delayed ACKs would delay replies of several packets.
        let _ = stream.set_nodelay(true);
        number += 1;
        let (peer, closed) = unauthenticated.admit(number).await;
        let config = tls.as_ref().map(|tls| tls.borrow().clone());
        let (ready, failures) = (ready.clone(), failures.clone());
        tokio::spawn(async move {
            let mut closed = closed;
            let encrypted = tokio::select! {
                encrypted = timeout(HANDSHAKE_TIMEOUT, encrypt(stream, config)) => encrypted,
                Ok(()) = &mut closed => return,
            };
            match encrypted {
                Ok(Ok(stream)) => {
                    // Sending fails only after the server has ended.
                    let _ = ready.send(Connection::new(stream, peer, closed)).await;
                }
                // If failures are faster than the log, some are not logged.
                Ok(Err(cause)) => drop(failures.try_send(format!("{address}: {cause}"))),
                Err(_) => {
                    let cause = format!("TLS was not set up within {HANDSHAKE_TIMEOUT:?}");
                    drop(failures.try_send(format!("{address}: {cause}")));
                }
            }
        });
    }
}

type Transport = Either<TcpStream, TlsStream<TcpStream>>;

async fn encrypt(
    mut stream: TcpStream,
    config: Option<Arc<ServerConfig>>,
) -> Result<Transport, String> {
    let Some(config) = config else { return Ok(Either::Left(stream)) };
    let mut first = [0];
    match stream.peek(&mut first).await {
        Ok(1..) if first[0] == TLS_HANDSHAKE => {}
        Ok(1..) => {
            refuse(&mut stream, &TLS_REQUIRED).await;
            return Err(
                "the client speaks plain text, and this coordinator requires TLS".to_owned()
            );
        }
        // A probe that only opens a connection is logged as a failed connection as well.
        Ok(0) => return Err("the client closed the connection before TLS was set up".to_owned()),
        Err(error) => return Err(error.to_string()),
    }
    match TlsAcceptor::from(config).accept(stream).into_fallible().await {
        Ok(encrypted) => Ok(Either::Right(encrypted)),
        Err((error, mut stream)) => {
            // The TLS alert with the reason has been sent already.
            refuse(&mut stream, &[]).await;
            let known = tls::problem(&error, "the client");
            Err(known.map_or_else(|| error.to_string(), |known| known.cause))
        }
    }
}

/// Sends a last answer to a client. If unread bytes were left, the system would reset the
/// connection, and the client might not receive the answer.
async fn refuse(stream: &mut TcpStream, answer: &[u8]) {
    let answered = async {
        stream.write_all(answer).await?;
        stream.shutdown().await?;
        let mut rest = stream.take(64 << 10);
        tokio::io::copy(&mut rest, &mut tokio::io::sink()).await
    };
    // The caller drops the connection in any case.
    let _ = timeout(Duration::from_secs(1), answered).await;
}

/// The rate is limited, because any client can make connections fail.
#[derive(Default)]
struct FailureLog {
    quiet_until: Option<Instant>,
    left_out: u64,
}

impl FailureLog {
    fn add(&mut self, failure: String) {
        let now = Instant::now();
        if self.quiet_until.is_some_and(|until| now < until) {
            self.left_out += 1;
            return;
        }
        self.quiet_until = Some(now + LOG_INTERVAL);
        match std::mem::take(&mut self.left_out) {
            0 => tracing::warn!("a connection failed: {failure}"),
            more => tracing::warn!("a connection failed: {failure} (and {more} before it)"),
        }
    }
}

/// Reading fails if the connection must be closed.
pub(crate) struct Connection {
    stream: Transport,
    peer: Peer,
    state: State,
}

enum State {
    /// The receiver gets a value if the connection must be closed.
    Unauthenticated(oneshot::Receiver<()>),
    Authenticated,
    MustClose,
}

impl Connection {
    fn new(stream: Transport, peer: Peer, closed: oneshot::Receiver<()>) -> Connection {
        Connection { stream, peer, state: State::Unauthenticated(closed) }
    }

    fn must_close(&mut self, context: &mut Context<'_>) -> bool {
        if let State::Unauthenticated(closed) = &mut self.state {
            match Pin::new(closed).poll(context) {
                Poll::Pending => {}
                Poll::Ready(Ok(())) => self.state = State::MustClose,
                Poll::Ready(Err(_)) => self.state = State::Authenticated,
            }
        }
        matches!(self.state, State::MustClose)
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        // Requests that are still being served also have a reference to the peer.
        self.peer.release();
    }
}

impl Connected for Connection {
    type ConnectInfo = Peer;

    fn connect_info(&self) -> Peer {
        self.peer.clone()
    }
}

impl AsyncRead for Connection {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        if self.must_close(context) {
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Connection {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write(context, bytes)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.stream).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }
}
