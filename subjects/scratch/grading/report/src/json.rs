//! Reports in NDJSON, for programs that read results while projects are executed.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::report::{Audience, ProjectReport, SuiteReport, Tally, TestReport};

/// A project in NDJSON, with one event on each line.
pub fn ndjson(report: &ProjectReport) -> String {
    match report {
        ProjectReport::Executed(report) => lines(report).map(|line| format!("{line}\n")).collect(),
        ProjectReport::Unusable { project, reason } => {
            let event = json!({ "event": "project", "name": project, "unusable": reason });
            format!("{event}\n")
        }
    }
}

/// The last line: the number of tests with each status, and the number of projects that could not
/// be used. `digest` is the digest of the report, if there is only one project.
pub fn ndjson_end(tally: Tally, unusable: usize, digest: Option<&str>) -> String {
    let Tally { pass, fail, error, skip } = tally;
    let mut event =
        json!({ "event": "end", "pass": pass, "fail": fail, "error": error, "skip": skip });
    if unusable > 0 {
        event["unusable"] = json!(unusable);
    }
    if let Some(digest) = digest {
        event["digest"] = json!(digest);
    }
    format!("{event}\n")
}

impl SuiteReport {
    /// SHA-256 of the results of the report, in hexadecimal digits. The digest excludes the name of
    /// the project and the digest of the inputs, so equal results have the same digest even if the
    /// project is in a different folder or the options differ.
    pub fn result_digest(&self) -> String {
        let mut hash = Sha256::new();
        hash.update(self.digest.as_bytes());
        let (project, inputs) = (String::new(), String::new());
        for line in lines(&SuiteReport { project, inputs, ..self.clone() }) {
            hash.update(line.to_string());
            hash.update(b"\n");
        }
        hex::encode(hash.finalize())
    }
}

fn lines(report: &SuiteReport) -> impl Iterator<Item = Value> {
    let mut project = json!({
        "event": "project",
        "name": report.project,
        "digest": report.digest,
        "suite": report.suite,
        "inputs": report.inputs,
    });
    if !report.groups.is_empty() {
        project["groups"] = json!(report.groups);
    }
    if !report.messages.is_empty() {
        project["messages"] = json!(report.messages);
    }
    let tests = report.tests.iter().enumerate().map(|(at, test)| event(report, at, test));
    let coverage = report.coverage.map(|coverage| {
        json!({
            "event": "coverage",
            "project": report.project,
            "covered": coverage.covered,
            "total": coverage.total,
        })
    });
    std::iter::once(project).chain(tests).chain(coverage)
}

fn event(report: &SuiteReport, at: usize, test: &TestReport) -> Value {
    let mut event = json!({
        "event": "test",
        "project": report.project,
        "index": at,
        "name": test.name,
        "status": test.status.name(),
        "steps": test.steps,
        "blocks": test.blocks,
    });
    let mut set = |key: &str, value: Value| event[key] = value;
    if let Some(group) = test.group {
        set("group", json!(group));
    }
    for (key, text) in [("error", &test.error), ("message", &test.message)] {
        if !text.is_empty() {
            set(key, json!(text));
        }
    }
    for (key, value) in [("actual", &test.actual), ("expected", &test.expected)] {
        if let Some(value) = value {
            set(key, value.clone());
        }
    }
    if let Some(operator) = &test.operator {
        set("operator", json!(operator));
    }
    for (key, value) in &test.details {
        set(key, value.clone());
    }
    if let Some(location) = test.location {
        set("at", json!(location));
    }
    for (key, audience) in [("feedback", Audience::Pupil), ("hints", Audience::Teacher)] {
        let texts: Vec<_> = test.feedback_for(audience).collect();
        if !texts.is_empty() {
            set(key, json!(texts));
        }
    }
    if !test.log.is_empty() {
        set("log", json!(test.log));
    }
    if !test.limits.is_empty() {
        set("limits", json!(test.limits));
    }
    event
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::samples;

    #[test]
    fn every_line_is_an_object() {
        let report = ProjectReport::Executed(samples::report());
        let text = ndjson(&report);
        let events: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let kinds: Vec<_> = events.iter().map(|event| event["event"].as_str().unwrap()).collect();
        assert_eq!(kinds, ["project", "test", "test", "test", "test", "coverage"]);
        assert_eq!(events[2]["at"], json!({ "line": 3, "column": 7 }));
        assert_eq!((&events[2]["group"], &events[2]["actual"]), (&json!(1), &json!("a")));
        assert_eq!(events[3]["limits"], json!(["time"]));
        let end: Value =
            serde_json::from_str(&ndjson_end(Tally::default(), 2, Some("aa"))).unwrap();
        assert_eq!((&end["unusable"], &end["digest"]), (&json!(2), &json!("aa")));
    }
}
