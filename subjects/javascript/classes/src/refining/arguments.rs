//! Arguments that a call changes in place, and states that it does not change.

use catherd_javascript_machine::{Argument, ExecuteOptions, MachineError, Operation, Statement};
use serde_json::Value;

use super::{Candidate, Refiner};
use crate::suite::{SuiteTest, is_error};

/// Whether a parameter holds options, according to its name.
pub(super) fn is_options(name: &str) -> bool {
    let name = name.to_lowercase();
    ["opt", "conf", "setting"].iter().any(|part| name.contains(part))
}

/// Whether a function changes its receiver or its arguments, according to its name.
pub(super) fn is_changing(name: &str) -> bool {
    const WORDS: [&str; 36] = [
        "add", "append", "assign", "clear", "defaults", "del", "delete", "disable", "enable",
        "extend", "fill", "flip", "insert", "merge", "mix", "move", "pop", "pull", "push", "put",
        "remove", "replace", "reset", "reverse", "set", "shift", "shuffle", "sort", "splice",
        "swap", "toggle", "unset", "unshift", "update", "enqueue", "dequeue",
    ];
    let name = name.rsplit(['.', '#']).next().unwrap_or_default();
    WORDS.iter().any(|word| {
        let rest = name.strip_prefix(word);
        rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_lowercase()))
    })
}

fn has_state(argument: &Argument) -> bool {
    use Argument as A;
    matches!(argument, A::Array(_) | A::Object(_) | A::Map(_) | A::Set(_))
}

/// The statements, with some arguments of the last one as separate values.
fn apart(
    statements: &[Statement],
    positions: &[usize],
    name: &dyn Fn(usize) -> String,
) -> Vec<Statement> {
    let Some((last, before)) = statements.split_last() else { return Vec::new() };
    let (mut apart, mut last) = (before.to_vec(), last.clone());
    for position in positions {
        let variable = Argument::Variable(apart.len());
        let value = std::mem::replace(&mut last.arguments[*position], variable);
        apart.push(Statement {
            operation: Operation::Value,
            path: Vec::new(),
            receiver: 0,
            name: name(*position),
            arguments: vec![value],
            awaits: false,
        });
    }
    apart.push(last);
    apart
}

/// The statements, with values in place of the variables that only contain them.
pub(super) fn inlined(statements: &[Statement]) -> Vec<Statement> {
    let mut inlined = statements.to_vec();
    for statement in &mut inlined {
        for argument in &mut statement.arguments {
            if let Argument::Variable(variable) = argument
                && let Some(made) = statements.get(*variable)
                && made.operation == Operation::Value
                && let [value] = &made.arguments[..]
            {
                *argument = value.clone();
            }
        }
    }
    inlined
}

/// Removes the unchanged parts from a state. A plain object is kept as a whole if some part has
/// changed.
fn without(state: &mut Value, before: &Value) {
    if state == before {
        *state = Value::Null;
    } else if let Some(known) = before.get("members").and_then(Value::as_object)
        && let Some(members) = state.get_mut("members").and_then(Value::as_object_mut)
    {
        members.retain(|name, value| known.get(name) != Some(value));
    }
}

impl Refiner<'_> {
    /// The candidate with a variable for each argument that the last statement changes in place.
    pub(super) fn with_changed_arguments(
        &mut self,
        statements: &[Statement],
    ) -> Result<Option<Candidate>, MachineError> {
        let Some((last, before)) = statements.split_last() else { return Ok(None) };
        if !matches!(last.operation, Operation::Call | Operation::Method) {
            return Ok(None);
        }
        let names: Vec<String> = (0..last.arguments.len())
            .map(|position| self.usage.name_of_parameter(statements, position))
            .collect();
        // Leave out options, because functions often add defaults to them.
        let may = |position: &usize| {
            has_state(&last.arguments[*position]) && !is_options(&names[*position])
        };
        let mut positions: Vec<usize> = (0..last.arguments.len()).filter(may).collect();
        let name = |position: usize| names[position].clone();
        if positions.is_empty() {
            return Ok(None);
        }
        let all = apart(statements, &positions, &name);
        let Some(found) = self.executed(&all, None)? else { return Ok(None) };
        let result = found.test.assertions.last();
        if result.is_none_or(is_error) {
            return Ok(None);
        }
        // If a call returns a value, changes to an object that is the last of several arguments
        // are probably defaults of options.
        let returns = result.is_some_and(|it| !it.is_null() && it.get("undefined").is_none());
        // Ignore the effects of a function that returns a simple value, unless its name suggests
        // them.
        let simple = ["boolean", "number", "string"];
        let simple = result.is_some_and(|it| simple.iter().any(|kind| it.get(kind).is_some()));
        if simple && !is_changing(&super::weights::callee(last)) {
            return Ok(None);
        }
        let end = last.arguments.len() - 1;
        let options = |position: &usize| {
            *position == end && end > 0 && matches!(last.arguments[end], Argument::Object(_))
        };
        if returns && positions.iter().all(options) {
            return Ok(None);
        }
        let states = found.test.after.iter().skip(before.len()).take(positions.len());
        let changed: Vec<bool> = states.map(|state| !state.is_null()).collect();
        if found.test.after.iter().any(|state| !state.is_null() && Some(state) == result) {
            return Ok(None);
        }
        let mut changes = changed.iter();
        positions.retain(|at| changes.next() == Some(&true) && !(returns && options(at)));
        if positions.is_empty() {
            return Ok(None);
        }
        self.observed(&apart(statements, &positions, &name), None)
    }

    /// Leaves out the states of variables that the call of a test does not change, because they do
    /// not describe the call.
    pub(super) fn forget_unchanged(&mut self, test: &mut SuiteTest) -> Result<(), MachineError> {
        let last = test.statements.len().saturating_sub(1);
        let focus = test.focus.unwrap_or(last).min(last);
        if self.weak || test.after.iter().take(focus).all(Value::is_null) {
            return Ok(());
        }
        let options =
            ExecuteOptions { observe: true, seed: self.seed, ..ExecuteOptions::default() };
        let before = self.machine.execute(&test.statements[..focus], options)?.after;
        // A method that returns its unchanged receiver shows nothing.
        if let Some(statement) = test.statements.get(last)
            && focus == last
            && statement.operation == Operation::Method
            && let Some(known) = before.get(statement.receiver)
            && let Some(result) = test.assertions.get_mut(last)
            && result.get("object").is_some_and(Value::is_string)
            && result.get("object") == known.get("object")
        {
            if result == known {
                *result = Value::Null;
            } else {
                // Keep only the parts that differ from the receiver before the call.
                without(result, known);
            }
        }
        for (state, before) in test.after.iter_mut().take(focus).zip(&before) {
            if !state.is_null() {
                without(state, before);
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn states_lose_what_was_the_same_before() {
        let instance =
            |size: u32| json!({"object": "List", "members": {"size": size, "name": "a"}});
        let mut state = instance(2);
        without(&mut state, &instance(1));
        assert_eq!(state, json!({"object": "List", "members": {"size": 2}}));
        without(&mut state, &json!({"object": "List", "members": {"size": 2}}));
        assert_eq!(state, Value::Null);
        let mut list = json!({"array": [1, 2]});
        without(&mut list, &json!({"array": [1]}));
        assert_eq!(list, json!({"array": [1, 2]}));
    }

    #[test]
    fn arguments_become_values_and_again_arguments() {
        let list = Argument::Array(vec![Argument::Number(1.0)]);
        let call = Statement {
            operation: Operation::Call,
            path: vec!["sort".to_owned()],
            receiver: 0,
            name: String::new(),
            arguments: vec![Argument::Number(2.0), list.clone()],
            awaits: false,
        };
        let apart = apart(std::slice::from_ref(&call), &[1], &|_| "list".to_owned());
        assert_eq!(apart[1].arguments, [Argument::Number(2.0), Argument::Variable(0)]);
        assert_eq!((apart[0].name.as_str(), &apart[0].arguments[0]), ("list", &list));
        assert_eq!(inlined(&apart)[1], call);
    }
}
