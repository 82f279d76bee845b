//! The benchmark: the cost of a coordinator on this machine, and the largest cluster that it can
//! serve.

pub(crate) mod analytic_model;
mod measure;
mod server;
mod simulated_worker;
pub(crate) mod simulation;

use std::ops::Add;

use catherd_cli_console::{Exit, Failure};
use clap::{Parser, Subcommand};
use serde::{Deserialize, Serialize};

/// Measures the cost of a coordinator, and predicts the size of the cluster that it can serve
#[derive(Parser)]
#[command(name = "capacity", max_term_width = 100)]
pub(crate) struct Program {
    #[command(subcommand)]
    command: Command,

    /// Flag that cargo passes to every benchmark
    #[arg(long, hide = true, global = true)]
    bench: bool,
}

#[derive(Subcommand)]
enum Command {
    Measure(measure::Arguments),
    Predict(simulation::Arguments),
}

impl Program {
    pub(crate) fn execute(self) -> Result<Exit, Failure> {
        match self.command {
            Command::Measure(arguments) => measure::run(&arguments),
            Command::Predict(arguments) => simulation::run(&arguments),
        }
    }
}

/// Processor time in microseconds, separately for the thread that writes to the store and for all
/// other threads together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Cost {
    pub(crate) writer_us: f64,
    pub(crate) others_us: f64,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        let writer_us = self.writer_us + other.writer_us;
        Cost { writer_us, others_us: self.others_us + other.others_us }
    }
}

impl Cost {
    /// Difference of two costs, at least 0 in each part.
    fn minus(self, other: Cost) -> Cost {
        let writer_us = (self.writer_us - other.writer_us).max(0.0);
        Cost { writer_us, others_us: (self.others_us - other.others_us).max(0.0) }
    }

    fn total(self) -> f64 {
        self.writer_us + self.others_us
    }

    fn map(self, change: impl Fn(f64) -> f64) -> Cost {
        Cost { writer_us: change(self.writer_us), others_us: change(self.others_us) }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Costs {
    pub(crate) machine: String,
    /// Adding one run to the store.
    pub(crate) planned_run: Cost,
    /// A lease request that is answered with one run.
    pub(crate) lease: Cost,
    /// A commit of one small record.
    pub(crate) commit: Cost,
    /// Each further run in the same lease request and the same commit.
    pub(crate) further_run: Cost,
    /// Each KiB of a record.
    pub(crate) record_kib: Cost,
    pub(crate) heartbeat: Cost,
    /// Each MiB of a project that a worker fetches.
    pub(crate) project_mib: Cost,
    /// One poll of the progress (five a second) for each live worker.
    #[serde(alias = "look_worker")]
    pub(crate) poll_worker: Cost,
    /// One update of an open dashboard (two a second) for each live worker.
    pub(crate) viewer_worker: Cost,
    /// Exporting one record.
    pub(crate) exported_run: Cost,
    /// Median milliseconds from a lease request to its reply if there are no other requests.
    pub(crate) lease_ms: f64,
    /// Memory of the coordinator for each run, in bytes.
    pub(crate) memory_run: f64,
    /// Disk space of the store for each run with a small record, in bytes.
    pub(crate) disk_run: f64,
}
