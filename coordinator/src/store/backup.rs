//! Copies an SQLite store that is in use.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::Connection;
use rusqlite::backup::{Backup, StepResult};

use super::error::StoreError;
use super::files::with_ending;
use super::row::Purpose;
use super::sqlite::Sqlite;

/// Number of pages copied between two calls to the caller's progress function.
const PAGES: i32 = 1024;

const LOCK_DELAY: Duration = Duration::from_millis(10);

/// The contents of a copy of a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BackupContents {
    /// Number of studies.
    pub studies: u64,
    /// Number of records of runs.
    pub records: u64,
    /// Size of the copy in bytes.
    pub bytes: u64,
}

/// Why a store was not copied.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// The store cannot be read.
    #[error("{}: {cause}", path.display())]
    Store {
        /// The store.
        path: PathBuf,
        /// The error of the store.
        cause: StoreError,
    },
    /// The copy cannot be made.
    #[error("{}: {cause}", path.display())]
    Copy {
        /// The copy.
        path: PathBuf,
        /// The error.
        cause: io::Error,
    },
    /// The copy did not pass SQLite's check, or its contents cannot be counted.
    #[error("the copy of {} is damaged: {problem}", path.display())]
    Damaged {
        /// The store.
        path: PathBuf,
        /// The problem that SQLite reported.
        problem: String,
    },
}

/// Copies an SQLite store into a new file, even while another process writes to the store.
/// `progress` is called with the number of pages copied so far and the number of all pages.
///
/// # Errors
///
/// If the store cannot be read, or if the copy exists, cannot be made or is damaged.
pub fn backup(
    store: &Path,
    copy: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<BackupContents, BackupError> {
    let of_store = |cause| BackupError::Store { path: store.to_owned(), cause };
    let of_copy = |cause| BackupError::Copy { path: copy.to_owned(), cause };
    if fs::symlink_metadata(copy).is_ok() {
        return Err(of_copy(io::Error::new(io::ErrorKind::AlreadyExists, "the file exists")));
    }
    let mut source = Sqlite::open(store, Purpose::Read).map_err(of_store)?;
    let partial = Partial::create(copy).map_err(of_copy)?;
    // Reading begins the transaction, so that the view of the store does not change while it is
    // copied.
    source.batch("begin; select count(*) from sqlite_master").map_err(of_store)?;
    let problem = write(source.connection(), &partial.0, progress).map_err(|error| {
        let full = error.sqlite_error_code() == Some(rusqlite::ErrorCode::DiskFull);
        let kind = if full { io::ErrorKind::StorageFull } else { io::ErrorKind::Other };
        of_copy(io::Error::new(kind, error))
    })?;
    if problem != "ok" {
        return Err(BackupError::Damaged { path: store.to_owned(), problem });
    }
    let contents = contents(&partial.0).map_err(|cause| {
        let problem = cause.to_string();
        BackupError::Damaged { path: store.to_owned(), problem }
    })?;
    partial.publish(copy).map_err(of_copy)?;
    Ok(contents)
}

/// Returns the result of SQLite's check of the copy: `ok` or a problem.
fn write(
    source: &Connection,
    copy: &Path,
    progress: &mut dyn FnMut(u64, u64),
) -> rusqlite::Result<String> {
    let mut copied = Connection::open(copy)?;
    // An incomplete copy need not survive a crash.
    copied.execute_batch("pragma journal_mode = off; pragma synchronous = off")?;
    let backup = Backup::new(source, &mut copied)?;
    loop {
        match backup.step(PAGES)? {
            StepResult::Done => break,
            StepResult::More => {
                let pages = backup.progress();
                let number = |pages| u64::try_from(pages).unwrap_or(0);
                let (all, left) = (number(pages.pagecount), number(pages.remaining));
                progress(all.saturating_sub(left), all);
            }
            _ => std::thread::sleep(LOCK_DELAY),
        }
    }
    drop(backup);
    // The copied header states that the store has a write-ahead log.
    copied.execute_batch("pragma journal_mode = delete")?;
    copied.query_row("pragma quick_check(1)", (), |row| row.get(0))
}

fn contents(copy: &Path) -> rusqlite::Result<BackupContents> {
    let copied = Connection::open(copy)?;
    let count = |table: &str| -> rusqlite::Result<u64> {
        let sql = format!("select count(*) from {table}");
        copied.query_row(&sql, (), |row| row.get::<_, i64>(0)).map(|count| count as u64)
    };
    let (studies, records) = (count("studies")?, count("records")?);
    let bytes = fs::metadata(copy).map_or(0, |file| file.len());
    Ok(BackupContents { studies, records, bytes })
}

/// A file that will become the copy. It is removed unless it was published.
struct Partial(PathBuf);

impl Partial {
    fn create(copy: &Path) -> io::Result<Partial> {
        let path = with_ending(copy, &format!(".{}.partial", std::process::id()));
        File::create(&path)?;
        Ok(Partial(path))
    }

    fn publish(self, copy: &Path) -> io::Result<()> {
        File::open(&self.0)?.sync_all()?;
        fs::rename(&self.0, copy)?;
        // Only on Unix can folders be opened, and only there must they be synchronised.
        let folder = copy.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Ok(folder) = File::open(folder.unwrap_or(Path::new("."))) {
            folder.sync_all()?;
        }
        Ok(())
    }
}

impl Drop for Partial {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{Store, StoreReader, StoreUrl};

    #[test]
    fn a_copy_of_an_open_store_has_what_was_written_and_is_one_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.db");
        let mut store = Store::open(&StoreUrl::Sqlite(path.clone())).unwrap();
        let project = store.put_project(&[7; 30_000_000]).unwrap();
        let copy = folder.path().join("copy.db");
        let mut calls = Vec::new();
        let contents = backup(&path, &copy, &mut |done, all| calls.push((done, all))).unwrap();
        assert_eq!((contents.studies, contents.records), (0, 0));
        assert!(calls.len() > 3 && calls.is_sorted(), "{calls:?}");
        let late = store.put_project(b"late").unwrap();

        let mut reader = StoreReader::open(&StoreUrl::Sqlite(copy.clone())).unwrap();
        assert_eq!(reader.project(project).unwrap().len(), 30_000_000);
        assert!(reader.project(late).is_err());
        let names = fs::read_dir(folder.path()).unwrap();
        let names: Vec<_> = names.map(|file| file.unwrap().file_name()).collect();
        assert!(!names.iter().any(|name| name.to_string_lossy().starts_with("copy.db.")));

        // The copy did not disturb the files and locks of the writer.
        store.check_files().unwrap();
        let again = backup(&path, &copy, &mut |_, _| {}).unwrap_err().to_string();
        assert!(again.contains("the file exists"), "{again}");
        assert_eq!(reader.project(project).unwrap().len(), 30_000_000);
    }

    #[test]
    fn a_damaged_store_is_not_copied() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("study.db");
        let mut store = Store::open(&StoreUrl::Sqlite(path.clone())).unwrap();
        store.put_project(&[7; 300_000]).unwrap();
        store.close();
        let mut bytes = fs::read(&path).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle..middle + 20_000].fill(0xff);
        fs::write(&path, bytes).unwrap();
        let copy = folder.path().join("copy.db");
        backup(&path, &copy, &mut |_, _| {}).unwrap_err();
        backup(&folder.path().join("none.db"), &copy, &mut |_, _| {}).unwrap_err();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);

        let path = folder.path().join("other.db");
        Store::open(&StoreUrl::Sqlite(path.clone())).unwrap().close();
        Connection::open(&path).unwrap().execute_batch("drop table studies").unwrap();
        let refused = backup(&path, &copy, &mut |_, _| {}).unwrap_err().to_string();
        assert!(
            refused.starts_with("the copy of ") && refused.contains("no such table"),
            "{refused}"
        );
    }
}
