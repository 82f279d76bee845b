//! Tests of inferring the environment of a recording.

use std::path::Path;
use std::sync::Arc;

use catherd_scratch_conformance::{Devices, Replay, Trace, replay_best};
use catherd_scratch_sb3::Project;
use catherd_scratch_vm::Program;
use serde_json::{Value, json};

/// A project with one script on the stage: `when flag clicked, forever { set v to REPORTER }`.
fn project(folder: &Path, reporter: Value) -> Project {
    let costume = json!({"name": "c", "dataFormat": "svg", "assetId": "c"});
    let block = |opcode: &str, next: Value, parent: Value, inputs: Value, fields: Value| {
        let top = parent.is_null();
        json!({"opcode": opcode, "next": next, "parent": parent, "inputs": inputs,
            "fields": fields, "shadow": false, "topLevel": top})
    };
    let mut reporter = reporter;
    reporter["parent"] = json!("set");
    let blocks = json!({
        "flag": block("event_whenflagclicked", json!("loop"), Value::Null, json!({}), json!({})),
        "loop": block("control_forever", Value::Null, json!("flag"),
            json!({"SUBSTACK": [2, "set"]}), json!({})),
        "set": block("data_setvariableto", Value::Null, json!("loop"),
            json!({"VALUE": [3, "now", [10, "0"]]}), json!({"VARIABLE": ["v", "v"]})),
        "now": reporter,
    });
    let stage = json!({"isStage": true, "name": "Stage", "variables": {"v": ["v", 0]},
        "lists": {}, "broadcasts": {}, "blocks": blocks, "currentCostume": 0,
        "costumes": [costume], "sounds": [], "layerOrder": 0});
    let file = json!({"targets": [stage], "meta": {"semver": "3.0.0"}});
    std::fs::write(folder.join("project.json"), file.to_string()).unwrap();
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#;
    std::fs::write(folder.join("c.svg"), svg).unwrap();
    Project::read(folder).unwrap()
}

fn reporter(opcode: &str, fields: Value) -> Value {
    json!({"opcode": opcode, "next": null, "inputs": {}, "fields": fields, "shadow": false,
        "topLevel": false})
}

/// A recording in which the variable has these values after the steps 0, 1, 2, ...
fn recording(values: &[Value], inputs: Value) -> Trace {
    let stage = json!({"n": "Stage", "x": 0, "y": 0, "vars": {"v": values[0]}});
    let mut states = vec![json!({"threads": 1, "ts": [stage]})];
    states.extend(values[1..].iter().map(|v| json!({"ch": {"0": {"vars": {"v": v}}}})));
    let covered: Vec<_> = ["flag", "loop", "set"].iter().map(|b| format!("{b}-Stage")).collect();
    serde_json::from_value(json!({"project": "p", "sha256": "", "steps": states.len() - 1,
        "seed": 1, "inputs": inputs, "covered": covered, "trace": states}))
    .unwrap()
}

fn replay(reporter: Value, trace: &Trace, devices: &[Devices]) -> Replay {
    let folder = tempfile::tempdir().unwrap();
    let project = project(folder.path(), reporter);
    let program = Arc::new(Program::compile(&project).unwrap());
    replay_best(trace, &project, &program, devices)
}

/// Days since 2000 on a clock that shows these milliseconds after a fixed time.
fn days(readings: &[f64]) -> Vec<Value> {
    let day = 86_400_000.0;
    let at = |ms: &f64| json!((9_000.0 * day + 12_345.0 + ms) / day);
    [json!(0)].into_iter().chain(readings.iter().map(at)).collect()
}

#[test]
fn a_clock_is_inferred_from_the_recording() {
    let trace = recording(&days(&[0.0, 1500.0, 3000.0, 3000.0, 4500.0]), json!([]));
    let result = replay(reporter("sensing_dayssince2000", json!({})), &trace, &[]);
    assert!(result.is_identical(), "{:?}", result.divergence);
    // Days are compared with a relative tolerance of 1e-9, which is 0.8 s.
    let elapsed = result.environment.elapsed.unwrap();
    assert!((elapsed - 4500.0).abs() < 800.0, "{elapsed}");
}

#[test]
fn a_clock_that_runs_backwards_is_a_difference() {
    let trace = recording(&days(&[0.0, 1500.0, 3000.0, 1000.0]), json!([]));
    let result = replay(reporter("sensing_dayssince2000", json!({})), &trace, &[]);
    assert_eq!(result.divergence.unwrap().step, 4);
}

#[test]
fn no_clock_explains_a_value_that_does_not_depend_on_it() {
    let mut values = days(&[0.0, 10.0, 20.0]);
    values[2] = json!("something else");
    let trace = recording(&values, json!([]));
    let result = replay(reporter("sensing_dayssince2000", json!({})), &trace, &[]);
    assert_eq!(result.divergence.unwrap().step, 2);
}

#[test]
fn the_time_of_day_is_taken_from_the_values_shown() {
    let minute = reporter("sensing_current", json!({"CURRENTMENU": ["MINUTE", null]}));
    let values = [0, 47, 47, 48].map(|v| json!(v));
    let result = replay(minute, &recording(&values, json!([])), &[]);
    assert_eq!(result.divergence.unwrap().step, 3, "no step lasts a minute");
    let second = reporter("sensing_current", json!({"CURRENTMENU": ["SECOND", null]}));
    let result = replay(second, &recording(&values, json!([])), &[]);
    assert!(result.is_identical(), "{:?}", result.divergence);
}

#[test]
fn devices_start_as_another_recording_left_them() {
    let mouse = |x: f64| json!([{"step": 1, "events": [{"t": "mouse", "x": x, "y": 7}]}]);
    let others = [30.0, 40.0].map(|x| Devices::default().after(&recording(&[json!(0)], mouse(x))));
    let trace = recording(&[0, 40, 40].map(|v| json!(v)), json!([]));
    let mouse_x = || reporter("sensing_mousex", json!({}));
    let result = replay(mouse_x(), &trace, &others);
    assert!(result.is_identical(), "{:?}", result.divergence);
    assert_eq!(result.environment.to_string(), "mouse at (40, 7)");
    assert!(!replay(mouse_x(), &trace, &others[..1]).is_identical());
}
