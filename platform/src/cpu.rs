//! Processor time of this process and its threads, and limits on its processor time and its address
//! space.

use std::time::Duration;

pub use system::{
    ended_by_cpu_limit, limit_address_space, limit_cpu_time, process_cpu_time, thread_cpu_time,
};

/// The processor time of one thread, which any thread can read.
#[derive(Clone, Debug)]
pub struct ThreadClock {
    /// The file that contains the time; empty if the system has none.
    file: String,
}

impl ThreadClock {
    /// The clock of the calling thread.
    pub fn of_this_thread() -> ThreadClock {
        ThreadClock { file: system::thread_file() }
    }

    /// Processor time that the thread has used, or that the process has used on systems without
    /// times of threads. `None` if the time cannot be read, for example because the thread has
    /// ended.
    pub fn elapsed(&self) -> Option<Duration> {
        if self.file.is_empty() {
            return Some(process_cpu_time());
        }
        // The first number is the time on a processor in nanoseconds.
        let numbers = std::fs::read_to_string(&self.file).ok()?;
        Some(Duration::from_nanos(numbers.split_whitespace().next()?.parse().ok()?))
    }
}

#[cfg(unix)]
mod system {
    use std::io;
    use std::os::unix::process::ExitStatusExt;
    use std::process::ExitStatus;
    use std::time::Duration;

    use rustix::process::{Resource, Rlimit, Signal, setrlimit};
    use rustix::time::{ClockId, Timespec, clock_gettime};

    /// Processor time that this process has used.
    pub fn process_cpu_time() -> Duration {
        duration(clock_gettime(ClockId::ProcessCPUTime))
    }

    /// Processor time that this thread has used.
    pub fn thread_cpu_time() -> Duration {
        duration(clock_gettime(ClockId::ThreadCPUTime))
    }

    pub(super) fn thread_file() -> String {
        #[cfg(target_os = "linux")]
        {
            let thread = rustix::thread::gettid().as_raw_nonzero();
            let file = format!("/proc/self/task/{thread}/schedstat");
            if std::path::Path::new(&file).exists() {
                return file;
            }
        }
        String::new()
    }

    fn duration(time: Timespec) -> Duration {
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    }

    /// Makes the system end this process when it has used this number of seconds of processor time
    /// since its start.
    ///
    /// # Errors
    ///
    /// If the limit cannot be set.
    pub fn limit_cpu_time(seconds: u64) -> io::Result<()> {
        Ok(setrlimit(Resource::Cpu, Rlimit { current: Some(seconds), maximum: None })?)
    }

    /// Limits the address space of this process to this number of bytes.
    ///
    /// # Errors
    ///
    /// If the limit cannot be set.
    pub fn limit_address_space(bytes: u64) -> io::Result<()> {
        Ok(setrlimit(Resource::As, Rlimit { current: Some(bytes), maximum: Some(bytes) })?)
    }

    /// Whether the process was ended by the signal that enforces a limit on processor time.
    pub fn ended_by_cpu_limit(status: ExitStatus) -> bool {
        status.signal() == Some(Signal::XCPU.as_raw())
    }
}

#[cfg(not(unix))]
mod system {
    use std::io;
    use std::process::ExitStatus;
    use std::sync::OnceLock;
    use std::time::{Duration, Instant};

    /// Real time since the first call, in place of processor time.
    pub fn process_cpu_time() -> Duration {
        static START: OnceLock<Instant> = OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    }

    /// Real time since the first call, in place of processor time.
    pub fn thread_cpu_time() -> Duration {
        process_cpu_time()
    }

    pub(super) fn thread_file() -> String {
        String::new()
    }

    /// Limits nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn limit_cpu_time(_: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Limits nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn limit_address_space(_: u64) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// `false`, because this system does not limit processor time.
    pub fn ended_by_cpu_limit(_: ExitStatus) -> bool {
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_takes_processor_time() {
        let (process, thread) = (process_cpu_time(), thread_cpu_time());
        let sum = (0..5_000_000_u64).fold(0_u64, |sum, n| std::hint::black_box(sum ^ n));
        assert!(std::hint::black_box(sum) < u64::MAX);
        assert!(process_cpu_time() > process && thread_cpu_time() > thread);
    }

    #[test]
    fn the_time_of_a_thread_is_read_from_another() {
        let clock = ThreadClock::of_this_thread();
        let before = std::thread::scope(|scope| scope.spawn(|| clock.elapsed()).join().unwrap());
        let end = thread_cpu_time() + Duration::from_millis(60);
        while thread_cpu_time() < end {}
        let after = std::thread::scope(|scope| scope.spawn(|| clock.elapsed()).join().unwrap());
        assert!(after.unwrap() >= before.unwrap() + Duration::from_millis(30));
    }
}
