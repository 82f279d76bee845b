//! Candidates by data flow: for each call of a test, the call and the statements that it needs.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::{Argument, MachineError, Operation, Statement};

use super::sessions::without_readers;
use super::usual::Usual;
use super::{Candidate, Covered, Refiner};
use crate::suite::{Suite, is_error};

impl Refiner<'_> {
    /// The candidates that are made from the tests of a suite, without repetitions, and those from
    /// documented and conventional calls.
    pub(super) fn candidates(&mut self, suite: &Suite) -> Result<Vec<Candidate>, MachineError> {
        let mut candidates: Vec<Candidate> = Vec::new();
        let mut seen = BTreeSet::new();
        self.factories = self.factories()?;
        for (number, test) in suite.tests.iter().enumerate() {
            for end in 0..test.statements.len() {
                for with_states in [false, true] {
                    let statements = slice(&test.statements, end, with_states);
                    let statements = without_readers(statements);
                    let key: Vec<String> =
                        statements.iter().map(|each| each.to_json().to_string()).collect();
                    if !seen.insert(key) {
                        continue;
                    }
                    let Some(mut found) = self.shown(&statements)? else { continue };
                    found.origin = (number + 1, end);
                    candidates.push(found);
                }
            }
        }
        candidates.extend(self.documented()?);
        let mut usual = Usual::of(&candidates, &self.classes, self.usual.read.clone());
        usual.without(&mut candidates, &self.classes);
        self.usual = usual;
        // The goals that the call of each candidate reaches for the first time.
        let mut own: Vec<Covered> = Vec::new();
        for found in &candidates {
            let focus = found.test.focus.unwrap_or(found.test.statements.len() - 1);
            let before = self.before(&found.test.statements, focus)?;
            own.push(found.covered.difference(&before).copied().collect());
        }
        // Goals that earlier calls reach are covered by tests of these calls, if there are any.
        let shown: Covered = own.iter().flatten().copied().collect();
        for (candidate, own) in candidates.iter_mut().zip(own) {
            candidate.covered.retain(|goal| own.contains(goal) || !shown.contains(goal));
        }
        Ok(candidates)
    }
}

/// The shortest arguments with which the tests of a suite construct instances of each class without
/// an error.
pub(super) fn made_by(suite: &Suite) -> BTreeMap<Vec<String>, Vec<Argument>> {
    let length = |arguments: &[Argument]| -> usize {
        arguments.iter().map(|it| it.to_json().to_string().len()).sum()
    };
    let mut made: BTreeMap<Vec<String>, Vec<Argument>> = BTreeMap::new();
    for test in &suite.tests {
        for (statement, shown) in test.statements.iter().zip(&test.assertions) {
            let constructs = statement.operation == Operation::New && !is_error(shown);
            if !constructs || !statement.variables().is_empty() {
                continue;
            }
            let known = made.entry(statement.path.clone());
            let known = known.or_insert_with(|| statement.arguments.clone());
            if length(&statement.arguments) < length(known) {
                known.clone_from(&statement.arguments);
            }
        }
    }
    made
}

/// A statement of a test, preceded by the statements that make its receiver and its arguments. With
/// `with_states`, earlier statements on the same variables are included, because these may have
/// changed the states of objects.
pub(super) fn slice(statements: &[Statement], end: usize, with_states: bool) -> Vec<Statement> {
    let mut needed = BTreeSet::from([end]);
    loop {
        let before = needed.len();
        let used: Vec<usize> =
            needed.iter().flat_map(|number| statements[*number].variables()).collect();
        needed.extend(used.iter().copied());
        if with_states {
            let changes = |number: &usize| {
                let statement = &statements[*number];
                statement.operation != Operation::Get
                    && statement.variables().iter().any(|variable| needed.contains(variable))
            };
            let more: Vec<usize> = (0..end).filter(changes).collect();
            needed.extend(more);
        }
        if needed.len() == before {
            break;
        }
    }
    let kept: Vec<usize> = needed.into_iter().collect();
    kept.iter().map(|number| renumbered(&statements[*number], &kept)).collect()
}

/// A statement whose variables are numbered by their places in `kept`.
pub(super) fn renumbered(statement: &Statement, kept: &[usize]) -> Statement {
    let place = |variable: usize| kept.binary_search(&variable).unwrap_or(0);
    let mut statement = statement.clone();
    statement.receiver = place(statement.receiver);
    for argument in &mut statement.arguments {
        argument.visit_mut(&mut |inner| {
            if let Argument::Variable(variable) = inner {
                *variable = place(*variable);
            }
        });
    }
    statement
}

/// The candidates that together cover all goals, chosen greedily, each with the goals for which it
/// is chosen. Unless `all_values` is set, candidates that a person would write are chosen first.
pub(super) fn chosen(candidates: &[Candidate], all_values: bool) -> Vec<(usize, Covered)> {
    let mut gains: Vec<Covered> =
        candidates.iter().map(|candidate| candidate.covered.clone()).collect();
    let plausible = |at: &usize| all_values || candidates[*at].faults == 0;
    let (first, then): (Vec<usize>, Vec<usize>) = (0..candidates.len()).partition(plausible);
    let mut chosen = Vec::new();
    for stage in [first, then] {
        loop {
            let score = |number: &usize| gains[*number].len() as f64 / candidates[*number].weight;
            let best = stage
                .iter()
                .copied()
                .max_by(|a, b| score(a).total_cmp(&score(b)).then_with(|| b.cmp(a)));
            let Some(best) = best.filter(|best| !gains[*best].is_empty()) else { break };
            let own = std::mem::take(&mut gains[best]);
            for gain in &mut gains {
                gain.retain(|goal| !own.contains(goal));
            }
            chosen.push((best, own));
        }
    }
    chosen
}
