//! Conformance and speed of the Scratch VM: differential testing against recordings of the original
//! and between builds, tests with hostile projects, and benchmarks.
//!
//! - [`Trace`]: a recorded run. [`replay()`]: the same run in this VM, up to the first divergence.
//! - [`replay_all()`]: replays all traces of a folder.
//! - [`bench()`]: steps per second, snapshots, loading.
//! - [`digests()`]: one digest for each project over all states of a run with random input.
//! - [`fuzz`]: mutated projects, loaded and run.

mod bench;
mod comparison;
mod coverage;
mod digest;
mod environment;
pub mod fuzz;
mod interpreted;
mod limits;
mod observer;
mod random_input;
mod recorder_clock;
mod replay;
mod replay_all;
mod replayer;
mod rng;
mod trace;

pub use bench::{ProgramError, Speed, bench};
pub use comparison::Divergence;
pub use digest::{RunDigest, digests};
pub use environment::{Devices, Environment};
pub use interpreted::{WarpBlocks, warp_blocks};
pub use limits::LimitHit;
pub use random_input::RandomInputDriver;
pub use replay::{Replay, replay, replay_best};
pub use replay_all::{
    ProjectIndex, ReplayOutcome, TraceVerdict, device_states, replay_all, replay_indexed,
    trace_files,
};
pub use trace::{InputEvent, Properties, StateChange, StepInputs, Trace, TraceError};
