//! Tests of what executions report.

use std::rc::Rc;

use catherd_javascript_machine::instrument::{BranchKind, Control, GoalKind, Hit, NodeKind};
use catherd_javascript_machine::{
    Evidence, ExecuteOptions, Execution, LineHints, Machine, MachineSettings, Package, Program,
    Statement, TestOutcome,
};
use serde_json::{Value, json};

fn program(source: &str) -> Rc<Program> {
    Program::new(Package::of_source("a.js", source).unwrap()).unwrap()
}

fn call(name: &str, arguments: &Value) -> Value {
    json!({"op": "call", "path": [name], "arguments": arguments})
}

fn execute(
    program: &Rc<Program>,
    settings: MachineSettings,
    test: &[Value],
    infer: bool,
) -> Execution {
    let test: Vec<_> = test.iter().map(|line| Statement::from_json(line).unwrap()).collect();
    let options = ExecuteOptions { infer, observe: true, ..ExecuteOptions::default() };
    Machine::new(program, settings, 1).execute(&test, options).unwrap()
}

fn evidence(source: &str, settings: MachineSettings) -> Evidence {
    let unknown = json!([["unknown", 0], ["unknown", 1]]);
    let execution = execute(&program(source), settings, &[call("f", &unknown)], true);
    execution.evidence.into_iter().find(|seen| seen.id == 0).unwrap()
}

/// The smallest distance of the first `if` from its true outcome, and the result of the call.
fn test_of(condition: &str, text: &str) -> (f64, Value) {
    let program = program(&format!("exports.f = a => {{ if ({condition}) return 1; return 0; }};"));
    let execution = execute(
        &program,
        MachineSettings::default(),
        &[call("f", &json!([["string", text]]))],
        false,
    );
    let of_if = |kind| kind == GoalKind::Branch(BranchKind::If);
    let goal = program.units.goals.iter().find(|goal| of_if(goal.kind)).unwrap();
    let Hit::Outcome { site, taken } = goal.hit else { panic!("{goal:?}") };
    (execution.distance(Control { site, outcome: taken }), execution.observed[0].clone())
}

#[test]
fn string_tests_have_distances() {
    let near = |condition: &str, far: &str, near: &str, there: &str| {
        let (a, b) = (test_of(condition, far), test_of(condition, near));
        assert!(a.0 > b.0 && b.0 > 0.0 && a.0 <= 0.5, "{condition}: {} {}", a.0, b.0);
        assert_eq!((&a.1, &b.1), (&json!({"number": "0"}), &json!({"number": "0"})));
        assert_eq!(test_of(condition, there), (0.0, json!({"number": "1"})), "{condition}");
    };
    near("a.startsWith('abc')", "xyz", "abd", "abcd");
    near("a.endsWith('abc')", "----", "-abd", "-abc");
    near("a.includes('abc')", "------", "--abb-", "--abc-");
    near("/a-b/.test(a)", "------", "--a_b-", "--a-b-");
    near("/^a-b$/.test(a)", "a-b and more", "a-b.", "a-b");
    near("!!a.startsWith('abc')", "xyz", "abd", "abcd");
    // If the receiver is not a string, its own method is called.
    assert_eq!(test_of("[...a].includes('x')", "abx").1, json!({"number": "1"}));
    assert_eq!(test_of("({includes: b => b === a}).includes(a)", "q").1, json!({"number": "1"}));
    assert_eq!(test_of("a.length.startsWith?.('x')", "q").1, json!({"number": "0"}));
}

#[test]
fn values_accessed_through_an_unknown_argument_are_recorded_by_path() {
    let source = "exports.f = xs => { for (const x of xs) if (x.go(1) > 3) return x.size - 1; };";
    let flat = evidence(source, MachineSettings::default());
    assert!(flat.paths.is_empty() && flat.more.contains_key("iterated"), "{flat:?}");
    let deep = evidence(source, MachineSettings { paths: true, ..MachineSettings::default() });
    let element = &deep.paths["[]"];
    assert_eq!(element.called["go"], element.members["go"], "{element:?}");
    assert!(element.paths[".go"].paths["()"].scores["number"] >= 7, "{element:?}");
    assert_eq!(deep.members, flat.members);
}

#[test]
fn lines_give_points_instead_of_operators() {
    let source = "exports.f = (a, b) => {\n  const c = b - 1; // 2\n  return a < c || a + 'x';\n};";
    let with = |hints| MachineSettings { line_hints: hints, ..MachineSettings::default() };
    let points = |seen: &Evidence| (seen.scores["number"], seen.scores["string"]);
    assert!([(2, 1), (2, 6)].contains(&points(&evidence(source, with(None)))));
    let line = evidence(source, with(Some(LineHints::Code)));
    // If `a` is not less than `c`, the line converts `a` twice.
    assert!([(2, 1), (4, 2)].contains(&points(&line)), "{line:?}");
    let source = "exports.f = a => a - 1; // \"x\"";
    assert_eq!(points(&evidence(source, with(Some(LineHints::Code)))), (7, 0));
    assert_eq!(points(&evidence(source, with(Some(LineHints::WithComments)))), (9, 5));
}

#[test]
fn arguments_of_built_in_functions_have_their_types() {
    let source = "exports.f = a => { Math.abs(a); parseInt(a, 10); Object.keys(a); };";
    let seen = evidence(source, MachineSettings::default());
    for kind in ["passed:number", "passed:string", "passed:object"] {
        assert_eq!(seen.more.get(kind), Some(&1), "{kind} {seen:?}");
    }
    let seen = evidence("exports.f = a => Array.isArray(a);", MachineSettings::default());
    assert_eq!(seen.more.get("isArray"), Some(&1));
    // A method of this name expects a function if its object is an array.
    let passed = |list: &str| {
        let source = format!("exports.f = a => {{ try {{ {list}.map(a, 1); }} catch {{ }} }};");
        evidence(&source, MachineSettings::default()).more.get("passed:function").copied()
    };
    assert_eq!((passed("[1, 2]"), passed("({ map: b => b })")), (Some(1), None));
}

#[test]
fn an_execution_reports_types_and_useful_statements() {
    let source =
        "class Box { } exports.make = () => new Box(); exports.same = a => a > 1 ? a : null;";
    let number = |n: &str| call("same", &json!([["number", n]]));
    let test = [call("make", &json!([])), number("5"), number("5"), number("5")];
    let execution = execute(&program(source), MachineSettings::default(), &test, false);
    assert_eq!(execution.outcome, TestOutcome::Passed);
    assert_eq!(execution.types, ["object:Box", "number", "number", "number"]);
    assert_eq!(execution.useful, Some(2));
    // A statement that comes nearer to an outcome is useful even if it covers no unit.
    let test = [number("9"), number("9"), number("5")];
    assert_eq!(execute(&program(source), MachineSettings::default(), &test, false).useful, Some(3));
}

fn program_of_nodes(source: &str) -> impl Fn(&str) -> usize {
    let program = program(source);
    move |argument: &str| {
        let value = match argument {
            "undefined" => json!(["undefined"]),
            number => json!(["number", number]),
        };
        let test = [call("f", &json!([value, value]))];
        let execution = execute(&program, MachineSettings::default(), &test, false);
        program.units.nodes.iter().filter(|node| execution.hits(node.hit)).count()
    }
}

#[test]
fn calls_and_operators_are_nodes_of_their_statements() {
    let program = program("exports.f = (a, b) => { if (a > 1 && !b) return Math.abs(-a) + 1; };");
    let kinds: Vec<NodeKind> = program.units.nodes.iter().map(|node| node.kind).collect();
    let count = |kind| kinds.iter().filter(|each| **each == kind).count();
    let counts = [NodeKind::Call, NodeKind::Binary, NodeKind::Unary].map(count);
    assert_eq!(counts, [1, 3, 2]);
    let run = |a: &str| {
        let arguments = json!([["number", a], ["boolean", false]]);
        execute(&program, MachineSettings::default(), &[call("f", &arguments)], false)
    };
    let reached = |execution: &Execution| {
        program.units.nodes.iter().filter(|node| execution.hits(node.hit)).count()
    };
    // The first call evaluates only `&&` and `>`, the second call everything.
    assert_eq!((reached(&run("0")), reached(&run("3"))), (2, 6));
    for operator in ["||", "??"] {
        let chain = format!("exports.f = (a, b) => a {operator} b {operator} Math.abs(1);");
        let third = program_of_nodes(&chain);
        assert_eq!((third("1"), third("undefined")), (2, 3), "{operator}");
    }
}

/// For each outcome that leads to the last operand of a chain, whether a call had this outcome.
fn led_to_the_last_operand(chain: &str, values: &Value) -> Vec<bool> {
    let program = program(&format!("exports.f = (a, b, c, d) => {{ return {chain}; }};"));
    let call = [call("f", values)];
    let execution = execute(&program, MachineSettings::default(), &call, false);
    let of_chain = |kind| kind == GoalKind::Branch(BranchKind::Logical);
    let goal = program.units.goals.iter().rfind(|goal| of_chain(goal.kind)).unwrap();
    goal.control.iter().map(|control| execution.decided(*control)).collect()
}

#[test]
fn parts_of_chains_have_outcomes() {
    let (zero, one, null) = (json!(["number", "0"]), json!(["number", "1"]), json!(["null"]));
    for (chain, values, expected) in [
        ("a || b || c && d", [&zero, &zero, &zero], [true, false].as_slice()),
        ("a || b || c && d", [&zero, &zero, &one], &[true, true]),
        ("a || b || c && d", [&zero, &one, &one], &[false, false]),
        ("a && b && (c || d)", [&one, &one, &zero], &[true, true]),
        ("a && b && (c || d)", [&one, &zero, &zero], &[false, false]),
        ("(a ?? b) || c", [&null, &zero, &one], &[true]),
        ("(a ?? b) || c", [&null, &one, &one], &[false]),
        ("(a ?? b) && c", [&zero, &one, &one], &[false]),
        ("(a || b) ?? c", [&zero, &zero, &one], &[false]),
        ("(a || b) ?? c", [&zero, &null, &one], &[true]),
        ("a ?? b ?? c", [&null, &null, &one], &[true]),
        ("a ?? b ?? c", [&null, &one, &one], &[false]),
    ] {
        assert_eq!(led_to_the_last_operand(chain, &json!(values)), expected, "{chain} {values:?}");
    }
}

#[test]
fn distances_are_the_same_once_a_chain_has_had_all_outcomes() {
    let source = "exports.f = n => { let sum = 0; for (let i = 0; i < n; i++) {
        if (i % 2 || i % 3 && i > 4) sum += (i & 4 ? null : i) ?? 1; if (!(sum < 9)) sum = 0; }
        return sum; };";
    let program = program(source);
    let of = |n: u32| {
        let number = json!([["number", n.to_string()]]);
        execute(&program, MachineSettings::default(), &[call("f", &number)], false)
    };
    let (some, more) = (of(9), of(90));
    let both =
        |execution: &Execution, site: usize| execution.outcomes.iter().all(|of| of[site] > 0);
    let settled: Vec<usize> =
        (0..some.outcomes[0].len()).filter(|site| both(&some, *site)).collect();
    assert!(settled.len() > 6, "{:?}", some.outcomes);
    for site in settled {
        assert_eq!(more.least[2 * site..2 * site + 2], [0.0, 0.0]);
        let [some, more] = [&some, &more].map(|run| run.outcomes[0][site] + run.outcomes[1][site]);
        assert!(more >= 9 * some.min(1) && more > some, "{site}: {some}, {more}");
    }
}

#[test]
fn long_strings_are_a_limit_that_programs_can_catch() {
    let source =
        "exports.f = n => 'ab'.repeat(n).length; exports.g = n => new Array(n).join('abc');
        exports.h = n => { try { return 'a'.padEnd(n); } catch (error) { return error.message; } };
        exports.k = n => { let text = 'a'; while (n--) text += text; return text; };";
    let program = program(source);
    let of = |name: &str, n: &str| {
        let test = [call(name, &json!([["number", n]]))];
        let execution = execute(&program, MachineSettings::default(), &test, false);
        (execution.outcome, execution.observed.into_iter().next())
    };
    assert_eq!(of("f", "1000").1, Some(json!({"number": "2000"})));
    for (name, n) in [("f", "600000"), ("g", "400000"), ("k", "21")] {
        assert_eq!(of(name, n), (TestOutcome::Limit("text"), None), "{name}");
    }
    assert_eq!(of("h", "2000000").1, Some(json!({"string": "Invalid string length"})));
    assert!(matches!(of("f", "Infinity").0, TestOutcome::Threw { .. }));
    assert_eq!(of("k", "4").1, Some(json!({"string": "aaaaaaaaaaaaaaaa"})));
}

#[test]
fn only_what_a_literal_makes_is_a_plain_object() {
    let source = "exports.plain = () => ({a: 1});
        exports.getter = () => ({a: 1, get b() { throw new Error('b'); }});
        exports.symbol = () => ({a: 1, [Symbol('b')]: 2});
        exports.error = () => Object.assign(Object.setPrototypeOf(new Error('b'), Object.prototype), {a: 1});
        exports.list = function () { const list = (function () { return arguments; })(); list.a = 1; return list; };
        exports.bare = () => Object.assign(Object.create(null), {a: 1});";
    let program = program(source);
    let run = |name: &str| {
        execute(&program, MachineSettings::default(), &[call(name, &json!([]))], false).observed
    };
    let members = json!({"a": {"number": "1"}});
    assert_eq!(run("plain"), [json!({"object": members})]);
    for name in ["getter", "symbol", "error", "list"] {
        assert_eq!(run(name), [json!({"object": members, "prototype": "other"})], "{name}");
    }
    assert_eq!(run("bare"), [json!({"object": members, "prototype": null})]);
}

#[test]
fn results_are_those_of_node() {
    let source = "const made = [new Intl.Segmenter('en'), new (require('vm').Script)('1')];
        exports.keeps = () => made.length;
        exports.segments = () => made[0].segment('a');
        exports.runs = () => new (require('vm').Script)('1');
        exports.spread = () => Object.keys({...'ab', ...null, ...[7]}).join();
        exports.own = () => { const o = Object.create(null); o.__proto__ = 1; return o; };
        exports.lacks = () => [typeof Object.groupBy, typeof Buffer].join();
        exports.uses = s => require('zlib').brotliCompressSync(s).length;
        exports.stray = () => { Promise.reject(new Error('x')); return 1; };
        exports.late = () => { setTimeout(() => { throw new Error('x'); }, 5); return 1; };
        exports.fails = () => null.member;
        exports.begins = () => { const o = {n: 0}; process.nextTick(() => { o.n++; }); return o; };";
    let program = program(source);
    let run = |name: &str| {
        execute(&program, MachineSettings::default(), &[call(name, &json!([]))], false)
    };
    assert_eq!(run("spread").observed, [json!({"string": "0,1"})]);
    assert_eq!(
        run("own").observed,
        [json!({"object": {"__proto__": {"number": "1"}}, "prototype": null})]
    );
    assert_eq!(run("lacks").observed, [json!({"string": "undefined,function"})]);
    let unsupported = run("uses");
    assert_eq!(unsupported.outcome, TestOutcome::Limit("unsupported"));
    assert!(unsupported.counters.iter().all(|count| *count == 0));
    assert_eq!(run("keeps").observed, [json!({"number": "2"})]);
    for name in ["segments", "runs"] {
        assert_eq!(run(name).outcome, TestOutcome::Limit("unsupported"), "{name}");
    }
    assert_eq!((run("stray").stray, run("late").stray), ("rejection", "timer"));
    // Pending work of a test continues after a statement that throws, and after states are
    // asserted.
    let both = [call("late", &json!([])), call("fails", &json!([]))];
    let thrown = execute(&program, MachineSettings::default(), &both, false);
    assert!(matches!(thrown.outcome, TestOutcome::Threw { .. }));
    assert_eq!(thrown.stray, "timer");
    assert_eq!(run("begins").after, [json!({"object": {"n": {"number": "0"}}})]);
}
