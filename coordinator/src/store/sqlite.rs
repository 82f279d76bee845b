//! SQLite in WAL mode with `synchronous=FULL`.

use std::path::Path;
use std::time::Duration;

use rusqlite::types::{ToSqlOutput, Value as SqliteValue, ValueRef};
use rusqlite::{Connection, OpenFlags, ToSql, params_from_iter};

use super::error::StoreError;
use super::row::{Purpose, Row, RowCallback, Value};

/// Page cache of the writing connection in KiB. The index of run ids is written in random order, so
/// pages that do not fit are read and written repeatedly while a study is planned.
const CACHE_KIB: i64 = 64 << 10;

/// Time to wait for a lock that another process holds on the file.
const BUSY_TIMEOUT: Duration = Duration::from_secs(10);

/// A connection to an SQLite file.
#[derive(Debug)]
pub(super) struct Sqlite {
    connection: Connection,
}

impl Sqlite {
    pub(super) fn open(path: &Path, purpose: Purpose) -> Result<Sqlite, StoreError> {
        let connection = match purpose {
            Purpose::Read => {
                let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
                Connection::open_with_flags(path, flags)?
            }
            Purpose::Write | Purpose::TakeOver(_) => {
                let connection = Connection::open(path)?;
                connection.pragma_update(None, "journal_mode", "wal")?;
                connection.pragma_update(None, "synchronous", "full")?;
                connection.pragma_update(None, "foreign_keys", true)?;
                connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
                connection
            }
        };
        connection.busy_timeout(BUSY_TIMEOUT)?;
        connection.set_prepared_statement_cache_capacity(32);
        Ok(Sqlite { connection })
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
