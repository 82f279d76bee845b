//! Tests further commands of `catherd sequences`.

use std::fs;

use crate::support::{catherd, json, sequences, stderr, succeed};
use serde_json::Value;

/// An adapter of a login that never locks accounts. The adapter also names the goals that are
/// reached.
const ADAPTER: &str = r#"
while read -r line; do
    case $line in
        *reset*) tries=0; echo '{"ok": true}' ;;
        *wrong*) tries=$((tries + 1)); echo "{\"ok\": true, \"coverage\": [\"wrong\", $tries]}" ;;
        *lock*) echo '{"ok": false, "why": "the account is open"}' ;;
        *) echo '{"ok": true, "coverage": ["other"]}' ;;
    esac
done
"#;

const LOGIN: &str = r#"model login
events open, right, wrong, logout, lock
data tries: 0..2 = 0
on wrong { tries = tries + 1 }
on right { tries = 0 }
thread user { loop { request open  let e = request right | wrong
                     if e == right { request logout } } }
thread locked when tries == 2 { request lock, block not lock  block all }
requirement "R1 lock": lock
requirement "R2 retry": wrong, open, right
requirement entry: open | right
"#;

fn login() -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    fs::write(place.path().join("login.bp"), LOGIN).unwrap();
    fs::write(place.path().join("adapter.sh"), ADAPTER).unwrap();
    let tests = "open, right, logout\nopen, wrong, open, right\nopen, wrong, open, wrong, lock\n";
    fs::write(place.path().join("tests.txt"), tests).unwrap();
    place
}

#[test]
fn requirements_are_listed_with_the_tests_that_contain_them() {
    let place = login();
    let folder = place.path();
    let words = ["coverage", "login.bp", "tests.txt", "--criterion", "consecutive:2"];
    let shown = succeed(folder, &words);
    let lines: Vec<&str> = shown.lines().skip(1).collect();
    assert_eq!(
        lines,
        [
            "requirement R1 lock: 1 test, the first is 3",
            "requirement R2 retry: 1 test, the first is 2",
            "requirement entry: 3 tests, the first is 1",
        ]
    );
    // The tables contain the requirements, and all alternative events of a position.
    fs::write(folder.join("login.bp.json"), succeed(folder, &["compile", "login.bp"])).unwrap();
    let words =
        ["coverage", "login.bp.json", "tests.txt", "--criterion", "consecutive:2", "--json"];
    let value = json(folder, &words);
    assert_eq!(value["requirements"][2]["name"], "entry");
    assert_eq!(value["requirements"][2]["tests"], 3);
    fs::write(folder.join("none.txt"), "open, wrong\n").unwrap();
    let words = ["coverage", "login.bp", "none.txt", "--criterion", "consecutive:2"];
    assert!(succeed(folder, &words).contains("requirement R1 lock: no test\n"));
    let twice = LOGIN.to_owned() + "requirement entry: lock\n";
    fs::write(folder.join("twice.bp"), twice).unwrap();
    let refused = sequences(folder, &["check", "twice.bp"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("a second requirement named `entry`"),
        "{}",
        stderr(&refused)
    );
}

#[test]
fn requirements_of_graphwalker_come_from_edges_and_vertices() {
    let place = tempfile::tempdir().unwrap();
    let graph = r#"{"models": [{"name": "door", "startElementId": "closed",
        "vertices": [{"id": "closed"}, {"id": "opened", "requirements": ["REQ-1"]}],
        "edges": [{"id": "e1", "name": "open", "sourceVertexId": "closed", "targetVertexId": "opened"},
                  {"id": "e2", "name": "close", "sourceVertexId": "opened", "targetVertexId": "closed",
                   "requirements": ["REQ-2"]}]}]}"#;
    fs::write(place.path().join("door.json"), graph).unwrap();
    fs::write(place.path().join("tests.txt"), "open\n").unwrap();
    let words = [
        "coverage",
        "graphwalker:door.json",
        "tests.txt",
        "--criterion",
        "consecutive:1",
        "--json",
    ];
    let value = json(place.path(), &words);
    let of = |at: usize| {
        (value["requirements"][at]["name"].as_str(), &value["requirements"][at]["tests"])
    };
    assert_eq!(of(0), (Some("REQ-1"), &1.into()));
    assert_eq!(of(1), (Some("REQ-2"), &0.into()));
}

#[test]
fn coverage_is_drawn() {
    let place = login();
    let folder = place.path();
    let words = ["coverage", "login.bp", "tests.txt", "--criterion", "consecutive:2"];
    succeed(folder, &[&words[..], &["--svg", "c.svg", "--dot", "c.dot"]].concat());
    let svg = fs::read_to_string(folder.join("c.svg")).unwrap();
    // The criterion has 25 words; "open, right" occurs in two tests, and "lock, open" in no trace.
    assert_eq!(svg.matches("<rect").count(), 1 + 25 + 6);
    assert!(svg.contains("<title>open, right: 2 tests</title>"));
    assert!(svg.contains("<title>lock, open: unreachable</title>"));
    assert!(svg.contains("<title>logout, open: not covered</title>"));
    let dot = fs::read_to_string(folder.join("c.dot")).unwrap();
    assert!(dot.contains("label=\"lock (1)\" penwidth=2"), "{dot}");
    assert!(!dot.contains("style=dashed"), "{dot}");
    fs::write(folder.join("one.txt"), "open, wrong\n").unwrap();
    let one = ["coverage", "login.bp", "one.txt", "--criterion", "transitions", "--dot", "c.dot"];
    succeed(folder, &one);
    let dot = fs::read_to_string(folder.join("c.dot")).unwrap();
    assert!(dot.contains("label=\"lock\" style=dashed"), "{dot}");
    let large =
        ["coverage", "login.bp", "tests.txt", "--criterion", "consecutive:9", "--svg", "l.svg"];
    let refused = sequences(folder, &large);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("too many items for a picture"), "{}", stderr(&refused));
    let log = ["coverage", "tests.txt", "--criterion", "consecutive:2", "--dot", "l.dot"];
    assert!(stderr(&sequences(folder, &log)).contains("only a model has states"));
}

#[test]
#[cfg(unix)]
fn failing_tests_are_kept_and_executed_first_until_they_pass() {
    let place = login();
    let folder = place.path();
    let command = |adapter: &str| format!("sh {adapter}");
    let words = |adapter: &'static str, more: &[&'static str]| -> Vec<String> {
        let fixed =
            ["test", "login.bp", "tests.txt", "--failures", "kept.json", "--json", "--command"];
        let fixed = fixed.iter().map(|&word| word.to_owned());
        fixed.chain([command(adapter)]).chain(more.iter().map(|&word| word.to_owned())).collect()
    };
    let test = |adapter: &'static str, more: &[&'static str]| -> (Option<i32>, Value) {
        let words = words(adapter, more);
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let output = sequences(folder, &words);
        let value = serde_json::from_slice(&output.stdout);
        (output.status.code(), value.unwrap_or_else(|_| panic!("{}", stderr(&output))))
    };
    let (code, first) = test("adapter.sh", &["--shrink"]);
    assert_eq!((code, &first["failed"], &first["tests"]), (Some(2), &1.into(), &3.into()));
    // Goals of the system: "other", "wrong", and the number of wrong passwords.
    let goals: Vec<_> = first["system_goals"].as_array().unwrap().iter().collect();
    let names: Vec<_> = goals.iter().map(|goal| goal["goal"].as_str().unwrap()).collect();
    assert_eq!(names, ["1", "2", "other", "wrong"]);
    assert_eq!((&goals[3]["tests"], &goals[3]["first"]), (&2.into(), &2.into()));
    assert_eq!(first["results"][2]["new_goals"], 1);
    let kept = fs::read_to_string(folder.join("kept.json")).unwrap();
    assert_eq!(kept, "[\n[\"open\",\"wrong\",\"open\",\"wrong\",\"lock\"]\n]\n");

    fs::write(folder.join("tests.txt"), "open, right, logout\n").unwrap();
    let (code, again) = test("adapter.sh", &[]);
    assert_eq!((code, &again["tests"]), (Some(2), &2.into()));
    assert_eq!(again["results"][0]["outcome"], "failed");
    assert_eq!(fs::read_to_string(folder.join("kept.json")).unwrap(), kept);

    fs::write(folder.join("mended.sh"), ADAPTER.replace("\"ok\": false", "\"ok\": true")).unwrap();
    let (code, mended) = test("mended.sh", &[]);
    assert_eq!((code, &mended["tests"]), (Some(0), &2.into()));
    let (code, last) = test("mended.sh", &[]);
    assert_eq!((code, &last["tests"]), (Some(0), &1.into()));
}

#[test]
fn a_partition_makes_risk_a_probability_and_changes_forget_results() {
    let place = login();
    let folder = place.path();
    let results = "failed,open,wrong,open,wrong,lock\npassed,open,right,logout\n";
    fs::write(folder.join("results.csv"), results).unwrap();
    fs::write(folder.join("usage.txt"), "open, right, logout\nopen, right, logout\n").unwrap();
    let risk = |more: &[&str]| -> Value {
        json(folder, &[&["risk", "login.bp", "results.csv", "--json"], more].concat())
    };
    let plain = risk(&[]);
    assert_eq!(plain["is_probability"], false);
    for how in ["first", "atoms"] {
        // All uses are in the class of the test that passed, whose risk with the prior is one
        // third.
        let value = risk(&["--partition", how, "--profile", "usage.txt"]);
        assert_eq!(value["is_probability"], true);
        let risk = value["risk"].as_f64().unwrap();
        assert!((risk - 1.0 / 3.0).abs() < 1e-12, "{how}: {value}");
    }
    // The profile of walks sums to 1, so the risk is between the smallest and the largest mean.
    let walks = risk(&["--partition", "atoms", "--next", "2"]);
    assert!((0.3..=0.7).contains(&walks["risk"].as_f64().unwrap()), "{walks}");
    assert_eq!(walks["next"].as_array().unwrap().len(), 2);

    fs::write(folder.join("results.csv"), format!("{results}changed\n")).unwrap();
    let mean = |value: &Value, name: &str| -> f64 {
        let items = value["items"].as_array().unwrap();
        items.iter().find(|item| item["item"] == name).unwrap()["mean"].as_f64().unwrap()
    };
    assert!((mean(&risk(&[]), "wrong, lock") - 0.5).abs() < 1e-12);
    assert!((mean(&risk(&["--decay", "0.5"]), "wrong, lock") - 1.5 / 2.5).abs() < 1e-12);
    assert!((mean(&risk(&["--decay", "1"]), "wrong, lock") - 2.0 / 3.0).abs() < 1e-12);
    let refused = sequences(folder, &["risk", "login.bp", "results.csv", "--decay", "2"]);
    assert!(stderr(&refused).contains("--decay: `2` is not a share"), "{}", stderr(&refused));
}

#[test]
#[ignore = "slow"]
fn synthetic_models_are_written_and_studied_and_faults_are_mutants() {
    let place = tempfile::tempdir().unwrap();
    let folder = place.path();
    let shape = ["--threads", "3", "--events", "6", "--depth", "5"];
    succeed(folder, &[&["synth", "--count", "2", "-o", "models"], &shape[..]].concat());
    let checked = succeed(folder, &["check", "models/synthetic-1-1.bp", "models/synthetic-1-2.bp"]);
    assert_eq!(checked.lines().count(), 2, "{checked}");
    let refused = sequences(folder, &["synth", "--density", "NaN", "-o", "models"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(
        stderr(&refused).contains("give --density a number from 0 to 1"),
        "{}",
        stderr(&refused)
    );
    let refused = sequences(folder, &["synth", "--threads", "65", "-o", "models"]);
    assert!(stderr(&refused).contains("threads must be from 1 to 64"), "{}", stderr(&refused));

    let study = "subject = 'sequences'\nseeds = 2\nalgorithms = ['greedy']\n\
                 [budget]\nexecutions = 50\n[sequences]\npool = 500\n";
    let synthetic =
        "projects = { synthetic = { count = 2, seed = 1, threads = 3, events = 6, depth = 5 } }\n";
    fs::write(folder.join("synthetic.toml"), format!("{synthetic}{study}")).unwrap();
    let ran =
        catherd().current_dir(folder).args(["run", "synthetic.toml", "--out", "out"]).output();
    let ran = ran.unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let runs = fs::read_to_string(folder.join("out/runs.csv")).unwrap();
    assert_eq!(runs.lines().count(), 5, "{runs}");
    // The projects of the study are the models that the command has written.
    let projects = fs::read_to_string(folder.join("out/projects.csv")).unwrap();
    let text = fs::read(folder.join("models/synthetic-1-2.bp")).unwrap();
    assert!(projects.contains(&catherd_experiments::Digest::of(&text).to_string()), "{projects}");
    let wrong = synthetic.replace("threads = 3", "threads = 0.5");
    fs::write(folder.join("wrong.toml"), format!("{wrong}{study}")).unwrap();
    let refused = catherd().current_dir(folder).args(["run", "wrong.toml"]).output().unwrap();
    assert!(
        stderr(&refused).contains("threads is 0.5, not a whole number"),
        "{}",
        stderr(&refused)
    );

    let faults = "projects = ['builtin:abp', 'builtin:tcp-handshake']\nmutation = true\n";
    fs::write(folder.join("faults.toml"), format!("{faults}{study}")).unwrap();
    let ran =
        catherd().current_dir(folder).args(["run", "faults.toml", "--out", "faults"]).output();
    let ran = ran.unwrap();
    assert_eq!(ran.status.code(), Some(0), "{}", stderr(&ran));
    let mut mutants = csv::Reader::from_path(folder.join("faults/mutants.csv")).unwrap();
    let rows: Vec<std::collections::BTreeMap<String, String>> =
        mutants.deserialize().map(Result::unwrap).collect();
    // Each of the two runs of `builtin:abp` has four faults; the handshake has no system under test.
    assert_eq!(rows.len(), 8);
    let mut runs = csv::Reader::from_path(folder.join("faults/runs.csv")).unwrap();
    let runs: Vec<std::collections::BTreeMap<String, String>> =
        runs.deserialize().map(Result::unwrap).collect();
    for row in &rows {
        let run = runs.iter().find(|run| run["run"] == row["run"]).unwrap();
        let metrics: Value = serde_json::from_str(&run["metrics"]).unwrap();
        let detected = &metrics[&format!("detected.{}.replay", row["operator"])];
        assert_eq!(row["outcome"] == "killed", *detected == 1, "{row:?}: {metrics}");
    }
    assert!(rows.iter().any(|row| row["outcome"] == "killed"));
    fs::write(
        folder.join("faults.toml"),
        format!("{faults}{study}").replace("mutation = true\n", "") + "[mutation]\nsample = 2\n",
    )
    .unwrap();
    let refused = catherd().current_dir(folder).args(["run", "faults.toml"]).output().unwrap();
    assert!(stderr(&refused).contains("mutation.sample"), "{}", stderr(&refused));
}
