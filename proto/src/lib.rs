//! The protocol of catherd: `catherd.proto`, the code generated from it ([`v1`]), the documents in
//! its messages ([`v1::Document`]), and the connections ([`transport`], [`tls`]).
//!
//! Nothing in a message is ever used as a path: projects are named by digest, runs by number, and a
//! worker's name is only a label.

mod document;
pub mod tls;
pub mod transport;

pub use document::{DOCUMENT_VERSION, DocumentError, digest};

/// Version of the protocol. A change of its meaning makes another one; fields that may be absent do
/// not.
pub const PROTOCOL: u32 = 4;

/// Oldest version that this program still speaks: the one before, so that coordinators and workers can
/// be replaced one after another. A worker tells the coordinator both versions.
pub const OLDEST_PROTOCOL: u32 = PROTOCOL - 1;

/// Messages, client and server generated from `catherd.proto`; `tests/generated.rs` writes and
/// compares them.
#[allow(missing_docs, unreachable_pub, clippy::all)]
pub mod v1 {
    include!("generated/catherd.v1.rs");
}
