//! What survives a power loss: SQLite in WAL mode with `synchronous=FULL`. One
//! [`Store`] writes; any number of [`Reader`]s look on.
//!
//! The face is narrow on purpose: a plan goes in, rows come out, and [`Store::apply`]
//! makes a group of changes durable in one transaction. Another database has to do no
//! more.

use std::path::Path;
use std::time::Duration;

use catherd_experiments::{Digest, Outcome, RunRecord, RunSpec};
use rusqlite::{Connection, OpenFlags, OptionalExtension, Row, params};

use crate::ledger::{Phase, Run, RunNumber, Token};

mod reader;

pub use reader::{Problem, Reader, Records};

/// The version of the schema, kept in `user_version`.
const SCHEMA: i64 = 1;

const TABLES: &str = "
    create table runs (
        number   integer primary key,          -- from 0, never changes
        id       blob not null unique,         -- digest of the specification
        position integer,                      -- place in the plan; null: not in it now
        project  blob not null,
        label    text not null,                -- of the algorithm
        spec     blob not null,                -- JSON
        phase    integer not null default 1,
        attempt  integer not null default 0,
        crashes  integer not null default 0,
        losses   integer not null default 0,
        token    integer not null default 0,   -- of the latest lease
        worker   text                          -- that holds it
    );
    create index plan on runs (position) where position is not null;
    create table records (                     -- accepted, one a run, never changed
        number   integer primary key references runs,
        token    integer not null,
        digest   blob not null,
        goals    integer not null,
        covered  integer not null,
        done     integer not null,             -- 1: coverage counts
        wall_ms  integer not null,
        record   blob not null                 -- JSON
    );
    create table superseded (                  -- came too late, never counted
        number   integer not null references runs,
        token    integer not null,
        digest   blob not null,
        record   blob not null,
        primary key (number, token)
    );
    create table breakdowns (                  -- attempts without a record
        number   integer not null references runs,
        attempt  integer not null,
        worker   text not null,
        reason   text not null,
        primary key (number, attempt)
    );
";

/// The digest that names a run.
pub type RunId = Digest;

/// What keeps the store from working.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The database refused.
    #[error("study database: {0}")]
    Database(#[from] rusqlite::Error),
    /// Written by a later version.
    #[error("the study database has schema {found}, this catherd knows {SCHEMA}; use a newer one")]
    Schema {
        /// Version found.
        found: i64,
    },
    /// A row that no catherd wrote.
    #[error("the study database is damaged: {0}")]
    Damaged(String),
    /// A specification or record without a JSON form.
    #[error("cannot write a run as JSON: {0}")]
    Json(#[from] serde_json::Error),
}

/// A record on its way into the store.
#[derive(Clone, Debug)]
pub struct Sealed {
    /// The run it belongs to.
    pub run: RunId,
    /// [`RunRecord::digest`].
    pub digest: Digest,
    /// How the run ended.
    pub outcome: Outcome,
    /// Goals of the project.
    pub goals: u32,
    /// Goals covered.
    pub covered: u32,
    /// Time of the whole run.
    pub wall: Duration,
    /// Why, unless it is done.
    pub reason: String,
    /// The record as it came.
    pub json: Vec<u8>,
}

impl Sealed {
    /// Seals a record with the JSON it was read from.
    pub fn new(record: &RunRecord, json: Vec<u8>) -> Sealed {
        Sealed {
            run: record.run,
            digest: record.digest(),
            outcome: record.outcome,
            goals: record.goals,
            covered: record.covered.len() as u32,
            wall: Duration::from_millis(record.resources.wall_ms),
            reason: record.reason.clone(),
            json,
        }
    }

    /// As [`RunRecord::coverage`].
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == Outcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }
}

/// One thing to make durable.
#[derive(Clone, Debug)]
pub enum Change {
    /// The state of a run, and who holds it.
    Run(RunNumber, Run, Option<String>),
    /// The accepted record of a run.
    Record(RunNumber, Token, Sealed),
    /// A record that came too late.
    Superseded(RunNumber, Token, Sealed),
    /// An attempt without a record.
    Breakdown {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
        /// Whose.
        worker: String,
        /// Why.
        reason: String,
    },
}

/// A run as it was saved.
#[derive(Clone, Debug)]
pub struct SavedRun {
    /// Its state; the group is not set.
    pub run: Run,
    /// The worker that holds it.
    pub worker: Option<String>,
    /// Its project.
    pub project: Digest,
    /// Its algorithm's label.
    pub label: String,
    /// How long it took, if it has a record.
    pub wall: Option<Duration>,
}

/// The writing end.
#[derive(Debug)]
pub struct Store {
    connection: Connection,
}

impl Store {
    /// Opens or creates a store.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened or is of a later version.
    pub fn open(path: &Path) -> Result<Store, StoreError> {
        let connection = Connection::open(path)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "full")?;
        connection.pragma_update(None, "foreign_keys", true)?;
        connection.busy_timeout(Duration::from_secs(10))?;
        connection.set_prepared_statement_cache_capacity(32);
        match connection.pragma_query_value(None, "user_version", |row| row.get(0))? {
            0 => {
                let create = format!("begin; {TABLES} pragma user_version = {SCHEMA}; commit;");
                connection.execute_batch(&create)?;
            }
            SCHEMA => {}
            found => return Err(StoreError::Schema { found }),
        }
        Ok(Store { connection })
    }

    /// Makes `runs`, in this order, the plan. Runs that are in the store already keep
    /// their state and results; runs that are not in the plan are kept but not counted.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn plan(&mut self, runs: impl IntoIterator<Item = RunSpec>) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        transaction.execute("update runs set position = null", [])?;
        {
            let mut insert = transaction.prepare(
                "insert into runs (number, id, position, project, label, spec)
                 values ((select coalesce(max(number) + 1, 0) from runs), ?1, ?2, ?3, ?4, ?5)
                 on conflict (id) do update set position = ?2, label = ?4, spec = ?5",
            )?;
            for (position, run) in (0_i64..).zip(runs) {
                insert.execute(params![
                    run.id().0,
                    position,
                    run.project.0,
                    run.algorithm.label,
                    serde_json::to_vec(&run)?,
                ])?;
            }
        }
        transaction.commit()?;
        Ok(())
    }

    /// All runs, by number. Those outside the plan are [`Phase::Unplanned`].
    ///
    /// # Errors
    ///
    /// What `each` returns, and when the database refuses.
    pub fn runs(
        &self,
        mut each: impl FnMut(SavedRun) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut statement = self.connection.prepare(
            "select position is null, phase, attempt, crashes, losses, runs.token, worker, project,
                    label, wall_ms
             from runs left join records using (number) order by number",
        )?;
        let mut rows = statement.query([])?;
        while let Some(row) = rows.next()? {
            each(saved_run(row)?)?;
        }
        Ok(())
    }

    /// The id of a run.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn id(&self, run: RunNumber) -> Result<Option<RunId>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("select id from runs where number = ?1")?;
        Ok(statement.query_row([run], |row| row.get(0).map(Digest)).optional()?)
    }

    /// The specification of a run as JSON.
    ///
    /// # Errors
    ///
    /// When there is no such run or the database refuses.
    pub fn spec(&self, run: RunNumber) -> Result<Vec<u8>, StoreError> {
        let mut statement =
            self.connection.prepare_cached("select spec from runs where number = ?1")?;
        Ok(statement.query_row([run], |row| row.get(0))?)
    }

    /// Makes changes durable, all or none.
    ///
    /// # Errors
    ///
    /// When the database refuses. Whether the changes were made is then unknown: load
    /// the runs again.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let transaction = self.connection.transaction()?;
        for change in changes {
            match change {
                Change::Run(number, run, worker) => {
                    transaction
                        .prepare_cached(
                            "update runs set phase = ?2, attempt = ?3, crashes = ?4, losses = ?5,
                                    token = ?6, worker = ?7
                             where number = ?1",
                        )?
                        .execute(params![
                            number,
                            run.phase as u8,
                            run.attempt,
                            run.crashes,
                            run.losses,
                            run.token as i64,
                            worker,
                        ])?;
                }
                // No `or replace`: a second record of a run is a defect, not a change.
                Change::Record(number, token, record) => {
                    transaction
                        .prepare_cached(
                            "insert into records values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
                        )?
                        .execute(params![
                            number,
                            *token as i64,
                            record.digest.0,
                            record.goals,
                            record.covered,
                            record.outcome == Outcome::Done,
                            record.wall.as_millis() as i64,
                            record.json,
                        ])?;
                }
                Change::Superseded(number, token, record) => {
                    transaction
                        .prepare_cached("insert or ignore into superseded values (?1, ?2, ?3, ?4)")?
                        .execute(params![number, *token as i64, record.digest.0, record.json])?;
                }
                Change::Breakdown { run, attempt, worker, reason } => {
                    transaction
                        .prepare_cached(
                            "insert or replace into breakdowns values (?1, ?2, ?3, ?4)",
                        )?
                        .execute(params![run, attempt, worker, reason])?;
                }
            }
        }
        transaction.commit()?;
        Ok(())
    }
}

/// Opens a store for reading.
fn look(path: &Path) -> Result<Connection, StoreError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(Duration::from_secs(10))?;
    Ok(connection)
}

fn saved_run(row: &Row<'_>) -> Result<SavedRun, StoreError> {
    let unplanned: bool = row.get(0)?;
    let phase: u8 = row.get(1)?;
    let phase = match Phase::ALL.get(usize::from(phase)) {
        _ if unplanned => Phase::Unplanned,
        Some(&phase) => phase,
        None => return Err(StoreError::Damaged(format!("a run in phase {phase}"))),
    };
    let mut run = Run::new(phase, 0);
    (run.attempt, run.crashes, run.losses) = (row.get(2)?, row.get(3)?, row.get(4)?);
    run.token = row.get::<_, i64>(5)?.unsigned_abs();
    let wall: Option<i64> = row.get(9)?;
    Ok(SavedRun {
        run,
        worker: row.get(6)?,
        project: Digest(row.get(7)?),
        label: row.get(8)?,
        wall: wall.map(|ms| Duration::from_millis(ms.unsigned_abs())),
    })
}
