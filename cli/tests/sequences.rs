//! `catherd sequences` through the binary.

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{catherd, stderr};

fn run(folder: &Path, arguments: &[&str]) -> Output {
    catherd().current_dir(folder).arg("sequences").args(arguments).output().unwrap()
}

fn succeed(folder: &Path, arguments: &[&str]) -> String {
    let output = run(folder, arguments);
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

fn json(folder: &Path, arguments: &[&str]) -> Value {
    serde_json::from_str(&succeed(folder, arguments)).unwrap()
}

#[test]
fn plain_lists_of_events_need_no_model() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    fs::write(folder.join("log.txt"), "a, b, c\nc b a\na, b\n").unwrap();
    let criterion = ["--criterion", "subsequence:2"];
    let shown = succeed(folder, &[&["coverage", "log.txt", "--missing"][..], &criterion].concat());
    assert_eq!(shown, "subsequence:2: 6 of 9 items (66.7 %), bound 9\n- a, a\n- b, b\n- c, c\n");
    let suite =
        succeed(folder, &[&["generate", "log.txt", "--until", "100%"][..], &criterion].concat());
    assert_eq!(suite, "a, b, c\nc, b, a\n");
    let all = ["generate", "--events", "a,b,c,d", "--criterion", "subsequence:3 distinct"];
    let suite = succeed(folder, &[&all[..], &["--until", "100%"]].concat());
    assert!((6..=8).contains(&suite.lines().count()), "{suite}");
}

#[test]
fn the_states_of_the_published_model_are_counted() {
    let place = tempfile::tempdir().unwrap();
    let counts = json(place.path(), &["space", "builtin:moodle", "--json"]);
    for (member, expected) in [("threads", 3), ("events", 22), ("states", 103), ("edges", 195)] {
        assert_eq!(counts[member], expected, "{member}");
    }
    assert_eq!(counts["prefixes"], "33489");
    assert_eq!(counts["maximal_traces"], "9922");
    let truncated = run(place.path(), &["space", "builtin:abp", "--limit", "100"]);
    assert_eq!(truncated.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&truncated.stdout).contains("100 and more"));
}

#[test]
fn a_suite_is_made_measured_executed_and_judged() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let criterion = ["--criterion", "consecutive:2"];
    let make = ["generate", "builtin:abp", "--size", "20", "-o", "suite.json"];
    succeed(folder, &[&make[..], &criterion].concat());
    let measured = json(
        folder,
        &[&["coverage", "builtin:abp", "suite.json", "--json"][..], &criterion].concat(),
    );
    assert_eq!((&measured["reachable"], &measured["bound"]), (&101.into(), &121.into()));
    assert!(measured["rank"].as_u64().unwrap() >= 90, "{measured}");

    let test = ["test", "builtin:abp", "suite.json", "--system", "abp"];
    let passed = succeed(folder, &test);
    assert_eq!(passed.lines().filter(|line| line.starts_with("ok ")).count(), 20, "{passed}");
    let faulty = run(folder, &[&test[..], &["--bug", "abp-2", "--shrink"]].concat());
    assert_eq!(faulty.status.code(), Some(2), "{}", stderr(&faulty));
    let shown = String::from_utf8(faulty.stdout).unwrap();
    assert!(shown.contains("not ok "), "{shown}");
    assert!(shown.contains("  shortest: send, "), "{shown}");

    fs::write(folder.join("results.csv"), "result,test\nfailed,send,rAck\npassed,send\n").unwrap();
    let risk = json(folder, &["risk", "builtin:abp", "results.csv", "--next", "3", "--json"]);
    assert_eq!(risk["tests"], 2);
    assert_eq!(risk["items"][0]["item"], "send, rAck");
    assert_eq!(risk["next"].as_array().unwrap().len(), 3);
}

#[test]
fn the_table_form_is_a_model_again() {
    let place = tempfile::tempdir().unwrap();
    let table = succeed(place.path(), &["compile", "builtin:vault"]);
    fs::write(place.path().join("vault.bp.json"), table).unwrap();
    let counts = json(place.path(), &["space", "vault.bp.json", "--json"]);
    assert_eq!((&counts["states"], &counts["edges"]), (&8.into(), &46.into()));
    assert_eq!(succeed(place.path(), &["walk", "builtin:vault", "-n", "3"]).lines().count(), 3);
}

#[test]
fn mistakes_are_named_with_their_place() {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("m.bp"), "events a\nthread t { request b }\n").unwrap();
    let output = run(place.path(), &["check", "m.bp"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("m.bp:2:20: unknown event `b`"), "{}", stderr(&output));
    let output = run(place.path(), &["coverage", "builtin:abp", "m.bp", "--criterion", "pairs"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("unknown criterion `pairs`"), "{}", stderr(&output));
}

#[test]
fn worked_examples_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let example = |rank: u32| {
        format!(
            "{{\"id\": \"x\", \"kind\": \"items\", \"input\": {{\"test\": [\"a\", \"b\"], \
             \"criterion\": \"subsequence\", \"t\": 2}}, \"expect\": {{\"rank\": {rank}}}}}\n"
        )
    };
    fs::write(place.path().join("right.jsonl"), example(1)).unwrap();
    let right = succeed(place.path(), &["examples", "right.jsonl"]);
    assert_eq!(right, "1 of 1 examples are equal\n");
    fs::write(place.path().join("wrong.jsonl"), example(2)).unwrap();
    let wrong = run(place.path(), &["examples", "wrong.jsonl"]);
    assert_eq!(wrong.status.code(), Some(4));
    assert!(String::from_utf8_lossy(&wrong.stdout).contains("x: rank: expected 2, found 1"));
}
