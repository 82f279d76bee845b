//! Tests, with the binary, stores that other programs read, copy, delete and rename while they are
//! in use. No acknowledged record may be lost.
//!
//! The studies are small, and the outside reader is SQLite in this process. `tests/readers` kills
//! processes a hundred times while the programs named by `CATHERD_READERS` read as well.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;
use serde_json::Value;
use tempfile::TempDir;

use crate::support::cluster::{Process, coordinator, run_with, start, succeed, worker};
use crate::support::{catherd, digests, stderr, two_files};

/// Any free port on loopback.
const LOOPBACK: &str = "127.0.0.1:0";

/// A study whose runs take some time, and its folder.
struct Study {
    place: TempDir,
    runs: usize,
}

impl Study {
    fn new(runs: usize, ms: usize) -> Study {
        let place = TempDir::new().unwrap();
        two_files(&place.path().join("files"));
        let text = format!(
            "name = 'calm'\nsubject = 'noop'\nprojects = ['files']\nseeds = {}\n\
             algorithms = [{{ name = 'calm', parameters = {{ ms = {ms} }} }}]\n\
             [budget]\nexecutions = 1\n",
            runs / 2
        );
        fs::write(place.path().join("study.toml"), text).unwrap();
        Study { place, runs }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    fn text(&self, name: &str) -> String {
        self.path(name).to_str().unwrap().to_owned()
    }

    fn finish(&self, folder: &str) -> BTreeMap<String, String> {
        let arguments = ["run", &self.text("study.toml"), "--out", &self.text(folder), "--quiet"];
        let output = catherd().args(arguments).args(["--isolation", "off"]).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        digests(&self.path(folder))
    }

    fn start(&self, folder: &str) -> Process {
        let (file, out) = (self.text("study.toml"), self.text(folder));
        let more = ["--tables-interval", "0", "--isolation", "off"];
        start(&[&["run", &file, "--out", &out][..], &more].concat())
    }
}

fn wait(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "timed out: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Returns the number of records in a store with one study that no process serves.
fn records(store: &Path) -> usize {
    let mut reader = StoreReader::open(&StoreUrl::Sqlite(store.to_owned())).unwrap();
    let coverage = reader.coverage().unwrap();
    coverage.first().map_or(0, |&(_, _, runs)| runs as usize)
}

/// Returns the number of records of a study according to its coordinator, or 0 if the coordinator
/// does not answer.
fn acknowledged(address: &str) -> usize {
    let output = run_with(&["status", "--json"], address);
    let status = serde_json::from_slice::<Value>(&output.stdout).unwrap_or_default();
    status["studies"][0]["done"].as_u64().unwrap_or(0) as usize
}

/// Programs that repeatedly open, read and close a store.
struct OutsideReaders {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    reads: Arc<AtomicUsize>,
}

impl OutsideReaders {
    fn start(store: &Path) -> OutsideReaders {
        let (stop, reads) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicUsize::new(0)));
        let programs = std::env::var("CATHERD_READERS").unwrap_or_default();
        let readers = ["library"].into_iter().chain(programs.split_whitespace());
        let thread = |reader: &str| {
            let (reader, store) = (reader.to_owned(), store.to_owned());
            let (stop, reads) = (stop.clone(), reads.clone());
            std::thread::spawn(move || {
                while !stop.load(Ordering::Relaxed) {
                    if store.exists() && read(&reader, &store) {
                        reads.fetch_add(1, Ordering::Relaxed);
                    }
                    std::thread::sleep(Duration::from_millis(5));
                }
            })
        };
        let threads = readers.map(thread).collect();
        OutsideReaders { stop, threads, reads }
    }

    /// Returns the number of times that the store was read.
    fn end(self) -> usize {
        self.stop.store(true, Ordering::Relaxed);
        self.threads.into_iter().for_each(|thread| thread.join().unwrap());
        let reads = self.reads.load(Ordering::Relaxed);
        assert!(reads > 0);
        reads
    }
}

fn read(reader: &str, store: &Path) -> bool {
    let path = store.to_str().unwrap();
    let mut command = match reader {
        "library" => {
            let flags = rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE;
            let Ok(connection) = rusqlite::Connection::open_with_flags(store, flags) else {
                return false;
            };
            let count = connection
                .query_row("select count(*) from records", (), |row| row.get::<_, i64>(0));
            return count.is_ok();
        }
        "shell" => {
            let mut shell = Command::new("sqlite3");
            shell.args([path, "select count(*) from records"]);
            shell
        }
        "shell-backup" => {
            let mut shell = Command::new("sqlite3");
            shell.args([path, &format!(".backup '{path}.shell-backup'")]);
            shell
        }
        "python" => {
            let code = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); \
                        c.execute('select count(*) from records').fetchall(); c.close()";
            let mut python = Command::new("python3");
            python.args(["-c", code, path]);
            python
        }
        other => panic!("CATHERD_READERS: there is no reader `{other}`"),
    };
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.is_ok_and(|status| status.success())
}

fn kills() -> usize {
    let value = std::env::var("CATHERD_READER_KILLS");
    value.map_or(4, |value| value.parse().unwrap())
}

/// Returns the number of runs in the interim table of a study, or 0 without a table. `catherd run`
/// has acknowledged these runs.
fn runs_in_table(folder: &Path) -> usize {
    fs::read_to_string(folder.join("runs.csv")).map_or(0, |table| table.lines().count() - 1)
}

/// The tool of the study writes each execution to a journal. A run whose record is lost is executed
/// again, and then appears twice in the journal.
#[test]
#[cfg(unix)]
#[ignore = "slow"]
fn runs_that_are_killed_while_others_read_lose_no_record() {
    use std::os::unix::fs::PermissionsExt;
    let kills = kills();
    let study = Study::new(30 * (kills + 1), 10);
    let (tool, journal) = (study.text("tool"), study.path("journal"));
    let script = r#"#!/bin/sh
echo "$2" >> "$3"
echo '{"goals": 2, "covered": [0]}' > "$1"
"#;
    fs::write(&tool, script).unwrap();
    fs::set_permissions(&tool, fs::Permissions::from_mode(0o755)).unwrap();
    let text = format!(
        "name = 'calm'\nsubject = 'command'\nprojects = ['files']\nseeds = {}\n\
             [budget]\nexecutions = 1\n[[algorithms]]\nname = 'noting'\n\
             parameters = {{ command = '{tool} {{out}} {{seed}} {}' }}\n",
        study.runs / 2,
        journal.display()
    );
    fs::write(study.path("study.toml"), text).unwrap();
    let noted = || fs::read_to_string(&journal).unwrap_or_default().lines().count();
    let expected = study.finish("undisturbed");
    let undisturbed = noted();
    assert_eq!(undisturbed, study.runs);
    let out = study.path("out");
    let readers = OutsideReaders::start(&out.join("study.db"));
    let mut before = 0;
    for kill in 0..kills {
        let process = study.start("out");
        wait("more runs", || runs_in_table(&out) >= (before + 20).min(study.runs));
        std::thread::sleep(Duration::from_millis(37 * kill as u64 % 200));
        let shown = runs_in_table(&out);
        drop(process);
        before = records(&out.join("study.db"));
        assert!(before >= shown, "kill {kill}: {shown} were shown, {before} are in the store");
    }
    readers.end();
    assert!(study.finish("out") == expected, "records differ");
    // A worker may be killed during a run, or with a finished record in its spool; in the second
    // case, another worker may execute the run before the record arrives.
    let workers = std::thread::available_parallelism().unwrap().get();
    let again = noted() - undisturbed - study.runs;
    assert!(
        again <= 2 * kills * workers,
        "{kills} kills: {again} of {} runs were executed again",
        study.runs
    );
}

#[test]
fn a_coordinator_that_is_killed_while_others_read_loses_no_record() {
    let kills = kills();
    let study = Study::new(40 * (kills + 1), 10);
    let expected = study.finish("undisturbed");
    let folder = study.path("data");
    let (mut process, address) = coordinator(&folder, &["--term", "2", "--listen", LOOPBACK]);
    succeed(&["submit", &study.text("study.toml")], &address);
    let _workers = ["a", "b"].map(|name| {
        let spool = study.text(name);
        start(&["worker", "--connect", &address, "--spool", &spool, "--name", name])
    });
    let readers = OutsideReaders::start(&folder.join("study.db"));
    let mut before = 0;
    for kill in 0..kills {
        let mut shown = 0;
        wait("more records", || {
            shown = acknowledged(&address);
            shown >= before + 5 || shown == study.runs
        });
        std::thread::sleep(Duration::from_millis(37 * kill as u64 % 200));
        drop(process);
        before = records(&folder.join("study.db"));
        assert!(before >= shown, "kill {kill}: {shown} were shown, {before} are in the store");
        (process, _) = coordinator(&folder, &["--term", "2", "--listen", &address]);
    }
    wait("the end", || acknowledged(&address) == study.runs);
    readers.end();
    let out = study.text("results");
    succeed(&["results", "calm", "--out", &out], &address);
    assert!(digests(Path::new(&out)) == expected, "records differ");
    drop(process);
    assert_eq!(records(&folder.join("study.db")), study.runs);
}

/// Returns the number of descriptors of a process that hold locks on a file. `/proc/locks` omits
/// entries while other processes lock and unlock files, but the information about a single
/// descriptor is always complete.
#[cfg(target_os = "linux")]
fn locks(process: &Process, file: &Path) -> usize {
    let file = fs::canonicalize(file).unwrap();
    let folder = Path::new("/proc").join(process.0.id().to_string());
    let holds = |entry: &fs::DirEntry| {
        fs::read_link(entry.path()).is_ok_and(|target| target == file)
            && fs::read_to_string(folder.join("fdinfo").join(entry.file_name()))
                .is_ok_and(|state| state.lines().any(|line| line.contains("POSIX")))
    };
    fs::read_dir(folder.join("fd")).unwrap().flatten().filter(holds).count()
}

#[test]
#[cfg(target_os = "linux")]
fn a_coordinator_keeps_its_lock_through_all_requests() {
    let study = Study::new(8, 1);
    let folder = study.path("data");
    let (process, address) = coordinator(&folder, &["--listen", LOOPBACK, "--dashboard", LOOPBACK]);
    let store = folder.join("study.db");
    let (file, out) = (study.text("study.toml"), study.text("out"));
    let copy = study.text("copy.db");
    assert!(locks(&process, &store) > 0, "after the start");
    let _worker = worker(&address, &study.path("w"), &[]);
    let check = |arguments: &[&str]| {
        let output = run_with(arguments, &address);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        assert!(locks(&process, &store) > 0, "after {arguments:?}");
        assert!(read("library", &store));
        assert!(folder.join("study.db-wal").exists(), "after {arguments:?}");
    };
    check(&["submit", &file]);
    check(&["status"]);
    check(&["status", "calm"]);
    check(&["watch"]);
    check(&["results", "calm", "--out", &out]);
    check(&["pause", "calm"]);
    check(&["resume", "calm"]);
    check(&["health"]);
    check(&["cancel", "calm"]);
    check(&["submit", &file]);
    check(&["delete", "calm"]);
    let backup = catherd().args(["backup", "--dir"]).arg(&folder).args(["-o", &copy]).output();
    assert_eq!(backup.unwrap().status.code(), Some(0));
    assert!(locks(&process, &store) > 0, "after backup");
}

#[test]
#[cfg(target_os = "linux")]
#[ignore = "slow"]
fn a_run_keeps_its_lock_while_it_writes_interim_tables() {
    // The study is long enough to still be running when a busy machine has executed all commands.
    let study = Study::new(3000, 50);
    let process = study.start("out");
    let store = study.path("out/study.db");
    wait("interim tables", || study.path("out/runs.csv").exists());
    for _ in 0..20 {
        assert!(locks(&process, &store) > 0);
        assert!(read("library", &store) && study.path("out/study.db-wal").exists());
        std::thread::sleep(Duration::from_millis(20));
    }
    let out = study.text("out");
    let (copy, package, report) =
        (study.text("copy.db"), study.text("package.zip"), study.text("report"));
    let run = fs::read_to_string(study.path("out/runs.csv")).unwrap();
    let run = run.lines().nth(1).unwrap().split(',').next().unwrap().to_owned();
    for (status, arguments) in [
        (0, vec!["verify", &out, "--sample", "3"]),
        (0, vec!["replay", &out, &run]),
        (0, vec!["report", &out, "-o", &report]),
        (0, vec!["backup", &out, "-o", &copy]),
        // The study is not finished.
        (1, vec!["archive", &out, "-o", &package]),
    ] {
        let output = catherd().args(&arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{arguments:?}: {}", stderr(&output));
        assert!(locks(&process, &store) > 0, "after {arguments:?}");
        assert!(read("library", &store) && study.path("out/study.db-wal").exists());
    }
}

/// Waits until a process has failed, and returns its standard error.
#[cfg(unix)]
fn failure(mut process: Process) -> String {
    use std::io::Read;
    wait("the process ends", || process.0.try_wait().unwrap().is_some());
    let status = process.0.wait().unwrap();
    let mut text = String::new();
    if let Some(mut log) = process.0.stderr.take() {
        log.read_to_string(&mut text).unwrap();
    }
    assert_eq!(status.code(), Some(1), "{text}");
    text
}

#[test]
#[cfg(unix)]
#[ignore = "slow"]
fn a_coordinator_whose_log_is_deleted_stops_without_loss() {
    let study = Study::new(200, 20);
    let folder = study.path("data");
    let (process, address) = coordinator(&folder, &["--term", "2", "--listen", LOOPBACK]);
    succeed(&["submit", &study.text("study.toml")], &address);
    let _worker = worker(&address, &study.path("w"), &[]);
    wait("records", || acknowledged(&address) >= 20);
    fs::remove_file(folder.join("study.db-wal")).unwrap();
    failure(process);
    let shown = records(&folder.join("study.db"));
    assert!(shown >= 20, "{shown}");
    let health = run_with(&["health", "--timeout", "2"], &address);
    assert_eq!(health.status.code(), Some(1));

    let (_process, _) = coordinator(&folder, &["--term", "2", "--listen", &address]);
    wait("the end", || acknowledged(&address) == study.runs);
    let out = study.text("results");
    succeed(&["results", "calm", "--out", &out], &address);
    assert!(digests(Path::new(&out)) == study.finish("undisturbed"), "records differ");
}

#[test]
#[cfg(unix)]
#[ignore = "slow"]
fn a_run_reports_that_its_store_was_renamed_and_continues_when_it_is_back() {
    let study = Study::new(200, 20);
    let process = study.start("out");
    wait("interim tables", || study.path("out/runs.csv").exists());
    fs::rename(study.path("out/study.db"), study.path("out/mine.db")).unwrap();
    let text = failure(process);
    assert!(text.contains("study.db was deleted or renamed by another program"), "{text}");
    assert!(text.contains("put the file back"), "{text}");
    assert!(records(&study.path("out/mine.db")) > 0);
    fs::rename(study.path("out/mine.db"), study.path("out/study.db")).unwrap();
    assert!(study.finish("out") == study.finish("undisturbed"), "records differ");
}

#[test]
#[ignore = "slow"]
fn a_backup_of_a_running_study_is_continued_elsewhere() {
    let study = Study::new(120, 20);
    let process = study.start("out");
    wait("interim tables", || study.path("out/runs.csv").exists());
    let copy = study.path("copy.db");
    let backup = |arguments: &[&Path]| catherd().arg("backup").args(arguments).output().unwrap();
    let output = backup(&[&study.path("out"), Path::new("-o"), &copy]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(text.contains("1 study with "), "{text}");
    let copied = records(&copy);
    assert!(copied > 0 && copied < study.runs, "{copied}");
    drop(process);

    // `catherd run` continues the copy and executes the remaining runs.
    fs::create_dir(study.path("restored")).unwrap();
    fs::copy(&copy, study.path("restored/study.db")).unwrap();
    let expected = study.finish("undisturbed");
    assert!(study.finish("restored") == expected, "records differ");

    // A coordinator continues the copy.
    fs::create_dir(study.path("data")).unwrap();
    fs::copy(&copy, study.path("data/study.db")).unwrap();
    let (_process, address) = coordinator(&study.path("data"), &["--listen", LOOPBACK]);
    assert_eq!(acknowledged(&address), copied);
    let _worker = worker(&address, &study.path("w"), &[]);
    wait("the end", || acknowledged(&address) == study.runs);

    // Wrong arguments are refused with a reason.
    let refusals = [
        (vec![study.path("out"), "-o".into(), copy.clone()], "the file exists"),
        (vec![study.path("files"), "-o".into(), study.path("x")], "has no study.db"),
        (vec!["nowhere".into(), "-o".into(), study.path("x")], "nowhere is not a folder"),
        (vec!["--store".into(), "postgres://db/x".into(), "-o".into(), study.path("x")], "pg_dump"),
    ];
    for (arguments, reason) in refusals {
        let arguments: Vec<_> = arguments.iter().map(PathBuf::as_path).collect();
        let output = backup(&arguments);
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(reason), "{}", stderr(&output));
    }
    let other = Study::new(4, 20);
    fs::create_dir(other.path("out")).unwrap();
    fs::copy(&copy, other.path("out/study.db")).unwrap();
    let (file, out) = (other.text("study.toml"), other.text("out"));
    let arguments = ["run", &file, "--out", &out, "--executions", "7"];
    let output = catherd().args(arguments).output().unwrap();
    assert!(stderr(&output).contains("holds a study with another budget"), "{}", stderr(&output));
}
