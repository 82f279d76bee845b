//! What a run may use of its machine. Limits of the runner, not of the run: what they end
//! is tried again elsewhere and is no result.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Limits of a worker process; none unless it is set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits {
    /// Real time of a run.
    pub wall: Option<Duration>,
    /// Memory of the process and of the programs it starts, in bytes.
    pub memory: Option<u64>,
}

impl Limits {
    /// Puts this process under the memory limit and says how: `cgroup` (a leaf of its own in
    /// a delegated cgroup, which counts all memory of the worker and its programs), `rlimit`
    /// (data of each process alone), or `none`; and where the leaf is.
    pub(crate) fn apply(&self) -> (&'static str, Option<PathBuf>) {
        let Some(bytes) = self.memory else { return ("none", None) };
        if let Some(leaf) = enter_cgroup(bytes) {
            return ("cgroup", Some(leaf));
        }
        let maximum = getrlimit(Resource::Data).maximum;
        let limit = Rlimit { current: Some(maximum.map_or(bytes, |max| max.min(bytes))), maximum };
        match setrlimit(Resource::Data, limit) {
            Ok(()) => ("rlimit", None),
            Err(_) => ("none", None),
        }
    }
}

/// Moves this process into a new leaf of its cgroup, with a memory limit. Only where the
/// kernel has cgroup v2 and somebody delegated a group with the memory controller.
fn enter_cgroup(bytes: u64) -> Option<PathBuf> {
    let group = own_cgroup()?;
    // A process of a parent group may not have siblings that are groups with controllers,
    // so the leaf goes beside the group that this process is in.
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

/// The cgroup of this process.
fn own_cgroup() -> Option<PathBuf> {
    let own = fs::read_to_string("/proc/self/cgroup").ok()?;
    let own = own.lines().find_map(|line| line.strip_prefix("0::/"))?;
    Some(PathBuf::from("/sys/fs/cgroup").join(own))
}

/// The leaf of this worker, if it has one: what happens there happens to it and its programs.
pub(crate) fn own_leaf() -> Option<PathBuf> {
    let name = format!("catherd-{}", std::process::id());
    own_cgroup().filter(|group| group.ends_with(name))
}

/// How many processes of a cgroup the system has killed for their memory.
pub(crate) fn oom_kills(group: &Path) -> Option<u64> {
    let events = fs::read_to_string(group.join("memory.events")).ok()?;
    events.lines().find_map(|line| line.strip_prefix("oom_kill ")?.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_limit_is_none() {
        assert_eq!(Limits::default().apply(), ("none", None));
    }
}
