//! Phrases for titles: short descriptions of values.

use catherd_javascript_machine::Argument;
use serde_json::Value;

use super::layout::length;
use super::literals::{argument, is_name, quoted};

/// Maximum length of a value in a title, in characters.
pub(super) const LONGEST_VALUE: usize = 44;

/// Approximate maximum length of the beginning of a value in a title, in characters.
pub(super) const LONGEST_BEGINNING: usize = 34;

/// Approximate maximum length of the beginning of a value that is next to other values, in
/// characters.
pub(super) const SHORTEST_BEGINNING: usize = 20;

/// Replaces a beginning that has neither letters nor digits.
pub(super) const A_TEXT: &str = "a text";

/// Maximum length of the names of the members of an object in a title, in characters.
const LONGEST_NAMES: usize = 44;

pub(super) fn beginning_of_text(text: &str) -> String {
    beginning_of(text, LONGEST_BEGINNING)
}

pub(super) fn short_beginning(text: &str) -> String {
    beginning_of(text, SHORTEST_BEGINNING + 4)
}

/// The beginning of a string, or its end if only the end contains one of the given strings.
pub(super) fn part_of_text(text: &str, given: &[Argument]) -> String {
    let first = beginning_of_text(text);
    let line = text.trim_end().lines().next_back().unwrap_or_default();
    let end: Vec<char> = line.chars().rev().take(LONGEST_BEGINNING - 4).collect();
    let end: String = end.into_iter().rev().collect();
    // An end that starts with a separator is easier to read.
    let from =
        end.find(['/', '?', '&', '#', ' ', ',', ';']).filter(|at| *at < LONGEST_BEGINNING / 2);
    let end = &end[from.unwrap_or(0)..];
    let in_end = |it: &Argument| {
        matches!(it, Argument::String(word) if word.len() > 1
            && end.contains(word.as_str()) && !first.contains(word.as_str()))
    };
    match text.lines().count() == 1 && given.iter().any(in_end) {
        true => quoted(&format!("…{end}")),
        false => first,
    }
}

fn beginning_of(text: &str, longest: usize) -> String {
    // Line feeds at the beginning do not end the line.
    let blank = text.len() - text.trim_start_matches('\n').len();
    let end = text[blank..].find('\n').map_or(text.len(), |end| blank + end);
    let line = &text[..end];
    let whole = line.len() == text.len() && length(text) <= longest;
    if whole {
        return quoted(text);
    }
    let mut cut: String = line.chars().take(longest - 4).collect();
    if !cut.chars().any(char::is_alphanumeric) {
        return A_TEXT.to_owned();
    }
    // A whole word is easier to read.
    if let Some((words, _)) = cut.rsplit_once(' ').filter(|(words, _)| length(words) > 12) {
        cut = words.to_owned();
    }
    quoted(&format!("{cut}…"))
}

/// The beginning of the code of an array or object; `None` if no element or member is short enough.
pub(super) fn beginning(code: &str) -> Option<String> {
    beginning_within(code, LONGEST_BEGINNING)
}

/// `longest` is the maximum length of the part before the ellipsis, in bytes.
pub(super) fn beginning_within(code: &str, longest: usize) -> Option<String> {
    let close = match code.chars().next()? {
        '[' => "]",
        '{' => " }",
        _ => return None,
    };
    let (mut depth, mut quote, mut end) = (0, None, None);
    // A possible end within the first element.
    let mut inner = None;
    let mut second_ended = false;
    let second = code[1..].trim_start().chars().next();
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
            (None, ',') if depth == 1 => second_ended = true,
            (None, ',') if depth == 2 && at <= longest && !second_ended => inner = Some(at),
            _ => {}
        }
    }
    let closed = match second {
        Some('{') => Some(" }"),
        Some('[') => Some("]"),
        _ => None,
    };
    end.map(|end| format!("{}, …{close}", &code[..end])).or_else(|| {
        let (inner, closed) = inner.zip(closed)?;
        let more = if second_ended { ", …" } else { "" };
        Some(format!("{}, …{closed}{more}{close}", &code[..inner]))
    })
}

/// The indefinite article for a name. A name in capitals is pronounced letter by letter.
pub(super) fn article(name: &str) -> &'static str {
    let spelt = name.chars().take(2).filter(char::is_ascii_uppercase).count() == 2;
    let vowels = if spelt { "AEFHILMNORSX" } else { "AEIOaeio" };
    if name.starts_with(|c: char| vowels.contains(c)) { "an" } else { "a" }
}

/// The kind of an observed value with its article, and its shape.
pub(super) fn noun(value: &Value) -> String {
    if let Some(members) = value.get("object").and_then(Value::as_object) {
        let names: Vec<&str> = members.keys().map(String::as_str).collect();
        return described(&names);
    }
    if let Some(items) = value.get("array").and_then(Value::as_array) {
        return counted(items.len(), "an array", "element");
    }
    if let Some(lines) = value["string"].as_str().filter(|it| it.contains('\n')) {
        return counted(lines.lines().count(), A_TEXT, "line");
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
pub(super) fn bare(value: &Value) -> String {
    let noun = noun(value);
    noun.split(" with ").next().unwrap_or(&noun).replace("empty ", "")
}

fn counted(count: usize, one: &str, what: &str) -> String {
    match count {
        1 => format!("{one} with one {what}"),
        count => format!("{one} with {count} {what}s"),
    }
}

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

/// A short phrase for an argument.
pub(super) fn short(value: &Argument, names: &[String]) -> String {
    if let Argument::Variable(index) = value {
        return names.get(*index).cloned().unwrap_or_default();
    }
    let text = argument(value, names).flat();
    let plain = match value {
        // Leave out strings with both kinds of quotation marks, which would have to be escaped.
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
pub(super) fn kind(value: &Argument) -> String {
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
        let nested = "[{ series: { number: 28, of: 28 }, element: { number: 1, of: 1 } }]";
        assert_eq!(beginning(nested).unwrap(), "[{ series: { number: 28, of: 28 }, … }]");
        assert_eq!(beginning("new Map([1, 2])"), None);
        assert_eq!(
            beginning_of_text("Lorem ipsum dolor sit amet, consectetur"),
            "'Lorem ipsum dolor sit amet,…'"
        );
        assert_eq!(beginning_of_text("a\nb"), "'a…'");
        assert_eq!(beginning_of_text("\na\nb"), "'\\na…'");
        assert_eq!(beginning_of_text("  [\na\nb"), A_TEXT);
        let url = "https://example.com/a/long/path/of/charts?color=white";
        let given = [Argument::String("white".to_owned())];
        assert_eq!(part_of_text(url, &given), "'…/path/of/charts?color=white'");
        assert_eq!(part_of_text(url, &[]), beginning_of_text(url));
        assert_eq!(short_beginning("Lorem ipsum dolor sit amet"), "'Lorem ipsum dolor…'");
    }
}
