//! The deterministic Scratch virtual machine.
//!
//! A [`Program`] is compiled once from a project and shared; a [`Vm`] runs it step by
//! step, with input in between. Time is the step counter, randomness a seeded stream,
//! transcendental functions come from one portable implementation: the same program,
//! seed and input give the same states everywhere.

mod blocks;
mod code;
mod compile;
mod conformance;
mod distance;
mod elementary;
mod eval;
mod input;
mod keys;
mod limits;
mod machine;
mod memory;
mod program;
mod random;
mod scheduler;
mod settings;
mod state;
mod support;
mod text;
mod thread;
mod tracer;
mod value;
mod view;

pub use compile::CompileError;
pub use conformance::{Conformance, conformance};
pub use limits::{Hit, Hits, Limit};
pub use machine::{Snapshot, Vm};
pub use program::Program;
pub use random::Random;
pub use settings::Settings;
pub use state::TargetId;
pub use support::unsupported;
pub use text::Text;
pub use tracer::Tracer;
pub use value::{Value, color_of};
pub use view::TargetView;
