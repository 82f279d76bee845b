//! Titles of tests: what is called, with which arguments, and what happens.

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::claims::{Claim, Expected};
use super::layout::length;
use super::literals::argument;

/// Maximum length of a title, in characters.
const LONGEST: usize = 80;

/// Maximum length of a value in a title, in characters.
const LONGEST_VALUE: usize = 26;

/// What a test shows, from which its title is made.
pub(super) struct Shown<'s> {
    /// What is called, such as `add`.
    pub(super) name: &'s str,
    pub(super) statement: &'s Statement,
    /// The expected result of the last statement.
    pub(super) expected: &'s Value,
    /// Claims about that result.
    pub(super) claims: &'s [Claim],
    /// The strongest claim about the state of the receiver.
    pub(super) state: Option<&'s Claim>,
    /// Number of arguments that the code does not have.
    pub(super) left_out: usize,
    /// The names of the variables.
    pub(super) names: &'s [String],
}

/// The title of a test.
pub(super) fn title(shown: &Shown<'_>) -> String {
    let Shown { name, statement, .. } = shown;
    let arguments = statement.arguments.get(shown.left_out..).unwrap_or_default();
    let values: Vec<String> = arguments.iter().map(|value| short(value, shown.names)).collect();
    let result = outcome(shown);
    let whole = |arguments: &str| match (statement.operation, arguments) {
        (Operation::Get, _) => format!("{name} {result}"),
        (Operation::Set, _) => format!("{name} can be set to {arguments}"),
        (_, "") => format!("{name} {result}"),
        _ => format!("{name} {result} for {arguments}"),
    };
    let all = whole(&values.join(", "));
    if length(&all) <= LONGEST {
        return all;
    }
    let text = match values.len() {
        1 => whole(kind(&arguments[0])),
        count => whole(&format!("{count} arguments")),
    };
    text.chars().take(LONGEST).collect()
}

/// What the last statement does, as a verb with its object.
fn outcome(shown: &Shown<'_>) -> String {
    let expected = shown.expected;
    for (key, verb) in [("throws", "throws"), ("rejects", "rejects with")] {
        if let Some(name) = expected.get(key).and_then(Value::as_str) {
            let what = if name.is_empty() { "a value" } else { name };
            return format!("{verb} {what}");
        }
    }
    let verb = match shown.statement.operation {
        Operation::New => "makes",
        Operation::Get => "is",
        _ if shown.statement.awaits && expected["type"] != "promise" => "resolves to",
        _ => "returns",
    };
    let is_nothing = expected.get("undefined").is_some() || expected.is_null();
    if let Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc) }) = shown.state
        && is_nothing
        && length(&doc.flat()) <= LONGEST_VALUE
    {
        let part = part.trim_start_matches('.');
        return format!("leaves {part} at {}", doc.flat());
    }
    match shown.claims.first() {
        Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc) })
            if length(&doc.flat()) <= LONGEST_VALUE =>
        {
            match part.trim_start_matches('.') {
                "" => format!("{verb} {}", doc.flat()),
                "length" => format!("{verb} {} with length {}", noun(expected), doc.flat()),
                "constructor.name" => {
                    format!("{verb} an instance of {}", doc.flat().trim_matches('\''))
                }
                part => format!("{verb} {} with {part} {}", noun(expected), doc.flat()),
            }
        }
        Some(_) => format!("{verb} {}", noun(expected)),
        None if shown.statement.operation == Operation::New => "can be constructed".to_owned(),
        None => "completes".to_owned(),
    }
}

/// The kind of an observed value with its article.
fn noun(value: &Value) -> &'static str {
    let kinds = [
        ("string", "a text"),
        ("array", "an array"),
        ("map", "a map"),
        ("set", "a set"),
        ("date", "a date"),
        ("regexp", "a regular expression"),
        ("error", "an error"),
        ("object", "an object"),
    ];
    if let Some((_, noun)) = kinds.iter().find(|(key, _)| value.get(key).is_some()) {
        return noun;
    }
    match value.get("type").and_then(Value::as_str) {
        Some("array") => "an array",
        Some("promise") => "a promise",
        Some("function") => "a function",
        Some("symbol") => "a symbol",
        _ => "a value",
    }
}

/// An argument in a few characters.
fn short(value: &Argument, names: &[String]) -> String {
    let text = argument(value, names).flat();
    let plain = !matches!(value, Argument::Function(..));
    if plain && length(&text) <= LONGEST_VALUE { text } else { kind(value).to_owned() }
}

/// The kind of an argument with its article.
fn kind(value: &Argument) -> &'static str {
    match value {
        Argument::String(_) => "a long text",
        Argument::Array(_) => "an array",
        Argument::Object(_) => "an object",
        Argument::Map(_) => "a map",
        Argument::Set(_) => "a set",
        Argument::Function(..) => "a function",
        Argument::Promise(..) => "a promise",
        Argument::RegExp(..) => "a regular expression",
        Argument::Date(_) => "a date",
        Argument::BigInt(_) => "a large integer",
        _ => "a value",
    }
}
