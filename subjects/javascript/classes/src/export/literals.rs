//! Values as JavaScript expressions.

use catherd_javascript_machine::Argument;
use serde_json::{Map, Value};

use super::layout::Doc;

/// Maximum length of a string that is written as one literal, in characters.
const PART: usize = 76;

/// A string as a literal.
pub(super) fn quoted(text: &str) -> String {
    // JSON escapes control characters as JavaScript does.
    let json = Value::from(text).to_string();
    let inside = &json[1..json.len() - 1];
    if text.contains('\'') && !text.contains('"') {
        return json;
    }
    let mut quoted = String::from("'");
    let mut letters = inside.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.next() {
                Some('"') => quoted.push('"'),
                Some(next) => quoted.extend(['\\', next]),
                None => {}
            },
            '\'' => quoted.push_str("\\'"),
            '\u{2028}' => quoted.push_str("\\u2028"),
            '\u{2029}' => quoted.push_str("\\u2029"),
            // Characters that change the direction of text, or that cannot be seen.
            '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{feff}'
            | '\u{7f}'..='\u{a0}' => {
                quoted.push_str(&format!("\\u{:04x}", u32::from(letter)));
            }
            _ => quoted.push(letter),
        }
    }
    quoted.push('\'');
    quoted
}

/// A title as a literal, if possible without escaped quotes.
pub(super) fn title(text: &str) -> String {
    let plain = !text.contains(['`', '\\', '$']) && !text.contains(char::is_control);
    let visible = quoted(text);
    let escapes = visible.contains('\\');
    if plain && escapes && text.contains('\'') && text.contains('"') {
        let rest = quoted(&text.replace(['\'', '"'], ""));
        if !rest.contains('\\') {
            return format!("`{text}`");
        }
    }
    visible
}

/// A string as an expression; a long string in parts.
pub(super) fn string(text: &str) -> Doc {
    let letters: Vec<char> = text.chars().collect();
    if letters.len() <= PART {
        return Doc::text(quoted(text));
    }
    // Write each line of a string on a separate line.
    if text.contains('\n') && !text.contains('\r') {
        let lines = text.split('\n').map(string);
        return Doc::list("[", lines.collect(), "].join('\\n')");
    }
    // Write a repeated part with the number of its repetitions.
    if let Some((part, times)) = repeated(&letters) {
        return Doc::text(format!("{}.repeat({times})", quoted(&part)));
    }
    let mut parts = Vec::new();
    let mut rest = &letters[..];
    while rest.len() > PART - 8 {
        // End a part with a space, or else with a separator, if there is one near.
        let last = |marks: &str| {
            let at = rest[..PART - 8].iter().rposition(|letter| marks.contains(*letter))?;
            Some(at + 1).filter(|end| *end > PART / 2)
        };
        let end = last(" ").or_else(|| last(",;&|/")).unwrap_or(PART - 8);
        let (part, after) = rest.split_at(end);
        parts.push(quoted(&part.iter().collect::<String>()));
        rest = after;
    }
    parts.push(quoted(&rest.iter().collect::<String>()));
    Doc::Sum(quoted(text), parts)
}

/// The part of which the string is a repetition, and the number of repetitions.
fn repeated(letters: &[char]) -> Option<(String, usize)> {
    let size = (1..=8).find(|size| {
        letters.len().is_multiple_of(*size)
            && letters.iter().zip(&letters[*size..]).all(|(a, b)| a == b)
    })?;
    Some((letters[..size].iter().collect(), letters.len() / size))
}

/// Whether a regular expression can be written between slashes; false if this is not certain.
fn is_plain(pattern: &str) -> bool {
    let visible = |c: char| c == ' ' || c.is_ascii_graphic() && c != '/';
    !pattern.is_empty() && pattern.chars().all(visible)
}

pub(super) fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || "_$".contains(c));
    first && letters.all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
}

pub(super) fn member(name: &str) -> String {
    if is_name(name) { format!(".{name}") } else { format!("[{}]", quoted(name)) }
}

/// A member of an object literal. The name `__proto__` is written as a computed name, because it
/// would otherwise set the prototype.
fn entry(name: &str, value: Doc) -> Doc {
    let key = match name {
        "__proto__" => "['__proto__']".to_owned(),
        name if is_name(name) => name.to_owned(),
        name => quoted(name),
    };
    Doc::Row(vec![Doc::text(format!("{key}: ")), value])
}

pub(super) fn number(number: f64) -> String {
    if number.is_nan() {
        "NaN".to_owned()
    } else if number == f64::INFINITY {
        "Infinity".to_owned()
    } else if number == f64::NEG_INFINITY {
        "-Infinity".to_owned()
    } else if number == 0.0 && number.is_sign_negative() {
        "-0".to_owned()
    } else {
        format!("{number:?}").trim_end_matches(".0").to_owned()
    }
}

/// `names` are the names of the test's variables.
pub(super) fn argument(value: &Argument, names: &[String]) -> Doc {
    let all = |items: &[Argument]| items.iter().map(|item| argument(item, names)).collect();
    match value {
        Argument::Variable(index) => {
            Doc::text(names.get(*index).map_or("undefined", String::as_str))
        }
        Argument::Number(value) => Doc::text(number(*value)),
        Argument::String(text) => string(text),
        Argument::Boolean(is) => Doc::text(is.to_string()),
        Argument::Null => Doc::text("null"),
        // Suites contain no unknown values.
        Argument::Undefined | Argument::Unknown(_) => Doc::text("undefined"),
        Argument::BigInt(text) => Doc::text(format!("{text}n")),
        Argument::Symbol(text) => Doc::text(format!("Symbol({})", quoted(text))),
        Argument::RegExp(text, flags) if is_plain(text) => Doc::text(format!("/{text}/{flags}")),
        Argument::RegExp(text, flags) => {
            Doc::text(format!("new RegExp({}, {})", quoted(text), quoted(flags)))
        }
        Argument::Date(time) => Doc::text(format!("new Date({})", number(*time))),
        Argument::Array(items) => Doc::list("[", all(items), "]"),
        Argument::Set(items) if items.is_empty() => Doc::text("new Set()"),
        Argument::Set(items) => Doc::list("new Set([", all(items), "])"),
        Argument::Object(members) => Doc::object(
            members.iter().map(|(name, item)| entry(name, argument(item, names))).collect(),
        ),
        Argument::Map(members) if members.is_empty() => Doc::text("new Map()"),
        Argument::Map(members) => {
            let pair = |(key, item): &(Argument, Argument)| {
                Doc::list("[", vec![argument(key, names), argument(item, names)], "]")
            };
            Doc::list("new Map([", members.iter().map(pair).collect(), "])")
        }
        Argument::Function(what, result) => match what.as_str() {
            "first" => Doc::text("value => value"),
            "throws" => Doc::text("() => { throw new Error('e'); }"),
            "writes" => Doc::text(
                "a => { if (a !== null && typeof a === 'object') a.changed = true; return a; }",
            ),
            "calls" => Doc::list("callsBackWith(", vec![argument(result, names)], ")"),
            "passes" => Doc::list("passesOn(", vec![argument(result, names)], ")"),
            // A function that returns the same object from every call.
            _ if is_object(result) => Doc::list("returns(", vec![argument(result, names)], ")"),
            _ if **result == Argument::Undefined => Doc::text("() => {}"),
            _ => Doc::Row(vec![Doc::text("() => "), argument(result, names)]),
        },
        Argument::Promise(_, true) => Doc::text("rejected()"),
        Argument::Promise(value, false) => {
            Doc::list("Promise.resolve(", vec![argument(value, names)], ")")
        }
    }
}

pub(super) fn is_object(value: &Argument) -> bool {
    !matches!(
        value,
        Argument::Number(_)
            | Argument::String(_)
            | Argument::Boolean(_)
            | Argument::Null
            | Argument::Undefined
            | Argument::BigInt(_)
            | Argument::Variable(_)
    )
}

/// An observed value as a literal that equals it deeply and strictly.
pub(super) fn literal(value: &Value) -> Option<Doc> {
    let members = value.as_object()?;
    if let Some(object) = members.get("object") {
        return plain_object(object.as_object()?, members);
    }
    let [(kind, content)] = &members.iter().collect::<Vec<_>>()[..] else { return None };
    Some(match kind.as_str() {
        "undefined" => Doc::text("undefined"),
        "null" => Doc::text("null"),
        "boolean" => Doc::text(content.as_bool()?.to_string()),
        "number" => Doc::text(content.as_str()?),
        "bigint" => Doc::text(format!("{}n", content.as_str()?)),
        // U+FFFD may stand for an unpaired surrogate.
        "string" => string(content.as_str().filter(|text| !text.contains('\u{fffd}'))?),
        "array" => {
            let items = content.as_array()?;
            // A hole at the end of a literal would be a trailing comma.
            if items.iter().any(|item| item.get("hole").is_some()) {
                return None;
            }
            Doc::list("[", items.iter().map(literal).collect::<Option<_>>()?, "]")
        }
        "set" => {
            let items: Vec<Doc> = content.as_array()?.iter().map(literal).collect::<Option<_>>()?;
            match items.is_empty() {
                true => Doc::text("new Set()"),
                false => Doc::list("new Set([", items, "])"),
            }
        }
        "map" => {
            let pair = |pair: &Value| {
                Some(Doc::list("[", vec![literal(pair.get(0)?)?, literal(pair.get(1)?)?], "]"))
            };
            let pairs: Vec<Doc> = content.as_array()?.iter().map(pair).collect::<Option<_>>()?;
            match pairs.is_empty() {
                true => Doc::text("new Map()"),
                false => Doc::list("new Map([", pairs, "])"),
            }
        }
        "date" => Doc::text(format!("new Date({})", content.as_str()?)),
        "regexp" => Doc::text(content.as_str().filter(|text| text.is_ascii())?),
        _ => return None,
    })
}

/// A plain object; `whole` is the observation that contains its members.
fn plain_object(members: &Map<String, Value>, whole: &Map<String, Value>) -> Option<Doc> {
    let mut items = Vec::new();
    match (whole.len(), whole.get("prototype")) {
        (1, None) => {}
        (2, Some(Value::Null)) => items.push(Doc::text("__proto__: null")),
        _ => return None,
    }
    for (name, value) in members {
        items.push(entry(name, literal(value)?));
    }
    Some(Doc::object(items))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn strings_are_quoted_so_that_everything_is_seen() {
        assert_eq!(quoted("it's"), "\"it's\"");
        assert_eq!(quoted("say \"it's\"\n"), "'say \"it\\'s\"\\n'");
        assert_eq!(quoted("a\u{202e}b"), "'a\\u202eb'");
        assert_eq!(title("f returns '\"'"), "`f returns '\"'`");
        assert_eq!(title("f returns '`\"'"), quoted("f returns '`\"'"));
        assert_eq!(string(&"ab".repeat(99)).flat(), "'ab'.repeat(99)");
        let long: String = (0..200).map(|n| char::from(b'a' + (n * n % 26) as u8)).collect();
        assert!(string(&long).write(0, 0).lines().all(|line| line.len() <= 100));
    }

    #[test]
    fn values_that_have_no_literal_are_refused() {
        let text = |value: Value| literal(&value).map(|doc| doc.flat());
        let plain = json!({"object": {"a": {"array": [{"number": "1"}, {"undefined": true}]}, "b c": {"null": true}}});
        assert_eq!(text(plain).unwrap(), "{ a: [1, undefined], 'b c': null }");
        let bare = json!({"object": {"a": {"number": "-0"}}, "prototype": null});
        assert_eq!(text(bare).unwrap(), "{ __proto__: null, a: -0 }");
        assert_eq!(
            text(json!({"object": {"__proto__": {"number": "1"}}})).unwrap(),
            "{ ['__proto__']: 1 }"
        );
        assert_eq!(
            text(json!({"map": [[{"string": "k"}, {"set": []}]]})).unwrap(),
            "new Map([['k', new Set()]])"
        );
        for none in [
            json!({"object": "Chain"}),
            json!({"object": "Chain", "members": {}}),
            json!({"array": [{"type": "function"}]}),
            json!({"array": [{"hole": true}]}),
            json!({"same_as": "#0"}),
        ] {
            assert_eq!(text(none.clone()), None, "{none}");
        }
    }
}
