//! Suites as files of other tools.

use std::fmt::Write as _;

use catherd_sequences::EventId;

use super::Subject;
use crate::failure::Failure;

/// A row for each event: number of the test, number of the event, name, and fields as JSON.
pub(super) fn csv(subject: &Subject, tests: &[Vec<EventId>]) -> Result<String, Failure> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    let failed = |cause: csv::Error| Failure::new(format!("the suite as CSV: {cause}"));
    writer.write_record(["test", "position", "event", "fields"]).map_err(failed)?;
    for (number, test) in (1_u32..).zip(tests) {
        for (position, &event) in (1_u32..).zip(test) {
            let event = subject.events.get(event);
            let fields: serde_json::Map<_, _> = event
                .fields
                .iter()
                .map(|(name, value)| (name.clone(), serde_json::json!(value)))
                .collect();
            let fields = serde_json::Value::Object(fields).to_string();
            let (number, position) = (number.to_string(), position.to_string());
            writer.write_record([&number, &position, &event.name, &fields]).map_err(failed)?;
        }
    }
    let bytes = writer.into_inner().map_err(|cause| failed(cause.into_error().into()))?;
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// A scenario for each test, in the language of Cucumber; its steps are the events.
pub(super) fn feature(subject: &Subject, tests: &[Vec<EventId>]) -> String {
    let mut text = format!("Feature: {}\n", subject.name);
    for (number, test) in (1..).zip(tests) {
        let _ = write!(text, "\n  Scenario: test {number}\n");
        for (position, &event) in test.iter().enumerate() {
            let word = if position == 0 { "When" } else { "And" };
            let _ = writeln!(text, "    {word} {}", subject.events.get(event));
        }
    }
    text
}
