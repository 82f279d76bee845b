//! Weights of tests, which are larger if a test is more difficult to read.

use std::collections::BTreeSet;

use catherd_javascript_machine::{Argument, Operation, Statement};

use crate::export::Strength;
use crate::suite::{Suite, SuiteTest, is_error};

/// Weight of each call in addition to the one that the test shows.
const STATEMENT: f64 = 0.35;

/// Number of characters of strings and numbers that together have the weight 1.
const CHARACTERS: f64 = 90.0;

/// A key for the function that a statement calls.
pub(super) fn callee(statement: &Statement) -> String {
    match statement.operation {
        Operation::New | Operation::Call => statement.path.join("."),
        _ => format!("#{}", statement.name),
    }
}

/// A key for the call that a test shows, which includes the call that made its receiver.
pub(super) fn called(test: &SuiteTest) -> String {
    let statement = &test.statements[test.focus.unwrap_or(test.statements.len() - 1)];
    let receiver = test.statements.get(statement.receiver);
    match (statement.operation, receiver) {
        (Operation::Method | Operation::Get | Operation::Set, Some(made)) => {
            format!("{}{}", made.path.join("."), callee(statement))
        }
        _ => callee(statement),
    }
}

/// The functions that are called in a suite and return a value other than `undefined` at least
/// once.
pub(super) fn returning(suite: &Suite) -> BTreeSet<String> {
    let tests = suite.tests.iter();
    let calls = tests.flat_map(|test| test.statements.iter().zip(&test.assertions));
    let returns = calls.filter(|(_, value)| {
        !value.is_null() && value.get("undefined").is_none() && !is_error(value)
    });
    returns.map(|(statement, _)| callee(statement)).collect()
}

/// The weight of a test whose assertions describe its last call with the strength `says`; `None` if
/// this is not enough.
pub(super) fn of(
    test: &SuiteTest,
    says: Strength,
    returning: &BTreeSet<String>,
    weak: bool,
) -> Option<f64> {
    let last = test.statements.last()?;
    // Members with such names are not public by convention.
    let hidden = |statement: &Statement| {
        let last = statement.path.last().unwrap_or(&statement.name);
        last.starts_with('_') || last.ends_with('_')
    };
    if !weak && test.statements.iter().any(hidden) {
        return None;
    }
    let is_nothing = test.assertions.last().is_some_and(|it| it.get("undefined").is_some());
    let shown = match says {
        Strength::Nothing => return None,
        Strength::Type if is_nothing && returning.contains(&callee(last)) => 2.5,
        Strength::Type if weak => 3.0,
        Strength::Type => return None,
        Strength::Error => 1.6,
        Strength::Part => 1.6,
        Strength::Whole => 1.0,
    };
    let is_value = |statement: &Statement| statement.operation == Operation::Value;
    let calls = test.statements.iter().filter(|statement| !is_value(statement)).count();
    let mut weight = shown + STATEMENT * calls.saturating_sub(1) as f64;
    if last.operation == Operation::Set {
        weight += 1.0;
    }
    for (at, statement) in test.statements.iter().enumerate() {
        let applied = is_applied(test, at);
        if applied && statement.arguments.first().is_some_and(|it| *it != Argument::Undefined) {
            weight += 1.0;
        }
        for argument in statement.arguments.iter().skip(usize::from(applied)) {
            if let Argument::Variable(made) = argument
                && is_value(&test.statements[*made])
            {
                continue;
            }
            argument.visit(&mut |inner| weight += of_argument(inner));
        }
    }
    Some(weight)
}

/// Whether a statement calls a function that another statement has returned; its first argument is
/// then `this`.
pub(super) fn is_applied(test: &SuiteTest, at: usize) -> bool {
    let statement = &test.statements[at];
    let function = test.assertions.get(statement.receiver);
    statement.operation == Operation::Method
        && statement.name == "call"
        && function.is_some_and(|value| value["type"] == "function")
}

fn of_argument(argument: &Argument) -> f64 {
    match argument {
        Argument::String(text) => {
            let odd = text.chars().filter(|letter| !(' '..='~').contains(letter)).count();
            (text.chars().count() + 4 * odd) as f64 / CHARACTERS
        }
        Argument::Number(number) => number.to_string().len() as f64 / CHARACTERS,
        Argument::Function(what, _) => match what.as_str() {
            "constant" | "first" => 0.6,
            "throws" => 0.7,
            _ => 1.0,
        },
        Argument::Promise(_, true) => 1.0,
        Argument::Variable(_) => 0.3,
        // A call with an empty collection shows less.
        Argument::Array(items) if items.is_empty() => 0.5,
        Argument::Object(members) if members.is_empty() => 0.5,
        Argument::Array(_) => 0.1,
        Argument::Undefined => 0.3,
        Argument::Symbol(_) | Argument::Map(_) | Argument::Set(_) => 0.5,
        Argument::Object(members) => 0.1 + 0.15 * members.len() as f64,
        _ => 0.05,
    }
}
