//! Values as JavaScript expressions.

use catherd_javascript_machine::Argument;
use serde_json::Value;

/// A string as a literal.
pub(super) fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

fn is_name(text: &str) -> bool {
    let mut letters = text.chars();
    let first = letters.next().is_some_and(|c| c.is_ascii_alphabetic() || "_$".contains(c));
    first && letters.all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
}

/// The access of a member.
pub(super) fn member(name: &str) -> String {
    if is_name(name) { format!(".{name}") } else { format!("[{}]", quoted(name)) }
}

fn number(number: f64) -> String {
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

/// An argument as an expression. `names` are the names of the test's variables.
pub(super) fn argument(value: &Argument, names: &[String]) -> String {
    let list = |items: &[Argument]| {
        let items: Vec<String> = items.iter().map(|item| argument(item, names)).collect();
        format!("[{}]", items.join(", "))
    };
    match value {
        Argument::Variable(index) => {
            names.get(*index).cloned().unwrap_or_else(|| "undefined".to_owned())
        }
        Argument::Number(value) => number(*value),
        Argument::String(text) => quoted(text),
        Argument::Boolean(is) => is.to_string(),
        Argument::Null => "null".to_owned(),
        // Suites contain no unknown values.
        Argument::Undefined | Argument::Unknown(_) => "undefined".to_owned(),
        Argument::BigInt(text) => format!("{text}n"),
        Argument::Symbol(text) => format!("Symbol({})", quoted(text)),
        Argument::RegExp(text, flags) => format!("new RegExp({}, {})", quoted(text), quoted(flags)),
        Argument::Date(time) => format!("new Date({})", number(*time)),
        Argument::Array(items) => list(items),
        Argument::Set(items) => format!("new Set({})", list(items)),
        Argument::Object(members) => {
            let members = members.iter().map(|(name, item)| {
                let key = if is_name(name) { name.clone() } else { quoted(name) };
                format!("{key}: {}", argument(item, names))
            });
            let members: Vec<String> = members.collect();
            if members.is_empty() {
                "{}".to_owned()
            } else {
                format!("{{ {} }}", members.join(", "))
            }
        }
        Argument::Map(members) => {
            let members = members.iter().map(|(key, item)| {
                format!("[{}, {}]", argument(key, names), argument(item, names))
            });
            format!("new Map([{}])", members.collect::<Vec<_>>().join(", "))
        }
        Argument::Function(what, result) => match what.as_str() {
            "first" => "a => a".to_owned(),
            "throws" => "() => { throw new Error('e'); }".to_owned(),
            "writes" => {
                "a => { if (a !== null && typeof a === 'object') a.changed = true; return a; }"
                    .to_owned()
            }
            // A function that returns the same value from every call.
            _ => format!("(constant => () => constant)({})", argument(result, names)),
        },
        Argument::Promise(_, true) => "rejected()".to_owned(),
        Argument::Promise(value, false) => format!("Promise.resolve({})", argument(value, names)),
    }
}

/// A primitive value as a literal; `None` for other values.
pub(super) fn plain_literal(value: &Value) -> Option<String> {
    let members = value.as_object().filter(|members| members.len() == 1)?;
    let (kind, content) = members.iter().next()?;
    Some(match kind.as_str() {
        "undefined" => "undefined".to_owned(),
        "null" => "null".to_owned(),
        "boolean" => content.as_bool()?.to_string(),
        "number" => content.as_str()?.to_owned(),
        "bigint" => format!("{}n", content.as_str()?),
        // Unpaired surrogates were replaced in this string, so it must be compared as data.
        "string" => {
            Some(content.as_str()?).filter(|text| !text.contains('\u{fffd}')).map(quoted)?
        }
        _ => return None,
    })
}
