//! Engines and sessions.

// Restoring the engine's memory and reading the addresses of promises are unsafe.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use catherd_javascript_heap::{Heap, Image};
use rquickjs::context::EvalOptions;
use rquickjs::function::IntoArgs;
use rquickjs::{Context, Ctx, Error, FromJs, Function, Object, Persistent, Runtime, Value};
use thiserror::Error;

use crate::allocator::MeteredAllocator;
use crate::clock::Clock;
use crate::collector::Collector;
use crate::compiled::CompiledScript;
use crate::context::{Intrinsics, limit_stack};
use crate::globals::{self, Host};
use crate::limits::{Halt, Limits, Meter, Stop};
use crate::stack::Depth;
use crate::thrown::Thrown;
use crate::watch::Pulse;

const MAX_REJECTIONS: usize = 1_000;

/// The memory limit is too small for an engine and its global objects.
#[derive(Debug, Error)]
#[error("the JavaScript engine does not start: {0}")]
pub struct StartError(String);

/// The state of an engine at a point in time.
pub struct EngineImage {
    heap: Image,
    meter: Meter,
    clock: Clock,
    rejections: Vec<Rejection>,
}

impl EngineImage {
    /// Number of bytes of the engine's memory that the image keeps.
    pub fn bytes(&self) -> usize {
        self.heap.bytes()
    }
}

/// A JavaScript context with its own limits.
pub struct Engine {
    /// The function that calls timers. Must be dropped before the context.
    fire: RefCell<Option<Persistent<Function<'static>>>>,
    /// The functions of the host. Without this reference, a script could make the engine drop them.
    functions: RefCell<Option<Persistent<Object<'static>>>>,
    context: Context,
    meter: Rc<Meter>,
    heap: Rc<Heap>,
    collector: Rc<Collector>,
    clock: Rc<Clock>,
    rejections: Rc<RefCell<Vec<Rejection>>>,
    host: RefCell<Option<Host>>,
    guard: Option<Guard>,
}

struct Guard {
    pulse: Arc<Pulse>,
    depth: Depth,
}

#[derive(Clone)]
struct Rejection {
    /// Address of the promise, which identifies the promise while it is alive.
    promise: usize,
    reason: Thrown,
}

impl Engine {
    /// A context in which no script has been executed.
    ///
    /// # Errors
    /// If the limits leave too little memory.
    pub fn new(limits: Limits, mut host: Host) -> Result<Engine, StartError> {
        let failed = |error: Error| StartError(error.to_string());
        let meter = Rc::new(Meter::new(limits));
        let allocator = MeteredAllocator::new(&meter);
        let (heap, collector) = (Rc::clone(allocator.heap()), Rc::clone(allocator.collector()));
        let runtime = Runtime::new_with_alloc(allocator).map_err(failed)?;
        let interrupts = Rc::clone(&meter);
        let mut poll = std::mem::replace(&mut host.poll, Box::new(|| false));
        runtime.set_interrupt_handler(Some(Box::new(move || {
            if poll() {
                interrupts.stop(Stop::Caller);
            }
            interrupts.check_floor();
            interrupts.count(1)
        })));
        let rejections: Rc<RefCell<Vec<Rejection>>> = Rc::default();
        let list = Rc::clone(&rejections);
        runtime.set_host_promise_rejection_tracker(Some(Box::new(
            move |ctx, promise, reason, handled| {
                let promise = promise_address(&promise);
                if handled {
                    list.borrow_mut().retain(|rejection| rejection.promise != promise);
                } else if list.borrow().len() < MAX_REJECTIONS {
                    let reason = Thrown::describe(&ctx, &reason, "");
                    list.borrow_mut().push(Rejection { promise, reason });
                }
            },
        )));
        let context = Context::custom::<Intrinsics>(&runtime).map_err(failed)?;
        let host = RefCell::new(Some(host));
        let (fire, functions) = (RefCell::new(None), RefCell::new(None));
        Ok(Engine {
            fire,
            functions,
            context,
            meter,
            heap,
            collector,
            clock: Rc::default(),
            rejections,
            host,
            guard: None,
        })
    }

    /// Guards the engine before its first use, so that no usable result depends on the size of
    /// stack frames or on processor time. A script that takes most of [`Limits::stack`] is ended
    /// ([`Stop::Stack`]). A call of [`Engine::enter`] that takes too much processor time ends the
    /// process ([`end_process`](crate::end_process)) with a message that names `subject`.
    pub fn guard(&mut self, subject: &str) {
        let pulse = Pulse::start(subject, self.meter.limits().turn);
        self.guard = Some(Guard { pulse, depth: Depth::default() });
    }

    /// Whether scripts in a guarded engine took most of the stack since the last call of
    /// [`Engine::deepen`]. If so, their results must not be used, because they may depend on the
    /// build.
    pub fn exceeded_stack(&self) -> bool {
        let deep = self.guard.as_ref().is_some_and(|guard| guard.depth.was_exceeded());
        deep || self.meter.was_below_floor()
    }

    /// Lets scripts in a guarded engine take `times` times [`Limits::stack`] from now on.
    pub fn deepen(&mut self, times: usize) {
        self.meter.forget_floor();
        if let Some(guard) = &mut self.guard {
            guard.depth.restart(times);
        }
    }

    fn stack(&self) -> usize {
        let times = self.guard.as_ref().map_or(1, |guard| guard.depth.times());
        self.meter.limits().stack.saturating_mul(times)
    }

    /// The clock of scripts.
    pub fn clock(&self) -> &Rc<Clock> {
        &self.clock
    }

    /// Calls `use_session` with a session of the context, after which values of scripts live only
    /// as [`Persistent`] values.
    ///
    /// # Errors
    /// If the global objects do not fit into the memory.
    pub fn enter<R>(
        &self,
        use_session: impl for<'js> FnOnce(&Session<'js>) -> R,
    ) -> Result<R, StartError> {
        let failed = |error: Error| StartError(error.to_string());
        let _entered = self.guard.as_ref().map(|guard| {
            self.meter.set_floor(guard.depth.begin(self.stack()));
            (guard.depth.watch(), guard.pulse.enter())
        });
        self.context.with(|ctx| {
            // Set the limit each time, because restoring the engine's memory restores an earlier
            // limit.
            limit_stack(&ctx, self.stack());
            self.collector.attach(&ctx);
            let fire = match self.host.take() {
                Some(host) => {
                    let guarded = self.guard.is_some();
                    let installed = globals::install(&ctx, host, guarded, &self.clock, &self.meter);
                    let (fire, functions) = installed.map_err(failed)?;
                    *self.functions.borrow_mut() = Some(Persistent::save(&ctx, functions));
                    fire
                }
                None => {
                    let saved = self.fire.borrow().clone();
                    let missing = || StartError("the global objects are not installed".to_owned());
                    saved.ok_or_else(missing)?.restore(&ctx).map_err(failed)?
                }
            };
            *self.fire.borrow_mut() = Some(Persistent::save(&ctx, fire.clone()));
            let session = Session {
                ctx: ctx.clone(),
                fire,
                meter: Rc::clone(&self.meter),
                collector: Rc::clone(&self.collector),
                pulse: self.guard.as_ref().map(|guard| Arc::clone(&guard.pulse)),
                clock: Rc::clone(&self.clock),
                rejections: Rc::clone(&self.rejections),
                file: RefCell::default(),
            };
            Ok(use_session(&session))
        })
    }
}

impl Engine {
    /// Copies the state of the engine: memory, counters, clock and rejections.
    ///
    /// # Errors
    /// If the global objects do not fit into the memory.
    pub fn image(&mut self) -> Result<EngineImage, StartError> {
        // Enter once, so that the engine's own persistent values exist before the image is made. The
        // image contains whether garbage is collected.
        self.enter(|session| session.collector.switch_on(&session.ctx))?;
        Ok(EngineImage {
            heap: self.heap.image(),
            meter: Meter::clone(&self.meter),
            clock: Clock::clone(&self.clock),
            rejections: self.rejections.borrow().clone(),
        })
    }

    /// Restores the state in an image, which is faster than executing the same scripts again.
    /// Functions and buffers that the host has made since are never dropped.
    ///
    /// # Panics
    /// If the image was made by another engine.
    ///
    /// # Safety
    /// - The [`Persistent`] values of this engine are the same as when the image was made.
    /// - The functions and the sources of buffers that the caller had made by then have not been
    ///   dropped. This holds if they are members of an object that a persistent value keeps and
    ///   that no script can reach.
    /// - rquickjs has stored no other value in Rust since. It stores the prototype of each Rust
    ///   class when the first object of the class is made, and it stores the user data of a
    ///   context. The only Rust class here is the class of host functions, whose prototype is
    ///   stored when the global objects are installed, before any image is made.
    ///   [`quickjs`](crate::quickjs) exports nothing that defines another class, and the caller
    ///   must not store values as user data.
    pub unsafe fn restore(&mut self, image: &EngineImage) {
        // SAFETY: no session is open, because the engine is borrowed exclusively, so only
        // persistent values, prototypes and user data refer to blocks. The caller promises that the
        // caller's values are older than the image. The engine's values are older as well: a
        // persistent value for the timers' function, another for the host's functions, and the
        // prototype of host functions. The rejections that the engine lists are strings. Outside
        // the heap, blocks refer only to functions and buffers of the caller and of the host.
        unsafe { self.heap.restore(&image.heap) };
        self.collector.restored();
        self.meter.continue_from(&image.meter);
        self.clock.continue_from(&image.clock);
        self.rejections.borrow_mut().clone_from(&image.rejections);
    }
}

fn promise_address(promise: &Value<'_>) -> usize {
    // SAFETY: the value is an object, because the engine reports only promises, so its union holds
    // a pointer, which is only read.
    unsafe { rquickjs::qjs::JS_VALUE_GET_PTR(promise.as_raw()) as usize }
}

/// A context in use.
pub struct Session<'js> {
    ctx: Ctx<'js>,
    fire: Function<'js>,
    meter: Rc<Meter>,
    collector: Rc<Collector>,
    pulse: Option<Arc<Pulse>>,
    clock: Rc<Clock>,
    rejections: Rc<RefCell<Vec<Rejection>>>,
    file: RefCell<String>,
}

impl<'js> Session<'js> {
    /// The context, for making and reading values.
    pub fn ctx(&self) -> &Ctx<'js> {
        &self.ctx
    }

    /// The clock of scripts.
    pub fn clock(&self) -> &Clock {
        &self.clock
    }

    /// The limit that was reached, if any; nothing may then be executed before [`Session::resume`].
    pub fn stopped(&self) -> Option<Stop> {
        self.meter.stopped()
    }

    /// A switch with which a host function ends the script that calls it.
    pub fn halt(&self) -> Halt {
        Halt(Rc::clone(&self.meter))
    }

    /// Permits execution again after a limit was reached. `turn` replaces [`Limits::turn`].
    pub fn resume(&self, turn: u64) {
        self.meter.resume(turn);
        self.collector.switch_on(&self.ctx);
        if let Some(pulse) = &self.pulse {
            pulse.permit(turn);
        }
    }

    /// Begins a turn, such as a script or a timer, whose operations are counted from 0.
    pub fn begin_turn(&self) {
        self.meter.begin_turn();
    }

    /// Begins a test and its first turn.
    pub fn begin_test(&self) {
        self.meter.begin_test();
    }

    /// Operations since the test began, in units of 10,000.
    pub fn operations(&self) -> u64 {
        self.meter.test_units()
    }

    /// Evaluates a script in the global scope. `file` names the script in errors.
    ///
    /// # Errors
    /// If the script cannot be parsed, throws, reaches a limit, or returns a value of another type.
    pub fn evaluate<V: FromJs<'js>>(&self, file: &str, script: &str) -> Result<V, Thrown> {
        self.file.replace(file.to_owned());
        let mut options = EvalOptions::default();
        options.strict = false;
        options.filename = Some(file.to_owned());
        self.caught(self.ctx.eval_with_options(script, options))
    }

    /// Evaluates a compiled script.
    ///
    /// # Errors
    /// If the script throws, reaches a limit, or returns a value of another type.
    pub fn execute<V: FromJs<'js>>(&self, script: &CompiledScript) -> Result<V, Thrown> {
        self.file.replace(script.file.clone());
        self.caught(script.execute(&self.ctx).and_then(|value| V::from_js(&self.ctx, value)))
    }

    /// Calls a function.
    ///
    /// # Errors
    /// If the function throws, reaches a limit, or returns a value of another type.
    pub fn call<A: IntoArgs<'js>, V: FromJs<'js>>(
        &self,
        function: &Function<'js>,
        arguments: A,
    ) -> Result<V, Thrown> {
        self.caught(function.call(arguments))
    }

    /// Describes a value that a script has thrown.
    pub fn describe(&self, value: &Value<'js>) -> Thrown {
        Thrown::describe(&self.ctx, value, &self.file.borrow())
    }

    /// Returns the value of a result, or what was thrown instead.
    ///
    /// # Errors
    /// If the result is an error.
    pub fn caught<V>(&self, result: Result<V, Error>) -> Result<V, Thrown> {
        result.map_err(|error| match error {
            _ if self.stopped().is_some() => {
                self.ctx.catch();
                Thrown::default()
            }
            error => Thrown::of_error(&self.ctx, &error, &self.file.borrow()),
        })
    }

    /// Executes the jobs of promises until none is left or a limit is reached.
    pub fn drain(&self) {
        while self.stopped().is_none() && self.ctx.execute_pending_job() {
            if self.meter.count_job() {
                break;
            }
        }
    }

    /// Calls the next timer that is due, without executing jobs of promises. Returns false if none
    /// is due.
    ///
    /// # Errors
    /// If the timer's function throws or reaches a limit.
    pub fn fire_timer(&self) -> Result<bool, Thrown> {
        let Some((number, again)) = self.clock.take_due() else { return Ok(false) };
        self.call::<_, ()>(&self.fire, (number as f64, again)).map(|()| true)
    }

    /// Takes the reasons of the unhandled rejections since the last call, at most 1,000.
    pub fn unhandled_rejections(&self) -> Vec<Thrown> {
        if self.stopped().is_some() {
            return Vec::new();
        }
        self.rejections.take().into_iter().map(|rejection| rejection.reason).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Calls `script` with the host's object. Returns how many objects scripts can then reach, and
    /// which of them belong to the host's object.
    fn reached(script: &str) -> (usize, String) {
        let engine = Engine::new(Limits::default(), Host::default()).unwrap();
        let answer: String = engine
            .enter(|session| {
                let functions = engine.functions.borrow().clone().unwrap();
                let host = functions.restore(session.ctx()).unwrap();
                let script: Function = session.evaluate("script.js", script).unwrap();
                let more: Object = session.call(&script, (host.clone(),)).unwrap();
                let search = include_str!("../tests/support/reach.js");
                let search: Function = session.evaluate("reach.js", search).unwrap();
                session.call(&search, (host, more)).unwrap()
            })
            .unwrap();
        let (count, found) = answer.split_once(": ").unwrap();
        (count.parse().unwrap(), found.to_owned())
    }

    #[test]
    fn scripts_reach_nothing_of_the_host() {
        let (count, found) = reached("() => []");
        assert!(count > 600, "{count}");
        assert_eq!(found, "");
        // Stack traces do not lead to members of the host's object either.
        let (_, found) = reached(
            "() => { const all = []; \
             Error.prepareStackTrace = (_, frames) => { all.push(...frames.map(frame => frame.getFunction())) }; \
             for (const f of [() => setTimeout(), () => { for (;;) setTimeout(eval) }, () => structuredClone(), \
                 () => Math.hypot({valueOf() { throw new Error() }}), () => Math.sin(1n), () => [1].sort(5)]) { \
                 try { f() } catch { } \
             } \
             return all }",
        );
        assert_eq!(found, "");
    }

    #[test]
    fn the_search_finds_what_scripts_reach() {
        let (_, found) = reached(
            "host => { Object.defineProperty(Map.prototype, Symbol(), {get: () => [host.now]}); \
             globalThis[Symbol.for('x')] = new Map([[{clear: host.clearTimer}, 1]]); return [] }",
        );
        assert_eq!(found, "host.now host.clearTimer");
    }
}
