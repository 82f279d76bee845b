//! The JavaScript engine: QuickJS-ng with counted limits and without anything that differs from
//! one machine to the next.
//!
//! An [`Engine`] is one context of its own. Its caller evaluates scripts, calls functions and
//! drives promises and timers by hand, all inside of [`Engine::enter`]. The same calls with the
//! same scripts have the same results everywhere:
//!
//! - time is a virtual clock, which the caller advances ([`Clock`]); dates are in UTC;
//! - random numbers come from a stream of the caller ([`Host::random`]);
//! - `Math.sin` and its kin and `**` are computed by one implementation instead of the platform's;
//! - operations and memory are counted ([`Limits`]); a script that exceeds them is ended without
//!   a chance to catch that ([`Stop`]);
//! - the locale is en-US and the time zone UTC; `Intl` does not exist;
//! - the collection of garbage cannot be seen: `WeakRef` keeps its target, and no
//!   `FinalizationRegistry` ever calls; what needs threads does not exist (`SharedArrayBuffer`, `Atomics`).
//!
//! Scripts cannot reach files, network, processes or the environment: no such function exists.
//! The values of scripts are those of [`quickjs`]; no other crate depends on it.

mod allocator;
mod clock;
mod compiled;
mod engine;
mod globals;
mod limits;
mod math;
mod shared_array;
mod thrown;

pub use clock::Clock;
pub use compiled::{CompileError, CompiledScript};
pub use engine::{Engine, EngineImage, Session, StartError};
pub use globals::{Host, Log, LogLevel};
pub use limits::{Halt, Limits, Stop};
/// Values of scripts and the conversions between them and Rust's.
pub use rquickjs as quickjs;
pub use shared_array::{Element, SharedArray};
pub use thrown::Thrown;
