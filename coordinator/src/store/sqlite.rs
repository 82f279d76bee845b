//! SQLite in WAL mode while a coordinator serves the store, and usually as a single file
//! afterwards.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, ToSql, params_from_iter};

use super::error::StoreError;
use super::files::{StoreFiles, with_ending};
use super::row::{Purpose, Row, RowCallback, Value};

/// Page cache of the writing connection in KiB. The index of run ids is written in random order, so
/// pages that do not fit are read and written repeatedly while a study is planned.
const CACHE_KIB: i64 = 64 << 10;

const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

#[derive(Debug)]
pub(super) struct Sqlite {
    connection: Connection,
    /// `None` for a connection that only reads.
    written: Option<StoreFiles>,
    /// Must be dropped after the connection.
    _access: Access,
}

impl Sqlite {
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Sqlite, StoreError> {
        let access = Access::begin(path, purpose == Purpose::Read);
        let connection = match purpose {
            Purpose::Read => open_to_read(path, access.immutable)?,
            Purpose::Write | Purpose::TakeOver(_) => {
                let connection = Connection::open(path)?;
                connection.busy_timeout(BUSY_TIMEOUT)?;
                connection.pragma_update(None, "journal_mode", "wal")?;
                connection.pragma_update(None, "synchronous", "full")?;
                connection.pragma_update(None, "foreign_keys", true)?;
                connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
                connection
            }
        };
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(32);
        let written = (purpose != Purpose::Read).then(|| StoreFiles::of(path));
        Ok(Sqlite { connection, written, _access: access })
    }

    pub(super) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Checks that the path of the store still leads to the files that were written.
    pub(super) fn check_files(&mut self) -> Result<(), StoreError> {
        self.written.as_mut().map_or(Ok(()), StoreFiles::check)
    }

    /// Copies the contents of the write-ahead log into the main file, except what active readers
    /// still need.
    pub(super) fn checkpoint(&mut self) -> Result<(), StoreError> {
        self.batch("pragma wal_checkpoint(passive)")
    }

    /// Without WAL mode, the file can be read in a folder that cannot be written to.
    pub(super) fn close(mut self) {
        // If a statement fails, the write-ahead log remains, with everything that is not in the
        // main file.
        for sql in ["pragma wal_checkpoint(truncate)", "pragma journal_mode = delete"] {
            if let Err(error) = self.batch(sql) {
                tracing::debug!("{sql}: {error}");
            }
        }
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.connection.execute_batch(sql)?)
    }

    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        for row in rows {
            statement.execute(params_from_iter(row))?;
        }
        Ok(())
    }

    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        each: RowCallback<'_>,
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare_cached(sql)?;
        let columns = statement.column_count();
        let mut rows = statement.query(params_from_iter(parameters))?;
        while let Some(row) = rows.next()? {
            let values: Result<Vec<_>, _> =
                (0..columns).map(|column| row.get_ref(column)?.try_into()).collect();
            each(Row::new(values?))?;
        }
        Ok(())
    }
}

fn open_to_read(path: &Path, immutable: bool) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    if let (true, Some(path)) = (immutable, path.to_str()) {
        let path = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let address = format!("file:{path}?immutable=1");
        return Ok(Connection::open_with_flags(address, flags | OpenFlags::SQLITE_OPEN_URI)?);
    }
    let connection = Connection::open_with_flags(path, flags)?;
    if !is_interrupted(&connection) {
        return Ok(connection);
    }
    // A process was killed while it opened or closed the store. The first connection that may write
    // rolls back the incomplete change.
    drop(connection);
    let writing = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let repairing = Connection::open_with_flags(path, writing)?;
    repairing.busy_timeout(BUSY_TIMEOUT)?;
    repairing.query_row(FIRST_TABLE, (), |_| Ok(())).optional()?;
    drop(repairing);
    Ok(Connection::open_with_flags(path, flags)?)
}

const FIRST_TABLE: &str = "select 1 from sqlite_master limit 1";

/// Whether the file has a journal of a change that was not completed.
fn is_interrupted(connection: &Connection) -> bool {
    let found = connection.query_row(FIRST_TABLE, (), |_| Ok(())).optional();
    let code = found.err().and_then(|error| Some(error.sqlite_error()?.extended_code));
    code == Some(rusqlite::ffi::SQLITE_READONLY_ROLLBACK)
}

/// The files to which this process has connections, each with the number of connections and whether
/// the file is opened as `immutable`.
static ACCESSED: Mutex<BTreeMap<PathBuf, (usize, bool)>> = Mutex::new(BTreeMap::new());

/// A period during which this process has a connection to a file.
///
/// A connection that reads a file in WAL mode would create files next to it. Therefore a file that
/// no process serves, and whose write-ahead log is empty, is opened as `immutable`. The mode is in
/// the header. The header is read only if this process has no connection to the file, because
/// closing the file would release the locks of the connections (see [`super::files`]).
#[derive(Debug)]
struct Access {
    path: PathBuf,
    immutable: bool,
}

impl Access {
    fn begin(path: &Path, reads: bool) -> Access {
        let path = canonical(path);
        let mut accessed = ACCESSED.lock().unwrap_or_else(PoisonError::into_inner);
        let (number, immutable) = accessed.entry(path.clone()).or_default();
        if !reads {
            *immutable = false;
        } else if *number == 0 {
            *immutable = !is_served(&path) && is_resting_in_wal_mode(&path);
        }
        *number += 1;
        Access { immutable: *immutable, path }
    }
}

impl Drop for Access {
    fn drop(&mut self) {
        let mut accessed = ACCESSED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((number, _)) = accessed.get_mut(&self.path) {
            *number -= 1;
            if *number == 0 {
                accessed.remove(&self.path);
            }
        }
    }
}

/// The file need not exist yet.
fn canonical(path: &Path) -> PathBuf {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new(".")));
    fs::canonicalize(path).unwrap_or_else(|_| match (folder, path.file_name()) {
        (Ok(folder), Some(name)) => folder.join(name),
        _ => path.to_owned(),
    })
}

/// Whether a process holds the lock of a coordinator on the store.
fn is_served(path: &Path) -> bool {
    let lock = File::open(path.with_extension("lock"));
    lock.is_ok_and(|lock| lock.try_lock_shared().is_err())
}

/// The header states the mode.
fn is_resting_in_wal_mode(path: &Path) -> bool {
    let log = with_ending(path, "-wal").metadata().map_or(0, |log| log.len());
    let mut header = [0; 20];
    let mut read = || File::open(path).and_then(|mut file| file.read_exact(&mut header));
    log == 0 && read().is_ok() && header[18..] == [2, 2]
}

impl ToSql for Value {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(match self {
            Value::Null => ToSqlOutput::Owned(SqliteValue::Null),
            Value::Integer(value) => ToSqlOutput::Owned(SqliteValue::Integer(*value)),
            Value::Real(value) => ToSqlOutput::Owned(SqliteValue::Real(*value)),
            Value::Text(value) => ToSqlOutput::Borrowed(ValueRef::Text(value.as_bytes())),
            Value::Bytes(value) => ToSqlOutput::Borrowed(ValueRef::Blob(value)),
        })
    }
}

impl TryFrom<ValueRef<'_>> for Value {
    type Error = StoreError;

    fn try_from(value: ValueRef<'_>) -> Result<Value, StoreError> {
        Ok(match value {
            ValueRef::Null => Value::Null,
            ValueRef::Integer(value) => Value::Integer(value),
            ValueRef::Real(value) => Value::Real(value),
            ValueRef::Text(text) => Value::Text(String::from_utf8_lossy(text).into_owned()),
            ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
        })
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::store::{Store, StoreReader, StoreUrl};

    fn files(folder: &Path) -> Vec<(String, u64)> {
        let files = fs::read_dir(folder).unwrap().map(|file| {
            let file = file.unwrap();
            (file.file_name().into_string().unwrap(), file.metadata().unwrap().len())
        });
        let mut files: Vec<_> = files.collect();
        files.sort();
        files
    }

    #[test]
    fn a_closed_store_is_one_file_and_reading_it_creates_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("what? a 100 % store #1.db");
        let url = StoreUrl::Sqlite(path.clone());
        let mut store = Store::open(&url).unwrap();
        store.put_project(b"cat").unwrap();
        // A reader that is closed after the writer keeps the journal mode.
        let reader = StoreReader::open(&url).unwrap();
        store.close();
        drop(reader);
        assert!(is_resting_in_wal_mode(&path));
        for ending in ["-wal", "-shm"] {
            let _ = fs::remove_file(with_ending(&path, ending));
        }
        let read = || {
            let before = files(folder.path());
            assert_eq!(before.len(), 1, "{before:?}");
            let project = catherd_experiments::Digest::of(b"cat");
            assert_eq!(StoreReader::open(&url).unwrap().project(project).unwrap(), b"cat");
            assert_eq!(files(folder.path()), before);
        };
        read();
        Store::open(&url).unwrap().close();
        assert!(!is_resting_in_wal_mode(&path));
        read();

        // A reader that is open when a coordinator starts reads what the coordinator writes.
        let mut reader = StoreReader::open(&url).unwrap();
        let mut store = Store::open(&url).unwrap();
        let dog = store.put_project(b"dog").unwrap();
        assert_eq!(reader.project(dog).unwrap(), b"dog");
    }

    #[test]
    fn a_checkpoint_brings_the_main_file_up_to_date() {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::Sqlite(folder.path().join("study.db"));
        let mut store = Store::open(&url).unwrap();
        let project = store.put_project(&[7; 30_000]).unwrap();
        store.checkpoint().unwrap();
        let copy = StoreUrl::Sqlite(folder.path().join("copy.db"));
        fs::copy(folder.path().join("study.db"), folder.path().join("copy.db")).unwrap();
        assert_eq!(StoreReader::open(&copy).unwrap().project(project).unwrap().len(), 30_000);
    }

    #[test]
    fn a_store_whose_closing_was_interrupted_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        let url = StoreUrl::Sqlite(path("study.db"));
        let mut store = Store::open(&url).unwrap();
        let project = store.put_project(&[7; 30_000]).unwrap();
        store.close();
        // Copy the files while a change of the file is not complete.
        let changed = Connection::open(path("study.db")).unwrap();
        changed.execute_batch("begin; delete from parts; delete from projects").unwrap();
        changed.cache_flush().unwrap();
        for ending in ["", "-journal"] {
            let file = path(&format!("study.db{ending}"));
            fs::copy(file, path(&format!("copy.db{ending}"))).unwrap();
        }
        drop(changed);
        let copy = StoreUrl::Sqlite(path("copy.db"));
        let plain = OpenFlags::SQLITE_OPEN_READ_ONLY;
        assert!(is_interrupted(&Connection::open_with_flags(path("copy.db"), plain).unwrap()));
        assert_eq!(StoreReader::open(&copy).unwrap().project(project).unwrap().len(), 30_000);
        assert!(!path("copy.db-journal").exists());
    }
}
