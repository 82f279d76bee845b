//! Analytic model of the load that a cluster puts on its coordinator, from measured costs.

use std::fmt::Write as _;

use clap::{Args, value_parser};

use super::Costs;

#[derive(Args, Clone, Debug)]
pub(crate) struct Cluster {
    /// Number of workers
    #[arg(long, value_name = "N", default_value_t = 10_000)]
    #[arg(value_parser = value_parser!(u32).range(1..=1_000_000))]
    pub(crate) workers: u32,

    /// Number of runs of the study
    #[arg(long, value_name = "N", default_value_t = 10_000_000)]
    #[arg(value_parser = value_parser!(u64).range(1..=1_000_000_000))]
    pub(crate) runs: u64,

    /// Mean time of a run
    #[arg(long, value_name = "SECONDS", default_value_t = 60.0)]
    pub(crate) run_seconds: f64,

    /// Number of projects of the study, which each worker fetches one after another
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) projects: u32,

    /// Mean size of a project
    #[arg(long, value_name = "MIB", default_value_t = 2.0)]
    pub(crate) project_mib: f64,

    /// Mean size of a record
    #[arg(long, value_name = "KIB", default_value_t = 8.0)]
    pub(crate) record_kib: f64,

    /// Cores of the coordinator; one of them runs the thread that writes to the store
    #[arg(long, value_name = "N", default_value_t = 4)]
    #[arg(value_parser = value_parser!(u32).range(2..=1024))]
    pub(crate) cores: u32,

    /// Bandwidth of the coordinator's network
    #[arg(long, value_name = "GBIT/S", default_value_t = 1.0)]
    pub(crate) network: f64,

    /// Number of browsers that show the dashboard
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub(crate) viewers: u32,
}

/// Microseconds of simulated time.
pub(crate) type Time = u64;

/// Microseconds between two heartbeats of a worker.
pub(crate) const HEARTBEAT_INTERVAL: f64 = 3e6;
/// Microseconds between two polls of the progress.
pub(crate) const POLL_INTERVAL: Time = 200_000;
/// Microseconds between two updates of an open dashboard.
pub(crate) const VIEW_INTERVAL: Time = 500_000;

/// Size of a batch, as in the coordinator's queue: microseconds of work and maximum number of runs.
pub(crate) const BATCH: (f64, f64) = (1e6, 256.0);

/// Formulas for the load of a coordinator without queueing.
#[derive(Clone, Copy)]
pub(crate) struct AnalyticModel<'a> {
    pub(crate) costs: &'a Costs,
    pub(crate) cluster: &'a Cluster,
}

impl AnalyticModel<'_> {
    pub(crate) fn run_us(&self) -> f64 {
        1e6 * self.cluster.run_seconds
    }

    pub(crate) fn batch(&self) -> f64 {
        (BATCH.0 / self.run_us()).ceil().clamp(1.0, BATCH.1)
    }

    /// Processor time in microseconds, of the writer and of the other cores, to lease a batch.
    pub(crate) fn lease(&self) -> (f64, f64) {
        let further = (self.batch() - 1.0) / 2.0;
        let (first, more) = (self.costs.lease, self.costs.further_run);
        (first.writer_us + further * more.writer_us, first.others_us + further * more.others_us)
    }

    /// Processor time in microseconds, of the writer and of the other cores, to commit a batch.
    pub(crate) fn commit(&self) -> (f64, f64) {
        let (further, kib) = ((self.batch() - 1.0) / 2.0, self.cluster.record_kib * self.batch());
        let (first, more, size) =
            (self.costs.commit, self.costs.further_run, self.costs.record_kib);
        (
            first.writer_us + further * more.writer_us + kib * size.writer_us,
            first.others_us + further * more.others_us + kib * size.others_us,
        )
    }

    /// Number of runs that a worker executes on a project before fetching the next project.
    pub(crate) fn runs_a_project(&self) -> f64 {
        let Cluster { workers, runs, projects, .. } = *self.cluster;
        (runs as f64 / f64::from(projects.max(workers))).max(1.0)
    }

    /// Time in microseconds in which the network transfers one project.
    pub(crate) fn transfer(&self) -> f64 {
        self.cluster.project_mib * 8.0 * 1.048_576 / (1e-3 * self.cluster.network)
    }

    /// Microseconds of a group commit that are not processor time: disk writes and a round trip.
    pub(crate) fn sync(&self) -> f64 {
        (1e3 * self.costs.lease_ms - self.costs.lease.total()).max(0.0)
    }

    /// Returns a table of the number of workers that saturates each resource.
    pub(crate) fn limits(&self) -> String {
        let AnalyticModel { costs, cluster } = self;
        let batches = 1.0 / (self.run_us() * self.batch());
        let projects = 1.0 / (self.run_us() * self.runs_a_project());
        let (lease, commit) = (self.lease(), self.commit());
        let mib = cluster.project_mib * projects;
        let polls = 1.0 / POLL_INTERVAL as f64;
        let news = f64::from(cluster.viewers) / VIEW_INTERVAL as f64;
        // For each kind of request, the shares of a core that one worker needs.
        let parts = [
            ("leases", lease.0 * batches, lease.1 * batches),
            ("commits", commit.0 * batches, commit.1 * batches),
            (
                "heartbeats",
                costs.heartbeat.writer_us / HEARTBEAT_INTERVAL,
                costs.heartbeat.others_us / HEARTBEAT_INTERVAL,
            ),
            ("polls", costs.poll_worker.writer_us * polls, costs.poll_worker.others_us * polls),
            ("viewers", costs.viewer_worker.writer_us * news, costs.viewer_worker.others_us * news),
            ("projects", costs.project_mib.writer_us * mib, costs.project_mib.others_us * mib),
        ];
        let cores = f64::from(cluster.cores - 1);
        let mut text = format!(
            "Costs of {}.\nRuns of {} s on {} cores and {} Gbit/s; workers that would fill\n\n\
             {:12}{:>14}{:>14}\n",
            costs.machine,
            cluster.run_seconds,
            cluster.cores,
            cluster.network,
            "",
            "the writer",
            "other cores",
        );
        let row = |name: &str, writer: f64, others: f64| {
            format!("{name:12}{:>14.0}{:>14.0}\n", 1.0 / writer, cores / others)
        };
        for (name, writer, others) in parts {
            text += &row(name, writer, others);
        }
        let sum = |part: fn(&(&str, f64, f64)) -> f64| parts.iter().map(part).sum::<f64>();
        text += &row("all together", sum(|part| part.1), sum(|part| part.2));
        let link = self.transfer() * projects
            + cluster.record_kib * 8.192 / cluster.network / self.run_us();
        let _ = writeln!(text, "the network  {:>27.0}", 1.0 / link);
        let memory = costs.memory_run * cluster.runs as f64 / f64::from(1 << 30);
        let disk = (costs.disk_run + 1024.0 * cluster.record_kib) * cluster.runs as f64;
        let _ = writeln!(
            text,
            "\n{} runs: {memory:.2} GiB of memory, {:.1} GiB of disk, planned in {:.0} s",
            cluster.runs,
            disk / f64::from(1 << 30),
            1e-6 * costs.planned_run.total() * cluster.runs as f64,
        );
        text
    }
}
