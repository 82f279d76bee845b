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
