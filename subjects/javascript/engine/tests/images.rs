//! Tests of images of an engine.

#![allow(unsafe_code)] // Calls to `Engine::restore`.

use catherd_javascript_engine::{Engine, Host, Limits, Session};

const CHANGES: &[&str] = &[
    "state.push(1)",
    "for (const name of Reflect.ownKeys(globalThis)) delete globalThis[name]",
    "Array.prototype.push = Math.max; Object.prototype.x = 1; Object.freeze(Map.prototype)",
    "for (const all = []; ; ) all.push(new Array(1000).fill(all))",
    "let text = 'a'; for (;;) text += text + state.length",
    "for (;;) ;",
    "setTimeout(() => state.push(2), 1); setInterval(() => state.push(3), 1); clearTimeout(1)",
    "Promise.reject(new Error('new')); Promise.reject(5)",
    "waiting.then(() => state.push(4)); settle()",
    "const garbage = []; for (let i = 0; i < 1e4; i++) { const a = {}; a.a = a; garbage.push(a) }",
    "state.length = 0; generator.next(); delete globalThis.state",
    "const f = () => f() + 1; f()",
    "state = new Proxy({}, {}); new Uint8Array(1e6).fill(7); 'x'.repeat(1e6)",
    "Function.prototype.call = Reflect.apply = undefined; Object.setPrototypeOf(Math, null)",
];

fn look(session: &Session<'_>) -> String {
    let seen: String = session
        .evaluate(
            "look.js",
            "const seen = [state.join(), generator.next().value, Math.random(), Date.now(), \
             Reflect.ownKeys(globalThis).length, Reflect.ownKeys(Array.prototype).length, [1].map(x => x + 1)[0]]; \
             settle('settled'); seen.join(' ')",
        )
        .unwrap();
    session.drain();
    session.clock().advance_to(20.0);
    let timers = std::iter::from_fn(|| session.fire_timer().unwrap().then_some(())).count();
    let state: String = session.evaluate("state.js", "state.join()").unwrap();
    let rejections = session.unhandled_rejections();
    format!("{seen}; {timers}; {state}; {rejections:?}; {}", session.operations())
}

#[test]
fn changes_after_an_image_are_undone() {
    let limits =
        Limits { turn: 20, test: 1_000, memory: 16 << 20, stack: 256 << 10, timers: 1_000 };
    let mut engine = Engine::new(limits, Host::default()).unwrap();
    engine
        .enter(|session| {
            session
                .evaluate::<()>(
                    "first.js",
                    "var state = [0], settle; const waiting = new Promise(f => settle = f); \
                     waiting.then(value => state.push(value)); setTimeout(() => state.push('late'), 10); \
                     const generator = (function* () { for (let i = 0; ; i++) yield i })(); generator.next(); \
                     Promise.reject(new Error('old'))",
                )
                .unwrap();
            session.drain();
        })
        .unwrap();
    let image = engine.image().unwrap();
    let first = engine.enter(look).unwrap();
    assert!(first.contains("settled,late") && first.contains("old"), "{first}");
    for round in 0..2 {
        for change in CHANGES {
            // SAFETY: this test has made neither persistent values nor functions nor buffers.
            unsafe { engine.restore(&image) };
            engine
                .enter(|session| {
                    let _ = session.evaluate::<()>("change.js", change);
                    session.drain();
                    session.clock().advance_to(5.0);
                    let _ = session.fire_timer();
                })
                .unwrap();
            // SAFETY: as above.
            unsafe { engine.restore(&image) };
            assert_eq!(engine.enter(look).unwrap(), first, "{round}: {change}");
        }
    }
}
