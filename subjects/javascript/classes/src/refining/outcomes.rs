//! Recognises results that have no meaning, or that occur only by accident.

use catherd_javascript_machine::Argument;
use serde_json::Value;

use crate::suite::SuiteTest;

/// Maximum number of digits after the point of a result of an undocumented call.
const MAX_UNDOCUMENTED_DIGITS: usize = 6;

/// Maximum number of digits after the point of a result.
const MAX_DIGITS: usize = 10;

/// Whether a result looks accidental, such as negative zero or a number with many digits. `written`
/// is the result of [`digits_in`] for the documentation.
pub(super) fn is_accidental(value: &Value, documented: bool, written: usize) -> bool {
    match value {
        Value::Object(parts) => parts.iter().any(|(name, part)| match (name.as_str(), part) {
            ("number", Value::String(text)) => {
                let digits = text.split_once('.').map_or(0, |(_, digits)| digits.len());
                text == "-0"
                    || digits > if documented { MAX_DIGITS } else { MAX_UNDOCUMENTED_DIGITS }
            }
            ("string", Value::String(text)) => {
                let digits = |part: &str| part.chars().take_while(char::is_ascii_digit).count();
                text.chars().any(|c| ('\u{7f}'..'\u{a0}').contains(&c) || c == '\0')
                    || text.split('.').skip(1).any(|part| digits(part) > MAX_DIGITS.max(written))
            }
            (_, part) => is_accidental(part, documented, written),
        }),
        Value::Array(items) => items.iter().any(|item| is_accidental(item, documented, written)),
        _ => false,
    }
}

/// Maximum number of digits after the point in numbers before a quotation mark, but at most 40.
pub(super) fn digits_in(texts: &str) -> usize {
    let after = texts.split('.').skip(1);
    let runs = after.filter_map(|rest| {
        let count = rest.bytes().take_while(u8::is_ascii_digit).count();
        let quoted = rest[count..].starts_with(['\'', '"', '`']);
        quoted.then_some(count)
    });
    runs.max().unwrap_or(0).min(40)
}

/// Whether a string of bytes is easy to read.
pub(super) fn is_readable(text: &str) -> bool {
    let letters = text.bytes().filter(u8::is_ascii_alphanumeric).count();
    text.bytes().all(|byte| (b' '..=b'~').contains(&byte))
        && letters >= 3
        && 2 * letters > text.len()
}

/// Whether a result shows that the call had nothing to do.
pub(super) fn is_nothing(result: &Value) -> bool {
    let empty = |it: &Value| {
        it.as_array().is_some_and(Vec::is_empty) || it.as_object().is_some_and(|it| it.is_empty())
    };
    result["string"] == ""
        || result["boolean"] == false
        || ["0", "-1", "NaN"].iter().any(|number| result["number"] == *number)
        || result.get("null").is_some()
        || result.get("undefined").is_some()
        || ["array", "object"].iter().any(|of| result.get(of).is_some_and(empty))
}

/// Whether a test shows that there was nothing to do.
pub(super) fn shows_nothing(test: &SuiteTest, result: &Value) -> bool {
    let changes = test.after.iter().any(|state| !state.is_null());
    is_nothing(result) && !(changes && result.get("undefined").is_some())
}

/// Whether an object has several members without values, as internal objects often do.
pub(super) fn is_internal(value: &Value) -> bool {
    let members = value.get("object").or_else(|| value.get("members")).and_then(Value::as_object);
    let nothing = |it: &&Value| it.get("null").is_some() || it.get("undefined").is_some();
    members.is_some_and(|members| members.values().filter(nothing).count() > 1)
}

/// Whether a result is the value of an argument.
pub(super) fn is_value_of(argument: &Argument, result: &Value) -> bool {
    match argument {
        Argument::String(text) => result["string"] == **text,
        Argument::Number(number) => {
            result["number"].as_str().and_then(|it| it.parse::<f64>().ok()) == Some(*number)
        }
        Argument::Boolean(it) => result["boolean"] == *it,
        Argument::Array(items) => result["array"].as_array().is_some_and(|values| {
            values.len() == items.len() && items.iter().zip(values).all(|(a, b)| is_value_of(a, b))
        }),
        Argument::Object(members) => result["object"].as_object().is_some_and(|values| {
            let same = |(name, it): &(String, Argument)| {
                values.get(name).is_some_and(|value| is_value_of(it, value))
            };
            values.len() == members.len() && members.iter().all(same)
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn results_of_chance_are_told_from_results() {
        let accidental = |value| is_accidental(&value, false, 0);
        assert!(accidental(json!({"number": "-0"})));
        assert!(accidental(json!({"array": [{"number": "20.119467064985724"}]})));
        assert!(accidental(json!({"string": "a\u{9d}"})));
        assert!(!accidental(json!({"number": "2.5"})) && !accidental(json!({"string": "é"})));
        assert!(!is_accidental(&json!({"number": "20.11946706"}), true, 0));
        assert!(is_accidental(&json!({"number": "20.119467064985724"}), true, 0));
        let long = json!({"string": "1.4142135623730950488"});
        assert_eq!(digits_in("x.sqrt(); // '0.66666666666666666666' not 1.123456"), 20);
        assert!(is_accidental(&long, false, 0) && !is_accidental(&long, false, 20));
        assert!(is_readable("Hello, world!") && !is_readable("\u{2}") && !is_readable("<>~"));
        let node = json!({"object": {"key": {"number": "2"}, "left": {"null": true}, "next": {"null": true}}});
        assert!(is_internal(&node) && !is_internal(&json!({"object": {"a": {"null": true}}})));
    }
}
