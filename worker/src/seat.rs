//! The worker's seat on its machine: the core it is pinned to, the host's name, the
//! memory it has used.

use std::fs;
use std::io;

use rustix::thread::{CpuSet, sched_getaffinity, sched_setaffinity};

/// The cores this process may run on, ascending.
pub fn allowed_cores() -> Vec<usize> {
    match sched_getaffinity(None) {
        Ok(set) => (0..CpuSet::MAX_CPU).filter(|&core| set.is_set(core)).collect(),
        Err(_) => Vec::new(),
    }
}

/// Pins the calling thread, and the threads it will start, to one core.
pub(crate) fn pin(core: usize) -> io::Result<()> {
    if core >= CpuSet::MAX_CPU {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut set = CpuSet::new();
    set.set(core);
    Ok(sched_setaffinity(None, &set)?)
}

/// The host's name, empty if the system does not tell.
pub fn host() -> String {
    let name = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    name.trim().to_owned()
}

/// Peak resident memory of this process in KiB, 0 if the system does not tell.
pub(crate) fn peak_rss_kib() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    peak.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pinned_thread_has_one_core() {
        let cores = allowed_cores();
        let last = *cores.last().unwrap();
        let pinned = std::thread::spawn(move || pin(last).map(|()| allowed_cores()));
        assert_eq!(pinned.join().unwrap().unwrap(), [last]);
        assert!(pin(usize::MAX).is_err());
    }

    #[test]
    fn the_system_tells() {
        assert!(!host().is_empty());
        assert!(peak_rss_kib() > 100);
    }
}
