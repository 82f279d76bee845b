//! gRPC (tonic) on the simulated network.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use catherd_proto::transport::{self, Access, AuthChannel, Channel, Connected, Endpoint};
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use futures_util::Stream;
use futures_util::stream::unfold;
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tonic::codegen::http::Uri;
use turmoil::net::{TcpListener, TcpStream};

pub(crate) const COORDINATOR: &str = "coordinator";
const PORT: u16 = 7000;

pub(crate) type Open = Arc<AtomicUsize>;

pub(crate) fn client() -> CoordinatorClient<AuthChannel> {
    let address = format!("http://{COORDINATOR}:{PORT}");
    transport::coordinator_client_over(&address, &Access::default(), connect).unwrap()
}

pub(crate) fn client_without_timeouts() -> CoordinatorClient<Channel> {
    CoordinatorClient::new(connect(&Endpoint::from_static("http://coordinator:7000")))
}

fn connect(endpoint: &Endpoint) -> Channel {
    endpoint.connect_with_connector_lazy(tower::service_fn(|_: Uri| async {
        io::Result::Ok(TokioIo::new(TcpStream::connect((COORDINATOR, PORT)).await?))
    }))
}

pub(crate) async fn listen(
    open: Open,
) -> io::Result<impl Stream<Item = io::Result<Wire>> + Send + 'static> {
    let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
    Ok(unfold((listener, open), |(listener, open)| async move {
        let wire = listener.accept().await.map(|(stream, _)| {
            open.fetch_add(1, Ordering::Relaxed);
            Wire(stream, open.clone())
        });
        Some((wire, (listener, open)))
    }))
}

/// A connection, on the side of the coordinator.
pub(crate) struct Wire(TcpStream, Open);

impl Drop for Wire {
    fn drop(&mut self) {
        self.1.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connected for Wire {
    type ConnectInfo = ();

    fn connect_info(&self) {}
}

impl AsyncRead for Wire {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_read(context, buffer)
    }
}

impl AsyncWrite for Wire {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        Pin::new(&mut self.0).poll_write(context, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(context)
    }
}
