//! Tests of refining that are kept although a simpler rule would leave them out.

use std::rc::Rc;

use catherd_javascript_classes::machine::{Argument, Operation, Program, Statement};
use catherd_javascript_classes::{Refinement, refined};
use serde_json::Value;

use crate::refining::{call, package_of, suite_of};

fn text(text: &str) -> Argument {
    Argument::String(text.to_owned())
}

/// The last statement and the last result of each test of the refined suite.
fn kept(program: &Rc<Program>, tests: Vec<Vec<Statement>>) -> Vec<(Statement, Value)> {
    let refined = refined(program, &suite_of(tests), &Refinement::default()).unwrap();
    let last = |test: catherd_javascript_classes::SuiteTest| {
        (test.statements.last().unwrap().clone(), test.assertions.last().unwrap().clone())
    };
    refined.suite.tests.into_iter().map(last).collect()
}

#[test]
fn a_former_name_of_the_export_has_examples() {
    let source = "module.exports = (a, b) => b ? [a, b] : [a];";
    let readme = "```js\nconst pair = require('tool');\npair2list('left', 'right');\n```\n";
    let own = call(Operation::Call, "", "", vec![text("x9"), Argument::Null]);
    let found = kept(&package_of(source, readme), vec![vec![own.clone()]]);
    let given = [text("left"), text("right")];
    assert!(found.iter().any(|(it, _)| it.arguments == given), "{found:?}");
    let readme = readme.replace("pair2list(", "other.pair2list(");
    let found = kept(&package_of(source, &readme), vec![vec![own]]);
    assert!(!found.iter().any(|(it, _)| it.arguments == given), "{found:?}");
}

#[test]
fn the_first_example_is_shown_although_another_test_covers_its_goals() {
    let source = "exports.parts = text => {
        const parts = [];
        for (const part of text.split('$')) { if (part) { parts.push({ type: 'part', value: part }); } }
        if (text.includes('|')) { parts.push({ type: 'bar', value: '|' }); }
        return parts;
    };";
    let readme =
        "```js\ntool.parts('hello $world$');\ntool.parts('in $a long text$ with a | bar');\n```\n";
    let found = kept(
        &package_of(source, readme),
        vec![vec![call(Operation::Call, "parts", "", vec![text("in $a long text$ with a | bar")])]],
    );
    let shown = |given: &str| found.iter().any(|(it, _)| it.arguments == [text(given)]);
    assert!(shown("hello $world$") && shown("in $a long text$ with a | bar"), "{found:?}");
}

#[test]
fn the_platform_matters_only_to_ends_of_lines_and_paths() {
    let source = "class Lines {
        constructor(text) { this.text = text; this.end = process.platform === 'win32' ? '\\r\\n' : '\\n'; }
        add(text) { this.text += text; return this.text; }
        line(text) { this.text += text + this.end; return this.text; }
    }
    const program = name => (process.platform === 'win32' ? 'windows' : 'other') + name;
    module.exports = { Lines, program };";
    let readme = "```js\nconst lines = new Lines('hello ');\nlines.add('you');\nlines.line('world');\nprogram('start');\n```\n";
    let made = || call(Operation::New, "Lines", "", vec![text("hello ")]);
    let of = |name: &str, given: &str| {
        vec![made(), call(Operation::Method, "", name, vec![text(given)])]
    };
    let program = vec![call(Operation::Call, "program", "", vec![text("start")])];
    let tests = vec![of("add", "you"), of("line", "world"), program];
    let found = kept(&package_of(source, readme), tests);
    assert!(found.iter().any(|(it, _)| it.name == "add"), "{found:?}");
    assert!(
        !found.iter().any(|(it, _)| it.path.last().is_some_and(|it| it == "program")),
        "{found:?}"
    );
    assert!(!found.iter().any(|(_, value)| value.to_string().contains('\\')), "{found:?}");
}

#[test]
fn wrong_arguments_are_refused_in_any_environment() {
    let source = "exports.list = (folder, options) => {
        if (typeof options.filter !== 'function') { throw new Error('The filter must be a function'); }
        return process.cwd() + folder;
    };";
    let readme = "`tool.list(folder, options)`:\n\n- `filter` {Function}\n\n```js\ntool.list('src', { filter: 'no' });\n```\n";
    let options = Argument::Object(vec![("filter".to_owned(), text("no"))]);
    let wrong = call(Operation::Call, "list", "", vec![text("src"), options]);
    let found = kept(&package_of(source, readme), vec![vec![wrong.clone()]]);
    assert!(matches!(&found[..], [(_, value)] if value["throws"] == "Error"), "{found:?}");
    let source = source.replace("filter must be", "folder must be");
    assert_eq!(kept(&package_of(&source, readme), vec![vec![wrong]]), []);
}

#[test]
fn a_replacement_is_in_the_text() {
    let source =
        "exports.replace = (...all) => all.slice(0, -2).join().replace(...all.slice(-2));
        exports.replaceWords = (given, word) => given.split(word).join('***');
        exports.Text = class Text { replace(part, by) { return 'hello world'.replace(part, by); } };";
    let readme = "```js\ntool.replace('hello world', 'world', 'there');\ntool.replace('hello you', 'moon', 'sun');
tool.replaceWords('bad words', 'bad');\nconst text = new Text();\ntext.replace('hello', 'goodbye');
text.replace('moon', 'sun');\n```\n";
    let of = |name: &str, given: &[&str]| {
        vec![call(Operation::Call, name, "", given.iter().copied().map(text).collect())]
    };
    let method = |given: [&str; 2]| {
        let given = given.map(text).to_vec();
        vec![
            call(Operation::New, "Text", "", Vec::new()),
            call(Operation::Method, "", "replace", given),
        ]
    };
    let tests = vec![
        of("replace", &["hello world", "world", "there"]),
        of("replace", &["hello you", "moon", "sun"]),
        of("replaceWords", &["bad words", "bad"]),
        method(["hello", "goodbye"]),
        method(["moon", "sun"]),
    ];
    let found = kept(&package_of(source, readme), tests);
    let has = |word: &str| found.iter().any(|(it, _)| it.arguments.contains(&text(word)));
    assert!(has("there") && has("bad") && has("goodbye") && !has("sun"), "{found:?}");
}

#[test]
fn digits_that_the_documentation_has_are_no_accident() {
    let source =
        "exports.speed = text => ({ words: text.split(' ').length, time: text.length / 3 });";
    let readme = |time: &str| {
        format!(
            "```js\nconst {{\n  words, // 2\n  time, // {time}\n}} = tool.speed('hello you');\nconst other = tool.speed('hello you two');\n```\n"
        )
    };
    let of = |given: &str| vec![call(Operation::Call, "speed", "", vec![text(given)])];
    let tests = || vec![of("hello you"), of("hello you two")];
    let found = kept(&package_of(source, &readme("4.333333333333333")), tests());
    assert!(found.iter().any(|(it, _)| it.arguments == [text("hello you two")]), "{found:?}");
    let found = kept(&package_of(source, &readme("3")), tests());
    assert!(!found.iter().any(|(it, _)| it.arguments == [text("hello you two")]), "{found:?}");
}
