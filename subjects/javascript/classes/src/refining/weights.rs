//! How hard a test is to read.

use catherd_javascript_machine::{Argument, Operation};

use super::Classes;
use crate::export::{Strength, strength};
use crate::suite::SuiteTest;

/// Weight of a statement besides the call that the test shows.
const STATEMENT: f64 = 0.35;

/// Number of characters of arguments that weigh as much as a call.
const CHARACTERS: f64 = 90.0;

/// The weight of a test; `None` if nothing can be asserted of its last call.
pub(super) fn of(test: &SuiteTest, classes: &Classes) -> Option<f64> {
    let last = test.statements.last()?;
    let shown = match strength(test, classes) {
        Strength::Nothing => return None,
        Strength::Type => 3.0,
        Strength::Error => 1.6,
        Strength::Part => 1.4,
        Strength::Whole => 1.0,
    };
    let mut weight = shown + STATEMENT * (test.statements.len() - 1) as f64;
    if last.operation == Operation::Set {
        weight += 1.0;
    }
    for argument in test.statements.iter().flat_map(|statement| &statement.arguments) {
        argument.visit(&mut |inner| weight += of_argument(inner));
    }
    Some(weight)
}

fn of_argument(argument: &Argument) -> f64 {
    match argument {
        Argument::String(text) => {
            let odd = text.chars().filter(|letter| !(' '..='~').contains(letter)).count();
            (text.chars().count() + 4 * odd) as f64 / CHARACTERS
        }
        Argument::Number(number) => number.to_string().len() as f64 / CHARACTERS,
        Argument::Function(what, _) => match what.as_str() {
            "constant" | "first" => 0.2,
            "throws" => 0.4,
            _ => 1.0,
        },
        Argument::Promise(_, true) => 1.0,
        Argument::Symbol(_) | Argument::Map(_) | Argument::Set(_) => 0.5,
        _ => 0.05,
    }
}
