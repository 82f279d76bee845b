//! The global objects that this crate adds for scripts, such as `console` and timers.

use std::cell::RefCell;
use std::rc::Rc;
use std::sync::OnceLock;

use rquickjs::{Ctx, Exception, FromJs, Function, Object, Result};

use crate::clock::Clock;
use crate::compiled::{CompileError, CompiledScript};
use crate::limits::{Limits, Meter};
use crate::math;

const POLLS_PER_UNIT: f64 = 10_000.0;

type OwnScript = OnceLock<std::result::Result<CompiledScript, CompileError>>;

static GLOBALS: OwnScript = OnceLock::new();
static LOCALE: OwnScript = OnceLock::new();

/// The level of a line of `console`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LogLevel {
    /// `console.log` and similar methods.
    Info,
    /// `console.warn`.
    Warning,
    /// `console.error` and `console.assert`.
    Error,
}

/// Receives the lines that scripts write to `console`.
pub type Log = Box<dyn FnMut(LogLevel, &str)>;

/// What scripts get from the caller.
pub struct Host {
    /// The numbers of `Math.random`, in [0, 1).
    pub random: Box<dyn FnMut() -> f64>,
    /// Receiver of the lines of `console`.
    pub log: Log,
    /// The date at which the clock begins, in milliseconds since the beginning of 1970, UTC.
    pub date: f64,
    /// Called after every 10,000 operations. Returns whether the script must end
    /// ([`Stop::Caller`](crate::Stop::Caller)).
    pub poll: Box<dyn FnMut() -> bool>,
}

impl Default for Host {
    /// A host with the random number 0.5, without a log, whose clock begins at 2024-01-01T12:00:00Z.
    fn default() -> Host {
        Host {
            random: Box::new(|| 0.5),
            log: Box::new(|_, _| ()),
            date: 1_704_110_400_000.0,
            poll: Box::new(|| false),
        }
    }
}

/// Installs the globals. Returns the function that calls a timer, and the host's object.
pub(crate) fn install<'js>(
    ctx: &Ctx<'js>,
    host: Host,
    guarded: bool,
    clock: &Rc<Clock>,
    meter: &Rc<Meter>,
) -> Result<(Function<'js>, Object<'js>)> {
    let Host { random, log, date, poll: _ } = host;
    let functions = Object::new(ctx.clone())?;
    functions.set("guarded", guarded)?;
    functions.set("math", math::functions(ctx)?)?;
    let counter = Rc::clone(meter);
    let count = move |polls: f64| counter.count((polls / POLLS_PER_UNIT) as u64);
    functions.set("count", Function::new(ctx.clone(), count)?)?;
    let depth = |text: String, quotes: bool| nesting(&text, quotes) as f64;
    functions.set("nesting", Function::new(ctx.clone(), depth)?)?;
    let random = RefCell::new(random);
    functions.set("random", Function::new(ctx.clone(), move || (random.borrow_mut())())?)?;
    let time = Rc::clone(clock);
    // Dates are whole milliseconds.
    let now = move || date + time.told().floor();
    functions.set("now", Function::new(ctx.clone(), now)?)?;
    let (timers, most) = (Rc::clone(clock), meter.limits().timers);
    let set = move |ctx: Ctx<'js>, delay: f64, repeats: bool| {
        if timers.waiting() >= most {
            return Err(Exception::throw_range(&ctx, "too many timers wait at the same time"));
        }
        Ok(timers.set(delay, repeats) as f64)
    };
    functions.set("setTimer", Function::new(ctx.clone(), set)?)?;
    let timers = Rc::clone(clock);
    let clear = move |number: f64| timers.unset(number as u64);
    functions.set("clearTimer", Function::new(ctx.clone(), clear)?)?;
    let log = RefCell::new(log);
    let write = move |level: String, line: String| {
        let level = match level.as_str() {
            "warn" => LogLevel::Warning,
            "error" => LogLevel::Error,
            _ => LogLevel::Info,
        };
        (log.borrow_mut())(level, &line);
    };
    functions.set("log", Function::new(ctx.clone(), write)?)?;
    let install = own_script(ctx, &GLOBALS, include_str!("globals.js"))?;
    let fire = install.call((functions.clone(),))?;
    own_script(ctx, &LOCALE, include_str!("locale.js"))?.call::<_, ()>(())?;
    Ok((fire, functions))
}

/// The maximum nesting depth of brackets in a string. Escaped brackets do not count; with `quotes`,
/// neither do quoted ones.
fn nesting(text: &str, quotes: bool) -> usize {
    let (mut depth, mut deepest) = (0_usize, 0);
    let mut quoted = false;
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            b'"' if quotes => quoted = !quoted,
            b'(' | b'[' | b'{' if !quoted => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b')' | b']' | b'}' if !quoted => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    deepest
}

fn own_script<'js>(ctx: &Ctx<'js>, script: &OwnScript, text: &str) -> Result<Function<'js>> {
    let compiled =
        script.get_or_init(|| CompiledScript::compile("eval_script", text, Limits::default()));
    let compiled =
        compiled.as_ref().map_err(|error| Exception::throw_message(ctx, &error.to_string()))?;
    Function::from_js(ctx, compiled.execute(ctx)?)
}
