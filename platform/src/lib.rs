//! Interfaces that depend on the operating system, such as processor time, memory limits, process
//! groups and namespaces. All of them are available on Linux. On other systems, some have
//! substitutes, and [`missing`] lists important guarantees that are absent.

mod calls;
mod conditions;
mod cpu;
mod descendants;
mod files;
mod host;
mod memory;
mod namespaces;
mod process;
mod secrets;
mod signals;
mod stack;
mod topology;
mod view;

pub use calls::{close_descriptors, refuse_calls};
pub use conditions::{Conditions, Meter};
pub use cpu::{
    ThreadClock, ended_by_cpu_limit, limit_address_space, limit_cpu_time, process_cpu_time,
    thread_cpu_time,
};
pub use descendants::{
    adopt_orphans, end_with_parent, kill_descendants, processor_time, processor_time_with,
    resident_memory, wait_and_reap,
};
pub use files::{available_space, only_for_owner, open_regular, remove_folder, with_mode};
pub use host::{allowed_cores, host, machine, peak_rss_kib, pin};
pub use memory::{MemoryLimit, lift_memory_limit, limit_memory, oom_kills, own_cgroup_leaf};
pub use namespaces::{
    enter_mount_namespace, enter_namespaces, give_up_privileges, leave_network, limit_ipc,
};
pub use process::{
    kill_group, new_group, terminate, terminate_group, was_ended_by_another, was_killed,
    was_own_fault,
};
pub use secrets::{check_private, create_private_folder, write_private};
pub use signals::{ReloadSignal, StopSignals, on_stop};
pub use stack::{StackBand, stack_address};
pub use topology::Topology;
pub use view::{Part, Unrestricted, View, restrict_view};

/// Guarantees that this operating system cannot provide.
pub fn missing() -> &'static [&'static str] {
    if cfg!(target_os = "linux") {
        &[]
    } else if cfg!(unix) {
        &[
            "pinning to cores",
            "memory limits",
            "peak memory of workers",
            "killing processes that leave the process group of a program",
        ]
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
