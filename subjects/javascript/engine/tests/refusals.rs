//! Tests of refused requests for memory, in child processes, because the engine may crash.
//!
//! Commands for all requests under an address sanitizer:
//!
//! ```text
//! library=$(gcc -print-file-name=libasan.so)
//! options=detect_leaks=0:detect_stack_use_after_return=0
//! export CFLAGS="-fsanitize=address -fno-omit-frame-pointer -g" RUSTFLAGS=-Clink-arg=-lasan
//! export CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="env LD_PRELOAD=$library ASAN_OPTIONS=$options"
//! cargo test -p catherd-javascript-engine --target x86_64-unknown-linux-gnu --target-dir target/sanitizer \
//!     --test engine -- --ignored --nocapture each_request_is_refused_once
//! ```

// An allocator that refuses requests.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::{Read, Write as _};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use catherd_javascript_engine::quickjs::Coerced;
use catherd_javascript_engine::{Engine, Host, Limits};
use rquickjs::allocator::{Allocator, RustAllocator};
use rquickjs::{Context, Runtime};

/// Scripts that ask for memory in many parts of the engine.
const SCRIPTS: &[&str] = &[
    // Arguments that are bound repeatedly.
    "let g = (...all) => all.length; for (let i = 0; i < 40; i++) g = g.bind(null, ...new Array(900)); g()",
    // A template that is compiled.
    "let f; for (let i = 0; i < 9; i++) f = eval('((...a) => a)`' + 'x${1}'.repeat(90 + i) + '`'); f.length",
    "JSON.stringify(JSON.parse('[' + '{\"a\":[1,\"b\"]},'.repeat(300) + '0]'), null, 1).length",
    "'a1b22'.repeat(200).replace(/(?<letter>[a-z])(\\d+)/g, (_, l, d) => d + l).split('').sort().join('-').length",
    "class A { #x = 1; static s = [1]; get x() { return this.#x } } class B extends A { y = super.x }
        Array.from({length: 300}, () => new B()).reduce((sum, b) => sum + b.y + b.x, 0)",
    "const log = []; (async () => { for (let i = 0; i < 50; i++) { await null; log.push(i) } })();
        function* g() { try { yield* [1, 2, 3] } finally { log.push(0) } } [...g(), ...log].length",
    "const m = new Map(), s = new Set(); for (let i = 0; i < 900; i++) { m.set('k' + i, {i}); s.add(i * 1.5) }
        [...m.keys(), ...s].length",
    "const {a, ...rest} = Object.fromEntries(Array.from({length: 400}, (_, i) => ['p' + i, i]));
        Object.keys(new Proxy({...rest}, {})).length",
    "let s = ''; for (let i = 0; i < 2000; i++) s += i; ((2n ** 3000n).toString() + s.toUpperCase()).length",
    "const a = new Float64Array(9000).fill(1.5), b = new Array(20000).fill('x').concat([...a]);
        b.splice(5, 100, ...a.subarray(0, 50)); b.flat().length + structuredClone({b: a}).b.length",
    "let text = 'nothing'; for (let i = 0; i < 50; i++) { try { null.x } catch (e) { text = e.stack } } text.length > 9",
    "new Function('a', 'b = () => a', ...['return [a, b, ' + '\"x\",'.repeat(500) + '].length'])(1)",
];

/// Minimum size of the blocks that are refused after the first refusal.
const LARGE: usize = 32 << 10;

/// Refuses one request, and all large ones after it, as the engine's own allocator does.
struct Refusing {
    requests: Rc<Requests>,
}

struct Requests {
    /// Number of requests that are granted before one is refused.
    left: Cell<u64>,
    refused: Cell<bool>,
}

impl Refusing {
    fn grants(&self, size: usize) -> bool {
        let Requests { left, refused } = &*self.requests;
        if left.get() > 0 {
            left.set(left.get() - 1);
            return true;
        }
        refused.replace(true) && size < LARGE
    }
}

// SAFETY: all blocks come from an allocator of rquickjs, which fulfils the requirements of the
// trait; null means that a request is refused.
unsafe impl Allocator for Refusing {
    fn alloc(&mut self, size: usize) -> *mut u8 {
        if self.grants(size) { RustAllocator.alloc(size) } else { std::ptr::null_mut() }
    }

    fn calloc(&mut self, count: usize, size: usize) -> *mut u8 {
        let granted = self.grants(count.saturating_mul(size));
        if granted { RustAllocator.calloc(count, size) } else { std::ptr::null_mut() }
    }

    unsafe fn dealloc(&mut self, block: *mut u8) {
        // SAFETY: the caller's promise.
        unsafe { RustAllocator.dealloc(block) }
    }

    unsafe fn realloc(&mut self, block: *mut u8, size: usize) -> *mut u8 {
        if !self.grants(size) {
            return std::ptr::null_mut();
        }
        // SAFETY: the caller's promise.
        unsafe { RustAllocator.realloc(block, size) }
    }

    unsafe fn usable_size(block: *mut u8) -> usize {
        // SAFETY: the caller's promise.
        unsafe { RustAllocator::usable_size(block) }
    }
}

/// The environment variable that makes a test the child: the index of a script, the first point,
/// the distance between points, and the last point. A point is the number of the refused request.
const CHILD: &str = "CATHERD_REFUSALS";

const MAX_TIME: Duration = Duration::from_secs(900);

/// Evaluates a script and refuses the request with this number. Returns whether there was such a
/// request.
fn refuse(script: &str, number: u64) -> bool {
    let requests = Rc::new(Requests { left: Cell::new(u64::MAX), refused: Cell::new(false) });
    let runtime = Runtime::new_with_alloc(Refusing { requests: Rc::clone(&requests) }).unwrap();
    runtime.set_max_stack_size(256 << 10);
    let context = Context::full(&runtime).unwrap();
    let polled = Rc::clone(&requests);
    runtime.set_interrupt_handler(Some(Box::new(move || polled.refused.get())));
    context.with(|ctx| {
        requests.left.set(number);
        // Ignore the result, which a refused request may change.
        let _ = ctx.eval::<Coerced<String>, _>(script);
        while !requests.refused.get() && ctx.execute_pending_job() {}
        ctx.catch();
    });
    let refused = requests.refused.get();
    requests.left.set(u64::MAX);
    drop(context);
    runtime.run_gc();
    refused
}

/// Returns the result of a script if the script reaches no limit.
fn limited(script: &str, memory: usize) -> Option<String> {
    let limits = Limits { turn: 9_000, test: 9_000, memory, stack: 256 << 10, timers: 9 };
    let engine = Engine::new(limits, Host::default()).ok()?;
    let evaluated = engine.enter(|session| {
        let result = session.evaluate::<Coerced<String>>("script.js", script);
        session.drain();
        let text = result.map_or_else(|thrown| thrown.to_string(), |Coerced(text)| text);
        session.stopped().is_none().then_some(text)
    });
    evaluated.ok()?
}

/// Writes each point before trying it, because this process may die.
fn try_points(points: &str) {
    let mut numbers = points.split(' ').map(|number| number.parse::<usize>().unwrap());
    let mut next = || numbers.next().unwrap();
    let (script, mut point, step, last) = (SCRIPTS[next()], next(), next(), next());
    let mut output = std::io::stdout();
    while point <= last {
        writeln!(output, "point {point}").unwrap();
        if !refuse(script, point as u64) {
            writeln!(output, "complete").unwrap();
            return;
        }
        point += step;
    }
}

#[test]
#[ignore = "is executed by the other tests"]
fn child() {
    if let Ok(points) = std::env::var(CHILD) {
        try_points(&points);
    }
}

fn read_all(mut pipe: impl Read + Send + 'static) -> thread::JoinHandle<String> {
    thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.read_to_end(&mut bytes).unwrap();
        String::from_utf8_lossy(&bytes).into_owned()
    })
}

/// Tries points of a script in child processes, and counts their deaths by place. Returns the
/// number of points.
fn try_script(
    script: usize,
    step: usize,
    most: usize,
    deaths: &mut BTreeMap<String, usize>,
) -> usize {
    let (mut point, mut tried, last) = (0, 0, step * most);
    loop {
        let points = format!("{script} {point} {step} {last}");
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["refusals::child", "--exact", "--ignored", "--nocapture"]);
        command.env(CHILD, &points).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (output, errors) =
            (read_all(child.stdout.take().unwrap()), read_all(child.stderr.take().unwrap()));
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begun.elapsed() > MAX_TIME {
                child.kill().unwrap();
                panic!("script {script} does not end: {}", output.join().unwrap());
            }
            thread::sleep(Duration::from_millis(2));
        };
        let (output, errors) = (output.join().unwrap(), errors.join().unwrap());
        let reached = output.lines().rev().find_map(|line| line.strip_prefix("point "));
        let reached: usize =
            reached.unwrap_or_else(|| panic!("{status} {errors}")).parse().unwrap();
        tried += (reached - point) / step + 1;
        if status.success() {
            return tried;
        }
        let place = place(&errors);
        assert!(status.code().is_none() || place.is_some(), "script {script}, {reached}: {errors}");
        *deaths.entry(place.unwrap_or_else(|| status.to_string())).or_default() += 1;
        point = reached + step;
        if point > last {
            return tried;
        }
    }
}

fn place(report: &str) -> Option<String> {
    let (_, kind) = report.split_once("ERROR: AddressSanitizer: ")?;
    let kind = kind.split_whitespace().next()?;
    let frames = report.lines().filter_map(|line| {
        let (_, function) = line.trim().strip_prefix('#')?.split_once(" in ")?;
        function.split_whitespace().next()
    });
    Some(format!("{kind} in {}", frames.take(3).collect::<Vec<_>>().join(" < ")))
}

#[test]
fn refused_requests_end_the_engine_at_most() {
    let mut deaths = BTreeMap::new();
    let tried: usize =
        (0..SCRIPTS.len()).map(|script| try_script(script, 5, 12, &mut deaths)).sum();
    assert!(tried > 2 * SCRIPTS.len(), "{tried}");
}

#[test]
#[ignore = "takes minutes; see the documentation of this file"]
fn each_request_is_refused_once() {
    let mut output = std::io::stdout();
    for (number, script) in SCRIPTS.iter().enumerate() {
        let mut deaths = BTreeMap::new();
        let tried = try_script(number, 1, usize::MAX, &mut deaths);
        writeln!(output, "{tried} points, {deaths:#?}: {script}").unwrap();
    }
}

#[test]
fn a_script_that_meets_no_limit_has_its_result_with_any_memory() {
    // Skip the first two scripts, for which refused requests crash the engine.
    for script in &SCRIPTS[2..] {
        let expected = limited(script, 64 << 20).unwrap();
        for memory in (1..40).map(|number| number * (160 << 10)) {
            let result = limited(script, memory);
            assert!(result.is_none_or(|result| result == expected), "{memory}: {script}");
        }
    }
}
