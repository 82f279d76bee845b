//! Measures the cost of a coordinator.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_experiments::{Algorithm, Budget, Digest, Plan, PlannedProject, ProjectSource, Study};
use catherd_interface::SubjectKind;
use catherd_interface::noop::Noop;
use catherd_proto::transport::{self, Access, AuthChannel, PROJECT_CHUNK};
use catherd_proto::v1;
use catherd_proto::v1::studies_client::StudiesClient;
use clap::Args;
use tokio::runtime::Runtime;
use tonic::Status;

use super::server::{self, Server};
use super::simulated_worker::{Act, Latencies, SimulatedWorker, all};
use super::{Cost, Costs};

/// Measures the cost of a coordinator on this machine.
///
/// Starts a coordinator in a separate process and simulated workers in this process. Each worker
/// has its own connection, and leases, sends heartbeats and commits as a real worker does, but
/// executes nothing. Most costs are processor times of the coordinator, on which other load on the
/// machine has little influence; real times are meaningful only on an idle machine.
#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo bench --bench capacity -- measure
  cargo bench --bench capacity -- measure --runs 1000000 --workers 200 --json costs.json
  cargo bench --bench capacity -- measure --store postgres://catherd@localhost/scratch

The store is written to DIR, which must not exist yet, or to the database of --store, and is kept.")]
pub(crate) struct Arguments {
    /// Number of simulated workers
    #[arg(long, value_name = "N", default_value_t = 200)]
    workers: usize,

    /// Number of runs of the large study
    #[arg(long, value_name = "N", default_value_t = 200_000)]
    runs: usize,

    /// Number of projects of each study
    #[arg(long, value_name = "N", default_value_t = 100)]
    projects: usize,

    /// Folder of the coordinator
    #[arg(long, value_name = "DIR", default_value = "capacity")]
    dir: PathBuf,

    /// PostgreSQL database instead of a file in the folder; must be empty
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Write the costs as JSON, for `predict`
    #[arg(long, short = 'o', value_name = "FILE")]
    json: Option<PathBuf>,
}

/// Number of rounds, and number of runs that each worker leases and commits in a round.
const ROUNDS: (usize, usize) = (10, 10);

/// Size in bytes of the project that workers fetch.
const PROJECT: usize = 1 << 20;

/// Time without requests, in which the cost of an idle coordinator is measured.
const IDLE: Duration = Duration::from_secs(5);

const STATUS_REQUESTS: usize = 50;

/// Size in KiB of the suite in a large record.
const RECORD_KIB: usize = 64;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    terminal::log("error");
    if arguments.dir.exists() {
        return Err(Failure::new(format_args!("{} exists", arguments.dir.display()))
            .hint("remove it, or name another folder with --dir"));
    }
    let mut bench = Bench::start(arguments)?;
    let mut costs = Costs { machine: server::machine(), ..Costs::default() };
    bench.singles(&mut costs)?;
    bench.batches(&mut costs)?;
    bench.afterwards(&mut costs)?;
    terminal::print(&bench.text);
    if let Some(file) = &arguments.json {
        let json = serde_json::to_string_pretty(&costs).map_err(Failure::new)?;
        fs::write(file, json + "\n").map_err(|cause| {
            Failure::new(format_args!("{}: {cause}", file.display()))
                .hint("name another file with --json")
        })?;
    }
    Ok(Exit::Success)
}

struct Bench<'a> {
    arguments: &'a Arguments,
    runtime: Runtime,
    server: Server,
    client: StudiesClient<AuthChannel>,
    workers: Vec<SimulatedWorker>,
    /// Cost of one second of an idle coordinator.
    idle: Cost,
    text: String,
}

impl<'a> Bench<'a> {
    fn start(arguments: &'a Arguments) -> Result<Bench<'a>, Failure> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(cannot)?;
        let server = Server::start(&arguments.dir, arguments.store.as_deref())?;
        let client = runtime
            .block_on(async { transport::studies_client(&server.address, &Access::default()) })
            .map_err(Failure::new)?;
        let text = format!("{}\n\n", server::machine());
        let (workers, idle) = (Vec::new(), Cost::default());
        let mut bench = Bench { arguments, runtime, server, client, workers, idle, text };
        bench.connect()?;
        Ok(bench)
    }

    fn connect(&mut self) -> Result<(), Failure> {
        let address = self.server.address.clone();
        self.workers.clear();
        for number in 0..self.arguments.workers {
            let worker = self.runtime.block_on(SimulatedWorker::connect(&address, number));
            self.workers.push(worker.map_err(refused)?);
        }
        Ok(())
    }

    /// Lets all workers act, and returns the cost minus the cost of an idle coordinator.
    fn act(&mut self, act: Act) -> Result<Cost, Failure> {
        let workers = std::mem::take(&mut self.workers);
        let (cost, workers) =
            self.spending(|bench| bench.runtime.block_on(all(workers, act)).map_err(refused))?;
        self.workers = workers;
        Ok(cost)
    }

    fn spending<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, Failure>,
    ) -> Result<(Cost, T), Failure> {
        let (start, before) = (Instant::now(), self.server.spent());
        let value = work(self)?;
        let (after, seconds) = (self.server.spent(), start.elapsed().as_secs_f64());
        let cost = Cost {
            writer_us: after.writer_us - before.writer_us - seconds * self.idle.writer_us,
            others_us: after.others_us - before.others_us - seconds * self.idle.others_us,
        };
        Ok((cost.map(|us| us.max(0.0)), value))
    }

    fn seen(&mut self) -> Latencies {
        let mut seen = Latencies::default();
        for worker in &mut self.workers {
            seen.add(&std::mem::take(&mut worker.seen));
        }
        seen
    }

    /// Measures requests about single runs, which are usual if a run takes a minute, and the
    /// transfer of data.
    fn singles(&mut self, costs: &mut Costs) -> Result<(), Failure> {
        let each = self.arguments.workers * ROUNDS.1;
        self.submit("singles", each * (ROUNDS.0 + 2))?;
        self.workers.iter_mut().for_each(|worker| worker.claimed = Duration::from_secs(60));
        // Warm up, because the size of batches depends on reported run times.
        self.act(Act::Lease(1))?;
        self.act(Act::Commit)?;
        let (mut lease, mut beat, mut commit) = (Cost::default(), Cost::default(), Cost::default());
        self.seen();
        for round in 0..ROUNDS.0 {
            lease = lease + self.act(Act::Lease(ROUNDS.1))?;
            beat = beat + self.act(Act::Beat(ROUNDS.1))?;
            if round == 0 {
                self.quiet(costs)?;
            }
            commit = commit + self.act(Act::Commit)?;
        }
        let (seen, count) = (self.seen(), (each * ROUNDS.0) as f64);
        (costs.lease, costs.heartbeat) = (lease.map(|us| us / count), beat.map(|us| us / count));
        costs.commit = commit.map(|us| us / count);
        self.line("a lease of one run", costs.lease, &quantiles(&seen.leases));
        self.line("a commit of one run", costs.commit, &quantiles(&seen.commits));
        self.line("a heartbeat", costs.heartbeat, &format!("of {} leases", ROUNDS.1));

        self.workers.iter_mut().for_each(|worker| worker.suite = RECORD_KIB << 10);
        self.act(Act::Lease(ROUNDS.1))?;
        let large = self.act(Act::Commit)?;
        self.workers.iter_mut().for_each(|worker| worker.suite = 0);
        let kib = (each * RECORD_KIB) as f64;
        costs.record_kib = large.minus(costs.commit.map(|us| us * each as f64)).map(|us| us / kib);
        self.line("each KiB of a record", costs.record_kib, "");

        let project = Digest::of(&project("singles", 0));
        let fetched = self.act(Act::Fetch(project, 2))?;
        let mib = (2 * self.arguments.workers * PROJECT) as f64 / f64::from(1 << 20);
        costs.project_mib = fetched.map(|us| us / mib);
        self.line("each MiB of a project", costs.project_mib, "");

        // Send requests from a single worker to measure the latency without queueing.
        let others = self.workers.split_off(1);
        self.seen();
        self.act(Act::Lease(ROUNDS.1))?;
        let seen = self.seen();
        costs.lease_ms = quantile(&seen.leases, 0.5);
        self.act(Act::Commit)?;
        let commits = quantiles(&self.seen().commits);
        let _ = writeln!(self.text, "a single worker: lease {}", quantiles(&seen.leases));
        let _ = writeln!(self.text, "                 commit {commits}");
        self.workers.extend(others);
        let cancelled = v1::StudyState::Cancelled.into();
        let request = v1::SetStateRequest { study: "singles".to_owned(), state: cancelled };
        self.runtime.block_on(self.client.set_state(request)).map_err(refused)?;
        Ok(())
    }

    fn quiet(&mut self, costs: &mut Costs) -> Result<(), Failure> {
        let workers = self.arguments.workers as f64;
        let (spent, ()) = self.spending(|_| {
            std::thread::sleep(IDLE);
            Ok(())
        })?;
        self.idle = spent.map(|us| us / IDLE.as_secs_f64());
        costs.poll_worker = self.idle.map(|us| us / 5.0 / workers);
        self.line("a poll of the progress, for each worker", costs.poll_worker, "5 times a second");
        self.act(Act::Beat(1))?;
        let (viewed, bytes) = self.spending(|bench| {
            (0..STATUS_REQUESTS).map(|_| view(bench.server.dashboard).map_err(cannot)).sum()
        })?;
        let bytes: usize = bytes;
        let per_worker = STATUS_REQUESTS as f64 * workers;
        costs.viewer_worker = viewed.map(|us| us / per_worker);
        let size = format!("{:.0} bytes", bytes as f64 / per_worker);
        self.line("a view, for each worker", costs.viewer_worker, &size);
        self.act(Act::Beat(1)).map(drop)
    }

    /// Measures a large study, whose batches are full because its runs take no time.
    fn batches(&mut self, costs: &mut Costs) -> Result<(), Failure> {
        let before = self.server.memory().0;
        let disk = server::size(&self.arguments.dir);
        let (planned, (runs, took)) = self.spending(|bench| {
            let start = Instant::now();
            Ok((bench.submit("batches", bench.arguments.runs)?, start.elapsed()))
        })?;
        costs.planned_run = planned.map(|us| us / runs as f64);
        let took = format!("{:.1} s in all", took.as_secs_f64());
        self.line("planning, each run", costs.planned_run, &took);
        costs.memory_run = (self.server.memory().0 - before).max(0.0) / runs as f64;

        self.workers.iter_mut().for_each(|worker| worker.claimed = Duration::ZERO);
        self.seen();
        let start = Instant::now();
        let spent = self.act(Act::Work)?;
        let seconds = start.elapsed().as_secs_f64();
        let seen = self.seen();
        let (leases, commits) = (seen.leases.len() as f64, seen.commits.len() as f64);
        let firsts = costs.lease.map(|us| us * leases) + costs.commit.map(|us| us * commits);
        let further = (seen.runs as f64 - commits).max(1.0);
        costs.further_run = spent.minus(firsts).map(|us| us / further);
        costs.disk_run = (server::size(&self.arguments.dir) - disk) / runs as f64;
        let (rate, each) = (seen.runs as f64 / seconds, spent.map(|us| us / seen.runs as f64));
        self.line("each run of a batch", costs.further_run, "beyond the first");
        let (now, peak) = self.server.memory();
        let _ = writeln!(
            self.text,
            "\n{} runs by {} workers in {seconds:.1} s: {rate:.0} a second, {:.1} core-us a run\n\
             leases:  {}\ncommits: {}\n\
             memory: {:.1} MiB, peak {:.1} MiB, {:.0} bytes a run; disk: {:.0} bytes a run",
            seen.runs,
            self.arguments.workers,
            each.total(),
            quantiles(&seen.leases),
            quantiles(&seen.commits),
            mib(now),
            mib(peak),
            costs.memory_run,
            costs.disk_run,
        );
        Ok(())
    }

    fn afterwards(&mut self, costs: &mut Costs) -> Result<(), Failure> {
        let study = || "batches".to_owned();
        let start = Instant::now();
        self.runtime.block_on(self.client.get_status(v1::StatusRequest {})).map_err(refused)?;
        let status = start.elapsed();
        let start = Instant::now();
        let request = v1::ExplainRequest { study: study() };
        self.runtime.block_on(self.client.explain(request)).map_err(refused)?;
        let _ = writeln!(
            self.text,
            "status: {:.1} ms; of one study: {:.1} ms",
            1e3 * status.as_secs_f64(),
            1e3 * start.elapsed().as_secs_f64(),
        );
        let (spent, exported) = self.spending(|bench| {
            let mut client = bench.client.clone();
            let exported = async {
                let request = v1::ResultsRequest { study: study(), ..Default::default() };
                let mut results = client.results(request).await?.into_inner();
                let mut count = 0_usize;
                while results.message().await?.is_some() {
                    count += 1;
                }
                Ok(count)
            };
            bench.runtime.block_on(exported).map_err(refused)
        })?;
        let runs = self.arguments.runs;
        if exported < runs {
            return Err(Failure::new(format_args!("{exported} of {runs} runs were exported")));
        }
        costs.exported_run = spent.map(|us| us / exported as f64);
        self.line("exporting, each run", costs.exported_run, "");
        let peak = mib(self.server.memory().1);
        let _ = writeln!(self.text, "peak of the memory after that: {peak:.1} MiB");
        self.server.stop()?;
        self.server = Server::start(&self.arguments.dir, self.arguments.store.as_deref())?;
        let (starting, memory) = (self.server.starting.as_secs_f64(), self.server.memory());
        let _ = writeln!(
            self.text,
            "started again after {starting:.1} s, {:.1} s of a core: {:.1} MiB, peak {:.1} MiB",
            1e-6 * self.server.spent().total(),
            mib(memory.0),
            mib(memory.1)
        );
        self.server.stop()
    }

    /// Returns the number of runs, which is a multiple of the number of projects and at least
    /// `runs`.
    fn submit(&mut self, name: &str, runs: usize) -> Result<usize, Failure> {
        let projects = self.arguments.projects.max(1);
        let study = Study {
            name: name.to_owned(),
            projects: ProjectSource::Paths(Vec::new()),
            algorithms: vec![Algorithm::plain("none")],
            seeds: (1..=runs.div_ceil(projects) as u64).collect(),
            budget: Budget::of("executions", 1),
            mutation: None,
            subject: None,
            race: None,
            stop: None,
        };
        let mut planned = Vec::new();
        for number in 0..projects {
            let bytes = project(name, number);
            let size = bytes.len() as u64;
            let chunk = |data: &[u8]| v1::ProjectChunk { size, data: data.to_vec().into() };
            let chunks: Vec<_> = bytes.chunks(PROJECT_CHUNK).map(chunk).collect();
            let sent = self.client.put_project(tokio_stream::iter(chunks));
            self.runtime.block_on(sent).map_err(refused)?;
            let name = format!("project-{number}");
            planned.push(PlannedProject { name, digest: Digest::of(&bytes) });
        }
        let plan = Plan::new(&study, &Noop.info(), planned, |_| Ok(())).map_err(Failure::new)?;
        let count = plan.count();
        let plan = v1::Document::write(&plan).map_err(Failure::new)?;
        let mut waiting = false;
        loop {
            let plan = Some(plan.clone());
            let request = v1::SubmitRequest { plan, waiting, ..Default::default() };
            let reply = self.runtime.block_on(self.client.submit(request)).map_err(refused)?;
            if reply.into_inner().unplanned == 0 {
                return Ok(count);
            }
            waiting = true;
        }
    }

    fn line(&mut self, what: &str, cost: Cost, more: &str) {
        let Cost { writer_us, others_us } = cost;
        let _ = writeln!(self.text, "{what:24} {writer_us:8.2} + {others_us:8.2} core-us  {more}");
    }
}

/// Only the project with number 0 is large.
fn project(study: &str, number: usize) -> Vec<u8> {
    let mut bytes = format!("{study} {number}").into_bytes();
    if number == 0 {
        bytes.resize(PROJECT, b'.');
    }
    bytes
}

/// Returns the size of the response in bytes.
fn view(dashboard: SocketAddr) -> io::Result<usize> {
    let mut stream = TcpStream::connect(dashboard)?;
    stream.write_all(b"GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut page = Vec::new();
    stream.read_to_end(&mut page)
}

fn quantiles(times: &[f64]) -> String {
    let [half, most, worst] = [0.5, 0.99, 1.0].map(|share| quantile(times, share));
    format!("p50 {half:.1} ms, p99 {most:.1} ms, worst {worst:.1} ms of {}", times.len())
}

fn quantile(times: &[f64], share: f64) -> f64 {
    let mut times = times.to_vec();
    times.sort_by(f64::total_cmp);
    let last = times.len().saturating_sub(1);
    times.get((last as f64 * share).round() as usize).copied().unwrap_or(f64::NAN)
}

fn mib(bytes: f64) -> f64 {
    bytes / f64::from(1 << 20)
}

fn cannot(cause: io::Error) -> Failure {
    Failure::new(format_args!("cannot measure: {cause}"))
        .hint("see whether the system's limits allow processes, threads and ports")
}

fn refused(status: Status) -> Failure {
    Failure::new(format_args!("the coordinator refused: {}", status.message()))
        .hint("repeat the command on a quieter machine, or with fewer --workers")
}
