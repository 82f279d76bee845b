//! A connection to an SQLite or a PostgreSQL database. Most statements are written once, in the SQL
//! that both support, with parameters `?1`, `?2`, ...

use super::error::StoreError;
#[cfg(feature = "postgres")]
use super::postgres::Postgres;
use super::row::{Purpose, Row, RowCallback, Value};
use super::sqlite::Sqlite;
use super::url::StoreUrl;

#[derive(Debug)]
pub(super) enum Database {
    Sqlite(Sqlite),
    #[cfg(feature = "postgres")]
    Postgres(Postgres),
}

impl Database {
    pub(super) fn connect(url: &StoreUrl, purpose: Purpose) -> Result<Database, StoreError> {
        match url {
            StoreUrl::Sqlite(path) => Ok(Database::Sqlite(Sqlite::open(path, purpose)?)),
            #[cfg(feature = "postgres")]
            StoreUrl::Postgres(address) => {
                Ok(Database::Postgres(Postgres::connect(address, purpose)?))
            }
            #[cfg(not(feature = "postgres"))]
            StoreUrl::Postgres(_) => Err(StoreError::WithoutPostgres),
        }
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        match self {
            Database::Sqlite(sqlite) => sqlite.batch(sql),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.batch(sql),
        }
    }

    /// Executes a statement once for each row of parameters.
    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<(), StoreError> {
        match self {
            _ if rows.is_empty() => Ok(()),
            Database::Sqlite(sqlite) => sqlite.execute(sql, rows),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.execute(sql, rows),
        }
    }

    /// Passes the rows of a result to `each`, one at a time.
    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        each: RowCallback<'_>,
    ) -> Result<(), StoreError> {
        match self {
            Database::Sqlite(sqlite) => sqlite.query(sql, parameters, each),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.query(sql, parameters, each),
        }
    }

    /// The first row of the result for each key, in the order of the keys. PostgreSQL queries are
    /// pipelined.
    pub(super) fn lookup(
        &mut self,
        sql: &'static str,
        keys: &[Value],
    ) -> Result<Vec<Option<Row>>, StoreError> {
        match self {
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.lookup(sql, keys),
            Database::Sqlite(_) => keys
                .iter()
                .map(|key| self.first(sql, std::slice::from_ref(key), |row| Ok(row.take())))
                .collect(),
        }
    }

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

    /// The transaction is rolled back if `work` fails.
    pub(super) fn transaction<T>(
        &mut self,
        work: impl FnOnce(&mut Database) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        self.batch("begin")?;
        let done = work(self).and_then(|value| self.batch("commit").map(|()| value));
        if done.is_err() {
            // After a failed commit, SQLite may leave the transaction open, and no other
            // transaction could then begin.
            let _ = self.batch("rollback");
        }
        done
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_commit_leaves_no_open_transaction() {
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
