//! The coordinator through its gRPC face, with a real client on loopback. The tests are the
//! same for each kind of database; `crate::database` says which.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_coordinator::clock::{Clock, Manual};
use catherd_coordinator::store::Store;
use catherd_coordinator::{
    Coordinator, CoordinatorError, Options, Policy, Progress, Records, StoreError, StudyNumber,
    StudyState,
};
use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Outcome, Plan, PlannedProject, ProjectSource, RunRecord,
    RunSpec, Study,
};
use catherd_proto::PROTOCOL;
use catherd_proto::transport::{self, Access, AuthChannel};
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use catherd_proto::v1::studies_client::StudiesClient;
use catherd_proto::v1::verdict::Kind;
use catherd_proto::v1::{self, completion::End};
use tokio::net::TcpListener;
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_check_response::ServingStatus;
use tonic_health::pb::health_client::HealthClient;

use crate::database;

mod faults;

const PROJECT: &[u8] = b"a project";
const STUDY: &str = "study";
const ENGINE: &str = "noop/1";

/// A study of one project and one algorithm.
pub(crate) fn plan(seeds: impl IntoIterator<Item = u64>) -> Plan {
    let study = Study {
        name: STUDY.into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random")],
        seeds: seeds.into_iter().collect(),
        budget: Budget::of("executions", 1),
        mutation: None,
        race: None,
        subject: None,
    };
    let project = PlannedProject { name: "p".into(), digest: Digest::of(PROJECT) };
    Plan::new(&study, &subject_info("noop", ENGINE), vec![project], |_| Ok(())).unwrap()
}

fn record(spec: &RunSpec, outcome: Outcome) -> RunRecord {
    let goals = Criterion { name: "goals".into(), goals: 4, covered: vec![0, 1] };
    RunRecord {
        outcome,
        work: [("executions".to_owned(), 1)].into(),
        ..RunRecord::new(spec, vec![goals])
    }
}

fn done(lease: &v1::Lease) -> v1::Completion {
    let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
    let record = v1::Document::write(&record(&spec, Outcome::Done)).unwrap();
    v1::Completion { run: lease.run, token: lease.token, end: Some(End::Record(record)) }
}

pub(crate) fn commit_of(lease: &v1::Lease) -> v1::CommitRequest {
    v1::CommitRequest { worker: "w".into(), completions: vec![done(lease)] }
}

pub(crate) struct Bench {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: CoordinatorClient<AuthChannel>,
    people: StudiesClient<AuthChannel>,
    address: String,
    server: tokio::task::JoinHandle<Result<(), CoordinatorError>>,
}

impl Bench {
    pub(crate) async fn open(options: Options, plan: Plan) -> Bench {
        let coordinator = Coordinator::open_study(options, plan).unwrap();
        coordinator.projects().insert(PROJECT).unwrap();
        Bench::serve(coordinator).await
    }

    pub(crate) async fn serve(coordinator: Coordinator) -> Bench {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(coordinator.serve(listener));
        let client = transport::coordinator_client(&address, &Access::default()).unwrap();
        let people = transport::studies_client(&address, &Access::default()).unwrap();
        Bench { coordinator, client, people, address, server }
    }

    pub(crate) async fn lease(&mut self, worker: &str, held: &[u64]) -> v1::LeaseReply {
        let held = held.to_vec();
        let request = v1::LeaseRequest { worker: worker.into(), loaded: Vec::new(), held };
        self.client.lease(request).await.unwrap().into_inner()
    }

    pub(crate) async fn commit(
        &mut self,
        worker: &str,
        completions: Vec<v1::Completion>,
    ) -> Vec<Kind> {
        let request = v1::CommitRequest { worker: worker.into(), completions };
        let reply = self.client.commit(request).await.unwrap().into_inner();
        reply.verdicts.iter().map(v1::Verdict::kind).collect()
    }

    pub(crate) async fn settled(&mut self, condition: impl FnMut(&Progress) -> bool) -> Progress {
        let mut watch = self.coordinator.watch();
        let settled = tokio::time::timeout(Duration::from_secs(5), watch.wait_for(condition));
        settled.await.expect("the condition holds within five seconds").unwrap().clone()
    }

    /// Asks for health as supervisors do, until the answer is this one.
    async fn health(&self, expected: ServingStatus) {
        let channel = tonic::transport::Endpoint::from_shared(self.address.clone()).unwrap();
        let mut client = HealthClient::new(channel.connect().await.unwrap());
        for service in ["", "catherd.v1.Coordinator"] {
            let request = HealthCheckRequest { service: service.into() };
            let mut answers = client.watch(request).await.unwrap().into_inner();
            while answers.message().await.unwrap().unwrap().status() != expected {}
        }
    }

    fn study(&self) -> StudyNumber {
        self.coordinator.study(STUDY).unwrap()
    }

    fn records(&self) -> Records {
        self.coordinator.records(self.study()).unwrap()
    }

    pub(crate) async fn close(self) {
        drop(self.coordinator);
        self.server.await.unwrap().unwrap();
    }
}

/// Options on a fresh database; none where there is none.
fn options(folder: &Path) -> Option<Options> {
    let engines = [("noop".to_owned(), ENGINE.to_owned())].into();
    Some(Options { store: database::create(folder)?, engines, ..Options::new(folder) })
}

/// The same on the same database.
fn again(options: &Options) -> Options {
    let (store, engines) = (options.store.clone(), options.engines.clone());
    Options { store, engines, ..Options::new(&options.folder) }
}

fn manual(options: Options) -> (Options, Arc<Manual>) {
    let clock = Arc::new(Manual::default());
    let shared: Arc<dyn Clock> = clock.clone();
    (Options { clock: shared, ..options }, clock)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_expired_lease_returns_its_run_and_its_late_commit_does_not_count() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let (options, clock) = manual(options);
    let mut bench = Bench::open(options, plan(1..=1)).await;

    let zombie = bench.lease("zombie", &[]).await.leases.remove(0);
    assert_eq!((zombie.attempt, bench.lease("other", &[]).await.leases.len()), (1, 0));
    bench.settled(|progress| progress.leased == 1).await;
    clock.advance(Policy::default().term);
    bench.settled(|progress| progress.pending == 1).await;

    let second = bench.lease("other", &[]).await.leases.remove(0);
    assert_eq!((second.run, second.attempt), (zombie.run, 2));
    assert!(second.token > zombie.token);
    let late = v1::HeartbeatRequest {
        worker: "zombie".into(),
        held: vec![v1::HeldLease { token: zombie.token, progress: None }],
    };
    let reply = bench.client.heartbeat(late).await.unwrap().into_inner();
    assert_eq!(reply.drop, [zombie.token]);

    assert_eq!(bench.commit("zombie", vec![done(&zombie)]).await, [Kind::Superseded]);
    assert_eq!(bench.records().count(), 0);
    assert_eq!(bench.commit("other", vec![done(&second)]).await, [Kind::Accepted]);
    assert_eq!(bench.commit("other", vec![done(&second)]).await, [Kind::Repeated]);
    assert_eq!(bench.commit("zombie", vec![done(&zombie)]).await, [Kind::Superseded]);

    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.planned), (1, 1));
    assert_eq!(progress.mean_coverage, Some(0.5));
    assert!(bench.lease("other", &[]).await.finished);
    assert_eq!(bench.records().count(), 1);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn heartbeats_renew() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let (options, clock) = manual(options);
    let mut bench = Bench::open(options, plan(1..=1)).await;
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    for covered in 1..=4 {
        clock.advance(Policy::default().term / 2);
        let work = [("executions".to_owned(), 9), ("steps".to_owned(), 90)].into();
        let progress = Some(v1::RunProgress { work, covered, goals: 7 });
        let beat = v1::HeartbeatRequest {
            worker: "w".into(),
            held: vec![v1::HeldLease { token: lease.token, progress }],
        };
        assert!(bench.client.heartbeat(beat).await.unwrap().into_inner().drop.is_empty());
    }
    let shown = |progress: &Progress| progress.running.first().map(|run| run.run_progress.covered);
    let progress = bench.settled(|progress| shown(progress) == Some(4)).await;
    assert_eq!((progress.running[0].run, progress.running[0].worker.as_str()), (lease.run, "w"));
    assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    assert_eq!(bench.settled(Progress::is_finished).await.running, []);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_study_reopens_where_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=3)).await;
    let first = bench.lease("w", &[]).await.leases.remove(0);
    let accepted = bench.commit("w", vec![done(&first)]).await;
    assert_eq!(accepted, [Kind::Accepted]);
    let held = bench.lease("w", &[]).await.leases.remove(0);
    let busy = Coordinator::open_study(again(&options), plan(1..=3));
    let busy = busy.err().unwrap();
    assert!(
        matches!(
            busy,
            CoordinatorError::Busy { .. }
                | CoordinatorError::Store { cause: StoreError::LedByAnother, .. }
        ),
        "{busy}"
    );
    bench.close().await;

    // Two seeds more; the lease of the other process still holds, for one fresh term.
    let mut bench = Bench::open(again(&options), plan(1..=5)).await;
    let progress = bench.coordinator.progress();
    assert_eq!((progress.planned, progress.done, progress.leased), (5, 1, 1));
    assert_eq!(progress.mean_coverage, Some(0.5));
    assert_eq!(bench.commit("w", vec![done(&first)]).await, [Kind::Repeated]);
    assert_eq!(bench.commit("w", vec![done(&held)]).await, [Kind::Accepted]);
    let next = bench.lease("w", &[]).await.leases.remove(0);
    assert!(next.token > held.token);
    bench.close().await;

    // A smaller plan counts what it plans, in its own order.
    let bench = Bench::open(again(&options), plan([2, 1])).await;
    assert_eq!(bench.coordinator.progress().planned, 2);
    let seeds: Vec<_> = bench.records().map(|record| record.unwrap().0.seed).collect();
    assert_eq!(seeds, [2, 1]);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn verdicts_end_a_run_and_crashes_are_tried_again() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=2)).await;

    let lease = bench.lease("w", &[]).await.leases.remove(0);
    let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
    let failed = v1::Document::write(&record(&spec, Outcome::Failed)).unwrap();
    let end = Some(End::Record(failed));
    let failed = v1::Completion { run: lease.run, token: lease.token, end };
    assert_eq!(bench.commit("w", vec![failed]).await, [Kind::Accepted]);

    for (attempt, worker) in [(1, "w"), (2, "w"), (3, "x")] {
        let lease = bench.lease(worker, &[]).await.leases.remove(0);
        assert_eq!(lease.attempt, attempt);
        let end = Some(End::Crash(format!("panicked in attempt {attempt}")));
        let crash = v1::Completion { run: lease.run, token: lease.token, end };
        assert_eq!(bench.commit(worker, vec![crash]).await, [Kind::Accepted]);
    }
    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.failed, progress.quarantined), (0, 1, 1));
    assert_eq!(progress.mean_coverage, None);
    let given_up = bench.coordinator.quarantined(bench.study()).unwrap();
    assert_eq!(given_up[0].attempts, 3);
    assert_eq!(given_up[0].reason, "panicked in attempt 3");
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nonsense_is_refused_and_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=2)).await;
    let lease = bench.lease("w", &[]).await.leases.remove(0);

    let good = done(&lease);
    let document = |json: &'static str| v1::Document { version: 1, json: json.into() };
    let nonsense = vec![
        v1::Completion { run: 99, ..good.clone() },
        v1::Completion { run: lease.run + 1, ..good.clone() },
        v1::Completion { end: Some(End::Record(document("{}"))), ..good.clone() },
        v1::Completion { end: None, ..good.clone() },
        good,
    ];
    let verdicts = bench.commit("w", nonsense).await;
    assert_eq!(verdicts[..4], [Kind::Refused; 4]);
    assert_eq!(verdicts[4], Kind::Accepted);

    let stranger = v1::RegisterRequest {
        worker: "w".into(),
        protocol: PROTOCOL,
        engines: [("noop".to_owned(), "another".to_owned())].into(),
    };
    let refusal = bench.client.register(stranger).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::FailedPrecondition);
    assert!(refusal.message().contains("use the same catherd"), "{}", refusal.message());
    let nameless = v1::LeaseRequest { worker: "a\nb".into(), ..Default::default() };
    let refusal = bench.client.lease(nameless).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::InvalidArgument);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn projects_are_streamed_by_digest() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=1)).await;
    let large: Vec<u8> = (0..1_000_000_u32).map(|i| (i * 31) as u8).collect();
    let digest = bench.coordinator.projects().insert(&large).unwrap();
    let fetch = |digest: Digest| v1::FetchProjectRequest { digest: digest.0.to_vec().into() };

    let mut stream = bench.client.fetch_project(fetch(digest)).await.unwrap().into_inner();
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.message().await.unwrap() {
        assert_eq!(chunk.size, large.len() as u64);
        bytes.extend_from_slice(&chunk.data);
    }
    assert_eq!(Digest::of(&bytes), digest);

    let stream = bench.client.fetch_project(fetch(Digest::of(b"other"))).await;
    let refusal = stream.unwrap().into_inner().message().await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::NotFound);
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn status_is_watched_to_the_end() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=1)).await;
    let request = v1::WatchRequest { interval_ms: 100 };
    let mut watch = bench.people.watch(request).await.unwrap().into_inner();
    let first = watch.message().await.unwrap().unwrap();
    assert_eq!((first.planned, first.pending), (1, 1));
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    bench.commit("w", vec![done(&lease)]).await;
    let mut last = first;
    while let Some(status) = watch.message().await.unwrap() {
        last = status;
    }
    assert_eq!((last.done, last.pending, last.mean_coverage), (1, 0, Some(0.5)));
    bench.close().await;
}

/// Two studies that overlap: what they share is executed once, and each has its own names,
/// order and state.
#[tokio::test(flavor = "multi_thread")]
async fn studies_share_what_they_have_in_common() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let coordinator = Coordinator::open(again(&options)).unwrap();
    coordinator.projects().insert(PROJECT).unwrap();
    let mut bench = Bench::serve(coordinator).await;
    bench.coordinator.submit(plan([1, 2])).await.unwrap();
    let mut other = plan([3, 2]);
    other.name = "other".into();
    other.projects[0].name = "q".into();
    bench.coordinator.submit(other).await.unwrap();

    let progress = bench.settled(|progress| progress.studies.len() == 2).await;
    assert_eq!((progress.planned, progress.studies[1].counts.planned()), (3, 2));
    assert!(bench.coordinator.set_state("other", StudyState::Paused).await.unwrap());
    assert!(!bench.coordinator.set_state("third", StudyState::Paused).await.unwrap());
    for _ in 0..2 {
        let lease = bench.lease("w", &[]).await.leases.remove(0);
        assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    }
    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.planned, progress.done), (2, 2));
    assert_eq!(progress.studies[1].mean_coverage, Some(0.5));

    assert!(bench.coordinator.set_state("other", StudyState::Active).await.unwrap());
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    bench.settled(|progress| progress.done == 3).await;
    let other = bench.coordinator.study("other").unwrap();
    let runs = bench.coordinator.records(other).unwrap().map(|record| record.unwrap().0);
    let runs: Vec<_> = runs.map(|spec| (spec.project_name, spec.seed)).collect();
    assert_eq!(runs, [("q".to_owned(), 3), ("q".to_owned(), 2)]);
    bench.close().await;
}

/// A large study comes into the store page by page, and others are served meanwhile. It is
/// as it was until the last page, also if there never is one.
#[tokio::test(flavor = "multi_thread")]
async fn a_study_grows_at_the_last_page() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut store = Store::open(&options.store).unwrap();
    store.plan(plan(1..=2)).unwrap();
    let members = |store: &mut Store| {
        let mut runs = Vec::new();
        store.members(|run, _| runs.push(run)).unwrap();
        runs
    };
    let mut planning = store.begin(plan(2..=3000)).unwrap();
    let mut pages = 0;
    while store.plan_on(&mut planning).unwrap().is_none() {
        pages += 1;
        assert_eq!((members(&mut store).len(), planning.progress().1), (2, 2999));
    }
    assert!(pages >= 2 && members(&mut store).len() == 2999);
    let mut dropped = store.begin(plan(1..=5000)).unwrap();
    assert!(store.plan_on(&mut dropped).unwrap().is_none());
    drop(store);

    let bench = Bench::serve(Coordinator::open(again(&options)).unwrap()).await;
    assert_eq!(bench.coordinator.progress().planned, 2999);
    let mut large = plan(1..=20_000);
    large.name = "large".into();
    let (mut client, submit) = (bench.client.clone(), bench.coordinator.submit(large));
    let served = async {
        let mut served = 0;
        while bench.coordinator.study("large").is_none() {
            let request = v1::HeartbeatRequest { worker: "w".into(), held: Vec::new() };
            client.heartbeat(request).await.unwrap();
            served += 1;
        }
        served
    };
    let (study, served) = tokio::join!(submit, served);
    assert!(study.is_ok() && served >= 5, "{served} answers while a study was planned");
    assert_eq!(bench.coordinator.progress().study("large").unwrap().counts.planned(), 20_000);
    bench.close().await;
}

/// A store that refuses, as a full disk does, loses nothing and recovers by itself.
#[tokio::test(flavor = "multi_thread")]
async fn a_store_that_refuses_gets_everything_later() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let mut bench = Bench::open(again(&options), plan(1..=2)).await;
    let lease = bench.lease("w", &[]).await.leases.remove(0);
    database::execute(&options.store, database::REFUSE.0).await;

    let refusal = bench.client.commit(commit_of(&lease)).await.unwrap_err();
    assert_eq!(refusal.code(), tonic::Code::Unavailable);
    let progress = bench.settled(|progress| progress.last_error.is_some()).await;
    let last_error = progress.last_error.unwrap();
    assert!(last_error.contains("disk is full"), "{last_error}");
    bench.health(ServingStatus::NotServing).await;
    bench.settled(|progress| (progress.done, progress.leased) == (0, 1)).await;

    database::execute(&options.store, database::REFUSE.1).await;
    assert_eq!(bench.commit("w", vec![done(&lease)]).await, [Kind::Accepted]);
    let next = bench.lease("w", &[]).await.leases.remove(0);
    assert_eq!(bench.commit("w", vec![done(&next)]).await, [Kind::Accepted]);
    let progress = bench.settled(Progress::is_finished).await;
    assert_eq!((progress.done, progress.last_error), (2, None));
    bench.health(ServingStatus::Serving).await;
    bench.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_served_beyond_loopback() {
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let coordinator = Coordinator::open_study(again(&options), plan(1..=1)).unwrap();
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let refusal = coordinator.serve(listener).await.unwrap_err().to_string();
    assert!(refusal.contains("only loopback is safe"), "{refusal}");
}

/// Durable commits of several workers share transactions. Prints the rate; the bound is
/// one that single commits could not reach on a disk that syncs in half a millisecond.
#[tokio::test(flavor = "multi_thread")]
async fn commits_are_grouped() {
    const RUNS: u64 = 4000;
    const WORKERS: usize = 8;
    let folder = tempfile::tempdir().unwrap();
    let Some(options) = options(folder.path()) else { return };
    let bench = Bench::open(again(&options), plan(1..=RUNS)).await;
    let start = Instant::now();
    let mut workers = tokio::task::JoinSet::new();
    for worker in 0..WORKERS {
        let mut client = bench.client.clone();
        workers.spawn(async move {
            let worker = format!("w{worker}");
            loop {
                let request = v1::LeaseRequest { worker: worker.clone(), ..Default::default() };
                let reply = client.lease(request).await.unwrap().into_inner();
                if reply.finished {
                    return;
                }
                let completions = reply.leases.iter().map(done).collect();
                let request = v1::CommitRequest { worker: worker.clone(), completions };
                client.commit(request).await.unwrap();
            }
        });
    }
    workers.join_all().await;
    let rate = RUNS as f64 / start.elapsed().as_secs_f64();
    #[expect(clippy::print_stdout, reason = "the measurement is the point")]
    {
        println!("{RUNS} runs leased and committed durably: {rate:.0} a second");
    }
    let progress = bench.coordinator.progress();
    assert_eq!((progress.done, progress.planned), (RUNS, RUNS));
    assert_eq!(bench.records().count() as u64, RUNS);
    bench.close().await;
}
