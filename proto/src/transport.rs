//! Connections between the coordinator and its workers and clients: clients and servers with the
//! same limits and time-outs. Without keepalive and request time-outs a network partition would
//! block a client forever.

use std::fmt;
use std::time::Duration;

use tonic::codec::CompressionEncoding;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
pub use tonic::transport::server::Connected;
use tonic::transport::server::Router;
use tonic::transport::{Certificate, ClientTlsConfig, Error, Identity, Server, ServerTlsConfig};
pub use tonic::transport::{Channel, Endpoint};
use tonic::{Request, Status};

use crate::v1::coordinator_client::CoordinatorClient;
use crate::v1::coordinator_server::{Coordinator, CoordinatorServer};
use crate::v1::studies_client::StudiesClient;
use crate::v1::studies_server::{Studies, StudiesServer};

/// Largest message in bytes; the receiver refuses a larger one.
pub const MAX_MESSAGE: usize = 32 << 20;

/// Largest number of bytes of a project in one message.
pub const PROJECT_CHUNK: usize = 256 << 10;

/// Largest project in bytes that can be transferred.
pub const MAX_PROJECT: u64 = 512 << 20;

/// Time after which a request has failed.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Silence after which a ping is sent.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// Time within which a ping must be answered; otherwise the connection is closed.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// The header that contains the token.
const AUTHORIZATION: &str = "authorization";

/// Certificate and key of one side of a connection, and the authority that signs the certificates of
/// both sides; all in PEM.
#[derive(Clone)]
pub struct Tls {
    /// The authority's certificate.
    pub authority: Vec<u8>,
    /// This side's certificate.
    pub certificate: Vec<u8>,
    /// This side's private key.
    pub key: Vec<u8>,
}

impl Tls {
    fn identity(&self) -> Identity {
        Identity::from_pem(&self.certificate, &self.key)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// The credentials of a client.
#[derive(Clone, Default)]
pub struct Access {
    /// Its certificate; `None` if the connection is not encrypted.
    pub tls: Option<Tls>,
    /// Its token; `None` if the coordinator has no tokens.
    pub token: Option<String>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys and tokens must not appear in a log.
        let (tls, token) = (self.tls.is_some(), self.token.is_some());
        f.debug_struct("Access").field("tls", &tls).field("token", &token).finish()
    }
}

/// Interceptor that adds the token to every request.
#[derive(Clone)]
pub struct BearerToken(Option<MetadataValue<Ascii>>);

impl Interceptor for BearerToken {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if let Some(token) = &self.0 {
            request.metadata_mut().insert(AUTHORIZATION, token.clone());
        }
        Ok(request)
    }
}

/// The token of a request; `None` if it has none.
pub fn token(request: &Request<()>) -> Option<&str> {
    request.metadata().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// A channel that adds the client's token to every request.
pub type AuthChannel = InterceptedService<Channel, BearerToken>;

/// A client of the worker service at `address` (`http://host:port`, or `https://` with TLS). It
/// connects at the first request, and again whenever the connection is lost.
///
/// # Errors
///
/// If the address is not a URI, or certificate or key are not PEM.
pub fn coordinator_client(
    address: &str,
    access: &Access,
) -> Result<CoordinatorClient<AuthChannel>, Error> {
    coordinator_client_over(address, access, Endpoint::connect_lazy)
}

/// Like [`coordinator_client`] on any network: `connect` creates the channel of an endpoint that has
/// all limits and time-outs.
///
/// # Errors
///
/// Like [`coordinator_client`].
pub fn coordinator_client_over(
    address: &str,
    access: &Access,
    connect: impl FnOnce(&Endpoint) -> Channel,
) -> Result<CoordinatorClient<AuthChannel>, Error> {
    let (endpoint, bearer) = endpoint(address, access)?;
    Ok(CoordinatorClient::with_interceptor(connect(&endpoint), bearer)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE))
}

/// A client of the study service.
///
/// # Errors
///
/// Like [`coordinator_client`].
pub fn studies_client(address: &str, access: &Access) -> Result<StudiesClient<AuthChannel>, Error> {
    let (endpoint, bearer) = endpoint(address, access)?;
    Ok(StudiesClient::with_interceptor(endpoint.connect_lazy(), bearer)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE))
}

fn endpoint(address: &str, access: &Access) -> Result<(Endpoint, BearerToken), Error> {
    let mut endpoint = Endpoint::from_shared(address.to_owned())?
        .connect_timeout(KEEPALIVE_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if let Some(tls) = &access.tls {
        let authority = Certificate::from_pem(&tls.authority);
        let config = ClientTlsConfig::new().ca_certificate(authority).identity(tls.identity());
        endpoint = endpoint.tls_config(config)?;
    }
    // A token that is not ASCII cannot be valid, so it is not sent.
    let token = access.token.as_ref().and_then(|token| format!("Bearer {token}").parse().ok());
    Ok((endpoint, BearerToken(token)))
}

/// A server of both services, without a listener. `auth` is called with every request first. With
/// `tls`, only clients with a certificate of the same authority can connect.
///
/// # Errors
///
/// If certificate or key are not PEM.
pub fn server<C: Coordinator, S: Studies, A: Interceptor + Clone + Send + Sync + 'static>(
    workers: C,
    studies: S,
    auth: A,
    tls: Option<&Tls>,
) -> Result<Router, Error> {
    let workers = CoordinatorServer::new(workers)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    let studies = StudiesServer::new(studies)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    let mut server = Server::builder()
        .timeout(REQUEST_TIMEOUT)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT));
    if let Some(tls) = tls {
        let authority = Certificate::from_pem(&tls.authority);
        server = server.tls_config(
            ServerTlsConfig::new().identity(tls.identity()).client_ca_root(authority),
        )?;
    }
    Ok(server
        .add_service(InterceptedService::new(workers, auth.clone()))
        .add_service(InterceptedService::new(studies, auth)))
}
