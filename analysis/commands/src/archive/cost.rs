//! Time, memory and machines of the runs of a study, according to their records.

use std::collections::{BTreeMap, BTreeSet};

use catherd_cli_console::terminal::plural;
use catherd_experiments::{RunRecord, RunSpec};

const HOUR: f64 = 3_600_000.0;

const MAX_MACHINES: usize = 20;

#[derive(Default)]
pub(crate) struct Cost {
    wall_ms: u64,
    longest_ms: u64,
    /// In KiB; 0 if no run has a measurement.
    peak_kib: u64,
    hosts: BTreeSet<String>,
    machines: BTreeMap<String, BTreeSet<String>>,
    /// Number of records that a repetition must reproduce.
    pub(crate) repeatable: usize,
    /// Number of records that depend on real time and may therefore differ in a repetition.
    pub(crate) by_real_time: usize,
}

impl Cost {
    pub(crate) fn add(&mut self, spec: &RunSpec, record: &RunRecord) {
        let used = &record.resources;
        self.wall_ms = self.wall_ms.saturating_add(used.wall_ms);
        self.longest_ms = self.longest_ms.max(used.wall_ms);
        self.peak_kib = self.peak_kib.max(used.peak_rss_kib);
        let host = &record.provenance.host;
        self.hosts.insert(host.clone());
        let machine = &record.provenance.machine;
        if !machine.is_empty() {
            self.machines.entry(machine.clone()).or_default().insert(host.clone());
        }
        if crate::verify::by_real_time(spec, record) {
            self.by_real_time += 1;
        } else {
            self.repeatable += 1;
        }
    }

    pub(super) fn time(&self) -> String {
        time(self.wall_ms)
    }

    pub(super) fn machines(&self) -> Vec<String> {
        let machine = |(machine, hosts): (&String, &BTreeSet<String>)| match hosts.len() {
            1 => machine.clone(),
            n => format!("{n} machines with {machine}"),
        };
        let mut all: Vec<String> = self.machines.iter().take(MAX_MACHINES).map(machine).collect();
        if let Some(more) = self.machines.len().checked_sub(MAX_MACHINES).filter(|n| *n > 0) {
            all.push(plural(more, "other machine"));
        }
        all
    }

    pub(super) fn rows(&self) -> [(&'static str, String); 3] {
        let machines = match self.hosts.len() {
            1 => "one machine".to_owned(),
            n => format!("{n} machines"),
        };
        let memory = match self.peak_kib {
            0 => "not measured".to_owned(),
            kib => format!("{} MiB for each core in use", kib.div_ceil(1024)),
        };
        let time = format!(
            "{} on one core for all runs, at most {} for one, measured on {machines}",
            self.time(),
            time(self.longest_ms)
        );
        let hardware = match self.machines() {
            all if all.is_empty() => "not recorded".to_owned(),
            all => all.join("; "),
        };
        [("measured with", hardware), ("time", time), ("memory", memory)]
    }
}

fn time(ms: u64) -> String {
    let hours = ms as f64 / HOUR;
    match ms {
        0..60_000 => plural(ms.div_ceil(1000) as usize, "second"),
        60_000..7_200_000 => plural(ms.div_ceil(60_000) as usize, "minute"),
        _ if hours < 100.0 => format!("{:.1} hours", (hours * 10.0).ceil() / 10.0),
        _ => format!("{} hours", hours.ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::time;

    #[test]
    fn times_are_rounded_up() {
        assert_eq!(time(0), "0 seconds");
        assert_eq!(time(1001), "2 seconds");
        assert_eq!(time(60_001), "2 minutes");
        assert_eq!(time(7_200_001), "2.1 hours");
        assert_eq!(time(360_000_001), "101 hours");
    }
}
