//! The machine held against recordings of the original: reference traces, their replay,
//! and the first divergence.

mod bench;
mod replay;
mod trace;

pub use bench::{Speed, bench};
pub use replay::{Devices, Divergence, Replay, replay, replay_best};
pub use trace::{Change, Event, Inputs, Properties, Trace, TraceError};
