//! Suites as lines, and as files for other tools.

use std::fmt::Write as _;

use catherd_cli_console::Failure;
use catherd_sequences_testing::{TestCase, to_word};

use crate::Subject;

pub(super) fn lines(subject: &Subject, tests: &[TestCase]) -> String {
    tests.iter().map(|case| line(&subject.labels(case)) + "\n").collect()
}

pub(super) fn line(labels: &[String]) -> String {
    let words: Vec<String> = labels.iter().map(|label| to_word(label)).collect();
    words.join(", ")
}

pub(super) fn csv(subject: &Subject, tests: &[TestCase]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |cause: csv::Error| Failure::new(format!("the suite as CSV: {cause}"));
    writer.write_record(["test", "position", "event", "fields"]).map_err(failed)?;
    for (number, case) in (1_u32..).zip(tests) {
        let happens = case.events.iter().map(|&event| ("", event));
        let refused = case.refused.map(|event| ("!", event));
        for (position, (mark, event)) in (1_u32..).zip(happens.chain(refused)) {
            let event = subject.events.get(event);
            let name = format!("{mark}{}", event.name);
            let fields: serde_json::Map<_, _> = event
                .fields
                .iter()
                .map(|(name, value)| (name.clone(), serde_json::json!(value)))
                .collect();
            let fields = serde_json::Value::Object(fields).to_string();
            let (number, position) = (number.to_string(), position.to_string());
            writer.write_record([&number, &position, &name, &fields]).map_err(failed)?;
        }
    }
    let bytes = writer.into_inner().map_err(|cause| failed(cause.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// The suite in Gherkin, the language of Cucumber.
pub(super) fn feature(subject: &Subject, tests: &[TestCase]) -> String {
    let mut text = format!("Feature: {}\n", subject.name);
    for (number, case) in (1..).zip(tests) {
        let _ = write!(text, "\n  Scenario: test {number}\n");
        for (position, &event) in case.events.iter().enumerate() {
            let word = if position == 0 { "When" } else { "And" };
            let _ = writeln!(text, "    {word} {}", subject.label(event));
        }
        if let Some(event) = case.refused {
            let word = if case.events.is_empty() { "When" } else { "And" };
            let _ = writeln!(text, "    {word} {} is tried", subject.label(event));
            text += "    Then it is refused\n";
        }
    }
    text
}
