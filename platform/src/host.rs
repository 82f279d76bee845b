//! The host, the cores that a thread may use, and the memory that this process has used.

use std::thread;

pub use system::{allowed_cores, host, peak_rss_kib, pin};

/// Processor, cores and memory of the host in words, such as `AMD EPYC 7763, 8 cores, 32 GiB`.
pub fn machine() -> String {
    let (model, cores, memory_kib) = system::hardware();
    let model = model.unwrap_or_else(|| format!("processor {}", std::env::consts::ARCH));
    let cores = cores.or_else(|| thread::available_parallelism().ok().map(usize::from));
    let mut parts = vec![model];
    parts.extend(cores.map(|cores| format!("{cores} core{}", if cores == 1 { "" } else { "s" })));
    // The firmware reserves a part of the memory.
    parts.extend(memory_kib.map(|kib| format!("{} GiB", kib.div_ceil(1 << 20))));
    parts.join(", ")
}

#[cfg(target_os = "linux")]
mod system {
    use std::{fs, io};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that the calling thread may run on, ascending. Empty if they cannot be read.
    pub fn allowed_cores() -> Vec<usize> {
        match sched_getaffinity(None) {
            Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
            Err(_) => Vec::new(),
        }
    }

    /// Pins the calling thread, and the threads that it will start, to one core.
    ///
    /// # Errors
    ///
    /// If the thread may not run on the core.
    pub fn pin(core: usize) -> io::Result<()> {
        if core >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut set = CpuSet::new();
        set.set(core);
        Ok(sched_setaffinity(None, &set)?)
    }

    /// The name of the host. Empty if it cannot be read.
    pub fn host() -> String {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        name.trim().to_owned()
    }

    /// The model of the processor, the number of logical cores of the host, and its memory in KiB.
    pub(super) fn hardware() -> (Option<String>, Option<usize>, Option<u64>) {
        let processors = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
        let values = |key: &'static str| {
            processors.lines().filter_map(move |line| {
                let (name, value) = line.split_once(':')?;
                (name.trim() == key && !value.trim().is_empty()).then(|| value.trim())
            })
        };
        let model = values("model name").chain(values("Model")).next();
        let model = model.map(|model| model.split_whitespace().collect::<Vec<_>>().join(" "));
        let cores = Some(values("processor").count()).filter(|cores| *cores > 0);
        let memory = fs::read_to_string("/proc/meminfo").unwrap_or_default();
        let total = memory.lines().find_map(|line| line.strip_prefix("MemTotal:"));
        let total = total.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok());
        (model, cores, total)
    }

    /// Peak resident memory of this process in KiB; 0 if it is not known.
    pub fn peak_rss_kib() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::{env, io, thread};

    /// The cores that the calling thread may run on, ascending.
    pub fn allowed_cores() -> Vec<usize> {
        (0..thread::available_parallelism().map_or(1, usize::from)).collect()
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// If there is no such core.
    pub fn pin(core: usize) -> io::Result<()> {
        if allowed_cores().contains(&core) {
            Ok(())
        } else {
            Err(io::ErrorKind::InvalidInput.into())
        }
    }

    /// The name of the host. Empty if it is not known.
    pub fn host() -> String {
        env::var("COMPUTERNAME").or_else(|_| env::var("HOSTNAME")).unwrap_or_default()
    }

    pub(super) fn hardware() -> (Option<String>, Option<usize>, Option<u64>) {
        (None, None, None)
    }

    /// 0, because this system does not count the peak memory.
    pub fn peak_rss_kib() -> u64 {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg(target_os = "linux")]
    fn a_pinned_thread_has_one_core() {
        let cores = allowed_cores();
        let last = *cores.last().unwrap();
        let pinned = std::thread::spawn(move || pin(last).map(|()| allowed_cores()));
        assert_eq!(pinned.join().unwrap().unwrap(), [last]);
    }

    #[test]
    fn a_core_that_does_not_exist_is_refused() {
        assert!(!allowed_cores().is_empty());
        assert!(pin(usize::MAX).is_err());
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn host_name_and_peak_memory_are_known() {
        assert!(!host().is_empty());
        assert!(peak_rss_kib() > 100);
        let machine = machine();
        let parts: Vec<&str> = machine.rsplitn(3, ", ").collect();
        assert!(parts[0].ends_with(" GiB") && parts[1].contains(" core"), "{machine}");
        assert!(!parts[2].trim().is_empty(), "{machine}");
    }
}
