//! Tests of programs that recurse deeply or without end.

use catherd_javascript_machine::{
    ExecuteOptions, Execution, Machine, MachineSettings, Package, Program, Statement, TestOutcome,
};
use serde_json::json;

fn outcomes(source: &'static str, names: &'static [&'static str]) -> Vec<Execution> {
    let work = move || {
        let program = Program::new(Package::of_source("a.js", source).unwrap()).unwrap();
        let mut machine = Machine::new(&program, MachineSettings::default(), 1);
        let options = ExecuteOptions { observe: true, ..ExecuteOptions::default() };
        let call = |name: &&str| {
            let call = json!({"op": "call", "path": [name], "arguments": []});
            machine.execute(&[Statement::from_json(&call).unwrap()], options).unwrap()
        };
        names.iter().map(call).collect()
    };
    let thread = std::thread::Builder::new().stack_size(256 << 20);
    thread.spawn(work).unwrap().join().unwrap()
}

#[test]
fn functions_that_are_not_counted_have_results_at_any_depth() {
    // The functions are not called by name, so their calls are not counted.
    let executions = outcomes(
        "const chain = n => {
            let last = x => x + 1;
            for (let i = 0; i < n; i++) { const before = last; last = (...all) => before.apply(null, all); }
            return last(1);
        };
        exports.chain = () => chain(28000);
        exports.caught = () => { try { return chain(28000); } catch (error) { return error.name; } };
        const use = (target, key) => { target[key] = (...all) => target[key].apply(target, all); return target[key](1); };
        exports.endless = () => use({}, 'a');
        exports.after = () => chain(3);",
        &["chain", "caught", "endless", "after"],
    );
    let two = json!({"number": "2"});
    for at in [0, 1, 3] {
        assert_eq!(executions[at].outcome, TestOutcome::Passed, "{at}");
        assert_eq!(executions[at].observed, std::slice::from_ref(&two), "{at}");
    }
    assert_eq!(executions[2].outcome, TestOutcome::Limit("frames"));
}

#[test]
#[ignore = "slow"]
fn no_recursion_ends_the_process() {
    const NAMES: &[&str] = &[
        "parsing",
        "printing",
        "texts",
        "proxies",
        "ring",
        "sorting",
        "backtracking",
        "getters",
        "classes",
        "primitives",
        "generators",
        "asynchronous",
        "flat",
        "bound",
        "species",
        "applied",
        "tagged",
        "instances",
        "iterators",
        "revived",
        "clones",
        "thenable",
        "after",
    ];
    let executions = outcomes(
        "exports.parsing = () => JSON.parse('['.repeat(90000) + ']'.repeat(90000)).length;
        exports.printing = () => { let a = []; for (let i = 0; i < 60000; i++) a = [a]; return JSON.stringify(a).length; };
        exports.texts = () => { const o = {}; o.toString = () => `${o}`; return `${o}`; };
        exports.proxies = () => { let p = {}; for (let i = 0; i < 60000; i++) p = new Proxy(p, {}); return p.x; };
        exports.ring = () => { const o = {}; Object.setPrototypeOf(o, new Proxy(o, {})); return o.x; };
        exports.sorting = () => { const s = (a, b) => [2, 1].sort(s) ? 1 : 0; return [2, 1].sort(s); };
        exports.backtracking = () => /^(a|a?)+$/.test('a'.repeat(40) + 'b');
        exports.getters = () => { const o = {get x() { return Reflect.get(o, 'x'); }}; return o.x; };
        exports.classes = () => { let C = class {}; for (let i = 0; i < 20000; i++) C = class extends C {}; return typeof new C(); };
        exports.primitives = () => { const o = {[Symbol.toPrimitive]: () => +o}; return +o; };
        exports.generators = () => { function* g() { yield* g(); } return [...g()].length; };
        exports.asynchronous = async () => { const f = async () => { await f(); }; await f(); };
        exports.flat = () => { const a = [1]; a.push(a); return a.flat(Infinity).length; };
        exports.bound = () => { let f = () => 1; for (let i = 0; i < 60000; i++) f = f.bind(null); return f(); };
        exports.species = () => { const a = [1]; a.constructor = {[Symbol.species]: function () { return a.map(x => x); }}; return a.map(x => x); };
        exports.applied = () => { const o = {}; o.toString = Reflect.apply.bind(null, String, null, [o]); return `${o}`; };
        exports.tagged = () => { const t = (...all) => t`${all}`; return t`x`; };
        exports.instances = () => { const C = Object.defineProperty(class {}, Symbol.hasInstance, {value: v => v instanceof C}); return 1 instanceof C; };
        exports.iterators = () => { const o = {[Symbol.iterator]: () => ({next: () => ({value: [...o], done: false})})}; return [...o]; };
        exports.revived = () => { const r = () => JSON.parse('[1]', r); return JSON.parse('[1]', r); };
        exports.clones = () => { let a = {}; for (let i = 0; i < 60000; i++) a = {a}; return typeof structuredClone(a); };
        exports.thenable = () => { const t = {then: f => f(t)}; return Promise.resolve(t); };
        exports.after = () => 5;",
        NAMES,
    );
    let passes = ["after", "printing", "classes", "bound", "proxies", "clones"];
    let is_right = |name: &&str, execution: &Execution| match &execution.outcome {
        TestOutcome::Limit(limit) => ["frames", "steps", "polls", "heap", "stack"].contains(limit),
        TestOutcome::Threw { thrown, .. } => {
            ["RangeError", "TypeError"].contains(&thrown.name.as_str())
        }
        TestOutcome::Passed => passes.contains(name),
    };
    let wrong: Vec<_> =
        NAMES.iter().zip(&executions).filter(|(name, it)| !is_right(name, it)).collect();
    let outcomes: Vec<_> = wrong.iter().map(|(name, it)| (name, &it.outcome)).collect();
    assert!(outcomes.is_empty(), "{outcomes:?}");
    assert_eq!(executions[NAMES.len() - 1].observed, [json!({"number": "5"})]);
}
