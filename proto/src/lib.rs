//! The wire contract of catherd: `catherd.proto`, what is generated from it ([`v1`]),
//! the documents inside ([`v1::Document`]) and how both ends set up their connection
//! ([`transport`]) and know each other.
//!
//! Nothing on the wire is ever used as a path: projects are named by digest, runs by
//! number, and a worker's name only labels rows.

mod document;
pub mod transport;

pub use document::{DOCUMENT_VERSION, DocumentError, digest};

/// Version of the contract; both ends must have the same.
pub const PROTOCOL: u32 = 3;

/// Messages, client and server generated from `catherd.proto`.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    tonic::include_proto!("catherd.v1");
}
