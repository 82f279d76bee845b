//! Tests races, and studies that end when their comparisons are decided: decisions are the same on
//! one machine and on a cluster, and after an interruption.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, coordinator, run_with, start, succeed, worker};
use crate::support::{ENVIRONMENT, catherd, digests, program, stderr};
use serde_json::Value;
use tempfile::TempDir;

/// A folder with a race of four configurations on twelve files. The file and the configuration
/// determine the covered goals.
struct Fixture {
    folder: TempDir,
}

impl Fixture {
    fn new() -> Fixture {
        let fixture = Fixture { folder: TempDir::new().unwrap() };
        fs::create_dir(fixture.path("files")).unwrap();
        for number in 10..22 {
            fs::write(fixture.path("files").join(format!("{number}.txt")), number.to_string())
                .unwrap();
        }
        // `bad` loses at the first test, `poor` later.
        let script = "#!/bin/sh\nn=$(cat \"$1\")\ncovered=0,1,2\n[ $2 = bad ] && covered=0\n\
                      [ $2 = poor ] && [ $n -ge 13 ] && covered=0,1\n\
                      echo \"{\\\"goals\\\": 4, \\\"covered\\\": [$covered]}\" > $3\n";
        fs::write(fixture.path("tool.sh"), script).unwrap();
        fixture.write_study();
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn write_study(&self) {
        let tool = self.text("tool.sh");
        let command = format!("command = 'sh {tool} {{project}} {{algorithm}} {{out}}'");
        let names = ["bad", "good", "poor", "fine"];
        let entry = |name| format!("{{ name = '{name}', parameters = {{ {command} }} }}");
        let algorithms = names.map(entry).join(", ");
        let text = format!(
            "subject = 'command'\nprojects = ['files']\nseeds = 2\nalgorithms = [{algorithms}]\n\
             race = {{ first = 6, every = 2 }}\n[budget]\nexecutions = 5\n"
        );
        fs::write(self.path("race.toml"), text).unwrap();
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "timed out: {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn dropped(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains(" is dropped after ")).collect()
}

fn studies(address: &str) -> Vec<Value> {
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], address)).unwrap();
    status["studies"].as_array().unwrap().clone()
}

/// Files of a race's folder that do not depend on the machine.
const SAME: [&str; 12] = [
    "criteria.csv",
    "mutants.csv",
    "skipped.csv",
    "dropped.csv",
    "subject.json",
    "study.json",
    "study-state.json",
    "table6.csv",
    "table6.md",
    "comparisons.csv",
    "coverage.csv",
    "algorithms.csv",
];

fn assert_same(one: &Path, other: &Path) {
    for name in SAME {
        let read = |folder: &Path| fs::read_to_string(folder.join(name)).unwrap();
        assert_eq!(read(one), read(other), "{name}");
    }
    assert_eq!(digests(one), digests(other));
}

#[test]
#[ignore = "slow"]
fn a_race_on_a_cluster_decides_as_on_one_machine_even_after_its_client_was_killed() {
    let fixture = Fixture::new();
    let study = fixture.text("race.toml");
    let local = catherd().args(["run", &study, "--out", &fixture.text("local")]).output().unwrap();
    assert_eq!(local.status.code(), Some(0), "{}", stderr(&local));
    let text = stderr(&local);
    let expected = dropped(&text);
    assert_eq!(expected.len(), 2, "{text}");
    assert!(expected[0].starts_with("bad is dropped after 6 projects: "), "{text}");
    assert!(expected[1].starts_with("poor is dropped after "), "{text}");

    // The runs of all rounds are verified.
    let verified = catherd().args(["verify", &fixture.text("local"), "--sample", "100%"]).output();
    let verified = String::from_utf8(verified.unwrap().stdout).unwrap();
    let runs = digests(&fixture.path("local")).len();
    assert!(verified.ends_with(&format!("{runs} of {runs} runs agree\n")), "{verified}");

    let data = fixture.path("data");
    let (process, address) = coordinator(&data, &["--listen", "127.0.0.1:0"]);
    let out = fixture.text("cluster");
    // The client is killed while it waits for the first round, which cannot end without a worker.
    let client = Command::new(program())
        .args(["submit", &study, "--out", &out, "--coordinator", &address])
        .envs(ENVIRONMENT)
        .spawn()
        .unwrap();
    let client = Process(client);
    wait_until("the first round is submitted", || !studies(&address).is_empty());
    drop(client);
    let found = studies(&address);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0]["name"], "race, round 1");
    assert_eq!(found[0]["pending"], 6 * 4 * 2);

    // The coordinator is restarted, and the same command continues.
    drop(process);
    let (_process, address) = coordinator(&data, &["--listen", &address]);
    let programs = fixture.text("programs");
    fs::create_dir(&programs).unwrap();
    let tools = ["--programs", &programs, "--isolation", "off"];
    let _worker = worker(&address, fixture.folder.path(), &tools);
    let output = run_with(&["submit", &study, "--out", &out], &address);
    let text = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{text}");
    assert_eq!(dropped(&text), expected);
    assert!(String::from_utf8(output.stdout).unwrap().contains("Results in "));
    assert_same(&fixture.path("local"), Path::new(&out));
    assert_eq!(studies(&address).len(), 4);

    // If the command is repeated, no run is executed, and the tables are the same.
    let again = run_with(&["submit", &study, "--out", &fixture.text("again")], &address);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(dropped(&stderr(&again)), expected);
    assert_same(&fixture.path("local"), &fixture.path("again"));
    let done: u64 = studies(&address).iter().map(|study| study["done"].as_u64().unwrap()).sum();
    assert_eq!(done, digests(Path::new(&out)).len() as u64);
}

#[test]
fn a_cancelled_round_ends_the_race_with_a_hint() {
    let fixture = Fixture::new();
    let study = fixture.text("race.toml");
    let (_process, address) = coordinator(&fixture.path("data"), &["--listen", "127.0.0.1:0"]);
    let arguments = ["submit", &study, "--out", &fixture.text("out")].map(str::to_owned);
    let to = address.clone();
    let client =
        std::thread::spawn(move || run_with(&arguments.each_ref().map(String::as_str), &to));
    wait_until("the first round is submitted", || !studies(&address).is_empty());
    succeed(&["cancel", "race, round 1"], &address);
    let output = client.join().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(text.contains("error: race, round 1 was cancelled\n hint: continue it with"), "{text}");
    let plain = ["--projects", &fixture.text("files"), "--subject", "noop", "--algorithms", "a"];
    let submit = [&["submit", "--executions", "1", "--out", "x"][..], &plain].concat();
    let output = run_with(&submit, &address);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("--out: study has no rounds"), "{}", stderr(&output));
}

fn write_stopping_study(folder: &Path) -> PathBuf {
    let demo = Path::new(env!("CARGO_MANIFEST_DIR")).join("../datasets/demo");
    let text = format!(
        "name = \"stop\"\nprojects = [{demo:?}]\nalgorithms = [\"random\", \"mosa\", \"mio\"]\n\
         seeds = 20\n\n[budget]\nexecutions = 40\n\n[stop]\nmargin = 0.03\n"
    );
    let file = folder.join("stop.toml");
    fs::write(&file, text).unwrap();
    file
}

fn decided(text: &str) -> Vec<&str> {
    text.lines().filter(|line| line.contains("decided: ")).collect()
}

/// On a coordinator with two workers, one of which is killed, a study ends after the same seeds and
/// with the same verdicts as on one machine.
#[test]
#[ignore = "slow"]
fn a_study_on_a_cluster_ends_when_it_ends_on_one_machine() {
    let folder = TempDir::new().unwrap();
    let path = |name: &str| folder.path().join(name);
    let text = |name: &str| path(name).to_str().unwrap().to_owned();
    let study = write_stopping_study(folder.path()).to_str().unwrap().to_owned();
    let local = catherd().args(["run", &study, "--out", &text("local")]).output().unwrap();
    assert_eq!(local.status.code(), Some(0), "{}", stderr(&local));
    let local = stderr(&local);
    let expected = decided(&local);
    assert!(expected.len() > 1, "{local}");

    let (_process, address) = coordinator(&path("data"), &["--listen", "127.0.0.1:0"]);
    let of = |name: &str| {
        let spool = text(name);
        start(&["worker", "--connect", &address, "--spool", &spool, "--name", name])
    };
    let (first, second) = (of("first"), of("second"));
    let (out, to) = (text("cluster"), address.clone());
    let submitted = study.clone();
    let client = std::thread::spawn(move || run_with(&["submit", &submitted, "--out", &out], &to));
    wait_until("a round has ended", || studies(&address).len() > 1);
    drop(first);
    let output = client.join().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(decided(&stderr(&output)), expected);
    let ended = studies(&address).len();
    assert!((2..16).contains(&ended), "{ended} rounds");
    drop(second);

    // Repeat the command without a worker, to show that no run is executed again.
    let again = run_with(&["submit", &study, "--out", &text("again")], &address);
    assert_eq!(again.status.code(), Some(0), "{}", stderr(&again));
    assert_eq!(decided(&stderr(&again)), expected);
    for other in ["cluster", "again"] {
        for name in ["decisions.csv", "study-state.json", "study.json", "coverage.csv"] {
            let read = |folder: &str| fs::read_to_string(path(folder).join(name)).unwrap();
            assert_eq!(read("local"), read(other), "{name} of {other}");
        }
        assert_eq!(digests(&path("local")), digests(&path(other)));
    }
}

/// A study that is killed and continued makes the same decisions.
#[test]
#[ignore = "slow"]
fn a_study_ends_when_it_is_decided() {
    let folder = TempDir::new().unwrap();
    let file = write_stopping_study(folder.path());
    let command = |out: &str| {
        let out = folder.path().join(out);
        let mut command = Command::new(program());
        command.envs(ENVIRONMENT);
        let arguments = ["run", file.to_str().unwrap(), "--quiet", "--out", out.to_str().unwrap()];
        command.args(arguments);
        (command, out)
    };
    let run = |out: &str| {
        let (mut command, out) = command(out);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        let state = std::fs::read_to_string(out.join("study-state.json")).unwrap();
        let state: serde_json::Value = serde_json::from_str(&state).unwrap();
        let verdicts = std::fs::read_to_string(out.join("decisions.csv")).unwrap();
        let runs = std::fs::read_to_string(out.join("runs.csv")).unwrap();
        let of = |label: &str| {
            runs.lines().filter(|run| run.contains(&format!(",scratch,{label},"))).count()
        };
        (state, verdicts, ["random", "mosa", "mio"].map(of))
    };
    let (state, verdicts, runs) = run("whole");
    let [random, mosa, mio] = runs;
    // MOSA and MIO are much better than random search. Deciding whether MOSA and MIO are equivalent
    // takes more seeds.
    assert!(14 * 5 <= random && random < mosa && mosa == mio && mio < 14 * 20, "{runs:?}");
    assert_eq!(state["complete"], true, "{state}");
    assert_eq!(state["dropped"], 14 * 3 * 20 - random - mosa - mio, "{state}");
    for row in verdicts.lines().skip(1) {
        let row: Vec<&str> = row.split(',').collect();
        assert!(["better", "equivalent"].contains(&row[2]), "{verdicts}");
        assert_eq!((row[8], row[9]), ("", ""), "a p-value in {verdicts}");
    }
    // The second time, nothing is executed, and the verdicts are the same.
    assert_eq!(run("whole"), (state, verdicts.clone(), runs));
    let (mut killed, out) = command("killed");
    let mut killed = killed.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    while killed.try_wait().unwrap().is_none() && !out.join("study.db").exists() {
        std::thread::sleep(Duration::from_millis(20));
    }
    killed.kill().unwrap();
    killed.wait().unwrap();
    let (_, again, same) = run("killed");
    assert_eq!((again, same), (verdicts, runs));
}
