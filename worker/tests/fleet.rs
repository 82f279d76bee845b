//! Tests real workers with a real coordinator. A worker process is this test binary, which executes
//! the ignored test `worker_process`; some workers run in the process of the tests.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::time::{Duration, Instant};

use catherd_coordinator::{
    Coordinator, CoordinatorError, CoordinatorOptions as Study, Policy, Progress, Records,
};
use catherd_experiments::{
    self as experiments, Algorithm, Budget, Digest, Parameter, Plan, PlannedProject, ProjectSource,
    RunRecord, RunSpec,
};
use catherd_interface::noop::Noop;
use catherd_interface::{
    Kinds, Limits, LoadError, RunError, RunProgress, Runner, RunnerContext, SubjectKind,
};
use catherd_platform::allowed_cores;
use catherd_proto::transport::Access;
use catherd_worker::{
    CoordinatorAddress, ExitReason, LocalFleet, WorkerError, WorkerOptions, run_worker,
};
use rusty_fork::rusty_fork_test;
use tokio::net::TcpListener;

const PROJECTS: [&[u8]; 2] = [b"one", b"two"];

const STUDY: &str = "fleet";

fn plan(seeds: u64, parameters: &[(&str, i64)]) -> Plan {
    let mut algorithm = Algorithm::plain("random");
    for &(name, value) in parameters {
        algorithm.parameters.insert(name.into(), Parameter::Integer(value));
    }
    let study = experiments::Study {
        name: STUDY.into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![algorithm],
        seeds: (1..=seeds).collect(),
        budget: Budget::of("executions", 1),
        mutation: None,
        race: None,
        stop: None,
        subject: None,
    };
    let projects = PROJECTS.iter().map(|project| PlannedProject {
        name: String::from_utf8_lossy(project).into_owned(),
        digest: Digest::of(project),
    });
    Plan::new(&study, &Noop.info(), projects.collect(), |_| Ok(())).unwrap()
}

fn make(kind: &str) -> Option<Box<dyn Runner>> {
    Kinds::new(Noop).runner(kind, &RunnerContext::default())
}

struct Bench {
    coordinator: Coordinator,
    address: String,
    server: tokio::task::JoinHandle<Result<(), CoordinatorError>>,
}

impl Bench {
    async fn open(folder: &Path, address: &str, plan: Plan) -> Bench {
        let policy = Policy { term: Duration::from_secs(2), ..Policy::default() };
        let options = Study { policy, ..Study::new(folder) };
        let coordinator = Coordinator::open_study(options, plan).unwrap();
        for project in PROJECTS {
            coordinator.projects().insert(project).unwrap();
        }
        let listener = TcpListener::bind(address).await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let server = tokio::spawn(coordinator.serve(listener));
        Bench { coordinator, address, server }
    }

    async fn finish(&self) -> Progress {
        self.settle(Progress::is_finished).await
    }

    async fn settle(&self, condition: impl FnMut(&Progress) -> bool) -> Progress {
        let mut watch = self.coordinator.watch();
        let settled = tokio::time::timeout(Duration::from_secs(300), watch.wait_for(condition));
        settled.await.expect("the condition holds in time").unwrap().clone()
    }

    fn records(&self) -> Records {
        self.coordinator.records(self.coordinator.study(STUDY).unwrap()).unwrap()
    }

    fn digests(&self) -> BTreeMap<Digest, Digest> {
        let records = self.records().map(Result::unwrap);
        records.map(|(spec, record)| (spec.id(), record.digest())).collect()
    }

    async fn close(self) {
        drop(self.coordinator);
        self.server.await.unwrap().unwrap();
    }
}

fn worker(address: &str, folder: &Path, core: usize) -> Command {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command
        .args(["--exact", "worker_process", "--ignored", "--nocapture"])
        .env("TEST_COORDINATOR", format!("http://{address}"))
        .env("TEST_CORE", core.to_string())
        .env("TEST_SPOOL", folder.join("spool").join(core.to_string()))
        .stdout(Stdio::null());
    command
}

fn options(address: &str, spool: PathBuf, name: &str) -> WorkerOptions {
    WorkerOptions {
        coordinators: vec![CoordinatorAddress {
            url: address.to_owned(),
            access: Access::default(),
        }],
        cache: None,
        idle: None,
        allocation: None,
        grace: None,
        limits: Limits::default(),
        engines: [(Noop.name(), Noop.info().engine)].into(),
        name: name.to_owned(),
        core: None,
        spool,
        relocation: None,
        retry_timeout: Duration::from_secs(60),
        space_timeout: Duration::from_secs(8),
        exit_with_parent: false,
    }
}

#[test]
#[ignore = "not a test: the worker process of the tests"]
fn worker_process() {
    let Ok(address) = std::env::var("TEST_COORDINATOR") else { return };
    let core = std::env::var("TEST_CORE").unwrap();
    let spool = std::env::var_os("TEST_SPOOL").unwrap().into();
    let core_number = core.parse().unwrap();
    let options = WorkerOptions {
        core: Some(core_number),
        exit_with_parent: true,
        ..options(&address, spool, &format!("local-{core}"))
    };
    let ending = run_worker(options, Box::new(make));
    std::process::exit(if ending.is_ok_and(|e| e != ExitReason::Stopped) { 0 } else { 1 });
}

fn fleet(bench: &Bench, folder: &Path) -> LocalFleet {
    let (address, folder) = (bench.address.clone(), folder.to_owned());
    let spools = folder.join("spool");
    let spool = move |core: usize| spools.join(core.to_string());
    let command = move |core| worker(&address, &folder, core);
    LocalFleet::start(&allowed_cores(), String::new(), spool, command).unwrap()
}

async fn undisturbed(plan: Plan) -> BTreeMap<Digest, Digest> {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", plan).await;
    let options =
        options(&format!("http://{}", bench.address), folder.path().join("spool"), "only");
    let ended = tokio::task::spawn_blocking(|| run_worker(options, Box::new(make)));
    assert_eq!(ended.await.unwrap().unwrap(), ExitReason::Finished);
    let progress = bench.finish().await;
    assert_eq!(progress.done, progress.planned);
    let digests = bench.digests();
    bench.close().await;
    digests
}

#[tokio::test(flavor = "multi_thread")]
async fn killed_workers_cost_attempts_but_no_results() {
    let runs = || plan(40, &[("ms", 20)]);
    let expected = undisturbed(runs()).await;

    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", runs()).await;
    let fleet = fleet(&bench, folder.path());
    let mut killed = BTreeSet::new();
    for kill in 1..=4 {
        bench.settle(|progress| progress.done >= kill * 8).await;
        let victim = loop {
            match fleet.alive().into_values().find(|pid| !killed.contains(pid)) {
                Some(pid) => break pid,
                None => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        };
        killed.insert(victim);
        assert!(Command::new("kill").args(["-9", &victim.to_string()]).status().unwrap().success());
    }
    let progress = bench.finish().await;
    assert_eq!((progress.done, progress.quarantined), (80, 0));
    assert_eq!(bench.digests(), expected);
    let attempts: u32 = bench
        .records()
        .map(|record| record.unwrap().1)
        .inspect(|record| {
            assert!(record.resources.peak_rss_kib > 0);
            assert!(record.provenance.worker.starts_with("local-"));
            assert!(record.provenance.core.is_some());
        })
        .map(|record| record.provenance.attempt)
        .sum();
    assert!(attempts > 80, "no kill cost an attempt");
    drop(fleet);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn workers_outlive_their_coordinator() {
    let runs = || plan(30, &[("ms", 20)]);
    let expected = undisturbed(runs()).await;

    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", runs()).await;
    let fleet = fleet(&bench, folder.path());
    bench.settle(|progress| progress.done >= 10).await;
    let address = bench.address.clone();
    bench.close().await;

    // A listener that accepts a connection and drops it shows that a worker tried to connect.
    let listener = TcpListener::bind(&address).await.unwrap();
    let tried = tokio::time::timeout(Duration::from_secs(300), listener.accept());
    drop(tried.await.expect("a worker tries again within five minutes").unwrap());
    drop(listener);
    let bench = Bench::open(folder.path(), &address, runs()).await;
    let progress = bench.finish().await;
    assert_eq!(progress.done, 60);
    assert_eq!(bench.digests(), expected);
    drop(fleet);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn runs_that_panic_or_abort_are_quarantined_and_the_rest_complete() {
    let folder = tempfile::tempdir().unwrap();
    let runs = plan(6, &[("panic", 5), ("ms", 1)]);
    let bench = Bench::open(folder.path(), "127.0.0.1:0", runs).await;
    let fleet = fleet(&bench, folder.path());
    let progress = bench.finish().await;
    assert_eq!((progress.done, progress.quarantined), (10, 2));
    let quarantined =
        bench.coordinator.quarantined(bench.coordinator.study(STUDY).unwrap()).unwrap();
    assert!(quarantined.iter().all(|problem| problem.spec.seed == 5 && problem.attempts >= 3));
    let reason = &quarantined[0].reason;
    assert!(reason.contains("noop.rs") && reason.contains("with seed 5"), "{reason}");
    drop(fleet);
    bench.close().await;
}

/// `full` is how many more times the runner finds its disk full.
struct Cramped {
    full: Arc<AtomicU32>,
    runner: Box<dyn Runner>,
}

impl Runner for Cramped {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        self.runner.load(digest, bytes)
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let left = self.full.try_update(Relaxed, Relaxed, |left| left.checked_sub(1));
        if left.is_ok() {
            return Err(RunError::DiskFull("full".to_owned()));
        }
        self.runner.run(spec, on_progress)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_full_disk_costs_no_attempt() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", plan(10, &[])).await;
    let work = async |timeout, full: u32| {
        let full = Arc::new(AtomicU32::new(full));
        let options = WorkerOptions {
            space_timeout: Duration::from_secs(timeout),
            ..options(&format!("http://{}", bench.address), folder.path().join("spool"), "only")
        };
        let make = move |kind: &str| {
            let full = full.clone();
            make(kind).map(|runner| Box::new(Cramped { full, runner }) as Box<dyn Runner>)
        };
        tokio::task::spawn_blocking(|| run_worker(options, Box::new(make))).await.unwrap()
    };
    // The disk remains full, so the worker gives up.
    assert!(
        matches!(work(1, u32::MAX).await, Err(WorkerError::DiskFull(reason)) if reason == "full")
    );
    let progress = bench.coordinator.progress();
    assert_eq!((progress.done, progress.failed, progress.quarantined), (0, 0, 0));
    // The disk has space again after one failure.
    assert_eq!(work(60, 1).await.unwrap(), ExitReason::Finished);
    let progress = bench.finish().await;
    assert_eq!((progress.done, progress.planned), (20, 20));
    assert!(bench.records().all(|record| record.unwrap().1.provenance.attempt == 1));
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_drained_worker_returns_the_runs_that_it_did_not_start() {
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", plan(200, &[("ms", 10)])).await;
    let mut child = worker(&bench.address, folder.path(), allowed_cores()[0])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    bench.settle(|progress| progress.done >= 20).await;
    // `wait` would close standard input, which would end the worker.
    let stdin = child.stdin.take();
    Command::new("kill").arg(child.id().to_string()).status().unwrap();
    assert!(tokio::task::spawn_blocking(move || child.wait()).await.unwrap().unwrap().success());
    drop(stdin);
    let progress = bench.settle(|progress| progress.leased == 0).await;
    assert!(progress.pending > 0 && progress.done >= 20);
    bench.close().await;
}

rusty_fork_test! {
    #![rusty_fork(timeout_ms = 60_000)]

    #[test]
    fn a_worker_ends_with_its_parent() {
        let folder = tempfile::tempdir().unwrap();
        // No coordinator listens at the address, so the worker repeats its request.
        let mut child = worker("127.0.0.1:1", folder.path(), allowed_cores()[0])
            .stdin(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(200));
        assert!(child.try_wait().unwrap().is_none());
        drop(child.stdin.take());
        let status = child.wait().unwrap();
        assert_eq!((status.code(), status.signal()), (Some(1), None));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fleet_that_cannot_work_gives_up() {
    let fleet = LocalFleet::start(
        &[0],
        String::new(),
        |_| PathBuf::from("none"),
        |_| Command::new("false"),
    )
    .unwrap();
    let start = Instant::now();
    while fleet.abandoned_cores().is_empty() {
        assert!(start.elapsed() < Duration::from_secs(300));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    assert!(
        fleet.abandoned_cores()[0].1.contains("failed to start 5 times"),
        "{:?}",
        fleet.abandoned_cores()
    );
    assert!(fleet.alive().is_empty());
}

/// Measures the overhead of a worker in this process with runs that do nothing.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow"]
async fn empty_runs_flow() {
    const SEEDS: u64 = 1500;
    let folder = tempfile::tempdir().unwrap();
    let bench = Bench::open(folder.path(), "127.0.0.1:0", plan(SEEDS, &[])).await;
    let options =
        options(&format!("http://{}", bench.address), folder.path().join("spool"), "only");
    let start = Instant::now();
    let ended = tokio::task::spawn_blocking(|| run_worker(options, Box::new(make)));
    assert_eq!(ended.await.unwrap().unwrap(), ExitReason::Finished);
    let runs = 2 * SEEDS;
    let rate = runs as f64 / start.elapsed().as_secs_f64();
    #[expect(clippy::print_stdout, reason = "the measurement is the point")]
    {
        println!("{runs} empty runs through one worker: {rate:.0} per second");
    }
    assert_eq!(bench.finish().await.done, runs);
    assert_eq!(std::fs::read_dir(folder.path().join("spool")).unwrap().count(), 0);
    bench.close().await;
}
