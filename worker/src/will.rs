//! What is to be said of the run in hand if its memory ends.
//!
//! A process over its limit is ended at once, by its own allocator (an rlimit) or by the system
//! (a cgroup), and reports nothing. So it writes beforehand what its successor, with the same
//! spool, says in its place, if the evidence is there: the allocator's mark
//! ([`Memory`](crate::Memory)), or what the cgroup counted.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use catherd_proto::v1::CommitRequest;

use crate::limits;
use crate::{memory, spool};

/// The files in the spool's folder.
const WILL: &str = "will";
const EVIDENCE: &str = "memory";

/// The will of this process. Dropped in order, it is void.
#[derive(Debug)]
pub(crate) struct Will {
    folder: PathBuf,
    file: File,
    /// The cgroup of this process alone, if it has one.
    group: String,
}

impl Will {
    /// What a predecessor with this spool wanted said, if its memory ended.
    pub(crate) fn of_predecessor(folder: &Path) -> Option<CommitRequest> {
        let evidence = fs::read_to_string(folder.join(EVIDENCE)).ok()?;
        let (group, mark) = evidence.split_once('\n')?;
        let group = Path::new(group);
        let ended = !mark.is_empty() || limits::oom_kills(group).is_some_and(|kills| kills > 0);
        // Nobody else removes it.
        let _ = fs::remove_dir(group);
        let will = ended.then(|| fs::read(folder.join(WILL)).ok()).flatten()?;
        let (length, rest) = will.split_first_chunk()?;
        spool::whole(rest.get(..u32::from_le_bytes(*length) as usize)?)
    }

    /// Begins a will; `group` is the cgroup of this process alone.
    pub(crate) fn begin(folder: &Path, group: Option<&Path>) -> io::Result<Will> {
        let file = File::create(folder.join(WILL))?;
        let group = group.map(|group| group.display().to_string()).unwrap_or_default();
        let will = Will { folder: folder.to_owned(), file, group };
        memory::mark_in(will.evidence()?);
        Ok(will)
    }

    /// The file of evidence, without any, open at its end.
    fn evidence(&self) -> io::Result<File> {
        let path = self.folder.join(EVIDENCE);
        fs::write(&path, format!("{}\n", self.group))?;
        File::options().append(true).open(path)
    }

    /// Writes what is to be said of the run that begins now. Not synced: it is for the death of
    /// the process, not of the machine.
    pub(crate) fn write(&self, request: &CommitRequest) -> io::Result<()> {
        if memory::take_mark() {
            // That run survived it.
            self.evidence()?;
        }
        let body = spool::sealed(request);
        let mut will = Vec::with_capacity(4 + body.len());
        will.write_all(&(body.len() as u32).to_le_bytes())?;
        will.write_all(&body)?;
        self.file.write_all_at(&will, 0)
    }

    /// Nothing is to be said: the run has ended.
    pub(crate) fn clear(&self) -> io::Result<()> {
        self.file.write_all_at(&[0; 4], 0)
    }
}

impl Drop for Will {
    fn drop(&mut self) {
        for name in [WILL, EVIDENCE] {
            // What stays names no run in hand.
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_proto::v1::Completion;

    use super::*;

    #[test]
    fn a_will_counts_only_with_evidence() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let group = folder.join("catherd-1");
        fs::create_dir(&group).unwrap();
        let completions = vec![Completion { run: 1, token: 7, end: None }];
        let request = CommitRequest { worker: "w".into(), completions };
        let long = CommitRequest { worker: "w".repeat(99), ..request.clone() };
        assert_eq!(Will::of_predecessor(folder), None);

        let will = Will::begin(folder, Some(&group)).unwrap();
        will.write(&long).unwrap();
        will.write(&request).unwrap();
        assert_eq!(Will::of_predecessor(folder), None, "it was killed by somebody");
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("memory.events"), "oom 3\noom_kill 1\n").unwrap();
        assert_eq!(Will::of_predecessor(folder), Some(request.clone()));
        fs::remove_file(group.join("memory.events")).unwrap();
        will.evidence().unwrap().write_all(b"refused\n").unwrap();
        assert_eq!(Will::of_predecessor(folder), Some(request));
        will.clear().unwrap();
        assert_eq!(Will::of_predecessor(folder), None, "no run was in hand");
        drop(will);
        assert!(!folder.join(WILL).exists() && !folder.join(EVIDENCE).exists());
    }
}
