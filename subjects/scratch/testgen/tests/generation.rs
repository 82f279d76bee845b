//! Tests of generation through the public interface, with projects that are defined here.

use std::ops::ControlFlow;

use catherd_scratch_sb3::Project;
use catherd_scratch_suite::{Suite, SuiteError, SuiteEvent, measure_coverage};
use catherd_scratch_testgen::{End, Generated, GenerationSettings, Prepared, Request, generate};
use catherd_search::{Budget, Setting, Stop};
use serde_json::{Value, json};

fn block(opcode: &str, parent: Option<&str>, next: Option<&str>, rest: Value) -> Value {
    let mut block = json!({
        "opcode": opcode, "parent": parent, "next": next, "inputs": {}, "fields": {},
        "shadow": false, "topLevel": parent.is_none(),
    });
    for (key, value) in rest.as_object().unwrap() {
        block[key] = value.clone();
    }
    block
}

fn read(stage: Value, cat: Value) -> Project {
    let target = |name: &str, blocks: Value| {
        json!({
            "isStage": name == "Stage", "name": name, "variables": {}, "lists": {},
            "broadcasts": {}, "blocks": blocks, "comments": {}, "currentCostume": 0,
            "costumes": [], "sounds": [], "volume": 100, "layerOrder": 0, "visible": true,
            "x": 0, "y": 0, "size": 100, "direction": 90, "draggable": false,
            "rotationStyle": "all around", "tempo": 60,
        })
    };
    let project = json!({
        "targets": [target("Stage", stage), target("Cat", cat)],
        "monitors": [], "extensions": [], "meta": { "semver": "3.0.0" },
    });
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("project.json"), project.to_string()).unwrap();
    Project::read(folder.path()).unwrap()
}

/// A project with the scripts `when flag: wait 2 seconds, say` and `when key x: forever if mouse
/// down: show`, and a condition that is never true.
fn project() -> Project {
    let cat = json!({
        "flag": block("event_whenflagclicked", None, Some("wait"), json!({})),
        "wait": block("control_wait", Some("flag"), Some("say"),
            json!({ "inputs": { "DURATION": [1, [5, "2"]] } })),
        "say": block("looks_say", Some("wait"), Some("never"),
            json!({ "inputs": { "MESSAGE": [1, [10, "hi"]] } })),
        "never": block("control_if", Some("say"), None,
            json!({ "inputs": { "CONDITION": [2, "less"], "SUBSTACK": [2, "hide"] } })),
        "less": block("operator_lt", Some("never"), None,
            json!({ "inputs": { "OPERAND1": [1, [4, "2"]], "OPERAND2": [1, [4, "1"]] } })),
        "hide": block("looks_hide", Some("never"), None, json!({})),
        "key": block("event_whenkeypressed", None, Some("forever"),
            json!({ "fields": { "KEY_OPTION": ["x", null] } })),
        "forever": block("control_forever", Some("key"), None,
            json!({ "inputs": { "SUBSTACK": [2, "if"] } })),
        "if": block("control_if", Some("forever"), None,
            json!({ "inputs": { "CONDITION": [2, "mouse"], "SUBSTACK": [2, "show"] } })),
        "mouse": block("sensing_mousedown", Some("if"), None, json!({})),
        "show": block("looks_show", Some("if"), None, json!({})),
    });
    read(json!({}), cat)
}

const REACHABLE: usize = 8;

fn budget(executions: u64) -> Budget {
    Budget { executions: Some(executions), ..Budget::default() }
}

fn run(prepared: &std::sync::Arc<Prepared>, algorithm: &str, seed: u64) -> Generated {
    let request = Request::new(algorithm, &[], seed, budget(200)).unwrap();
    prepared.generate(&request, |_| ControlFlow::Continue(()))
}

/// The goals that each test of a suite covers when it is executed without the generator.
fn coverage(
    prepared: &Prepared,
    suite: &Suite,
    max_steps: u64,
) -> Result<Vec<Vec<u32>>, SuiteError> {
    measure_coverage(suite, prepared.program(), prepared.model().goals(), max_steps)
}

#[test]
fn every_algorithm_covers_all_reachable_goals_with_a_suite_that_repeats_it() {
    let project = project();
    let prepared = Prepared::new(&project, GenerationSettings::default()).unwrap();
    for algorithm in catherd_search::Algorithm::NAMES {
        let generated = run(&prepared, algorithm, 3);
        assert_eq!(generated.goals, 9, "{algorithm}");
        assert_eq!(generated.covered.len(), REACHABLE, "{algorithm}");
        assert_eq!(generated.end, End::Search(Stop::Executions), "{algorithm}");
        assert_eq!(generated.counts.executions, 200, "{algorithm}");
        assert!(generated.unstable.is_empty(), "{algorithm}");
        assert_eq!(generated.timeline.last().unwrap().covered, REACHABLE);
        // The suite covers the same goals as the search, and covers them again when it is replayed.
        let replayed = coverage(&prepared, &generated.suite, 100_000).unwrap();
        let promised: Vec<_> = generated.suite.tests.iter().map(|t| t.covers.clone()).collect();
        assert_eq!(replayed, promised, "{algorithm}");
        let mut together = replayed.concat();
        together.sort_unstable();
        together.dedup();
        assert_eq!(together, generated.covered, "{algorithm}");
    }
}

#[test]
fn a_run_is_a_function_of_its_seed() {
    let prepared = Prepared::new(&project(), GenerationSettings::default()).unwrap();
    for algorithm in ["random", "mosa", "mio"] {
        let (first, again) = (run(&prepared, algorithm, 5), run(&prepared, algorithm, 5));
        assert_eq!(first.suite.to_json(), again.suite.to_json());
        assert_eq!(first.counts, again.counts);
        let points = |g: &Generated| -> Vec<_> {
            g.timeline.iter().map(|p| (p.executions, p.steps, p.covered)).collect()
        };
        assert_eq!(points(&first), points(&again));
        assert_ne!(first.counts.steps, run(&prepared, algorithm, 6).counts.steps);
    }
}

#[test]
fn minimised_suites_have_no_unneeded_event() {
    let generated =
        run(&Prepared::new(&project(), GenerationSettings::default()).unwrap(), "mio", 1);
    // Only a wait of 60 steps, the key and the mouse button are needed.
    assert!(generated.suite.events() <= 3, "{}", generated.suite.to_json());
    assert_eq!(generated.counts.suite_events, generated.suite.events());
    let unminimised = GenerationSettings { minimise: false, ..GenerationSettings::default() };
    let generated = run(&Prepared::new(&project(), unminimised).unwrap(), "random", 1);
    assert!(generated.suite.events() > 3);
    assert_eq!(generated.counts.minimisation_executions, 0);
}

#[test]
fn suites_survive_their_file() {
    let project = project();
    let settings = GenerationSettings::default();
    let request = Request::new("mosa", &[("population", 10.0.into())], 7, budget(50)).unwrap();
    let generated = generate(&project, settings, &request, |_| ControlFlow::Continue(())).unwrap();
    let suite = Suite::from_json(&generated.suite.to_json()).unwrap();
    assert_eq!(suite, generated.suite);
    let other = Suite { goals: 1, ..suite };
    let prepared = Prepared::new(&project, GenerationSettings::default()).unwrap();
    let error = coverage(&prepared, &other, u64::MAX).unwrap_err();
    assert!(matches!(error, SuiteError::Goals { suite: 1, project: 9 }));
    let mut endless = generated.suite;
    endless.tests[0].events.push(SuiteEvent::Wait { steps: 1_000_000_000 });
    let error = coverage(&prepared, &endless, 100_000).unwrap_err();
    assert!(matches!(error, SuiteError::Steps { test: 0, most: 100_000, .. }));
}

#[test]
fn the_progress_callback_may_end_a_search() {
    let prepared = Prepared::new(&project(), GenerationSettings::default()).unwrap();
    let request = Request::new("random", &[], 1, Budget::default()).unwrap();
    let generated = prepared.generate(&request, |progress| {
        if progress.meter.executions() < 5 {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    assert_eq!(generated.end, End::Search(Stop::Cancelled));
    assert_eq!(generated.counts.executions, 5);
    assert!(generated.suite.tests.len() <= 5);
}

#[test]
fn projects_without_goals_or_input_are_not_searched() {
    let request = Request::new("mio", &[], 1, budget(10)).unwrap();
    let run = |cat| {
        generate(&read(json!({}), cat), GenerationSettings::default(), &request, |_| {
            panic!("nothing is searched")
        })
        .unwrap()
    };
    let empty = run(json!({}));
    assert_eq!((empty.end, empty.goals, empty.suite.tests.len()), (End::NothingToCover, 0, 0));
    // A receiver that starts only when it sends its own message is dead code, but its blocks are
    // goals.
    let message = json!({ "inputs": { "BROADCAST_INPUT": [1, [11, "go", "go"]] } });
    let deaf = run(json!({
        "hat": block("event_whenbroadcastreceived", None, Some("send"),
            json!({ "fields": { "BROADCAST_OPTION": ["go", "go"] } })),
        "send": block("event_broadcast", Some("hat"), None, message),
    }));
    assert_eq!((deaf.end, deaf.goals, deaf.covered.len()), (End::NoInput, 2, 0));
}

#[test]
fn errors_name_what_is_unknown_or_not_allowed() {
    let error = |algorithm, parameters: &[(&str, Setting<'_>)]| {
        Request::new(algorithm, parameters, 1, budget(1)).unwrap_err().to_string()
    };
    assert_eq!(error("tabu", &[]), "unknown algorithm `tabu`");
    assert_eq!(error("mosa", &[("size", 3.0.into())]), "unknown parameter `size`");
    assert!(error("mosa", &[("crossover", 3.0.into())]).contains("from 0 to 1"));
}
