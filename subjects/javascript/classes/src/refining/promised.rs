//! Compares the results of calls with the results that comments in examples show next to the same
//! calls.

use catherd_javascript_machine::instrument::{Literal, Shown, words};
use catherd_javascript_machine::{Argument, Operation};
use serde_json::Value;

use super::arguments::inlined;
use super::kinds;
use super::usage::Usage;
use crate::suite::{SuiteTest, is_error};

/// Words before a result in a comment.
const LEADS: [&str; 10] =
    ["returns", "return", "outputs", "output", "prints", "logs", "result", "yields", "gives", "is"];

/// Maximum length of a comment that can contradict a result, in bytes.
const LONGEST: usize = 2_000;

impl Usage {
    /// Whether examples have comments about the last call of a test, and all of them show other
    /// results.
    pub(super) fn is_contradicted(&self, test: &SuiteTest) -> bool {
        let Some(result) = test.assertions.last() else { return false };
        let shown = self.promised(test);
        !shown.is_empty() && shown.iter().all(|it| differs(&it.text, it.arrow, result))
    }

    /// Whether the comment of an example about the last call of a test shows the observed result.
    pub(super) fn is_confirmed(&self, test: &SuiteTest) -> bool {
        let Some(result) = test.assertions.last() else { return false };
        self.promised(test).iter().any(|it| confirms(&it.text, result))
    }

    /// The calls of examples with a comment that equal the last call of a test.
    fn promised(&self, test: &SuiteTest) -> Vec<&Shown> {
        let statements = inlined(&test.statements);
        let last = statements.len() - 1;
        let statement = &statements[last];
        if statement.operation != Operation::Call || statement.arguments.is_empty() {
            return Vec::new();
        }
        let Some(target) = self.target(&test.statements, last) else { return Vec::new() };
        let names = self.words.names(target, &self.model);
        let owners = self.owners(target);
        let same = |(given, literal): (&Argument, &Literal)| {
            kinds::argument(literal).is_some_and(|it| it == *given)
        };
        let of_call = self.shown.iter().filter(|it| {
            names.contains(&it.name)
                && (it.owner.is_empty() || owners.contains(&it.owner.to_lowercase()))
                && it.arguments.len() == statement.arguments.len()
                && statement.arguments.iter().zip(&it.arguments).all(same)
        });
        of_call.collect()
    }
}

/// Whether a comment shows the observed result: a literal that agrees with it (see [`is_other`]), or
/// its first digits if it is a number.
fn confirms(comment: &str, result: &Value) -> bool {
    let text = comment.trim();
    let digits = text.trim_end_matches(['.', '\u{2026}']);
    let number = result["number"].as_str();
    let begins = digits.len() > 4 && digits.len() < text.len();
    begins && number.is_some_and(|it| it.starts_with(digits))
        || value(text).is_some_and(|literal| !is_other(&literal, result))
}

/// Whether a comment shows a result other than the observed one.
fn differs(comment: &str, arrow: bool, result: &Value) -> bool {
    let mut text = comment.trim();
    for lead in LEADS {
        let start = text.get(..lead.len()).filter(|it| it.eq_ignore_ascii_case(lead));
        let rest = start.map(|it| &text[it.len()..]);
        if let Some(rest) = rest.filter(|it| it.starts_with([' ', ':', '='])) {
            text = rest.trim_start_matches([':', ' ', '=', '>']);
        }
    }
    if text.is_empty() || text.len() > LONGEST || result.is_null() {
        return false;
    }
    let string = result["string"].as_str();
    let plain = |it: &str| -> String {
        it.chars().filter(|c| !c.is_whitespace() && !"'\"`".contains(*c)).collect()
    };
    if string.is_some_and(|it| plain(it) == plain(text)) {
        return false;
    }
    if let Some(literal) = value(text).or_else(|| beginning(text).and_then(value)) {
        return is_other(&literal, result);
    }
    // One word after an arrow is a string without quotation marks.
    let word = arrow && !text.contains(char::is_whitespace);
    let throws = text.to_lowercase().contains("error") || text.to_lowercase().contains("throw");
    word && !throws && string.is_some_and(|it| !plain(text).contains(&plain(it)))
}

/// The literal of which a string consists.
fn value(text: &str) -> Option<Literal> {
    let text = text.trim().trim_end_matches(';');
    let found = words("example.js", &format!("probe_of_results({text}\n);"));
    match &found.calls[..] {
        [(name, arguments)] if name == "probe_of_results" => match &arguments[..] {
            [literal] if is_known(literal) => Some(literal.clone()),
            _ => None,
        },
        _ => None,
    }
}

fn is_known(literal: &Literal) -> bool {
    match literal {
        Literal::Other | Literal::Function => false,
        Literal::Array(items) => items.iter().all(is_known),
        Literal::Object(members) => members.iter().all(|(_, it)| is_known(it)),
        _ => true,
    }
}

/// The beginning of a string that may be a literal.
fn beginning(text: &str) -> Option<&str> {
    let first = text.chars().next()?;
    if "'\"`".contains(first) {
        let end = text[1..].find(first)? + 2;
        return Some(&text[..end]);
    }
    if let Some(close) = [('[', ']'), ('{', '}')].iter().find(|it| it.0 == first).map(|it| it.1) {
        let mut depth = 0;
        let end = text.char_indices().find_map(|(at, c)| {
            depth += i32::from(c == first) - i32::from(c == close);
            (depth == 0).then_some(at + 1)
        })?;
        return Some(&text[..end]);
    }
    let end = text.find([' ', ',', ';', '(', '\n'])?;
    let rest = text[end..].trim_start();
    let marked = rest.starts_with(['(', ',', ';', '-', '/']) || text[end..].starts_with('\n');
    marked.then_some(&text[..end])
}

/// Whether an observed value differs from a literal, apart from details that comments usually omit.
fn is_other(literal: &Literal, result: &Value) -> bool {
    if is_error(result) {
        return true;
    }
    let number = |it: &Value| it["number"].as_str().and_then(|it| it.parse::<f64>().ok());
    let simple = ["string", "number", "boolean", "null", "undefined", "array"];
    let known = simple.iter().any(|kind| result.get(kind).is_some())
        || result.get("object").is_some_and(Value::is_object);
    if !known {
        return false;
    }
    match literal {
        Literal::Text(text) => {
            let spaces = |it: &str| it.split_whitespace().collect::<Vec<_>>().join(" ");
            let shortened = text.contains("...") || text.contains('\u{2026}');
            match (result["string"].as_str(), number(result)) {
                (Some(it), _) => !shortened && spaces(it) != spaces(text),
                (None, Some(it)) => text.trim().parse() != Ok(it),
                _ => true,
            }
        }
        Literal::Number(bits) => {
            let wanted = f64::from_bits(*bits);
            let digits = wanted.to_string().split_once('.').map_or(0, |(_, it)| it.len());
            let near = if digits == 0 { 0.0 } else { 10_f64.powi(-(digits as i32)) };
            match (number(result), result["string"].as_str()) {
                (Some(it), _) => it.is_nan() != wanted.is_nan() || (it - wanted).abs() > near,
                (None, Some(text)) => text.trim().parse() != Ok(wanted),
                _ => true,
            }
        }
        Literal::Boolean(is) => result["boolean"] != *is,
        Literal::Null => result.get("null").is_none(),
        Literal::Undefined => result.get("undefined").is_none(),
        Literal::Array(items) => match result["array"].as_array() {
            Some(values) => {
                items.len() != values.len() || items.iter().zip(values).any(|(a, b)| is_other(a, b))
            }
            None => true,
        },
        Literal::Object(members) => match result["object"].as_object() {
            Some(values) => members
                .iter()
                .any(|(name, it)| values.get(name).is_none_or(|value| is_other(it, value))),
            None => true,
        },
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn comments_that_show_other_results_are_recognised() {
        let text = json!({"string": "a b"});
        let others = ["'a'", "returns 'b'", "['a b']", "5", "null", "'a' (short)"];
        assert!(others.iter().all(|it| differs(it, false, &text)), "{others:?}");
        let same = [
            "'a b'",
            "\"a  b\"",
            "a b",
            "the parts of it",
            "'a...'",
            "'a b' or so",
            "",
            "outputs: 'a b'",
        ];
        assert!(same.iter().all(|it| !differs(it, true, &text)), "{same:?}");
        assert!(differs("a-b-c", true, &text) && !differs("a-b-c", false, &text));
        let number = json!({"number": "0.6666666"});
        assert!(!differs("0.67", true, &number) && !differs("'0.6666666'", true, &number));
        assert!(differs("0.5", true, &number) && differs("true", true, &number));
        let list = json!({"array": [{"number": "1"}, {"string": "b"}]});
        assert!(!differs("[1, 'b']", true, &list) && differs("[1, 'c'] as well", true, &list));
        assert!(differs("[1]", true, &list));
        let object = json!({"object": {"a": {"number": "1"}}});
        assert!(!differs("{ a: 1 }", true, &object) && differs("{ a: 2 }", true, &object));
        assert!(!differs("{ a: 1 }", true, &json!({"object": "Instance", "members": {}})));
        let long = json!({"number": "10.58598278"});
        assert!(confirms("10.585982\u{2026}", &long) && !confirms("10.6\u{2026}", &long));
        assert!(confirms("[1, 'b']", &list) && !confirms("a list", &list));
        let thrown = json!({"throws": "Error", "message": "no"});
        assert!(differs("'a'", true, &thrown) && !differs("throws an Error", true, &thrown));
    }
}
