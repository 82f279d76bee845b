//! Tracers for the generation of Scratch tests. They record covered blocks and the smallest branch
//! distances, either at the end of an execution ([`Trace`]) or for each event ([`Recorder`],
//! [`History`]).
//!
//! This is a separate crate because the interpreter is compiled with its tracer: builds for tests
//! optimise this crate, but not the search.

mod recorder;
mod trace;

pub use recorder::{Change, History, Recorder};
pub use trace::Trace;
