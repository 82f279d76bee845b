//! The JavaScript engine: QuickJS-ng with counted limits, in which the same scripts have the same
//! results on all computers.
//!
//! An [`Engine`] is one isolated context without access to files, network or processes. Its time is
//! a virtual [`Clock`], random numbers come from the caller ([`Host`]), and operations and memory
//! are counted ([`Limits`]). A script that exceeds one of these two limits ends without an error
//! that it could catch ([`Stop`]). Garbage collection cannot be observed, and there are no threads.
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
mod collector;
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

/// The part of rquickjs that callers need. It defines no classes, because the safety of
/// [`Engine::restore`] depends on that.
pub mod quickjs {
    pub use rquickjs::function::IntoArgs;
    pub use rquickjs::{
        Array, Coerced, Ctx, Error, Exception, FromJs, Function, IntoJs, Null, Object, Persistent,
        Result, Value,
    };
}
