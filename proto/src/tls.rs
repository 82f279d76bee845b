//! TLS (rustls): certificates, the configuration of a server, and descriptions of failed
//! connections.

use std::error::Error;
use std::fmt;
use std::io;
use std::sync::Arc;

use tokio_rustls::rustls::crypto::ring::default_provider;
use tokio_rustls::rustls::pki_types::pem::{self, PemObject};
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::rustls::server::{VerifierBuilderError, WebPkiClientVerifier};
use tokio_rustls::rustls::{self, CertificateError, RootCertStore, ServerConfig as RustlsConfig};

pub use tokio_rustls::TlsAcceptor;
pub use tokio_rustls::server::TlsStream;

/// The configuration of a TLS server.
pub type ServerConfig = RustlsConfig;

/// The certificate and the key of one side of a connection, and the authority for both sides, all
/// in PEM.
#[derive(Clone)]
pub struct Tls {
    /// The authority's certificate.
    pub authority: Vec<u8>,
    /// This side's certificate.
    pub certificate: Vec<u8>,
    /// This side's private key.
    pub key: Vec<u8>,
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Tls")
    }
}

/// Why certificates or keys cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A part is not PEM.
    #[error("{part} is not PEM: {cause}")]
    Pem {
        /// Authority, certificate or key.
        part: &'static str,
        /// The error of the parser.
        cause: pem::Error,
    },
    /// The certificate of the authority cannot be used.
    #[error("the certificate of the authority cannot be used: {0}")]
    Authority(VerifierBuilderError),
    /// A certificate or the key cannot be used, or the key does not belong to the certificate.
    #[error("the certificates or the key cannot be used: {0}")]
    Identity(rustls::Error),
}

impl From<VerifierBuilderError> for TlsError {
    fn from(cause: VerifierBuilderError) -> TlsError {
        TlsError::Authority(cause)
    }
}

impl From<rustls::Error> for TlsError {
    fn from(cause: rustls::Error) -> TlsError {
        TlsError::Identity(cause)
    }
}

/// Whether a server requires certificates from its clients.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientCertificates {
    /// A client needs a certificate from the server's authority.
    Required,
    /// A client needs no certificate.
    Unused,
}

/// The configuration of a server that speaks `protocol` (an ALPN name, such as `h2`) over TLS.
///
/// # Errors
///
/// If a certificate or the key cannot be used.
pub fn server_config(
    tls: &Tls,
    clients: ClientCertificates,
    protocol: &str,
) -> Result<Arc<ServerConfig>, TlsError> {
    let provider = Arc::new(default_provider());
    let builder = RustlsConfig::builder_with_provider(provider.clone())
        .with_safe_default_protocol_versions()?;
    let builder = match clients {
        ClientCertificates::Unused => builder.with_no_client_auth(),
        ClientCertificates::Required => {
            let mut roots = RootCertStore::empty();
            for certificate in certificates("the certificate of the authority", &tls.authority)? {
                roots.add(certificate)?;
            }
            let verifier = WebPkiClientVerifier::builder_with_provider(roots.into(), provider);
            builder.with_client_cert_verifier(verifier.build()?)
        }
    };
    let key = PrivateKeyDer::from_pem_slice(&tls.key)
        .map_err(|cause| TlsError::Pem { part: "the key", cause })?;
    let own = certificates("the certificate", &tls.certificate)?;
    let mut config = builder.with_single_cert(own, key)?;
    config.alpn_protocols = vec![protocol.as_bytes().to_vec()];
    Ok(Arc::new(config))
}

fn certificates(part: &'static str, pem: &[u8]) -> Result<Vec<CertificateDer<'static>>, TlsError> {
    let found: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(pem).collect();
    let found = found.map_err(|cause| TlsError::Pem { part, cause })?;
    match found.is_empty() {
        true => Err(TlsError::Pem { part, cause: pem::Error::NoItemsFound }),
        false => Ok(found),
    }
}

const ONE_AUTHORITY: &str =
    "both sides need certificates from one folder of `catherd certs`; copy its ca.pem to both";
const RENEW: &str = "renew it: repeat the `catherd certs` command that made it, and copy the \
                     new files to that side";
const CLOCKS: &str = "compare the clocks of both machines";
const OTHER: &str = "use certificates that `catherd certs` made, and the same catherd at both \
                     ends";

/// A problem with a connection, and a hint about what to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The cause.
    pub cause: String,
    /// A hint about what to do.
    pub hint: &'static str,
}

/// Describes the TLS failure among an error and its sources. `peer` is the other side of the
/// connection, for example "the coordinator".
pub fn problem(error: &(dyn Error + 'static), peer: &str) -> Option<Problem> {
    let Some(found) = find(error) else { return alert(error).map(|name| refused(&name, peer)) };
    let (cause, hint) = match found {
        rustls::Error::InvalidCertificate(flaw) => match flaw {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                (format!("the certificate of {peer} has expired"), RENEW)
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                (format!("the certificate of {peer} is not valid yet"), CLOCKS)
            }
            CertificateError::NotValidForName => (
                format!("the certificate of {peer} does not name this address"),
                "use an address that the certificate names, or make one for this address: catherd \
                 certs --for NAME",
            ),
            CertificateError::NotValidForNameContext { expected, presented } => (
                format!(
                    "the certificate of {peer} is not for {}, but for {}",
                    expected.to_str(),
                    presented.iter().map(|name| plain_name(name)).collect::<Vec<_>>().join(", ")
                ),
                "use an address that the certificate names, or make one for this address: catherd \
                 certs --for NAME",
            ),
            CertificateError::UnknownIssuer
            | CertificateError::BadSignature
            | CertificateError::UnsupportedSignatureAlgorithmForPublicKeyContext { .. } => {
                (format!("the certificate of {peer} is from an unknown authority"), ONE_AUTHORITY)
            }
            other => (format!("the certificate of {peer} cannot be used: {other}"), OTHER),
        },
        rustls::Error::AlertReceived(alert) => return Some(refused(&format!("{alert:?}"), peer)),
        rustls::Error::NoCertificatesPresented => {
            (format!("{peer} presented no certificate"), ONE_AUTHORITY)
        }
        rustls::Error::InvalidMessage(_) => (
            format!("{peer} speaks plain text, and this side expects TLS"),
            "leave --tls out if the coordinator does not use it, or start the coordinator with --tls",
        ),
        other => (format!("TLS with {peer} failed: {other}"), OTHER),
    };
    Some(Problem { cause, hint })
}

/// `alert` is the name of an alert of RFC 8446, section 6.2.
fn refused(alert: &str, peer: &str) -> Problem {
    let (cause, hint) = match alert {
        "CertificateExpired" => {
            (format!("{peer} refused this side's certificate, because it has expired"), RENEW)
        }
        "UnknownCA" | "DecryptError" => (
            format!("{peer} refused this side's certificate: its authority is unknown there"),
            ONE_AUTHORITY,
        ),
        "CertificateRequired" => {
            (format!("{peer} requires a certificate from this side"), ONE_AUTHORITY)
        }
        _ => (format!("{peer} refused the connection (TLS alert {alert})"), OTHER),
    };
    Problem { cause, hint }
}

/// The name of the alert that ended a connection. HTTP/2 keeps only the message of the underlying
/// connection's error.
fn alert(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if let Some((_, name)) = text.split_once("received fatal alert: ") {
            return Some(name.chars().take_while(char::is_ascii_alphanumeric).collect());
        }
        next = error.source();
    }
    None
}

/// Rustls shows a name with its type, as in `DnsName("ant")`.
fn plain_name(name: &str) -> &str {
    name.split('"').nth(1).unwrap_or(name)
}

fn find<'a>(error: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(found) = error.downcast_ref() {
            return Some(found);
        }
        // For an I/O error, `source` skips the contained error.
        if let Some(contained) = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref)
            && let Some(found) = find(contained)
        {
            return Some(found);
        }
        next = error.source();
    }
    None
}
