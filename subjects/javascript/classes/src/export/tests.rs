use serde_json::{Value, json};

use super::*;

fn suite() -> Suite {
    let statement = |operation, path: &[&str], name: &str, arguments| Statement {
        operation,
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        receiver: 0,
        name: name.to_owned(),
        arguments,
        awaits: false,
    };
    let rejected = Argument::Promise(Box::new(Argument::Null), true);
    Suite {
        tests: vec![SuiteTest {
            statements: vec![
                statement(Operation::New, &["Chain"], "", vec![]),
                statement(Operation::Method, &[], "add", vec![Argument::Number(-0.0)]),
                statement(Operation::Method, &[], "not a name", vec![rejected]),
            ],
            assertions: vec![
                Value::Null,
                json!({"number": "3"}),
                json!({"throws": "Error", "message": "it's"}),
            ],
            after: vec![
                json!({"object": "Chain", "members": {"_top": {"number": "7"}, "size": {"number": "1"}}}),
                Value::Null,
                Value::Null,
            ],
            ..SuiteTest::default()
        }],
        ..Suite::default()
    }
}

fn code(style: Style) -> Code {
    Code {
        style,
        subject: "./chain.js".to_owned(),
        root: "./".to_owned(),
        module: false,
        in_module: false,
        namespace: vec!["Lists".to_owned()],
        script: false,
        all_errors: true,
        hidden: BTreeSet::new(),
        typed: Vec::new(),
        confirmed: false,
        note: String::new(),
        classes: Classes::new(),
        own_name: String::new(),
        variables: Variables::new(),
        parameters: Parameters::new(),
        members: Vec::new(),
        snapshots: false,
    }
}

#[test]
fn assertions_have_the_form_of_the_framework() {
    let node = export(&suite(), &code(Style::NodeTest)).text;
    assert!(node.contains("const chain = new subject.Chain();"), "{node}");
    assert!(node.contains("assert.equal(chain.add(-0), 3);"), "{node}");
    assert!(node.contains("assert.throws(() => chain['not a name'](rejected()), {"), "{node}");
    assert!(node.contains("message: \"it's\""), "{node}");
    assert!(node.contains("assert.equal(chain.size, 1);") && !node.contains("data("), "{node}");
    assert!(node.contains("subject = require('./chain.js').Lists;"), "{node}");
    let jest = export(&suite(), &code(Style::Jest)).text;
    assert!(jest.contains("expect(chain.add(-0)).toBe(3);"), "{jest}");
    assert!(!jest.contains("node:assert"), "{jest}");
    let mocha = export(&suite(), &code(Style::Mocha)).text;
    assert!(
        mocha.contains("  it(\"not a name throws an Error for rejected() after add(-0): it's\""),
        "{mocha}"
    );
}

#[test]
fn errors_of_the_language_are_left_out_unless_asked_for() {
    let mut suite = suite();
    suite.tests[0].assertions[2] = json!({"throws": "TypeError"});
    let few = Code { all_errors: false, ..code(Style::NodeTest) };
    let text = export(&suite, &few).text;
    assert!(text.contains("assert.equal(chain.add(-0), 3);") && !text.contains("throws"), "{text}");
    suite.tests[0].assertions[1] = Value::Null;
    let exported = export(&suite, &few);
    assert_eq!(
        exported.skipped,
        [(0, "it only shows a TypeError of the language; --all-errors writes all".to_owned())]
    );
    assert!(export(&suite, &code(Style::NodeTest)).text.contains("assert.throws("));
}

#[test]
fn a_default_export_is_the_subject_if_tests_use_nothing_else() {
    let mut suite = suite();
    suite.tests[0].statements[0].path = vec!["default".to_owned(), "Chain".to_owned()];
    let module = Code { module: true, namespace: Vec::new(), ..code(Style::NodeTest) };
    let text = export(&suite, &module).text;
    assert!(text.contains("subject = loaded.default;"), "{text}");
    assert!(text.contains("const chain = new subject.Chain();"), "{text}");
    let named = call_of(&["other"]);
    suite.tests[0].statements.push(named);
    suite.tests[0].assertions.push(json!({"number": "1"}));
    suite.tests[0].after.push(Value::Null);
    let text = export(&suite, &module).text;
    assert!(text.contains("new subject.default.Chain();"), "{text}");
}

fn call_of(path: &[&str]) -> Statement {
    Statement {
        operation: Operation::Call,
        path: path.iter().map(|part| (*part).to_owned()).collect(),
        receiver: 0,
        name: String::new(),
        arguments: Vec::new(),
        awaits: false,
    }
}

#[test]
fn of_tests_with_the_same_title_the_first_is_written() {
    let mut suite = suite();
    // Some of these tests have longer titles.
    let again = vec![suite.tests[0].clone(); 9];
    suite.tests.extend(again);
    let exported = export(&suite, &code(Style::NodeTest));
    let last = (9, "another test has the same title".to_owned());
    assert_eq!(exported.skipped.last(), Some(&last));
    let titles: BTreeSet<&String> = exported.titles.iter().map(|(.., title)| title).collect();
    assert_eq!(titles.len(), exported.titles.len());
}

#[test]
fn titles_have_the_beginnings_of_texts_and_options() {
    let text = |text: &str| Argument::String(text.to_owned());
    let options = Argument::Object(vec![
        ("style".to_owned(), text("bracket")),
        ("strict".to_owned(), Argument::Boolean(true)),
    ]);
    let mut statement = call_of(&["parse"]);
    statement.arguments = vec![text("a text that is so long that no title has it"), options];
    let mut suite = suite();
    suite.tests[0] = SuiteTest {
        statements: vec![statement],
        assertions: vec![json!({"number": "7"})],
        after: vec![Value::Null],
        ..SuiteTest::default()
    };
    let exported = export(&suite, &code(Style::NodeTest));
    let title =
        "parse returns 7 for 'a text that is so long that…', { style: 'bracket', strict: true }";
    assert_eq!(exported.titles[0].2, title);
}

#[test]
fn titles_name_flags_and_numbers() {
    let text = Argument::String("hello".to_owned());
    let mut statement = call_of(&["cut"]);
    statement.arguments = vec![text, Argument::Number(3.0), Argument::Boolean(true)];
    let mut suite = suite();
    suite.tests[0] = SuiteTest {
        statements: vec![statement],
        assertions: vec![json!({"string": "hel"})],
        after: vec![Value::Null],
        ..SuiteTest::default()
    };
    let names = ["", "size", "exact"].map(str::to_owned).to_vec();
    let parameters = Parameters::from([("cut".to_owned(), names)]);
    let exported = export(&suite, &Code { parameters, ..code(Style::NodeTest) });
    assert_eq!(exported.titles[0].2, "cut returns 'hel' for 'hello', size 3, exact true");
}

#[test]
fn a_class_that_is_the_export_itself_has_its_own_name() {
    let mut suite = suite();
    suite.tests[0].statements[0].path.clear();
    let text = export(&suite, &code(Style::NodeTest)).text;
    assert!(text.contains("const chain = new subject();"), "{text}");
    assert!(text.contains("describe('Chain', () => {"), "{text}");
    suite.tests[0].after[0] = Value::Null;
    let text = export(&suite, &code(Style::NodeTest)).text;
    assert!(text.contains("const instance = new subject();"), "{text}");
    assert!(text.contains("describe('exports', () => {"), "{text}");
}

#[test]
fn the_subject_has_no_name_that_the_code_declares() {
    for name in ["list", "root", "loaded", "files", "data", "register", "fs"] {
        for (module, script) in [(false, false), (true, false), (false, true)] {
            let own_name = name.to_owned();
            let code =
                Code { module, script, in_module: module, own_name, ..code(Style::NodeTest) };
            let text = export(&suite(), &code).text;
            let named = text.contains(&format!("let {name};"));
            assert_eq!(named, name == "list" && !script, "{text}");
        }
    }
}

#[test]
fn titles_name_the_member_that_tells_a_call_from_another() {
    let user = |name: &str| {
        let member = |name: &str, it: &str| (name.to_owned(), Argument::String(it.to_owned()));
        let city = "a city with a name that is much too long for a title of a test";
        Argument::Object(vec![member("city", city), member("name", name)])
    };
    let test = |name: &str, digest: &str| SuiteTest {
        statements: vec![Statement {
            operation: Operation::Call,
            path: vec!["digest".to_owned()],
            receiver: 0,
            name: String::new(),
            arguments: vec![user(name)],
            awaits: false,
        }],
        assertions: vec![json!({"string": digest})],
        after: vec![Value::Null],
        ..SuiteTest::default()
    };
    let tests = vec![test("Ada", "0a1b"), test("Bob", "2c3d")];
    let text = export(&Suite { tests, ..Suite::default() }, &code(Style::NodeTest)).text;
    assert!(text.contains("digest returns '0a1b' with name 'Ada'"), "{text}");
    assert!(text.contains("digest returns '2c3d' with name 'Bob'"), "{text}");
}

#[test]
fn titles_tell_calls_apart() {
    let text = |it: &str| Argument::String(it.to_owned());
    let long = "a text that is so long that no title of any test has it as a whole";
    let test = |arguments: Vec<Argument>, result: Value| SuiteTest {
        statements: vec![Statement { arguments, ..call_of(&["parse"]) }],
        assertions: vec![result],
        after: vec![Value::Null],
        ..SuiteTest::default()
    };
    let code = code(Style::NodeTest);
    let number = json!({"number": "3"});
    let telling = |test: &SuiteTest| tells(test, &code) == Tells::Call;
    assert!(telling(&test(vec![text("a")], number.clone())));
    assert!(!telling(&test(vec![text(long)], number)));
    let list = json!({"array": [{"string": "a"}]});
    assert!(telling(&test(vec![text(long)], list.clone())));
    let flag = vec![text(long), Argument::Array(vec![text(long)]), Argument::Boolean(false)];
    assert!(telling(&test(flag, list.clone())));
    let member = |name: &str| (name.to_owned(), Argument::Array(vec![text(long)]));
    let options = vec![text(long), Argument::Object(vec![member("a"), member("b")])];
    assert!(!telling(&test(options, list)));
    // Calls of the documentation need no more than a part of the result, or all arguments.
    let example = |test: &SuiteTest| tells(test, &code) == Tells::Example;
    let lines = json!({"string": format!("{long}\n{long}")});
    assert!(example(&test(vec![text(long)], lines.clone())));
    let blank = json!({"string": "+---+---+\n|   |   |\n".repeat(9)});
    assert!(example(&test(vec![text("a")], blank.clone())));
    assert!(!example(&test(vec![text(long)], blank.clone())));
    let suite_of = |test: SuiteTest| Suite { tests: vec![test], ..suite() };
    let written = export(&suite_of(test(vec![text("a")], blank)), &code).text;
    assert!(written.contains("parse returns a text with 18 lines for 'a'"), "{written}");
    let flags = vec![text(long), Argument::Object(vec![member("a"), member("b")])];
    assert!(!example(&test(flags, lines)));
    let error = json!({"throws": "Error", "message": "No such mark."});
    let written = |test: SuiteTest| export(&Suite { tests: vec![test], ..suite() }, &code).text;
    let text = written(test(vec![], error));
    assert!(text.contains("'parse throws an Error without arguments: No such mark'"), "{text}");
    let thrown = json!({"throws": "", "value": {"string": "No mark"}});
    assert!(!telling(&test(vec![], json!({"throws": ""}))));
    let text = written(test(vec![], thrown));
    assert!(text.contains("\"parse throws 'No mark' without arguments\""), "{text}");
}

#[test]
fn titles_have_the_call_that_made_the_receiver() {
    let made = |text: &str| {
        let given = vec![Argument::String(text.to_owned())];
        let reads =
            Statement { operation: Operation::Method, name: "days".to_owned(), ..call_of(&[]) };
        SuiteTest {
            statements: vec![Statement { arguments: given, ..call_of(&["date"]) }, reads],
            assertions: vec![json!({"object": "Day", "members": {}}), json!({"number": "10958"})],
            after: vec![Value::Null; 2],
            ..SuiteTest::default()
        }
    };
    let code = code(Style::NodeTest);
    let day = made("2000-01-02 in UTC");
    assert_eq!(tells(&day, &code), Tells::Call);
    let text = export(&Suite { tests: vec![day], ..suite() }, &code).text;
    assert!(text.contains("days returns 10958 for subject.date('2000-01-02 in UTC')"), "{text}");
    assert_eq!(tells(&made("a day that is much too long for a title"), &code), Tells::Nothing);
}

#[test]
fn copies_are_other_objects() {
    let number = ("a".to_owned(), Argument::Number(1.0));
    let inner = ("b".to_owned(), Argument::Array(vec![Argument::Number(2.0)]));
    let value = Argument::Object(vec![number, inner]);
    let test = SuiteTest {
        statements: vec![Statement { arguments: vec![value], ..call_of(&["deepClone"]) }],
        assertions: vec![
            json!({"object": {"a": {"number": "1"}, "b": {"array": [{"number": "2"}]}}}),
        ],
        after: vec![Value::Null],
        ..SuiteTest::default()
    };
    let suite = Suite { tests: vec![test], ..suite() };
    let plain = export(&suite, &code(Style::NodeTest)).text;
    assert!(!plain.contains("notEqual"), "{plain}");
    let text = export(&suite, &Code { confirmed: true, ..code(Style::NodeTest) }).text;
    assert!(text.contains("const copy = subject.deepClone(original);"), "{text}");
    assert!(text.contains("assert.notEqual(copy, original);"), "{text}");
    assert!(text.contains("assert.notEqual(copy.b, original.b);"), "{text}");
    assert!(text.contains("deepClone returns a separate copy of { a: 1, b: [2] }"), "{text}");
    let jest = export(&suite, &Code { confirmed: true, ..code(Style::Jest) }).text;
    assert!(jest.contains("expect(copy).not.toBe(original);"), "{jest}");
}
