//! Candidates from sequences of calls in the documentation, tests and examples.

use std::collections::BTreeSet;

use catherd_javascript_machine::instrument::{Given, Step};
use catherd_javascript_machine::{Argument, Operation, Statement};

use super::documented::{is_long, statement};
use super::slices::{renumbered, slice};
use super::{Refiner, kinds};
use crate::model::{Target, TargetKind};

/// Maximum number of sequences that are read.
const MAX_SESSIONS: usize = 400;

/// Maximum number of tests that are made from sequences.
const MAX_TESTS: usize = 160;

/// Maximum number of statements of such a test.
const MAX_STATEMENTS: usize = 5;

impl Refiner<'_> {
    pub(super) fn in_sessions(&self) -> Vec<Vec<Statement>> {
        let mut found = Vec::new();
        let mut seen = BTreeSet::new();
        for session in self.usage.sessions.iter().take(MAX_SESSIONS) {
            let statements = self.statements_of(session);
            for end in 0..statements.len() {
                if statements[end].operation != Operation::Method {
                    continue;
                }
                let sliced = without_readers(slice(&statements, end, true));
                let key: Vec<String> = sliced.iter().map(|it| it.to_json().to_string()).collect();
                if sliced.len() <= MAX_STATEMENTS && found.len() < MAX_TESTS && seen.insert(key) {
                    found.push(sliced);
                }
            }
        }
        found
    }

    /// The statements of a sequence, without calls that are not completely known.
    fn statements_of(&self, session: &[Step]) -> Vec<Statement> {
        let mut statements: Vec<Statement> = Vec::new();
        let mut places: Vec<Option<usize>> = Vec::new();
        for step in session {
            let made = self.statement_of(step, &places, &statements);
            places.push(made.is_some().then_some(statements.len()));
            statements.extend(made);
        }
        statements
    }

    fn statement_of(
        &self,
        step: &Step,
        places: &[Option<usize>],
        statements: &[Statement],
    ) -> Option<Statement> {
        let argument = |given: &Given| match given {
            Given::Literal(literal) => kinds::argument(literal),
            Given::Result(number) => Some(Argument::Variable((*places.get(*number)?)?)),
            Given::Other(_) => None,
        };
        let arguments: Vec<Argument> =
            step.arguments.iter().map(argument).collect::<Option<_>>()?;
        if is_long(&arguments) {
            return None;
        }
        let mut targets = self.usage.targets().iter();
        let named = |target: &Target| {
            let names = self.usage.words.names(target, &self.usage.model);
            names.contains(&step.name)
        };
        match &step.of {
            Some(Given::Result(number)) => {
                let receiver = (*places.get(*number)?)?;
                // The methods of values that functions return may not be known.
                let known = |it: &&Target| it.kind == TargetKind::Method && it.member == step.name;
                let of_call = receiver_is_called(statements, receiver);
                targets.find(known).map(|_| ()).or(of_call.then_some(()))?;
                let made = statement(Operation::Method, &[], &step.name, arguments);
                Some(Statement { receiver, ..made })
            }
            Some(Given::Literal(_)) => None,
            of => {
                let owner = match of {
                    Some(Given::Other(name)) => Some(name.to_lowercase()),
                    _ => None,
                };
                let kind = if step.makes { TargetKind::Constructor } else { TargetKind::Function };
                let owned = |target: &Target| {
                    step.makes
                        || owner.as_ref().is_none_or(|it| self.usage.owners(target).contains(it))
                };
                let target = targets.find(|it| it.kind == kind && named(it) && owned(it))?;
                let operation = if step.makes { Operation::New } else { Operation::Call };
                Some(statement(operation, &target.path, "", arguments))
            }
        }
    }
}

/// Removes calls before the last call that, according to their names, only read an instance, if
/// nothing uses their results.
pub(super) fn without_readers(statements: Vec<Statement>) -> Vec<Statement> {
    let last = statements.len() - 1;
    let reads = |it: &Statement| {
        let words = ["get", "is", "has", "size", "length", "count", "capacity", "to", "peek"];
        it.operation == Operation::Method
            && it.arguments.is_empty()
            && words.iter().any(|word| it.name.starts_with(word))
    };
    let used = |at: usize| statements.iter().any(|it| it.variables().contains(&at));
    let kept: Vec<usize> =
        (0..=last).filter(|at| *at == last || used(*at) || !reads(&statements[*at])).collect();
    kept.iter().map(|at| renumbered(&statements[*at], &kept)).collect()
}

/// Whether a function returned the receiver.
fn receiver_is_called(statements: &[Statement], at: usize) -> bool {
    statements.get(at).is_some_and(|it| it.operation == Operation::Call)
}
