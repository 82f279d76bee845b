//! Crash reports: a report is the commit that the next worker process sends if this process ends
//! during a run.
//!
//! A process that exceeds its memory limit is usually ended at once and cannot report anything
//! then. Therefore a worker writes the report before each run. The next process with the same spool
//! sends the report only if there is evidence that the run ended its worker.

use std::fs::{self, File};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};

use catherd_proto::v1::CommitRequest;
use catherd_proto::v1::completion::End;

use crate::{allocator, spool};

/// A file in the folder of the spool.
const REPORT: &str = "crash-report";
const EVIDENCE: &str = "oom-evidence";
const DEATH: &str = "death";

/// Records how the last process with a spool ended. Returns whether that process ended during a
/// run.
pub(crate) fn note_death(folder: &Path, how: Option<&str>) -> bool {
    let in_run = read_report(folder).is_some();
    if let (true, Some(how)) = (in_run, how) {
        // Without the file, the worker counts as lost.
        let _ = fs::write(folder.join(DEATH), how);
    }
    in_run
}

/// `None` unless the report is intact and its process was executing a run.
fn read_report(folder: &Path) -> Option<CommitRequest> {
    let report = fs::read(folder.join(REPORT)).ok()?;
    let (length, rest) = report.split_first_chunk()?;
    spool::decode(rest.get(..u32::from_le_bytes(*length) as usize)?)
}

/// Dropping the report removes the files, because a process that ends properly has nothing to
/// report.
#[derive(Debug)]
pub(crate) struct CrashReport {
    folder: PathBuf,
    file: File,
    /// The cgroup that contains only this process; empty if there is none.
    group: String,
}

impl CrashReport {
    /// The report of the previous process with this spool, if there is evidence.
    pub(crate) fn of_predecessor(folder: &Path) -> Option<CommitRequest> {
        let death = fs::read_to_string(folder.join(DEATH)).ok();
        let _ = fs::remove_file(folder.join(DEATH));
        let evidence = fs::read_to_string(folder.join(EVIDENCE)).ok()?;
        let (group, mark) = evidence.split_once('\n')?;
        let group = Path::new(group);
        let out_of_memory =
            !mark.is_empty() || catherd_platform::oom_kills(group).is_some_and(|kills| kills > 0);
        // The process that made the group has ended.
        let _ = fs::remove_dir(group);
        let report = read_report(folder);
        if out_of_memory {
            return report;
        }
        let mut report = death.is_some().then_some(report).flatten()?;
        for completion in &mut report.completions {
            let how = death.as_deref().unwrap_or_default();
            let reason = format!("the worker process ended during the run: {how}");
            completion.end = Some(End::Crash(reason));
        }
        Some(report)
    }

    /// `group` is the cgroup that contains only this process.
    pub(crate) fn create(folder: &Path, group: Option<&Path>) -> io::Result<CrashReport> {
        let file = File::create(folder.join(REPORT))?;
        let group = group.map(|group| group.display().to_string()).unwrap_or_default();
        let report = CrashReport { folder: folder.to_owned(), file, group };
        allocator::mark_in(report.reset_evidence()?);
        Ok(report)
    }

    fn reset_evidence(&self) -> io::Result<File> {
        let path = self.folder.join(EVIDENCE);
        fs::write(&path, format!("{}\n", self.group))?;
        File::options().append(true).open(path)
    }

    /// The file is not synced, because it must survive only the process, not a crash of the
    /// computer.
    pub(crate) fn write(&self, request: &CommitRequest) -> io::Result<()> {
        if allocator::take_mark() {
            // The previous run was refused memory and survived, so the mark is not evidence about
            // this run.
            self.reset_evidence()?;
        }
        let body = spool::encode(request);
        let mut report = Vec::with_capacity(4 + body.len());
        report.write_all(&(body.len() as u32).to_le_bytes())?;
        report.write_all(&body)?;
        self.overwrite(&report)
    }

    pub(crate) fn clear(&self) -> io::Result<()> {
        self.overwrite(&[0; 4])
    }

    fn overwrite(&self, bytes: &[u8]) -> io::Result<()> {
        let mut file = &self.file;
        file.rewind()?;
        file.write_all(bytes)
    }
}

impl Drop for CrashReport {
    fn drop(&mut self) {
        for name in [REPORT, EVIDENCE, DEATH] {
            // A leftover report without evidence is ignored at the next start.
            let _ = fs::remove_file(self.folder.join(name));
        }
    }
}

#[cfg(test)]
mod tests {
    use catherd_proto::v1::Completion;

    use super::*;

    #[test]
    fn a_death_that_was_seen_during_a_run_is_a_crash() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let end = Some(End::Crash("out of memory".into()));
        let completions = vec![Completion { run: 1, token: 7, end }];
        let request = CommitRequest { worker: "w".into(), completions };
        assert!(!note_death(folder, Some("signal: 11")), "no process has used the spool");

        let report = CrashReport::create(folder, None).unwrap();
        assert!(!note_death(folder, Some("signal: 11")), "no run was begun");
        report.write(&request).unwrap();
        // A process that is killed does not clear the report.
        std::mem::forget(report);
        assert!(note_death(folder, None));
        assert_eq!(CrashReport::of_predecessor(folder), None, "nobody knows why it ended");
        assert!(note_death(folder, Some("signal: 11")));
        let [crash] = &CrashReport::of_predecessor(folder).unwrap().completions[..] else {
            panic!()
        };
        let reason = "the worker process ended during the run: signal: 11";
        assert_eq!((crash.token, &crash.end), (7, &Some(End::Crash(reason.into()))));
        assert_eq!(CrashReport::of_predecessor(folder), None, "it is reported once");

        let report = CrashReport::create(folder, None).unwrap();
        report.write(&request).unwrap();
        report.clear().unwrap();
        assert!(!note_death(folder, Some("signal: 11")), "the run had ended");
    }

    #[test]
    fn a_report_counts_only_with_evidence() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path();
        let group = folder.join("catherd-1");
        fs::create_dir(&group).unwrap();
        let completions = vec![Completion { run: 1, token: 7, end: None }];
        let request = CommitRequest { worker: "w".into(), completions };
        let long = CommitRequest { worker: "w".repeat(99), ..request.clone() };
        assert_eq!(CrashReport::of_predecessor(folder), None);

        let report = CrashReport::create(folder, Some(&group)).unwrap();
        report.write(&long).unwrap();
        report.write(&request).unwrap();
        assert_eq!(
            CrashReport::of_predecessor(folder),
            None,
            "without evidence the kill has another cause"
        );
        fs::create_dir_all(&group).unwrap();
        fs::write(group.join("memory.events"), "oom 3\noom_kill 1\n").unwrap();
        assert_eq!(CrashReport::of_predecessor(folder), Some(request.clone()));
        fs::remove_file(group.join("memory.events")).unwrap();
        report.reset_evidence().unwrap().write_all(b"refused\n").unwrap();
        assert_eq!(CrashReport::of_predecessor(folder), Some(request));
        report.clear().unwrap();
        assert_eq!(CrashReport::of_predecessor(folder), None, "no run was being executed");
        drop(report);
        assert!(!folder.join(REPORT).exists() && !folder.join(EVIDENCE).exists());
    }
}
