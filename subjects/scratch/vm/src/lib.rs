//! The deterministic Scratch virtual machine.
//!
//! A [`Program`] is compiled once from a project and shared; a [`Vm`] executes it step by step, and
//! its caller applies inputs between steps. The same program, settings, seed and inputs result in
//! the same states on every computer, because time is measured in steps, random numbers come from a
//! seeded stream, and transcendental functions come from one portable implementation.
//!
//! # Example
//!
//! ```
//! use std::sync::Arc;
//! use catherd_scratch_sb3::{Limits, Project};
//! use catherd_scratch_vm::{Program, Random, StartEvent, Value, Vm, VmSettings};
//!
//! let json = r#"{"meta": {"semver": "3.0.0"}, "targets": [{
//!     "isStage": true, "name": "Stage", "costumes": [], "sounds": [],
//!     "variables": {"v": ["score", 0]}, "lists": {}, "broadcasts": {},
//!     "blocks": {
//!         "hat": {"opcode": "event_whenflagclicked", "next": "add", "topLevel": true},
//!         "add": {"opcode": "data_changevariableby", "parent": "hat",
//!             "inputs": {"VALUE": [1, [4, "5"]]}, "fields": {"VARIABLE": ["score", "v"]}}
//!     }
//! }]}"#;
//! let project = Project::from_bytes("score", json.as_bytes(), &Limits::default()).unwrap();
//! let program = Arc::new(Program::compile(&project)?);
//! let mut vm = Vm::new(program, VmSettings::default(), Random::portable(1), ());
//! let start = vm.snapshot();
//! for clicks in 1..=3 {
//!     vm.start(StartEvent::Flag);
//!     vm.step();
//!     let stage = vm.target(vm.targets().next().unwrap()).unwrap();
//!     assert_eq!(stage.variable(0), Some(&Value::from(5.0 * f64::from(clicks))));
//! }
//! vm.restore(&start);
//! assert_eq!(vm.steps(), 0);
//! # Ok::<(), catherd_scratch_vm::CompileError>(())
//! ```

mod blocks;
mod calls;
mod code;
mod compare;
mod compat;
mod compile;
mod cycles;
mod digest;
mod direct;
mod distance;
mod eval;
mod functions;
mod hats;
mod input;
mod interpreted;
mod interpreter;
mod keys;
mod limits;
mod linear;
mod midstep;
mod position;
mod program;
mod promises;
mod random;
mod rounding;
mod scheduler;
mod self_test;
mod settings;
mod snapshot_size;
mod state;
mod stretches;
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

pub use calls::Call;
pub use compat::{Compat, UnknownCompat};
pub use compile::CompileError;
pub use digest::DigestScope;
pub use hats::StartEvent;
pub use interpreted::{Fallback, Interpreted};
pub use limits::{Hit, Hits, Limit};
pub use midstep::{Change, Midstep, PenMark, Question};
pub use program::Program;
pub use random::Random;
pub use self_test::{SelfTestReport, run_self_test};
pub use settings::{Pace, VmSettings};
pub use stretches::LONG_SLICE;
pub use target::TargetId;
pub use text::Text;
pub use thread::ThreadId;
pub use tracer::{Traced, Tracer};
pub use unsupported::unsupported;
pub use value::{Value, color_of};
pub use view::TargetView;
pub use vm::{Snapshot, Vm};
