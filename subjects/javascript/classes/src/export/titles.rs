//! Titles of tests: what is called, with which arguments, and what happens.

use catherd_javascript_machine::{Argument, Operation, Statement};
use serde_json::Value;

use super::claims::{Claim, Expected};
use super::layout::length;
use super::literals::{argument, is_name, quoted};
use crate::suite::is_error;

/// Maximum length of a title, in characters.
pub(super) const LONGEST: usize = 100;

/// Maximum length of a value in a title, in characters.
const LONGEST_VALUE: usize = 44;

/// Maximum length of the beginning of a value in a title, in characters.
const LONGEST_BEGINNING: usize = 34;

/// Maximum length of the beginning of a value that is next to others, in characters.
const SHORTEST_BEGINNING: usize = 20;

/// Maximum length of the names of the members of an object in a title, in characters.
const LONGEST_NAMES: usize = 44;

/// The behaviour that a test shows, from which its title is made.
pub(super) struct Shown<'s> {
    /// The name of the called function, such as `add`.
    pub(super) name: &'s str,
    pub(super) statement: &'s Statement,
    /// The expected result of the last statement.
    pub(super) expected: &'s Value,
    /// Claims about that result.
    pub(super) claims: &'s [Claim],
    /// The strongest claim about the state of the receiver.
    pub(super) state: Option<&'s Claim>,
    /// The variable of the argument that the call changes in place, if the state belongs to an
    /// argument.
    pub(super) changed: Option<&'s str>,
    /// Number of arguments that the code does not have.
    pub(super) left_out: usize,
    /// The values of variables, in a few words.
    pub(super) names: &'s [String],
    /// The member that reads the result of the call or the state of its receiver, if the last
    /// statement does so.
    pub(super) reader: Option<Reader<'s>>,
}

/// A statement that reads what a call has returned or changed.
pub(super) struct Reader<'s> {
    /// Its name, such as `size` or `toString()`.
    pub(super) name: String,
    /// Whether it reads the result. Otherwise it reads the receiver.
    pub(super) of_result: bool,
    /// The result of the call.
    pub(super) result: &'s Value,
}

/// The title of a test.
pub(super) fn title(shown: &Shown<'_>) -> String {
    let Shown { name, statement, .. } = shown;
    let arguments = statement.arguments.get(shown.left_out..).unwrap_or_default();
    let values: Vec<String> = arguments.iter().map(|value| short(value, shown.names)).collect();
    let whole = |arguments: &str, detail: Detail| {
        let result = outcome(shown, detail);
        match (statement.operation, arguments) {
            (Operation::Get, _) => format!("{name} {result}"),
            (Operation::Set, _) => format!("{name} can be set to {arguments}"),
            (Operation::Call | Operation::Method, "")
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
    let mut tried = vec![whole(&all, Detail::Value)];
    let calls = matches!(statement.operation, Operation::Call | Operation::Method);
    // An object with the members of another argument has no options.
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
    // Shorten the title: describe the longest values first, and then the result, instead of writing
    // them. Do not state the number of letters of a text, which has no meaning.
    let mut described = values.clone();
    let mut longest: Vec<usize> = (0..values.len()).collect();
    longest.sort_by_key(|at| std::cmp::Reverse(length(&values[*at])));
    for at in longest {
        described[at] = match &arguments[at] {
            // The title names the variable of a value.
            Argument::Variable(_) if shown.changed.is_some() => String::new(),
            Argument::String(text) => beginning_of_text(text),
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
    }
    if shown.reader.is_some() {
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

/// The title without arguments.
pub(super) fn brief(shown: &Shown<'_>) -> String {
    format!("{} {}", shown.name, outcome(shown, Detail::Value))
}

/// The title with all arguments, without a limit of its length.
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

/// Arguments in a row, without those that a title does not show.
fn listed(described: &[String]) -> String {
    let shown = described.iter().filter(|it| !it.is_empty()).map(String::as_str);
    shown.collect::<Vec<_>>().join(", ")
}

/// Whether a test shows the whole result of its call, and this is not a boolean.
fn exact_result(shown: &Shown<'_>) -> bool {
    let whole = shown.claims.first().is_some_and(|claim| claim.part.is_empty());
    whole && shown.reader.is_none() && shown.expected.get("boolean").is_none()
}

/// The detail with which a title describes a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Detail {
    /// The value, also if it is long.
    Long,
    /// The value, if it is short.
    Value,
    /// The beginning of the value.
    Beginning,
    /// The kind and the shape of the result.
    Shape,
    /// Its kind.
    Kind,
}

/// The members of an object with options, as words; `None` if there are more than two, or values that are not short.
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
        Detail::Value | Detail::Beginning => LONGEST_VALUE,
        Detail::Shape | Detail::Kind => 0,
    };
    let noun = |value: &Value| if detail == Detail::Kind { bare(value) } else { noun(value) };
    if let Some(reader) = &shown.reader {
        let value = shown.claims.first().and_then(|claim| match &claim.expected {
            Expected::Same(doc) | Expected::Equal(doc) => Some(doc.flat()),
            _ => None,
        });
        let text = || expected.get("string").and_then(Value::as_str).map(beginning_of_text);
        let value =
            value.filter(|_| exact).and_then(|value| match length(&value) <= LONGEST_VALUE {
                true => Some(value),
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

/// The beginning of a text between quotes.
fn beginning_of_text(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let whole = line.len() == text.len() && length(text) <= LONGEST_BEGINNING;
    if whole {
        return quoted(text);
    }
    let mut cut: String = line.chars().take(LONGEST_BEGINNING - 4).collect();
    // A whole word is easier to read.
    if let Some((words, _)) = cut.rsplit_once(' ').filter(|(words, _)| length(words) > 12) {
        cut = words.to_owned();
    }
    quoted(&format!("{cut}…"))
}

/// The first elements or members of the code of a collection; `None` if not even one is short, or for other code.
fn beginning(code: &str) -> Option<String> {
    beginning_within(code, LONGEST_BEGINNING)
}

/// The same, of at most so many characters.
fn beginning_within(code: &str, longest: usize) -> Option<String> {
    let close = match code.chars().next()? {
        '[' => "]",
        '{' => " }",
        _ => return None,
    };
    let (mut depth, mut quote, mut end) = (0, None, None);
    let mut letters = code.char_indices();
    while let Some((at, c)) = letters.next() {
        match (quote, c) {
            (Some(_), '\\') => drop(letters.next()),
            (Some(open), c) if open == c => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(c),
            (None, '[' | '{' | '(') => depth += 1,
            (None, ']' | '}' | ')') => depth -= 1,
            (None, ',') if depth == 1 && at <= longest => end = Some(at),
            _ => {}
        }
    }
    end.map(|end| format!("{}, …{close}", &code[..end]))
}

/// The indefinite article for a name. A name in capitals is pronounced letter by letter.
fn article(name: &str) -> &'static str {
    let spelt = name.chars().take(2).filter(char::is_ascii_uppercase).count() == 2;
    let vowels = if spelt { "AEFHILMNORSX" } else { "AEIOaeio" };
    if name.starts_with(|c: char| vowels.contains(c)) { "an" } else { "a" }
}

/// The kind of an observed value with its article, and its shape.
fn noun(value: &Value) -> String {
    if let Some(members) = value.get("object").and_then(Value::as_object) {
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        return described(&names);
    }
    if let Some(items) = value.get("array").and_then(Value::as_array) {
        return counted(items.len(), "an array", "element");
    }
    if let Some(class) = value.get("object").and_then(Value::as_str).filter(|it| is_name(it)) {
        return format!("{} {class}", article(class));
    }
    let kinds = [
        ("string", "a text"),
        ("map", "a map"),
        ("set", "a set"),
        ("date", "a date"),
        ("regexp", "a regular expression"),
        ("error", "an error"),
        ("object", "an object"),
    ];
    if let Some((_, noun)) = kinds.iter().find(|(key, _)| value.get(key).is_some()) {
        return (*noun).to_owned();
    }
    let noun = match value.get("type").and_then(Value::as_str) {
        Some("array") => "an array",
        Some("promise") => "a promise",
        Some("function") => "a function",
        Some("symbol") => "a symbol",
        _ => "a value",
    };
    noun.to_owned()
}

/// The kind of an observed value with its article.
fn bare(value: &Value) -> String {
    let noun = noun(value);
    noun.split(" with ").next().unwrap_or(&noun).replace("empty ", "")
}

/// A collection with the number of its elements.
fn counted(count: usize, one: &str, what: &str) -> String {
    match count {
        1 => format!("{one} with one {what}"),
        count => format!("{one} with {count} {what}s"),
    }
}

/// An object with the names of its members.
fn described(names: &[&str]) -> String {
    if names.iter().any(|name| !is_name(name)) && !names.is_empty() {
        return counted(names.len(), "an object", "member");
    }
    match names {
        [] => "an empty object".to_owned(),
        [one] => format!("an object with {one}"),
        [one, other] => format!("an object with {one} and {other}"),
        [one, other, last] => format!("an object with {one}, {other} and {last}"),
        more => counted(more.len(), "an object", "member"),
    }
}

/// An argument in a few characters.
pub(super) fn short(value: &Argument, names: &[String]) -> String {
    if let Argument::Variable(index) = value {
        return names.get(*index).cloned().unwrap_or_default();
    }
    let text = argument(value, names).flat();
    let plain = match value {
        // Leave out texts with both kinds of quotation marks, which would have to be escaped.
        Argument::String(text) => !(text.contains('\'') && text.contains('"')),
        Argument::Function(what, _) => ["first", "constant"].contains(&what.as_str()),
        _ => true,
    };
    match value {
        _ if plain && length(&text) <= LONGEST_VALUE => text,
        Argument::String(text) if plain => beginning_of_text(text),
        Argument::Array(_) | Argument::Object(_) => beginning(&text).unwrap_or_else(|| kind(value)),
        _ => kind(value),
    }
}

/// The kind of an argument with its article, and its shape.
fn kind(value: &Argument) -> String {
    match value {
        Argument::String(text) if text.contains('\n') => {
            counted(text.lines().count(), "a text", "line")
        }
        Argument::String(text) => format!("a text of {} characters", length(text)),
        Argument::Array(items) if items.is_empty() => "an empty array".to_owned(),
        Argument::Array(items) => counted(items.len(), "an array", "element"),
        Argument::Object(members) => {
            let names: Vec<&str> = members.iter().map(|(name, _)| name.as_str()).collect();
            let listed = format!("{{ {} }}", names.join(", "));
            let plain = names.iter().all(|name| is_name(name));
            if plain && length(&listed) <= LONGEST_NAMES { listed } else { described(&names) }
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn titles_have_the_beginnings_of_long_values() {
        let object = "{ continent: 'Europe, North', region: 'Western', country: 'United Kingdom' }";
        assert_eq!(beginning(object).unwrap(), "{ continent: 'Europe, North', … }");
        assert_eq!(
            beginning("[101, 102, [1, 2], 1, 1, 10, 1, 5, 5, 10, 10, 1]").unwrap(),
            "[101, 102, [1, 2], 1, 1, 10, 1, 5, …]"
        );
        assert_eq!(beginning("new Map([1, 2])"), None);
        assert_eq!(
            beginning_of_text("Lorem ipsum dolor sit amet, consectetur"),
            "'Lorem ipsum dolor sit amet,…'"
        );
        assert_eq!(beginning_of_text("a\nb"), "'a…'");
    }
}
