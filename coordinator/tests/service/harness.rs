//! A coordinator on loopback with clients, and plans and records for tests.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use catherd_coordinator::clock::{Clock, Manual};
use catherd_coordinator::{
    Coordinator, CoordinatorError, CoordinatorOptions, Progress, Records, StudyNumber,
};
use catherd_experiments::format_1::subject_info;
use catherd_experiments::{
    Algorithm, Budget, Criterion, Digest, Plan, PlannedProject, ProjectSource, RunOutcome,
    RunRecord, RunSpec, Study,
};
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

pub(crate) const PROJECT: &[u8] = b"a project";
pub(crate) const STUDY: &str = "study";
pub(crate) const ENGINE: &str = "noop/1";

pub(crate) fn plan(seeds: impl IntoIterator<Item = u64>) -> Plan {
    let study = Study {
        name: STUDY.into(),
        projects: ProjectSource::Paths(Vec::new()),
        algorithms: vec![Algorithm::plain("random")],
        seeds: seeds.into_iter().collect(),
        budget: Budget::of("executions", 1),
        mutation: None,
        race: None,
        stop: None,
        subject: None,
    };
    let project = PlannedProject { name: "p".into(), digest: Digest::of(PROJECT) };
    Plan::new(&study, &subject_info("noop", ENGINE), vec![project], |_| Ok(())).unwrap()
}

pub(crate) fn record(spec: &RunSpec, outcome: RunOutcome) -> RunRecord {
    let goals = Criterion { name: "goals".into(), goals: 4, covered: vec![0, 1] };
    RunRecord {
        outcome,
        work: [("executions".to_owned(), 1)].into(),
        ..RunRecord::new(spec, vec![goals])
    }
}

pub(crate) fn done(lease: &v1::Lease) -> v1::Completion {
    let spec: RunSpec = lease.spec.as_ref().unwrap().read().unwrap();
    let record = v1::Document::write(&record(&spec, RunOutcome::Done)).unwrap();
    v1::Completion { run: lease.run, token: lease.token, end: Some(End::Record(record)) }
}

pub(crate) fn commit_of(lease: &v1::Lease) -> v1::CommitRequest {
    v1::CommitRequest { worker: "w".into(), completions: vec![done(lease)] }
}

pub(crate) fn lease_request(worker: &str) -> v1::LeaseRequest {
    let engines = [("noop".to_owned(), ENGINE.to_owned())].into();
    v1::LeaseRequest { worker: worker.into(), engines, ..Default::default() }
}

pub(crate) struct Harness {
    pub(crate) coordinator: Coordinator,
    pub(crate) client: CoordinatorClient<AuthChannel>,
    pub(crate) studies: StudiesClient<AuthChannel>,
    address: String,
    server: tokio::task::JoinHandle<Result<(), CoordinatorError>>,
}

impl Harness {
    pub(crate) async fn open(options: CoordinatorOptions, plan: Plan) -> Harness {
        let coordinator = Coordinator::open_study(options, plan).unwrap();
        coordinator.projects().insert(PROJECT).unwrap();
        Harness::serve(coordinator).await
    }

    pub(crate) async fn serve(coordinator: Coordinator) -> Harness {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let server = tokio::spawn(coordinator.serve(listener));
        let client = transport::coordinator_client(&address, &Access::default()).unwrap();
        let studies = transport::studies_client(&address, &Access::default()).unwrap();
        Harness { coordinator, client, studies, address, server }
    }

    pub(crate) async fn lease(&mut self, worker: &str, held: &[u64]) -> v1::LeaseReply {
        let request = v1::LeaseRequest { held: held.to_vec(), ..lease_request(worker) };
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
        let settled = tokio::time::timeout(Duration::from_secs(300), watch.wait_for(condition));
        settled.await.expect("the condition holds within five minutes").unwrap().clone()
    }

    pub(crate) async fn expect_health(&self, expected: ServingStatus) {
        let channel = tonic::transport::Endpoint::from_shared(self.address.clone()).unwrap();
        let mut client = HealthClient::new(channel.connect().await.unwrap());
        for service in ["", "catherd.v1.Coordinator"] {
            let request = HealthCheckRequest { service: service.into() };
            let mut answers = client.watch(request).await.unwrap().into_inner();
            while answers.message().await.unwrap().unwrap().status() != expected {}
        }
    }

    pub(crate) fn study(&self) -> StudyNumber {
        self.coordinator.study(STUDY).unwrap()
    }

    pub(crate) fn records(&self) -> Records {
        self.coordinator.records(self.study()).unwrap()
    }

    pub(crate) async fn close(self) {
        drop(self.coordinator);
        self.server.await.unwrap().unwrap();
    }
}

pub(crate) fn options(folder: &Path) -> CoordinatorOptions {
    let engines = [("noop".to_owned(), ENGINE.to_owned())].into();
    let criteria = [("noop".to_owned(), vec!["goals".to_owned()])].into();
    CoordinatorOptions {
        store: database::create(folder),
        engines,
        criteria,
        ..CoordinatorOptions::new(folder)
    }
}

pub(crate) fn again(options: &CoordinatorOptions) -> CoordinatorOptions {
    let (store, engines) = (options.store.clone(), options.engines.clone());
    let criteria = options.criteria.clone();
    CoordinatorOptions { store, engines, criteria, ..CoordinatorOptions::new(&options.folder) }
}

pub(crate) fn manual(options: CoordinatorOptions) -> (CoordinatorOptions, Arc<Manual>) {
    let clock = Arc::new(Manual::default());
    let shared: Arc<dyn Clock> = clock.clone();
    (CoordinatorOptions { clock: shared, ..options }, clock)
}
