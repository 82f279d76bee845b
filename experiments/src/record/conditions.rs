//! The conditions of the computer during a run.

use serde::{Deserialize, Serialize};

/// When a run was executed, and under which conditions. A value is `None` if it was not measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Conditions {
    /// The start of the run in milliseconds since 1970, by the clock of the host.
    pub started_ms: u64,
    /// Share of the time in which other processes used the core of the run, in 0..=1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub others_busy: Option<f64>,
    /// Mean share of the time in which the other hyper-threads of the core were busy, in 0..=1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub siblings_busy: Option<f64>,
    /// Mean share of the time in which the other physical cores of the computer were busy, in
    /// 0..=1. If the worker was not pinned to a core, all cores count, without the time of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine_busy: Option<f64>,
    /// Share of the time in which the hypervisor gave the core to other virtual machines, in 0..=1;
    /// the mean of all cores if the worker was not pinned to a core.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub steal: Option<f64>,
    /// Mean frequency of the core in MHz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mhz: Option<f64>,
    /// How often the core was slowed down because of its temperature.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub throttled: Option<u64>,
    /// Number of involuntary context switches, as counted by samples of the processes of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preemptions: Option<u64>,
    /// Energy used by the processors during the run, in joules.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub energy_j: Option<f64>,
}

impl Conditions {
    /// The shares of time, by name.
    pub fn shares(&self) -> [(&'static str, Option<f64>); 4] {
        [
            ("others_busy", self.others_busy),
            ("siblings_busy", self.siblings_busy),
            ("machine_busy", self.machine_busy),
            ("steal", self.steal),
        ]
    }
}
