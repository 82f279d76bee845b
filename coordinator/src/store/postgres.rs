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

/// Set for every session. A commit that was acknowledged is on disk, and a session whose
/// other end has vanished ends within half a minute, and its lock with it.
const SESSION: &str = "
    set synchronous_commit = on;
    set tcp_keepalives_idle = 5;
    set tcp_keepalives_interval = 5;
    set tcp_keepalives_count = 4;
";

/// Names the lock that the writer of a store holds as long as its session lives.
const WRITER: &str = "select pg_try_advisory_lock(hashtext('catherd'), hashtext(current_schema()))";

pub(super) struct Postgres {
    /// Drives the connection whenever something is asked of it.
    runtime: Runtime,
    client: Client,
    statements: HashMap<&'static str, Statement>,
}

impl std::fmt::Debug for Postgres {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Postgres").finish_non_exhaustive()
    }
}

impl Postgres {
    pub(super) fn connect(url: &str, purpose: Purpose) -> Result<Postgres, StoreError> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(StoreError::Runtime)?;
        let client = runtime.block_on(async {
            let (client, connection) = tokio_postgres::connect(url, NoTls).await?;
            tokio::spawn(async move {
                // Whoever waits for an answer is told of the error.
                let _ = connection.await;
            });
            client.batch_execute(SESSION).await?;
            if purpose == Purpose::Write && !client.query_one(WRITER, &[]).await?.get::<_, bool>(0) {
                return Err(StoreError::Led);
            }
            Ok(client)
        })?;
        Ok(Postgres { runtime, client, statements: HashMap::new() })
    }

    pub(super) fn batch(&mut self, sql: &str) -> Result<(), StoreError> {
        Ok(self.runtime.block_on(self.client.batch_execute(sql))?)
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
            self.runtime.block_on(try_join_all(each))?;
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
                let values: Result<Vec<Value>, _> =
                    (0..row.len()).map(|column| row.try_get(column)).collect();
                each(Row(values?.into_iter()))?;
            }
            Ok(())
        })
    }

    fn statement(&mut self, sql: &'static str) -> Result<Statement, StoreError> {
        if let Some(statement) = self.statements.get(sql) {
            return Ok(statement.clone());
        }
        let text = sql.replace('?', "$");
        let statement = self.runtime.block_on(self.client.prepare(&text))?;
        self.statements.insert(sql, statement.clone());
        Ok(statement)
    }
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
