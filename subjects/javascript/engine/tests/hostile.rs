//! Tests of hostile scripts.

use crate::support;

use catherd_javascript_engine::quickjs::Coerced;
use catherd_javascript_engine::{Engine, Host, Limits, Stop};
use support::{run, small};

const COMPUTES: &str = "ended: the script does not stop computing";
const MEMORY: &str = "ended: the script uses more memory than allowed";

const ENDLESS: &[(&str, &str)] = &[
    ("loop", "for (;;) {}"),
    ("loop that catches", "for (;;) { try { for (;;) {} } catch {} finally { for (;;) {} } }"),
    ("loop in a getter", "({get x() { for (;;) {} }}).x"),
    ("loop in a conversion", "`${{toString() { for (;;) {} }}}`"),
    ("loop in a proxy", "new Proxy({}, {get() { for (;;) {} }}).x"),
    ("loop in a comparison", "[3, 1, 2].sort(() => { for (;;) {} })"),
    ("loop in a replacement", "'a'.replace(/a/, () => { for (;;) {} })"),
    ("loop in a constructor", "new (class { constructor() { for (;;) {} } })"),
    ("loop in an iterator", "for (const x of {[Symbol.iterator]: () => ({next: () => ({})})}) {}"),
    ("spread of an endless iterator", "[...{[Symbol.iterator]: () => ({next: () => ({})})}]"),
    ("endless generator", "function* f() { for (;;) yield 1 } for (const x of f()) {}"),
    ("loop in JSON", "JSON.stringify({toJSON() { for (;;) {} }})"),
    ("loop in a reviver", "JSON.parse('[1]', () => { for (;;) {} })"),
    ("loop in eval", "eval('for (;;) {}')"),
    ("loop in Function", "new Function('for (;;) {}')()"),
    ("loop in an async function", "(async () => { await 1; for (;;) {} })()"),
    (
        "loop after a catch",
        "(async () => { try { await 1; for (;;) {} } catch {} })().catch(() => 1)",
    ),
    ("loop in a timer", "setTimeout(() => { for (;;) {} }, 5)"),
    ("endless thenables", "const t = {then(f) { f(t) }}; Promise.resolve(t)"),
    ("endless awaits", "(async () => { for (;;) await null })()"),
    ("endless microtasks", "const f = () => queueMicrotask(f); f()"),
    ("backtracking", "/^(a+)+$/.test('a'.repeat(40) + 'b')"),
    ("nested backtracking", "/(x+x+)+y/.test('x'.repeat(60))"),
    ("recursion that catches", "const f = () => { try { f() } catch { f() } }; f()"),
    ("huge copies", "let s = 'a'.repeat(1e6); for (;;) s.toUpperCase()"),
    ("huge arrays", "for (;;) new Array(1e5).fill(0)"),
    ("huge products", "const x = 2n ** 500000n; for (;;) x * x"),
    ("index of a huge array-like", "Array.prototype.indexOf.call({length: 2 ** 53 - 1}, 1)"),
    (
        "fill of a huge array-like",
        "Array.prototype.fill.call({length: 2 ** 53 - 1, set 0(x) {}}, 1)",
    ),
    ("includes of a sparse array", "new Array(2 ** 32 - 1).includes(1)"),
    ("join of a sparse array", "new Array(2 ** 32 - 1).join('')"),
    ("every of a sparse array", "const a = []; a.length = 2 ** 32 - 1; a.every(x => true)"),
    ("reverse of a sparse array", "const a = []; a.length = 2 ** 32 - 1; a.reverse()"),
    ("sort of a huge array-like", "Array.prototype.sort.call({length: 2 ** 40})"),
    ("prototype that loops", "Array.prototype.push = () => { for (;;) {} }; [].push(1)"),
    (
        "thenable prototype",
        "Object.prototype.then = function () { for (;;) {} }; (async () => ({}))()",
    ),
    (
        "damaged apply",
        "Reflect.apply = Function.prototype.call = () => { for (;;) {} }; (() => 1).call()",
    ),
    ("promises that reject", "for (;;) Promise.reject(new Error('x'))"),
    ("endless interval", "setInterval(() => { for (let i = 0; i < 1e6; i++); }, 0)"),
];

const GREEDY: &[(&str, &str)] = &[
    ("endless promises", "const f = () => Promise.resolve().then(f); f()"),
    (
        "promises that double",
        "const f = () => { Promise.resolve().then(f); Promise.resolve().then(f) }; f()",
    ),
    ("text that doubles", "let s = 'a'; for (;;) { s = s + s; s.charCodeAt(s.length - 1) }"),
    ("array that grows", "const a = []; for (;;) a.push({})"),
    ("map that grows", "const m = new Map; for (let i = 0;; i++) m.set(i, [i])"),
    ("list that grows", "let l = null; for (;;) l = {l}"),
    ("closures", "const a = []; for (;;) { const x = a.length; a.push(() => x) }"),
    ("promises that wait", "const a = []; for (;;) a.push(new Promise(() => 1))"),
    ("typed arrays", "const a = []; for (;;) a.push(new Uint8Array(1e6))"),
    ("properties", "const o = {}; for (let i = 0;; i++) o['p' + i] = i"),
    ("symbols", "const a = []; for (;;) a.push(Symbol('s'))"),
    (
        "async functions that wait",
        "const w = new Promise(() => 1); for (;;) (async () => await w)()",
    ),
    (
        "parts of a string",
        "const s = 'ab,'.repeat(1e5); const a = []; for (;;) a.push(s.split(','))",
    ),
];

#[test]
#[ignore = "slow"]
fn endless_scripts_end_by_operations() {
    for (name, script) in ENDLESS {
        assert_eq!(run(small(), script), COMPUTES, "{name}");
    }
}

#[test]
fn greedy_scripts_end_by_memory() {
    for (name, script) in GREEDY {
        let limits = Limits { turn: 2_000, test: 2_000, ..small() };
        assert_eq!(run(limits, script).lines().next(), Some(MEMORY), "{name}");
    }
}

#[test]
fn a_limit_ends_a_script_at_the_same_place_each_time() {
    let script = "let n = 0; const f = () => { n++; if (n % 100 === 0) console.log(n) };
        (async () => { for (;;) { try { f(); await null } finally { n += 0 } } })()";
    let first = run(small(), script);
    assert!(first.lines().count() > 5, "{first}");
    assert_eq!(first, run(small(), script));
    let script =
        "const a = []; for (let i = 0;; i++) { a.push({i}); if (i % 1000 === 0) console.log(i) }";
    let limits = Limits { turn: 2_000, ..small() };
    let first = run(limits, script);
    assert!(first.ends_with(MEMORY) && first.lines().count() > 10, "{first}");
    assert_eq!(first, run(limits, script));
}

#[test]
fn nothing_is_executed_after_the_end() {
    let script = "try { for (;;) {} } catch { console.log('caught') } finally { console.log('f') }
        console.log('after')";
    assert_eq!(run(small(), script), COMPUTES);
    let script = "Promise.resolve().then(() => { for (;;) {} }).catch(() => console.log('caught'));
        Promise.resolve().then(() => console.log('other'))";
    assert_eq!(run(small(), script), COMPUTES);
}

#[test]
fn recursion_and_timers_are_limited_by_errors() {
    let recursion = "function f() { f() } f()";
    assert!(
        run(small(), recursion).starts_with("threw: RangeError: "),
        "{}",
        run(small(), recursion)
    );
    let caught = "function f() { f() } try { f() } catch (e) { console.log(e.name) }";
    assert_eq!(run(small(), caught), "RangeError");
    let json = "JSON.parse('['.repeat(1e5))";
    assert!(run(small(), json).starts_with("threw: "), "{}", run(small(), json));
    let expression = "new RegExp('('.repeat(1e5))";
    assert!(run(small(), expression).starts_with("threw: "));
    let timers = "for (;;) setTimeout(() => 1, 1e9)";
    let message = "threw: RangeError: too many timers wait at the same time at 1:9";
    assert_eq!(run(small(), timers), message);
}

#[test]
fn damaged_built_in_objects_do_not_damage_the_host() {
    let script = "
        const log = console.log;
        const prototypes = [Object, Array, Function, Map, String, Promise, Date, RegExp];
        for (let i = 0; i < prototypes.length; i++) {
            const names = Reflect.ownKeys(prototypes[i].prototype);
            for (let k = 0; k < names.length; k++) {
                try { prototypes[i].prototype[names[k]] = () => { throw 'damaged' } } catch {}
            }
        }
        Reflect.apply = JSON.stringify = Math.floor = null;
        setTimeout((a, b) => log(a + b), 5, 'x', 'y');
        queueMicrotask(() => log('job'));
        log(Math.sin(1), Date.now(), typeof Math.random());";
    assert_eq!(run(small(), script), "0.8414709848078965 1704110400000 number\njob\nxy");
}

/// Returns the result of a script or its error, and the limit that ended the script. The stack is
/// `depth` times as long as usual.
fn guarded(script: &str, depth: usize) -> (String, Option<Stop>) {
    let limits = Limits { stack: 4 << 20, memory: 64 << 20, turn: 200, ..small() };
    let work = move || {
        let mut engine = Engine::new(limits, Host::default()).unwrap();
        engine.guard("suite.js");
        engine.deepen(depth);
        let evaluated = engine.enter(|session| {
            let result = session.evaluate::<Coerced<String>>("suite.js", script);
            let text = result.map_or_else(|thrown| thrown.message, |Coerced(text)| text);
            (text, session.stopped())
        });
        let (text, stopped) = evaluated.unwrap();
        (text, if engine.exceeded_stack() { Some(Stop::Stack) } else { stopped })
    };
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(32 << 20);
        thread.spawn_scoped(scope, work).unwrap().join().unwrap()
    })
}

#[test]
fn native_recursion_cannot_be_observed_in_a_guarded_engine() {
    let scripts = [
        "const o = {}; Object.setPrototypeOf(o, new Proxy(o, {})); try { o.x } catch (e) { e.message }",
        "const f = eval('(function f() { try { return f(); } catch (e) { return e.message; } })'); f()",
        "let p = {}; for (let i = 0; i < 2e5; i++) p = new Proxy(p, {}); try { p.x } catch (e) { e.message }",
        // These frames reserve space for arguments without writing to it.
        "const wide = Function('o', `if (0) f(${'0,'.repeat(65e3)}); return o.x`);
            const o = {get x() { return wide(o) }}; try { o.x } catch { 1 }",
        "let f = () => 1; for (let i = 0; i < 300; i++) f = f.bind(null, ...new Array(200));
            try { f() } catch { 1 }",
        "const o = {}; o.toString = Reflect.apply.bind(null, String, null, [o]); try { `${o}` } catch { 1 }",
        "const o = {get x() { return Reflect.get(o, 'x') }}; try { o.x } catch { 1 }",
        "let i = [1].values(); for (let k = 0; k < 6e4; k++) i = i.drop(0); try { i.next() } catch { 1 }",
        "try { eval('('.repeat(5e4) + ')'.repeat(5e4)) } catch { 1 }",
    ];
    for script in scripts {
        for depth in [1, 4] {
            assert_eq!(guarded(script, depth).1, Some(Stop::Stack), "{depth}: {script}");
        }
    }
    let finite = "let p = {x: 5}; for (let i = 0; i < 200; i++) p = new Proxy(p, {}); p.x";
    assert_eq!(guarded(finite, 1), ("5".to_owned(), None));
    // Reserving half a megabyte for arguments is allowed.
    let many = "const f = ((...all) => all.length).bind(null, ...new Array(30000)); f(2)";
    assert_eq!(guarded(many, 1), ("30001".to_owned(), None));
}

#[test]
fn levels_are_counted_in_a_guarded_engine() {
    let nested =
        "const nested = n => { let a = []; for (let i = 0; i < n; i++) a = [a]; return a; };";
    let counted = [
        ("String(nested(100)).length", "0"),
        ("const a = [1]; a.push(a, [2, a]); String(a)", "1,,2,"),
        (
            "let a = [1]; const first = a; for (let i = 0; i < 30; i++) a = [a]; first.push(a); String(a)",
            "1,",
        ),
        ("JSON.parse('['.repeat(100) + ']'.repeat(100)).length", "1"),
        (
            "try { JSON.parse('['.repeat(10001)) } catch (e) { e.message }",
            "Maximum call stack size exceeded",
        ),
        ("JSON.parse('\"' + '['.repeat(10001) + '\"').length", "10001"),
        (
            "try { new RegExp('(?:'.repeat(1001) + ')'.repeat(1001)) } catch (e) { e.name }",
            "SyntaxError",
        ),
        (
            "try { 'a'.search('(?:'.repeat(1001) + ')'.repeat(1001)) } catch (e) { e.name }",
            "SyntaxError",
        ),
        (
            "class R extends RegExp {}; [new R('a') instanceof R, /a/ instanceof RegExp, RegExp(/a/g).flags]",
            "true,true,g",
        ),
        ("'a1b2'.split(/\\d/).length + RegExp('b').exec('abc').index", "4"),
    ];
    for (script, expected) in counted {
        assert_eq!(
            guarded(&format!("{nested} {script}"), 4),
            (expected.to_owned(), None),
            "{script}"
        );
    }
}

#[test]
fn work_of_built_in_functions_is_counted_in_a_guarded_engine() {
    let scripts = [
        "const g = Object.defineProperty(() => 1, 'length', {value: 2 ** 53 - 1}); Array.prototype.reverse.call(g)",
        "('a' + '\\u0301\\u0316'.repeat(1 << 17)).normalize('NFD')",
        "const a = (1n << 130000n) - 1n; for (let i = 0; i < 90000; i++) a.toString()",
        "const a = new Array(60000).fill(1); for (;;) a.reverse()",
        "const a = new Array(60000).fill(['x', 1]); for (;;) Object.fromEntries(a)",
        "const f = Object.defineProperty(() => 1, 'length', {value: 2 ** 40}); f[Symbol.isConcatSpreadable] = true; [].concat(f)",
    ];
    for script in scripts {
        assert_eq!(guarded(script, 1).1, Some(Stop::Operations), "{script}");
    }
}

#[test]
fn a_refused_shape_is_not_followed_by_the_garbage_collector() {
    // The object grows without other objects, so that garbage is due when memory runs out.
    let script = "const o = {}; for (let i = 0; ; i++) o['p' + i] = i";
    for kilobytes in (1_000..6_000).step_by(50) {
        let limits = Limits { turn: 9_000, test: 9_000, memory: kilobytes << 10, ..small() };
        assert_eq!(run(limits, script).lines().next(), Some(MEMORY), "{kilobytes}");
    }
}
