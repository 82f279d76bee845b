//! Facts about a program from executions: types of results, and failures.

use std::collections::BTreeMap;

use catherd_javascript_machine::Statement;
use serde_json::{Value, json};

use crate::model::Model;

/// The types of the results that calls of a target returned.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CallResults {
    /// How often each type was returned, by the name of the class or of the type.
    pub types: BTreeMap<String, u64>,
    /// Indices of the classes of which calls returned instances.
    pub classes: Vec<usize>,
}

impl CallResults {
    /// Adds a result, given the name that the machine has for its type.
    pub(crate) fn add(&mut self, type_: &str, model: &Model) {
        let name = type_.strip_prefix("object:").filter(|name| !name.is_empty());
        let name = name.unwrap_or(type_.trim_end_matches(':'));
        if name.is_empty() {
            return;
        }
        let count = self.types.entry(name.to_owned()).or_default();
        *count += 1;
        if *count == 1 && type_.starts_with("object:") {
            self.classes.extend(model.classes.iter().position(|class| class.name == name));
        }
    }
}

/// A test that ended with an exception.
#[derive(Clone, Debug, PartialEq)]
pub struct FailedTest {
    /// The statements up to the one that threw.
    pub statements: Vec<Statement>,
    /// Name of the target that was called last.
    pub target: String,
    /// The name of the error; empty for other values.
    pub name: String,
    /// The message of the error, or the value as a string.
    pub message: String,
    /// Whether a wrong type is the likely cause: a `TypeError` in a call with arguments, none of
    /// which is the result of another call.
    pub suspected: bool,
}

impl FailedTest {
    /// The failure as JSON.
    pub fn to_json(&self) -> Value {
        let statements: Vec<Value> = self.statements.iter().map(Statement::to_json).collect();
        json!({
            "statements": statements, "target": self.target, "name": self.name,
            "message": self.message, "suspected_inference": self.suspected,
        })
    }
}
