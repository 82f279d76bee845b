//! Tests studies that are stopped, damaged or out of disk space: no record is lost, and damaged data
//! is not used.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{catherd, digests, program, stderr, two_files};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

struct Study {
    place: TempDir,
    runs: usize,
}

impl Study {
    /// Writes a study of two projects with this many seeds. A run takes `ms` milliseconds.
    fn new(seeds: usize, ms: u64) -> Study {
        let place = TempDir::new().unwrap();
        two_files(&place.path().join("files"));
        let text = format!(
            "name = 'calm'\nsubject = 'noop'\nprojects = ['files']\nseeds = {seeds}\n\
             algorithms = [{{ name = 'calm', parameters = {{ ms = {ms} }} }}]\n\
             [budget]\nexecutions = 1\n"
        );
        fs::write(place.path().join("study.toml"), text).unwrap();
        Study { place, runs: 2 * seeds }
    }

    fn out(&self) -> PathBuf {
        self.place.path().join("out")
    }

    fn arguments(&self) -> [PathBuf; 4] {
        ["run".into(), self.place.path().join("study.toml"), "--out".into(), self.out()]
    }

    fn run(&self, more: &[&str]) -> Output {
        catherd().args(self.arguments()).args(more).output().unwrap()
    }

    fn start(&self, more: &[&str]) -> Child {
        let mut command = Command::new(program());
        command.args(self.arguments()).args(more).stdout(Stdio::null()).stderr(Stdio::piped());
        command.spawn().unwrap()
    }

    fn state(&self) -> Option<Value> {
        let text = fs::read(self.out().join("study-state.json")).ok()?;
        Some(serde_json::from_slice(&text).unwrap())
    }

    /// Checks that the study state matches the tables. Returns how many runs are done and pending,
    /// and whether the study is complete.
    fn checked_state(&self) -> (u64, u64, bool) {
        let state = self.state().unwrap();
        let number = |name: &str| state[name].as_u64().unwrap();
        assert_eq!(number("planned"), self.runs as u64, "{state}");
        assert_eq!(number("done"), digests(&self.out()).len() as u64, "{state}");
        assert_eq!(number("planned"), number("done") + number("pending"), "{state}");
        (number("done"), number("pending"), state["complete"].as_bool().unwrap())
    }

    fn alter(&self, sql: &str) {
        let database = rusqlite::Connection::open(self.out().join("study.db")).unwrap();
        assert_eq!(database.execute(sql, ()).unwrap(), 1);
    }
}

fn replace(file: &Path, from: &[u8], to: &[u8]) {
    let mut bytes = fs::read(file).unwrap();
    let at = bytes.windows(from.len()).position(|window| window == from).unwrap();
    bytes[at..at + to.len()].copy_from_slice(to);
    fs::write(file, bytes).unwrap();
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "{what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn interrupt(study: &Child) {
    kill_process(Pid::from_raw(study.id() as i32).unwrap(), Signal::INT).unwrap();
}

fn files(folder: &Path) -> Vec<String> {
    let names = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        names.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn interim_tables_say_how_many_runs_they_have() {
    let study = Study::new(20, 100);
    let process = study.start(&["--tables-interval", "0"]);
    wait_until("interim tables", || {
        study.state().is_some_and(|state| state["done"].as_u64() > Some(0))
    });
    interrupt(&process);
    let output = process.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    let (done, pending, complete) = study.checked_state();
    assert!(done > 0 && pending > 0 && !complete);
    assert!(!study.out().join("tables.partial").exists());

    let output = study.run(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(study.checked_state(), (40, 0, true));
    // A study that has grown is marked as incomplete when the command begins.
    let grown = Study { runs: 44, ..study };
    let mut process = grown.start(&["--seeds", "22"]);
    wait_until("the study is marked", || grown.state().unwrap()["planned"] == 44);
    process.kill().unwrap();
    process.wait().unwrap();
    assert_eq!(grown.checked_state(), (40, 4, false));
}

#[test]
fn the_main_file_contains_the_study_and_reading_changes_nothing() {
    let study = Study::new(3, 0);
    assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
    let next_to_it = |name: &String| name.starts_with("study.db");
    let databases: Vec<_> = files(&study.out()).into_iter().filter(next_to_it).collect();
    assert_eq!(databases, ["study.db"]);

    let archive = study.place.path().join("archive");
    fs::create_dir(&archive).unwrap();
    fs::copy(study.out().join("study.db"), archive.join("study.db")).unwrap();
    for place in [study.out(), archive] {
        let before = files(&place);
        let mut command = catherd();
        let output = command.arg("verify").arg(&place).args(["--sample", "100%"]).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(text.ends_with("6 of 6 runs agree\n"), "{text}{}", stderr(&output));
        let run = digests(&study.out()).into_keys().next().unwrap();
        let output = catherd().arg("replay").arg(&place).arg(run).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        assert_eq!(files(&place), before);
    }
}

/// The changed letter is in the name of a resource, which is not part of a record's digest.
#[test]
fn a_changed_letter_in_a_record_is_reported_and_its_run_repeated() {
    let study = Study::new(3, 0);
    assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
    let before = digests(&study.out());
    replace(&study.out().join("study.db"), b"\"peak_rss_kib\":", b"\"peak_rss_kia\":");

    let output = catherd().arg("verify").arg(study.out()).output().unwrap();
    let (text, told) = (String::from_utf8_lossy(&output.stdout), stderr(&output));
    assert_eq!(output.status.code(), Some(2), "{text}{told}");
    assert!(text.starts_with("5 of 5 runs agree; 1 record damaged\n"), "{text}");
    assert!(told.contains("out/study.db: study `calm`: run "), "{told}");
    assert!(told.contains("does not match its checksum"), "{told}");
    let replays = before.keys().map(|run| {
        let output = catherd().arg("replay").arg(study.out()).arg(run).output().unwrap();
        output.status.code()
    });
    assert_eq!(replays.filter(|code| *code == Some(1)).count(), 1);

    let output = study.run(&[]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(
        told.contains("was damaged: its record does not match") && told.contains("again"),
        "{told}"
    );
    assert_eq!(digests(&study.out()), before);
    let output = catherd().arg("verify").arg(study.out()).args(["--sample", "6"]).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.ends_with("6 of 6 runs agree\n"), "{text}");
}

#[test]
fn states_that_contradict_each_other_are_not_used() {
    let study = Study::new(3, 0);
    assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
    let before = digests(&study.out());
    study.alter("delete from records where number = 2");
    let output = catherd().arg("verify").arg(study.out()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let told = stderr(&output);
    assert!(told.contains("a run of study `calm` has ended without a record"), "{told}");
    study.alter("update runs set phase = 5 where number = 4");
    study.alter("update members set label = 'cold' where position = 1");
    let output = study.run(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(digests(&study.out()), before);
    assert_eq!(study.checked_state(), (6, 0, true));
}

#[test]
fn a_damaged_project_is_stored_again() {
    let study = Study::new(3, 0);
    assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
    study.alter("update parts set bytes = x'00' where bytes = cast('two' as blob)");
    let grown = Study { runs: 8, ..study };
    let output = grown.run(&["--seeds", "4"]);
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("project two is stored again: "), "{told}");
    assert_eq!(grown.checked_state(), (8, 0, true));
}

#[test]
#[ignore = "slow"]
fn a_project_whose_rows_are_damaged_is_stored_again() {
    for sql in [
        "update projects set size = 1 where size = 3 and rowid = 2",
        "update projects set size = 9999999 where rowid = 1",
        "update projects set digest = x'00' where rowid = 1",
        "delete from parts where rowid = 1",
        "update parts set part = 7 where rowid = 2",
        "update parts set bytes = null where rowid = 1",
        "update parts set bytes = 'text' where rowid = 1",
        "delete from projects where rowid = 2",
    ] {
        let study = Study::new(2, 0);
        assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
        let database = rusqlite::Connection::open(study.out().join("study.db")).unwrap();
        // Remove a constraint that damaged rows may violate.
        let strict = "pragma writable_schema = on; update sqlite_schema set sql = replace(sql,
                      'bytes    bytea not null', 'bytes    bytea') where name = 'parts'";
        database.execute_batch(strict).unwrap();
        drop(database);
        study.alter(sql);
        let grown = Study { runs: 6, ..study };
        let output = grown.run(&["--seeds", "3"]);
        assert_eq!(output.status.code(), Some(0), "{sql}: {}", stderr(&output));
        assert_eq!(grown.checked_state(), (6, 0, true), "{sql}");
    }
}

#[test]
#[ignore = "slow"]
fn an_unreadable_page_ends_the_study_with_an_error() {
    let study = Study::new(3, 0);
    assert_eq!(study.run(&["--quiet"]).status.code(), Some(0));
    let path = study.out().join("study.db");
    let whole = fs::read(&path).unwrap();
    for page in 1..whole.len() / 4096 {
        let mut bytes = whole.clone();
        bytes[page * 4096..(page + 1) * 4096].fill(0xa5);
        fs::write(&path, bytes).unwrap();
        let output = study.run(&["--seeds", "4", "--retry-timeout", "5"]);
        let told = stderr(&output);
        match output.status.code() {
            // The page was not in use, or could be restored.
            Some(0) => {}
            Some(1) => assert!(told.contains("out/study.db: "), "page {page}: {told}"),
            other => panic!("page {page}: {other:?}, {told}"),
        }
    }
}

/// Starts a study with a limit on the size of each file, in KiB, as on a disk that is almost full.
fn start_limited(study: &Study, kib: u64, more: &[&str]) -> Child {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", 2 * kib);
    let mut command = Command::new("sh");
    command.arg("-c").arg(script).arg(program()).args(study.arguments()).args(more);
    command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap()
}

#[test]
#[ignore = "slow"]
fn a_full_disk_stops_the_study_after_a_while() {
    let study = Study::new(60, 20);
    let output = start_limited(&study, 600, &["--retry-timeout", "2"]).wait_with_output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(3), "{told}");
    assert_eq!(told.matches("trying again for 2 s").count(), 1, "{told}");
    assert!(told.contains("error: the results could not be stored for 2 s"), "{told}");
    assert!(!told.contains("0:00 left"), "{told}");
    let output = study.run(&["--quiet"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert_eq!(study.checked_state(), (120, 0, true));
}

#[test]
fn one_signal_ends_a_study_on_a_full_disk() {
    let study = Study::new(60, 20);
    let mut process = start_limited(&study, 600, &["--retry-timeout", "600"]);
    let lines = BufReader::new(process.stderr.take().unwrap()).lines();
    let mut lines = lines.map(Result::unwrap);
    assert!(lines.any(|line| line.contains("trying again for 600 s")));
    interrupt(&process);
    let start = Instant::now();
    assert_eq!(process.wait().unwrap().code(), Some(3));
    assert!(start.elapsed() < Duration::from_secs(300));
}
