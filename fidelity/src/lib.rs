//! The machine held against recordings of the original, and against the clock.
//!
//! - [`Trace`]: a recorded run; [`replay`]: the same run here, up to the first divergence.
//! - [`survey()`]: all traces of a folder.
//! - [`bench()`]: steps a second, snapshots, loading.

mod bench;
mod replay;
mod surroundings;
mod survey;
mod trace;

pub use bench::{Speed, bench};
pub use replay::{Divergence, Replay, replay, replay_best};
pub use surroundings::{Devices, Surroundings};
pub use survey::{Corpus, Outcome, Verdict, device_states, examine, survey, traces};
pub use trace::{Change, Event, Inputs, Properties, Trace, TraceError};
