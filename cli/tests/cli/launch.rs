//! Tests workers as they are used on clusters. The cluster manager is simulated by scripts with the
//! names and the output of Slurm's commands; the scripts start processes on this machine.

#![cfg(unix)]

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::cluster::{Process, coordinator, start, start_with, succeed};
use crate::support::{ENVIRONMENT, catherd, digests, program, stderr, two_files};

/// `sbatch`: starts each task of an array as a process, and writes the process id to a file.
const SBATCH: &str = r#"#!/bin/bash
script=${@: -1}
echo "$*" >>"$CLUSTER/calls"
[[ -e "$CLUSTER/refuses" ]] && { echo "sbatch: error: Invalid account" >&2; exit 1; }
job=$(($(cat "$CLUSTER/last" 2>/dev/null || echo 0) + 1))
echo $job >"$CLUSTER/last"
tasks=$(sed -n 's/^#SBATCH --array=1-//p' "$script")
for task in $(seq "$tasks"); do
    SLURM_ARRAY_JOB_ID=$job SLURM_ARRAY_TASK_ID=$task setsid bash "$script" >>"$CLUSTER/log" 2>&1 </dev/null &
    echo $! >"$CLUSTER/tasks/${job}_$task"
done
echo "Submitted batch job $job"
"#;

/// `squeue`: lists the processes that are alive.
const SQUEUE: &str = r#"#!/bin/bash
for file in "$CLUSTER"/tasks/*; do
    [[ -e "$file" ]] || continue
    pid=$(cat "$file")
    if [[ -r /proc/$pid/stat ]] && ! grep -q ') Z' "/proc/$pid/stat"; then
        echo "$(basename "$file")|RUNNING"
    fi
done
"#;

const SCANCEL: &str = r#"#!/bin/bash
echo "scancel $*" >>"$CLUSTER/calls"
for word in "$@"; do
    [[ $word == --* ]] || kill -TERM "$(cat "$CLUSTER/tasks/$word")"
done
"#;

struct Cluster {
    folder: TempDir,
}

impl Cluster {
    fn new() -> Cluster {
        let folder = TempDir::new().unwrap();
        let bin = folder.path().join("bin");
        fs::create_dir_all(folder.path().join("tasks")).unwrap();
        fs::create_dir(&bin).unwrap();
        let scontrol = "#!/bin/bash\necho 'MaxArraySize            = 3'\n";
        for (name, text) in
            [("sbatch", SBATCH), ("squeue", SQUEUE), ("scancel", SCANCEL), ("scontrol", scontrol)]
        {
            fs::write(bin.join(name), text).unwrap();
            fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        }
        Cluster { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn environment(&self) -> Vec<(String, String)> {
        let bin = self.path("bin").display().to_string();
        let path = format!("{bin}:{}", std::env::var("PATH").unwrap());
        let cluster = self.folder.path().display().to_string();
        let own = [("PATH".to_owned(), path), ("CLUSTER".to_owned(), cluster)];
        let common = ENVIRONMENT.map(|(name, value)| (name.to_owned(), value.to_owned()));
        own.into_iter().chain(common).collect()
    }

    fn launch(&self, words: &[&str]) -> Output {
        let mut command = Command::new(program());
        command.arg("launch").args(words).envs(self.environment()).current_dir(self.folder.path());
        command.output().unwrap()
    }

    fn tasks(&self) -> usize {
        let output = Command::new(self.path("bin/squeue")).envs(self.environment()).output();
        String::from_utf8(output.unwrap().stdout).unwrap().lines().count()
    }

    fn calls(&self) -> String {
        fs::read_to_string(self.path("calls")).unwrap_or_default()
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        for file in fs::read_dir(self.path("tasks")).unwrap() {
            let pid = fs::read_to_string(file.unwrap().path()).unwrap();
            if let Some(pid) = Pid::from_raw(pid.trim().parse().unwrap()) {
                let _ = kill_process(pid, Signal::KILL);
            }
        }
    }
}

fn wait_until(what: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(120), "{what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn study(folder: &Path, runs: usize, milliseconds: u32) -> String {
    two_files(&folder.join("files"));
    let file = folder.join("launch.toml");
    let text = format!(
        "name = 'launch'\nsubject = 'noop'\nprojects = ['files']\nseeds = {}\n\
         algorithms = [{{ name = 'a', parameters = {{ ms = {milliseconds} }} }}]\n\
         [budget]\nexecutions = 1\n",
        runs / 2
    );
    fs::write(&file, text).unwrap();
    file.to_str().unwrap().to_owned()
}

fn left(address: &str) -> u64 {
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], address)).unwrap();
    let studies = status["studies"].as_array().unwrap();
    let left =
        |study: &Value| study["pending"].as_u64().unwrap() + study["leased"].as_u64().unwrap();
    studies.iter().map(left).sum()
}

fn workers(address: &str) -> u64 {
    let status: Value = serde_json::from_str(&succeed(&["status", "--json"], address)).unwrap();
    status["workers"].as_u64().unwrap()
}

fn assert_same(folder: &Path, file: &str, address: &str) {
    let (out, undisturbed) = (folder.join("out"), folder.join("undisturbed"));
    succeed(&["results", "launch", "--out", out.to_str().unwrap()], address);
    let run = catherd().args(["run", file, "--out"]).arg(&undisturbed).output().unwrap();
    assert!(run.status.success(), "{}", stderr(&run));
    assert_eq!(digests(&out), digests(&undisturbed));
}

#[test]
fn a_launch_is_submitted_listed_and_stopped() {
    let cluster = Cluster::new();
    let folder = cluster.folder.path();
    let (_process, address) = coordinator(&folder.join("data"), &["--listen", "127.0.0.1:0"]);
    let local = folder.join("disk").display().to_string();
    let shape = ["--workers", "5", "--time", "1h", "--local", &local, "--idle", "60"];
    let connect = ["slurm", "--connect", &address];

    let dry = cluster.launch(&[&connect[..], &shape, &["--dry-run"]].concat());
    let shown = String::from_utf8(dry.stdout.clone()).unwrap();
    assert!(dry.status.success() && shown.contains("#SBATCH --array=1-5\n"), "{shown}");
    assert_eq!((cluster.calls(), cluster.tasks()), (String::new(), 0));

    let output = cluster.launch(&[&connect[..], &shape, &["--", "--nice=7"]].concat());
    assert!(output.status.success(), "{}", stderr(&output));
    // The largest array has two tasks.
    let submitted = String::from_utf8(output.stdout).unwrap();
    assert_eq!(submitted.matches("Submitted batch job").count(), 3, "{submitted}");
    assert!(
        cluster.calls().lines().all(|call| call.starts_with("--nice=7 /")),
        "{}",
        cluster.calls()
    );
    wait_until("five workers", || workers(&address) == 5);
    let status = cluster.launch(&["status", "catherd-slurm"]);
    let listed = String::from_utf8(status.stdout).unwrap();
    assert!(listed.contains("3_1  running\n5 tasks of catherd-"), "{listed}");
    assert!(Path::new(&local).join("catherd/spool").is_dir());

    let stopped = cluster.launch(&["stop", "catherd-slurm"]);
    assert!(stopped.status.success(), "{}", stderr(&stopped));
    wait_until("no worker", || cluster.tasks() == 0);
}

#[test]
fn nothing_is_submitted_if_the_workers_would_be_refused() {
    let cluster = Cluster::new();
    let folder = cluster.folder.path();
    let tokens = folder.join("tokens").display().to_string();
    for role in ["worker", "viewer"] {
        let file = folder.join(role).display().to_string();
        let arguments = ["token", role, "--file", &tokens, "-o", &file];
        assert!(catherd().args(arguments).output().unwrap().status.success());
    }
    let options = ["--listen", "127.0.0.1:0", "--tokens", &tokens];
    let (_process, address) = coordinator(&folder.join("data"), &options);
    let launch = |address: &str, token: &str, more: &[&str]| {
        let token = folder.join(token).display().to_string();
        let words = ["slurm", "--connect", address, "--workers", "1", "--token-file", &token];
        cluster.launch(&[&words[..], more].concat())
    };
    for (address, token, words) in [
        (
            &*address,
            "viewer",
            &[
                "would refuse the workers: this request requires a worker token",
                "catherd token worker",
            ][..],
        ),
        ("127.0.0.1:1", "worker", &["cannot be reached", "--no-check"]),
        ("file:nowhere", "worker", &["no coordinator in nowhere", "--rendezvous"]),
        (&address, "nowhere", &["cannot read the token"]),
    ] {
        let output = launch(address, token, &[]);
        let told = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{told}");
        assert!(words.iter().all(|word| told.contains(word)), "{told}");
    }
    assert_eq!(cluster.calls(), "");
    // The message of the manager is shown.
    fs::write(cluster.path("refuses"), "").unwrap();
    let told = stderr(&launch(&address, "worker", &[]));
    assert!(told.contains("sbatch: error: Invalid account"), "{told}");
    let told = stderr(&launch(&address, "worker", &["--qos", "a b"]));
    assert!(told.contains("--qos: `a b` may contain only letters"), "{told}");
    let told = stderr(&cluster.launch(&["status", "nowhere"]));
    assert!(told.contains("no launch in nowhere"), "{told}");
}

#[test]
#[ignore = "slow"]
fn a_coordinator_allocates_workers_while_runs_wait() {
    let cluster = Cluster::new();
    let folder = cluster.folder.path();
    let rendezvous = folder.join("coordinator").display().to_string();
    let data = folder.join("data").display().to_string();
    let dir = folder.join("launch").display().to_string();
    let allocate = format!(
        "slurm: --workers 0..4 --cores-per-task 2 --time 10min --idle 1 --budget 1 --max-idle 50% --dir {dir}"
    );
    let environment = cluster.environment();
    let environment: Vec<_> = environment.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    let arguments = [
        "coordinator",
        "--dir",
        &data,
        "--listen",
        "127.0.0.1:0",
        "--rendezvous",
        &rendezvous,
        "--allocate",
        &allocate,
    ];
    let _coordinator = start_with(&arguments, &environment);
    wait_until("an address", || Path::new(&rendezvous).exists());
    let address = format!("file:{rendezvous}");
    std::thread::sleep(Duration::from_secs(1));
    assert_eq!(cluster.calls(), "");

    let file = study(folder, 400, 50);
    succeed(&["submit", &file], &address);
    let mut most = 0;
    wait_until("the end of the study", || {
        most = most.max(workers(&address));
        left(&address) == 0
    });
    assert!((2..=4).contains(&most), "{most}");
    wait_until("the end of the tasks", || cluster.tasks() == 0);
    let state: Value =
        serde_json::from_slice(&fs::read(Path::new(&dir).join("launch.json")).unwrap()).unwrap();
    assert!((1.0..3600.0).contains(&state["spent"].as_f64().unwrap()), "{state}");
    assert_same(folder, &file, &address);
}

/// A coordinator that is a job of a cluster may be started again at another address.
#[test]
#[ignore = "slow"]
fn workers_follow_a_coordinator_that_moves() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let rendezvous = folder.join("coordinator").display().to_string();
    let address = format!("file:{rendezvous}");
    let spool = folder.join("spool").display().to_string();
    // The worker is started before the coordinator.
    let words = ["worker", "--connect", &address, "--name", "w", "--spool", &spool, "--idle", "5"];
    let _worker = start(&words);
    let serve = || {
        let options = ["--listen", "127.0.0.1:0", "--open", "--rendezvous", &rendezvous];
        coordinator(&folder.join("data"), &options)
    };
    let (first, former) = serve();
    let file = study(folder, 60, 100);
    succeed(&["submit", &file], &address);
    wait_until("some runs", || left(&address) < 50);
    drop(first);
    let (_second, latter) = serve();
    assert_ne!(former, latter);
    wait_until("the end of the study", || left(&address) == 0);
    assert_same(folder, &file, &address);
}

#[test]
#[ignore = "slow"]
fn a_command_starts_several_workers() {
    let folder = TempDir::new().unwrap();
    let folder = folder.path();
    let (_coordinator, address) = coordinator(&folder.join("data"), &["--listen", "127.0.0.1:0"]);
    let file = study(folder, 200, 50);
    succeed(&["submit", &file], &address);
    let spool = folder.join("spool").display().to_string();
    let words = [
        "worker",
        "--connect",
        &address,
        "--processes",
        "3",
        "--name",
        "w",
        "--spool",
        &spool,
        "--idle",
        "1",
        "--until",
        "1h",
        "--grace",
        "5",
    ];
    let mut all = start(&words);
    wait_until("three workers", || workers(&address) == 3);
    wait_until("the end of the study", || left(&address) == 0);
    assert!(all.0.wait().unwrap().success());
    assert_same(folder, &file, &address);

    // SIGTERM reaches all worker processes.
    let words = ["worker", "--connect", &address, "--processes", "all", "--spool", &spool];
    let Process(child) = &mut start(&words);
    wait_until("a worker", || workers(&address) > 0);
    std::thread::sleep(Duration::from_secs(1));
    kill_process(Pid::from_raw(child.id() as i32).unwrap(), Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    let both = ["worker", "--connect", "a:1", "--processes", "2", "--core", "0"];
    assert!(stderr(&catherd().args(both).output().unwrap()).contains("--processes"));
}
