//! Connections to PostgreSQL. Statements are pipelined, so a batch of changes needs few round
//! trips.

use std::collections::HashMap;
use std::error::Error;

use futures_util::future::try_join_all;
use futures_util::{TryStreamExt, pin_mut};
use tokio::runtime::Runtime;
use tokio_postgres::types::{FromSql, IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use tokio_postgres::{Client, NoTls, Statement};

use super::error::StoreError;
use super::row::{Purpose, Row, RowCallback, Value};

const MAX_PIPELINED: usize = 512;

/// An acknowledged commit is on disk, and the session of a client whose connection is lost ends
/// within half a minute.
const SESSION_SETTINGS: &str = "
    set synchronous_commit = on;
    set tcp_keepalives_idle = 5;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 4;
";

/// The writer of a store holds this advisory lock until its session ends.
const TRY_LOCK: &str =
    "select pg_try_advisory_lock(hashtext('catherd'), hashtext(current_schema()))";

/// Terminates the session that holds the advisory lock if its client has been silent for `$1`
/// milliseconds on the server's clock.
const TERMINATE_SILENT_LEADER: &str = "
    select pg_terminate_backend(pid) from pg_locks join pg_stat_activity using (pid)
    where locktype = 'advisory' and granted
      and database = (select oid from pg_database where datname = current_database())
      and classid = cast(hashtext('catherd') as oid)
      and objid = cast(hashtext(current_schema()) as oid)
      and wait_event_type = 'Client'
      and state_change < clock_timestamp() - $1 * interval '1 millisecond'
";

pub(super) struct Postgres {
    runtime: ConnectionRuntime,
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

/// Drives the connection while a call blocks on it.
struct ConnectionRuntime(Option<Runtime>);

impl ConnectionRuntime {
    fn start() -> Result<ConnectionRuntime, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        Ok(ConnectionRuntime(Some(runtime.map_err(StoreError::Runtime)?)))
    }

    fn block_on<T>(
        &self,
        future: impl Future<Output = Result<T, StoreError>>,
    ) -> Result<T, StoreError> {
        let Some(runtime) = &self.0 else {
            return Err(StoreError::Runtime(std::io::ErrorKind::Other.into()));
        };
        match tokio::runtime::Handle::try_current() {
            // A thread of another runtime must announce that it blocks.
            Ok(_) => tokio::task::block_in_place(|| runtime.block_on(future)),
            Err(_) => runtime.block_on(future),
        }
    }
}

impl Drop for ConnectionRuntime {
    fn drop(&mut self) {
        // Dropping the runtime would block, which is not permitted on a thread of another runtime.
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
        let runtime = ConnectionRuntime::start()?;
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(async move {
                // Callers that wait for an answer receive the error.
                let _ = connection.await;
            });
            client.batch_execute(SESSION_SETTINGS).await?;
            if purpose == Purpose::Read || client.query_one(TRY_LOCK, &[]).await?.get::<_, bool>(0)
            {
                return Ok(client);
            }
            if let Purpose::TakeOver(silence) = purpose {
                client.execute(TERMINATE_SILENT_LEADER, &[&(silence.as_millis() as f64)]).await?;
            }
            // The lock is released when the terminated session has ended, so the caller tries
            // again.
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
        for rows in rows.chunks(MAX_PIPELINED) {
            let each = rows.iter().map(|row| client.execute_raw(&statement, row));
            self.runtime.block_on(async { Ok(try_join_all(each).await?) })?;
        }
        Ok(())
    }

    pub(super) fn query(
        &mut self,
        sql: &'static str,
        parameters: &[Value],
        each: RowCallback<'_>,
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
        for keys in keys.chunks(MAX_PIPELINED) {
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
    Ok(Row::new(values?))
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
