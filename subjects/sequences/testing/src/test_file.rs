//! Tests in files: lines of events, or JSON.

use serde_json::{Value, json};

use crate::events::{Event, EventId, Events, FieldValue};
use crate::negative::{self, TestCase};

/// The reason why a file of tests cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("test {number}: {cause}")]
pub struct TestFileError {
    /// Number of the line or of the test in JSON, from 1; 1 if the JSON as a whole cannot be read.
    pub number: usize,
    /// What is wrong, in one line.
    pub cause: String,
}

/// Maximum number of commas, semicolons and white-space characters in a file of tests, which limits
/// the number of events.
const MAX_SEPARATORS: usize = 1 << 25;

/// Reads tests as labels of events. A text file has one test per line, as [`parse_line`] reads it;
/// empty lines and lines that begin with `#` are skipped. JSON is an array of tests, or an object
/// whose member `tests` is such an array; an event is a string, or an object with `event` and its
/// fields. The last event of a test has a `!` before its label if the system must refuse the event;
/// in JSON, such an event is the member `refused` of an object.
///
/// # Errors
///
/// If the text has too many events, or is JSON that cannot be read.
pub fn parse_tests(text: &str) -> Result<Vec<Vec<String>>, TestFileError> {
    let mut separators = text.match_indices(is_separator).map(|(at, _)| at);
    if let Some(at) = separators.nth(MAX_SEPARATORS) {
        let number = 1 + text.as_bytes()[..at].iter().filter(|&&byte| byte == b'\n').count();
        let cause = format!(
            "the file has more than {MAX_SEPARATORS} commas, semicolons, spaces and ends of lines \
             up to here"
        );
        return Err(TestFileError { number, cause });
    }
    if !text.trim_start().starts_with(['{', '[']) {
        let lines = text.lines().map(str::trim).filter(|line| !line.starts_with('#'));
        return Ok(lines.filter(|line| !line.is_empty()).map(parse_line).collect());
    }
    let failed = |number, cause: String| TestFileError { number, cause };
    let value: Value = serde_json::from_str(text).map_err(|e| failed(1, e.to_string()))?;
    let Some(tests) = value.get("tests").unwrap_or(&value).as_array() else {
        return Err(failed(1, "no array of tests".to_owned()));
    };
    let test = |(number, test): (usize, &Value)| {
        let events =
            test.as_array().ok_or_else(|| failed(number + 1, "not an array".to_owned()))?;
        let label = |event: &Value| {
            label(event).ok_or_else(|| failed(number + 1, format!("{event} is not an event")))
        };
        events.iter().map(label).collect()
    };
    tests.iter().enumerate().map(test).collect()
}

fn is_separator(character: char) -> bool {
    matches!(character, ',' | ';') || character.is_whitespace()
}

/// Reads the labels of the events of a test from one line. If the line contains no comma, semicolon,
/// quotation mark or parenthesis, labels are separated by spaces; otherwise, they are separated by commas or
/// semicolons outside parentheses and brackets. A label may be written as a JSON string.
pub fn parse_line(line: &str) -> Vec<String> {
    if !line.contains([',', ';', '"', '(']) {
        return line.split_whitespace().map(str::to_owned).collect();
    }
    let (mut labels, mut rest) = (Vec::new(), line.trim_start());
    while !rest.is_empty() {
        let after = match quoted(rest) {
            Some((label, others)) => {
                labels.push(label);
                others
            }
            None => {
                let (label, others) = rest.split_at(end_of_label(rest));
                labels.extend(Some(label.trim()).filter(|l| !l.is_empty()).map(str::to_owned));
                others
            }
        };
        rest = after.strip_prefix([',', ';']).unwrap_or_default().trim_start();
    }
    labels
}

/// The content of a JSON string at the start of a line, and the rest of the line, which must be
/// empty or begin with a comma or a semicolon.
fn quoted(line: &str) -> Option<(String, &str)> {
    let mut strings = serde_json::Deserializer::from_str(line).into_iter::<String>();
    let content = strings.next()?.ok()?;
    let after = line[strings.byte_offset()..].trim_start();
    (after.is_empty() || after.starts_with([',', ';'])).then_some((content, after))
}

fn end_of_label(line: &str) -> usize {
    let mut depth = 0_usize;
    let mut is_end = |character: char| {
        match character {
            '(' | '[' => depth += 1,
            ')' | ']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        matches!(character, ',' | ';') && depth == 0
    };
    line.char_indices().find(|&(_, character)| is_end(character)).map_or(line.len(), |(at, _)| at)
}

/// A label in the notation of [`parse_line`]: as a JSON string if the plain label could be misread.
pub fn to_word(label: &str) -> String {
    let is_plain = !label.starts_with(['#', '{', '['])
        && !label.contains(char::is_control)
        && parse_line(label) == [label]
        && parse_line(&format!("{label}, x")) == [label, "x"];
    if is_plain { label.to_owned() } else { json!(label).to_string() }
}

fn label(event: &Value) -> Option<String> {
    let members = match event {
        Value::String(name) => return Some(name.clone()),
        Value::Object(members) => match (members.len(), members.get("refused")) {
            (1, Some(Value::Object(inner))) if inner.contains_key("refused") => return None,
            (1, Some(inner)) => return Some(negative::refused(&label(inner)?)),
            _ => members,
        },
        _ => return None,
    };
    let field = |(name, value): (&String, &Value)| {
        let value = match value {
            Value::String(text) => FieldValue::Text(text.clone()),
            Value::Bool(flag) => FieldValue::Flag(*flag),
            value => FieldValue::Integer(value.as_i64()?.try_into().ok()?),
        };
        Some((name.clone(), value))
    };
    let fields = members.iter().filter(|(name, _)| *name != "event").map(field);
    let name = members.get("event")?.as_str()?.to_owned();
    Some(Event { name, fields: fields.collect::<Option<_>>()? }.to_string())
}

impl Events {
    /// The event with a label, whose fields may be in any order, or the only event with a name;
    /// `None` if there is no such event.
    pub fn find(&self, label: &str) -> Option<EventId> {
        if let Some(event) = self.labelled(label) {
            return Some(event);
        }
        if let [event] = self.named(label) {
            return Some(*event);
        }
        let (name, fields) = label.strip_suffix(')')?.split_once('(')?;
        let mut wanted: Vec<&str> = fields.split(", ").collect();
        wanted.sort_unstable();
        self.named(name).iter().copied().find(|&event| {
            let own = self.get(event).fields.iter().map(|(name, value)| format!("{name}: {value}"));
            let mut own: Vec<String> = own.collect();
            own.sort_unstable();
            own == wanted
        })
    }
}

/// A suite as JSON: model, criterion, rank, and tests.
pub fn suite_json(
    model: &str,
    criterion: &str,
    rank: u64,
    events: &Events,
    tests: &[TestCase],
) -> String {
    let test = |case: &TestCase| -> Vec<Value> {
        let happens = case.events.iter().map(|&event| json!(events.get(event)));
        let refused = case.refused.map(|event| json!({"refused": events.get(event)}));
        happens.chain(refused).collect()
    };
    let tests: Vec<Vec<Value>> = tests.iter().map(test).collect();
    let suite = json!({
        "format": "catherd-sequences/1",
        "model": model,
        "criterion": criterion,
        "rank": rank,
        "tests": tests,
    });
    suite.to_string() + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_read_from_lines_and_json() {
        let lines = parse_tests("# log\na, b(x: 1, y: q)\n\na b\n").unwrap();
        assert_eq!(lines, [vec!["a", "b(x: 1, y: q)"], vec!["a", "b"]]);
        let json = parse_tests(r#"{"tests": [["a", {"event": "b", "x": 1, "y": "q"}]]}"#).unwrap();
        assert_eq!(json, [vec!["a", "b(x: 1, y: q)"]]);
        let error = parse_tests("[[], [1]]").unwrap_err().to_string();
        assert_eq!(error, "test 2: 1 is not an event");
        let error = parse_tests("[[], 1]").unwrap_err().to_string();
        assert_eq!(error, "test 2: not an array");
    }

    #[test]
    fn labels_are_read_as_they_are_written() {
        for label in [
            "a",
            "Quiz.Submit",
            "b(x: 1, y: q)",
            "log in",
            "a, b",
            "a;b",
            "a(",
            "a)",
            "[a",
            "{a}",
            "# a",
            "\"a\"",
            "\"a",
            " a ",
            "a\nb",
            "",
            "!a",
            "a \\ \"b\", c",
            "f(x: a), b)",
            "ä, ö",
        ] {
            let labels = [label, "x", label].map(str::to_owned);
            let line = labels.each_ref().map(|label| to_word(label)).join(", ");
            assert_eq!(parse_tests(&line).unwrap(), [labels], "{line}");
            assert_eq!(parse_tests(&to_word(label)).unwrap(), [[label]], "{label}");
        }
        assert_eq!(to_word("b(x: 1, y: q)"), "b(x: 1, y: q)");
        assert_eq!(parse_line("\"a\" b, c"), ["\"a\" b", "c"]);
        assert_eq!(parse_line("say(\"a, b\"), c"), ["say(\"a, b\")", "c"]);
        assert_eq!(parse_line("a,, b,"), ["a", "b"]);
    }

    #[test]
    fn events_are_found_with_their_fields_in_any_order() {
        let mut events = Events::plain(["a"]);
        let text = |text: &str| FieldValue::Text(text.to_owned());
        let fields = vec![("y".to_owned(), text("q")), ("x".to_owned(), text("p"))];
        events.add(Event { name: "b".to_owned(), fields: fields.clone() });
        assert_eq!(events.find("b(x: p, y: q)"), Some(1));
        assert_eq!(events.find("b"), Some(1));
        assert_eq!(events.find("b(x: p)"), None);
        let suite = suite_json("m", "consecutive:2", 1, &events, &[vec![0, 1].into()]);
        assert_eq!(parse_tests(&suite).unwrap()[0][0], "a");
        let negative = TestCase { events: vec![0], refused: Some(1) };
        let suite = suite_json("m", "consecutive:2", 1, &events, &[negative]);
        assert_eq!(parse_tests(&suite).unwrap()[0], ["a", "!b(x: p, y: q)"]);
    }
}
