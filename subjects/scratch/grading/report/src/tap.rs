//! TAP 13, the Test Anything Protocol.

use std::fmt::Write as _;

use serde_json::{Value, json};

use crate::report::{Audience, Status, SuiteReport, TestReport};

/// How skipped tests are written in TAP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Skips {
    /// `ok` with the directive `SKIP` and the reason, as readers of TAP expect.
    Directive,
    /// `not ok` without a directive, as in Whisker.
    NotOk,
}

/// Writes a report in TAP 13. Names of tests in groups begin with the names of the groups.
pub fn tap(report: &SuiteReport, skips: Skips) -> String {
    let tests = &report.tests;
    let plan = if tests.is_empty() { "0..0".to_owned() } else { format!("1..{}", tests.len()) };
    let mut text = format!("TAP version 13\n{plan}\n");
    for (at, test) in tests.iter().enumerate() {
        let skipped = skips == Skips::Directive && test.status == Status::Skip;
        let ok = if test.status == Status::Pass || skipped { "ok" } else { "not ok" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{ok} {}", at + 1);
        if test.name.is_some() || test.group.is_some() {
            let _ = write!(text, " - {}", one_line(&report.path(at).join(" / ")));
        }
        if skipped {
            let reason = if test.skipped_by_suite { "the suite says so" } else { &test.message };
            let _ = write!(text, " # SKIP {}", one_line(reason));
        }
        text.push('\n');
        diagnostics(test, &mut text);
    }
    let tally = report.tally();
    let _ = writeln!(
        text,
        "# tests {}\n# pass {}\n# fail {}\n# error {}\n# skip {}",
        tests.len(),
        tally.pass,
        tally.fail,
        tally.error,
        tally.skip
    );
    if let Some(coverage) = report.coverage {
        let _ = writeln!(text, "# coverage {}/{} blocks", coverage.covered, coverage.total);
    }
    text
}

/// Adds the details of a test, if there are any. A test that the suite itself skips has details
/// only if it wrote to its log.
fn diagnostics(test: &TestReport, text: &mut String) {
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
    let compared = [("actual", &test.actual), ("expected", &test.expected)];
    lines.extend(compared.iter().filter_map(|(key, value)| Some((*key, (*value).clone()?))));
    if let Some(operator) = &test.operator {
        lines.push(("operator", json!(operator)));
    }
    lines.extend(test.details.iter().map(|(key, value)| (key.as_str(), value.clone())));
    if let Some(at) = test.location {
        lines.push(("at", json!({ "line": at.line, "column": at.column })));
    }
    for (key, audience) in [("feedback", Audience::Pupil), ("hints", Audience::Teacher)] {
        let texts: Vec<_> = test.feedback_for(audience).collect();
        if !texts.is_empty() {
            lines.push((key, json!(texts)));
        }
    }
    if !test.log.is_empty() {
        lines.push(("log", json!(test.log)));
    }
    if lines.is_empty() || (test.skipped_by_suite && test.log.is_empty()) {
        return;
    }
    if !test.skipped_by_suite {
        lines.push(("steps", json!(test.steps)));
    }
    text.push_str("  ---\n");
    for (key, value) in lines {
        // Write JSON, which is valid YAML.
        let _ = writeln!(text, "  {key}: {value}");
    }
    text.push_str("  ...\n");
}

/// A name without control characters, in which the character that begins a directive is escaped.
fn one_line(name: &str) -> String {
    name.chars()
        .map(|c| if c.is_control() { ' ' } else { c })
        .collect::<String>()
        .replace('#', "\\#")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn names_cannot_end_a_line_or_say_skip() {
        assert_eq!(one_line("a\nok 2 # SKIP \u{1b}[0m"), "a ok 2 \\# SKIP  [0m");
    }

    #[test]
    fn every_test_has_its_line_and_details() {
        let text = tap(&samples::report(), Skips::Directive);
        let lines: Vec<_> = text.lines().filter(|line| !line.starts_with(' ')).collect();
        let expected = [
            "TAP version 13",
            "1..4",
            "ok 1 - starts",
            "not ok 2 - Cat / walks / moves, \"far\" ok 3",
            "not ok 3",
            "ok 4 - later # SKIP the suite says so",
            "# tests 4",
            "# pass 1",
            "# fail 1",
            "# error 1",
            "# skip 1",
            "# coverage 1/3 blocks",
        ];
        assert_eq!(lines, expected);
        assert!(text.contains("  at: {\"column\":7,\"line\":3}\n"), "{text}");
        assert!(tap(&samples::report(), Skips::NotOk).contains("\nnot ok 4 - later\n#"));
        let empty = SuiteReport { tests: Vec::new(), ..samples::report() };
        assert!(tap(&empty, Skips::NotOk).starts_with("TAP version 13\n0..0\n# tests 0\n"));
    }
}
