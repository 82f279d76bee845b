//! Processor time, which does not depend on what else the computer is running.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// Processor time that this process has used.
pub(crate) fn process() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// Processor time that this thread has used.
pub(crate) fn thread() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
