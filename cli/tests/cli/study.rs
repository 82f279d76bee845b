//! Tests `catherd run` with whole studies, and the verification and replay of their runs.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use crate::support::{catherd, digests, packed, small, stderr, two_files, two_projects};
use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;
use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

struct Fixture {
    directory: TempDir,
    /// Number of test executions of a run.
    executions: &'static str,
}

impl Fixture {
    fn new(executions: &'static str) -> Fixture {
        let directory = TempDir::new().unwrap();
        two_projects(&directory.path().join("games"));
        Fixture { directory, executions }
    }

    fn out(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    fn arguments(&self, out: &str) -> Vec<String> {
        let games = self.directory.path().join("games").display().to_string();
        let out = self.out(out).display().to_string();
        ["run", "--projects", &games, "--algorithms", "random,mio", "--seeds", "2"]
            .into_iter()
            .chain(["--executions", self.executions, "--out", &out])
            .map(str::to_owned)
            .collect()
    }

    fn run(&self, out: &str, more: &[&str]) -> Output {
        catherd().args(self.arguments(out)).args(more).output().unwrap()
    }

    fn start(&self, out: &str) -> Child {
        Command::new(assert_cmd::cargo::cargo_bin!("catherd"))
            .args(self.arguments(out))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap()
    }

    fn undisturbed(&self) -> BTreeMap<String, String> {
        assert_eq!(self.run("undisturbed", &["--quiet"]).status.code(), Some(0));
        digests(&self.out("undisturbed"))
    }
}

fn wait_until(condition_name: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "timed out: {condition_name}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn children(parent: u32) -> Vec<u32> {
    let processes = fs::read_dir("/proc").unwrap().filter_map(|entry| {
        let pid: u32 = entry.ok()?.file_name().to_str()?.parse().ok()?;
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
        // The name may contain any character. State and parent follow the name.
        let mut fields = stat.rsplit_once(')')?.1.split_whitespace();
        let state = fields.next()?;
        (fields.next()?.parse() == Ok(parent) && state != "Z").then_some(pid)
    });
    processes.collect()
}

fn is_alive(pid: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat"));
    stat.is_ok_and(|stat| stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.starts_with(" Z")))
}

fn send(pid: u32, signal: Signal) {
    kill_process(Pid::from_raw(pid as i32).unwrap(), signal).unwrap();
}

fn ended(out: &Path) -> u64 {
    let reader = StoreReader::open(&StoreUrl::Sqlite(out.join("study.db")));
    let coverage = reader.and_then(|mut reader| reader.coverage()).unwrap_or_default();
    coverage.first().map_or(0, |&(_, _, runs)| runs)
}

/// Waits for the first record of a study, and returns the process ids of the workers.
fn midway(study: &Child, out: &Path) -> Vec<u32> {
    wait_until("the first run ends", || ended(out) > 0);
    children(study.id())
}

#[test]
fn a_study_writes_tables_a_figure_and_suites_and_is_not_executed_twice() {
    let fixture = Fixture::new("20");
    let first = fixture.run("out", &[]);
    let summary = String::from_utf8(first.stdout.clone()).unwrap();
    assert_eq!(first.status.code(), Some(0), "{}", stderr(&first));
    assert!(stderr(&first).contains("8/8 runs, 0 failed"), "{}", stderr(&first));
    for words in ["A12", "Sig. better", "Mean coverage over projects", "8 runs, 8 test suites"] {
        assert!(summary.contains(words), "{summary}");
    }
    let out = fixture.out("out");
    for name in ["runs", "timeline", "skipped"] {
        for kind in ["csv", "parquet"] {
            assert!(out.join(name).with_extension(kind).is_file(), "{name}.{kind}");
        }
    }
    let projects = fs::read_to_string(out.join("projects.csv")).unwrap();
    assert!(projects.starts_with("project,sha256,") && projects.lines().count() == 3, "{projects}");
    assert!(fs::read_to_string(out.join("table6.md")).unwrap().starts_with('|'));
    assert!(fs::read_to_string(out.join("coverage-over-time.svg")).unwrap().contains("<svg"));
    for project in ["packed", "unpacked"] {
        for run in ["random-1", "random-2", "mio-1", "mio-2"] {
            let suite = fs::read(out.join(format!("suites/{project}/{run}.json"))).unwrap();
            let suite: serde_json::Value = serde_json::from_slice(&suite).unwrap();
            assert!(!suite["tests"].as_array().unwrap().is_empty(), "{project} {run}");
        }
    }
    assert!(!out.join("spool").exists());

    let runs = fs::read(out.join("runs.csv")).unwrap();
    let again = fixture.run("out", &[]);
    assert_eq!(again.status.code(), Some(0));
    assert!(stderr(&again).contains("; 8 of the runs ended earlier"), "{}", stderr(&again));
    // The table contains the times of the first execution.
    assert_eq!(fs::read(out.join("runs.csv")).unwrap(), runs);
    assert_eq!(stderr(&fixture.run("out", &["--quiet"])), "");
}

#[test]
fn records_do_not_depend_on_the_number_of_workers() {
    let fixture = Fixture::new("30");
    assert_eq!(fixture.run("one", &["--workers", "1"]).status.code(), Some(0));
    let digests_of_one = digests(&fixture.out("one"));
    assert_eq!(digests_of_one.len(), 8);
    assert_eq!(digests_of_one, fixture.undisturbed());
}

/// Returns the number of runs that a summary lists as quarantined for a reason. Equal reasons of
/// several projects share a line.
fn quarantined(summary: &str, reason: &str) -> u64 {
    let lines = summary.lines().filter(|line| line.contains(reason));
    let counts = lines.filter_map(|line| {
        let (before, _) = line.split_once(" quarantined after ")?;
        before.rsplit(", ").next()?.split(' ').next()?.parse::<u64>().ok()
    });
    counts.sum()
}

#[test]
fn quarantined_runs_are_listed_with_their_reason() {
    let fixture = Fixture::new("1");
    let file = fixture.out("study.toml");
    two_files(&fixture.out("files"));
    let text = "subject = 'noop'\nprojects = ['files']\nseeds = 2\n\
                algorithms = [{ name = 'calm' }, { name = 'jumpy', parameters = { panic = 2 } }]\n\
                [budget]\nexecutions = 1\n";
    fs::write(&file, text).unwrap();
    let mut command = catherd();
    let output =
        command.arg("run").arg(&file).arg("--out").arg(fixture.out("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let summary = String::from_utf8(output.stdout).unwrap();
    // A run has three attempts on two workers, and up to six on a single worker.
    assert_eq!(quarantined(&summary, "attempts: panicked at "), 2, "{summary}");
    assert!(summary.contains("2 of 8 runs have no coverage (2 failed)"), "{summary}");
    assert_eq!(digests(&fixture.out("out")).len(), 6);

    // A report lists the runs in the table of missing data.
    let mut command = catherd();
    command.arg("report").arg(fixture.out("out")).args(["--explain", "missing/jumpy/runs"]);
    let explained = String::from_utf8(command.output().unwrap().stdout).unwrap();
    assert!(
        explained.starts_with("missing/jumpy/runs is 2, computed from 2 runs\n"),
        "{explained}"
    );

    // A replay shows the reason.
    let database = fixture.out("out/study.db");
    let mut reader = StoreReader::open(&StoreUrl::Sqlite(database.clone())).unwrap();
    let run = reader.quarantined(0).unwrap().remove(0).spec.id().to_string();
    let mut command = catherd();
    command.args(["replay", "study", &run, "--store"]).arg(&database);
    let output = command.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("panic on request with seed 2"), "{}", stderr(&output));
}

/// A worker that exceeds its memory limit is killed, so the next worker reports the cause.
#[test]
#[ignore = "slow"]
fn a_run_that_exceeds_the_memory_limit_is_recorded_as_such() {
    let fixture = Fixture::new("1");
    let file = fixture.out("study.toml");
    two_files(&fixture.out("files"));
    // Use the name of the kind in version 0.3.0, which is still accepted.
    let text = "subject = 'rehearsal'\nprojects = ['files']\nseeds = 2\n\
                algorithms = [{ name = 'hungry', parameters = { hog = 2 } }]\n\
                [budget]\nexecutions = 1\n";
    fs::write(&file, text).unwrap();
    let mut command = catherd();
    let output =
        command.arg("run").arg(&file).arg("--out").arg(fixture.out("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let summary = String::from_utf8_lossy(&output.stdout);
    assert_eq!(quarantined(&summary, ": out of memory: "), 2, "{summary}\n{}", stderr(&output));
    assert!(summary.contains("2 of 4 runs have no coverage (2 out of memory)"), "{summary}");
    assert_eq!(digests(&fixture.out("out")).len(), 2);
}

#[test]
#[ignore = "slow"]
fn finished_runs_can_be_verified() {
    let fixture = Fixture::new("1");
    assert_eq!(fixture.run("out", &["--quiet"]).status.code(), Some(0));
    let verify = |more: &[&str]| {
        let output = catherd().arg("verify").arg(fixture.out("out")).args(more).output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap())
    };
    for (more, agree) in [
        (&["--sample", "100%"][..], "8 of 8 runs agree\n"),
        (&[], "8 of 8 runs agree\n"),
        (&["--sample", "1%"], "1 of 1 runs agree; 1 of 8 sampled\n"),
    ] {
        let (code, text) = verify(more);
        assert!(code == Some(0) && text.ends_with(agree), "{text}");
    }
    let replay = |run: &str, more: &[&str]| {
        let output =
            catherd().arg("replay").arg(fixture.out("out")).arg(run).args(more).output().unwrap();
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        (output.status.code(), text, stderr(&output))
    };
    let all = digests(&fixture.out("out"));
    let (run, digest) = all.iter().next().unwrap();
    let (code, text, _) = replay(&run[..12], &[]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with(run) && text.contains("The records are the same."), "{text}");
    assert_eq!(text.matches(&digest[..12]).count(), 2, "{text}");
    let record: catherd_experiments::RunRecord =
        serde_json::from_str(&replay(run, &["--json"]).1).unwrap();
    assert_eq!(record.digest().to_string(), *digest);
    assert!(replay("", &[]).2.contains("the ids of 8 runs start with"));
    assert!(replay("x", &[]).2.contains("no finished run has an id that starts with `x`"));

    // Change a record and its digest, as another program could.
    let database = rusqlite::Connection::open(fixture.out("out/study.db")).unwrap();
    let select = "select record from records where number = 3";
    let json: Vec<u8> = database.query_row(select, (), |row| row.get(0)).unwrap();
    let mut record: catherd_experiments::RunRecord = serde_json::from_slice(&json).unwrap();
    *record.work.get_mut("steps").unwrap() += 1;
    let update = "update records set record = ?1, digest = ?2, checksum = null where number = 3";
    let json = serde_json::to_vec(&record).unwrap();
    database.execute(update, (json, record.digest().0)).unwrap();
    drop(database);
    let (code, text) = verify(&["--sample", "8"]);
    assert_eq!(code, Some(2));
    assert!(
        text.contains("out/runs.csv: is not the file that is made")
            && text.contains("\n7 of 8 runs agree\n")
            && text.contains("the digest was"),
        "{text}"
    );
    let text = all.keys().map(|run| replay(run, &[])).filter(|(code, ..)| *code == Some(2));
    let text: Vec<String> = text.map(|(_, text, _)| text).collect();
    assert!(matches!(&text[..], [one] if one.contains("records differ: work\n")), "{text:?}");
}

#[test]
fn any_program_can_be_studied() {
    let fixture = Fixture::new("1");
    fs::create_dir(fixture.out("files")).unwrap();
    for (name, text) in [("one.py", "x"), ("two.py", "xyz"), (".hidden", "")] {
        fs::write(fixture.out("files").join(name), text).unwrap();
    }
    let tool = fixture.out("tool.sh");
    let script = "#!/bin/sh\n[ $3 = 2 ] && [ $2 = bad ] && { echo no luck; exit 1; }\n\
                  echo \"{\\\"goals\\\": 4, \\\"covered\\\": [$(wc -c < $1)]}\" > $4\n";
    fs::write(&tool, script).unwrap();
    let file = fixture.out("study.toml");
    let command = format!("sh {} {{project}} {{algorithm}} {{seed}} {{out}}", tool.display());
    let algorithm =
        |name: &str| format!("{{ name = '{name}', parameters = {{ command = '{command}' }} }}");
    let text = format!(
        "subject = 'command'\nprojects = ['files']\nseeds = 2\nalgorithms = [{}, {}]\n\
         [budget]\nwall = '5s'\n",
        algorithm("good"),
        algorithm("bad"),
    );
    fs::write(&file, text).unwrap();
    let mut command = catherd();
    let output =
        command.arg("run").arg(&file).arg("--out").arg(fixture.out("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let summary = String::from_utf8(output.stdout).unwrap();
    assert_eq!(quarantined(&summary, "its last line: no luck"), 2, "{summary}");
    assert_eq!(digests(&fixture.out("out")).len(), 6);
}

#[test]
#[ignore = "slow"]
fn a_race_continues_without_the_configurations_that_have_lost() {
    let fixture = Fixture::new("1");
    fs::create_dir(fixture.out("files")).unwrap();
    for number in 10..22 {
        fs::write(fixture.out("files").join(format!("{number}.py")), number.to_string()).unwrap();
    }
    let tool = fixture.out("tool.sh");
    let script = "#!/bin/sh\ncovered=0,1,2\n[ $2 = bad ] && covered=0\n\
                  echo \"{\\\"goals\\\": 4, \\\"covered\\\": [$covered]}\" > $3\n";
    fs::write(&tool, script).unwrap();
    let file = fixture.out("study.toml");
    let command = format!("sh {} {{project}} {{algorithm}} {{out}}", tool.display());
    let algorithm =
        |name: &str| format!("{{ name = '{name}', parameters = {{ command = '{command}' }} }}");
    let algorithms = ["bad", "good", "fine"].map(algorithm).join(", ");
    let text = format!(
        "subject = 'command'\nprojects = ['files']\nseeds = 1\nalgorithms = [{algorithms}]\n\
         race = {{ first = 6, every = 3 }}\n[budget]\nwall = '5s'\n",
    );
    fs::write(&file, text).unwrap();
    let run = || {
        let mut command = catherd();
        command.arg("run").arg(&file).arg("--out").arg(fixture.out("out")).output().unwrap()
    };
    let output = run();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stderr(&output);
    assert!(text.contains("bad is dropped after 6 projects: mean rank 3.00"), "{text}");
    let dropped = fs::read_to_string(fixture.out("out/dropped.csv")).unwrap();
    assert_eq!(dropped, "algorithm,projects,mean_rank,best_mean_rank,p\nbad,6,3.0,1.5,0.0\n");
    let first = digests(&fixture.out("out"));
    assert_eq!(first.len(), 12 * 2 + 6);
    // Finished runs are not executed again, and the same configuration is dropped.
    assert!(stderr(&run()).contains("bad is dropped after 6 projects"));
    assert_eq!(digests(&fixture.out("out")), first);
}

#[test]
#[ignore = "slow"]
fn a_killed_worker_costs_an_attempt_and_no_result() {
    let fixture = Fixture::new(LONG);
    let study = fixture.start("out");
    let workers = midway(&study, &fixture.out("out"));
    send(workers[0], Signal::KILL);
    let output = study.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains("signal: 9"), "{}", stderr(&output));
    assert_eq!(digests(&fixture.out("out")), fixture.undisturbed());
}

#[test]
fn a_killed_study_leaves_no_worker_and_can_be_continued() {
    let fixture = Fixture::new(LONG);
    let mut study = fixture.start("out");
    let workers = midway(&study, &fixture.out("out"));
    study.kill().unwrap();
    study.wait().unwrap();
    wait_until("the workers end", || !workers.iter().any(|&worker| is_alive(worker)));
    assert!((1..RUNS).contains(&ended(&fixture.out("out"))));
    let output = fixture.run("out", &[]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stderr(&output).contains(" ended earlier"), "{}", stderr(&output));
    assert_eq!(digests(&fixture.out("out")), fixture.undisturbed());
}

#[test]
#[ignore = "slow"]
fn a_stopped_study_says_how_to_continue() {
    let fixture = Fixture::new(LONG);
    let study = fixture.start("out");
    let workers = midway(&study, &fixture.out("out"));
    send(study.id(), Signal::INT);
    let output = study.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(stderr(&output).contains("The same command continues"), "{}", stderr(&output));
    assert!(!workers.iter().any(|&worker| is_alive(worker)));
    assert!((1..RUNS).contains(&ended(&fixture.out("out"))));
    assert_eq!(fixture.run("out", &[]).status.code(), Some(0));
    assert_eq!(digests(&fixture.out("out")), fixture.undisturbed());
}

const RUNS: u64 = 8;

/// Number of test executions that makes runs long enough to be interrupted.
const LONG: &str = "600";

/// One branch and one block cannot be covered, because `2 < 1` is never true.
#[test]
fn a_study_aims_at_branches_if_it_says_so() {
    let place = TempDir::new().unwrap();
    fs::write(place.path().join("cat.sb3"), packed(&small("space"))).unwrap();
    let study = "name = \"branches\"\nprojects = [\"cat.sb3\"]\nseeds = 2\n\
        algorithms = [{ name = \"mosa\", parameters = { criteria = [\"blocks\", \"branches\"] } }]\n\
        budget = { executions = 30 }\n";
    fs::write(place.path().join("study.toml"), study).unwrap();
    let output = catherd()
        .current_dir(place.path())
        .args(["run", "study.toml", "--out", "out", "--quiet"])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let criteria = fs::read_to_string(place.path().join("out/criteria.csv")).unwrap();
    let counts = |name: &str| -> Vec<(usize, usize)> {
        let rows = criteria.lines().filter(|line| line.split(',').any(|cell| cell == name));
        let number = |cell: Option<&str>| cell.and_then(|cell| cell.parse().ok()).unwrap();
        rows.map(|row| {
            let cells: Vec<&str> = row.split(',').collect();
            let at = cells.iter().position(|cell| *cell == name).unwrap();
            (number(cells.get(at + 1).copied()), number(cells.get(at + 2).copied()))
        })
        .collect()
    };
    for (name, missed) in [("blocks", 1), ("branches", 1)] {
        let found = counts(name);
        assert_eq!(found.len(), 2, "{criteria}");
        for (goals, covered) in found {
            assert_eq!(goals - covered, missed, "{name}: {criteria}");
        }
    }
    let goals = fs::read_to_string(place.path().join("out/goals.csv")).unwrap();
    assert!(goals.lines().any(|line| line.contains(",branches,")), "{goals}");
}
