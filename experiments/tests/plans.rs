//! Tests the check of received plans.

use catherd_experiments::plan::check::{MAX_NAME_BYTES, MAX_RUNS, MAX_WALL_MS};
use catherd_experiments::{Engines, Plan};
use serde_json::{Value, json};

fn valid() -> Value {
    json!({
        "format": 2, "name": "games", "engine": "e/1", "subject": "kind",
        "algorithms": [{ "label": "a", "name": "a" }, { "label": "b", "name": "b" }],
        "seeds": [1, 2, 3], "budget": { "executions": 7 },
        "projects": [
            { "name": "p", "digest": "00".repeat(32) }, { "name": "q", "digest": "11".repeat(32) },
        ],
    })
}

fn check(plan: Value) -> Result<(), String> {
    let plan: Plan = serde_json::from_value(plan).unwrap();
    plan.check(&Engines::new()).map_err(|error| {
        assert!(!error.problem.advice().is_empty());
        error.to_string()
    })
}

#[test]
fn a_field_out_of_bounds_is_refused_by_name() {
    assert_eq!(check(valid()), Ok(()));
    let long = "x".repeat(1 << 20);
    let bad = [
        ("/format", json!(3), "format: the plan has version 3"),
        ("/name", json!(long), "name: 1048576 bytes are more than the maximum of 256"),
        ("/name", json!("a\u{1b}[2J"), "name: has the character '\\u{1b}'"),
        ("/name", json!(" "), "name: is empty"),
        ("/subject", json!("k\n"), "subject: has the character '\\n'"),
        ("/engine", json!(""), "engine: is empty"),
        ("/algorithms", json!([]), "algorithms: is empty"),
        ("/algorithms/1/label", json!("a"), "algorithms.1: is the same as algorithms.0"),
        ("/algorithms/1/name", json!("a"), "algorithms.1: is the same as algorithms.0"),
        ("/algorithms/1/label", json!("\u{202e}b"), "algorithms.1.label: has the character"),
        ("/seeds", json!([]), "seeds: is empty"),
        ("/seeds", json!([1, 1]), "seeds.1: is the same as an earlier seed"),
        ("/seeds", json!([u64::MAX]), "seeds.0: 18446744073709551615 is not between 0 and"),
        ("/budget", json!({}), "budget: is empty"),
        ("/budget", json!({ "executions": 0 }), "budget.executions: 0 is not between 1 and"),
        ("/budget", json!({ "executions": 1_u64 << 53 }), "budget.executions: 9007199254740992"),
        ("/budget", json!({ "wall_ms": MAX_WALL_MS + 1 }), "budget.wall_ms: 31622400001"),
        ("/budget", json!({ "a\tb": 1 }), "budget: has the character '\\t'"),
        ("/projects", json!([]), "projects: is empty"),
        ("/projects/1/name", json!(long), "projects.1.name: 1048576 bytes"),
        ("/projects/1/digest", json!("00".repeat(32)), "projects.1: is the same as projects.0"),
    ];
    for (field, value, expected) in bad {
        let mut plan = valid();
        *plan.pointer_mut(field).unwrap() = value;
        let refused = check(plan).unwrap_err();
        assert!(refused.starts_with(expected), "{field}: {refused}");
    }
    for (key, value, expected) in [
        ("mutation", json!({ "sample": 0 }), "mutation.sample: 0 is not between 1 and"),
        ("mutation", json!({ "operators": [long] }), "mutation.operators: 1048576 bytes"),
        ("race", json!({ "level": 1.5, "first": 3, "every": 1 }), "race.level: 1.5"),
        (
            "race",
            json!({ "level": 0.5, "first": 1, "every": 1 }),
            "race.first: 1 is not between 2 and",
        ),
    ] {
        let mut plan = valid();
        plan[key] = value;
        let refused = check(plan).unwrap_err();
        assert!(refused.starts_with(expected), "{key}: {refused}");
    }
}

/// The runs are counted without being generated.
#[test]
#[ignore = "slow"]
fn the_number_of_runs_is_bounded() {
    let with_runs = |seeds: u64| {
        let mut plan = valid();
        plan["seeds"] = (0..seeds).collect();
        check(plan)
    };
    assert_eq!(with_runs(MAX_RUNS / 4), Ok(()));
    let refused = with_runs(MAX_RUNS / 4 + 1).unwrap_err();
    assert_eq!(refused, "runs: 10000004 are more than the maximum of 10000000");

    let mut huge = valid();
    huge["seeds"] = (0..250_000).collect();
    huge["algorithms"][0]["parameters"] = json!({ "text": "x".repeat(60_000) });
    let refused = check(huge).unwrap_err();
    assert!(refused.starts_with("runs, bytes of their specifications: 60"), "{refused}");
    const { assert!(MAX_NAME_BYTES == 256) };
}
