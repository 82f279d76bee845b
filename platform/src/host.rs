//! The host: its name, the cores that this process may use, the memory that it has used.

pub use system::{allowed_cores, host, peak_rss_kib, pin};

#[cfg(target_os = "linux")]
mod system {
    use std::{fs, io};

    use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

    /// The cores that this process may run on, ascending.
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
    /// If this process may not use the core, or the system has no affinity.
    pub fn pin(core: usize) -> io::Result<()> {
        if core >= CpuSet::MAX_CPU {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        let mut set = CpuSet::new();
        set.set(core);
        Ok(sched_setaffinity(None, &set)?)
    }

    /// The name of the host; empty if the system does not give one.
    pub fn host() -> String {
        let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
        name.trim().to_owned()
    }

    /// Peak resident memory of this process in KiB; 0 if the system does not count it.
    pub fn peak_rss_kib() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        peak.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::{env, io, thread};

    /// The cores that this process may run on, ascending.
    pub fn allowed_cores() -> Vec<usize> {
        (0..thread::available_parallelism().map_or(1, usize::from)).collect()
    }

    /// Does nothing if the core exists, because this system has no affinity: it distributes the
    /// workers itself.
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

    /// The name of the host; empty if the environment does not give one.
    pub fn host() -> String {
        env::var("COMPUTERNAME").or_else(|_| env::var("HOSTNAME")).unwrap_or_default()
    }

    /// Peak resident memory of this process in KiB; 0, because this system does not count it.
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
    }
}
