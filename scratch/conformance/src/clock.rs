//! Processor time, which others who use the computer do not take.

use std::time::Duration;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// What this process has used.
pub(crate) fn of_process() -> Duration {
    duration(clock_gettime(ClockId::ProcessCPUTime))
}

/// What this thread has used.
pub(crate) fn of_thread() -> Duration {
    duration(clock_gettime(ClockId::ThreadCPUTime))
}

fn duration(time: Timespec) -> Duration {
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
