//! `catherd capacity`: what a coordinator costs on this machine, and how large a cluster it
//! can serve.
//!
//! - [`measure`]: a real coordinator process under simulated workers; gives [`Costs`].
//! - [`simulation`]: from costs to a cluster that nobody has.

mod cluster;
mod measure;
mod puppet;
mod server;
mod simulation;

use std::ops::Add;

use clap::Subcommand;
use serde::{Deserialize, Serialize};

use crate::failure::{Exit, Failure};

/// Measures what a coordinator costs, and predicts how large a cluster it can serve
#[derive(Subcommand)]
pub(crate) enum Command {
    Measure(measure::Arguments),
    Predict(simulation::Arguments),
}

pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Measure(arguments) => measure::run(&arguments),
        Command::Predict(arguments) => simulation::run(&arguments),
    }
}

/// Processor time in microseconds of one core: of the one thread that writes, and of all
/// others, of which any number can work at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Cost {
    writer_us: f64,
    others_us: f64,
}

impl Add for Cost {
    type Output = Cost;

    fn add(self, other: Cost) -> Cost {
        let writer_us = self.writer_us + other.writer_us;
        Cost { writer_us, others_us: self.others_us + other.others_us }
    }
}

impl Cost {
    /// What is left of it; nothing less than nothing.
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

/// What a coordinator costs, as [`measure`] finds it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Costs {
    /// Where it was measured, for people.
    machine: String,
    /// A run that is added to the store.
    planned_run: Cost,
    /// A request for leases that one run answers.
    lease: Cost,
    /// A commit of one small record.
    commit: Cost,
    /// Leasing and committing each further run of the same two requests.
    further_run: Cost,
    /// Each KiB of a record.
    record_kib: Cost,
    /// A heartbeat with one lease.
    heartbeat: Cost,
    /// Each MiB of a project that a worker fetches.
    project_mib: Cost,
    /// A look at the state, five times a second, for each live worker.
    look_worker: Cost,
    /// What a viewer of the dashboard gets, twice a second, for each live worker.
    viewer_worker: Cost,
    /// A record that is exported.
    exported_run: Cost,
    /// Milliseconds that an unloaded coordinator takes for a lease, the disk included.
    lease_ms: f64,
    /// Memory of the coordinator for each run of its studies, in bytes.
    memory_run: f64,
    /// Disk of the store for each run with a small record, in bytes.
    disk_run: f64,
}
