//! Chaos tests, in which processes of a study are killed, suspended or separated from the network
//! at random. The study must end with the records of an undisturbed study: no record may be
//! missing, and no run may have two records.
//!
//! The studies are small; `tests/chaos` sets environment variables to run large studies.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use crate::support::cluster::{Process, postgres, run_with, succeed};
use crate::support::{ENVIRONMENT, program, two_files};
use catherd_coordinator::StoreUrl;
use catherd_coordinator::store::StoreReader;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;
use tempfile::TempDir;

/// Lease term of the coordinators. Processes are suspended for longer than this term.
const TERM: Duration = Duration::from_secs(2);

const STUDY: &str = "chaos";

struct Scale {
    /// Number of runs of the study, which must be even.
    runs: usize,
    kills: usize,
    workers: usize,
    /// Duration of a run in milliseconds.
    ms: usize,
    /// Seed of the faults.
    seed: usize,
    /// Duration of the partition in seconds.
    partition: usize,
}

impl Scale {
    fn read() -> Scale {
        let number = |name: &str, default| {
            let value = std::env::var(format!("CATHERD_CHAOS_{name}"));
            value.map_or(default, |value| value.parse().unwrap())
        };
        Scale {
            runs: number("RUNS", 240),
            kills: number("KILLS", 12),
            workers: number("WORKERS", 3),
            ms: number("MS", 20),
            seed: number("SEED", 1),
            partition: number("PARTITION", 5),
        }
    }
}

struct ManagedProcess {
    process: Process,
    arguments: Vec<String>,
    log: PathBuf,
    /// The time at which a suspended process is resumed.
    resume_at: Option<Instant>,
}

impl ManagedProcess {
    fn start(arguments: Vec<String>, log: PathBuf) -> ManagedProcess {
        let process = ManagedProcess::spawn(&arguments, &log);
        ManagedProcess { process, arguments, log, resume_at: None }
    }

    fn spawn(arguments: &[String], log: &Path) -> Process {
        let log = File::options().create(true).append(true).open(log).unwrap();
        let mut command = Command::new(program());
        command.envs(ENVIRONMENT);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::null()).stderr(log);
        Process(command.spawn().unwrap())
    }

    fn send(&self, signal: Signal) {
        kill_process(Pid::from_child(&self.process.0), signal).unwrap();
    }

    fn kill(&mut self) {
        self.process = ManagedProcess::spawn_after(&mut self.process, &self.arguments, &self.log);
        self.resume_at = None;
    }

    fn spawn_after(process: &mut Process, arguments: &[String], log: &Path) -> Process {
        process.0.kill().unwrap();
        process.0.wait().unwrap();
        ManagedProcess::spawn(arguments, log)
    }

    fn suspend(&mut self, time: Duration) {
        self.send(Signal::STOP);
        self.resume_at = Some(Instant::now() + time);
    }

    fn resume_if_due(&mut self) {
        if self.resume_at.take_if(|at| *at <= Instant::now()).is_some() {
            self.send(Signal::CONT);
        }
    }
}

struct Cluster {
    url: StoreUrl,
    coordinators: Vec<ManagedProcess>,
    addresses: Vec<String>,
    workers: Vec<ManagedProcess>,
    reader: StoreReader,
}

impl Cluster {
    fn start(folder: &Path, url: StoreUrl, coordinators: usize, workers: usize) -> Cluster {
        let addresses: Vec<String> = (0..coordinators).map(|_| free_address()).collect();
        let mut members = Vec::new();
        for (number, address) in addresses.iter().enumerate() {
            // Coordinators share only the store.
            let own = folder.join(format!("coordinator-{number}"));
            fs::create_dir_all(&own).unwrap();
            let store = match &url {
                StoreUrl::Sqlite(path) => path.display().to_string(),
                StoreUrl::Postgres(address) => address.clone(),
            };
            let arguments = ["coordinator", "--dir", own.to_str().unwrap(), "--listen", address];
            // Workers that connect through a proxy could not find the coordinator's token.
            let arguments = arguments.into_iter().chain(["--open"]);
            let term = TERM.as_secs().to_string();
            let arguments = arguments.chain(["--store", &store, "--term", &term]);
            members.push(ManagedProcess::start(
                arguments.map(str::to_owned).collect(),
                own.join("log"),
            ));
            wait("a coordinator serves", || run_with(&["status"], address).status.success());
        }
        let file = folder.join("chaos.toml");
        succeed(&["submit", file.to_str().unwrap()], &addresses[0]);
        let reader = StoreReader::open(&url).unwrap();
        let mut cluster =
            Cluster { url, coordinators: members, addresses, workers: Vec::new(), reader };
        for number in 0..workers {
            cluster.add_worker(folder, &number.to_string(), &cluster.addresses.join(","));
        }
        cluster
    }

    fn add_worker(&mut self, folder: &Path, name: &str, connect: &str) {
        let own = folder.join(format!("worker-{name}"));
        fs::create_dir_all(&own).unwrap();
        let spool = own.join("spool").display().to_string();
        let arguments = ["worker", "--connect", connect, "--name", name, "--spool", &spool];
        let arguments = arguments.map(str::to_owned).to_vec();
        self.workers.push(ManagedProcess::start(arguments, own.join("log")));
    }

    fn records(&mut self) -> usize {
        let coverage = self.reader.coverage().unwrap();
        coverage.first().map_or(0, |&(_, _, runs)| runs as usize)
    }

    fn wait_for_records(&mut self, records: usize) {
        loop {
            let before = self.records();
            if before >= records {
                return;
            }
            wait(&format!("more than {before} runs end"), || {
                self.coordinators
                    .iter_mut()
                    .chain(&mut self.workers)
                    .for_each(ManagedProcess::resume_if_due);
                self.records() > before
            });
        }
    }

    /// Waits for the end of the study. Returns the digests of the records by run, and the number of
    /// leases without a record.
    fn end(mut self, runs: usize) -> (BTreeMap<String, String>, usize) {
        self.wait_for_records(runs);
        for member in self.coordinators.iter_mut().chain(&mut self.workers) {
            member.resume_at = member.resume_at.map(|_| Instant::now());
            member.resume_if_due();
        }
        // Wait until the leading coordinator reports the end as well.
        let complete = |status: Value| {
            let study = &status["studies"][0];
            study["done"] == runs && study["failed"] == 0 && study["quarantined"] == 0
        };
        wait("a coordinator reports the end", || {
            self.addresses.iter().any(|address| {
                let output = run_with(&["status", "--json"], address);
                serde_json::from_slice(&output.stdout).is_ok_and(complete)
            })
        });
        let mut digests = BTreeMap::new();
        let mut attempts = 0;
        for record in StoreReader::open(&self.url).unwrap().records(0) {
            let (spec, record) = record.unwrap();
            assert_eq!(spec.id(), record.run);
            attempts += record.provenance.attempt as usize;
            let other = digests.insert(spec.id().to_string(), record.digest().to_string());
            assert_eq!(other, None, "a run has two records");
        }
        (digests, attempts - runs)
    }
}

fn free_address() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.local_addr().unwrap().to_string()
}

fn wait(condition_name: &str, mut condition: impl FnMut() -> bool) {
    let start = Instant::now();
    while !condition() {
        assert!(start.elapsed() < Duration::from_secs(300), "timed out: {condition_name}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Creates a folder with the study, and returns the records that the study must have.
fn study_folder(scale: &Scale) -> (TempDir, BTreeMap<String, String>) {
    let folder = TempDir::new().unwrap();
    two_files(&folder.path().join("projects"));
    let study = format!(
        "name = '{STUDY}'\nsubject = 'noop'\nprojects = ['projects']\nseeds = {}\n\
         algorithms = [{{ name = 'short', parameters = {{ ms = {} }} }}]\n\
         [budget]\nexecutions = 1\n",
        scale.runs / 2,
        scale.ms
    );
    fs::write(folder.path().join("chaos.toml"), study).unwrap();
    let undisturbed = StoreUrl::Sqlite(folder.path().join("undisturbed.db"));
    // The runs sleep most of the time, so many workers can share the machine.
    let cluster = Cluster::start(folder.path(), undisturbed, 1, 4 * scale.workers);
    // On a busy machine, attempts may be lost without any fault, because heartbeats arrive too
    // late.
    let (digests, _) = cluster.end(scale.runs);
    assert_eq!(digests.len(), scale.runs);
    (folder, digests)
}

/// Kills and suspends processes, spread over the whole study.
fn inject_faults(cluster: &mut Cluster, scale: &Scale) -> String {
    let start = Instant::now();
    let mut rng = ChaCha8Rng::seed_from_u64(scale.seed as u64);
    let (mut kills, mut coordinators, mut stops) = (0, 0, 0);
    while kills < scale.kills {
        cluster.wait_for_records((kills + 1) * scale.runs / (scale.kills + 2));
        std::thread::sleep(Duration::from_millis(rng.random_range(0..2 * scale.ms) as u64));
        let worker = rng.random_range(0..cluster.workers.len());
        let coordinator = rng.random_range(0..cluster.coordinators.len());
        let suspension = TERM + Duration::from_millis(rng.random_range(0..2000) as u64);
        match rng.random_range(0..40) {
            0..5 => {
                cluster.coordinators[coordinator].kill();
                coordinators += 1;
                kills += 1;
            }
            5..7 => {
                cluster.coordinators[coordinator].suspend(suspension);
                stops += 1;
            }
            7..14 => {
                cluster.workers[worker].suspend(suspension);
                stops += 1;
            }
            _ => {
                cluster.workers[worker].kill();
                kills += 1;
            }
        }
    }
    let seconds = start.elapsed().as_secs();
    format!("{kills} kills ({coordinators} of coordinators) and {stops} suspensions in {seconds} s")
}

#[expect(clippy::print_stdout, reason = "the test prints its measurements")]
fn report(measurement: &str) {
    println!("{measurement}");
}

#[test]
fn kills_and_suspensions_change_no_record() {
    let scale = Scale::read();
    let (folder, expected) = study_folder(&scale);
    let url = StoreUrl::Sqlite(folder.path().join("chaos.db"));
    let mut cluster = Cluster::start(folder.path(), url, 1, scale.workers);
    let summary = inject_faults(&mut cluster, &scale);
    let (digests, wasted) = cluster.end(scale.runs);
    report(&format!("SQLite, {} runs: {summary}; {wasted} leases lost", scale.runs));
    assert!(digests == expected, "records differ");
    assert!(wasted > 0, "no kill ended a lease");
}

#[test]
#[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"]
fn two_coordinators_on_postgresql_can_be_killed_in_turn() {
    let url = postgres("chaos");
    let scale = Scale::read();
    let (folder, expected) = study_folder(&scale);
    let mut cluster = Cluster::start(folder.path(), url, 2, scale.workers);
    // Kill the leader, to which the projects were uploaded, and start it again only later.
    cluster.wait_for_records(scale.runs / 10);
    drop(cluster.coordinators.remove(0));
    cluster.add_worker(folder.path(), "late", &cluster.addresses.join(","));
    cluster.wait_for_records(scale.runs / 5);
    let own = folder.path().join("coordinator-0");
    let arguments = cluster.coordinators[0].arguments.clone();
    let swap = |argument: String| match argument {
        other if other == cluster.addresses[1] => cluster.addresses[0].clone(),
        other => other,
    };
    let arguments = arguments.into_iter().map(swap).collect();
    cluster.coordinators.push(ManagedProcess::start(arguments, own.join("log")));

    let summary = inject_faults(&mut cluster, &scale);
    let (digests, wasted) = cluster.end(scale.runs);
    report(&format!("PostgreSQL, {} runs: {summary}; {wasted} leases lost", scale.runs));
    assert!(digests == expected, "records differ");
}

/// A suspended coordinator keeps its connection to the database, and therefore its lock.
#[test]
#[ignore = "needs PostgreSQL: set CATHERD_POSTGRES"]
fn a_coordinator_that_is_suspended_past_its_term_is_replaced() {
    let url = postgres("suspended");
    let scale = Scale::read();
    let (folder, expected) = study_folder(&scale);
    let mut cluster = Cluster::start(folder.path(), url, 2, scale.workers);
    cluster.wait_for_records(scale.runs / 4);
    cluster.coordinators[0].send(Signal::STOP);
    let suspended = Instant::now();
    // Wait until transactions in progress have completed.
    std::thread::sleep(TERM / 2);
    let before = cluster.records();
    cluster.wait_for_records(before + 1);
    let after = suspended.elapsed().as_secs_f64();
    cluster.wait_for_records(scale.runs * 3 / 4);
    cluster.coordinators[0].send(Signal::CONT);
    wait("the suspended coordinator stands by", || {
        let output = run_with(&["status", "--json"], &cluster.addresses[0]);
        let status: Value = serde_json::from_slice(&output.stdout).unwrap_or_default();
        status["standby"] == true
    });
    let (digests, wasted) = cluster.end(scale.runs);
    report(&format!(
        "PostgreSQL, {} runs: the leader was suspended at {before}; next record after {after:.1} s; \
         {wasted} leases lost",
        scale.runs
    ));
    assert!(digests == expected, "records differ");
}

/// A TCP proxy to a coordinator. A partition delays data in transit, but loses none.
struct Proxy {
    address: String,
    cut: Arc<AtomicBool>,
}

impl Proxy {
    fn to(coordinator: &str) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (cut, coordinator) = (Arc::<AtomicBool>::default(), coordinator.to_owned());
        let proxy = Proxy { address, cut: cut.clone() };
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                wait_while_cut(&cut);
                let Ok(server) = TcpStream::connect(&coordinator) else { continue };
                let ends = (client.try_clone().unwrap(), server.try_clone().unwrap());
                for (from, to) in [(client, server), (ends.1, ends.0)] {
                    let cut = cut.clone();
                    std::thread::spawn(move || forward(from, to, &cut));
                }
            }
        });
        proxy
    }
}

fn wait_while_cut(cut: &AtomicBool) {
    while cut.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn forward(mut from: TcpStream, mut to: TcpStream, cut: &AtomicBool) {
    let mut bytes = [0; 16 << 10];
    while let Ok(count @ 1..) = from.read(&mut bytes) {
        wait_while_cut(cut);
        if to.write_all(&bytes[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
}

#[test]
#[ignore = "slow"]
fn a_partition_heals_by_itself() {
    let scale = Scale::read();
    let (folder, expected) = study_folder(&scale);
    let url = StoreUrl::Sqlite(folder.path().join("partitioned.db"));
    let mut cluster = Cluster::start(folder.path(), url, 1, 0);
    let proxy = Proxy::to(&cluster.addresses[0]);
    for name in 0..scale.workers {
        cluster.add_worker(folder.path(), &format!("far-{name}"), &proxy.address);
    }
    cluster.wait_for_records(scale.runs / 4);
    proxy.cut.store(true, Ordering::Relaxed);
    std::thread::sleep(Duration::from_secs(scale.partition as u64));
    // Count the records only now, because data that was in transit when the link was cut may have
    // arrived later.
    let during = cluster.records();
    assert!(during < scale.runs);
    proxy.cut.store(false, Ordering::Relaxed);
    let healed = Instant::now();
    cluster.wait_for_records(during + 1);
    let after = healed.elapsed().as_secs_f64();
    for worker in &mut cluster.workers {
        assert!(worker.process.0.try_wait().unwrap().is_none(), "a worker has ended");
    }
    let (digests, wasted) = cluster.end(scale.runs);
    report(&format!(
        "a partition of {} s at {during} of {} runs: next record after {after:.1} s; {wasted} leases lost",
        scale.partition, scale.runs
    ));
    assert!(digests == expected, "records differ");
}
