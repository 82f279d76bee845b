//! Memory limits of a process and of the programs that it starts.

use std::path::PathBuf;

pub use system::{lift_memory_limit, limit_memory, oom_kills, own_cgroup_leaf};

/// How the memory of this process is limited.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MemoryLimit {
    /// By a separate cgroup, which counts the memory of the process and its programs together.
    Cgroup(PathBuf),
    /// By an rlimit, which counts only the data of each process.
    Rlimit,
    /// The memory is not limited.
    None,
}

impl MemoryLimit {
    /// The name in provenance: `cgroup`, `rlimit` or `none`.
    pub fn name(&self) -> &'static str {
        match self {
            MemoryLimit::Cgroup(_) => "cgroup",
            MemoryLimit::Rlimit => "rlimit",
            MemoryLimit::None => "none",
        }
    }

    /// The folder of the cgroup.
    pub fn cgroup(&self) -> Option<&std::path::Path> {
        match self {
            MemoryLimit::Cgroup(leaf) => Some(leaf),
            MemoryLimit::Rlimit | MemoryLimit::None => None,
        }
    }
}

#[cfg(target_os = "linux")]
mod system {
    use std::fs;
    use std::path::{Path, PathBuf};

    use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

    use super::MemoryLimit;

    /// Limits the memory of this process to `bytes`, if the system permits it.
    pub fn limit_memory(bytes: u64) -> MemoryLimit {
        if let Some(leaf) = enter_cgroup(bytes) {
            return MemoryLimit::Cgroup(leaf);
        }
        let maximum = getrlimit(Resource::Data).maximum;
        let limit = Rlimit { current: Some(maximum.map_or(bytes, |max| max.min(bytes))), maximum };
        match setrlimit(Resource::Data, limit) {
            Ok(()) => MemoryLimit::Rlimit,
            Err(_) => MemoryLimit::None,
        }
    }

    /// Lifts the rlimit that [`limit_memory`] has set for the process that started this one, if the
    /// system permits it. The limit counts reserved memory instead of used memory, and some
    /// programs reserve terabytes.
    pub fn lift_memory_limit() {
        let maximum = getrlimit(Resource::Data).maximum;
        // If the system refuses, the limit is not changed.
        let _ = setrlimit(Resource::Data, Rlimit { current: maximum, maximum });
    }

    /// Needs cgroup v2 and a parent group that has the memory controller and is delegated to this
    /// user.
    fn enter_cgroup(bytes: u64) -> Option<PathBuf> {
        let group = own_cgroup()?;
        // A group that enables controllers for its child groups may not contain processes, so the
        // leaf is made next to the group that contains this process, not below it.
        let parent = group.parent().filter(|parent| parent.starts_with("/sys/fs/cgroup/"))?;
        let controllers = fs::read_to_string(parent.join("cgroup.subtree_control")).ok()?;
        controllers.split_whitespace().find(|name| *name == "memory")?;
        let leaf = parent.join(format!("catherd-{}", std::process::id()));
        fs::create_dir(&leaf).ok()?;
        let entered = fs::write(leaf.join("memory.max"), bytes.to_string())
            .and_then(|()| fs::write(leaf.join("cgroup.procs"), std::process::id().to_string()));
        if entered.is_err() {
            let _ = fs::remove_dir(&leaf);
        }
        entered.ok().map(|()| leaf)
    }

    fn own_cgroup() -> Option<PathBuf> {
        let own = fs::read_to_string("/proc/self/cgroup").ok()?;
        let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
        Some(PathBuf::from("/sys/fs/cgroup").join(own))
    }

    /// The cgroup that [`limit_memory`] made for this process.
    pub fn own_cgroup_leaf() -> Option<PathBuf> {
        let name = format!("catherd-{}", std::process::id());
        own_cgroup().filter(|group| group.ends_with(name))
    }

    /// How many processes of a cgroup the system has killed for lack of memory.
    pub fn oom_kills(group: &Path) -> Option<u64> {
        let events = fs::read_to_string(group.join("memory.events")).ok()?;
        events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.parse().ok())
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::path::{Path, PathBuf};

    use super::MemoryLimit;

    /// Limits nothing on this system.
    pub fn limit_memory(_: u64) -> MemoryLimit {
        MemoryLimit::None
    }

    /// Does nothing on this system.
    pub fn lift_memory_limit() {}

    /// `None`, because this system has no cgroups.
    pub fn own_cgroup_leaf() -> Option<PathBuf> {
        None
    }

    /// `None`, because this system has no cgroups.
    pub fn oom_kills(_: &Path) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_have_the_names_of_provenance() {
        let leaf = PathBuf::from("/sys/fs/cgroup/catherd-1");
        let cgroup = MemoryLimit::Cgroup(leaf.clone());
        assert_eq!((cgroup.name(), cgroup.cgroup()), ("cgroup", Some(&*leaf)));
        assert_eq!((MemoryLimit::Rlimit.name(), MemoryLimit::Rlimit.cgroup()), ("rlimit", None));
        assert_eq!((MemoryLimit::None.name(), MemoryLimit::None.cgroup()), ("none", None));
    }

    #[test]
    fn a_process_without_a_limit_has_no_leaf() {
        assert_eq!(own_cgroup_leaf(), None);
    }
}
