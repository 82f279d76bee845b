//! The protocol of catherd: `catherd.proto`, the code generated from it ([`v1`]), the documents in
//! its messages ([`v1::Document`]), and the connections ([`transport`], [`tls`]).
//!
//! Nothing in a message is ever used as a path: projects are named by digest, runs by number, and a
//! worker's name is only a label.

mod document;
pub mod tls;
pub mod transport;

pub use document::{DOCUMENT_VERSION, DocumentError, digest};

/// Version of the protocol; both sides of a connection must have the same version.
pub const PROTOCOL: u32 = 4;

/// Messages, client and server generated from `catherd.proto`; `tests/generated.rs` writes and
/// compares them.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    include!("generated/catherd.v1.rs");
}
