//! Limits and time-outs of the connection, the same at both ends. Without keepalive
//! and request time-outs a partition would hang a client for ever.

use std::time::Duration;

use tonic::codec::CompressionEncoding;
use tonic::transport::{Channel, Endpoint, Server};

use crate::v1::coordinator_client::CoordinatorClient;
use crate::v1::coordinator_server::{Coordinator, CoordinatorServer};

/// Largest message in bytes; a larger one is refused by its receiver.
pub const MAX_MESSAGE: usize = 32 << 20;

/// Bytes of a project in one message.
pub const PROJECT_CHUNK: usize = 256 << 10;

/// Largest project in bytes that travels.
pub const MAX_PROJECT: u64 = 512 << 20;

/// A request that takes longer has failed.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// A ping after this much silence ...
const KEEPALIVE: Duration = Duration::from_secs(5);

/// ... must be answered within this time, or the connection is dead.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A client of the coordinator at `address` (`http://host:port`). It connects at the
/// first request and again whenever the connection is lost.
///
/// # Errors
///
/// When the address is not a URI.
pub fn client(address: &str) -> Result<CoordinatorClient<Channel>, tonic::transport::Error> {
    let channel = Endpoint::from_shared(address.to_owned())?
        .connect_timeout(KEEPALIVE_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true)
        .connect_lazy();
    Ok(CoordinatorClient::new(channel)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE))
}

/// A server for `service`, to be given a listener.
pub fn server<C: Coordinator>(service: C) -> tonic::transport::server::Router {
    let service = CoordinatorServer::new(service)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    Server::builder()
        .timeout(REQUEST_TIMEOUT)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .tcp_nodelay(true)
        .add_service(service)
}
