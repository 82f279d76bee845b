//! Calls that read the state of an instance, with which a test can show what another call has
//! changed or returned.

use std::collections::{BTreeMap, BTreeSet};

use catherd_javascript_machine::{MachineError, Operation, Statement};
use serde_json::Value;

use super::arguments::is_changing;
use super::{Candidate, Refiner};
use crate::export::{Strength, strength};
use crate::suite::Suite;

/// Weight of a reader that only returns a truth value.
const ASKS: f64 = 1.0;

/// Maximum number of readers of a variable that are tried for a call.
const MAX_READERS: usize = 4;

/// By class, accessors and methods without arguments that returned strings, numbers, booleans or
/// arrays, each with whether it is a method.
pub(super) type Readers = BTreeMap<String, BTreeSet<(bool, String)>>;

/// The class of an observed object; empty for an object that has no class but is not plain.
fn class(value: &Value) -> Option<&str> {
    match value.get("object")? {
        Value::String(name) => Some(name),
        _ => value.get("prototype").filter(|it| it.is_string()).map(|_| ""),
    }
}

fn class_of<'t>(assertions: &'t [Value], after: &'t [Value], variable: usize) -> Option<&'t str> {
    let state = after.get(variable).filter(|state| !state.is_null());
    class(state.or_else(|| assertions.get(variable))?)
}

/// Whether a method only reads, according to its name.
fn only_reads(name: &str) -> bool {
    let words = ["to", "get", "is", "has", "count"];
    let begins = words.iter().any(|word| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| {
            rest.starts_with(|c: char| c.is_ascii_uppercase()) || rest.is_empty()
        })
    });
    let ends =
        ["names", "size", "length", "count"].iter().any(|end| name.to_lowercase().ends_with(end));
    begins || ends || ["inspect", "valueOf", "keys", "values", "entries", "join"].contains(&name)
}

/// The readers that the tests of a suite use.
pub(super) fn of(suite: &Suite) -> Readers {
    let mut readers = Readers::new();
    for test in &suite.tests {
        for (statement, value) in test.statements.iter().zip(&test.assertions) {
            let reads = match statement.operation {
                Operation::Get => Some(false),
                Operation::Method if statement.arguments.is_empty() => Some(true),
                _ => None,
            };
            let shows = ["string", "number", "boolean", "array"];
            let shows = shows.iter().any(|kind| value.get(kind).is_some());
            let class = class_of(&test.assertions, &test.after, statement.receiver);
            let reads = reads.filter(|calls| !calls || only_reads(&statement.name));
            if let (Some(calls), true, Some(class)) = (reads, shows, class) {
                let reader = (calls, statement.name.clone());
                readers.entry(class.to_owned()).or_default().insert(reader);
            }
        }
    }
    readers
}

impl Refiner<'_> {
    /// The candidate that shows the last of some statements, followed by a reader if the result
    /// does not describe the call well enough.
    pub(super) fn shown(
        &mut self,
        statements: &[Statement],
    ) -> Result<Option<Candidate>, MachineError> {
        let Some(plain) = self.executed(statements, None)? else { return Ok(None) };
        if let Some(found) = self.with_changed_arguments(statements)? {
            return Ok(Some(found));
        }
        let says = strength(&plain.test, &self.classes);
        let (last, test) = (statements.len() - 1, &plain.test);
        // The state after a change says more than that the change succeeded.
        let succeeds = statements[last].operation == Operation::Method
            && is_changing(&statements[last].name)
            && test.assertions.last().is_some_and(|it| it["boolean"] == true);
        if !matches!(says, Strength::Nothing | Strength::Type | Strength::Part) && !succeeds {
            return self.observed(statements, None);
        }
        let mut tries = Vec::new();
        let receiver = matches!(statements[last].operation, Operation::Method | Operation::Set);
        let variables = std::iter::once(last).chain(receiver.then_some(statements[last].receiver));
        for variable in variables {
            let Some(class) = class_of(&test.assertions, &test.after, variable) else { continue };
            let known = self.readers.get(class).into_iter().flatten();
            let mut known: BTreeSet<(bool, String)> = known.cloned().collect();
            // Users rarely read a member that nothing mentions.
            known.retain(|(_, name)| self.usual.read.as_ref().is_none_or(|it| it.contains(name)));
            known.insert((true, "toString".to_owned()));
            let mut known: Vec<(bool, String)> = known.into_iter().collect();
            // A truth value says less than a string.
            let asks = |name: &str| ["is", "has"].iter().any(|word| name.starts_with(word));
            known.sort_by_key(|(_, name)| (name != "toString", asks(name)));
            tries.extend(known.into_iter().take(MAX_READERS).map(|reader| (variable, reader)));
        }
        let before = test.assertions.clone();
        let plain_test = self.observed(statements, None)?;
        let mut best = plain_test.clone().filter(|_| !succeeds);
        for (variable, (calls, name)) in tries {
            if statements[last].name == name {
                continue;
            }
            let reader = Statement {
                operation: if calls { Operation::Method } else { Operation::Get },
                path: Vec::new(),
                receiver: variable,
                name,
                arguments: Vec::new(),
                awaits: true,
            };
            let read = [statements, std::slice::from_ref(&reader)].concat();
            let Some(mut other) = self.observed(&read, Some(last))? else { continue };
            let shown = other.test.assertions.last();
            if shown
                .and_then(|it| it["string"].as_str())
                .is_some_and(|it| it.starts_with("[object "))
            {
                continue;
            }
            if shown.is_some_and(|it| it.get("boolean").is_some()) {
                other.weight += ASKS;
            }
            if strength(&other.test, &self.classes) != Strength::Whole {
                continue;
            }
            // A reader of the receiver or of the result shows an effect of the call only if it
            // returns another value after the call.
            if variable != last || receiver {
                let mut without = statements[..last].to_vec();
                without.push(Statement { receiver: statements[last].receiver, ..reader });
                let without = self.executed(&without, None)?;
                let same =
                    |it: &Candidate| it.test.assertions.last() == other.test.assertions.last();
                let none = without.is_none() && variable != last;
                if none
                    || without.as_ref().is_some_and(same)
                    || other.test.assertions[..last] != before[..last]
                {
                    continue;
                }
            }
            // The candidate has the goals of the call, not of the reader.
            other.covered = plain.covered.clone();
            if best.as_ref().is_none_or(|best| other.weight < best.weight) {
                best = Some(other);
            }
        }
        Ok(best.or(plain_test))
    }
}
