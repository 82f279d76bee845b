//! Titles of tests: what is called, with which arguments, and what happens.

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::claims::{Claim, Expected};
use super::layout::length;
use super::literals::{argument, quoted};
use super::phrases::{
    A_TEXT, LONGEST_BEGINNING, LONGEST_VALUE, SHORTEST_BEGINNING, article, bare, beginning,
    beginning_of_text, beginning_within, kind, noun, part_of_text, short_beginning,
};
use super::row::Row;
use super::told::{Said, Title, said};
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
    /// Whether the words in `names` leave nothing out.
    pub(super) whole: &'s [bool],
    /// Names of parameters that explain their values; other names are empty.
    pub(super) parameters: &'s [String],
    /// The last statement, if it reads the result of the call or the state of its receiver.
    pub(super) reader: Option<Reader<'s>>,
}

pub(super) struct Reader<'s> {
    /// Name of the member, such as `size` or `toString()`.
    pub(super) name: String,
    /// Whether the member belongs to the result rather than to the receiver.
    pub(super) of_result: bool,
    /// The result of the call.
    pub(super) result: &'s Value,
}

pub(super) fn title(shown: &Shown<'_>) -> Title {
    let tried = tried(shown);
    let fits = |it: &&Title| length(&it.text) <= LONGEST;
    let mut fitting = tried.iter().filter(fits);
    let first = fitting.clone().next();
    let telling = fitting.clone().find(|it| it.tells(shown, true));
    // The whole result says more than its beginning.
    let best = fitting.clone().find(|it| it.arguments && it.said == Said::Whole);
    let telling = best.filter(|_| telling.is_some_and(|it| it.said < Said::Whole)).or(telling);
    let telling = telling.or_else(|| fitting.find(|it| it.tells_example(shown, true)));
    let mut title = telling.or(first).cloned().unwrap_or_else(|| Title {
        text: shown.name.to_owned(),
        arguments: false,
        options: false,
        said: Said::Kind,
    });
    if with_message(&title.text, shown.expected).is_some() {
        (title.said, title.options) = (Said::Whole, true);
    }
    title
}

/// Appends the message of an expected error to a title.
pub(super) fn with_message(title: &str, expected: &Value) -> Option<String> {
    let message = expected.get("message").and_then(Value::as_str).map(str::trim);
    let message = message.filter(|it| !it.is_empty() && is_error(expected))?;
    let longer = format!("{title}: {}", message.trim_end_matches('.'));
    (length(&longer) <= LONGEST && !longer.contains('\n')).then_some(longer)
}

/// The possible titles in order of preference.
fn tried(shown: &Shown<'_>) -> Vec<Title> {
    let row = Row::of(shown);
    // A title has whole values if there is room for all of them in a line.
    let complete = Some(row.complete()).filter(|title| length(&title.text) <= LONGEST_OF_LINE);
    let mut tried: Vec<Title> = complete.into_iter().collect();
    tried.push(row.all(Detail::Value));
    tried.extend(row.with_options(Detail::Value));
    // Shorten the title: describe the longest values first, and then the result.
    let mut described = row.values.clone();
    let mut longest: Vec<usize> = (0..described.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(length(&row.values[*at])));
    for at in longest {
        described[at] = match &row.arguments[at] {
            // The title names the variable of a value.
            Argument::Variable(_) if shown.changed.is_some() => String::new(),
            Argument::String(text) => beginning_of_text(text),
            Argument::Number(_) | Argument::Boolean(_) | Argument::Null => continue,
            other => {
                let flat = argument(other, shown.names).flat();
                beginning(&flat).unwrap_or_else(|| kind(other))
            }
        };
        if matches!(row.arguments[at], Argument::String(_)) {
            break;
        }
        tried.push(row.described(&described, Detail::Value));
    }
    // A title with only the result says more than one with `A_TEXT`.
    if described.iter().any(|it| it == A_TEXT) {
        tried.insert(0, row.bare(Detail::Long));
    }
    if exact_result(shown) {
        tried.extend(row.with_options(Detail::Long));
        tried.extend(row.with_options(Detail::Beginning));
        tried.push(row.all(Detail::Beginning));
        tried.push(row.described(&described, Detail::Beginning));
        let cut = |(at, value): (usize, &Argument)| match value {
            Argument::String(text) => short_beginning(text),
            _ => described[at].clone(),
        };
        let cut: Vec<String> = row.arguments.iter().enumerate().map(cut).collect();
        tried.push(row.all(Detail::Short));
        tried.push(row.described(&cut, Detail::Value));
        tried.push(row.described(&cut, Detail::Short));
    }
    if shown.reader.is_some() {
        tried.push(row.all(Detail::Short));
        if !row.values.is_empty() {
            tried.push(row.all(Detail::Kind));
        }
        tried.push(row.bare(Detail::Value));
    }
    tried.extend(row.with_options(Detail::Shape));
    tried.push(row.all(Detail::Shape));
    tried.push(row.all(Detail::Kind));
    tried.push(row.described(&described, Detail::Shape));
    tried.extend(of_few(&row));
    if exact_result(shown) {
        tried.push(row.bare(Detail::Long));
        tried.push(row.bare(Detail::Beginning));
    }
    tried.push(row.bare(Detail::Value));
    tried.push(row.bare(Detail::Shape));
    tried
}

/// Titles with the names of options, or with the first argument and the number of others.
fn of_few(row: &Row<'_>) -> Vec<Title> {
    let mut tried = Vec::new();
    let names = row.last_options().unwrap_or_default().iter().map(|(name, _)| name.as_str());
    let names: Vec<&str> = names.collect();
    if (1..=3).contains(&names.len()) {
        let result = outcome(row.shown, Detail::Value);
        let text = format!("{} with {} {result}", row.shown.name, names.join(" and "));
        let said = said(row.shown, &result);
        tried.push(Title { text, arguments: false, options: false, said });
    }
    if let [_, others @ ..] = &row.values[..]
        && !others.is_empty()
    {
        let flat = argument(&row.arguments[0], row.shown.names).flat();
        let first = beginning_within(&flat, SHORTEST_BEGINNING);
        let first = first.as_ref().filter(|_| length(&flat) > LONGEST_BEGINNING);
        let first = first.unwrap_or(&row.values[0]);
        let more = match others.len() {
            1 => "another argument".to_owned(),
            count => format!("{count} more arguments"),
        };
        let words = format!("{first} and {more}");
        tried.push(row.title(&words, false, false, Detail::Value));
        tried.push(row.title(&words, false, false, Detail::Shape));
    }
    tried
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

/// Whether the first claim is about the result as a whole, and the result is not a boolean.
fn exact_result(shown: &Shown<'_>) -> bool {
    let whole = shown.claims.first().is_some_and(|claim| claim.part.is_empty());
    whole && shown.reader.is_none() && shown.expected.get("boolean").is_none()
}

/// The detail with which a title describes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Detail {
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

/// The effect of the call, as a verb with its object.
pub(super) fn outcome(shown: &Shown<'_>, detail: Detail) -> String {
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
        let given = &shown.statement.arguments;
        let text = expected.get("string").and_then(Value::as_str);
        let text = || text.map(|text| part_of_text(text, given));
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
                "" => match expected["value"]["string"].as_str() {
                    Some(text) if length(text) <= LONGEST => format!("{verb} {}", quoted(text)),
                    _ => format!("{verb} a value"),
                },
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
            let text = match expected.get("string").and_then(Value::as_str) {
                Some(text) => Some(part_of_text(text, &shown.statement.arguments)),
                None => beginning(&doc.clone().filled().flat()),
            };
            let text = text.filter(|it| it != A_TEXT);
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
