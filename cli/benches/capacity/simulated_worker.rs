//! Simulated workers: real gRPC clients that report configured run times without executing runs.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use catherd_experiments::{
    Criterion, Digest, Provenance, Resources, RunRecord, RunSpec, SuiteSize, TimelinePoint,
};
use catherd_interface::SubjectKind;
use catherd_interface::noop::Noop;
use catherd_proto::transport::{self, Access, AuthChannel};
use catherd_proto::v1::completion::End;
use catherd_proto::v1::coordinator_client::CoordinatorClient;
use catherd_proto::{PROTOCOL, v1};
use tokio::task::JoinSet;
use tonic::Status;

/// Maximum number of completions in one commit, as in a real worker.
const COMMIT: usize = 512;

pub(super) struct SimulatedWorker {
    name: String,
    client: CoordinatorClient<AuthChannel>,
    leases: Vec<v1::Lease>,
    project: Option<Digest>,
    /// The run time that the worker reports for each run.
    pub(super) claimed: Duration,
    /// Size in bytes of the suite in each record.
    pub(super) suite: usize,
    pub(super) seen: Latencies,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum Act {
    /// Send this many lease requests.
    Lease(usize),
    /// Send this many heartbeats.
    Beat(usize),
    /// Commit all leases, each in a separate request.
    Commit,
    /// Fetch a project this many times.
    Fetch(Digest, usize),
    /// Lease and commit until a lease request grants nothing.
    Work,
}

pub(super) async fn all(
    workers: Vec<SimulatedWorker>,
    act: Act,
) -> Result<Vec<SimulatedWorker>, Status> {
    let mut acting = JoinSet::new();
    for mut worker in workers {
        acting.spawn(async move { worker.act(act).await.map(|()| worker) });
    }
    acting.join_all().await.into_iter().collect()
}

/// Latencies of replies in milliseconds, by kind of request, and the number of committed runs.
#[derive(Clone, Debug, Default)]
pub(super) struct Latencies {
    pub(super) leases: Vec<f64>,
    pub(super) commits: Vec<f64>,
    pub(super) runs: usize,
}

impl Latencies {
    pub(super) fn add(&mut self, other: &Latencies) {
        self.leases.extend(&other.leases);
        self.commits.extend(&other.commits);
        self.runs += other.runs;
    }
}

impl SimulatedWorker {
    pub(super) async fn connect(address: &str, number: usize) -> Result<SimulatedWorker, Status> {
        let client = transport::coordinator_client(address, &Access::default());
        let mut client = client.map_err(|error| Status::invalid_argument(error.to_string()))?;
        let name = format!("worker-{number}");
        let engines = engines();
        let request = v1::RegisterRequest {
            worker: name.clone(),
            protocol: PROTOCOL,
            engines,
            ..Default::default()
        };
        client.register(request).await?;
        let (leases, claimed, suite, seen) = (Vec::new(), Duration::ZERO, 0, Latencies::default());
        Ok(SimulatedWorker { name, client, leases, project: None, claimed, suite, seen })
    }

    async fn act(&mut self, act: Act) -> Result<(), Status> {
        match act {
            Act::Lease(times) => {
                for _ in 0..times {
                    self.lease().await?;
                }
            }
            Act::Beat(times) => {
                for _ in 0..times {
                    self.beat().await?;
                }
            }
            Act::Commit => {
                while !self.leases.is_empty() {
                    self.commit(1).await?;
                }
            }
            Act::Fetch(project, times) => {
                for _ in 0..times {
                    self.fetch(project).await?;
                }
            }
            Act::Work => {
                while self.lease().await? > 0 {
                    while !self.leases.is_empty() {
                        self.commit(COMMIT).await?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Returns the number of granted leases.
    async fn lease(&mut self) -> Result<usize, Status> {
        let project = self.project;
        let request = v1::LeaseRequest {
            worker: self.name.clone(),
            // A simulated worker caches only the project of the last run.
            loaded: project.map(|digest| digest.0.to_vec().into()).into_iter().collect(),
            held: self.leases.iter().map(|lease| lease.token).collect(),
            engines: engines(),
            ..Default::default()
        };
        let start = Instant::now();
        let reply = self.client.lease(request).await?.into_inner();
        self.seen.leases.push(ms(start));
        let count = reply.leases.len();
        if let Some(last) = reply.leases.last() {
            self.project = Some(spec(last)?.project);
        }
        self.leases.extend(reply.leases);
        Ok(count)
    }

    async fn commit(&mut self, most: usize) -> Result<(), Status> {
        let some: Vec<_> = self.leases.drain(..most.min(COMMIT).min(self.leases.len())).collect();
        let completions = some.iter().map(|lease| self.completion(lease));
        let completions = completions.collect::<Result<Vec<_>, _>>()?;
        let request = v1::CommitRequest { worker: self.name.clone(), completions };
        let start = Instant::now();
        let reply = self.client.commit(request).await?.into_inner();
        self.seen.commits.push(ms(start));
        for verdict in reply.verdicts {
            if !matches!(verdict.kind(), v1::verdict::Kind::Accepted) {
                let why = format!("a commit does not count: {}", verdict.reason);
                return Err(Status::failed_precondition(why));
            }
            self.seen.runs += 1;
        }
        Ok(())
    }

    /// Sends a heartbeat with the progress of the first run.
    async fn beat(&mut self) -> Result<(), Status> {
        let work = [("executions".to_owned(), 100), ("steps".to_owned(), 10_000)].into();
        let live = v1::RunProgress { work, covered: 20, goals: 40 };
        let held = self.leases.iter().enumerate().map(|(number, lease)| v1::HeldLease {
            token: lease.token,
            progress: (number == 0).then_some(live.clone()),
        });
        let request = v1::HeartbeatRequest { worker: self.name.clone(), held: held.collect() };
        let reply = self.client.heartbeat(request).await?.into_inner();
        if !reply.drop.is_empty() {
            return Err(Status::aborted("leases ran out: the machine is too busy to measure"));
        }
        Ok(())
    }

    async fn fetch(&mut self, project: Digest) -> Result<(), Status> {
        let request = v1::FetchProjectRequest { digest: project.0.to_vec().into() };
        let mut chunks = self.client.fetch_project(request).await?.into_inner();
        while chunks.message().await?.is_some() {}
        Ok(())
    }

    fn completion(&self, lease: &v1::Lease) -> Result<v1::Completion, Status> {
        let spec = spec(lease)?;
        let wall_ms = self.claimed.as_millis() as u64;
        let goals = Criterion { name: "goals".to_owned(), goals: 16, covered: (0..8).collect() };
        let record = RunRecord {
            work: [("executions".to_owned(), 1)].into(),
            timeline: vec![TimelinePoint { work: vec![1], wall_ms, covered: 8 }],
            suite: SuiteSize { tests: 1, ..SuiteSize::default() },
            artifacts: [("suite.txt".to_owned(), "x".repeat(self.suite))].into(),
            resources: Resources { wall_ms, search_ms: wall_ms, ..Resources::default() },
            provenance: Provenance { worker: self.name.clone(), ..Provenance::default() },
            ..RunRecord::new(&spec, vec![goals])
        };
        let document = v1::Document::write(&record);
        let record = document.map_err(|error| Status::internal(error.to_string()))?;
        let end = Some(End::Record(record));
        Ok(v1::Completion { run: lease.run, token: lease.token, end })
    }
}

fn engines() -> HashMap<String, String> {
    [(Noop.name(), Noop.info().engine)].into()
}

fn spec(lease: &v1::Lease) -> Result<RunSpec, Status> {
    let read = lease.spec.clone().unwrap_or_default().read();
    read.map_err(|error| Status::invalid_argument(error.to_string()))
}

fn ms(start: Instant) -> f64 {
    1e3 * start.elapsed().as_secs_f64()
}
