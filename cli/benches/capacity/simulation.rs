//! A deterministic discrete-event simulation of a cluster with one coordinator.
//!
//! The coordinator consists of one thread that writes groups of requests
//! (`coordinator/src/writer.rs`), and of other threads, which process requests on the remaining
//! cores in the order of arrival. A worker requests the next batch when half of the current batch
//! is done or, if batches have one run, when the run has ended. A worker commits a batch when all
//! runs in the batch have ended.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};
use std::fmt::Write as _;
use std::fs;
use std::path::PathBuf;

use catherd_cli_console::{Exit, Failure, terminal};
use catherd_search::Stream;
use clap::Args;

use super::analytic_model::{
    AnalyticModel, Cluster, HEARTBEAT_INTERVAL, POLL_INTERVAL, Time, VIEW_INTERVAL,
};

/// Predicts which resource limits a cluster, from measured costs.
///
/// Prints the number of workers that saturates each resource of the coordinator, and simulates a
/// whole study batch by batch. A batch takes between half and one and a half times its mean time.
#[derive(Args)]
#[command(after_help = "\
Examples:
  cargo bench --bench capacity -- predict costs.json
  cargo bench --bench capacity -- predict costs.json --workers 10000 --runs 10000000 --run-seconds 60")]
pub(crate) struct Arguments {
    /// File that `measure --json` wrote
    #[arg(value_name = "COSTS.json")]
    costs: PathBuf,

    #[command(flatten)]
    cluster: Cluster,
}

/// Time in microseconds whose heartbeats are simulated as one event.
const HEARTBEAT_BUNDLE: Time = 100_000;

/// Maximum number of requests in one group commit.
const GROUP: usize = 1024;

pub(crate) fn run(arguments: &Arguments) -> Result<Exit, Failure> {
    let Arguments { costs: file, cluster } = arguments;
    let unreadable = |cause: String| {
        Failure::new(format_args!("{}: {cause}", file.display()))
            .hint("write it with `measure --json FILE`")
    };
    let bytes = fs::read(file).map_err(|cause| unreadable(cause.to_string()))?;
    let costs = serde_json::from_slice(&bytes).map_err(|cause| unreadable(cause.to_string()))?;
    let sound = [cluster.run_seconds, cluster.network];
    if sound.iter().any(|number| number.is_nan() || *number <= 0.0) {
        return Err(Failure::new("--run-seconds and --network must be greater than 0"));
    }
    let model = AnalyticModel { costs: &costs, cluster };
    let mut text = model.limits();
    // Writing to a string does not fail.
    let _ = writeln!(text, "\n{}", Outcome::HEADER);
    let mut sizes: Vec<u32> = (2..=5).map(|power| 10_u32.pow(power)).collect();
    sizes.retain(|&workers| workers != cluster.workers);
    for workers in sizes {
        // Simulate long enough for a steady state.
        let runs = u64::from(workers) * (10.0 * model.batch()).ceil() as u64;
        let cluster = Cluster { workers, runs, ..cluster.clone() };
        text += &Simulation::new(AnalyticModel { costs: &costs, cluster: &cluster }).run().row();
    }
    text += "\nThe study itself:\n";
    text += &Simulation::new(model).run().row();
    terminal::print(&text);
    Ok(Exit::Success)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A request has been read and waits for the writer: number of its worker, and `true` for a
    /// lease request, `false` for a commit.
    Read(u32, bool),
    /// The writer has committed a group of requests.
    Written,
    /// A worker has received a project.
    Fetched(u32),
    /// A worker has executed half of its batch.
    Half(u32),
    /// A worker has executed its batch.
    Done(u32),
    Heartbeats,
    Poll,
    View,
}

#[derive(Clone, Copy, Debug, Default)]
struct Worker {
    /// Time of the unanswered lease request.
    asked: Option<Time>,
    /// Whether the next batch can begin.
    ready: bool,
    working: bool,
    /// Time since which the worker has had no work.
    idle: Time,
    /// Number of runs until the worker needs a new project.
    left: f64,
}

pub(crate) struct Simulation<'a> {
    model: AnalyticModel<'a>,
    now: Time,
    events: BinaryHeap<Reverse<(Time, u64, Event)>>,
    /// Number of events so far, by which simultaneous events are ordered.
    count: u64,
    stream: Stream,
    workers: Vec<Worker>,
    /// Time at which each core but the writer's becomes free.
    cores: Vec<Time>,
    /// Time at which the network becomes free.
    link: Time,
    waiting: VecDeque<(u32, bool)>,
    group: Vec<(u32, bool)>,
    /// Number of heartbeats that wait for the writer.
    beats: f64,
    poll: bool,
    writing: bool,
    /// Number of runs that are not leased yet.
    pending: u64,
    /// Number of runs that are not done yet.
    open: u64,
    seen: Outcome,
}

/// Result of a simulation. While the simulation runs, the shares are sums of microseconds.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Outcome {
    workers: u32,
    pub(crate) runs: u64,
    pub(crate) seconds: f64,
    /// Share of the time in which the writer, the other cores and the network are busy.
    pub(crate) writer: f64,
    pub(crate) others: f64,
    link: f64,
    /// Share of the workers' time without work, in 0..=1.
    pub(crate) idle: f64,
    /// The number at index n counts lease requests that were answered after at least 2^(n-1) and
    /// less than 2^n microseconds.
    latencies: Vec<u64>,
    events: u64,
}

impl Outcome {
    const HEADER: &'static str = "  workers        runs  run/s  writer  others network  \
                                  lease p50    p99  workers' time lost";

    fn row(&self) -> String {
        let percent = |share: f64| format!("{:.1} %", 100.0 * share);
        let within = |share: f64| {
            let all: u64 = self.latencies.iter().sum();
            let mut sum = 0;
            let place = self.latencies.iter().position(|count| {
                sum += count;
                sum as f64 >= share * all as f64
            });
            format!("{:.1} ms", 1e-3 * 2_f64.powi(place.unwrap_or(0) as i32))
        };
        format!(
            "{:>9} {:>11} {:>6.0} {:>7} {:>7} {:>7} {:>10} {:>6} {:>10} after {:.0} s\n",
            self.workers,
            self.runs,
            self.runs as f64 / self.seconds,
            percent(self.writer),
            percent(self.others),
            percent(self.link),
            within(0.5),
            within(0.99),
            percent(self.idle),
            self.seconds,
        )
    }
}

impl<'a> Simulation<'a> {
    pub(crate) fn new(model: AnalyticModel<'a>) -> Simulation<'a> {
        let Cluster { workers, runs, cores, .. } = *model.cluster;
        Simulation {
            model,
            now: 0,
            events: BinaryHeap::new(),
            count: 0,
            stream: Stream::new(1, 0),
            workers: vec![Worker::default(); workers as usize],
            cores: vec![0; cores as usize - 1],
            link: 0,
            waiting: VecDeque::new(),
            group: Vec::new(),
            beats: 0.0,
            poll: false,
            writing: false,
            pending: runs,
            open: runs,
            seen: Outcome { workers, runs, latencies: vec![0; 64], ..Outcome::default() },
        }
    }

    pub(crate) fn run(mut self) -> Outcome {
        for worker in 0..self.model.cluster.workers {
            // Workers start at random times within the first ten seconds.
            let at = self.stream.below(10_000_000);
            self.workers[worker as usize].idle = at;
            self.now = at;
            self.ask(worker);
        }
        self.now = 0;
        for (event, after) in [
            (Event::Heartbeats, HEARTBEAT_BUNDLE),
            (Event::Poll, POLL_INTERVAL),
            (Event::View, VIEW_INTERVAL),
        ] {
            self.after(after, event);
        }
        while let Some(Reverse((now, _, event))) = self.events.pop() {
            self.now = now;
            self.take(event);
            if self.open == 0 {
                break;
            }
        }
        let time = self.now as f64;
        let (cores, workers) = (self.cores.len() as f64, self.workers.len() as f64);
        self.seen.seconds = 1e-6 * time;
        self.seen.writer /= time;
        self.seen.others /= time * cores;
        self.seen.link /= time;
        self.seen.idle /= time * workers;
        self.seen.events = self.count;
        self.seen
    }

    fn take(&mut self, event: Event) {
        let AnalyticModel { costs, cluster } = self.model;
        let workers = f64::from(cluster.workers);
        match event {
            Event::Read(worker, lease) => {
                self.waiting.push_back((worker, lease));
                self.write();
            }
            Event::Written => {
                self.writing = false;
                for (worker, lease) in std::mem::take(&mut self.group) {
                    if lease {
                        self.granted(worker);
                    }
                }
                self.write();
            }
            Event::Fetched(worker) => self.ready(worker),
            Event::Half(worker) => self.ask(worker),
            Event::Done(worker) => self.done(worker),
            Event::Heartbeats => {
                // A worker sends no heartbeat while its last heartbeat is unanswered.
                let beats = (workers * HEARTBEAT_BUNDLE as f64 / HEARTBEAT_INTERVAL)
                    .min(workers - self.beats);
                self.beats += beats;
                self.background(beats * costs.heartbeat.others_us);
                self.after(HEARTBEAT_BUNDLE, Event::Heartbeats);
            }
            Event::Poll => {
                // While a poll waits, further polls are skipped.
                if !self.poll {
                    self.poll = true;
                    self.background(workers * costs.poll_worker.others_us);
                }
                self.after(POLL_INTERVAL, Event::Poll);
            }
            Event::View => {
                // The update is made from the last poll, without the writer.
                let all = f64::from(cluster.viewers) * workers;
                self.background(all * costs.viewer_worker.others_us);
                self.after(VIEW_INTERVAL, Event::View);
            }
        }
    }

    /// Distributes `others` microseconds of work among the other cores.
    fn background(&mut self, others: f64) {
        self.seen.others += others;
        let share = (others / self.cores.len() as f64) as Time;
        for core in &mut self.cores {
            *core = (*core).max(self.now) + share;
        }
        self.write();
    }

    fn ask(&mut self, worker: u32) {
        self.workers[worker as usize].asked = Some(self.now);
        self.request(worker, true);
    }

    fn request(&mut self, worker: u32, lease: bool) {
        let (_, cost) = if lease { self.model.lease() } else { self.model.commit() };
        let at = self.core(cost);
        self.at(at, Event::Read(worker, lease));
    }

    /// Assigns work to the core that becomes free first, and returns the time at which the work
    /// ends.
    fn core(&mut self, cost: f64) -> Time {
        self.seen.others += cost;
        let now = self.now;
        let free = self.cores.iter_mut().min();
        free.map_or(now, |core| {
            *core = (*core).max(now) + cost as Time;
            *core
        })
    }

    fn write(&mut self) {
        if self.writing || (self.waiting.is_empty() && self.beats == 0.0 && !self.poll) {
            return;
        }
        let some = self.waiting.len().min(GROUP);
        self.group.extend(self.waiting.drain(..some));
        let (lease, commit) = (self.model.lease().0, self.model.commit().0);
        let requests =
            self.group.iter().map(|&(_, is_lease)| if is_lease { lease } else { commit });
        let AnalyticModel { costs, cluster } = self.model;
        let beats = std::mem::take(&mut self.beats) * costs.heartbeat.writer_us;
        let polls = match std::mem::take(&mut self.poll) {
            true => f64::from(cluster.workers) * costs.poll_worker.writer_us,
            false => 0.0,
        };
        let busy = beats + polls + requests.sum::<f64>();
        let sync = if self.group.is_empty() { 0.0 } else { self.model.sync() };
        self.seen.writer += busy;
        self.writing = true;
        self.after((busy + sync).max(1.0) as Time, Event::Written);
    }

    fn granted(&mut self, number: u32) {
        let batch = (self.model.batch() as u64).min(self.pending);
        let worker = &mut self.workers[number as usize];
        if let Some(asked) = worker.asked.take() {
            let took = (self.now - asked).max(1);
            self.seen.latencies[took.ilog2() as usize + 1] += 1;
        }
        if batch == 0 {
            return;
        }
        self.pending -= batch;
        worker.left -= batch as f64;
        if worker.left > 0.0 {
            return self.ready(number);
        }
        worker.left = self.model.runs_a_project();
        let transfer = self.model.transfer();
        self.seen.link += transfer;
        self.link = self.link.max(self.now) + transfer as Time;
        let mib = self.model.cluster.project_mib;
        let read = self.core(mib * self.model.costs.project_mib.others_us);
        self.at(self.link.max(read), Event::Fetched(number));
    }

    fn ready(&mut self, number: u32) {
        let worker = &mut self.workers[number as usize];
        worker.ready = true;
        if !worker.working {
            self.seen.idle += (self.now - worker.idle) as f64;
            self.begin(number);
        }
    }

    fn begin(&mut self, number: u32) {
        let batch = self.model.batch();
        let factor = 0.5 + self.stream.below(1 << 20) as f64 / f64::from(1 << 20);
        let time = (factor * batch * self.model.run_us()) as Time;
        let worker = &mut self.workers[number as usize];
        (worker.ready, worker.working) = (false, true);
        if batch > 1.0 {
            self.after(time / 2, Event::Half(number));
        }
        self.after(time, Event::Done(number));
    }

    fn done(&mut self, number: u32) {
        let batch = self.model.batch();
        self.open = self.open.saturating_sub(batch as u64);
        self.request(number, false);
        let (now, worker) = (self.now, &mut self.workers[number as usize]);
        worker.working = false;
        worker.idle = now;
        if worker.ready {
            self.begin(number);
        } else if batch <= 1.0 {
            self.ask(number);
        }
    }

    fn after(&mut self, time: Time, event: Event) {
        self.at(self.now + time, event);
    }

    fn at(&mut self, time: Time, event: Event) {
        self.count += 1;
        self.events.push(Reverse((time, self.count, event)));
    }
}
