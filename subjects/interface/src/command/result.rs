//! Result files of external tools, and their conversion to records.

use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;

use catherd_experiments::text::printable;
use catherd_experiments::{
    Metric, Provenance, RECORD_FORMAT, Resources, RunOutcome, RunRecord, RunSpec, SuiteSize,
    TimelinePoint, instead,
};
use serde::de::DeserializeOwned;
use serde_json::error::Category;
use serde_json::{Map, Value, json};

use super::{CRITERION, UNITS};

/// Maximum size of a result file, in bytes.
const LARGEST: u64 = 16 << 20;

/// Maximum value of `covered` if it is a count.
const MAX_COUNTED: u32 = 10_000_000;

const KEYS: [&str; 9] = [
    "criteria",
    "outcome",
    "reason",
    "work",
    "timeline",
    "timelines",
    "suite",
    "metrics",
    "artifacts",
];

/// The optional keys of a result file of version 0.3.0, except `outcome`.
fn defaults_of_format_1() -> [(&'static str, Value); 9] {
    [
        ("reason", json!("")),
        ("executions", json!(0)),
        ("steps", json!(0)),
        ("timeline", json!([])),
        ("suite_tests", json!(0)),
        ("suite_events", json!(0)),
        ("minimised_events", json!(0)),
        ("suite", json!("")),
        ("counts", json!({})),
    ]
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Unread {
    /// The file does not exist, or the system could not read it.
    Missing(String),
    /// A repetition would leave the same file, unless the program was killed.
    Malformed(String),
}

pub(super) fn read(out: &Path) -> Result<Map<String, Value>, Unread> {
    let name = out.file_name().unwrap_or_default().display();
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => "the program left no result".to_owned(),
        _ => format!("the result cannot be read: {name}: {error}"),
    };
    let file = match catherd_platform::open_regular(out) {
        Ok(file) => file,
        Err(error) if out.symlink_metadata().is_ok_and(|other| !other.is_file()) => {
            return Err(Unread::Malformed(unreadable(error)));
        }
        Err(error) => return Err(Unread::Missing(unreadable(error))),
    };
    let missing = |error| Unread::Missing(unreadable(error));
    let length = file.metadata().map_err(missing)?.len();
    if length > LARGEST {
        return Err(Unread::Malformed(format!(
            "the result cannot be read: {name}: {length} bytes; at most {LARGEST} are read"
        )));
    }
    let mut bytes = Vec::new();
    file.take(LARGEST).read_to_end(&mut bytes).map_err(missing)?;
    serde_json::from_slice(&bytes).map_err(|error| Unread::Malformed(malformed(&bytes, &error)))
}

/// Maximum number of characters of an invalid file that an error quotes.
const QUOTED: usize = 40;

fn malformed(bytes: &[u8], error: &serde_json::Error) -> String {
    let text = String::from_utf8_lossy(bytes);
    let text = text.trim();
    // In an unclosed string, a final line break would be a different error, so parse the text
    // without it.
    let ends = serde_json::from_str::<Value>(text).is_err_and(|error| error.is_eof());
    let flaw = match error.classify() {
        _ if text.is_empty() => "the file is empty".to_owned(),
        _ if ends => "the file ends in the middle of the JSON object".to_owned(),
        Category::Data => format!("expected a JSON object: {error}"),
        _ => error.to_string(),
    };
    let begin: String = text.chars().take(QUOTED).collect();
    match begin.as_str() {
        "" => format!("the result is malformed: {flaw}"),
        begin => format!("the result is malformed: {flaw}; it begins with `{}`", printable(begin)),
    }
}

pub(super) fn record(
    spec: &RunSpec,
    file: Map<String, Value>,
    wall_ms: u64,
) -> Result<RunRecord, String> {
    let mut record = parse(spec, file)?;
    if let Some(unit) = record.work.keys().find(|unit| !UNITS.contains(&unit.as_str())) {
        return Err(format!("unknown unit `{unit}`; the units are {}", UNITS.join(" and ")));
    }
    let ascends =
        |pair: &[TimelinePoint]| pair[0].work <= pair[1].work && pair[0].covered < pair[1].covered;
    if !record.timeline.windows(2).all(ascends) {
        return Err("the timeline does not ascend".to_owned());
    }
    // Minimisation may have lost goals that the search covered.
    let searched = record.metrics.get("search_covered").map(|metric| metric.value());
    let end = searched.unwrap_or_else(|| record.covered().into());
    if record.timeline.last().is_some_and(|last| f64::from(last.covered) != end) {
        return Err("the timeline does not end with the number of covered goals".to_owned());
    }
    for (name, points) in &record.timelines {
        if !points.windows(2).all(ascends) {
            return Err(format!("timelines.{name}: the timeline does not ascend"));
        }
        let own = record.criteria.iter().skip(1).find(|criterion| criterion.name == *name);
        let own =
            own.ok_or(format!("timelines.{name}: no criterion after the first one has this name"))?;
        if points.last().is_some_and(|last| last.covered as usize != own.covered.len()) {
            return Err(format!(
                "timelines.{name}: it does not end with the number of covered goals"
            ));
        }
    }
    record.resources = Resources { wall_ms, search_ms: wall_ms, ..Resources::default() };
    Ok(record)
}

fn parse(spec: &RunSpec, mut file: Map<String, Value>) -> Result<RunRecord, String> {
    let format_1 = !file.contains_key("criteria");
    let own: Vec<&str> = if format_1 {
        let defaults = defaults_of_format_1();
        let own = defaults.iter().map(|(key, _)| *key).chain(["goals", "covered", "outcome"]);
        let own = own.collect();
        for (key, default) in defaults {
            file.entry(key).or_insert(default);
        }
        own
    } else {
        let format = RECORD_FORMAT;
        for (key, default) in [("work", json!({})), ("timeline", json!([]))] {
            file.entry(key).or_insert(default);
        }
        let suite = json!({"tests": 0, "size": 0, "unit": "events", "removed": 0});
        file.entry("suite").or_insert(suite);
        file.insert("format".to_owned(), json!(format));
        KEYS.to_vec()
    };
    if let Some(key) = file.keys().find(|key| !own.contains(&key.as_str()) && *key != "format") {
        return Err(format!("unknown key `{key}`: {}", instead(key, &own)));
    }
    if let Some(Value::Array(points)) = file.get("timeline") {
        for (number, point) in points.iter().enumerate() {
            let point = point.as_object().ok_or(format!("timeline[{number}]: not an object"))?;
            check_point(number, point, &[&UNITS[..], &["work"]].concat())?;
        }
    }
    if let Some(Value::Object(timelines)) = file.get("timelines") {
        for (name, points) in timelines {
            for (number, point) in points.as_array().into_iter().flatten().enumerate() {
                let place = format!("timelines.{name}[{number}]");
                let point = point.as_object().ok_or(format!("{place}: not an object"))?;
                check_point(number, point, &[&UNITS[..], &["work"]].concat())
                    .map_err(|flaw| flaw.replacen(&format!("timeline[{number}]"), &place, 1))?;
            }
        }
    }
    let sets = match file.get_mut("criteria") {
        Some(Value::Array(criteria)) => {
            criteria.iter_mut().filter_map(|one| one.get_mut("covered")).collect()
        }
        _ => file.get_mut("covered").into_iter().collect::<Vec<_>>(),
    };
    for set in sets {
        // A result may contain only a count. Record the first `count` goals as covered.
        if let Some(count) = set.as_u64() {
            let count = u32::try_from(count)
                .map_err(|_| format!("`covered` is {count}; at most {MAX_COUNTED} is allowed"))?;
            if count > MAX_COUNTED {
                return Err(format!("`covered` is {count}; at most {MAX_COUNTED} is allowed"));
            }
            *set = json!((0..count).collect::<Vec<_>>());
        }
        if let Some(covered) = set.as_array_mut() {
            covered.sort_unstable_by_key(Value::as_u64);
        }
    }
    let goals = match file.get("criteria") {
        Some(criteria) => criteria.get(0).and_then(|first| first.get("goals")),
        None => file.get("goals"),
    };
    let none = goals.and_then(Value::as_u64) == Some(0);
    file.entry("outcome").or_insert(json!(if none {
        RunOutcome::NoGoals
    } else {
        RunOutcome::Done
    }));
    file.insert("run".to_owned(), json!(spec.id()));
    file.insert("resources".to_owned(), json!(Resources::default()));
    file.insert("provenance".to_owned(), json!(Provenance::default()));
    // An error about the whole record would not name these parts.
    if let Some(suite) = file.get("suite").filter(|_| !format_1) {
        at_path::<SuiteSize>("suite", suite.clone())?;
    }
    if let Some(metrics) = file.get("metrics").filter(|_| !format_1) {
        at_path::<BTreeMap<String, Metric>>("metrics", metrics.clone())?;
    }
    let mut record: RunRecord = at_path("", Value::Object(file))?;
    if format_1 && let Some(only) = record.criteria.first_mut() {
        only.name = CRITERION.to_owned();
    }
    Ok(record)
}

/// An error names the point and its key.
pub(super) fn check_point(
    number: usize,
    point: &Map<String, Value>,
    units: &[&str],
) -> Result<(), String> {
    const NEEDED: [&str; 2] = ["wall_ms", "covered"];
    for key in NEEDED {
        match point.get(key) {
            None => return Err(format!("timeline[{number}].{key}: missing")),
            Some(value) if !value.is_u64() => {
                return Err(format!("timeline[{number}].{key}: {value} is not a whole number"));
            }
            Some(_) => {}
        }
    }
    let known = [&NEEDED[..], units].concat();
    match point.keys().find(|key| !known.contains(&key.as_str())) {
        Some(key) => {
            let instead = instead(key, &known);
            Err(format!("timeline[{number}].{key}: unknown key: {instead}"))
        }
        None => Ok(()),
    }
}

/// `place` is the position in the result file, which errors name.
pub(super) fn at_path<T: DeserializeOwned>(place: &str, value: Value) -> Result<T, String> {
    serde_path_to_error::deserialize(value).map_err(|error| {
        let path = error.path().to_string();
        let path = if path == "." { "" } else { path.as_str() };
        let dot =
            if place.is_empty() || path.is_empty() || path.starts_with('[') { "" } else { "." };
        let cause = error.inner();
        match format!("{place}{dot}{path}") {
            whole if whole.is_empty() => cause.to_string(),
            whole => format!("{whole}: {cause}"),
        }
    })
}

#[cfg(test)]
mod tests {
    use catherd_experiments::{Algorithm, Budget, Digest};

    use super::*;

    fn spec() -> RunSpec {
        RunSpec {
            project: Digest::of(b"one"),
            project_name: "one".into(),
            subject: super::super::KIND.into(),
            algorithm: Algorithm::plain("mio"),
            seed: 7,
            budget: Budget::wall_ms(1500),
            engine: "e".into(),
            mutation: None,
        }
    }

    #[test]
    fn result_files_of_both_formats_are_read() {
        let read = |text: &str| record(&spec(), serde_json::from_str(text).unwrap(), 9);
        let old = r#"{"goals": 20, "covered": [3, 0], "executions": 7, "steps": 0,
            "timeline": [{"executions": 1, "steps": 0, "wall_ms": 12, "covered": 2}],
            "suite_tests": 1, "suite_events": 5, "counts": {"lines": 40}}"#;
        let new = r#"{"criteria": [{"name": "goals", "goals": 20, "covered": [0, 3]}],
            "work": {"executions": 7, "steps": 0},
            "timeline": [{"work": [1, 0], "wall_ms": 12, "covered": 2}],
            "suite": {"tests": 1, "size": 5, "unit": "events", "removed": 0},
            "metrics": {"lines": 40}}"#;
        let record = read(new).unwrap();
        assert_eq!(read(old).unwrap(), record);
        assert_eq!((record.covered(), record.work["executions"]), (2, 7));
        let counted = read(r#"{"goals": 20, "covered": 2}"#).unwrap();
        assert_eq!(counted.criteria[0].covered, [0, 1]);
        assert_eq!(
            read(r#"{"criteria": [], "outcome": "failed"}"#).unwrap().outcome,
            RunOutcome::Failed
        );
        for (text, flaw) in [
            (r#"{"criteria": [], "suites": 1}"#, "unknown key `suites`"),
            (r#"{"goals": 2, "covered": [], "work": {}}"#, "unknown key `work`"),
            (r#"{"criteria": [], "work": {"meters": 3}}"#, "unknown unit `meters`"),
            (r#"{"covered": []}"#, "missing field `goals`"),
            (r#"{"goals": 2, "covered": 3}"#, "goal 2 is covered, but there are 2 goals"),
            (r#"{"goals": 2, "covered": 4000000000}"#, "`covered` is 4000000000"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(flaw), "{error}");
        }
    }
}
