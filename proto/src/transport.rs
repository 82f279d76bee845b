//! How both ends set up their connection, the same limits and time-outs at each. Without
//! keepalive and request time-outs a partition would hang a client for ever.

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

/// The header that carries a token.
const AUTHORIZATION: &str = "authorization";

/// One end's certificate and key, and the authority that signs those of all ends, in PEM.
#[derive(Clone)]
pub struct Tls {
    /// The authority's certificate.
    pub authority: Vec<u8>,
    /// This end's certificate.
    pub certificate: Vec<u8>,
    /// This end's private key.
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

/// How a client proves who it is.
#[derive(Clone, Default)]
pub struct Access {
    /// Its certificate; without one the connection is in the clear.
    pub tls: Option<Tls>,
    /// Its token.
    pub token: Option<String>,
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Neither keys nor tokens belong into a log.
        let (tls, token) = (self.tls.is_some(), self.token.is_some());
        f.debug_struct("Access").field("tls", &tls).field("token", &token).finish()
    }
}

/// Adds the token to every request.
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

/// The token of a request.
pub fn token(request: &Request<()>) -> Option<&str> {
    request.metadata().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// A channel that authenticates itself.
pub type AuthChannel = InterceptedService<Channel, BearerToken>;

/// A worker's client of the coordinator at `address` (`http://host:port`, or `https://` with
/// TLS). It connects at the first request and again whenever the connection is lost.
///
/// # Errors
///
/// When the address is not a URI, or certificate or key are not PEM.
pub fn coordinator_client(
    address: &str,
    access: &Access,
) -> Result<CoordinatorClient<AuthChannel>, Error> {
    coordinator_client_over(address, access, Endpoint::connect_lazy)
}

/// The same over a network of the caller's choice: `connect` makes the channel of an endpoint
/// that has all limits and time-outs.
///
/// # Errors
///
/// As [`coordinator_client`].
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

/// A person's client of the same.
///
/// # Errors
///
/// As [`coordinator_client`].
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
    // A token that is not ASCII is nobody's.
    let token = access.token.as_ref().and_then(|token| format!("Bearer {token}").parse().ok());
    Ok((endpoint, BearerToken(token)))
}

/// A server for both faces, to be given a listener. `admit` sees every request first. With
/// `tls`, only clients with a certificate of the same authority come that far.
///
/// # Errors
///
/// When certificate or key are not PEM.
pub fn server<C: Coordinator, S: Studies, A: Interceptor + Clone + Send + Sync + 'static>(
    workers: C,
    people: S,
    admit: A,
    tls: Option<&Tls>,
) -> Result<Router, Error> {
    let workers = CoordinatorServer::new(workers)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    let people = StudiesServer::new(people)
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
        .add_service(InterceptedService::new(workers, admit.clone()))
        .add_service(InterceptedService::new(people, admit)))
}
