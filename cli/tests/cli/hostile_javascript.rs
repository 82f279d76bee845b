//! Tests the binary on hostile JavaScript. A program that computes without end, exhausts memory or
//! stack, or crashes the engine affects only its own runs and not the rest of the study.
//!
//! `CATHERD_HOSTILE_SCRIPTS` sets the number of generated programs.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tempfile::TempDir;

use crate::support::{catherd, digests, stderr};

/// Number of generated programs unless the environment sets another number.
const SCRIPTS: usize = 12;

/// Number of executions of each run.
const EXECUTIONS: u32 = 3;

/// The environment variable that limits the processor time of an execution. The value is small,
/// because the tests wait for the limit.
const SECONDS: (&str, &str) = ("CATHERD_JAVASCRIPT_SECONDS", "3");

/// Maximum time of all attempts at a run: many times the limit of processor time, because the
/// machine may be under load.
const MAX_TIME: Duration = Duration::from_secs(300);

/// A harmless program, whose run must not be affected by the other programs.
const HARMLESS: &str = "exports.f = x => x > 1 ? 2 : 3;";

/// Executes a study of the programs in a folder, and returns the projects of quarantined runs with
/// the reasons.
fn study(folder: &Path, programs: usize) -> Vec<(String, String)> {
    let text = format!(
        "subject = 'javascript'\nprojects = ['programs']\nseeds = 1\nalgorithms = ['random']\n\
         [budget]\nexecutions = {EXECUTIONS}\n"
    );
    fs::write(folder.join("study.toml"), text).unwrap();
    let mut command = catherd();
    command.timeout(MAX_TIME * programs as u32).current_dir(folder).env(SECONDS.0, SECONDS.1);
    let output = command.args(["run", "study.toml", "--out", "out"]).output().unwrap();
    let shown = String::from_utf8_lossy(&output.stdout).into_owned() + &stderr(&output);
    assert!(matches!(output.status.code(), Some(0 | 2)), "{:?} {shown}", output.status);
    let mut reader = StoreReader::open(&StoreUrl::Sqlite(folder.join("out/study.db"))).unwrap();
    let quarantined: Vec<_> = reader
        .quarantined(0)
        .unwrap()
        .into_iter()
        .map(|run| (run.spec.project_name.clone(), run.reason.clone()))
        .collect();
    let done = digests(&folder.join("out")).len();
    let skipped = shown.matches(" is skipped").count() + shown.matches(" skipped: ").count();
    assert!(done + quarantined.len() + skipped >= programs, "{done} {quarantined:?} {shown}");
    quarantined
}

fn with_programs(programs: &[(&str, &str)]) -> TempDir {
    let folder = TempDir::new().unwrap();
    fs::create_dir(folder.path().join("programs")).unwrap();
    for (name, text) in programs {
        fs::write(folder.path().join("programs").join(name), text).unwrap();
    }
    folder
}

/// A program with a function that crashes the engine, and a harmless function.
const BIND: &str = "exports.f = function f() {
        let g = () => 0;
        for (let i = 0; i < 200; i++) g = g.bind(null, ...new Array(60000));
        return g();
    };
    exports.ok = a => a;";

#[test]
#[ignore = "slow"]
fn a_run_continues_without_a_test_that_brings_the_engine_down() {
    let results = || {
        let folder = with_programs(&[("bind.js", BIND)]);
        let quarantined = study(folder.path(), 1);
        assert!(quarantined.is_empty(), "{quarantined:?}");
        let runs = fs::read_to_string(folder.path().join("out/runs.csv")).unwrap();
        (digests(&folder.path().join("out")), runs)
    };
    let (digests, runs) = results();
    assert!(runs.contains("limit.crash.executions"), "{runs}");
    assert_eq!(results().0, digests);
}

#[test]
fn a_program_that_brings_the_engine_down_costs_its_run_only() {
    let template = "exports.f = function f() {
        const kept = [];
        for (let i = 0; i < 3000; i++) kept.push(new Array(5000).fill(i));
        const made = [];
        for (let i = 0; ; i++) made.push(eval('(a => a)`' + 'x${1}'.repeat(500) + i + '`'));
    };";
    let folder =
        with_programs(&[("bind.js", BIND), ("template.js", template), ("harmless.js", HARMLESS)]);
    let quarantined = study(folder.path(), 3);
    for (program, reason) in &quarantined {
        assert_ne!(program, "harmless.js", "{reason}");
        let named = "the process of the subject has ended during execution ";
        assert!(reason.contains(named) && reason.contains("`f`"), "{reason}");
    }
}

#[test]
#[ignore = "slow"]
fn work_that_nothing_counts_ends_as_a_crash_that_says_so() {
    let endless = "exports.f = function f() {
        const a = new Array(65535).fill(1);
        const text = 'a'.repeat(1 << 20);
        for (;;) text.indexOf('b');
    };";
    let folder = with_programs(&[("endless.js", endless), ("harmless.js", HARMLESS)]);
    let begun = Instant::now();
    let quarantined = study(folder.path(), 2);
    assert!(begun.elapsed() < MAX_TIME, "{:?}", begun.elapsed());
    let [(program, reason)] = &*quarantined else { panic!("{quarantined:?}") };
    assert_eq!(program, "endless.js");
    assert!(reason.contains("more than 3 s of processor time"), "{reason}");

    // The command `generate` reports the same cause.
    let mut command = catherd();
    let program = folder.path().join("programs/endless.js");
    let output = command.arg("generate").arg(&program).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let words = stderr(&output);
    assert!(words.contains("endless.js: ") && words.contains("processor time"), "{words}");
    assert!(words.contains("Left out: "), "{words}");
}

#[test]
#[ignore = "slow"]
fn the_suite_survives_the_process_of_the_engine() {
    // The second function computes forever in built-in functions.
    let text = "exports.first = n => n > 1 ? 'more' : 'less';
    exports.second = n => {
        if (n > 2) {
            const text = 'a'.repeat(1 << 20);
            for (;;) text.indexOf('b');
        }
        return n;
    };";
    let folder = with_programs(&[("late.js", text)]);
    let mut command = catherd();
    command.current_dir(folder.path()).env(SECONDS.0, SECONDS.1);
    command.args(["generate", "programs/late.js", "-o", "suite.json"]);
    let output = command.output().unwrap();
    let words = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{words}");
    assert!(words.contains("begins again without the test that ended the process"), "{words}");
    assert!(words.contains("Left out: "), "{words}");
    let suite = fs::read_to_string(folder.path().join("suite.json")).unwrap();
    assert!(suite.contains("more") && suite.contains("less"), "{suite}");
    let mut command = catherd();
    command.current_dir(folder.path()).args(["test", "programs/late.js", "suite.json"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
#[cfg(unix)]
#[ignore = "slow"]
fn an_interrupted_search_writes_its_suite() {
    let folder =
        with_programs(&[("numbers.js", "exports.f = n => n > 2 && n < 1 ? 1 : n > 2 ? 2 : 3;")]);
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_catherd"));
    command.current_dir(folder.path()).args([
        "generate",
        "programs/numbers.js",
        "-o",
        "suite.json",
    ]);
    command.args(["--wall", "10min", "--quiet"]).stderr(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    std::thread::sleep(Duration::from_secs(5));
    catherd_platform::terminate(&child).unwrap();
    let begun = Instant::now();
    let status = child.wait().unwrap();
    assert!(begun.elapsed() < Duration::from_secs(120), "{:?}", begun.elapsed());
    assert_eq!(status.code(), Some(3));
    let suite = fs::read_to_string(folder.path().join("suite.json")).unwrap();
    assert!(suite.contains("\"f\""), "{suite}");
}

#[test]
#[ignore = "slow"]
fn built_in_functions_on_hostile_receivers_are_counted() {
    let programs = [
        ("reverse.js", "const g = Object.defineProperty(function () {}, 'length', {value: 2 ** 53 - 1, writable: true});
            exports.f = function f() { Array.prototype.reverse.call(g); };"),
        ("normalize.js", "exports.f = function f() { ('a' + '\\u0301\\u0316'.repeat(1 << 19)).normalize('NFD'); };"),
        ("digits.js", "exports.f = function f() {
            const a = (1n << 130000n) - 1n;
            for (let i = 0; i < 90000; i++) a.toString();
        };"),
        ("shift.js", "exports.f = function f() {
            const a = new Array(60000).fill(1);
            for (;;) { a.reverse(); a.sort(); a.flat(); a.copyWithin(0, 1); }
        };"),
        ("entries.js", "exports.f = function f() {
            const a = new Array(60000).fill(['x', 1]);
            for (;;) Object.fromEntries(a);
        };"),
    ];
    let folder = with_programs(&programs);
    let quarantined = study(folder.path(), programs.len());
    assert!(quarantined.is_empty(), "{quarantined:?}");
}

/// A program with functions, most of which search for the depth at which an operation throws.
const DEPTHS: &str = "
    const search = (attempt, most = 60000) => {
        let [low, high] = [1, most];
        while (high - low > 1) {
            const middle = (low + high) >> 1;
            try { attempt(middle); low = middle; } catch { high = middle; }
        }
        return low;
    };
    const nested = depth => { let a = []; for (let i = 0; i < depth; i++) a = [a]; return a; };
    exports.json = function json() { return search(n => JSON.parse('['.repeat(n) + ']'.repeat(n))); };
    exports.join = function join() { return search(n => String(nested(n)), 6000); };
    exports.groups = function groups() { return search(n => new RegExp('(?:'.repeat(n) + ')'.repeat(n))); };
    exports.match = function match() { return search(n => 'x'.match('(?:'.repeat(n) + ')'.repeat(n))); };
    exports.cycle = function cycle() { const a = [1]; a.push(a, 2); return String(a); };
    const endless = {};
    Object.setPrototypeOf(endless, new Proxy(endless, {}));
    exports.proxies = function proxies() { try { return endless.x; } catch (error) { return error.message; } };";

#[test]
#[ignore = "slow"]
fn depth_does_not_depend_on_the_bytes_of_the_stack() {
    let folder = with_programs(&[("depths.js", DEPTHS)]);
    let mut command = catherd();
    command.current_dir(folder.path()).args(["generate", "programs/depths.js"]);
    command.args(["--executions", "30", "--algorithm", "random", "--quiet", "-o", "suite.json"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let suite = fs::read_to_string(folder.path().join("suite.json")).unwrap();
    // An array in 1,999 other arrays is at the 2,000th level.
    for expected in ["\"10000\"", "\"1999\"", "\"1000\"", "\"1,,2\""] {
        assert!(suite.contains(expected), "{expected}: {suite}");
    }
    assert!(!suite.contains("Maximum call stack"), "{suite}");
    // The suite passes both in the process of a command and in the process of a worker, which uses
    // a different part of its stack.
    let mut command = catherd();
    command.current_dir(folder.path()).args(["test", "programs/depths.js", "suite.json"]);
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let quarantined = study(folder.path(), 1);
    assert!(quarantined.is_empty(), "{quarantined:?}");
    let mut command = catherd();
    command.current_dir(folder.path()).args(["verify", "out"]);
    let output = command.output().unwrap();
    assert!(
        output.status.success(),
        "{}{}",
        String::from_utf8_lossy(&output.stdout),
        stderr(&output)
    );
}

#[test]
#[ignore = "slow"]
fn generated_hostile_programs_end_and_cost_no_study() {
    let count = std::env::var("CATHERD_HOSTILE_SCRIPTS").ok();
    let count = count.map_or(SCRIPTS, |count| count.parse().unwrap());
    let mut random = ChaCha8Rng::seed_from_u64(38);
    let folder = with_programs(&[("harmless.js", HARMLESS)]);
    for number in 0..count {
        let text = hostile(&mut random);
        fs::write(folder.path().join(format!("programs/hostile-{number:03}.js")), text).unwrap();
    }
    let begun = Instant::now();
    let quarantined = study(folder.path(), count + 1);
    say(&format!("{count} programs in {:?}: {} quarantined", begun.elapsed(), quarantined.len()));
    for (program, reason) in &quarantined {
        say(&format!("{program}: {reason}"));
        assert_ne!(program, "harmless.js", "{reason}");
        let known = ["processor time", "signal: ", "more memory"];
        assert!(known.iter().any(|words| reason.contains(words)), "{program}: {reason}");
    }
}

#[expect(clippy::print_stdout, reason = "the test prints what was quarantined")]
fn say(line: &str) {
    println!("{line}");
}

/// Values on which built-in functions are called.
const VALUES: [&str; 22] = [
    "new Array(65535).fill(1)",
    "new Array(2 ** 32 - 1)",
    "Array.from({length: 5000}, (_, i) => i % 7)",
    "({length: 2 ** 53 - 1})",
    "({get length() { return this.n = (this.n ?? 0) + 2 ** 40; }})",
    "Object.defineProperty(function () {}, 'length', {value: 2 ** 53 - 1, writable: true})",
    "new Proxy([1, 2, 3], {})",
    "'a'.repeat(1 << 20)",
    "('a' + '\\u0301\\u0316'.repeat(9999))",
    "((1n << 130000n) - 1n)",
    "(2n ** 30000n)",
    "new Uint8Array(1 << 24)",
    "new Map(Array.from({length: 9999}, (_, i) => [i * 2 ** 32, i]))",
    "new Set(Array.from({length: 9999}, (_, i) => 'k' + i))",
    "/^(a+)+$/",
    "(() => { let a = []; for (let i = 0; i < 30000; i++) a = [a]; return a; })()",
    "(() => { let f = () => 1; for (let i = 0; i < 9000; i++) f = f.bind(null); return f; })()",
    "(() => { let p = {}; for (let i = 0; i < 30000; i++) p = new Proxy(p, {}); return p; })()",
    "(() => { const o = {}; Object.setPrototypeOf(o, new Proxy(o, {})); return o; })()",
    "(() => { let i = [1].values(); for (let k = 0; k < 9000; k++) i = i.drop(0); return i; })()",
    "Symbol('s')",
    "new Date(NaN)",
];

/// Operations on a value `v` and another value `w`.
const ACTIONS: [&str; 36] = [
    "Array.prototype.reverse.call(v)",
    "Array.prototype.sort.call(v)",
    "Array.prototype.flat.call(v, Infinity)",
    "Array.prototype.copyWithin.call(v, 0, 1)",
    "Array.prototype.concat.call(v, w, v)",
    "Array.prototype.splice.call(v, 0, 1, w)",
    "Array.prototype.indexOf.call(v, w)",
    "Array.prototype.join.call(v, w)",
    "Array.prototype.toSorted.call(v)",
    "Array.from(v)",
    "Object.fromEntries(v)",
    "Object.entries(v)",
    "Object.assign({}, v, w)",
    "JSON.stringify(v)",
    "JSON.parse(JSON.stringify(v))",
    "structuredClone(v)",
    "String(v)",
    "String(v).normalize('NFKD')",
    "String(v).indexOf(String(w) + 'z')",
    "String(v).split('').join('-')",
    "String(v).padEnd(1e6, 'xy').toUpperCase()",
    "String(v).localeCompare(String(w))",
    "new RegExp(String(w) + '(a|a)*$').test(String(v))",
    "v * v",
    "v + w",
    "BigInt(v) ** 3n",
    "[...v, ...w]",
    "new Set([...v])",
    "new Map([[v, w]]).get(v)",
    "v.next?.()",
    "v.x",
    "v()",
    "(() => 1).bind(null, ...v)()",
    "eval('(a => a)`' + 'x${1}'.repeat(900) + '`')",
    "eval('('.repeat(20000) + '1' + ')'.repeat(20000))",
    "new Function('return ' + '!'.repeat(50000) + '1')()",
];

/// Allocations that are made first, and change the points at which later requests for memory are
/// refused.
const FILLERS: [&str; 5] = [
    "",
    "for (let i = 0; i < 60; i++) kept.push(new Uint8Array(1 << 20));",
    "for (let i = 0; i < 7600; i++) kept.push(new Array(1000).fill(i));",
    "for (let i = 0; i < 900000; i++) kept.push({i});",
    "let s = 'ab'; for (let i = 0; i < 22; i++) { s += s; kept.push(s.toUpperCase()); }",
];

/// Loops that repeat the actions.
const REPEATS: [&str; 4] =
    ["for (let i = 0; i < 1; i++)", "for (let i = 0; i < 300; i++)", "for (;;)", "while (true)"];

fn hostile(random: &mut ChaCha8Rng) -> String {
    let mut pick = |list: &[&'static str]| list[random.random_range(0..list.len())];
    let mut text = String::new();
    for name in ["f", "g"] {
        let (value, other) = (pick(&VALUES), pick(&VALUES));
        let (filler, repeat) = (pick(&FILLERS), pick(&REPEATS));
        let actions = [pick(&ACTIONS), pick(&ACTIONS)];
        let _ = write!(
            text,
            "exports.{name} = function {name}(a) {{\n  const kept = [];\n  {filler}\n  const v = {value};\n  \
             const w = {other};\n  {repeat} {{\n    try {{ kept[0] = {}; }} catch {{}}\n    \
             try {{ kept[1] = {}; }} catch {{}}\n  }}\n  return a;\n}};\n",
            actions[0], actions[1]
        );
    }
    text
}
