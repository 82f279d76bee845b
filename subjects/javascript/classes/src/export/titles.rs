//! Titles of tests: what is called, with which arguments, and what happens.

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::claims::{Claim, Expected};
use super::layout::length;
use super::literals::{argument, is_name};
use super::phrases::{
    LONGEST_BEGINNING, LONGEST_VALUE, SHORTEST_BEGINNING, article, bare, beginning,
    beginning_of_text, beginning_within, kind, noun, short, short_beginning,
};
use crate::suite::is_error;

/// Maximum length of a title, in characters.
pub(super) const LONGEST: usize = 100;

/// Maximum length of a title with which the first line of a synchronous test has at most 100
/// characters.
pub(super) const LONGEST_OF_LINE: usize = 82;

/// The behaviour that a test shows, from which its title is made.
pub(super) struct Shown<'s> {
    /// The name of the called function, such as `add`.
    pub(super) name: &'s str,
    pub(super) statement: &'s Statement,
    /// The expected result of the last statement.
    pub(super) expected: &'s Value,
    /// Claims about this result.
    pub(super) claims: &'s [Claim],
    /// The strongest claim about a state after the call.
    pub(super) state: Option<&'s Claim>,
    /// The variable of the argument that the call changes in place.
    pub(super) changed: Option<&'s str>,
    /// Number of leading arguments that the code does not contain.
    pub(super) left_out: usize,
    /// The values of variables, in a few words.
    pub(super) names: &'s [String],
    /// Names of parameters that explain their values; other names are empty.
    pub(super) parameters: &'s [String],
    /// The last statement, if it reads the result of the call or the state of its receiver.
    pub(super) reader: Option<Reader<'s>>,
}

pub(super) struct Reader<'s> {
    /// Name of the member, such as `size` or `toString()`.
    pub(super) name: String,
    /// Whether the member of the result is read, rather than of the receiver.
    pub(super) of_result: bool,
    /// The result of the call.
    pub(super) result: &'s Value,
}

pub(super) fn title(shown: &Shown<'_>) -> String {
    let Shown { name, statement, .. } = shown;
    let arguments = statement.arguments.get(shown.left_out..).unwrap_or_default();
    let named = |(at, value): (usize, &Argument)| {
        let name = shown.parameters.get(at).filter(|name| !name.is_empty());
        let name = name.filter(|_| match value {
            Argument::Boolean(_) => true,
            Argument::Number(_) => at > 0 && !matches!(arguments[0], Argument::Number(_)),
            _ => false,
        });
        let value = short(value, shown.names);
        name.map_or(value.clone(), |name| format!("{name} {value}"))
    };
    let values: Vec<String> = arguments.iter().enumerate().map(named).collect();
    let whole = |arguments: &str, detail: Detail| {
        let result = outcome(shown, detail);
        match (statement.operation, arguments) {
            (Operation::Get, _) => format!("{name} {result}"),
            (Operation::Set, _) => format!("{name} can be set to {arguments}"),
            (Operation::New | Operation::Call | Operation::Method, "")
                if values.is_empty() && is_error(shown.expected) =>
            {
                format!("{name} {result} without arguments")
            }
            (Operation::Call, "") if values.is_empty() && shown.reader.is_none() => {
                format!("{name} {result} without arguments")
            }
            (_, "") => format!("{name} {result}"),
            _ => format!("{name} {result} for {arguments}"),
        }
    };
    let all = values.join(", ");
    let code = |(at, value): (usize, &Argument)| match value {
        Argument::String(_) | Argument::Array(_) | Argument::Object(_) => {
            argument(value, shown.names).flat()
        }
        _ => values[at].clone(),
    };
    let code: Vec<String> = arguments.iter().enumerate().map(code).collect();
    // A title has whole values if there is room for all of them in a line.
    let complete = Some(whole(&code.join(", "), Detail::Long));
    let complete = complete.filter(|title| length(title) <= LONGEST_OF_LINE);
    let mut tried: Vec<String> = complete.into_iter().collect();
    tried.push(whole(&all, Detail::Value));
    let calls = matches!(statement.operation, Operation::Call | Operation::Method);
    // An object that shares members with another argument does not contain options.
    let members = |argument: &Argument| match argument {
        Argument::Object(members) => members.iter().map(|(name, _)| name.clone()).collect(),
        _ => Vec::new(),
    };
    let last = arguments.split_last().filter(|(last, others)| {
        let names = members(last);
        let same = |other: &Argument| members(other).iter().any(|name| names.contains(name));
        calls && !names.is_empty() && !others.iter().any(same)
    });
    let options = last.filter(|(_, others)| !others.is_empty()).and_then(|(last, _)| options(last));
    let with = |detail| {
        let with = |options| format!("{name} with {options} {}", outcome(shown, detail));
        options.as_ref().map(with)
    };
    tried.extend(with(Detail::Value));
    // Shorten the title: describe the longest values first, and then the result.
    let mut described = values.clone();
    let mut longest: Vec<usize> = (0..values.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(length(&values[*at])));
    for at in longest {
        described[at] = match &arguments[at] {
            // The title names the variable of a value.
            Argument::Variable(_) if shown.changed.is_some() => String::new(),
            Argument::String(text) => beginning_of_text(text),
            Argument::Number(_) | Argument::Boolean(_) | Argument::Null => continue,
            argument => {
                let flat = super::literals::argument(argument, shown.names).flat();
                beginning(&flat).unwrap_or_else(|| kind(argument))
            }
        };
        if matches!(arguments[at], Argument::String(_)) {
            break;
        }
        tried.push(whole(&listed(&described), Detail::Value));
    }
    if exact_result(shown) {
        tried.extend(with(Detail::Long));
        tried.extend(with(Detail::Beginning));
        tried.push(whole(&all, Detail::Beginning));
        tried.push(whole(&listed(&described), Detail::Beginning));
        let cut = |(at, value): (usize, &Argument)| match value {
            Argument::String(text) => short_beginning(text),
            _ => described[at].clone(),
        };
        let cut: Vec<String> = arguments.iter().enumerate().map(cut).collect();
        tried.push(whole(&all, Detail::Short));
        tried.push(whole(&listed(&cut), Detail::Value));
        tried.push(whole(&listed(&cut), Detail::Short));
    }
    if shown.reader.is_some() {
        tried.push(whole(&all, Detail::Short));
        if !values.is_empty() {
            tried.push(whole(&all, Detail::Kind));
        }
        tried.push(whole("", Detail::Value));
    }
    tried.extend(with(Detail::Shape));
    tried.push(whole(&all, Detail::Shape));
    tried.push(whole(&all, Detail::Kind));
    tried.push(whole(&listed(&described), Detail::Shape));
    if let [.., Argument::Object(members)] = arguments
        && let names @ [_, ..] =
            &members.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>()[..]
        && names.len() <= 3
        && last.is_some()
    {
        let (names, result) = (names.join(" and "), outcome(shown, Detail::Value));
        tried.push(format!("{name} with {names} {result}"));
    }
    if let [_, others @ ..] = &values[..]
        && !others.is_empty()
    {
        let flat = super::literals::argument(&arguments[0], shown.names).flat();
        let first = beginning_within(&flat, SHORTEST_BEGINNING);
        let first = first.as_ref().filter(|_| length(&flat) > LONGEST_BEGINNING);
        let first = first.unwrap_or(&values[0]);
        let more = match others.len() {
            1 => "another argument".to_owned(),
            count => format!("{count} more arguments"),
        };
        tried.push(whole(&format!("{first} and {more}"), Detail::Value));
        tried.push(whole(&format!("{first} and {more}"), Detail::Shape));
    }
    if exact_result(shown) {
        tried.push(whole("", Detail::Long));
        tried.push(whole("", Detail::Beginning));
    }
    tried.push(whole("", Detail::Value));
    tried.push(whole("", Detail::Shape));
    let short = tried.into_iter().find(|text| length(text) <= LONGEST);
    short.unwrap_or_else(|| (*name).to_owned())
}

pub(super) fn brief(shown: &Shown<'_>) -> String {
    format!("{} {}", shown.name, outcome(shown, Detail::Value))
}

/// The title with all arguments, of any length.
pub(super) fn full(shown: &Shown<'_>) -> String {
    let arguments = shown.statement.arguments.get(shown.left_out..).unwrap_or_default();
    let values = arguments.iter().map(|value| argument(value, shown.names).flat());
    let values: Vec<String> = values.collect();
    match values.is_empty() {
        true => brief(shown),
        false => {
            format!("{} {} for {}", shown.name, outcome(shown, Detail::Value), values.join(", "))
        }
    }
}

fn listed(described: &[String]) -> String {
    let shown = described.iter().filter(|it| !it.is_empty()).map(String::as_str);
    shown.collect::<Vec<_>>().join(", ")
}

/// Whether a test shows the whole result of its call, except a boolean.
fn exact_result(shown: &Shown<'_>) -> bool {
    let whole = shown.claims.first().is_some_and(|claim| claim.part.is_empty());
    whole && shown.reader.is_none() && shown.expected.get("boolean").is_none()
}

/// The detail with which a title describes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// The value, even if it is long.
    Long,
    /// The value, if it is short.
    Value,
    /// The beginning of the value.
    Beginning,
    /// The first words of a string, or the beginning of another value.
    Short,
    /// The kind and the shape of the result.
    Shape,
    /// The kind of the result.
    Kind,
}

/// The members of an object with options, as words.
fn options(argument: &Argument) -> Option<String> {
    let Argument::Object(members) = argument else { return None };
    let word = |(name, value): &(String, Argument)| match value {
        _ if !is_name(name) => None,
        Argument::Boolean(true) => Some(name.clone()),
        Argument::Boolean(_) | Argument::Number(_) | Argument::String(_) | Argument::Null => {
            Some(format!("{name} {}", super::literals::argument(value, &[]).flat()))
        }
        _ => None,
    };
    let words: Vec<String> = members.iter().map(word).collect::<Option<_>>()?;
    (1..=2).contains(&words.len()).then(|| words.join(" and "))
}

/// The effect of the call, as a verb with its object.
fn outcome(shown: &Shown<'_>, detail: Detail) -> String {
    let expected = shown.expected;
    let exact = !matches!(detail, Detail::Shape | Detail::Kind);
    let longest = match detail {
        Detail::Long => LONGEST,
        Detail::Value | Detail::Beginning | Detail::Short => LONGEST_VALUE,
        Detail::Shape | Detail::Kind => 0,
    };
    let noun = |value: &Value| if detail == Detail::Kind { bare(value) } else { noun(value) };
    if let Some(reader) = &shown.reader {
        let value = shown.claims.first().and_then(|claim| match &claim.expected {
            Expected::Same(doc) | Expected::Equal(doc) => Some(doc.flat()),
            _ => None,
        });
        let text = || expected.get("string").and_then(Value::as_str).map(beginning_of_text);
        let value = value.filter(|_| exact).and_then(|value| match length(&value) <= longest {
            true if detail != Detail::Short => Some(value),
            true => expected["string"].as_str().map(short_beginning).or(Some(value)),
            false => text(),
        });
        let what = bare(reader.result);
        return match (reader.of_result, shown.statement.operation, value) {
            (true, Operation::New, Some(value)) => format!("has {} {value}", reader.name),
            (true, Operation::New, None) => "can be constructed".to_owned(),
            (true, _, Some(value)) => format!("returns {what} whose {} is {value}", reader.name),
            (true, _, None) => format!("returns {what}"),
            (false, _, value) => {
                format!("leaves {} at {}", reader.name, value.unwrap_or_else(|| noun(expected)))
            }
        };
    }
    for (key, verb) in [("throws", "throws"), ("rejects", "rejects with")] {
        if let Some(name) = expected.get(key).and_then(Value::as_str) {
            return match name {
                "" => format!("{verb} a value"),
                name => format!("{verb} {} {name}", article(name)),
            };
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
        && length(&doc.flat()) <= longest
    {
        let part = part.trim_start_matches('.');
        if let Some(name) = shown.changed {
            let part = if part.is_empty() { String::new() } else { format!(" with {part}") };
            return format!("changes {name} to {}{part}", doc.flat());
        }
        if shown.statement.operation == Operation::New {
            return format!("has {part} {}", doc.flat());
        }
        return format!("leaves {part} at {}", doc.flat());
    }
    if detail == Detail::Short
        && let Some(text) = expected.get("string").and_then(Value::as_str)
    {
        return format!("{verb} {}", short_beginning(text));
    }
    match shown.claims.first() {
        Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc), .. })
            if length(&doc.flat()) <= longest =>
        {
            match part.trim_start_matches('.') {
                part if shown.statement.operation == Operation::New && !part.is_empty() => {
                    format!("has {part} {}", doc.flat())
                }
                "" => format!("{verb} {}", doc.flat()),
                "length" => format!("{verb} {} with length {}", bare(expected), doc.flat()),
                part => format!("{verb} {} with {part} {}", bare(expected), doc.flat()),
            }
        }
        Some(Claim { part, expected: Expected::Same(doc) | Expected::Equal(doc), .. })
            if !matches!(detail, Detail::Shape | Detail::Kind) && part.is_empty() =>
        {
            let text = expected.get("string").and_then(Value::as_str).map(beginning_of_text);
            let text = text.or_else(|| beginning(&doc.flat()));
            format!("{verb} {}", text.unwrap_or_else(|| noun(expected)))
        }
        Some(Claim { expected: Expected::Instance(access), .. }) if !access.is_empty() => {
            format!("{verb} an instance of {}", access.trim_start_matches('.'))
        }
        Some(_) => format!("{verb} {}", noun(expected)),
        None if shown.statement.operation == Operation::New => "can be constructed".to_owned(),
        None if let Some(name) = shown.changed => format!("changes {name}"),
        None => "completes".to_owned(),
    }
}
