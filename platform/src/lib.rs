//! What depends on the operating system: CPU affinity, memory limits, process groups and
//! signals. Linux has all of it; on other systems a portable fall-back takes its place, and
//! [`missing`] says which guarantees are absent there.
//!
//! No other crate of the runner names a system call, `/proc` or a signal.

mod host;
mod memory;
mod process;
mod signals;

pub use host::{allowed_cores, host, peak_rss_kib, pin};
pub use memory::{MemoryLimit, limit_memory, oom_kills, own_cgroup_leaf};
pub use process::{kill_group, new_group, terminate, was_killed};
pub use signals::StopSignals;

/// The guarantees that this operating system does not give, for one line at the start of a
/// worker. Empty on Linux.
pub fn missing() -> &'static [&'static str] {
    if cfg!(target_os = "linux") {
        &[]
    } else if cfg!(unix) {
        &["pinning to cores", "memory limits", "peak memory of workers"]
    } else {
        &[
            "pinning to cores",
            "memory limits",
            "peak memory of workers",
            "killing a program with all processes that it started",
            "draining workers by a signal",
        ]
    }
}
