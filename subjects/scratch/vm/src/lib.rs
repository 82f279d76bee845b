//! The deterministic Scratch virtual machine.
//!
//! A [`Program`] is compiled once from a project and shared; a [`Vm`] executes it step by
//! step, and its caller applies inputs between steps. The same program, seed and input give the
//! same states on every computer, because time is the step counter, random numbers come from a
//! seeded stream, and transcendental functions from one portable implementation.

mod blocks;
mod code;
mod compare;
mod compile;
mod cycles;
mod digest;
mod direct;
mod distance;
mod eval;
mod functions;
mod hats;
mod input;
mod interpreter;
mod keys;
mod limits;
mod linear;
mod midstep;
mod position;
mod program;
mod random;
mod rounding;
mod scheduler;
mod self_test;
mod settings;
mod snapshot_size;
mod state;
mod target;
mod text;
mod thread;
mod tracer;
mod trigger;
mod unsupported;
mod value;
mod view;
mod vm;
mod watch;

pub use compile::CompileError;
pub use digest::DigestScope;
pub use hats::StartEvent;
pub use limits::{Hit, Hits, Limit};
pub use midstep::{Change, Midstep, PenMark, Question};
pub use program::Program;
pub use random::Random;
pub use self_test::{SelfTestReport, run_self_test};
pub use settings::{Pace, VmSettings};
pub use target::TargetId;
pub use text::Text;
pub use thread::ThreadId;
pub use tracer::Tracer;
pub use unsupported::unsupported;
pub use value::{Value, color_of};
pub use view::TargetView;
pub use vm::{Snapshot, Vm};
