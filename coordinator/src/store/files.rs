//! The files of an SQLite store while a process writes to it.
//!
//! SQLite protects these files with POSIX locks, and a process loses all of its locks on a file as
//! soon as it closes any descriptor of that file, even one that SQLite did not open
//! (<https://sqlite.org/howtocorrupt.html>, section 2.2). Therefore nothing in this module opens a
//! file: metadata is read by path.

use std::fs::{self, Metadata};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use super::error::StoreError;

#[derive(Debug)]
struct OpenFile {
    path: PathBuf,
    /// `None` until the file exists.
    identity: Option<FileIdentity>,
}

/// The main file and the write-ahead log.
#[derive(Debug)]
pub(super) struct StoreFiles([OpenFile; 2]);

impl StoreFiles {
    /// SQLite creates the log with the first transaction, so its identity is recorded later.
    pub(super) fn of(main: &Path) -> StoreFiles {
        let files = [main.to_owned(), with_ending(main, "-wal")];
        StoreFiles(files.map(|path| OpenFile { path, identity: None }))
    }

    /// Compares the identity of each file with its identity at the first call that found it. SQLite
    /// continues to write to an open file even if no path names it any more.
    pub(super) fn check(&mut self) -> Result<(), StoreError> {
        self.0.iter_mut().try_for_each(OpenFile::check)
    }
}

impl OpenFile {
    fn check(&mut self) -> Result<(), StoreError> {
        let lost = |path: &Path, change: &'static str| {
            Err(StoreError::FileLost { path: path.to_owned(), change })
        };
        match (fs::metadata(&self.path), self.identity) {
            (Ok(found), None) => self.identity = Some(FileIdentity::of(&found)),
            (Ok(found), Some(opened)) if FileIdentity::of(&found) != opened => {
                return lost(&self.path, "replaced");
            }
            (Err(error), Some(_)) if error.kind() == ErrorKind::NotFound => {
                return lost(&self.path, "deleted or renamed");
            }
            // A file that cannot be examined now is examined again after the next transaction.
            (Ok(_) | Err(_), _) => {}
        }
        Ok(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct FileIdentity(u64, u64);

impl FileIdentity {
    #[cfg(unix)]
    fn of(metadata: &Metadata) -> FileIdentity {
        use std::os::unix::fs::MetadataExt;
        FileIdentity(metadata.dev(), metadata.ino())
    }

    /// On other systems, a file that SQLite has open cannot be deleted or renamed.
    #[cfg(not(unix))]
    fn of(_: &Metadata) -> FileIdentity {
        FileIdentity(0, 0)
    }
}

pub(super) fn with_ending(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn deleted_replaced_and_late_files_are_distinguished() {
        let folder = tempfile::tempdir().unwrap();
        let main = folder.path().join("study.db");
        let log = with_ending(&main, "-wal");
        let mut files = StoreFiles::of(&main);
        fs::write(&main, "main").unwrap();
        files.check().unwrap();
        fs::write(&log, "log").unwrap();
        files.check().unwrap();
        fs::write(&log, "a longer log").unwrap();
        files.check().unwrap();

        // The original exists until the copy is renamed, so the copy has a different inode.
        fs::copy(&log, folder.path().join("copy")).unwrap();
        fs::rename(folder.path().join("copy"), &log).unwrap();
        let error = files.check().unwrap_err().to_string();
        assert!(error.contains("study.db-wal was replaced"), "{error}");

        let mut files = StoreFiles::of(&main);
        files.check().unwrap();
        fs::rename(&main, folder.path().join("other")).unwrap();
        let error = files.check().unwrap_err().to_string();
        assert!(error.contains("study.db was deleted or renamed"), "{error}");
    }
}
