//! Tests of records.

use catherd_experiments::{
    Algorithm, Budget, Conditions, Criterion, Digest, Level, Metric, MutantOutcome, MutantRecord,
    RunOutcome, RunRecord, RunSpec, SuiteSize, TimelinePoint, format_1,
};
use serde::Deserialize;
use serde_json::{Value, json};

/// A run of version 0.3.0: its id, the digest of its record, its specification and its record.
#[derive(Deserialize)]
struct Recorded {
    run: Digest,
    digest: Digest,
    spec: RunSpec,
    record: RunRecord,
}

fn recorded() -> Vec<Recorded> {
    let lines = include_str!("format_1.jsonl").lines();
    lines.map(|line| serde_json::from_str(line).unwrap()).collect()
}

fn spec() -> RunSpec {
    RunSpec {
        project: Digest::of(b"p"),
        project_name: "p".to_owned(),
        subject: "classes".to_owned(),
        algorithm: Algorithm::plain("mio"),
        seed: 3,
        budget: Budget::of("calls", 9),
        mutation: None,
        engine: "classes/1".to_owned(),
    }
}

/// Format 1 cannot express this record.
fn rich() -> RunRecord {
    let criterion = |name: &str, goals, covered: &[u32]| Criterion {
        name: name.to_owned(),
        goals,
        covered: covered.to_vec(),
    };
    let criteria = vec![criterion("branches", 4, &[0, 3]), criterion("lines", 9, &[8])];
    RunRecord {
        work: [("calls".to_owned(), 9), ("allocations".to_owned(), 70)].into(),
        timeline: vec![
            TimelinePoint { work: vec![20, 1], wall_ms: 3, covered: 1 },
            TimelinePoint { work: vec![60, 8], wall_ms: 4, covered: 2 },
        ],
        suite: SuiteSize { tests: 2, size: 5, unit: "statements".to_owned(), removed: 1 },
        metrics: [("ratio".to_owned(), Metric::Number(0.1)), ("n".to_owned(), 3.into())].into(),
        artifacts: [("suite.js".to_owned(), "x".to_owned())].into(),
        mutants: vec![MutantRecord {
            id: "m".to_owned(),
            operator: "AOR".to_owned(),
            location: vec![Level::new("class", "A"), Level::new("line", "7")],
            change: "+ -> -".to_owned(),
            outcome: MutantOutcome::Killed,
            killed_by: Some(0),
            executions: 1,
            duplicate_of: None,
        }],
        ..RunRecord::new(&spec(), criteria)
    }
}

#[test]
fn records_of_version_0_3_0_are_read() {
    let recorded = recorded();
    assert_eq!(recorded.len(), 4);
    for Recorded { run, digest, spec, record } in &recorded {
        // Run ids and the JSON of specifications have not changed.
        assert_eq!((spec.id(), record.run), (*run, *run));
        assert_eq!(record.digest_of_format_1(), Some(*digest));
        assert_ne!(record.digest(), *digest);
        let json = serde_json::to_string(record).unwrap();
        assert!(json.starts_with(r#"{"format":2,"run":"#), "{json}");
        assert_eq!(serde_json::from_str::<RunRecord>(&json).unwrap(), *record);
    }
    let text = include_str!("format_1.jsonl").lines().next().unwrap();
    let spec = serde_json::to_string(&recorded[0].spec).unwrap();
    assert!(text.contains(&format!(r#""spec":{spec},"record""#)), "{spec}");

    let scratch = &recorded[0].record;
    assert_eq!(scratch.work.keys().collect::<Vec<_>>(), ["executions", "steps"]);
    assert_eq!((scratch.criteria[0].name.as_str(), scratch.goals()), ("blocks", 53));
    let first = &scratch.timeline[0].work;
    assert_eq!((first[0], first.len(), scratch.unit_position("steps")), (1, 2, Some(1)));
    assert!(scratch.artifacts["suite.json"].starts_with('{') && scratch.suite.size > 0);
    assert_eq!(scratch.suite.unit, "events");
    assert_eq!(scratch.metrics["executedTests"], Metric::Integer(15));
    assert_eq!(scratch.mutants.len(), 6);
    assert!(scratch.mutants.iter().all(|mutant| mutant.at("block").is_some()));

    let tool = &recorded[2].record;
    assert_eq!((tool.covered(), tool.work["executions"]), (2, 7));
    assert_eq!(tool.artifacts["suite.json"], "press");
    // A run that failed at once has neither criteria nor work, as in the current version.
    let failed = &recorded[3];
    assert_eq!((failed.record.outcome, failed.record.criteria.len()), (RunOutcome::Failed, 0));
    let mut now = RunRecord::failed(&failed.spec, "too short", 25);
    now.resources = failed.record.resources.clone();
    now.provenance = failed.record.provenance.clone();
    assert_eq!(now, failed.record);
}

#[test]
fn results_of_version_0_3_0_are_described_by_kind() {
    for (kind, goals) in [("scratch", "blocks"), ("command", "goals"), ("rehearsal", "goals")] {
        let info = format_1::subject_info(kind, "catherd/0.3.0");
        assert_eq!((&*info.kind, &*info.main_criterion().unwrap().name), (kind, goals));
        assert_eq!(info.mutant_levels.is_empty(), kind != "scratch");
    }
    let lines = include_str!("format_1.jsonl").lines().take(3);
    let records = lines.zip(recorded()).map(|(line, Recorded { spec, .. })| {
        let json: Value = serde_json::from_str(line).unwrap();
        RunRecord::from_json(json["record"].to_string().as_bytes(), &spec.subject).unwrap()
    });
    let criteria: Vec<_> = records.map(|record| record.criteria[0].name.clone()).collect();
    assert_eq!(criteria, ["blocks", "blocks", "goals"]);
}

#[test]
fn records_survive_their_json() {
    let record = rich();
    let json = serde_json::to_value(&record).unwrap();
    assert_eq!((&json["format"], &json["metrics"]["ratio"]), (&json!(2), &json!(0.1)));
    let read: RunRecord = serde_json::from_value(json).unwrap();
    assert_eq!(read, record);
    assert_eq!(read.digest(), record.digest());
    assert_eq!(record.digest_of_format_1(), None);
    assert_eq!((record.goals(), record.covered(), record.coverage()), (4, 2, Some(0.5)));
    assert_eq!(RunRecord::new(&spec(), Vec::new()).outcome, RunOutcome::NoGoals);
}

#[test]
fn the_digest_covers_the_result_and_nothing_else() {
    let same: [fn(&mut RunRecord); 4] = [
        |record| record.resources.search_ms = 9,
        |record| record.provenance.host = "h".to_owned(),
        |record| record.timeline[0].wall_ms = 77,
        |record| drop(record.logs.insert("tool.log".to_owned(), "x".to_owned())),
    ];
    let other: [fn(&mut RunRecord); 12] = [
        |record| record.outcome = RunOutcome::Failed,
        |record| record.reason = "r".to_owned(),
        |record| record.criteria[1].goals += 1,
        |record| record.criteria[1].name = "statements".to_owned(),
        |record| *record.work.get_mut("calls").unwrap() += 1,
        |record| record.timeline[1].work[0] += 1,
        |record| record.timeline[1].covered += 1,
        |record| record.suite.removed += 1,
        |record| *record.metrics.get_mut("n").unwrap() = Metric::Integer(4),
        |record| drop(record.artifacts.insert("suite.js".to_owned(), "y".to_owned())),
        |record| record.mutants[0].location[1].name = "8".to_owned(),
        |record| record.mutants[0].killed_by = None,
    ];
    let digest = rich().digest();
    for (edits, equal) in [(&same[..], true), (&other[..], false)] {
        for (number, edit) in edits.iter().enumerate() {
            let mut record = rich();
            edit(&mut record);
            assert_eq!(record.digest() == digest, equal, "edit {number}");
        }
    }
}

#[test]
fn format_1_expresses_only_what_version_0_3_0_recorded() {
    let scratch = recorded().swap_remove(0).record;
    let lost: [fn(&mut RunRecord); 5] = [
        |record| record.criteria.push(record.criteria[0].clone()),
        |record| record.work.extend([("calls".to_owned(), 1)]),
        |record| record.metrics.extend([("ratio".to_owned(), Metric::Number(0.5))]),
        |record| drop(record.artifacts.insert("trace.txt".to_owned(), String::new())),
        |record| drop(record.mutants[0].location.pop()),
    ];
    for (number, edit) in lost.iter().enumerate() {
        let mut record = scratch.clone();
        edit(&mut record);
        assert_eq!(record.digest_of_format_1(), None, "edit {number}");
    }
    let mut record = scratch.clone();
    record.criteria[0].name = "statements".to_owned();
    assert_eq!(record.digest_of_format_1(), scratch.digest_of_format_1());
}

#[test]
fn inconsistent_records_are_refused() {
    type Edit = fn(&mut Value);
    let edits: [(Edit, &str); 6] = [
        (|record| record["format"] = json!(3), "record of format 3: this build reads formats 1"),
        (|record| record["timeline"][0]["work"] = json!([1]), "amounts for 1 of 2 units"),
        (|record| record["criteria"][0]["covered"] = json!([3, 0]), "do not ascend"),
        (|record| record["criteria"][0]["covered"] = json!([3, 3]), "covered twice"),
        (
            |record| record["criteria"][1]["covered"] = json!([9]),
            "goal 9 is covered, but there are 9 goals",
        ),
        (|record| record["metrics"]["ratio"] = Value::Null, "Metric"),
    ];
    for (edit, expected) in edits {
        let mut json = serde_json::to_value(rich()).unwrap();
        edit(&mut json);
        let error = serde_json::from_value::<RunRecord>(json).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
    }
    let error = serde_json::from_str::<RunRecord>("{}").unwrap_err().to_string();
    assert!(error.contains("missing field `run`"), "{error}");
}

type Change<'c> = &'c dyn Fn(&mut RunRecord);

#[test]
fn an_implausible_record_is_refused() {
    let valid = || {
        let mut record = rich();
        record.work = [("calls".to_owned(), 90), ("allocations".to_owned(), 70)].into();
        record
    };
    assert_eq!(valid().check_bounds(), Ok(()));
    let refused = |change: Change<'_>| {
        let mut record = valid();
        change(&mut record);
        record.check_bounds().unwrap_err().to_string()
    };
    let bad: [(Change<'_>, &str); 13] = [
        (&|record| record.timeline[1].covered = 31, "timeline: 31 of 4 goals are"),
        (&|record| record.timeline[0].covered = 3, "timeline: coverage decreases"),
        (&|record| record.criteria[1].name = "branches".into(), "criteria: `branches` occurs"),
        (&|record| record.criteria[0].name = "\u{1b}c".into(), "criteria: a name with the char"),
        (&|record| record.reason = "x".repeat(1 << 20), "reason: a string of 1048576 bytes"),
        (&|record| record.resources.wall_ms = u64::MAX, "resources: 18446744073709551615 is more"),
        (&|record| record.resources.peak_rss_kib = 1 << 53, "resources: 9007199254740992 is more"),
        (&|record| _ = record.work.insert("steps".into(), u64::MAX), "work: 18446744073709551615"),
        (
            &|record| _ = record.artifacts.insert("../x".into(), String::new()),
            "artifacts: \"../x\"",
        ),
        (&|record| _ = record.logs.insert("../x".into(), String::new()), "logs: \"../x\""),
        (&|record| record.mutants[0].change = "x".repeat(1 << 20), "mutants: a string of 1048576"),
        (&|record| record.provenance.host = "x".repeat(300), "provenance: a string of 300 bytes"),
        (
            &|record| {
                let metrics = (0..5000).map(|n| (n.to_string(), 1.into()));
                record.metrics = metrics.collect();
            },
            "metrics: 5000 entries; the maximum is 4096",
        ),
    ];
    for (change, expected) in bad {
        let refused = refused(change);
        assert!(refused.starts_with(expected), "{refused}");
    }
}

#[test]
fn timelines_of_criteria_count_and_conditions_do_not() {
    let mut record = rich();
    let before = record.digest();
    record.resources.conditions = Some(Conditions {
        started_ms: 1_800_000_000_000,
        others_busy: Some(0.25),
        throttled: Some(3),
        ..Conditions::default()
    });
    assert_eq!(record.digest(), before);
    assert_eq!(record.check_bounds(), Ok(()));
    let name = record.criteria[1].name.clone();
    let point = TimelinePoint { work: record.timeline[0].work.clone(), wall_ms: 4, covered: 1 };
    record.timelines = [(name.clone(), vec![point])].into();
    let with_timelines = record.digest();
    assert_ne!(with_timelines, before);
    let json = serde_json::to_string(&record).unwrap();
    let again: RunRecord = serde_json::from_str(&json).unwrap();
    assert_eq!(again, record);
    record.timelines.get_mut(&name).unwrap()[0].wall_ms = 5;
    assert_eq!(record.digest(), with_timelines);

    let refused = |change: Change<'_>| {
        let mut record = record.clone();
        change(&mut record);
        record.check_bounds().unwrap_err().to_string()
    };
    let first = record.criteria[0].name.clone();
    let wrong: [(Change<'_>, &str); 4] = [
        (&|r| _ = r.timelines.insert(first.clone(), Vec::new()), "not a criterion after the first"),
        (&|r| r.timelines.get_mut(&name).unwrap()[0].covered = 99, "99 of "),
        (&|r| r.resources.conditions.as_mut().unwrap().steal = Some(1.5), "steal is 1.5"),
        (&|r| r.resources.conditions.as_mut().unwrap().mhz = Some(-1.0), "mhz is -1"),
    ];
    for (change, expected) in wrong {
        let error = refused(change);
        assert!(error.contains(expected), "{error}");
    }
}
