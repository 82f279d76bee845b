//! Connections between the coordinator and its workers and clients. Without keepalive pings and
//! time-outs, a network partition could block a client forever.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use tonic::codec::CompressionEncoding;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::service::Interceptor;
use tonic::service::interceptor::InterceptedService;
pub use tonic::transport::server::Connected;
use tonic::transport::server::Router;
use tonic::transport::{Certificate, ClientTlsConfig, Error, Identity, Server};
pub use tonic::transport::{Channel, Endpoint};
use tonic::{Code, Request, Status};

pub use crate::tls::Tls;
use crate::tls::{self, Problem};
use crate::v1::coordinator_client::CoordinatorClient;
use crate::v1::coordinator_server::{Coordinator, CoordinatorServer};
use crate::v1::studies_client::StudiesClient;
use crate::v1::studies_server::{Studies, StudiesServer};

/// Maximum size of a message in bytes.
pub const MAX_MESSAGE: usize = 32 << 20;

/// Maximum number of bytes of a project in one message.
pub const PROJECT_CHUNK: usize = 256 << 10;

/// Maximum size of a project that can be transferred, in bytes.
pub const MAX_PROJECT: u64 = 512 << 20;

/// Time within which a request must be answered.
pub const REQUEST_TIMEOUT: Duration = Duration::from_secs(20);

/// Idle time after which a ping is sent.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// Time within which a ping must be answered.
const KEEPALIVE_TIMEOUT: Duration = Duration::from_secs(5);

/// A worker or client must report within five seconds that it cannot reach its coordinator.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(3);

const MAX_CONCURRENT_REQUESTS: u32 = 256;

const MAX_HEADER_BYTES: u32 = 16 << 10;

const AUTHORIZATION: &str = "authorization";

/// The credentials of a client.
#[derive(Clone, Default)]
pub struct Access {
    /// The client's certificate, if the connection is encrypted.
    pub tls: Option<Tls>,
    /// The client's token.
    pub token: Token,
}

/// The token of a client.
#[derive(Clone, Default)]
pub enum Token {
    /// No token.
    #[default]
    None,
    /// This token.
    Known(String),
    /// The token of a coordinator that may not have started yet. The function is called until it
    /// returns a token.
    Late(Arc<dyn Fn() -> Option<String> + Send + Sync>),
}

impl fmt::Debug for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Keys and tokens must not appear in a log.
        let (tls, token) = (self.tls.is_some(), !matches!(self.token, Token::None));
        f.debug_struct("Access").field("tls", &tls).field("token", &token).finish()
    }
}

/// Adds the token to every request.
#[derive(Clone)]
pub struct BearerToken {
    token: Token,
    header: Option<MetadataValue<Ascii>>,
}

impl Interceptor for BearerToken {
    fn call(&mut self, mut request: Request<()>) -> Result<Request<()>, Status> {
        if self.header.is_none() {
            let token = match &self.token {
                Token::None => None,
                Token::Known(token) => Some(token.clone()),
                Token::Late(find) => find(),
            };
            // A token that a header cannot contain is not valid.
            self.header = token.and_then(|token| format!("Bearer {token}").parse().ok());
        }
        if let Some(header) = &self.header {
            request.metadata_mut().insert(AUTHORIZATION, header.clone());
        }
        Ok(request)
    }
}

/// The bearer token of a request.
pub fn token(request: &Request<()>) -> Option<&str> {
    request.metadata().get(AUTHORIZATION)?.to_str().ok()?.strip_prefix("Bearer ")
}

/// A channel that adds the client's token to every request.
pub type AuthChannel = InterceptedService<Channel, BearerToken>;

/// A client of the worker service at `address` (`http://host:port`, or `https://` with TLS). The
/// client connects when it is used.
///
/// # Errors
///
/// If the address, the certificates or the key cannot be used.
pub fn coordinator_client(
    address: &str,
    access: &Access,
) -> Result<CoordinatorClient<AuthChannel>, Error> {
    coordinator_client_over(address, access, Endpoint::connect_lazy)
}

/// The same as [`coordinator_client`], but on any network: `connect` creates a channel from an
/// endpoint.
///
/// # Errors
///
/// The same as for [`coordinator_client`].
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
/// The same as for [`coordinator_client`].
pub fn studies_client(address: &str, access: &Access) -> Result<StudiesClient<AuthChannel>, Error> {
    let (endpoint, bearer) = endpoint(address, access)?;
    Ok(StudiesClient::with_interceptor(endpoint.connect_lazy(), bearer)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE))
}

/// A connection for requests that need no token, such as requests to the health service.
///
/// # Errors
///
/// The same as for [`coordinator_client`].
pub fn channel(address: &str, access: &Access) -> Result<Channel, Error> {
    Ok(endpoint(address, access)?.0.connect_lazy())
}

fn endpoint(address: &str, access: &Access) -> Result<(Endpoint, BearerToken), Error> {
    let mut endpoint = Endpoint::from_shared(address.to_owned())?
        .connect_timeout(CONNECT_TIMEOUT)
        .timeout(REQUEST_TIMEOUT)
        .http2_keep_alive_interval(KEEPALIVE)
        .keep_alive_timeout(KEEPALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .tcp_nodelay(true);
    if let Some(tls) = &access.tls {
        let authority = Certificate::from_pem(&tls.authority);
        let config = ClientTlsConfig::new()
            .ca_certificate(authority)
            .identity(Identity::from_pem(&tls.certificate, &tls.key));
        endpoint = endpoint.tls_config(config)?;
    }
    Ok((endpoint, BearerToken { token: access.token.clone(), header: None }))
}

/// A server of the worker service and, with `studies`, of the study service. `auth` is called first
/// for every request.
pub fn server<C: Coordinator, S: Studies, A: Interceptor + Clone + Send + Sync + 'static>(
    workers: C,
    studies: Option<S>,
    auth: A,
) -> Router {
    let workers = CoordinatorServer::new(workers)
        .accept_compressed(CompressionEncoding::Gzip)
        .max_decoding_message_size(MAX_MESSAGE)
        .max_encoding_message_size(MAX_MESSAGE);
    let studies = studies.map(|studies| {
        StudiesServer::new(studies)
            .accept_compressed(CompressionEncoding::Gzip)
            .max_decoding_message_size(MAX_MESSAGE)
            .max_encoding_message_size(MAX_MESSAGE)
    });
    Server::builder()
        .timeout(REQUEST_TIMEOUT)
        .max_concurrent_streams(MAX_CONCURRENT_REQUESTS)
        .http2_max_header_list_size(MAX_HEADER_BYTES)
        .http2_keepalive_interval(Some(KEEPALIVE))
        .http2_keepalive_timeout(Some(KEEPALIVE_TIMEOUT))
        .add_service(InterceptedService::new(workers, auth.clone()))
        .add_optional_service(studies.map(|studies| InterceptedService::new(studies, auth)))
}

/// The answer of a server that requires TLS to a client that speaks HTTP/2 without it: settings,
/// which must come first, and GOAWAY with the reason INADEQUATE_SECURITY (RFC 9113, section 7).
pub const TLS_REQUIRED: [u8; 26] = [
    0, 0, 0, 4, 0, 0, 0, 0, 0, // SETTINGS: length 0, type 4, no flags, stream 0
    0, 0, 8, 7, 0, 0, 0, 0, 0, // GOAWAY: length 8, type 7, no flags, stream 0
    0, 0, 0, 0, 0, 0, 0, 12, // no stream was processed; INADEQUATE_SECURITY
];

/// A description of the problem with the connection to a coordinator. `None` if the coordinator has
/// answered.
pub fn problem(status: &Status) -> Option<Problem> {
    const REACH: &str = "check that the coordinator is running at this address";
    const PEER: &str = "the coordinator";
    if status.code() == Code::PermissionDenied && status.message().starts_with("h2 protocol error")
    {
        let cause = format!("{PEER} requires TLS, and this side speaks plain text");
        let hint = "with --tls, name a folder that `catherd certs` made";
        return Some(Problem { cause, hint });
    }
    let mut next = status.source();
    let first = next?;
    if let Some(problem) = tls::problem(first, PEER) {
        return Some(problem);
    }
    while let Some(error) = next {
        if let Some(error) = error.downcast_ref::<io::Error>() {
            let cause = match error.kind() {
                io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
                io::ErrorKind::TimedOut => "no answer".to_owned(),
                _ => error.to_string(),
            };
            return Some(Problem { cause, hint: REACH });
        }
        next = error.source();
    }
    Some(Problem { cause: status.message().to_owned(), hint: REACH })
}

/// Why a request failed: the message of the coordinator, or the problem with the connection.
pub fn reason(status: &Status) -> String {
    problem(status).map_or_else(|| status.message().to_owned(), |problem| problem.cause)
}
