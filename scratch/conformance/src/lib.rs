//! The machine held against recordings of the original, the clock, other builds and hostile
//! projects.
//!
//! - [`Trace`]: a recorded run; [`replay`]: the same run here, up to the first divergence.
//! - [`survey()`]: all traces of a folder.
//! - [`bench()`]: steps a second, snapshots, loading.
//! - [`digests()`]: what a run with input came to, in one number that must be the same everywhere.
//! - [`fuzz`]: projects damaged on purpose.

mod bench;
mod clock;
mod dice;
mod digest;
mod exercise;
pub mod fuzz;
mod limits;
mod replay;
mod surroundings;
mod survey;
mod trace;

pub use bench::{Speed, bench};
pub use digest::{RunDigest, digests};
pub use exercise::Exercise;
pub use limits::LimitHit;
pub use replay::{Divergence, Replay, replay, replay_best};
pub use surroundings::{Devices, Surroundings};
pub use survey::{Corpus, Outcome, Verdict, device_states, examine, survey, traces};
pub use trace::{Change, Event, Inputs, Properties, Trace, TraceError};
