//! The protocol of catherd: `catherd.proto`, the code generated from it ([`v1`]), the documents in
//! its messages ([`v1::Document`]), and the connections ([`transport`], [`tls`]).

mod document;
pub mod tls;
pub mod transport;

pub use document::{DOCUMENT_VERSION, DocumentError, digest};

/// Version of the protocol, which changes if the meaning of messages changes.
pub const PROTOCOL: u32 = 4;

/// Oldest version that this program supports: the previous one, so that coordinators and workers
/// can be replaced one after another.
pub const OLDEST_PROTOCOL: u32 = PROTOCOL - 1;

/// The messages, clients and servers that are generated from `catherd.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    include!("generated/catherd.v1.rs");
}
