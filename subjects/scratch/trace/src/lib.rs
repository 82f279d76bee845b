//! What test generation for Scratch observes of an execution: covered blocks and smallest branch distances,
//! at the end ([`Trace`]) and event by event ([`Recorder`], [`History`]).
//!
//! This is a crate of its own because the interpreter is compiled with its tracer: builds for tests optimise
//! this crate and not the search.

mod recorder;
mod trace;

pub use recorder::{Change, History, Recorder};
pub use trace::Trace;
