//! Tests, with the binary, studies that measure artifacts apart from trials.

#![cfg(target_os = "linux")]

use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{ENVIRONMENT, catherd, program, stderr};
use tempfile::TempDir;

/// A tool whose artifact is the current time, by which a repeated trial is detected.
const TOOL: &str = r#"grep -q '"measure": "apart"' "$2" && grep -q '"measurer": null' "$2" || exit 1
date +%s%N > corpus
echo '{"contract": 1, "executions": 7, "artifact": "corpus", "metrics": {"inputs": 4}}' > result.json"#;

/// A measurer that works for a second, and fails while the file `broken` is in the folder
/// `.environment`.
const MEASURER: &str = r#"test "$1" = measure && test -s artifact && grep -q '"digest"' "$2" || exit 1
if test -e "$(dirname "$0")/.environment/broken"; then echo out of order; exit 1; fi
sleep 1
cp artifact crash
echo '{"contract": 1, "goals": GOALS, "covered": [0, 2], "goal_names": NAMES,
 "timeline": [{"wall_ms": 5, "covered": 2}], "faults": [{"name": "crash in f", "wall_ms": 3}],
 "metrics": {"now": '$(date +%s)'}, "files": {"binary": ["crash"]}}' > measured.json"#;

struct Place(TempDir);

impl Place {
    fn new(tool: &str) -> Place {
        let place = Place(TempDir::new().unwrap());
        fs::create_dir_all(place.path("projects")).unwrap();
        fs::write(place.path("projects/one.txt"), "one").unwrap();
        place.adapter("adapter", tool);
        place.measurer(3);
        place
    }

    fn adapter(&self, name: &str, script: &str) {
        fs::create_dir_all(self.path(name)).unwrap();
        let description = format!("contract = 1\ntool = '{name}'\nversion = '1'\n");
        let description =
            description + "[parameters]\ncorpus = { kind = 'flag', default = true }\n";
        fs::write(self.path(name).join("adapter.toml"), description).unwrap();
        let run = self.path(name).join("run");
        fs::write(&run, format!("#!/bin/sh\n{script}\n")).unwrap();
        fs::set_permissions(run, fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn measurer(&self, goals: usize) {
        let names: Vec<String> = (0..goals).map(|goal| format!("goal {goal}")).collect();
        let script = MEASURER.replace("GOALS", &goals.to_string());
        self.adapter("measure", &script.replace("NAMES", &format!("{names:?}")));
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn study(&self, more: &str) {
        let study = format!(
            "subject = 'command'\nprojects = ['projects']\nseeds = 2\nalgorithms = ['x']\n\
             budget = {{ wall = '1min' }}\n[command]\nadapter = 'adapter'\nmeasurer = 'measure'\n\
             measure = 'apart'\n{more}"
        );
        fs::write(self.path("study.toml"), study).unwrap();
    }

    fn run(&self, out: &str, more: &[&str]) -> (bool, String) {
        let words = ["run", "study.toml", "--workers", "1", "--out", out];
        let output = catherd().current_dir(self.0.path()).args(words).args(more).output().unwrap();
        (output.status.success(), stderr(&output) + &String::from_utf8_lossy(&output.stdout))
    }

    fn rows(&self, out: &str) -> Vec<HashMap<String, String>> {
        let mut runs = csv::Reader::from_path(self.path(out).join("runs.csv")).unwrap();
        runs.deserialize().map(Result::unwrap).collect()
    }

    fn artifacts(&self, out: &str, name: &str) -> BTreeSet<String> {
        let index = self.text(&format!("{out}/artifacts/index.csv"));
        let of_name = index.lines().filter(|line| line.contains(&format!(",{name},")));
        of_name.map(|line| line.rsplit(',').next().unwrap().to_owned()).collect()
    }

    fn slow_measurer(&self, seconds: u32) {
        let slower = self.text("measure/run").replace("sleep 1", &format!("sleep {seconds}"));
        fs::write(self.path("measure/run"), slower).unwrap();
    }

    fn mark_broken(&self) {
        fs::create_dir_all(self.path("measure/.environment")).unwrap();
        fs::write(self.path("measure/.environment/broken"), "").unwrap();
    }
}

#[test]
fn an_artifact_is_measured_after_the_trial_and_once() {
    let place = Place::new(&TOOL.replace("date +%s%N", "echo the same"));
    place.study("");
    place.slow_measurer(6);
    let (good, text) = place.run("out", &[]);
    assert!(good, "{text}");
    let rows = place.rows("out");
    assert_eq!(rows.len(), 2);
    for row in &rows {
        assert_eq!((&*row["outcome"], &*row["goals"], &*row["covered"]), ("done", "3", "2"));
        for metric in ["\"inputs\":4", "\"executions\":7", "\"exposed_ms.crash in f\":3"] {
            assert!(row["metrics"].contains(metric), "{row:?}");
        }
        // The time of the measurer is not part of the time of the trial.
        assert!(row["wall_ms"].parse::<u64>().unwrap() < 6000, "{row:?}");
    }
    // If the artifact of the second run had been measured again, the metric `now` would differ.
    assert_eq!(rows[0]["metrics"], rows[1]["metrics"]);
    assert!(place.text("out/logs/one.txt/x-1.measure.txt").contains(": measured in "));
    let second = place.text("out/logs/one.txt/x-2.measure.txt");
    assert!(second.ends_with(": the artifact had been measured before\n"), "{second}");
    assert_eq!(place.artifacts("out", "corpus").len(), 1);
    assert_eq!(place.artifacts("out", "corpus"), place.artifacts("out", "crash"));
    assert!(place.text("out/goals.csv").contains("goal 1"));
    assert!(!place.path("out/spool").exists());
    // Damaged measurements are not used.
    let folder = place.path("measure/.environment/measured");
    for entry in fs::read_dir(&folder).unwrap() {
        let file = entry.unwrap().path();
        let text = fs::read_to_string(&file).unwrap();
        fs::write(&file, text.replace("\"covered\":[0,2]", "\"covered\":[0,1]")).unwrap();
    }
    let (good, text) = place.run("out", &["--fresh"]);
    assert!(good && place.text("out/logs/one.txt/x-1.measure.txt").contains(": measured in "));
    assert!(place.rows("out")[0]["metrics"] != rows[0]["metrics"], "{text}");
}

#[test]
#[ignore = "slow"]
fn failed_measuring_is_repeated_and_the_trial_is_not() {
    let place = Place::new(TOOL);
    place.study("");
    place.mark_broken();
    let (good, text) = place.run("out", &[]);
    assert!(!good && text.contains("measuring: the program left no result"), "{text}");
    assert!(text.contains("its last line: out of order"), "{text}");
    for row in place.rows("out") {
        assert!(row["outcome"] != "done" && row["coverage"].is_empty(), "{row:?}");
    }
    let trials: Vec<PathBuf> = fs::read_dir(place.path("out/spool/trials"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    assert_eq!(trials.len(), 2, "{trials:?}");
    let left: BTreeSet<String> =
        trials.iter().map(|trial| fs::read_to_string(trial.join("artifact")).unwrap()).collect();

    fs::remove_file(place.path("measure/.environment/broken")).unwrap();
    let (good, text) = place.run("again", &["--trials", "out"]);
    assert!(good && text.contains("2 trials of out for 2 runs"), "{text}");
    let contents = |out: &str| -> BTreeSet<String> {
        let digests = place.artifacts(out, "corpus");
        digests.iter().map(|digest| place.text(&format!("{out}/artifacts/{digest}"))).collect()
    };
    assert_eq!(contents("again"), left);
    assert!(place.rows("again").iter().all(|row| row["goals"] == "3"), "{text}");

    // Use another measurer on the artifacts of stored results.
    place.measurer(5);
    let (good, text) = place.run("other", &["--trials", "again"]);
    assert!(good && text.contains("2 trials of again for 2 runs"), "{text}");
    assert_eq!(contents("other"), left);
    let (before, after) = (place.rows("again"), place.rows("other"));
    for (before, after) in before.iter().zip(&after) {
        assert_eq!((&*after["outcome"], &*after["goals"]), ("done", "5"));
        for column in ["wall_ms", "cpu_ms", "started_ms"] {
            assert_eq!(before[column], after[column], "{column}");
        }
    }
    let (good, text) = place.run("none", &["--trials", "projects"]);
    assert!(
        !good && text.contains("--trials: projects: not a folder of results of a study"),
        "{text}"
    );
}

#[test]
#[ignore = "slow"]
fn a_worker_that_is_killed_while_it_measures_does_not_repeat_the_trial() {
    let place = Place::new(TOOL);
    place.study("");
    place.slow_measurer(4);
    let study = Command::new(program())
        .envs(ENVIRONMENT)
        .current_dir(place.0.path())
        .args(["run", "study.toml", "--workers", "1", "--out", "out"])
        .stderr(Stdio::null())
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let trials = place.path("out/spool/trials");
    let first = || {
        let trial = fs::read_dir(&trials).ok()?.next()?.ok()?.path();
        fs::read_to_string(trial.join("artifact")).ok()
    };
    let artifact = until(first);
    let worker = until(|| child_of(study.id(), "worker"));
    let killed = Command::new("kill").args(["-9", &worker.to_string()]).status().unwrap();
    assert!(killed.success());
    let output = study.wait_with_output().unwrap();
    assert!(output.status.success());
    let rows = place.rows("out");
    assert!(rows.iter().all(|row| row["outcome"] == "done"), "{rows:?}");
    assert!(rows.iter().any(|row| row["attempt"] == "2"), "{rows:?}");
    let digests = place.artifacts("out", "corpus");
    let mut texts = digests.iter().map(|digest| place.text(&format!("out/artifacts/{digest}")));
    assert!(texts.any(|text| text == artifact), "{artifact} is lost");
}

fn until<T>(mut find: impl FnMut() -> Option<T>) -> T {
    let end = Instant::now() + Duration::from_secs(60);
    loop {
        match find() {
            Some(found) => return found,
            None => assert!(Instant::now() < end, "it did not happen"),
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns a child of a process with this word as its first argument.
fn child_of(parent: u32, word: &str) -> Option<u32> {
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let Ok(stat) = fs::read_to_string(entry.path().join("stat")) else { continue };
        let after = stat.rsplit_once(") ").map_or("", |(_, rest)| rest);
        let words = fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
        if after.split(' ').nth(1) == Some(&parent.to_string())
            && words.split('\0').nth(1) == Some(word)
        {
            return entry.file_name().to_str()?.parse().ok();
        }
    }
    None
}

#[test]
#[ignore = "slow"]
fn a_killed_trial_is_measured_by_its_snapshot() {
    let snapshot = r#"echo so far > corpus
echo '{"contract": 1, "artifact": "corpus"}' > new.json; mv new.json snapshot.json
"#;
    for (end, more) in [("kill -9 $$", ""), ("trap '' TERM; sleep 60", "run_limit = '2s'\n")] {
        let place = Place::new(&format!("{snapshot}{end}"));
        place.study(more);
        let (good, text) = place.run("out", &[]);
        assert!(good, "{end}: {text}");
        for row in place.rows("out") {
            assert_eq!((&*row["outcome"], &*row["covered"]), ("done", "2"), "{end}: {text}");
            assert!(row["metrics"].contains("\"from_snapshot\":1"), "{end}: {row:?}");
        }
    }
}

#[test]
#[ignore = "slow"]
fn an_artifact_beyond_the_bound_is_measured_and_an_invalid_answer_keeps_it() {
    let place = Place::new(&TOOL.replace("date +%s%N", "head -c 52428800 /dev/zero"));
    place.study("");
    let (good, text) = place.run("out", &[]);
    assert!(good, "{text}");
    for row in place.rows("out") {
        assert_eq!((&*row["outcome"], &*row["covered"]), ("done", "2"), "{text}");
        // The artifact and the measurer's copy are left out.
        assert!(row["metrics"].contains("\"files_left_out\":2"), "{row:?}");
    }
    let place = Place::new(TOOL);
    place.adapter(
        "measure",
        "echo '{\"contract\": 1, \"goals\": 1, \"covered\": [4]}' > measured.json",
    );
    place.study("");
    let (_, text) = place.run("out", &[]);
    let rows = place.rows("out");
    for row in &rows {
        assert_eq!((&*row["outcome"], &*row["coverage"]), ("failed", ""), "{text}");
        let reason = "measuring: the measurer left an invalid result: ";
        assert!(row["reason"].starts_with(reason), "{row:?}");
    }
    assert_eq!(place.artifacts("out", "corpus").len(), rows.len());
    place.measurer(3);
    let (good, text) = place.run("again", &["--trials", "out"]);
    assert!(good && text.contains("2 trials of out for 2 runs"), "{text}");
    assert_eq!(place.artifacts("out", "corpus"), place.artifacts("again", "corpus"));
}

#[test]
#[ignore = "slow"]
fn settings_of_measuring_that_contradict_each_other_are_refused() {
    let place = Place::new(TOOL);
    let refused = |from: &str, to: &str, reason: &str| {
        place.study("");
        let study = place.text("study.toml").replace(from, to);
        fs::write(place.path("study.toml"), study).unwrap();
        let (good, text) = place.run("out", &[]);
        assert!(!good && text.contains(reason), "{text}");
    };
    refused("measurer = 'measure'\n", "", "`measure = \"apart\"` needs a measurer");
    refused("'apart'", "'later'", "`measure` is neither trial nor apart");
    refused("'apart'", "'apart'\ncorpus = false", "`corpus = false` leaves nothing");
    refused("'apart'", "'apart'\nmeasure_limit = '3m'", "such as \"3min\"");

    let place = Place::new("echo '{\"contract\": 1, \"goals\": 1, \"covered\": []}' > result.json");
    place.study("");
    let (_, text) = place.run("out", &[]);
    assert!(text.contains("goals: the study measures apart"), "{text}");
    let place = Place::new("echo '{\"contract\": 1}' > result.json");
    place.study("");
    let (_, text) = place.run("out", &[]);
    assert!(text.contains("artifact: missing: the path of the file"), "{text}");
    assert!(Path::new(&place.path("out/runs.csv")).exists());
}

#[test]
#[ignore = "needs afl-fuzz and clang-14"]
fn fuzzers_that_ship_are_measured_apart() {
    let place = TempDir::new().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for folder in ["adapters", "datasets"] {
        let copied = Command::new("cp").arg("-r").arg(root.join(folder)).arg(place.path()).status();
        assert!(copied.unwrap().success());
    }
    let study = "\
        subject = 'command'\nprojects = ['datasets/fuzzing/picture.project.toml']\nseeds = 1\n\
        algorithms = [\n\
          { name = 'aflplusplus', parameters = { adapter = 'adapters/aflplusplus' } },\n\
          { name = 'libfuzzer', parameters = { adapter = 'adapters/libfuzzer' } },\n]\n\
        budget = { wall = '6s' }\n\
        [command]\nmeasurer = 'adapters/llvm-coverage'\nmeasure = 'apart'\nrun_limit = '5min'\n";
    fs::write(place.path().join("study.toml"), study).unwrap();
    for words in [&["tool", "prepare", "study.toml"][..], &["run", "study.toml", "--out", "out"]] {
        let output = catherd().current_dir(place.path()).args(words).output().unwrap();
        assert!(output.status.success(), "{words:?}: {}", stderr(&output));
    }
    let mut runs = csv::Reader::from_path(place.path().join("out/runs.csv")).unwrap();
    let rows: Vec<HashMap<String, String>> = runs.deserialize().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 2);
    for row in rows {
        assert_eq!((&*row["outcome"], &*row["goals"]), ("done", "92"), "{row:?}");
        // The seeds cover 66 regions.
        assert!(row["covered"].parse::<u32>().unwrap() > 66, "{row:?}");
        assert!(row["metrics"].contains("exposed_ms.heap-buffer-overflow in fill_run"), "{row:?}");
    }
    let index = fs::read_to_string(place.path().join("out/artifacts/index.csv")).unwrap();
    assert_eq!(index.matches(",corpus.tar.gz,").count(), 2, "{index}");
    assert!(index.contains(",faults-heap-buffer-overflow_in_fill_run,"), "{index}");
}
