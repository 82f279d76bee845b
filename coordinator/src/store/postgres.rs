//! PostgreSQL. Rows of the same statement travel together (the client pipelines what is
//! polled together), so that a group of commits costs few round trips.

use std::collections::HashMap;
use std::error::Error;

use futures_util::future::try_join_all;
use futures_util::{TryStreamExt, pin_mut};
use tokio::runtime::Runtime;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};

use super::StoreError;
use super::database::{Each, Purpose, Row, Value};

/// Rows under way at a time.
const PIPELINE: usize = 512;

/// StudySet for every session. A commit that was acknowledged is on disk, and a session whose
/// other end has vanished ends within half a minute, and its lock with it.
const SESSION: &str = "
    set synchronous_commit = on;
    set tcp_keepalives_idle = 5;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 4;
";

/// Names the lock that the writer of a store holds as long as its session lives.
const WRITER: &str = "select pg_try_advisory_lock(hashtext('catherd'), hashtext(current_schema()))";

/// Ends the session that holds that lock if its client has been silent for so many milliseconds,
/// on the server's clock. What it has not committed is undone, and it can commit no more. A
/// session at work for its client is not silent, however long that takes.
const DEPOSE: &str = "
    select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = cast(hashtext('catherd') as oid)
      and objid = cast(hashtext(current_schema()) as oid)
      and wait_event_type = 'Client'
      and state_change < clock_timestamp() - $1 * interval '1 millisecond'
";

pub(super) struct Postgres {
    runtime: Driver,
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

/// Drives the connection whenever something is asked of it.
struct Driver(Option<Runtime>);

impl Driver {
    fn start() -> Result<Driver, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(Driver(Some(runtime.map_err(StoreError::Runtime)?)))
    }

    fn block_on<T>(
        &self,
        future: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let Some(runtime) = &self.0 else {
            return Err(StoreError::Runtime(std::io::ErrorKind::Other.into()));
        };
        match tokio::runtime::Handle::try_current() {
            // A thread of a runtime has to reply_later that it will wait.
            Ok(_) => tokio::task::block_in_place(|| runtime.block_on(future)),
            Err(_) => runtime.block_on(future),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Dropping it plainly would wait, which a thread of another runtime must not.
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl Postgres {
    pub(super) fn connect(url: &str, purpose: Purpose) -> Result<Postgres, StoreError> {
        let runtime = Driver::start()?;
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(async move {
                // Whoever waits for an answer is told of the error.
                let _ = connection.await;
            });
            client.batch_execute(SESSION).await?;
            if purpose == Purpose::Read || client.query_one(WRITER, &[]).await?.get::<_, bool>(0) {
                return Ok(client);
            }
            if let Purpose::TakeOver(silence) = purpose {
                client.execute(DEPOSE, &[&(silence.as_millis() as f64)]).await?;
            }
            // The lock is free once that session has ended, which may take a moment.
            Err(StoreError::LedByAnother)
        })?;
        Ok(Postgres { runtime, client, statements: HashMap::new() })
    }

    pub(super) fn is_alive(&self) -> bool {
        !self.client.is_closed()
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        self.runtime.block_on(async { Ok(self.client.batch_execute(sql).await?) })
    }

    pub(super) fn execute(
        &mut self,
        sql: &'static str,
        rows: &[Vec<Value>],
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let client = &self.client;
        for rows in rows.chunks(PIPELINE) {
            let each = rows.iter().map(|row| client.execute_raw(&statement, row));
            self.runtime.block_on(async { Ok(try_join_all(each).await?) })?;
        }
        Ok(())
    }

    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        each: Each<'_>,
    ) -> Result<(), StoreError> {
        let statement = self.statement(sql)?;
        let client = &self.client;
        self.runtime.block_on(async {
            let rows = client.query_raw(&statement, parameters).await?;
            pin_mut!(rows);
            while let Some(row) = rows.try_next().await? {
                each(values(&row)?)?;
            }
            Ok(())
        })
    }

    pub(super) fn lookup(
        &mut self,
        sql: &'static str,
        keys: &[Value],
    ) -> Result<Vec<Option<Row>>, StoreError> {
        let statement = &self.statement(sql)?;
        let client = &self.client;
        let mut found = Vec::with_capacity(keys.len());
        for keys in keys.chunks(PIPELINE) {
            let each = keys.iter().map(|key| async move {
                let rows = client.query_raw(statement, [key]).await?;
                pin_mut!(rows);
                rows.try_next().await
            });
            let rows = self.runtime.block_on(async { Ok(try_join_all(each).await?) })?;
            for row in rows {
                found.push(row.as_ref().map(values).transpose()?);
            }
        }
        Ok(found)
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let text = sql.replace('?', "$");
        let statement = self.runtime.block_on(async { Ok(self.client.prepare(&text).await?) })?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
}

fn values(row: &tokio_postgres::Row) -> Result<Row, StoreError> {
    let values: Result<Vec<Value>, _> = (0..row.len()).map(|column| row.try_get(column)).collect();
    Ok(Row(values?.into_iter()))
}

impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(value) => value.to_sql(kind, out),
            Value::Real(value) => value.to_sql(kind, out),
            Value::Text(value) => value.to_sql(kind, out),
            Value::Bytes(value) => value.to_sql(kind, out),
        }
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::FLOAT8, Type::TEXT, Type::BYTEA].contains(kind)
    }

    to_sql_checked!();
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(match *kind {
            Type::INT8 => Value::Integer(i64::from_sql(kind, raw)?),
            Type::FLOAT8 => Value::Real(f64::from_sql(kind, raw)?),
            Type::TEXT => Value::Text(String::from_sql(kind, raw)?),
            _ => Value::Bytes(Vec::from_sql(kind, raw)?),
        })
    }

    fn from_sql_null(_: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(kind: &Type) -> bool {
        <Value as ToSql>::accepts(kind)
    }
}
