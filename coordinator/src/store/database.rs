//! One way to speak to two databases. Statements are written once, in the SQL that both
//! understand, with parameters `?1`, `?2`, ...; whole numbers are `bigint` and bytes
//! `bytea`, which SQLite takes for INTEGER and for what it is.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use super::StoreError;
use super::postgres::Postgres;
use super::sqlite::Sqlite;

/// Where a store is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StoreUrl {
    /// An SQLite file.
    Sqlite(PathBuf),
    /// A PostgreSQL database: `postgres://user@host/name` or key-value pairs.
    Postgres(String),
}

impl StoreUrl {
    /// What a person wrote: an address that begins with `postgres://` or `postgresql://`,
    /// or else the path of an SQLite file.
    pub fn parse(text: &str) -> StoreUrl {
        if text.starts_with("postgres://") || text.starts_with("postgresql://") {
            StoreUrl::Postgres(text.to_owned())
        } else {
            StoreUrl::Sqlite(text.into())
        }
    }
}

impl fmt::Display for StoreUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            StoreUrl::Sqlite(path) => write!(f, "{}", path.display()),
            // The part before the @ may hold a password.
            StoreUrl::Postgres(url) => {
                let after = url.rsplit_once('@').map_or(url.as_str(), |(_, after)| after);
                write!(f, "postgres {}", after.trim_start_matches("postgres://"))
            }
        }
    }
}

/// A value in a row.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Value {
    Null,
    Integer(i64),
    Real(f64),
    Text(String),
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(value: i64) -> Value {
        Value::Integer(value)
    }
}

impl From<u32> for Value {
    fn from(value: u32) -> Value {
        Value::Integer(value.into())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Value {
        Value::Text(value.to_owned())
    }
}

impl From<&[u8]> for Value {
    fn from(value: &[u8]) -> Value {
        Value::Bytes(value.to_owned())
    }
}

impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Value {
        value.map_or(Value::Null, Into::into)
    }
}

/// A row, read from left to right.
pub(super) struct Row(pub(super) std::vec::IntoIter<Value>);

impl Row {
    fn take(&mut self) -> Row {
        Row(std::mem::take(&mut self.0))
    }

    fn next(&mut self) -> Result<Value, StoreError> {
        self.0.next().ok_or_else(|| StoreError::Damaged("a row is too short".to_owned()))
    }

    pub(super) fn integer(&mut self) -> Result<i64, StoreError> {
        match self.next()? {
            Value::Integer(value) => Ok(value),
            other => Err(unexpected("a whole number", &other)),
        }
    }

    /// A whole number that was stored as a smaller type.
    pub(super) fn narrow<T: TryFrom<i64>>(&mut self) -> Result<T, StoreError> {
        let value = self.integer()?;
        let unfit = || StoreError::Damaged(format!("{value} is out of range"));
        T::try_from(value).map_err(|_| unfit())
    }

    pub(super) fn optional_integer(&mut self) -> Result<Option<i64>, StoreError> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Integer(value) => Ok(Some(value)),
            other => Err(unexpected("a whole number", &other)),
        }
    }

    pub(super) fn real(&mut self) -> Result<f64, StoreError> {
        match self.next()? {
            Value::Real(value) => Ok(value),
            Value::Integer(value) => Ok(value as f64),
            other => Err(unexpected("a number", &other)),
        }
    }

    pub(super) fn text(&mut self) -> Result<String, StoreError> {
        match self.next()? {
            Value::Text(value) => Ok(value),
            other => Err(unexpected("text", &other)),
        }
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, StoreError> {
        match self.next()? {
            Value::Null => Ok(None),
            Value::Text(value) => Ok(Some(value)),
            other => Err(unexpected("text", &other)),
        }
    }

    pub(super) fn bytes(&mut self) -> Result<Vec<u8>, StoreError> {
        match self.next()? {
            Value::Bytes(value) => Ok(value),
            other => Err(unexpected("bytes", &other)),
        }
    }

    pub(super) fn digest(&mut self) -> Result<catherd_experiments::Digest, StoreError> {
        let bytes = self.bytes()?;
        let length = bytes.len();
        let wrong = |_| StoreError::Damaged(format!("a digest of {length} bytes"));
        Ok(catherd_experiments::Digest(bytes.try_into().map_err(wrong)?))
    }
}

fn unexpected(wanted: &str, found: &Value) -> StoreError {
    StoreError::Damaged(format!("{found:?} instead of {wanted}"))
}

/// What is done with each row of an answer.
pub(super) type Each<'a> = &'a mut dyn FnMut(Row) -> Result<(), StoreError>;

/// A connection to a database.
#[derive(Debug)]
pub(super) enum Database {
    Sqlite(Sqlite),
    Postgres(Postgres),
}

/// What a connection is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    Write,
    /// To write in place of one who has been silent for so long.
    TakeOver(Duration),
    Read,
}

impl Database {
    pub(super) fn connect(url: &StoreUrl, purpose: Purpose) -> Result<Database, StoreError> {
        match url {
            StoreUrl::Sqlite(path) => Ok(Database::Sqlite(Sqlite::open(path, purpose)?)),
            StoreUrl::Postgres(address) => {
                Ok(Database::Postgres(Postgres::connect(address, purpose)?))
            }
        }
    }

    /// Runs statements without parameters or answers.
    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        match self {
            Database::Sqlite(sqlite) => sqlite.batch(sql),
            Database::Postgres(postgres) => postgres.batch(sql),
        }
    }

    /// Runs a statement once for each row of parameters, in order.
    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<(), StoreError> {
        match self {
            _ if rows.is_empty() => Ok(()),
            Database::Sqlite(sqlite) => sqlite.execute(sql, rows),
            Database::Postgres(postgres) => postgres.execute(sql, rows),
        }
    }

    /// Reads rows, one at a time.
    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        match self {
            Database::Sqlite(sqlite) => sqlite.query(sql, parameters, each),
            Database::Postgres(postgres) => postgres.query(sql, parameters, each),
        }
    }

    /// The first row of the answer for each key, in their order. The questions travel
    /// together.
    pub(super) fn lookup(
        &mut self,
        sql: &'static str,
        keys: &[Value],
    ) -> Result<Vec<Option<Row>>, StoreError> {
        match self {
            Database::Postgres(postgres) => postgres.lookup(sql, keys),
            Database::Sqlite(_) => keys
                .iter()
                .map(|key| self.first(sql, std::slice::from_ref(key), |row| Ok(row.take())))
                .collect(),
        }
    }

    /// The first row that `read` is given, if there is one.
    pub(super) fn first<T>(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        read: impl Fn(&mut Row) -> Result<T, StoreError>,
    ) -> Result<Option<T>, StoreError> {
        let mut first = None;
        self.query(sql, parameters, &mut |mut row| {
            if first.is_none() {
                first = Some(read(&mut row)?);
            }
            Ok(())
        })?;
        Ok(first)
    }

    /// Makes all that `work` does durable, or nothing.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.batch("begin")?;
        let done = work(self).and_then(|value| self.batch("commit").map(|()| value));
        if done.is_err() {
            // SQLite may leave a transaction open whose commit failed, and no other could
            // begin; a connection that is gone rolls back by itself.
            let _ = self.batch("rollback");
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_that_fails_leaves_no_transaction_behind() {
        let folder = tempfile::tempdir().unwrap();
        let url = StoreUrl::Sqlite(folder.path().join("x.db"));
        let mut database = Database::connect(&url, Purpose::Write).unwrap();
        let tables = "create table a (n integer primary key);
                      create table b (n integer references a deferrable initially deferred)";
        database.batch(tables).unwrap();
        let orphan = database.transaction(|database| database.batch("insert into b values (1)"));
        assert!(matches!(orphan, Err(StoreError::Sqlite(_))));
        database.transaction(|database| database.batch("insert into a values (1)")).unwrap();
    }
}
