//! Measures conditions of an execution, such as the load of other processes.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

use crate::descendants::{family_preemptions, family_processor_time};
use crate::topology::Topology;

/// Minimum time between two samples, except before the last sample.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(2);

/// Minimum time for which shares are computed, because the system counts in ticks of usually 10 ms.
const SHORTEST: Duration = Duration::from_millis(500);

/// What was measured between [`Meter::start`] and [`Meter::finish`]. A value is `None` if it is not
/// known.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conditions {
    /// Processor time of this process and all its descendants.
    pub processor_time: Duration,
    /// Share of the time in which other processes used the core, in 0..=1.
    pub others_busy: Option<f64>,
    /// Mean share of the time in which the other hyper-threads of the core were busy, in 0..=1.
    pub siblings_busy: Option<f64>,
    /// Mean share of the time in which the other physical cores of the computer were busy, in
    /// 0..=1. If the process is not pinned to a core, the mean of all cores, less the time of this process
    /// and its descendants.
    pub machine_busy: Option<f64>,
    /// Share of the time in which the hypervisor gave the core to other virtual machines, in 0..=1.
    /// If the process is not pinned to a core, the mean of all cores.
    pub steal: Option<f64>,
    /// Mean frequency of the core in MHz.
    pub mhz: Option<f64>,
    /// How often the core was slowed down because of its temperature.
    pub throttled: Option<u64>,
    /// Number of involuntary context switches, as counted by samples of this process and its
    /// descendants.
    pub preemptions: Option<u64>,
    /// Energy used by the processors, in joules.
    pub energy: Option<f64>,
}

/// A measurement of conditions.
#[derive(Debug)]
pub struct Meter {
    system: SystemFiles,
    core: Option<usize>,
    siblings: Vec<usize>,
    started: Instant,
    processor_time: Duration,
    busy: BTreeMap<usize, CoreTimes>,
    throttled: Option<u64>,
    energy: Vec<(PathBuf, u64)>,
    frequencies: Vec<f64>,
    /// For each process, the count before the measurement (0 if the process started later) and the
    /// largest count in a sample.
    preemptions: HashMap<u32, (u64, u64)>,
    sampled: Instant,
}

#[derive(Clone, Debug)]
struct SystemFiles {
    proc: PathBuf,
    sys: PathBuf,
}

/// Times of a core in ticks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct CoreTimes {
    busy: u64,
    idle: u64,
    steal: u64,
}

impl Meter {
    /// Starts a measurement. `core` is the core to which this process and its descendants are
    /// pinned.
    pub fn start(core: Option<usize>) -> Meter {
        let system = SystemFiles { proc: PathBuf::from("/proc"), sys: PathBuf::from("/sys") };
        static TOPOLOGY: OnceLock<Topology> = OnceLock::new();
        let topology = TOPOLOGY.get_or_init(Topology::of_this_machine);
        let mut meter = Meter::with(system, core, topology);
        meter.processor_time = family_processor_time();
        let seen = family_preemptions().into_iter();
        meter.preemptions = seen.map(|(pid, count)| (pid, (count, count))).collect();
        meter
    }

    fn with(system: SystemFiles, core: Option<usize>, topology: &Topology) -> Meter {
        Meter {
            siblings: core.map(|core| topology.siblings(core)).unwrap_or_default(),
            busy: system.core_times(),
            throttled: core.and_then(|core| system.throttled(core)),
            energy: system.energy(),
            frequencies: core.and_then(|core| system.frequency(core)).into_iter().collect(),
            preemptions: HashMap::new(),
            processor_time: Duration::ZERO,
            started: Instant::now(),
            sampled: Instant::now(),
            system,
            core,
        }
    }

    /// Takes a sample, unless the last sample is recent. Must be called every few seconds.
    pub fn sample(&mut self) {
        if self.sampled.elapsed() >= SAMPLE_INTERVAL {
            self.sample_now();
        }
    }

    fn sample_now(&mut self) {
        self.sampled = Instant::now();
        self.frequencies.extend(self.core.and_then(|core| self.system.frequency(core)));
        for (pid, count) in family_preemptions() {
            let seen = self.preemptions.entry(pid).or_insert((0, count));
            seen.1 = seen.1.max(count);
        }
    }

    /// Ends the measurement.
    pub fn finish(mut self) -> Conditions {
        self.sample_now();
        let own = family_processor_time().saturating_sub(self.processor_time);
        let known = !self.preemptions.is_empty();
        let preemptions = self.preemptions.values().map(|(first, last)| last - first).sum();
        Conditions { preemptions: known.then_some(preemptions), ..self.finished(own) }
    }

    /// The conditions without preemptions. `own` is the processor time of this process and its
    /// descendants.
    fn finished(&self, own: Duration) -> Conditions {
        let elapsed = self.started.elapsed();
        let now = self.system.core_times();
        // Busy, and stolen.
        let share = |core: usize| {
            let (before, after) = (self.busy.get(&core)?, now.get(&core)?);
            let busy = after.busy.saturating_sub(before.busy);
            let steal = after.steal.saturating_sub(before.steal);
            let all = busy + steal + after.idle.saturating_sub(before.idle);
            (all > 0 && elapsed >= SHORTEST)
                .then(|| (busy as f64 / all as f64, steal as f64 / all as f64))
        };
        let mean = |cores: &mut dyn Iterator<Item = usize>, of: fn((f64, f64)) -> f64| {
            let shares: Vec<f64> = cores.filter_map(share).map(of).collect();
            (!shares.is_empty()).then(|| shares.iter().sum::<f64>() / shares.len() as f64)
        };
        let used = own.as_secs_f64() / elapsed.as_secs_f64().max(1e-9);
        let all = || now.keys().copied();
        let others = |one: &usize| self.core != Some(*one) && !self.siblings.contains(one);
        let machine_busy = match self.core {
            Some(_) => mean(&mut all().filter(others), |share| share.0),
            None => mean(&mut all(), |share| share.0)
                .map(|busy| (busy - used / now.len().max(1) as f64).max(0.0)),
        };
        let throttled = self.core.and_then(|core| self.system.throttled(core));
        let frequencies = &self.frequencies;
        Conditions {
            processor_time: own,
            others_busy: self.core.and_then(share).map(|share| (share.0 - used).clamp(0.0, 1.0)),
            siblings_busy: mean(&mut self.siblings.iter().copied(), |share| share.0),
            machine_busy,
            steal: match self.core {
                Some(core) => share(core).map(|share| share.1),
                None => mean(&mut all(), |share| share.1),
            },
            mhz: (!frequencies.is_empty())
                .then(|| frequencies.iter().sum::<f64>() / frequencies.len() as f64),
            throttled: throttled.zip(self.throttled).map(|(now, then)| now.saturating_sub(then)),
            preemptions: None,
            energy: self.system.energy_since(&self.energy),
        }
    }
}

impl SystemFiles {
    fn number(path: PathBuf) -> Option<u64> {
        fs::read_to_string(path).ok()?.trim().parse().ok()
    }

    /// The times of each core since the computer was started.
    fn core_times(&self) -> BTreeMap<usize, CoreTimes> {
        fs::read_to_string(self.proc.join("stat")).map(|stat| core_times(&stat)).unwrap_or_default()
    }

    fn throttled(&self, core: usize) -> Option<u64> {
        let file = format!("devices/system/cpu/cpu{core}/thermal_throttle/core_throttle_count");
        SystemFiles::number(self.sys.join(file))
    }

    /// The frequency of a core in MHz.
    fn frequency(&self, core: usize) -> Option<f64> {
        let file = format!("devices/system/cpu/cpu{core}/cpufreq/scaling_cur_freq");
        if let Some(khz) = SystemFiles::number(self.sys.join(file)) {
            return Some(khz as f64 / 1000.0);
        }
        let text = fs::read_to_string(self.proc.join("cpuinfo")).ok()?;
        let mut own = false;
        text.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            match name.trim() {
                "processor" => own = value.trim().parse() == Ok(core),
                "cpu MHz" if own => return value.trim().parse().ok(),
                _ => {}
            }
            None
        })
    }

    /// The energy counters that this process may read, in microjoules.
    fn energy(&self) -> Vec<(PathBuf, u64)> {
        let entries = fs::read_dir(self.sys.join("class/powercap")).into_iter().flatten().flatten();
        let mut counters: Vec<(PathBuf, u64)> = entries
            // Parts of processors have names with a second colon.
            .filter(|entry| entry.file_name().to_string_lossy().matches(':').count() == 1)
            .filter(|entry| entry.file_name().to_string_lossy().starts_with("intel-rapl:"))
            .filter_map(|entry| {
                Some((entry.path(), SystemFiles::number(entry.path().join("energy_uj"))?))
            })
            .collect();
        counters.sort_unstable();
        counters
    }

    /// The energy used since `before`, in joules. A counter begins again at 0 after its largest
    /// value.
    fn energy_since(&self, before: &[(PathBuf, u64)]) -> Option<f64> {
        let mut sum = 0;
        for (folder, first) in before {
            let now = SystemFiles::number(folder.join("energy_uj"))?;
            sum += match now.checked_sub(*first) {
                Some(used) => used,
                None => {
                    let range = SystemFiles::number(folder.join("max_energy_range_uj"))?;
                    (range + now).saturating_sub(*first)
                }
            };
        }
        (!before.is_empty()).then_some(sum as f64 / 1e6)
    }
}

fn core_times(stat: &str) -> BTreeMap<usize, CoreTimes> {
    let core = |line: &str| {
        let (name, times) = line.split_once(' ')?;
        let core = name.strip_prefix("cpu")?.parse().ok()?;
        let times: Vec<u64> = times.split_whitespace().map_while(|n| n.parse().ok()).collect();
        let at = |field: usize| times.get(field).copied().unwrap_or(0);
        // user, nice, system, idle, iowait, irq, softirq, steal; guests are part of user and nice.
        let busy = at(0) + at(1) + at(2) + at(5) + at(6);
        Some((core, CoreTimes { busy, idle: at(3) + at(4), steal: at(7) }))
    };
    stat.lines().filter_map(core).collect()
}

#[cfg(test)]
mod tests;
