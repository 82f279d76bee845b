//! Worked examples: lines of JSON with an input and the exact result, for conformance checks of
//! any implementation of sequence testing.

mod answer;
mod games;

use serde::Deserialize;
use serde_json::Value;

/// Maximum relative difference of numbers.
const TOLERANCE: f64 = 1e-12;

/// A worked example.
#[derive(Clone, Debug, Deserialize)]
pub struct Example {
    /// The name.
    pub id: String,
    /// The kind of computation.
    pub kind: String,
    /// The input of the computation.
    pub input: Value,
    /// The expected members of the result.
    pub expect: Value,
}

/// A member whose computed value differs from the expected value.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The member.
    pub member: String,
    /// The expected value.
    pub expected: Value,
    /// The computed value; null if nothing was computed for the member.
    pub found: Value,
}

/// The reason why an example cannot be used, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ExampleError(String);

impl From<String> for ExampleError {
    fn from(line: String) -> ExampleError {
        ExampleError(line)
    }
}

impl Example {
    /// Reads an example from its line.
    ///
    /// # Errors
    ///
    /// If the line is not valid.
    pub fn parse(line: &str) -> Result<Example, serde_json::Error> {
        serde_json::from_str(line)
    }

    /// Computes the result and compares it with the expected result. Numbers may have a relative
    /// difference of up to 1e-12.
    ///
    /// # Errors
    ///
    /// If the kind is unknown, if the input cannot be used, or if `expect` is not an object.
    pub fn check(&self) -> Result<Vec<Difference>, ExampleError> {
        let found = answer::answer(&self.kind, &self.input)?;
        let Value::Object(expected) = &self.expect else {
            return Err("`expect` is not an object".to_owned().into());
        };
        let mut differences = Vec::new();
        for (member, expected) in expected {
            let found = found.get(member).cloned().unwrap_or(Value::Null);
            if !same(expected, &found) {
                let (member, expected) = (member.clone(), expected.clone());
                differences.push(Difference { member, expected, found });
            }
        }
        Ok(differences)
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Number(a), Value::Number(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => (a - b).abs() <= TOLERANCE * a.abs().max(b.abs()),
            _ => false,
        },
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        _ => a == b,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = include_str!("examples/lines.jsonl");

    #[test]
    fn own_examples_are_equal() {
        let mut kinds = std::collections::BTreeSet::new();
        for line in LINES.lines() {
            let example = Example::parse(line).unwrap();
            assert_eq!(example.check(), Ok(Vec::new()), "{}", example.id);
            kinds.insert(example.kind);
        }
        assert!(kinds.len() >= 19, "{kinds:?}");
    }

    #[test]
    fn a_wrong_expectation_differs() {
        let line = r#"{"id": "x", "kind": "detect", "input": {"test": ["a"], "trigger": ["a"]},
            "expect": {"consecutive": false, "else": 1}}"#;
        let differences = Example::parse(line).unwrap().check().unwrap();
        assert_eq!(differences.len(), 2);
        assert_eq!(differences[0].found, Value::Bool(true));
        assert_eq!(differences[1].found, Value::Null);
    }

    #[test]
    #[ignore = "needs CATHERD_SEQUENCES_EXAMPLES"]
    fn examples_of_a_file_are_equal() {
        let file = std::env::var_os("CATHERD_SEQUENCES_EXAMPLES").unwrap();
        for line in std::fs::read_to_string(file).unwrap().lines() {
            let example = Example::parse(line).unwrap();
            assert_eq!(example.check(), Ok(Vec::new()), "{}", example.id);
        }
    }
}
