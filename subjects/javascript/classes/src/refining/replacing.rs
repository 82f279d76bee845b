//! Replacement of arguments and their parts.

use catherd_javascript_machine::{Argument, Statement};

/// A statement with one variable instead of another.
pub(super) fn instead(statement: &Statement, old: usize, new: usize) -> Statement {
    let mut statement = statement.clone();
    if statement.receiver == old {
        statement.receiver = new;
    }
    for argument in &mut statement.arguments {
        argument.visit_mut(&mut |inner| {
            if *inner == Argument::Variable(old) {
                *inner = Argument::Variable(new);
            }
        });
    }
    statement
}

/// Replaces all arguments and parts of arguments that equal `old`; if `old` is a variable, replaces
/// all variables.
pub(super) fn replace_all(statements: &mut [Statement], old: &Argument, new: &Argument) {
    for argument in statements.iter_mut().flat_map(|statement| &mut statement.arguments) {
        argument.visit_mut(&mut |inner| {
            let variables =
                matches!((&*inner, old), (Argument::Variable(_), Argument::Variable(_)));
            if inner == old || variables {
                *inner = new.clone();
            }
        });
    }
}

/// Replaces the part that is visited after `part` others; the whole argument is visited first.
pub(super) fn replace(whole: &mut Argument, part: usize, new: &Argument) {
    let mut number = 0;
    whole.visit_mut(&mut |inner| {
        if number == part {
            *inner = new.clone();
        }
        number += 1;
    });
}
