//! JUnit XML, which continuous integration systems read.

use maud::{Markup, PreEscaped, html};
use serde_json::Value;

use crate::report::{ProjectReport, Status, SuiteReport, TestReport};

/// The beginning of a JUnit document, before the first project.
pub const JUNIT_START: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";

/// The end of a JUnit document, after the last project.
pub const JUNIT_END: &str = "</testsuites>\n";

/// A project in a JUnit document: a `testsuite`. Times are times of the program in seconds. A
/// project that cannot be used is a suite with one error.
pub fn junit(report: &ProjectReport) -> String {
    let suite = match report {
        ProjectReport::Executed(report) => suite(report),
        ProjectReport::Unusable { project, reason } => html! {
            testsuite name=(text(project)) tests="1" failures="0" errors="1" skipped="0" time="0.000" {
                testcase classname=(text(project)) name="the project can be used" time="0.000" {
                    error type="project" message=(text(reason)) { (text(reason)) }
                }
            }
        },
    };
    suite.into_string() + "\n"
}

fn suite(report: &SuiteReport) -> Markup {
    let tally = report.tally();
    html! {
        testsuite name=(text(&report.project)) tests=(report.tests.len()) failures=(tally.fail)
            errors=(tally.error) skipped=(tally.skip) time=(seconds(report, report.steps()))
        {
            properties {
                property name="suite" value=(text(&report.suite)) {}
                property name="digest" value=(text(&report.digest)) {}
                @if let Some(coverage) = report.coverage {
                    property name="coveredBlocks" value=(coverage.covered) {}
                    property name="totalBlocks" value=(coverage.total) {}
                }
            }
            @for (at, test) in report.tests.iter().enumerate() {
                testcase classname=(text(&report.suite)) name=(text(&report.path(at).join(" / ")))
                    time=(seconds(report, test.steps))
                {
                    (outcome(test))
                    @if !test.log.is_empty() {
                        system-out { (text(&test.log.join("\n"))) }
                    }
                }
            }
        }
    }
}

fn outcome(test: &TestReport) -> Markup {
    let (message, kind) = (text(&test.message), text(&test.error));
    match test.status {
        Status::Pass => PreEscaped(String::new()),
        Status::Skip => html! { skipped message=(message) {} },
        Status::Fail => html! { failure type=(kind) message=(message) { (details(test)) } },
        Status::Error => html! { error type=(kind) message=(message) { (details(test)) } },
    }
}

fn details(test: &TestReport) -> String {
    let mut lines = vec![test.message.clone()];
    let shown =
        |name: &str, value: &Option<Value>| value.as_ref().map(|value| format!("{name}: {value}"));
    lines.extend(shown("expected", &test.expected));
    lines.extend(shown("actual", &test.actual));
    if let Some(at) = test.location {
        lines.push(format!("line {}", at.line));
    }
    lines.extend(test.feedback.iter().map(|said| said.text.clone()));
    text(&lines.join("\n"))
}

fn seconds(report: &SuiteReport, steps: u64) -> String {
    format!("{:.3}", steps as f64 / f64::from(report.steps_per_second))
}

/// Replaces the characters that XML 1.0 forbids. Characters with a meaning in XML are escaped when
/// the document is written.
fn text(text: &str) -> String {
    let allowed = |c: char| {
        matches!(c, '\t' | '\n' | '\r' | '\u{20}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}')
            || c >= '\u{10000}'
    };
    text.chars().map(|c| if allowed(c) { c } else { '\u{fffd}' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn the_document_is_well_formed_and_counts() {
        let bad =
            ProjectReport::Unusable { project: "b.sb3".to_owned(), reason: "no <zip>".to_owned() };
        let executed = junit(&ProjectReport::Executed(samples::report()));
        let text = [JUNIT_START, &executed, &junit(&bad), JUNIT_END].concat();
        let document = roxmltree::Document::parse(&text).unwrap();
        let named = |name: &str| {
            document.descendants().filter(|node| node.has_tag_name(name)).collect::<Vec<_>>()
        };
        let suites = named("testsuite");
        let counts = ["tests", "failures", "errors", "skipped"];
        assert_eq!(counts.map(|name| suites[0].attribute(name).unwrap()), ["4", "1", "1", "1"]);
        assert_eq!(suites[0].attribute("time"), Some("1.500"));
        let plan = SuiteReport { steps_per_second: 60, ..samples::report() };
        assert!(junit(&ProjectReport::Executed(plan)).contains("time=\"0.750\""));
        assert_eq!(named("testcase").len(), 5);
        let failure = &named("failure")[0];
        assert_eq!(failure.attribute("message"), Some("the <cat> & \"dog\" \u{fffd}[31m"));
        assert!(failure.text().unwrap().contains("expected: 2\nactual: \"a\"\nline 3"));
        assert_eq!(named("system-out")[0].text(), Some("]]> a line"));
        assert_eq!(named("error")[1].text(), Some("no <zip>"));
    }
}
