//! A coordinator and its workers, each on a separate host, as described by a scenario.

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use catherd_coordinator::clock::Clock;
use catherd_coordinator::store::{Store, StoreReader};
use catherd_coordinator::{Breakdown, Coordinator, CoordinatorOptions as Study, Policy, StoreUrl};
use catherd_experiments::{
    self as experiments, Algorithm, Budget, Digest, Plan, PlannedProject, ProjectSource,
    Provenance, Resources, RunRecord, RunSpec,
};
use catherd_interface::noop::{self, Noop, NoopRunner};
use catherd_interface::{Limits, LoadError, RunError, RunProgress, Runner, SubjectKind};
use catherd_proto::transport::Access;
use catherd_worker::{CoordinatorAddress, SimulatedHost, WorkerOptions, run_simulated_worker};
use tempfile::TempDir;
use turmoil::Sim;

use crate::fault_injector::{FaultInjector, TransactionFault};
use crate::faults::{FAULT_PERIOD, Fault, Loss, Scenario};
use crate::invariants::{EventCounts, InvariantChecker, LogSubscriber};
use crate::wire::{self, COORDINATOR, Open};

const PROJECTS: [&[u8]; 2] = [b"one", b"two"];

/// The seed whose runs fail.
const FAILS: u64 = 5;

/// The seed whose runs crash at every attempt.
const CRASHES: u64 = 7;

/// Step by which the simulated network and clocks advance.
const STEP: Duration = Duration::from_millis(20);

/// The interval at which the coordinator processes requests.
const TURN: Duration = Duration::from_millis(15);

/// Time after the last fault within which the study must end.
const RECOVERY: Duration = Duration::from_secs(120);

/// The shortest latency of a message.
const SHORTEST: Duration = Duration::from_millis(1);

const POLICY: Policy = Policy {
    term: Duration::from_secs(3),
    max_crashes: 3,
    max_losses: 15,
    max_consecutive_crashes: 10,
};

pub(crate) fn plan(seeds: u64) -> Plan {
    let study = experiments::Study {
        name: "simulated".into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random"), Algorithm::plain("mio")],
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

/// The parts of the records that are equal on every computer, as JSON, and the quarantined runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Results {
    pub(crate) records: Vec<String>,
    pub(crate) quarantined: Vec<(Digest, Breakdown)>,
}

impl Results {
    /// Executes every run in this thread.
    pub(crate) fn expected(plan: Plan) -> Results {
        let (mut records, mut quarantined) = (Vec::new(), Vec::new());
        for spec in plan.into_runs() {
            let mut runner = SimulatedRunner::default();
            let project = *PROJECTS.iter().find(|one| Digest::of(one) == spec.project).unwrap();
            runner.load(spec.project, project.into()).unwrap();
            match runner.run(&spec, &mut |_| ControlFlow::Continue(())) {
                Ok(record) => records.push(bare(&spec, record)),
                Err(RunError::Failed(reason)) => records.push(failed(&spec, &reason)),
                Err(_) => quarantined.push((spec.id(), Breakdown::Crashed)),
            }
        }
        Results { records, quarantined }
    }

    fn read(place: &StoreUrl) -> Results {
        let records = StoreReader::open(place).unwrap().records(0).map(|row| {
            let (spec, record) = row.unwrap();
            match record.outcome {
                experiments::RunOutcome::Failed => failed(&spec, &record.reason),
                _ => bare(&spec, record),
            }
        });
        let quarantined = StoreReader::open(place).unwrap().quarantined(0).unwrap();
        let quarantined = quarantined.into_iter().map(|problem| (problem.spec.id(), problem.kind));
        Results { records: records.collect(), quarantined: quarantined.collect() }
    }
}

fn bare(spec: &RunSpec, mut record: RunRecord) -> String {
    assert_eq!(record.run, spec.id());
    (record.resources, record.provenance) = (Resources::default(), Provenance::default());
    serde_json::to_string(&(spec, record.digest(), record)).unwrap()
}

fn failed(spec: &RunSpec, reason: &str) -> String {
    serde_json::to_string(&(spec, reason)).unwrap()
}

fn length(spec: &RunSpec) -> Duration {
    match spec.id().0[20] {
        // The longest runs take longer than a lease.
        byte @ 0..16 => Duration::from_millis(3500 + u64::from(byte)),
        byte @ 16..80 => Duration::from_millis(u64::from(byte) * 5),
        byte => Duration::from_millis(u64::from(byte) / 8),
    }
}

/// The runner of the `noop` kind, with failures, crashes and simulated times.
#[derive(Default)]
struct SimulatedRunner(NoopRunner);

impl Runner for SimulatedRunner {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        self.0.load(digest, bytes)
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let mut record = self.0.run(spec, on_progress)?;
        match spec.seed {
            FAILS => return Err(RunError::Failed(format!("fails: {}", spec.id()))),
            CRASHES => return Err(RunError::Crashed("crashes".to_owned())),
            _ => {}
        }
        record.resources.wall_ms = length(spec).as_millis() as u64;
        record.timeline.iter_mut().for_each(|point| point.wall_ms = record.resources.wall_ms);
        Ok(record)
    }
}

struct LeaseClock {
    rate: f64,
    leaps: Arc<AtomicU64>,
}

impl Clock for LeaseClock {
    fn now(&self) -> Duration {
        let leaps = Duration::from_millis(self.leaps.load(Ordering::Relaxed));
        turmoil::sim_elapsed().unwrap_or_default().mul_f64(self.rate) + leaps
    }
}

pub(crate) struct Played {
    pub(crate) log: Vec<String>,
    pub(crate) counts: EventCounts,
    /// The violated invariant, or the difference from the expected results.
    pub(crate) flaw: Option<String>,
}

/// Plays the [`plan`] for this number of seeds, whose results must be `expected`.
pub(crate) fn play(scenario: &Scenario, seeds: u64, expected: &Results) -> Played {
    let checker = InvariantChecker::new(expected.records.len() + expected.quarantined.len());
    let dispatch = tracing::Dispatch::new(LogSubscriber(checker.clone()));
    let flaw = tracing::dispatcher::with_default(&dispatch, || {
        let mut world = World::new(scenario, seeds, checker.clone());
        world.play(scenario).and_then(|()| world.judge(expected)).err()
    });
    Played { log: checker.log(), counts: checker.counts(), flaw }
}

struct World {
    sim: Sim<'static>,
    latency: Duration,
    checker: Arc<InvariantChecker>,
    injector: Arc<FaultInjector>,
    leaps: Arc<AtomicU64>,
    folder: TempDir,
    workers: Vec<String>,
    /// The messages that the connection of each worker loses, and until when.
    lines: Vec<Option<(Loss, Duration)>>,
    /// When dead workers are restarted, and whether their spool is damaged first.
    down: Vec<Option<(Duration, bool)>>,
    lost: BTreeSet<usize>,
    /// For how long the coordinator will be down when it dies, and whether its computer also fails.
    planned_crash: Option<(Duration, bool)>,
    /// When the dead coordinator is restarted.
    restart_at: Option<Duration>,
}

impl World {
    fn new(scenario: &Scenario, seeds: u64, checker: Arc<InvariantChecker>) -> World {
        let injector = FaultInjector::new(checker.clone());
        let mut sim = turmoil::Builder::new()
            .rng_seed(scenario.seed)
            .enable_random_order()
            .epoch(std::time::UNIX_EPOCH)
            .tick_duration(STEP)
            .simulation_duration(Duration::MAX)
            .min_message_latency(SHORTEST)
            .max_message_latency(scenario.latency)
            .build();
        // The folder is synced many times, so it should be in memory.
        let memory = Path::new("/dev/shm");
        let folder = if memory.is_dir() { TempDir::new_in(memory) } else { TempDir::new() };
        let folder = folder.unwrap();
        let mut store = Store::open(&StoreUrl::Sqlite(folder.path().join("study.db"))).unwrap();
        for project in PROJECTS {
            store.put_project(project).unwrap();
        }
        drop(store);
        let leaps = Arc::new(AtomicU64::new(0));
        let names = (0..scenario.workers.len()).map(|number| format!("worker-{number}"));
        let names: Vec<_> = names.collect();
        sim.host(COORDINATOR, {
            let faults = (checker.clone(), injector.clone());
            let (leaps, rate) = (leaps.clone(), scenario.rate);
            let (folder, names) = (folder.path().to_owned(), names.clone());
            move || {
                let clock = Arc::new(LeaseClock { rate, leaps: leaps.clone() });
                let study = Study {
                    policy: POLICY,
                    clock,
                    observer: Some(faults.1.clone()),
                    ..Study::new(&folder)
                };
                coordinate(study, plan(seeds), names.clone(), faults.clone())
            }
        });
        for (name, &second) in names.iter().cloned().zip(&scenario.workers) {
            let (checker, spool) = (checker.clone(), folder.path().join(&name));
            sim.host(name.clone(), move || {
                work(name.clone(), spool.clone(), second, checker.clone())
            });
        }
        let (lines, down) = (vec![None; names.len()], vec![None; names.len()]);
        let workers = names;
        let (lost, planned_crash, restart_at) = (BTreeSet::new(), None, None);
        let latency = scenario.latency;
        World {
            sim,
            latency,
            checker,
            injector,
            leaps,
            folder,
            workers,
            lines,
            down,
            lost,
            planned_crash,
            restart_at,
        }
    }

    fn play(&mut self, scenario: &Scenario) -> Result<(), String> {
        let mut faults = scenario.faults.iter().copied().peekable();
        let mut whole_since = None;
        if let Some((transaction, side)) = scenario.dies {
            self.planned_crash = Some((Duration::from_secs(1), false));
            self.injector.prepare(Some(transaction), TransactionFault::Die(side));
        }
        loop {
            let now = self.sim.elapsed();
            while let Some((_, fault)) = faults.next_if(|&(at, _)| at <= now) {
                self.checker.log_line(format!("{now:?} {fault:?}"));
                self.inject(now, fault);
            }
            self.repair(now);
            self.sim.step().map_err(|error| error.to_string())?;
            if self.injector.is_dead() && self.restart_at.is_none() {
                self.stop_coordinator();
            }
            if let Some(violation) = self.checker.violation() {
                return Err(violation);
            }
            let ended = (0..self.workers.len()).all(|worker| {
                self.down[worker].is_none() && !self.sim.is_host_running(&*self.workers[worker])
            });
            if ended {
                return Ok(());
            }
            let faulty = faults.peek().is_some()
                || self.restart_at.is_some()
                || self.lines.iter().any(Option::is_some)
                || self.down.iter().any(Option::is_some);
            if faulty || now < FAULT_PERIOD {
                whole_since = None;
            } else {
                // The last transaction must not trigger faults that no earlier transaction has
                // triggered.
                self.injector.clear();
                self.planned_crash = None;
                let since = *whole_since.get_or_insert(now);
                if now - since > RECOVERY {
                    return Err(format!("not ended {RECOVERY:?} after the last fault"));
                }
            }
        }
    }

    fn inject(&mut self, now: Duration, fault: Fault) {
        match fault {
            Fault::Crash { at, down, machine } => {
                if self.planned_crash.is_some() || self.restart_at.is_some() {
                    return;
                }
                self.planned_crash = Some((down, machine));
                match at {
                    Some(side) => self.injector.prepare(None, TransactionFault::Die(side)),
                    None => {
                        self.injector.crash();
                        self.stop_coordinator();
                    }
                }
            }
            Fault::Store { side, times } => {
                (0..times).for_each(|_| self.injector.prepare(None, TransactionFault::Fail(side)));
            }
            Fault::Leap(by) => {
                self.leaps.fetch_add(by.as_millis() as u64, Ordering::Relaxed);
            }
            Fault::Line { worker, loss, lasts } => {
                if self.lines[worker].is_none() {
                    self.lines[worker] = Some((loss, now + lasts));
                    self.set_line(worker);
                }
            }
            Fault::Kill { worker, down, tear } => {
                let name = self.workers[worker].as_str();
                if self.sim.is_host_running(name) {
                    self.crash(&self.workers[worker].clone());
                    self.down[worker] = Some((now + down, tear));
                }
            }
            Fault::Lose { worker } => {
                let others = self.workers.len() - self.lost.len() - 1;
                let name = self.workers[worker].as_str();
                if others > 0 && self.sim.is_host_running(name) {
                    self.crash(&self.workers[worker].clone());
                    self.lost.insert(worker);
                    self.checker.worker_gone();
                }
            }
        }
    }

    /// The order in which tokio drops the tasks of a process, and so ends their connections,
    /// depends on other threads. Therefore all connections take the same time to end.
    fn crash(&mut self, name: &str) {
        self.sim.set_max_message_latency(SHORTEST);
        self.sim.crash(name);
        self.sim.set_max_message_latency(self.latency);
    }

    fn stop_coordinator(&mut self) {
        let (down, machine) = self.planned_crash.take().unwrap_or_default();
        for worker in 0..self.workers.len() {
            if machine {
                self.sim.partition_oneway(COORDINATOR, &*self.workers[worker]);
            } else {
                self.set_line(worker);
            }
        }
        self.crash(COORDINATOR);
        (0..self.workers.len()).for_each(|worker| self.set_line(worker));
        self.restart_at = Some(self.sim.elapsed() + down);
    }

    /// Ends the faults whose time is over.
    fn repair(&mut self, now: Duration) {
        if self.restart_at.take_if(|until| *until <= now).is_some() {
            self.injector.restarted();
            self.sim.bounce(COORDINATOR);
        }
        for worker in 0..self.workers.len() {
            let name = self.workers[worker].as_str();
            if self.lines[worker].take_if(|(_, until)| *until <= now).is_some() {
                self.sim.release(COORDINATOR, name);
                self.set_line(worker);
            }
            let name = self.workers[worker].as_str();
            if let Some((_, tear)) = self.down[worker].take_if(|(until, _)| *until <= now) {
                if tear {
                    damage_spool(&self.folder.path().join(name));
                }
                self.sim.bounce(name);
            }
        }
    }

    fn set_line(&self, worker: usize) {
        let (name, sim) = (self.workers[worker].as_str(), &self.sim);
        sim.repair(COORDINATOR, name);
        match self.lines[worker].map(|(loss, _)| loss) {
            None => {}
            Some(Loss::Everything) => sim.partition(COORDINATOR, name),
            Some(Loss::Answers) => sim.partition_oneway(COORDINATOR, name),
            Some(Loss::Requests) => sim.partition_oneway(name, COORDINATOR),
            Some(Loss::Time) => sim.hold(COORDINATOR, name),
        }
    }

    fn judge(self, expected: &Results) -> Result<(), String> {
        let World { sim, folder, workers, lost, checker, .. } = self;
        drop(sim);
        let place = StoreUrl::Sqlite(folder.path().join("study.db"));
        let found = Results::read(&place);
        if found != *expected {
            let (records, quarantined) = (found.records.len(), found.quarantined);
            return Err(format!("other results: {records} records, quarantined: {quarantined:?}"));
        }
        let stored = StoreReader::open(&place).unwrap().records(0).map(|row| row.unwrap().1);
        let accepted = checker.records();
        let accepted = accepted.iter().map(|json| serde_json::from_slice(json).unwrap());
        if stored.collect::<Vec<RunRecord>>() != accepted.collect::<Vec<_>>() {
            return Err("accepted records have changed".to_owned());
        }
        // Runs in the spool of a permanently lost worker were executed again.
        let kept = (0..).zip(&workers).filter(|(worker, _)| !lost.contains(worker));
        for (_, name) in kept {
            for file in fs::read_dir(folder.path().join(name)).unwrap() {
                let path = file.unwrap().path();
                if path.extension().is_none_or(|kind| kind != "damaged") {
                    return Err(format!("{name} has left {}", path.display()));
                }
            }
        }
        Ok(())
    }
}

/// Damages the files of a spool as a failing disk would.
fn damage_spool(folder: &Path) {
    for file in fs::read_dir(folder).into_iter().flatten() {
        let path = file.unwrap().path();
        if path.extension().is_some_and(|kind| kind == "commit") {
            let bytes = fs::read(&path).unwrap();
            fs::write(&path, &bytes[..bytes.len() / 2]).unwrap();
            fs::write(path.with_extension("part"), b"half").unwrap();
        }
    }
}

async fn coordinate(
    study: Study,
    plan: Plan,
    workers: Vec<String>,
    (checker, injector): (Arc<InvariantChecker>, Arc<FaultInjector>),
) -> turmoil::Result {
    let (coordinator, mut writer) = Coordinator::new_manual(study, plan)?;
    tokio::spawn(coordinator.serve_on(wire::listen(Open::default()).await?));
    let mut shown = coordinator.watch();
    loop {
        tokio::time::sleep(TURN).await;
        let written = writer.process_pending();
        if injector.is_dead() {
            // A dead coordinator sends nothing, so its last replies are dropped.
            workers.iter().for_each(|worker| {
                turmoil::partition_oneway(COORDINATOR, worker.as_str());
            });
            return std::future::pending().await;
        }
        if shown.has_changed()? {
            let shown = shown.borrow_and_update();
            // The state of the store is unknown while it fails.
            if written {
                checker.compare(&shown);
            }
        }
    }
}

/// A worker's process, restarted after errors.
async fn work(
    name: String,
    spool: PathBuf,
    second: Duration,
    checker: Arc<InvariantChecker>,
) -> turmoil::Result {
    loop {
        let options = WorkerOptions {
            coordinators: vec![CoordinatorAddress {
                url: COORDINATOR.to_owned(),
                access: Access::default(),
            }],
            name: name.clone(),
            core: None,
            spool: spool.clone(),
            cache: None,
            relocation: None,
            retry_timeout: Duration::from_secs(8),
            space_timeout: Duration::from_secs(8),
            limits: Limits::default(),
            engines: [(noop::KIND.to_owned(), Noop.info().engine)].into(),
            idle: None,
            allocation: None,
            grace: None,
            exit_with_parent: false,
        };
        let length = move |spec: &RunSpec| length(spec).mul_f64(second.as_secs_f64());
        let host = SimulatedHost { run_time: Box::new(length), second };
        let make = |kind: &str| {
            (kind == noop::KIND).then(|| Box::<SimulatedRunner>::default() as Box<dyn Runner>)
        };
        let ended = run_simulated_worker(options, vec![wire::client()], Box::new(make), host).await;
        // The debug form of an error contains the real date of the HTTP response.
        let text = ended.as_ref().map_or_else(ToString::to_string, |end| format!("{end:?}"));
        checker.log_line(format!("{name} ends: {text}"));
        match ended {
            Ok(_) => return Ok(()),
            Err(_) => tokio::time::sleep(Duration::from_secs(1)).await,
        }
    }
}
