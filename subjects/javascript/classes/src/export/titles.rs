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
    // The longest values are only described.
    let mut values = values;
    let mut longest: Vec<usize> = (0..values.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(length(&values[*at])));
    for at in longest {
        values[at] = kind(&arguments[at]);
        let text = whole(&values.join(", "));
        if length(&text) <= LONGEST {
            return text;
        }
    }
    let text = whole(&format!("{} arguments", values.len()));
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
    if let Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc), .. }) =
        shown.state
        && is_nothing
        && length(&doc.flat()) <= LONGEST_VALUE
    {
        let part = part.trim_start_matches('.');
        return format!("leaves {part} at {}", doc.flat());
    }
    match shown.claims.first() {
        Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc), .. })
            if length(&doc.flat()) <= LONGEST_VALUE =>
        {
            match part.trim_start_matches('.') {
                "" => format!("{verb} {}", doc.flat()),
                "length" => format!("{verb} {} with length {}", noun(expected), doc.flat()),
                part => format!("{verb} {} with {part} {}", noun(expected), doc.flat()),
            }
        }
        Some(Claim { expected: Expected::Instance(access), .. }) if !access.is_empty() => {
            format!("{verb} an instance of {}", access.trim_start_matches('.'))
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
    if plain && length(&text) <= LONGEST_VALUE { text } else { kind(value) }
}

/// The kind of an argument with its article, and its shape.
fn kind(value: &Argument) -> String {
    let counted = |count: usize, one: &str, what: &str| match count {
        1 => format!("{one} with one {what}"),
        count => format!("{one} with {count} {what}s"),
    };
    match value {
        Argument::String(text) if text.contains('\n') => {
            counted(text.lines().count(), "a text", "line")
        }
        Argument::String(text) => format!("a text of {} characters", length(text)),
        Argument::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Argument::Array(items) => counted(items.len(), "an array", "element"),
        Argument::Object(members) => match &members[..] {
            [] => "an empty object".to_owned(),
            [(one, _)] => format!("an object with {one}"),
            [(one, _), (other, _)] => format!("an object with {one} and {other}"),
            more => counted(more.len(), "an object", "member"),
        },
        Argument::Map(members) => {
            counted(members.len(), "a map", "entry").replace("entrys", "entries")
        }
        Argument::Set(items) => counted(items.len(), "a set", "element"),
        Argument::Function(what, _) => match what.as_str() {
            "throws" => "a function that throws".to_owned(),
            "calls" | "passes" => "a function that calls back".to_owned(),
            _ => "a function".to_owned(),
        },
        Argument::Promise(_, true) => "a rejected promise".to_owned(),
        Argument::Promise(..) => "a promise".to_owned(),
        Argument::RegExp(..) => "a regular expression".to_owned(),
        Argument::Date(_) => "a date".to_owned(),
        Argument::BigInt(_) => "a large integer".to_owned(),
        _ => "a value".to_owned(),
    }
}
