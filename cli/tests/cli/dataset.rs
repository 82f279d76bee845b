//! Tests the commands for corpora, and studies of corpora and of synthetic projects.

#[path = "../../../subjects/scratch/corpora/examples/simulated_scratch/server.rs"]
mod server;
use std::fs;
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use self::server::{Population, Server};
use crate::support::{catherd, stderr, two_projects};
use catherd_scratch_corpora::corpus::{Corpus, Sha, compare};
use catherd_scratch_corpora::synth;
use catherd_scratch_suite::goals::{self, GoalSettings};
use tempfile::TempDir;

fn stdout(output: &std::process::Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn sampling(server: &Server, folder: &Path) -> Command {
    let addresses = server.addresses();
    let mut command = Command::new(assert_cmd::cargo::cargo_bin!("catherd"));
    command
        .args(["dataset", "sample", "--ids", "9000..10000", "--count", "25", "--seed", "1"])
        .args(["--rate", "100000", "--backoff", "1", "--retries", "9", "--contact", "me@home"])
        .args(["--api", &addresses.api, "--projects", &addresses.projects])
        .args(["--assets", &addresses.assets, "-o"])
        .arg(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

#[test]
#[ignore = "slow"]
fn a_killed_sample_results_in_the_same_corpus() {
    let place = TempDir::new().unwrap();
    let (calm, faulty) = (place.path().join("calm"), place.path().join("faulty"));
    let server = Server::start(Population::new(1, 0), 0).unwrap();
    let output = sampling(&server, &calm).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    for line in ["accepted             25", "no shared project found", "remix of another"] {
        assert!(text.contains(line), "{text}");
    }
    assert!(server.log().iter().all(|request| request.user_agent.contains("me@home")));

    let server = Server::start(Population::new(1, 100), 0).unwrap();
    for kills in 1..=2 {
        let mut child = sampling(&server, &faulty).spawn().unwrap();
        let log = faulty.join("probes.jsonl");
        let lines = || fs::read_to_string(&log).map_or(0, |text| text.lines().count());
        let start = Instant::now();
        while lines() < kills * 15 && start.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(2));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!faulty.join("corpus.toml").exists());
    }
    let output = sampling(&server, &faulty).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("failed attempts: "), "{}", stdout(&output));
    let (calm, faulty) = (Corpus::read(&calm).unwrap(), Corpus::read(&faulty).unwrap());
    let difference = compare(&calm, &faulty);
    assert!(difference.is_empty() && !difference.other_recipe, "{difference:?}");
    assert_eq!(calm.metadata, faulty.metadata);
    let verified = catherd().args(["dataset", "verify"]).arg(&faulty.folder).output().unwrap();
    assert_eq!(verified.status.code(), Some(0), "{}", stdout(&verified));
}

#[test]
fn an_interrupted_sample_says_how_to_continue() {
    let place = TempDir::new().unwrap();
    let mut command = catherd();
    let output = command
        .args(["dataset", "sample", "--ids", "1..9", "--count", "2", "--retries", "0"])
        .args(["--api", "http://127.0.0.1:1", "--connections", "1", "-o"])
        .arg(place.path().join("x"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("Run the same command again to continue"),
        "{}",
        stderr(&output)
    );
    for (arguments, word) in [
        (&["--ids", "9..1", "--count", "1"][..], "must be smaller"),
        (&["--ids", "1..9"], "--count"),
        (&["--count", "3"], "--ids"),
        (&["--ids", "1..9", "--count", "1", "--rate", "0"], "requests per second"),
    ] {
        let mut command = catherd();
        command.args(["dataset", "sample", "-o", "x"]).args(arguments);
        let output = command.output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(stderr(&output).contains(word), "{}", stderr(&output));
    }
}

#[test]
fn corpora_are_generated_described_split_and_compared() {
    let place = TempDir::new().unwrap();
    let run = |arguments: &[&str]| {
        let mut command = catherd();
        command.current_dir(place.path()).arg("dataset").args(arguments).output().unwrap()
    };
    let synthetic = run(&["synth", "--count", "8", "--seed", "3", "-o", "all"]);
    assert_eq!(synthetic.status.code(), Some(0), "{}", stderr(&synthetic));
    assert!(stdout(&synthetic).starts_with("all: 8 projects, digest "), "{}", stdout(&synthetic));
    let parts = run(&["split", "all", "--parts", "a=3,b=5", "-o", "parts"]);
    assert_eq!(stdout(&parts).lines().count(), 2, "{}", stderr(&parts));
    let differ = run(&["diff", "parts/a", "parts/b"]);
    assert_eq!((differ.status.code(), stdout(&differ).matches("\n").count()), (Some(2), 9));
    assert_eq!(run(&["diff", "all", "all"]).status.code(), Some(0));
    let frozen = run(&["export", "all", "--frozen", "list.csv"]);
    assert_eq!(stdout(&frozen), "list.csv: 8 projects\n");

    two_projects(&place.path().join("games"));
    fs::write(place.path().join("games/broken.sb3"), "PK").unwrap();
    let added = run(&["add", "games", "-o", "local", "--licence", "CC0-1.0"]);
    assert_eq!(added.status.code(), Some(2), "{}", stderr(&added));
    assert!(stderr(&added).contains("broken.sb3"), "{}", stderr(&added));
    assert!(stdout(&added).starts_with("added 2, left out 0"), "{}", stdout(&added));
    assert_eq!(run(&["verify", "local"]).status.code(), Some(0));

    let described = run(&["describe", "all", "local", "-o", "out"]);
    assert_eq!(described.status.code(), Some(0), "{}", stderr(&described));
    let text = stdout(&described);
    for words in ["10 projects", "statements", "event_whenflagclicked", "near-duplicates: 1 "] {
        assert!(text.contains(words), "{text}");
    }
    let rows = fs::read_to_string(place.path().join("out/projects.csv")).unwrap();
    assert_eq!(rows.lines().count(), 11, "{rows}");
    for figure in ["sizes.svg", "opcodes.svg"] {
        let svg = fs::read_to_string(place.path().join("out").join(figure)).unwrap();
        assert!(svg.contains("n = 10"), "{svg}");
    }
    let absent = run(&["verify", "games"]);
    assert_eq!(absent.status.code(), Some(1));
    assert!(stderr(&absent).contains("is not a corpus"), "{}", stderr(&absent));
}

#[test]
fn a_study_of_synthetic_projects_needs_no_files() {
    let place = TempDir::new().unwrap();
    let study = "projects = { synthetic = { count = 3, seed = 2 } }\nalgorithms = ['random']\n\
                 seeds = 1\n[budget]\nexecutions = 3\n";
    fs::write(place.path().join("tiny.toml"), study).unwrap();
    let mut command = catherd();
    let output = command.current_dir(place.path()).args(["run", "tiny.toml"]).output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let runs = fs::read_to_string(place.path().join("results/tiny/runs.csv")).unwrap();
    for project in ["synthetic-0001", "synthetic-0002", "synthetic-0003"] {
        assert!(runs.contains(project), "{runs}");
    }
}

#[test]
fn synthetic_projects_have_goals_and_little_dead_code() {
    let (mut goals, mut statements) = (0, 0);
    for number in 1..=60 {
        let loaded = synth::project(1, number);
        let reachable = goals::find(&loaded.project, GoalSettings::default()).len();
        assert!(reachable >= 2, "{number}");
        goals += reachable;
        statements += catherd_scratch_corpora::describe(&loaded.project).statements;
    }
    assert!(goals * 100 > statements * 97, "{goals} of {statements}");
}

#[test]
#[ignore = "slow"]
fn projects_of_a_fetched_list_are_grouped_by_author() {
    let place = TempDir::new().unwrap();
    let archives: Vec<Vec<u8>> = (0..8).map(|number| synth::project(3, number).archive).collect();
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut list = "id,address,sha256,author\n".to_owned();
    for (number, archive) in archives.iter().enumerate() {
        let (sha, author) = (Sha::of(archive), ["Ada", "bob", "ADA"][number % 3]);
        list += &format!("p{number},http://127.0.0.1:{port}/{number},{sha},{author}\n");
    }
    fs::write(place.path().join("list.csv"), list).unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let read = stream.read(&mut request).unwrap_or(0);
            let path = String::from_utf8_lossy(&request[..read]).into_owned();
            let number = path.split(['/', ' ']).nth(2).and_then(|word| word.parse::<usize>().ok());
            let body = number.and_then(|number| archives.get(number)).cloned().unwrap_or_default();
            let head = format!(
                "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                body.len()
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    let here = |arguments: &[&str]| {
        let output = catherd().current_dir(place.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    let text = here(&["dataset", "fetch", "list.csv", "-o", "corpus", "--rate", "1000", "-q"]);
    assert!(text.contains("corpus: 8 projects"), "{text}");
    let flags = ["--algorithms", "random", "--seeds", "2", "--executions", "3", "--quiet"];
    here(&[&["run", "--projects", "corpus", "--out", "out"][..], &flags].concat());
    let projects = fs::read_to_string(place.path().join("out/projects.csv")).unwrap();
    assert!(projects.lines().next().unwrap().ends_with(",group"), "{projects}");
    let groups: std::collections::BTreeSet<&str> =
        projects.lines().skip(1).filter_map(|line| line.rsplit(',').next()).collect();
    assert_eq!(groups.len(), 2, "{projects}");
    here(&["report", "out", "--out", "report", "--figures", "svg"]);
    let shares = fs::read_to_string(place.path().join("report/tables/group-shares.csv")).unwrap();
    assert_eq!(shares.lines().count(), 3, "{shares}");
    // Two groups are too few for an interval.
    let table = fs::read_to_string(place.path().join("report/tables/groups.csv")).unwrap();
    let row = table.lines().nth(1).unwrap();
    assert!(row.starts_with("coverage,random,,") && row.ends_with(",,,,8,2"), "{table}");
}
