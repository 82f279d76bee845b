//! Tests the refinement of suites before their export.

use std::collections::BTreeMap;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use catherd_javascript_classes::machine::{Argument, Operation, Package, Program, Statement};
use catherd_javascript_classes::{Refinement, Suite, SuiteTest, refined};

const SOURCE: &str = "
class Stack {
  constructor() { this._items = []; this.size = 0; }
  push(item) { this._items.push(item); this.size += 1; return this; }
  toArray() { return this._items.slice(); }
}
function clamp(value, low, high) {
  if (value < low) return low;
  return value > high ? high : value;
}
function parse(text) {
  if (text.includes(';')) return { kind: 'list', count: text.split(';').length };
  return { kind: 'item', count: 1 };
}
module.exports = { Stack, clamp, parse };
";

fn program() -> Rc<Program> {
    Program::new(Package::of_source("index.js", SOURCE).unwrap()).unwrap()
}

pub(crate) fn call(
    operation: Operation,
    path: &str,
    name: &str,
    arguments: Vec<Argument>,
) -> Statement {
    let path = path.split_whitespace().map(str::to_owned).collect();
    Statement { operation, path, receiver: 0, name: name.to_owned(), arguments, awaits: false }
}

fn number(value: f64) -> Argument {
    Argument::Number(value)
}

/// A suite with one test that contains unrelated calls.
fn joined() -> Suite {
    let text = "k#;)q7\u{3b2}zz;pp".to_owned();
    let statements = vec![
        call(Operation::New, "Stack", "", vec![]),
        call(
            Operation::Call,
            "clamp",
            "",
            vec![number(5.0), number(7.0), number(9.0), number(1.0)],
        ),
        call(Operation::Method, "", "push", vec![number(3.0)]),
        call(Operation::Call, "parse", "", vec![Argument::String(text)]),
        call(Operation::Method, "", "toArray", vec![]),
        call(Operation::Call, "clamp", "", vec![number(12.0), number(7.0), number(9.0)]),
    ];
    let test = SuiteTest { statements, ..SuiteTest::default() };
    let mut suite = Suite { tests: vec![test], seed: 1, ..Suite::default() };
    // Without observations, no readers are known.
    suite.tests[0].assertions = vec![serde_json::Value::Null; 6];
    suite.tests[0].after = vec![serde_json::Value::Null; 6];
    suite
}

fn names(test: &SuiteTest) -> Vec<String> {
    let name = |each: &Statement| match each.operation {
        Operation::New | Operation::Call => each.path.join("."),
        _ => each.name.clone(),
    };
    test.statements.iter().map(name).collect()
}

#[test]
fn tests_show_one_call_each_with_what_it_needs() {
    let all = Refinement { all_values: true, ..Refinement::default() };
    let refined = refined(&program(), &joined(), &all).unwrap().suite;
    let shown: Vec<Vec<String>> = refined.tests.iter().map(names).collect();
    let counts = shown.iter().fold(BTreeMap::new(), |mut counts: BTreeMap<_, usize>, names| {
        *counts.entry(names.join(" ")).or_default() += 1;
        counts
    });
    assert_eq!(counts.get("clamp"), Some(&2), "{counts:?}");
    // By convention, another string is passed, which covers goals that the suite does not cover.
    assert_eq!(counts.get("parse"), Some(&2), "{counts:?}");
    assert!(counts.keys().any(|names| names.starts_with("Stack") && names.contains("push")));
    assert!(counts.keys().all(|names| !names.contains("Stack clamp")), "{counts:?}");
    let clamps = refined.tests.iter().filter(|test| names(test) == ["clamp"]);
    assert!(clamps.clone().all(|test| test.statements[0].arguments.len() <= 3));
    // The string is only as long as its goal needs.
    let parse = refined.tests.iter().filter(|test| names(test) == ["parse"]);
    let texts: Vec<&Argument> = parse.map(|test| &test.statements[0].arguments[0]).collect();
    let short = |it: &&&Argument| matches!(it, Argument::String(text) if text.contains(';') && text.len() <= 3);
    assert_eq!(texts.iter().filter(short).count(), 1, "{texts:?}");
}

#[test]
fn assertions_are_few_and_nothing_private() {
    let program = program();
    let refined = refined(&program, &joined(), &Refinement::default()).unwrap().suite;
    for test in &refined.tests {
        let shown = test.shown.as_ref().unwrap();
        assert!(!shown.is_empty() && shown.len() <= 5, "{test:?}");
        assert!(shown.iter().all(|each| !each.part.contains('_')), "{test:?}");
    }
    assert_eq!(refined, again(&program));
}

fn again(program: &Rc<Program>) -> Suite {
    refined(program, &joined(), &Refinement::default()).unwrap().suite
}

#[test]
fn a_budget_bounds_the_executions() {
    let none = Refinement { executions: 0, ..Refinement::default() };
    assert_eq!(refined(&program(), &joined(), &none).unwrap().suite.tests, []);
    let none = Refinement { work: 0, ..Refinement::default() };
    assert_eq!(refined(&program(), &joined(), &none).unwrap().suite.tests, []);
    let stopped = Refinement { stop: Arc::new(AtomicBool::new(true)), ..Refinement::default() };
    assert_eq!(refined(&program(), &joined(), &stopped).unwrap().suite.tests, []);
    let all = Refinement { all_values: true, ..Refinement::default() };
    let little = Refinement { work: 1, ..all.clone() };
    let little = refined(&program(), &joined(), &little).unwrap().suite.tests.len();
    assert!(little < refined(&program(), &joined(), &all).unwrap().suite.tests.len(), "{little}");
    let few = Refinement { mutants: 0, ..Refinement::default() };
    let refined = refined(&program(), &joined(), &few).unwrap().suite;
    // Without mutants, the strongest assertion is chosen.
    assert!(refined.tests.iter().all(|test| test.shown.as_ref().unwrap().len() == 1));
}

/// A package with an example in its documentation, and a suite with unusual calls.
fn documented() -> (Rc<Program>, Suite) {
    let source = "exports.greet = (name, options) => {
  if (options && options.loud) return name.toUpperCase() + '!';
  return typeof name === 'string' ? 'Hello ' + name : 'Hello';
};";
    let readme = "# greet\n\n```js\ngreet('Ada', { loud: true })\n```\n\nOr `greet`:\n\n```js\ngreet('Bob')\n```\n";
    let manifest = r#"{"name": "greet", "main": "index.js"}"#;
    let files = [("index.js", source), ("README.md", readme), ("package.json", manifest)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    let program = Program::new(Package::new(BTreeMap::from(files)).unwrap()).unwrap();
    let greet = |arguments| call(Operation::Call, "greet", "", arguments);
    let text = |text: &str| Argument::String(text.to_owned());
    let odd = Argument::Object(vec![
        ("loud".to_owned(), number(-32.0)),
        ("other".to_owned(), Argument::Undefined),
    ]);
    let tests = [
        vec![greet(vec![text("k#;)q7\u{3b2}"), odd])],
        vec![greet(vec![Argument::Undefined])],
        vec![greet(vec![])],
    ];
    let test = |statements: Vec<Statement>| SuiteTest {
        assertions: vec![serde_json::Value::Null; statements.len()],
        after: vec![serde_json::Value::Null; statements.len()],
        statements,
        ..SuiteTest::default()
    };
    let suite = Suite { tests: tests.into_iter().map(test).collect(), seed: 1, ..Suite::default() };
    (program, suite)
}

#[test]
fn calls_are_those_of_the_documentation_where_these_reach_the_same() {
    let (program, suite) = documented();
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let arguments: Vec<String> = refined
        .tests
        .iter()
        .map(|test| {
            let json = test.statements.last().unwrap().arguments.iter().map(Argument::to_json);
            json.map(|value| value.to_string()).collect::<Vec<_>>().join(" ")
        })
        .collect();
    assert!(
        arguments.iter().any(|each| each.contains("Ada") && each.contains("loud")),
        "{arguments:?}"
    );
    assert!(
        arguments.iter().all(|each| !each.contains("k#") && !each.contains("other")),
        "{arguments:?}"
    );
    assert!(arguments.iter().all(|each| !each.is_empty()), "{arguments:?}");
}

pub(crate) fn suite_of(tests: Vec<Vec<Statement>>) -> Suite {
    let test = |statements: Vec<Statement>| SuiteTest {
        assertions: vec![serde_json::Value::Null; statements.len()],
        after: vec![serde_json::Value::Null; statements.len()],
        statements,
        ..SuiteTest::default()
    };
    Suite { tests: tests.into_iter().map(test).collect(), seed: 1, ..Suite::default() }
}

fn program_of(source: &str) -> Rc<Program> {
    Program::new(Package::of_source("index.js", source).unwrap()).unwrap()
}

#[test]
fn what_nearly_every_call_shows_is_not_asserted() {
    let program = program_of(
        "class Reader { constructor(size) {
            this.open = true;
            if (size > 3) { this.size = size * 2; } else if (size > 1) { this.size = size; } else { this.size = 1; }
            this.self = this;
        } }
        module.exports = { Reader };",
    );
    let made = |size: f64| vec![call(Operation::New, "Reader", "", vec![number(size)])];
    let suite = suite_of([1.0, 2.0, 3.0, 4.0, 5.0].map(made).to_vec());
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let parts = refined.tests.iter().flat_map(|test| test.shown.iter().flatten());
    let parts: Vec<&str> = parts.map(|shown| shown.part.as_str()).collect();
    assert!(parts.contains(&".size") && !parts.contains(&".open"), "{parts:?}");
}

#[test]
fn functions_without_examples_are_called_by_convention() {
    let program = program_of(
        "exports.total = values => { let sum = 0; for (const value of values) { sum += value; } return sum; };",
    );
    let odd = vec![call(Operation::Call, "total", "", vec![Argument::String("a".to_owned())])];
    let refined = refined(&program, &suite_of(vec![odd]), &Refinement::default()).unwrap().suite;
    let arguments: Vec<&Argument> =
        refined.tests.iter().map(|test| &test.statements[0].arguments[0]).collect();
    assert!(
        !arguments.is_empty() && arguments.iter().all(|it| matches!(it, Argument::Array(_))),
        "{arguments:?}"
    );
}

#[test]
fn results_that_are_not_numbers_are_left_out() {
    let program = program_of(
        "exports.half = it => it > 0 ? it / 2 : it / 3;
        exports.third = it => it / 3;",
    );
    let half = |value| vec![call(Operation::Call, "half", "", vec![value])];
    let third = vec![call(Operation::Call, "third", "", vec![number(6.0)])];
    let suite = suite_of(vec![half(Argument::Object(Vec::new())), third]);
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let shown: Vec<Vec<String>> = refined.tests.iter().map(names).collect();
    assert_eq!(shown, [["third"]]);
}

#[test]
fn tests_with_odd_values_are_left_out_and_counted() {
    let default = refined(&program(), &joined(), &Refinement::default()).unwrap();
    let texts = |suite: &Suite| suite.to_json().matches(";").count();
    assert!(default.implausible > 0 && default.left_out > 0, "{default:?}");
    assert_eq!(texts(&default.suite), 0, "{}", default.suite.to_json());
    let all = Refinement { all_values: true, ..Refinement::default() };
    let all = refined(&program(), &joined(), &all).unwrap();
    assert_eq!((all.implausible, all.unclear, all.repeated), (0, 0, 0));
    assert!(texts(&all.suite) > 0, "{}", all.suite.to_json());
}

#[test]
fn arguments_that_a_call_changes_have_variables_whose_state_is_shown() {
    let program = program_of(
        "exports.put = (target, name, value) => { target[name] = value; };
        exports.read = (target, name) => target[name];",
    );
    let object = Argument::Object(vec![("a".to_owned(), number(1.0))]);
    let text = Argument::String("a".to_owned());
    let put =
        vec![call(Operation::Call, "put", "", vec![object.clone(), text.clone(), number(2.0)])];
    let read = vec![call(Operation::Call, "read", "", vec![object, text])];
    let all = Refinement { all_values: true, ..Refinement::default() };
    let refined = refined(&program, &suite_of(vec![put, read]), &all).unwrap().suite;
    let shown: Vec<Vec<String>> = refined.tests.iter().map(names).collect();
    assert!(shown.contains(&vec!["target".to_owned(), "put".to_owned()]), "{shown:?}");
    assert!(shown.contains(&vec!["read".to_owned()]), "{shown:?}");
    let put = refined.tests.iter().find(|test| test.statements.len() == 2).unwrap();
    let places = put.shown.as_ref().unwrap();
    assert!(
        places.iter().any(|it| (it.index, it.at_end, it.part.as_str()) == (0, true, "")),
        "{places:?}"
    );
    assert!(put.after[0]["object"].is_object(), "{:?}", put.after);
}

#[test]
fn states_that_a_call_does_not_change_are_not_shown() {
    let program = program_of(
        "class Box { constructor() { this.size = 0; } peek() {} put() { this.size += 1; } }
        exports.Box = Box;",
    );
    let box_of = |name: &str| {
        vec![call(Operation::New, "Box", "", vec![]), call(Operation::Method, "", name, vec![])]
    };
    let suite = suite_of(vec![box_of("peek"), box_of("put")]);
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let states = |name: &str| {
        let tests = refined.tests.iter().filter(|test| names(test).last().unwrap() == name);
        tests.map(|test| test.after[0].clone()).collect::<Vec<_>>()
    };
    assert!(states("put").iter().all(|it| it["members"]["size"]["number"] == "1"), "{refined:?}");
    assert!(
        !states("put").is_empty() && states("peek").iter().all(|it| it.is_null()),
        "{refined:?}"
    );
}

#[test]
fn a_test_that_only_makes_values_is_refined() {
    let list = Argument::Array(vec![number(1.0)]);
    let statements = vec![
        call(Operation::Value, "", "list", vec![list]),
        call(Operation::Call, "clamp", "", vec![Argument::Variable(0), number(1.0), number(2.0)]),
    ];
    let tests = vec![SuiteTest { statements, ..SuiteTest::default() }];
    let suite = Suite { tests, seed: 1, ..Suite::default() };
    refined(&program(), &suite, &Refinement::default()).unwrap();
}

pub(crate) fn package_of(source: &str, readme: &str) -> Rc<Program> {
    let manifest = r#"{"name": "tool", "main": "index.js"}"#;
    let files = [("index.js", source), ("README.md", readme), ("package.json", manifest)];
    let files = files.map(|(name, text)| (name.to_owned(), text.as_bytes().to_vec()));
    Program::new(Package::new(BTreeMap::from(files)).unwrap()).unwrap()
}

#[test]
fn calls_have_as_many_arguments_as_those_of_the_documentation() {
    let program = package_of(
        "exports.cut = (text, size) => text.slice(0, size) + (size > 3 ? '.' : '');
        exports.hidden = text => text + '?';",
        "```js\ntool.cut('hello', 2)\n```\n",
    );
    let text = || Argument::String("hello".to_owned());
    let of = |name, arguments| vec![call(Operation::Call, name, "", arguments)];
    let suite = suite_of(vec![
        of("cut", vec![text()]),
        of("cut", vec![text(), number(5.0)]),
        of("cut", vec![text(), number(4.0), Argument::Boolean(true)]),
        of("hidden", vec![text()]),
    ]);
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let calls = refined.tests.iter().flat_map(|test| &test.statements);
    let calls: Vec<(&str, usize)> =
        calls.map(|it| (it.path[0].as_str(), it.arguments.len())).collect();
    assert!(!calls.is_empty() && calls.iter().all(|it| *it == ("cut", 2)), "{calls:?}");
}

#[test]
fn tests_that_repeat_a_result_are_left_out_and_counted() {
    let program = package_of(
        "exports.odd = n => { if (n === 1) return true; if (n === 2) return false; if (n === 4) return false;
            if (n === 6) return false; if (n === 8) return false; return n % 2 === 1; };",
        "```js\ntool.odd(1)\n```\n",
    );
    let odd = |n| vec![call(Operation::Call, "odd", "", vec![number(n)])];
    let suite = suite_of([1.0, 2.0, 4.0, 6.0, 8.0, 9.0].map(odd).to_vec());
    let found = refined(&program, &suite, &Refinement::default()).unwrap();
    let shown = found.suite.tests.iter().filter_map(|test| test.assertions.last());
    let same = shown.filter(|it| it["boolean"] == false).count();
    assert_eq!(same, 1, "{}", found.suite.to_json());
    assert!(found.repeated >= 3 && found.implausible == 0, "{found:?}");
}

#[test]
fn odd_values_become_natural_where_their_goals_stay_covered() {
    let program = package_of(
        "exports.mark = (text, size) => { if (size > 40) return text + '!'; return text + '.'; };",
        "```js\ntool.mark('hello', 2)\n```\n",
    );
    let odd = vec![Argument::String("a7x;".to_owned()), number(47.0)];
    let suite = suite_of(vec![vec![call(Operation::Call, "mark", "", odd)]]);
    let refined = refined(&program, &suite, &Refinement::default()).unwrap();
    let calls: Vec<&Vec<Argument>> =
        refined.suite.tests.iter().map(|test| &test.statements[0].arguments).collect();
    let natural = vec![Argument::String("hello".to_owned()), number(100.0)];
    assert!(calls.contains(&&natural), "{calls:?}");
    assert_eq!(refined.left_out, 0);
}

/// The calls in the refined tests of a package for an empty suite, each with its name and
/// arguments.
pub(crate) fn calls_of(source: &str, readme: &str) -> Vec<Vec<(String, Vec<Argument>)>> {
    let suite = Suite { seed: 1, ..Suite::default() };
    let program = package_of(source, readme);
    let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
    let named = |it: &Statement| {
        let name = it.path.join(".");
        (if name.is_empty() { it.name.clone() } else { name }, it.arguments.clone())
    };
    refined.tests.iter().map(|test| test.statements.iter().map(named).collect()).collect()
}

fn made(name: &str, arguments: &[Argument]) -> (String, Vec<Argument>) {
    (name.to_owned(), arguments.to_vec())
}

#[test]
fn examples_of_members_with_the_same_name_are_told_apart() {
    let source =
        "exports.text = { twice: it => it + it }; exports.list = { twice: it => it.concat(it) };";
    let list = || Argument::Array(vec![number(1.0), number(2.0)]);
    let text = Argument::String("ab".to_owned());
    let tests = calls_of(source, "    tool.text.twice('ab')\n\nand `tool.list.twice([1, 2])`.\n");
    assert!(tests.contains(&vec![made("text.twice", std::slice::from_ref(&text))]), "{tests:?}");
    assert!(tests.contains(&vec![made("list.twice", &[list()])]), "{tests:?}");
    assert!(!tests.contains(&vec![made("text.twice", &[list()])]), "{tests:?}");
    assert!(!tests.contains(&vec![made("list.twice", &[text])]), "{tests:?}");
}

const LIST: &str = "class List {
    constructor() { this.items = []; }
    add(item) { this.items.push(item); }
    last() { return this.items.length === 0 ? null : this.items[this.items.length - 1]; }
    total() { return this.items.reduce((sum, it) => sum + it, 0); }
}
exports.List = List;";

#[test]
fn methods_are_called_after_the_calls_that_examples_make_before() {
    let readme =
        "```js\nconst list = new List();\nlist.add(3);\nlist.add(4);\nlist.total(); // 7\n```\n";
    let tests = calls_of(LIST, readme);
    let adds = [made("add", &[number(3.0)]), made("add", &[number(4.0)])];
    let expected = [&[made("List", &[])], &adds[..], &[made("total", &[])]].concat();
    assert!(tests.contains(&expected), "{tests:?}");
}

#[test]
fn collections_have_elements_when_their_methods_are_called() {
    let tests = calls_of(LIST, "`List` has `add`, `last` and `total`.\n");
    let shown = |name: &str| tests.iter().filter(|test| test.last().unwrap().0 == name).count();
    assert!(shown("total") == 1 && shown("last") == 1, "{tests:?}");
    // The state of a new instance and the success of an addition say little.
    assert!(shown("add") == 0 && tests.iter().all(|test| test.len() > 2), "{tests:?}");
}

#[test]
fn options_that_change_nothing_are_left_out() {
    let source = "exports.join = (list, options) => {
        if (options && options.sorted) list = list.slice().sort();
        return list.join(options && options.mark === 'plus' ? '+' : '-');
    };";
    let program = package_of(source, "```js\ntool.join([1, 2], { mark: 'plus' })\n```\n");
    let list = Argument::Array(vec![number(1.0), number(2.0)]);
    let flag = |name: &str| (name.to_owned(), Argument::Boolean(true));
    let options = Argument::Object(vec![flag("sorted")]);
    let join = vec![call(Operation::Call, "join", "", vec![list, options])];
    let found = refined(&program, &suite_of(vec![join]), &Refinement::default()).unwrap().suite;
    let sorted = found.to_json().contains("sorted");
    assert!(!found.tests.is_empty() && !sorted, "{}", found.to_json());
}

#[test]
fn methods_of_the_language_and_readers_of_what_stays_the_same_show_nothing() {
    let source = "exports.code = it => 'code ' + it;
    exports.Sheet = class Sheet {
        constructor(title) { this._title = title; }
        border(mark) { this._mark = mark; return this; }
        toString() { return this._title; }
    };";
    let readme =
        "```js\ntool.code('abc').slice(0, 2);\nnew Sheet('plan').border('*').toString();\n```\n";
    let tests = calls_of(source, readme);
    let called = |name: &str| tests.iter().flatten().any(|it| it.0 == name);
    assert!(called("code") && called("toString"), "{tests:?}");
    assert!(!called("slice") && !called("border"), "{tests:?}");
}

#[test]
fn parameters_that_comments_call_optional_may_be_left_out() {
    let source = "/**
     * @param {string} text
     * @param {number} [size]
     * @param {boolean} [deep]
     */
    exports.cut = (text, size, deep) => deep ? [text] : text.slice(0, size === undefined ? 3 : size);";
    let tests = calls_of(source, "`cut` cuts.\n");
    let given = |count: usize| tests.iter().any(|test| test[0].1.len() == count);
    assert!(given(1), "{tests:?}");
    let required = source.replace('[', "").replace("] : text", " : text").replace(']', "");
    let tests = calls_of(&required, "`cut` cuts.\n");
    assert!(tests.iter().all(|test| test[0].1.len() == 3), "{tests:?}");
}

#[test]
fn functions_of_a_text_are_called_with_words() {
    let source = "exports.stem = text => {
        if (text.endsWith('ies')) return text.slice(0, -3) + 'y';
        return text.endsWith('ing') ? text.slice(0, -3) : text;
    };";
    let tests = calls_of(source, "```js\ntool.stem('dogs')\n```\n");
    let shown: Vec<&Argument> = tests.iter().map(|test| &test[0].1[0]).collect();
    let text = |text: &str| Argument::String(text.to_owned());
    assert!(shown.contains(&&text("ponies")), "{shown:?}");
    let ing = |it: &&&Argument| matches!(it, Argument::String(text) if text.ends_with("ing"));
    assert_eq!(shown.iter().filter(ing).count(), 1, "{shown:?}");
}

#[test]
fn earlier_calls_and_functions_without_an_effect_are_left_out() {
    let source = "exports.List = class List {
        constructor() { this.items = []; }
        add(item) { this.items.push(item); }
        node(element) { return { element, next: 1 }; }
    };
    exports.count = (list, fn) => list.length;";
    let readme = "```js\nconst list = new List();\nlist.add(3);\nlist.node(4);\n```\n\
        ```js\ntool.count([1, 2], it => it)\n```\n";
    let tests = calls_of(source, readme);
    let of = |name: &'static str| tests.iter().filter(move |test| test.last().unwrap().0 == name);
    assert!(of("node").count() > 0 && of("node").all(|test| test.len() == 2), "{tests:?}");
    assert!(of("count").all(|test| test.last().unwrap().1.len() == 1), "{tests:?}");
}

#[test]
fn flags_have_a_name_that_says_what_they_are_for() {
    let source =
        |name: &str| format!("exports.mark = (text, {name}) => {name} ? text + '!' : text + '.';");
    let readme = "```js\ntool.mark('hello', flag)\n```\n";
    let has = |name: &str| {
        let tests = calls_of(&source(name), readme);
        tests.iter().any(|test| matches!(test[0].1[..], [_, Argument::Boolean(_)]))
    };
    assert!(!has("b"));
}

#[test]
fn that_a_change_succeeded_is_shown_by_what_reads_the_state() {
    let source = "exports.Bits = class Bits {
        constructor() { this.bits = []; }
        set(bit) { this.bits.push(bit); return true; }
        toString() { return this.bits.join(' '); }
    };";
    let readme = "```js\nconst bits = new Bits();\nbits.set(5);\nbits.toString();\n```\n";
    let tests = calls_of(source, readme);
    assert!(tests.iter().all(|test| test.last().unwrap().0 == "toString"), "{tests:?}");
}

#[test]
fn years_and_points_are_as_a_person_would_choose_them() {
    let source = "exports.weeks = year => year % 4 === 0 ? 53 : 52;
    exports.inside = list => list.length > 3 ? list[3].length : list.length;";
    let readme = "`weeks` takes a year.\n\n```js\ntool.inside([[1, 2], [3, 4]])\n```\n";
    let tests = calls_of(source, readme);
    let given = |name: &str| {
        let of = tests.iter().filter(|test| test[0].0 == name);
        of.map(|test| test[0].1[0].clone()).collect::<Vec<_>>()
    };
    let year = |it: &Argument| matches!(it, Argument::Number(it) if (1900.0..2101.0).contains(it));
    assert!(!given("weeks").is_empty() && given("weeks").iter().all(year), "{tests:?}");
    let point = |it: &Argument| matches!(it, Argument::Array(it) if it.len() == 2);
    let points = |it: &Argument| matches!(it, Argument::Array(it) if it.iter().all(point));
    assert!(given("inside").iter().all(points), "{tests:?}");
}

#[test]
fn functions_that_calls_return_are_called_as_in_examples() {
    let source = "exports.order = options => (a, b) => options.down ? b - a : a - b;";
    let options = Argument::Object(vec![("down".to_owned(), Argument::Boolean(true))]);
    let made = call(Operation::Call, "order", "", vec![options]);
    let given = vec![Argument::Undefined, number(2.0), number(5.0)];
    let suite = suite_of(vec![vec![made, call(Operation::Method, "", "call", given)]]);
    let counts = |readme: &str| {
        let program = package_of(source, readme);
        let refined = refined(&program, &suite, &Refinement::default()).unwrap().suite;
        refined.tests.iter().map(|test| test.statements.len()).collect::<Vec<_>>()
    };
    let made = "```js\nlist.sort(tool.order({ down: true }));\n```\n";
    assert!(!counts(made).contains(&2), "{:?}", counts(made));
    let called = "```js\nconst compare = tool.order({ down: true });\ncompare(2, 5);\n```\n";
    assert!(counts(called).contains(&2), "{:?}", counts(called));
}
