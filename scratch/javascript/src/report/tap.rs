//! Outcomes in TAP 13, the Test Anything Protocol.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::whisker::{Outcome, Status, SuiteOutcome};

/// The outcomes of a suite. With `strict`, tests that were skipped are `not ok` without a reason,
/// as Whisker writes them.
pub fn tap(outcome: &SuiteOutcome, strict: bool) -> String {
    let tests = &outcome.tests;
    let plan = if tests.is_empty() { "0..0".to_owned() } else { format!("1..{}", tests.len()) };
    let mut text = format!("TAP version 13\n{plan}\n");
    for (number, test) in (1..).zip(tests) {
        let skipped = !strict && test.status == Status::Skip;
        let ok = if test.status == Status::Pass || skipped { "ok" } else { "not ok" };
        // Writing to a string does not fail.
        let _ = write!(text, "{ok} {number}");
        if let Some(name) = &test.name {
            let _ = write!(text, " - {}", one_line(name));
        }
        if skipped {
            let reason = if test.skipped { "the suite says so" } else { &test.message };
            let _ = write!(text, " # SKIP {}", one_line(reason));
        }
        text.push('\n');
        diagnostics(test, &mut text);
    }
    let count = |status| outcome.count(status);
    let _ = writeln!(
        text,
        "# tests {}\n# pass {}\n# fail {}\n# error {}\n# skip {}",
        tests.len(),
        count(Status::Pass),
        count(Status::Fail),
        count(Status::Error),
        count(Status::Skip)
    );
    if let Some((covered, total)) = outcome.coverage {
        let _ = writeln!(text, "# coverage {covered}/{total} blocks");
    }
    text
}

/// Adds the details of a test that did not pass or that logged something.
fn diagnostics(test: &Outcome, text: &mut String) {
    let mut lines: Vec<(&str, Value)> = Vec::new();
    if test.status != Status::Pass {
        lines.push(("severity", json!(test.status.name())));
    }
    if !test.error.is_empty() {
        lines.push(("error", json!(test.error)));
    }
    if !test.message.is_empty() {
        lines.push(("message", json!(test.message)));
    }
    lines.extend(test.details.iter().map(|(key, value)| (key.as_str(), value.clone())));
    if let (Some(line), column) = (test.line, test.column) {
        lines.push(("at", json!({ "line": line, "column": column })));
    }
    if !test.hints.is_empty() {
        lines.push(("hints", json!(test.hints)));
    }
    if !test.log.is_empty() {
        lines.push(("log", json!(test.log)));
    }
    if lines.is_empty() || (test.skipped && test.log.is_empty()) {
        return;
    }
    if !test.skipped {
        lines.push(("steps", json!(test.steps)));
    }
    text.push_str("  ---\n");
    for (key, value) in lines {
        // JSON is YAML.
        let _ = writeln!(text, "  {key}: {value}");
    }
    text.push_str("  ...\n");
}

/// A name without what would end its line or begin a directive.
fn one_line(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_end_a_line_or_say_skip() {
        assert_eq!(one_line("a\nok 2 # SKIP \u{1b}[0m"), "a ok 2 \\# SKIP  [0m");
    }
}
