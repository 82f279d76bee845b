//! The descendants of a process, including processes that have left its process group.

pub use system::{
    adopt_orphans, end_with_parent, kill_descendants, processor_time, processor_time_with,
    resident_memory, wait_and_reap,
};
pub(crate) use system::{family_preemptions, family_processor_time};

#[cfg(target_os = "linux")]
mod system {
    use std::collections::HashMap;
    use std::fs;
    use std::io;
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::ExitStatusExt;
    use std::path::{Path, PathBuf};
    use std::process::{Child, ExitStatus};
    use std::time::{Duration, Instant};

    use rustix::fs::statvfs;
    use rustix::param::clock_ticks_per_second;
    use rustix::process::{
        Pid, Signal, WaitOptions, getpid, kill_process, set_child_subreaper,
        set_parent_process_death_signal, wait, waitpid,
    };

    const PAUSE: Duration = Duration::from_millis(2);

    /// Makes this process the parent of descendants whose own parent has ended.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn adopt_orphans() -> io::Result<()> {
        Ok(set_child_subreaper(Some(getpid()))?)
    }

    /// Makes the system kill this process when the thread that started it ends.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn end_with_parent() -> io::Result<()> {
        Ok(set_parent_process_death_signal(Some(Signal::KILL))?)
    }

    /// Waits for a child, and reaps other children that end in the meantime.
    ///
    /// # Errors
    ///
    /// If a system call fails.
    pub fn wait_and_reap(child: &Child) -> io::Result<ExitStatus> {
        let wanted = Pid::from_child(child);
        loop {
            match wait(WaitOptions::empty()) {
                Ok(Some((pid, status))) if pid == wanted => {
                    return Ok(ExitStatus::from_raw(status.as_raw()));
                }
                Ok(_) | Err(rustix::io::Errno::INTR) => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Kills the descendants of this process repeatedly until none is left or the time limit has
    /// passed. Returns whether no descendant is left.
    pub fn kill_descendants(limit: Duration) -> bool {
        let end = Instant::now() + limit;
        loop {
            let alive = descendants(getpid());
            if alive.is_empty() {
                return true;
            }
            for &pid in &alive {
                // The process may have ended since, or be a child of another process.
                let _ = kill_process(pid, Signal::KILL);
                let _ = waitpid(Some(pid), WaitOptions::NOHANG);
            }
            if Instant::now() > end {
                return false;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Memory of all descendants of a process together, in bytes: resident memory, and files in
    /// memory that no process has mapped.
    pub fn resident_memory(of: &Child) -> u64 {
        let (mut resident, mut shared) = (0, 0);
        let mut files = HashMap::new();
        for pid in descendants(Pid::from_child(of)) {
            // The process may have ended since.
            let folder = PathBuf::from(format!("/proc/{}", pid.as_raw_nonzero()));
            let Ok(status) = fs::read_to_string(folder.join("status")) else { continue };
            let bytes = |name: &str| -> Option<u64> {
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                Some(line.split_whitespace().next()?.parse::<u64>().ok()? << 10)
            };
            resident += bytes("VmRSS:").unwrap_or(0);
            shared += bytes("RssShmem:").unwrap_or(0);
            files_in_memory(&folder, &mut files);
        }
        resident + files.values().sum::<u64>().saturating_sub(shared)
    }

    /// Processor time, in user and system mode, of all descendants of a process together. The
    /// resolution is a clock tick of the system, usually 10 ms.
    pub fn processor_time(of: &Child) -> Duration {
        let own = Pid::from_child(of);
        let of_descendants: u64 = descendants(own)
            .into_iter()
            .map(|pid| {
                let [user, system, waited_user, waited_system] = ticks(pid);
                user + system + waited_user + waited_system
            })
            .sum();
        let [_, _, user, system] = ticks(own);
        let per_second = clock_ticks_per_second().max(1);
        Duration::from_millis((of_descendants + user + system).saturating_mul(1000) / per_second)
    }

    /// Processor time of this process, of the children that it has waited for, and of a living
    /// child with the children that the child has waited for. The times of children have the
    /// resolution of the system's clock ticks, usually 10 ms.
    pub fn processor_time_with(child: Option<&Child>) -> Duration {
        let [_, _, user, system] = ticks(getpid());
        let of_child = child.map_or(0, |child| ticks(Pid::from_child(child)).iter().sum::<u64>());
        let per_second = clock_ticks_per_second().max(1);
        let waited = (of_child + user + system).saturating_mul(1000) / per_second;
        crate::process_cpu_time() + Duration::from_millis(waited)
    }

    pub(crate) fn family_processor_time() -> Duration {
        let own = getpid();
        let of_descendants: u64 =
            descendants(own).into_iter().map(|pid| ticks(pid).iter().sum::<u64>()).sum();
        let [_, _, user, system] = ticks(own);
        let per_second = clock_ticks_per_second().max(1);
        let waited = (of_descendants + user + system).saturating_mul(1000) / per_second;
        crate::process_cpu_time() + Duration::from_millis(waited)
    }

    /// Involuntary context switches of this process and of its living descendants, by process.
    pub(crate) fn family_preemptions() -> HashMap<u32, u64> {
        let own = getpid();
        let of = |pid: Pid| {
            let threads = fs::read_dir(format!("/proc/{}/task", pid.as_raw_nonzero())).ok()?;
            let count = |thread: fs::DirEntry| {
                let status = fs::read_to_string(thread.path().join("status")).ok()?;
                let name = "nonvoluntary_ctxt_switches:";
                let line = status.lines().find_map(|line| line.strip_prefix(name))?;
                line.trim().parse::<u64>().ok()
            };
            Some((
                pid.as_raw_nonzero().get().unsigned_abs(),
                threads.flatten().filter_map(count).sum(),
            ))
        };
        descendants(own).into_iter().chain([own]).filter_map(of).collect()
    }

    /// Clock ticks in user and in system mode, first of a process, then of the children that it has
    /// waited for.
    fn ticks(pid: Pid) -> [u64; 4] {
        let file = format!("/proc/{}/stat", pid.as_raw_nonzero());
        let stat = fs::read_to_string(file).unwrap_or_default();
        // The name of the process, in parentheses, may contain any characters.
        let fields = stat.rsplit_once(") ").map_or("", |(_, rest)| rest).split(' ');
        // The first field here is the third field of the file, and the times are fields 14 to 17.
        let mut times = fields.skip(11).map(|field| field.parse().unwrap_or(0));
        std::array::from_fn(|_| times.next().unwrap_or(0))
    }

    /// Adds the files in memory that a process can reach, by device and inode, with their sizes in
    /// bytes. The files in `/dev/shm` count as one file.
    fn files_in_memory(process: &Path, files: &mut HashMap<(u64, u64), u64>) {
        for entry in fs::read_dir(process.join("fd")).into_iter().flatten().flatten() {
            let target = fs::read_link(entry.path()).unwrap_or_default();
            if target.as_os_str().as_encoded_bytes().starts_with(b"/memfd:")
                && let Ok(file) = fs::metadata(entry.path())
            {
                files.insert((file.dev(), file.ino()), file.blocks() * 512);
            }
        }
        let own = process.join("root/dev/shm");
        let device = |folder: &Path| fs::metadata(folder).ok().map(|folder| folder.dev());
        if let (Some(inner), outer) = (device(&own), device(Path::new("/dev/shm")))
            && Some(inner) != outer
            && let Ok(space) = statvfs(&own)
        {
            let used = space.f_blocks.saturating_sub(space.f_bfree) * space.f_frsize;
            files.insert((inner, 0), used);
        }
    }

    /// The descendants, without those that have been reaped or that have ended and are children of
    /// other processes.
    fn descendants(of: Pid) -> Vec<Pid> {
        let mut children: HashMap<i32, Vec<(i32, bool)>> = HashMap::new();
        for entry in fs::read_dir("/proc").into_iter().flatten().flatten() {
            let Some(pid) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else {
                continue;
            };
            let stat = fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
            // The name of the process, in parentheses, may contain any characters.
            let Some((_, rest)) = stat.rsplit_once(") ") else { continue };
            let mut fields = rest.split(' ');
            let ended = matches!(fields.next(), Some("Z" | "X"));
            let Some(parent) = fields.next().and_then(|parent| parent.parse().ok()) else {
                continue;
            };
            children.entry(parent).or_default().push((pid, ended));
        }
        let own = of.as_raw_nonzero().get();
        let mut found = Vec::new();
        let mut parents = vec![own];
        while let Some(parent) = parents.pop() {
            for (pid, ended) in children.remove(&parent).unwrap_or_default() {
                parents.push(pid);
                if !ended || parent == own {
                    found.extend(Pid::from_raw(pid));
                }
            }
        }
        found
    }
}

#[cfg(not(target_os = "linux"))]
mod system {
    use std::io;
    use std::process::{Child, ExitStatus};
    use std::time::Duration;

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn adopt_orphans() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn end_with_parent() -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does not wait on this system.
    ///
    /// # Errors
    ///
    /// Always.
    pub fn wait_and_reap(_: &Child) -> io::Result<ExitStatus> {
        Err(io::ErrorKind::Unsupported.into())
    }

    /// Does nothing on this system.
    pub fn kill_descendants(_: Duration) -> bool {
        false
    }

    /// 0, because this system does not provide the descendants of a process.
    pub fn processor_time(_: &Child) -> Duration {
        Duration::ZERO
    }

    /// Processor time of this process.
    pub fn processor_time_with(_: Option<&Child>) -> Duration {
        crate::process_cpu_time()
    }

    pub(crate) fn family_processor_time() -> Duration {
        crate::process_cpu_time()
    }

    pub(crate) fn family_preemptions() -> std::collections::HashMap<u32, u64> {
        std::collections::HashMap::new()
    }

    /// 0, because this system does not provide the descendants of a process.
    pub fn resident_memory(_: &Child) -> u64 {
        0
    }
}
