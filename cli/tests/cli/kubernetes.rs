//! Executes the steps of docs/how-to/kubernetes.md in order on loopback: the commands of the page,
//! and the containers of deploy/kubernetes with other folders and addresses.

#![cfg(unix)]

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::support::cluster::{Process, start};
use crate::support::{digests, program, two_projects};
use tempfile::TempDir;

fn text(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    fs::read_to_string(&path).unwrap_or_else(|cause| panic!("{}: {cause}", path.display()))
}

/// Returns the commands of the page that begin with these words, with continuation lines joined.
fn commands(begin: &str) -> Vec<String> {
    let page = text("docs/how-to/kubernetes.md").replace("\\\n", " ");
    let lines = page.lines().map(str::trim).filter(|line| line.starts_with(begin));
    lines.map(str::to_owned).collect()
}

/// Returns the list of words after `key: [` in the container of this name.
fn words(container: &str, key: &str) -> Vec<String> {
    let manifest = ["coordinator", "workers"]
        .map(|name| text(&format!("deploy/kubernetes/base/{name}.yaml")))
        .concat();
    let (_, rest) = manifest.split_once(&format!("- name: {container}\n")).unwrap();
    let (_, rest) = rest.split_once(&format!("{key}: [")).unwrap();
    let (list, _) = rest.split_once(']').unwrap();
    list.split(',').map(|word| word.trim().trim_matches('"').to_owned()).collect()
}

/// The command `catherd` is the program under test.
fn shell(folder: &Path, line: &str, environment: &[(String, String)]) {
    let bin = folder.join("bin");
    fs::create_dir_all(&bin).unwrap();
    let link = bin.join("catherd");
    if !link.exists() {
        std::os::unix::fs::symlink(program(), &link).unwrap();
    }
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let output = Command::new("sh")
        .args(["-c", line])
        .current_dir(folder)
        .env("PATH", path)
        .envs(environment.iter().map(|(name, value)| (name, value)))
        .output()
        .unwrap();
    assert!(output.status.success(), "{line}: {}", crate::support::stderr(&output));
}

/// Creates a folder for each secret, as in a pod, and returns the parent folder.
fn secrets(folder: &Path) -> PathBuf {
    let secrets = folder.join("secrets");
    let all = commands("kubectl create secret generic").into_iter();
    for line in all.filter(|line| line.contains("--from-file=")) {
        let mut words = line.split_whitespace().skip(4);
        let secret = secrets.join(words.next().unwrap());
        fs::create_dir_all(&secret).unwrap();
        for file in words.map(|word| word.strip_prefix("--from-file=").unwrap()) {
            let (name, source) = file.split_once('=').unwrap();
            fs::copy(folder.join(source), secret.join(name)).unwrap();
        }
    }
    secrets
}

fn replaced(arguments: &[String], changes: &[(&str, &str)]) -> Vec<String> {
    let change = |word: &String| {
        changes.iter().fold(word.clone(), |word, (from, to)| word.replace(from, to))
    };
    arguments.iter().map(change).collect()
}

fn started(arguments: &[String]) -> Process {
    start(&arguments.iter().map(String::as_str).collect::<Vec<_>>())
}

#[test]
fn the_steps_of_the_page_lead_from_nothing_to_results() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    for line in commands("catherd certs").iter().chain(&commands("catherd token")) {
        shell(folder, line, &[]);
    }
    let secrets = secrets(folder);
    let secret = |name: &str| secrets.join(name).to_str().unwrap().to_owned();

    let (data, spool) = (folder.join("data"), folder.join("spool"));
    let mut coordinator = started(&replaced(
        &words("coordinator", "args"),
        &[
            ("/data", data.to_str().unwrap()),
            ("/secret", &secret("catherd-coordinator")),
            ("0.0.0.0:7420", "127.0.0.1:0"),
            ("0.0.0.0:7421", "127.0.0.1:0"),
        ],
    ));
    let log = BufReader::new(coordinator.0.stderr.take().unwrap()).lines();
    let mut log = log.map(Result::unwrap);
    let serving = log.find(|line| line.contains(" studies of ")).unwrap();
    let digits = serving.rsplit("127.0.0.1:").next().unwrap();
    let port: String = digits.chars().take_while(char::is_ascii_digit).collect();
    let address = format!("localhost:{port}");
    // Read the rest of the log, because the coordinator continues to write to it.
    std::thread::spawn(move || log.for_each(drop));

    let probe = replaced(
        &words("coordinator", "command"),
        &[("localhost:7420", &address), ("/secret", &secret("catherd-coordinator"))],
    );
    let healthy = Command::new(program()).args(&probe[1..]).output().unwrap();
    assert!(healthy.status.success(), "{}", crate::support::stderr(&healthy));
    let mut live = probe.clone();
    live.insert(2, "--live".to_owned());
    let live = Command::new(program()).args(&live[1..]).output().unwrap();
    assert!(live.status.success(), "{}", crate::support::stderr(&live));

    let _worker = started(&replaced(
        &words("worker", "args"),
        &[
            ("catherd-0.catherd:7420", &address),
            ("$(POD)", "pod"),
            ("/spool/spool", spool.to_str().unwrap()),
            ("/cache", folder.join("cache").to_str().unwrap()),
            ("/secret", &secret("catherd-worker")),
        ],
    ));

    // A small study replaces the smoke study.
    two_projects(&folder.join("experiments/projects"));
    let study = "name = \"smoke\"\nprojects = [\"projects\"]\nalgorithms = [\"random\"]\n\
                 seeds = 2\nbudget = { executions = 5 }\n";
    fs::write(folder.join("experiments/smoke.toml"), study).unwrap();
    let exports = commands("export ");
    let environment: Vec<(String, String)> = exports[0]
        .split_whitespace()
        .skip(1)
        .map(|setting| setting.replace("localhost:7420", &address))
        .map(|setting| setting.split_once('=').map(|(a, b)| (a.into(), b.into())).unwrap())
        .collect();
    for begin in ["catherd submit", "catherd watch", "catherd results"] {
        shell(folder, &commands(begin)[0], &environment);
    }
    assert_eq!(digests(&folder.join("results/smoke")).len(), 4);
}

#[test]
fn a_probe_of_a_coordinator_that_is_away_fails() {
    let mut command = Command::new(program());
    command.args(["health", "--coordinator", "127.0.0.1:1", "--timeout", "3"]);
    let output = command.stdout(Stdio::null()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(
        crate::support::stderr(&output).contains("no answer"),
        "{}",
        crate::support::stderr(&output)
    );
}
