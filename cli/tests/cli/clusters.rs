//! Tests, with the binary, clusters that several people share, and commands about their workers,
//! estimates, metrics and old results.

use std::collections::BTreeSet;
use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::cluster::{Process, coordinator, run_with, start, succeed, worker};
use crate::support::{ENVIRONMENT, catherd, digests, program, stderr, two_files};

fn study(folder: &Path, name: &str, seeds: usize, parameters: &str) -> String {
    two_files(&folder.join("files"));
    let file = folder.join(format!("{name}.toml"));
    let text = format!(
        "name = '{name}'\nsubject = 'noop'\nprojects = ['files']\nseeds = {seeds}\n\
         algorithms = [{{ name = '{name}', parameters = {{ {parameters} }} }}]\n\
         [budget]\nexecutions = 1\n"
    );
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn status(address: &str) -> Value {
    serde_json::from_str(&succeed(&["status", "--json"], address)).unwrap()
}

fn of<'s>(status: &'s Value, name: &str) -> &'s Value {
    let studies = status["studies"].as_array().unwrap();
    studies.iter().find(|study| study["name"] == name).unwrap()
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "{what}");
        // Checking a condition often starts a process, which takes about as long as this pause.
        std::thread::sleep(Duration::from_millis(100));
    }
}

fn signal(process: u32, signal: Signal) {
    kill_process(Pid::from_raw(process as i32).unwrap(), signal).unwrap();
}

fn named(address: &str, folder: &Path, name: &str, more: &[&str]) -> Process {
    let spool = folder.join("spools").join(name).display().to_string();
    let arguments = ["worker", "--connect", address, "--name", name, "--spool", &spool];
    start(&[&arguments[..], more].concat())
}

/// A client may be suspended, as on a laptop that sleeps. If the connection is lost, the remaining
/// results are fetched over a new connection.
#[test]
#[ignore = "slow"]
fn results_arrive_although_the_client_does_not_run_for_a_while() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "many", 4000, "ms = 0");
    succeed(&["submit", &file], &address);
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(worker.0.wait().unwrap().success());

    let out = folder.path().join("out");
    let mut command = Command::new(program());
    command
        .args(["results", "many", "--out"])
        .arg(&out)
        .args(["--coordinator", &address])
        .envs(ENVIRONMENT)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let client = command.spawn().unwrap();
    // Suspend the client when it has begun to write the results, which takes a different time on
    // each machine.
    let start = Instant::now();
    while !out.join("tables.partial/runs.csv.partial").exists() {
        assert!(start.elapsed() < Duration::from_secs(300), "no results");
        std::thread::sleep(Duration::from_micros(500));
    }
    signal(client.id(), Signal::STOP);
    std::thread::sleep(Duration::from_secs(13));
    signal(client.id(), Signal::CONT);
    let output = client.wait_with_output().unwrap();
    let told = stderr(&output);
    assert_eq!(output.status.code(), Some(0), "{told}");
    assert!(told.contains("trying again") && told.contains("answers again"), "{told}");
    assert_eq!(digests(&out).len(), 8000);
}

/// The end of the worker counts as an attempt at the run, and not as a failure of the worker to
/// start.
#[test]
fn a_run_that_ends_its_worker_is_quarantined_and_the_study_continues() {
    let folder = TempDir::new().unwrap();
    two_files(&folder.path().join("files"));
    let file = folder.path().join("deadly.toml");
    let text = "subject = 'noop'\nprojects = ['files']\nseeds = 4\n\
                algorithms = [{ name = 'calm', parameters = { ms = 30 } },\
                              { name = 'deadly', parameters = { exit = 3 } },\
                              { name = 'broken', parameters = { abort = 4 } }]\n\
                [budget]\nexecutions = 1\n";
    fs::write(&file, text).unwrap();
    let out = folder.path().join("out");
    let output = catherd().arg("run").arg(&file).arg("--out").arg(&out).output().unwrap();
    let (told, shown) = (stderr(&output), String::from_utf8_lossy(&output.stdout).into_owned());
    assert_eq!(output.status.code(), Some(2), "{told}");
    let state: Value =
        serde_json::from_slice(&fs::read(out.join("study-state.json")).unwrap()).unwrap();
    assert_eq!((&state["done"], &state["quarantined"]), (&20.into(), &4.into()), "{state} {told}");
    assert!(shown.contains("the worker process ended during the run: exit status: 7"), "{shown}");
    assert!(shown.contains("signal: 6"), "{shown}");
}

/// Token files of several people.
struct People {
    tokens: String,
    folder: PathBuf,
}

impl People {
    fn new(folder: &Path) -> People {
        let people = People {
            tokens: folder.join("tokens").display().to_string(),
            folder: folder.to_owned(),
        };
        for (role, name) in [
            ("submitter", "ada"),
            ("submitter", "bob"),
            ("administrator", "eve"),
            ("worker", "ants"),
        ] {
            let file = people.file(name);
            let arguments = ["token", role, "--name", name, "--file", &people.tokens, "-o", &file];
            assert!(catherd().args(arguments).output().unwrap().status.success());
        }
        people
    }

    fn file(&self, name: &str) -> String {
        self.folder.join(format!("{name}.token")).display().to_string()
    }

    fn run(&self, name: &str, arguments: &[&str], address: &str) -> Output {
        run_with(&[arguments, &["--token-file", &self.file(name)]].concat(), address)
    }

    fn succeed(&self, name: &str, arguments: &[&str], address: &str) -> String {
        let output = self.run(name, arguments, address);
        assert_eq!(output.status.code(), Some(0), "{arguments:?}: {}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    }
}

#[test]
fn a_study_is_changed_by_its_owner_or_an_administrator_only() {
    let folder = TempDir::new().unwrap();
    let people = People::new(folder.path());
    let (_process, address) = coordinator(
        &folder.path().join("data"),
        &["--listen", "127.0.0.1:0", "--tokens", &people.tokens],
    );
    let file = study(folder.path(), "games", 3, "ms = 1");
    people.succeed("ada", &["submit", &file], &address);
    let commands: [&[&str]; 6] = [
        &["pause", "games"],
        &["cancel", "games"],
        &["resume", "games"],
        &["share", "games", "--share", "100"],
        &["submit", &file, "--seeds", "9"],
        &["delete", "games"],
    ];
    for command in commands {
        let output = people.run("bob", command, &address);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{command:?}: {told}");
        assert!(told.contains("study `games` belongs to ada"), "{told}");
    }
    let output = people.run("bob", &["drain", "w"], &address);
    assert!(stderr(&output).contains("requires an administrator token"), "{}", stderr(&output));
    let text = people.succeed("bob", &["status", "--json"], &address);
    let status: Value = serde_json::from_str(&text).unwrap();
    let games = of(&status, "games");
    assert_eq!((&games["owner"], &games["share"]), (&"ada".into(), &1.into()), "{status}");
    assert_eq!((&games["state"], &games["planned"]), (&"active".into(), &6.into()), "{status}");
    for who in ["ada", "eve"] {
        people.succeed(who, &["pause", "games"], &address);
        people.succeed(who, &["resume", "games"], &address);
    }
    people.succeed("ada", &["submit", &file, "--seeds", "4"], &address);
    people.succeed("eve", &["delete", "games"], &address);
    // The name is free again.
    people.succeed("bob", &["submit", &file], &address);
}

#[test]
#[ignore = "slow"]
fn workers_are_divided_by_shares() {
    let folder = TempDir::new().unwrap();
    let people = People::new(folder.path());
    let (_process, address) = coordinator(
        &folder.path().join("data"),
        &["--listen", "127.0.0.1:0", "--tokens", &people.tokens],
    );
    // The large study is submitted first and has longer runs.
    let large = study(folder.path(), "large", 500, "ms = 150");
    let small = study(folder.path(), "small", 500, "ms = 50");
    people.succeed("ada", &["submit", &large, "--share", "1"], &address);
    people.succeed("bob", &["submit", &small, "--share", "3"], &address);
    let token = people.file("ants");
    let with = ["--token-file", &*token];
    let _workers = ["w1", "w2"].map(|name| named(&address, folder.path(), name, &with));
    let spent = || {
        let text = people.succeed("eve", &["status", "--json"], &address);
        let status: Value = serde_json::from_str(&text).unwrap();
        ["large", "small"].map(|name| of(&status, name)["spent_ms"].as_f64().unwrap())
    };
    wait_until("the workers begin", || spent().iter().sum::<f64>() > 1000.0);
    let before = spent();
    std::thread::sleep(Duration::from_secs(12));
    let after = spent();
    let [large, small] = [after[0] - before[0], after[1] - before[1]];
    let share = small / (large + small);
    assert!((0.675..0.825).contains(&share), "{share}: {before:?} {after:?}");
    let text = people.succeed("eve", &["status"], &address);
    assert!(text.contains("priority") && text.contains("core-h left"), "{text}");
}

#[test]
#[ignore = "slow"]
fn why_says_why_a_run_waits() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "games", 2, "ms = 60000");
    succeed(&["submit", &file, "--quota", "1"], &address);
    let database = rusqlite::Connection::open(folder.path().join("data/study.db")).unwrap();
    let ids: Vec<String> = {
        let mut rows = database.prepare("select hex(id) from runs order by number").unwrap();
        rows.query_map((), |row| row.get::<_, String>(0)).unwrap().map(Result::unwrap).collect()
    };
    let all: BTreeSet<&String> = ids.iter().collect();
    assert_eq!(all.len(), 4);
    let why = |run: &str| succeed(&["why", run], &address);
    let reasons = || ids.iter().map(|id| why(&id[..12])).collect::<Vec<_>>().join("\n");
    assert!(why(&ids[0]).contains("- there is no worker"), "{}", why(&ids[0]));
    succeed(&["block", "w"], &address);
    let worker = worker(&address, folder.path(), &[]);
    wait_until("the worker is blocked", || why(&ids[0]).contains("drained or blocked"));
    succeed(&["undrain", "w"], &address);
    wait_until("a run is executed", || reasons().contains("worker w executes it"));
    assert!(reasons().contains("its quota allows (1)"), "{}", reasons());
    succeed(&["share", "games", "--quota", "0", "--priority", "5"], &address);
    let text = reasons();
    assert!(text.contains("it waits for its turn: study `games` has 1 of 1 workers"), "{text}");
    assert!(text.contains("priority 5"), "{text}");
    succeed(&["pause", "games"], &address);
    assert!(reasons().contains("study `games` is paused"), "{}", reasons());
    let unknown = run_with(&["why", "00000000ffff"], &address);
    assert!(
        stderr(&unknown).contains("there is no run whose id begins with"),
        "{}",
        stderr(&unknown)
    );
    let wrong = run_with(&["why", "xyz"], &address);
    assert!(stderr(&wrong).contains("4 to 64 hexadecimal digits"), "{}", stderr(&wrong));
    drop(worker);
}

/// A run that is handed back does not count as an attempt.
#[test]
#[ignore = "slow"]
fn a_worker_that_drains_hands_its_run_back() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "long", 1, "ms = 100000");
    succeed(&["submit", &file], &address);
    let leased = || of(&status(&address), "long")["leased"] == 1;
    let endings: [&[&str]; 2] = [&["--grace", "1"], &["--until", "20s"]];
    for (number, more) in endings.into_iter().enumerate() {
        let mut worker = named(&address, folder.path(), "w", more);
        wait_until("a run is leased", leased);
        let start = Instant::now();
        if number == 0 {
            signal(worker.0.id(), Signal::TERM);
        }
        let ended = worker.0.wait().unwrap();
        assert!(ended.success() && start.elapsed() < Duration::from_secs(60), "{ended}");
        wait_until("the run waits again", || of(&status(&address), "long")["pending"] == 2);
    }
    let database = rusqlite::Connection::open(folder.path().join("data/study.db")).unwrap();
    let count = |sql: &str| database.query_row(sql, (), |row| row.get::<_, i64>(0)).unwrap();
    assert_eq!(count("select sum(attempt + losses + crashes) from runs"), 0);
    assert_eq!(count("select count(*) from breakdowns"), 0);
}

#[test]
#[ignore = "slow"]
fn a_worker_leases_nothing_that_would_outlast_its_allocation() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "long", 4, "ms = 2500");
    succeed(&["submit", &file], &address);
    // Until a run has been measured, the expected time is unknown.
    let first = named(&address, folder.path(), "first", &[]);
    wait_until("a run is measured", || of(&status(&address), "long")["done"] == 1);
    drop(first);
    let mut short = named(&address, folder.path(), "short", &["--until", "12s"]);
    wait_until("the runs are too long", || status(&address)["too_long"][0]["algorithm"] == "long");
    let text = succeed(&["status"], &address);
    assert!(text.contains("no worker stays for longer than"), "{text}");
    assert!(short.0.wait().unwrap().success());
    assert_eq!(of(&status(&address), "long")["done"], 1);
    let _long = named(&address, folder.path(), "enough", &["--until", "10min"]);
    wait_until("the runs end", || of(&status(&address), "long")["done"] == 8);
}

#[test]
#[ignore = "slow"]
fn workers_are_drained_and_blocked_by_name_and_host() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "games", 200, "ms = 50");
    succeed(&["submit", &file], &address);
    let mut one = named(&address, folder.path(), "one", &[]);
    let _two = named(&address, folder.path(), "two", &[]);
    let workers = || of(&status(&address), "games")["workers"].clone();
    wait_until("both work", || workers() == 2);
    let output = run_with(&["drain", "one"], &address);
    assert!(
        stderr(&output).contains("worker one: workers of this name will finish"),
        "{}",
        stderr(&output)
    );
    assert!(one.0.wait().unwrap().success());
    // All workers run on the same host.
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap().trim().to_owned();
    let output = run_with(&["block", &host], &address);
    assert!(stderr(&output).contains("get no further runs: "), "{}", stderr(&output));
    wait_until("the other is blocked", || workers() == 0);
    let done = of(&status(&address), "games")["done"].clone();
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(of(&status(&address), "games")["done"], done);
    succeed(&["undrain", &host], &address);
    wait_until("it works again", || workers() == 1);
}

#[test]
fn commands_take_a_list_of_coordinators() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let list = format!("127.0.0.1:1,{address}");
    let file = study(folder.path(), "games", 1, "ms = 1");
    succeed(&["submit", &file], &list);
    succeed(&["health"], &list);
    assert!(succeed(&["status"], &list).contains("games"));
    let none = run_with(&["status"], "127.0.0.1:1,127.0.0.1:2");
    assert!(stderr(&none).contains("nothing listens there"), "{}", stderr(&none));
}

#[test]
fn a_study_is_estimated_before_it_is_submitted() {
    let folder = TempDir::new().unwrap();
    let (_process, address) =
        coordinator(&folder.path().join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder.path(), "games", 5, "ms = 200");
    let plan = |more: &[&str]| succeed(&[&["submit", &file, "--plan"], more].concat(), &address);
    let text = plan(&[]);
    assert!(text.contains("10 runs") && text.contains("10 runs: unknown"), "{text}");
    assert_eq!(status(&address)["studies"], serde_json::json!([]), "nothing is submitted");
    succeed(&["submit", &file, "--seeds", "2"], &address);
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(worker.0.wait().unwrap().success());
    // 996 runs of 200 ms take 199 s in total.
    let text = plan(&["--seeds", "500", "--on", "4"]);
    assert!(text.contains("1000 runs, 4 already ended"), "{text}");
    assert!(text.contains("996 runs: 0.06 core-hours, from runs of the same"), "{text}");
    assert!(
        text.contains("On 4 workers: about 5") || text.contains("On 4 workers: about a minute"),
        "{text}"
    );
}

/// Of the Grafana dashboard, only the names of metrics are compared with `/metrics`, because
/// testing the expressions would need a server.
#[test]
fn metrics_and_the_hook_tell_about_the_end_of_a_study() {
    let folder = TempDir::new().unwrap();
    let told = folder.path().join("told");
    let hook =
        format!("echo \"$CATHERD_STUDY $CATHERD_DONE $CATHERD_PLANNED\" > {}", told.display());
    let data = folder.path().join("data").display().to_string();
    let arguments = ["coordinator", "--dir", &data, "--listen", "127.0.0.1:0"];
    let more = ["--dashboard", "127.0.0.1:0", "--on-end", &hook];
    let mut process = start(&[&arguments[..], &more].concat());
    let mut lines = BufReader::new(process.0.stderr.take().unwrap()).lines().map(Result::unwrap);
    let mut port = |word: &str| {
        let line = lines.find(|line| line.contains(word)).unwrap();
        line.trim_end_matches('/').rsplit(':').next().unwrap().to_owned()
    };
    let dashboard = format!("127.0.0.1:{}", port("dashboard: "));
    let address = format!("127.0.0.1:{}", port("serving "));
    let file = study(folder.path(), "games", 3, "ms = 1");
    succeed(&["submit", &file], &address);
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(worker.0.wait().unwrap().success());
    wait_until("the hook", || fs::read_to_string(&told).is_ok_and(|text| text == "games 6 6\n"));
    let mut stream = std::net::TcpStream::connect(&dashboard).unwrap();
    write!(stream, "GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let mut metrics = String::new();
    stream.read_to_string(&mut metrics).unwrap();
    assert!(
        metrics.contains("catherd_leader 1") && metrics.contains("catherd_build_info{version=")
    );
    assert!(metrics.contains("end=\"accepted\"} 6"), "{metrics}");
    assert!(!metrics.contains("catherd_request_seconds_count{request=\"commit\"} 0"), "{metrics}");
    let grafana: Value =
        serde_json::from_str(include_str!("../../../deploy/grafana.json")).unwrap();
    for panel in grafana["panels"].as_array().unwrap() {
        let expression = panel["targets"][0]["expr"].as_str().unwrap();
        let name = expression.split(|c: char| !c.is_alphanumeric() && c != '_');
        let name = name.into_iter().find(|word| word.starts_with("catherd_")).unwrap();
        assert!(
            metrics.contains(&format!("# TYPE {} ", name.trim_end_matches("_bucket"))),
            "{name}"
        );
    }
}

#[test]
#[ignore = "slow"]
fn results_that_no_study_contains_are_pruned() {
    let folder = TempDir::new().unwrap();
    let data = folder.path().join("data");
    let (process, address) = coordinator(&data, &["--listen", "127.0.0.1:0"]);
    for (name, seeds) in [("kept", 3), ("dropped", 4)] {
        let file = study(folder.path(), name, seeds, "ms = 0");
        succeed(&["submit", &file], &address);
    }
    fs::write(folder.path().join("files/three"), vec![7; 3_000_000]).unwrap();
    let file = study(folder.path(), "dropped", 4, "ms = 0");
    succeed(&["submit", &file], &address);
    let mut worker = worker(&address, folder.path(), &["--idle", "1"]);
    assert!(worker.0.wait().unwrap().success());
    succeed(&["delete", "dropped"], &address);
    let prune = |time: &str| {
        let arguments = ["prune", "--dir", data.to_str().unwrap(), "--older-than", time];
        catherd().args(arguments).output().unwrap()
    };
    let refused = prune("0d");
    assert!(stderr(&refused).contains("another catherd is serving"), "{}", stderr(&refused));
    drop(process);
    let size = || fs::metadata(data.join("study.db")).unwrap().len();
    let said = |output: Output| {
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        String::from_utf8(output.stdout).unwrap()
    };
    // The project is removed because no study contains it; the results are not old enough.
    let text = said(prune("1h"));
    assert!(text.contains("the results of 0 runs and 1 project were removed"), "{text}");
    assert!(size() < 2_000_000, "{}", size());
    let text = said(prune("0s"));
    assert!(text.contains("the results of 12 runs and 0 projects were removed"), "{text}");
    // The other study still has all its results, and the removed runs can be executed again.
    let (_process, address) = coordinator(&data, &["--listen", &address]);
    let kept = status(&address);
    assert_eq!(of(&kept, "kept")["done"], 6, "{kept}");
    succeed(&["submit", &file], &address);
    assert_eq!(of(&status(&address), "dropped")["pending"], 12);
}
