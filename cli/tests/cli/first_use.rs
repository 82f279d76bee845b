//! Tests features for first-time users.

use std::fs;
use std::path::Path;
use std::process::Output;

use crate::support::{catherd, digests, stderr, two_files, two_projects};
use serde_json::Value;
use tempfile::TempDir;

fn command(folder: &Path, words: &[&str]) -> Output {
    catherd().current_dir(folder).args(words).output().unwrap()
}

fn stdout(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

const QUICK: [&str; 8] =
    ["--projects", "games", "--algorithms", "random,mio", "--seeds", "2", "--executions", "20"];

#[test]
fn a_study_is_checked_and_estimated_without_being_run() {
    let place = TempDir::new().unwrap();
    two_projects(&place.path().join("games"));
    fs::write(place.path().join("games/broken.sb3"), "no archive").unwrap();
    let checked = command(place.path(), &[&["check"], &QUICK[..], &["--json"]].concat());
    assert_eq!(checked.status.code(), Some(2), "a project is skipped: {}", stderr(&checked));
    let found: Value = serde_json::from_str(&stdout(&checked)).unwrap();
    assert_eq!((&found["runs"], &found["projects"]), (&8.into(), &2.into()));
    assert!(found["core_hours"].as_f64().unwrap() > 0.0, "{found}");
    assert!(found["bytes"].as_f64().unwrap() > 1000.0, "{found}");
    assert_eq!(found["skipped"].as_array().unwrap().len(), 1);
    assert_eq!(found["enough_seeds"], false);

    let dry = command(place.path(), &[&["run"], &QUICK[..], &["--dry-run"]].concat());
    let text = stdout(&dry);
    assert!(text.contains("8 runs of kind scratch: 2 projects x 2 algorithms x 2 seeds"), "{text}");
    assert!(text.contains("core-hours") && text.contains("disk: about"), "{text}");
    let nothing = command(place.path(), &[&["check", "--no-sample"], &QUICK[..]].concat());
    assert!(stdout(&nothing).contains("cost: unknown"), "{}", stdout(&nothing));
    assert!(!place.path().join("results").exists());
}

#[test]
fn a_study_reports_events_and_starts_a_command_at_its_end() {
    let place = TempDir::new().unwrap();
    two_projects(&place.path().join("games"));
    let notify = "echo \"$CATHERD_STUDY $CATHERD_STATUS $CATHERD_RESULTS\" > told";
    let more = ["--json", "--notify-command", notify, "--name", "mine"];
    let output = command(place.path(), &[&["run"], &QUICK[..], &more].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let text = stdout(&output);
    let events: Vec<Value> =
        text.lines().map(|line| serde_json::from_str(line).expect(line)).collect();
    let (first, last) = (events.first().unwrap(), events.last().unwrap());
    assert_eq!((&first["event"], &first["runs"]), (&"started".into(), &8.into()));
    assert_eq!((&last["event"], &last["done"]), (&"finished".into(), &8.into()));
    assert!(events.iter().any(|event| event["event"] == "progress"), "{text}");
    let told = fs::read_to_string(place.path().join("told")).unwrap();
    assert_eq!(told, "mine finished results/mine\n");
}

#[test]
fn labels_order_and_subsets_of_a_study_execute_nothing_again() {
    let place = TempDir::new().unwrap();
    two_files(&place.path().join("files"));
    let study = |algorithms: &str, seeds: u64| {
        let text = format!(
            "subject = 'noop'\nprojects = ['files']\nseeds = {seeds}\nalgorithms = [{algorithms}]\n\
             budget = {{ executions = 4 }}\n"
        );
        fs::write(place.path().join("study.toml"), text).unwrap();
        let output = command(place.path(), &["run", "study.toml", "--out", "out"]);
        (output.status.code(), stderr(&output), stdout(&output))
    };
    assert_eq!(study("'calm', 'wild'", 3).0, Some(0));
    let before = digests(&place.path().join("out"));
    assert_eq!(before.len(), 12);
    let variants = [
        ("{ name = 'wild', label = 'Wild' }, { name = 'calm', label = 'Calm' }", 3, 12),
        ("{ name = 'calm', label = 'Calm' }", 3, 6),
        ("'calm', 'wild'", 1, 4),
        ("'calm', 'wild'", 3, 12),
    ];
    for (algorithms, seeds, runs) in variants {
        let (code, told, table) = study(algorithms, seeds);
        assert_eq!(code, Some(0), "{told}");
        assert!(
            told.contains(&format!("; {runs} of the runs ended earlier")),
            "{algorithms}: {told}"
        );
        let now = digests(&place.path().join("out"));
        assert!(
            now.len() == runs && now.iter().all(|(run, digest)| before.get(run) == Some(digest))
        );
        assert_eq!(table.contains("Calm "), algorithms.contains("Calm"), "{table}");
    }
    let (code, told, _) = study("'calm', 'other'", 3);
    assert_eq!(code, Some(1));
    assert!(
        told.contains("other algorithms: only it has wild, and only this one has other"),
        "{told}"
    );
}

#[test]
#[ignore = "slow"]
fn a_report_shows_some_algorithms_under_other_labels() {
    let place = TempDir::new().unwrap();
    two_projects(&place.path().join("games"));
    for name in ["one", "two"] {
        let output = command(place.path(), &[&["run", "--name", name], &QUICK[..]].concat());
        assert!(output.status.success(), "{}", stderr(&output));
    }
    let shown = ["--order", "mio", "--label", "mio=MIO", "--json", "--figures", "svg"];
    let output = command(place.path(), &[&["report", "results/one"], &shown[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(document["complete"], true);
    let table = fs::read_to_string(place.path().join("report/tables/algorithms.csv")).unwrap();
    let labels: Vec<_> = table.lines().skip(1).filter_map(|line| line.split(',').next()).collect();
    assert_eq!(labels, ["MIO", "random"]);
    let only =
        ["report", "results/one", "--algorithms", "random", "-o", "only", "--figures", "svg"];
    assert!(command(place.path(), &only).status.success());
    let table = fs::read_to_string(place.path().join("only/tables/algorithms.csv")).unwrap();
    assert!(table.contains("random") && !table.contains("mio"), "{table}");

    // The default folder is not overwritten by other results, and a check writes no report.
    let refused = command(place.path(), &["report", "results/two"]);
    assert_eq!(refused.status.code(), Some(1));
    assert!(stderr(&refused).contains("report has the report of one"), "{}", stderr(&refused));
    let check = ["report", "results/two", "--check", "algorithms/mio/mean >= 1 %"];
    assert!(command(place.path(), &check).status.success());
}

#[test]
#[ignore = "slow"]
fn commands_on_results_print_json() {
    let place = TempDir::new().unwrap();
    two_projects(&place.path().join("games"));
    let output = command(place.path(), &[&["run", "--name", "one"], &QUICK[..]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    let json = |words: &[&str]| -> Value {
        let output = command(place.path(), words);
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
        serde_json::from_str(&stdout(&output)).unwrap_or_else(|_| panic!("{}", stdout(&output)))
    };
    let folder = json(&["verify", "results/one", "--sample", "3", "--json"]);
    assert_eq!((&folder["runs"], &folder["eligible"]), (&3.into(), &8.into()));
    assert!(folder["files"].as_u64().unwrap() > 5, "{folder}");
    assert_eq!(
        (folder["differing"].to_string(), folder["differing_files"].to_string()),
        ("[]".into(), "[]".into())
    );
    let tables = json(&["verify", "results/one", "--sample", "0", "--json"]);
    assert_eq!((&tables["runs"], &tables["eligible"]), (&0.into(), &8.into()));
    assert_eq!(tables["files"], folder["files"]);
    let said = command(place.path(), &["verify", "results/one", "--sample", "0"]);
    assert!(said.status.success() && stdout(&said).contains("none of 8 runs executed again\n"));
    let package = json(&["archive", "results/one", "--with-projects", "-o", "one.zip", "--json"]);
    assert_eq!((&package["records"], &package["complete"]), (&8.into(), &true.into()));
    for (sample, runs) in [("0", 0), ("2", 2)] {
        let checked = json(&["verify", "one.zip", "--sample", sample, "--json"]);
        assert_eq!((&checked["runs"], &checked["records"]), (&runs.into(), &8.into()));
        assert_eq!(checked["files"], package["files"]);
    }
    // A file that differs is named.
    fs::write(place.path().join("results/one/runs.csv"), "run\n").unwrap();
    let differs = command(place.path(), &["verify", "results/one", "--sample", "1", "--json"]);
    assert_eq!(differs.status.code(), Some(2));
    let differs: Value = serde_json::from_str(&stdout(&differs)).unwrap();
    assert!(differs["differing_files"][0].as_str().unwrap().starts_with("runs.csv: "), "{differs}");
    let differs = command(place.path(), &["verify", "results/one", "--sample", "0"]);
    assert_eq!(differs.status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn doctor_prints_json() {
    let place = TempDir::new().unwrap();
    wrong_tool(place.path());
    let output = command(place.path(), &["doctor", "tool", "--json"]);
    let found: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!((&found["tool"], &found["usable"]), (&"wrong 1".into(), &true.into()), "{found}");
}

#[test]
#[ignore = "slow"]
fn a_study_file_is_written_from_answers() {
    let place = TempDir::new().unwrap();
    two_projects(&place.path().join("games"));
    let answered = catherd()
        .current_dir(&place)
        .args(["init", "mine.toml"])
        .write_stdin("scratch\ngames\nrandom, mio\n4\n")
        .output()
        .unwrap();
    assert!(answered.status.success(), "{}", stderr(&answered));
    let text = fs::read_to_string(place.path().join("mine.toml")).unwrap();
    assert!(text.starts_with("#:schema study.schema.json\n"), "{text}");
    assert!(text.contains("algorithms = [\"random\", \"mio\"]\nseeds = 4 "), "{text}");
    let schema = fs::read_to_string(place.path().join("study.schema.json")).unwrap();
    assert!(serde_json::from_str::<Value>(&schema).is_ok());
    let checked = command(place.path(), &["check", "mine.toml", "--no-sample"]);
    assert!(stdout(&checked).contains("16 runs"), "{}{}", stdout(&checked), stderr(&checked));
    for kind in ["suite", "sequences", "javascript", "command", "noop"] {
        let file = format!("{kind}.toml");
        let written = command(place.path(), &["init", &file, "--yes", "--subject", kind]);
        assert!(written.status.success(), "{kind}: {}", stderr(&written));
    }
}

#[cfg(unix)]
const PROJECTS: usize = 40;

/// Writes a tool that answers with an invalid result, and a study with many runs of the tool.
#[cfg(unix)]
fn wrong_tool(folder: &Path) {
    use std::os::unix::fs::PermissionsExt;
    // There are so many runs that even on a busy machine, the study is stopped before the last run.
    fs::create_dir(folder.join("files")).unwrap();
    for number in 0..PROJECTS {
        fs::write(folder.join(format!("files/{number}")), number.to_string()).unwrap();
    }
    fs::create_dir(folder.join("tool")).unwrap();
    let adapter = "contract = 1\ntool = \"wrong\"\nversion = \"1\"\n";
    fs::write(folder.join("tool/adapter.toml"), adapter).unwrap();
    let result = r#"{"contract": 1, "goals": 1, "covered": [0], "timeline": [{"covered": 1}]}"#;
    let script = format!(
        "#!/bin/sh\necho x >> \"$(dirname \"$0\")/../calls\"\nsleep 0.05\necho '{result}' > result.json\n"
    );
    fs::write(folder.join("tool/run"), script).unwrap();
    let run = folder.join("tool/run");
    fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    let study = "subject = 'command'\nprojects = ['files']\nseeds = 12\nalgorithms = ['x']\n\
                 budget = { executions = 1 }\n[command]\nadapter = 'tool'\n";
    fs::write(folder.join("study.toml"), study).unwrap();
}

#[cfg(unix)]
#[test]
#[ignore = "slow"]
fn a_tool_that_is_wrong_stops_its_study() {
    let place = TempDir::new().unwrap();
    wrong_tool(place.path());
    let run = ["run", "study.toml", "--out", "out", "--workers", "1", "--isolation", "off"];
    let stopped = command(place.path(), &run);
    let told = stderr(&stopped);
    assert_eq!(stopped.status.code(), Some(3), "{told}");
    let reason = "invalid result file: timeline[0].wall_ms: missing";
    assert!(told.contains(&format!("failed: x: {reason}")), "{told}");
    assert!(
        told.contains(&format!("runs of x failed alike, and none succeeded: {reason}")),
        "{told}"
    );
    let calls = |folder: &Path| fs::read_to_string(folder.join("calls")).unwrap().lines().count();
    assert!(calls(place.path()) < PROJECTS * 12, "{} calls", calls(place.path()));
    // With --keep-going, all runs are executed, and no run is attempted twice.
    fs::remove_file(place.path().join("calls")).unwrap();
    let mut all = run;
    all[3] = "all";
    let all = command(place.path(), &[&all[..], &["--seeds", "1", "--keep-going"]].concat());
    assert_eq!(all.status.code(), Some(2), "{}", stderr(&all));
    assert!(stdout(&all).contains(&format!("{PROJECTS} runs failed")), "{}", stdout(&all));
    assert_eq!(calls(place.path()), PROJECTS);
}

#[test]
fn completions_know_the_commands() {
    let place = TempDir::new().unwrap();
    for shell in ["bash", "zsh", "fish"] {
        let script = stdout(&command(place.path(), &["completions", shell]));
        assert!(script.contains("keep-going") && script.contains("tool"), "{shell}");
    }
    assert!(command(place.path(), &["dev", "manual", "man"]).status.success());
    let page = fs::read_to_string(place.path().join("man/catherd-run.1")).unwrap();
    assert!(page.contains("keep") && page.contains(".SH"), "{page}");
    assert!(place.path().join("man/catherd-tool-try.1").exists());
}
