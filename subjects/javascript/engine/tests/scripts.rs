//! Tests of the environment of scripts.

use crate::support;

use catherd_javascript_engine::Limits;
use support::{run, run_with, small};

fn log(script: &str) -> String {
    run(Limits::default(), script)
}

#[test]
fn timers_fire_in_order_of_time_then_creation() {
    let script = "
        const log = x => () => console.log(x + ' ' + (Date.now() - start));
        const start = Date.now();
        setTimeout(log('c'), 20); setTimeout(log('a'), 10); setTimeout(log('b'), 10);
        const n = setInterval(() => { log('i')(); if (Date.now() - start > 20) clearInterval(n) }, 9);
        clearTimeout(setTimeout(log('never'), 1));
        setImmediate(log('first')); Promise.resolve().then(log('job'));
        log('script')();";
    let expected = "script 0\njob 0\nfirst 0\ni 9\na 10\nb 10\ni 18\nc 20\ni 27";
    assert_eq!(log(script), expected);
}

#[test]
fn dates_are_in_utc_and_begin_at_the_date_of_the_host() {
    assert_eq!(log("console.log(new Date().toISOString())"), "2024-01-01T12:00:00.000Z");
    assert_eq!(
        log("console.log(new Date(2020, 1, 29, 13).toISOString(), new Date(2020, 0).getHours(),
            new Date('2020-05-05T10:00').getTime(), new Date('2020-05-05T10:00Z').getTime(),
            new Date('2020-05-05T10:00+02:00').getUTCHours(), new Date().getTimezoneOffset(),
            new Date(new Date(5)).getTime(), new Date('May 5, 2020 10:00').getUTCHours(),
            typeof Date(), new Date() instanceof Date, new Date(NaN).getTime())"),
        "2020-02-29T13:00:00.000Z 0 1588672800000 1588672800000 8 0 5 10 string true NaN"
    );
    assert_eq!(
        log("const d = new Date(0); d.setHours(5); console.log(String(d), d.toDateString())"),
        "Thu Jan 01 1970 05:00:00 GMT+0000 (Coordinated Universal Time) Thu Jan 01 1970"
    );
    assert_eq!(log("class D extends Date {}; console.log(new D(7).getTime())"), "7");
}

#[test]
fn results_of_math_are_the_nearest_doubles() {
    // With more digits: sin 1e5 = 0.0357487979720165093164705..., tan 1.5 =
    // 14.1014199471717193876..., ln 3 = 1.09861228866810969139..., e^0.1 =
    // 1.10517091807564762481...
    assert_eq!(
        log("console.log(Math.sin(1e5), Math.tan(1.5), Math.log(3), Math.exp(0.1), Math.sin('0'))"),
        "0.03574879797201651 14.101419947171719 1.0986122886681098 1.1051709180756477 0"
    );
    assert_eq!(
        log("console.log(Math.hypot(3, 4), Math.hypot(), Math.pow(1, Infinity), Math.pow(2, 0.5),
            Math.atan2(1, -1), Math.cbrt(27), Math.sin.name, Math.atan2.length)"),
        "5 0 NaN 1.4142135623730951 2.356194490192345 3 sin 2"
    );
}

#[test]
fn random_numbers_come_from_the_host() {
    assert_eq!(
        log("console.log(Math.random(), Math.random())"),
        "0.618033988749895 0.23606797749979003"
    );
}

#[test]
fn errors_have_line_and_column() {
    assert_eq!(log("1;\n  throw new TypeError('no')"), "threw: TypeError: no at 2:13");
    assert_eq!(
        log("1;\nlet = = 2"),
        "threw: SyntaxError: unexpected token in expression: '=' at 2:7"
    );
    assert_eq!(log("throw 5"), "threw: 5");
    assert_eq!(log("throw {toString() { throw 1 }}"), "threw: [object]");
    assert_eq!(
        log(
            "const e = new Error('x'); Object.defineProperty(e, 'message', {get() { throw 1 }}); throw e"
        ),
        "threw: Error at 1:15"
    );
}

#[test]
fn unhandled_rejections_are_reported() {
    let script = "Promise.reject(new Error('a')); const p = Promise.reject(1); p.catch(() => 1);
        (async () => { await null; throw new TypeError('b') })()";
    assert_eq!(log(script), "unhandled: Error: a\nunhandled: TypeError: b");
}

#[test]
fn nothing_of_the_computer_is_reachable() {
    let script =
        "console.log(['require', 'process', 'std', 'os', 'SharedArrayBuffer', 'Atomics', 'WebAssembly', 'fetch', 'Intl', 'navigator', 'gc', 'print',
        'scriptArgs', 'module', 'Buffer'].filter(name => name in globalThis).join())";
    assert_eq!(log(script), "");
    let import = "import('fs').then(() => console.log('imported'), e => console.log(e.name))";
    assert_eq!(log(import), "ReferenceError");
    // The constructor of a host function gives no access to other objects.
    let escape = "console.log(setTimeout.constructor('return typeof require')())";
    assert_eq!(log(escape), "undefined");
}

#[test]
fn garbage_collection_cannot_be_observed() {
    let script = "const ref = new WeakRef({a: 1}); const registry = new FinalizationRegistry(() => console.log('gone'));
        registry.register({}, 1);
        Promise.resolve().then(() => console.log(ref.deref().a, registry.unregister(1), String(ref)));";
    assert_eq!(log(script), "1 false [object WeakRef]");
    assert_eq!(log("try { new WeakRef(1) } catch (e) { console.log(e.name) }"), "TypeError");
}

// The expected strings are the output of Node.js 20 with the locale en-US in UTC.
#[test]
fn dates_numbers_and_strings_are_formatted_for_one_locale() {
    let dates = "const d = new Date(86399000), old = new Date(-62198755200000);
        console.log([d, d.toDateString(), d.toTimeString(), d.toLocaleString(), new Date(NaN), old,
            old.toLocaleDateString()].join('|'))";
    let zone = "GMT+0000 (Coordinated Universal Time)";
    let expected = format!(
        "Thu Jan 01 1970 23:59:59 {zone}|Thu Jan 01 1970|23:59:59 {zone}|1/1/1970, 11:59:59 PM|\
         Invalid Date|Fri Jan 01 -0001 00:00:00 {zone}|1/1/2"
    );
    assert_eq!(log(dates), expected);
    let numbers = "console.log([1234567.891, 1.0005, -0.0001, 1e21, 1e-7, NaN, -Infinity, 1234n, 999.9996]
        .map(value => value.toLocaleString()).join(' '), (2.5).toLocaleString('en-US', {maximumFractionDigits: 0}),
        (0.5).toLocaleString('en', {minimumFractionDigits: 2}))";
    let expected =
        "1,234,567.891 1.001 -0 1,000,000,000,000,000,000,000 0 NaN -∞ 1,234 1,000 3 0.50";
    assert_eq!(log(numbers), expected);
}

#[test]
fn strings_are_ordered_by_letters_then_marks_then_case() {
    let sorted = "console.log(['Zoo', 'apple', 'Éclair', 'eclair', 'éclair', 'Apple', 'b10', 'b9', '_', '10', 'co-op',
        'coop', 'resume', 'Résumé', 'straße', 'strasse'].sort((a, b) => a.localeCompare(b)).join())";
    let expected =
        "_,10,apple,Apple,b10,b9,co-op,coop,eclair,éclair,Éclair,resume,Résumé,strasse,straße,Zoo";
    assert_eq!(log(sorted), expected);
    let options = "console.log(['a2'.localeCompare('a10', undefined, {numeric: true}),
        'a'.localeCompare('Á', 'en', {sensitivity: 'base'}), 'a'.localeCompare('á', 'en', {sensitivity: 'accent'}),
        'a\\u0301'.localeCompare('á'), 'a\\0'.localeCompare('a')].join())";
    assert_eq!(log(options), "-1,0,-1,0,0");
}

#[test]
fn powers_come_from_one_implementation() {
    let script = "let different = 0, x = 0.1;
        for (let i = 0; i < 20000; i++) {
            x = x * 16807 % 1 + 1e-9;
            const [base, exponent] = [x * 50, x * 37 % 9 - 4];
            if (base ** exponent !== Math.pow(base, exponent)) different++;
        }
        console.log(different, 2 ** 10, (-8) ** (1 / 3), 1 ** Infinity)";
    assert_eq!(log(script), "0 1024 NaN NaN");
}

#[test]
fn a_turn_has_its_own_operations() {
    let limits = Limits { turn: 20, test: 40, ..small() };
    run_with(limits, "function work() { for (let i = 0; i < 60000; i++); }", |session| {
        let work = session.ctx().globals().get("work").unwrap();
        for turn in 0..3 {
            session.begin_turn();
            session.call::<_, ()>(&work, ()).unwrap();
            assert_eq!(session.stopped(), None, "{turn}");
        }
        let ended = session.call::<_, ()>(&work, ());
        assert!(ended.is_err() && session.stopped().is_some());
    });
}

#[test]
fn lone_surrogates_and_zeros_pass_the_console() {
    assert_eq!(
        log("console.log('a\\ud800b', 'x\\u0000y', {a: [1]}, null, undefined)"),
        "a\u{fffd}b x\0y {\"a\":[1]} null undefined"
    );
}
