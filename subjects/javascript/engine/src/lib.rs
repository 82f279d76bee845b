//! The JavaScript engine: QuickJS-ng with counted limits and without anything that differs between
//! computers.
//!
//! An [`Engine`] is one isolated context. Its caller evaluates scripts, calls functions, and runs
//! promise jobs and timers explicitly, all inside [`Engine::enter`]. The same calls with the
//! same scripts have the same results everywhere:
//!
//! - time is a virtual clock, which the caller advances ([`Clock`]); dates are in UTC;
//! - random numbers come from a stream of the caller ([`Host::random`]);
//! - `Math.sin`, related functions and `**` are computed in the same way on all platforms;
//! - operations and memory are counted ([`Limits`]); a script that exceeds these limits is ended
//!   without an error that the script could catch ([`Stop`]);
//! - the locale is en-US and the time zone UTC; `Intl` does not exist;
//! - garbage collection cannot be observed: `WeakRef` keeps its target, and a
//!   `FinalizationRegistry` never calls its callback; `SharedArrayBuffer` and `Atomics` do not
//!   exist, because there are no threads.
//!
//! Work that is not counted has other limits if the engine is guarded ([`Engine::guard`]): an
//! execution that takes much more processor time than its counted operations ends the process, and
//! deep native recursion ends the script ([`Stop::Stack`]).
//!
//! Scripts cannot reach files, network, processes or the environment: no such function exists.
//! Values of scripts have the types of rquickjs. The module [`quickjs`] exports the types that
//! callers need; no other crate depends on rquickjs directly.
//!
//! # Example
//!
//! ```
//! use catherd_javascript_engine::{Engine, Host, Limits, Stop};
//!
//! let limits = Limits { turn: 20, test: 1_000, memory: 16 << 20, stack: 256 << 10, timers: 9 };
//! let engine = Engine::new(limits, Host::default()).unwrap();
//! engine
//!     .enter(|session| {
//!         let script = "let log = []; setTimeout(() => log.push(Date.now() - start), 1_000);
//!             const start = Date.now(); Promise.resolve().then(() => log.push('job'))";
//!         session.evaluate::<()>("timers.js", script).unwrap();
//!         session.drain();
//!         // Nothing waits for real time.
//!         session.clock().advance_to(session.clock().next_due().unwrap());
//!         while session.fire_timer().unwrap() {}
//!         assert_eq!(session.evaluate::<String>("log.js", "log.join()").unwrap(), "job,1000");
//!
//!         assert!(session.evaluate::<()>("endless.js", "for (;;) {}").is_err());
//!         assert_eq!(session.stopped(), Some(Stop::Operations));
//!     })
//!     .unwrap();
//! ```

mod allocator;
mod clock;
mod compiled;
mod context;
mod engine;
mod globals;
mod limits;
mod math;
mod shared_array;
mod stack;
mod thrown;
mod watch;

pub use clock::Clock;
pub use compiled::{CompileError, CompiledScript};
pub use engine::{Engine, EngineImage, Session, StartError};
pub use globals::{Host, Log, LogLevel};
pub use limits::{Halt, Limits, Stop};
pub use shared_array::{Element, SharedArray};
pub use thrown::Thrown;
pub use watch::end_process;

/// The part of rquickjs that callers need: values of scripts, and conversions between these and
/// values of Rust. This module exports nothing that defines classes, because the safety of
/// [`Engine::restore`] depends on that.
pub mod quickjs {
    pub use rquickjs::function::IntoArgs;
    pub use rquickjs::{
        Array, Coerced, Ctx, Error, Exception, FromJs, Function, IntoJs, Null, Object, Persistent,
        Result, Value,
    };
}
