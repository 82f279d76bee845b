//! What survives a power loss: an SQLite file or a PostgreSQL database, with the same
//! tables and the same statements. One [`Store`] writes; any number of [`Reader`]s look on.
//!
//! Runs belong to the store, not to a study: a study is a list of runs, and what two
//! studies have in common is executed once. The face is narrow on purpose: plans go in,
//! rows come out, and [`Store::apply`] makes a group of changes durable in one transaction.
//!
//! Every call waits for the database; in async code only threads of a multi-threaded runtime
//! may call.

use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::{Digest, Outcome, RunRecord};

use crate::coverage_curve;
use crate::ledger::{Phase, Run, RunNumber, Token};
use database::{Database, Each, Purpose, Row, Value};

mod database;
mod planning;
mod postgres;
mod projects;
mod reader;
mod schema;
mod sqlite;

pub use database::StoreUrl;
pub use planning::Planning;
pub use projects::ProjectChunk;
pub use reader::{Missing, QuarantinedRun, Reader, Records};

/// Runs that are loaded at a time.
const PAGE: i64 = 1 << 14;

/// The digest that names a run.
pub type RunId = Digest;

/// The number of a study in the store, from 0; it never changes.
pub type StudyNumber = u32;

/// What keeps the store from working.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// SQLite refused.
    #[error("study database: {0}")]
    Sqlite(#[from] rusqlite::Error),
    /// PostgreSQL refused, or cannot be reached.
    #[error("study database: {}", worded(.0))]
    Postgres(#[from] tokio_postgres::Error),
    /// Nothing can drive its connection or wait for it.
    #[error("study database: {0}")]
    Runtime(std::io::Error),
    /// Another coordinator writes to the PostgreSQL database.
    #[error("another coordinator leads this store")]
    LedByAnother,
    /// Written by a later version.
    #[error("the study database has schema {found}, this catherd knows {known}; use a newer one")]
    Schema {
        /// Version found.
        found: i64,
        /// Version known.
        known: i64,
    },
    /// A row that no catherd wrote.
    #[error("the study database is damaged: {0}")]
    Damaged(String),
    /// A specification or record without a JSON form.
    #[error("cannot write a run as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// A project that was never kept, or not to its end.
    #[error("there is no project {0}")]
    NoProject(Digest),
    /// A name that no study has.
    #[error("there is no study `{0}`")]
    NoStudy(String),
}

/// With what the server says, which the error itself leaves to its source.
fn worded(error: &tokio_postgres::Error) -> String {
    match std::error::Error::source(error) {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// A record on its way into the store.
#[derive(Clone, Debug)]
pub struct StoredRecord {
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
    /// Its coverage after 1, 2, 4, ... executions.
    pub(crate) curve: Option<Box<[f32; coverage_curve::POINTS]>>,
    /// The record as it came.
    pub json: Vec<u8>,
}

impl StoredRecord {
    /// Seals a record with the JSON it was read from.
    pub fn new(record: &RunRecord, json: Vec<u8>) -> StoredRecord {
        StoredRecord {
            run: record.run,
            digest: record.digest(),
            outcome: record.outcome,
            goals: record.goals(),
            covered: record.covered(),
            wall: Duration::from_millis(record.resources.wall_ms),
            reason: record.reason.clone(),
            curve: coverage_curve::of(record).map(Box::new),
            json,
        }
    }

    /// As [`RunRecord::coverage`].
    pub fn coverage(&self) -> Option<f64> {
        (self.outcome == Outcome::Done && self.goals > 0)
            .then(|| f64::from(self.covered) / f64::from(self.goals))
    }
}

/// Why an attempt ended without a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Breakdown {
    /// The tool broke down.
    Crashed = 0,
    /// The wall limit of the runner ended it.
    TimedOut = 1,
    /// The memory limit of the runner ended it.
    OutOfMemory = 2,
    /// Its worker was lost.
    Lost = 3,
}

impl Breakdown {
    /// All kinds, in the order of their numbers.
    pub const ALL: [Breakdown; 4] =
        [Breakdown::Crashed, Breakdown::TimedOut, Breakdown::OutOfMemory, Breakdown::Lost];
}

/// One thing to make durable.
#[derive(Clone, Debug)]
pub enum Change {
    /// The state of a run, and who holds it.
    Run(RunNumber, Run, Option<String>),
    /// The accepted record of a run.
    Record(RunNumber, Token, StoredRecord),
    /// A record that came too late.
    Superseded(RunNumber, Token, StoredRecord),
    /// A part of a project.
    ProjectChunk(ProjectChunk),
    /// An attempt without a record.
    Breakdown {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
        /// What kind of end it was.
        kind: Breakdown,
        /// Whose.
        worker: String,
        /// Why.
        reason: String,
    },
    /// The worker of an attempt was not lost.
    LossReverted {
        /// The run.
        run: RunNumber,
        /// Which attempt.
        attempt: u32,
    },
}

/// What a study is in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum StudyState {
    /// Its runs are given to workers.
    Active = 0,
    /// Its runs wait until it is resumed.
    Paused = 1,
    /// Its runs are not wanted any more; those that have ended are kept.
    Cancelled = 2,
}

impl StudyState {
    /// All states, in the order of their numbers.
    pub const ALL: [StudyState; 3] =
        [StudyState::Active, StudyState::Paused, StudyState::Cancelled];

    /// In a word, for people.
    pub fn name(self) -> &'static str {
        match self {
            StudyState::Active => "active",
            StudyState::Paused => "paused",
            StudyState::Cancelled => "cancelled",
        }
    }
}

/// A study in the store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredStudy {
    /// Its number.
    pub number: StudyNumber,
    /// Its name, unique in the store.
    pub name: String,
    /// Whether its runs are wanted now.
    pub state: StudyState,
    /// What it is, as JSON.
    pub plan: Vec<u8>,
}

/// A run as it was saved.
#[derive(Clone, Debug)]
pub struct StoredRun {
    /// Its number.
    pub number: RunNumber,
    /// Its state; group and set are not set.
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

/// Stands beside a store and sees what it writes; in tests it also makes the store fail.
pub trait TransactionObserver: Send + Sync + std::fmt::Debug {
    /// A group of changes is about to be written.
    ///
    /// # Errors
    ///
    /// To have the store fail before it writes.
    fn before(&self, changes: &[Change]) -> Result<(), StoreError>;

    /// A group of changes is durable.
    ///
    /// # Errors
    ///
    /// To have the store fail although it has written.
    fn after(&self, changes: &[Change]) -> Result<(), StoreError>;
}

/// The writing end.
#[derive(Debug)]
pub struct Store {
    database: Database,
    observer: Option<Arc<dyn TransactionObserver>>,
}

impl Store {
    /// Opens or creates a store.
    ///
    /// # Errors
    ///
    /// When the database cannot be reached, is of a later version, or (PostgreSQL) has
    /// another writer: [`StoreError::LedByAnother`].
    pub fn open(url: &StoreUrl) -> Result<Store, StoreError> {
        Store::open_to(url, Purpose::Write)
    }

    /// The same, but another writer that has been silent for `silence` ([`Store::renew`]) loses
    /// the database: it can write no more, and the next call opens the store.
    ///
    /// # Errors
    ///
    /// As [`Store::open`].
    pub fn take_over(url: &StoreUrl, silence: Duration) -> Result<Store, StoreError> {
        Store::open_to(url, Purpose::TakeOver(silence))
    }

    fn open_to(url: &StoreUrl, purpose: Purpose) -> Result<Store, StoreError> {
        let mut database = Database::connect(url, purpose)?;
        schema::migrate(&mut database)?;
        Ok(Store { database, observer: None })
    }

    /// Tells others who would write that this writer is at work.
    ///
    /// # Errors
    ///
    /// When the database cannot be reached, or another has succeeded this writer.
    pub fn renew(&mut self) -> Result<(), StoreError> {
        match &mut self.database {
            // A lock on the file ends with the process that holds it.
            Database::Sqlite(_) => Ok(()),
            Database::Postgres(postgres) => postgres.batch("select 1"),
        }
    }

    /// The same, with somebody who looks on.
    pub fn watched(self, observer: Option<Arc<dyn TransactionObserver>>) -> Store {
        Store { observer, ..self }
    }

    /// Lets an SQLite file have so many pages, and no fewer than it has.
    #[cfg(test)]
    pub(crate) fn limit(&mut self, pages: u32) {
        self.database.batch(&format!("pragma max_page_count = {pages}")).unwrap();
    }

    /// Whether the connection to the database lives, as far as is known.
    pub fn is_alive(&self) -> bool {
        match &self.database {
            Database::Sqlite(_) => true,
            Database::Postgres(postgres) => postgres.is_alive(),
        }
    }

    /// Pauses, resumes or cancels a study.
    ///
    /// # Errors
    ///
    /// When there is no such study or the database refuses.
    pub fn set_state(&mut self, name: &str, state: StudyState) -> Result<(), StoreError> {
        if !self.studies()?.iter().any(|study| study.name == name) {
            return Err(StoreError::NoStudy(name.to_owned()));
        }
        let parameters = vec![name.into(), Value::Integer(state as i64)];
        self.database.execute("update studies set state = ?2 where name = ?1", &[parameters])
    }

    /// As [`Reader::coverage`], of one study or of all.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn coverage(
        &mut self,
        study: Option<StudyNumber>,
    ) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
        reader::coverage(&mut self.database, study)
    }

    /// All studies, by number.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn studies(&mut self) -> Result<Vec<StoredStudy>, StoreError> {
        reader::studies(&mut self.database)
    }

    /// All runs, by number; some numbers may be missing.
    ///
    /// # Errors
    ///
    /// What `each` returns, and when the database refuses.
    pub fn runs(
        &mut self,
        mut each: impl FnMut(StoredRun) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let sql =
            "select runs.number, phase, attempt, crashes, losses, runs.token, worker, project,
                          label, wall_ms
                   from runs left join records on records.number = runs.number
                   where runs.number >= ?1 and runs.number < ?2 order by runs.number";
        self.by_page(sql, &mut |row| each(saved_run(row)?))
    }

    /// Reads rows of all runs, a page of runs at a time: on a server, a writer that reads one
    /// long answer looks as silent as one that has stopped.
    fn by_page(&mut self, sql: &'static str, each: Each<'_>) -> Result<(), StoreError> {
        let largest = "select max(number) from runs";
        let largest = self.database.first(largest, &[], Row::optional_integer)?.flatten();
        for first in (0..largest.map_or(0, |largest| largest + 1)).step_by(PAGE as usize) {
            self.database.query(sql, &[first.into(), (first + PAGE).into()], each)?;
        }
        Ok(())
    }

    /// Which study has which run, by run and then by study.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn members(
        &mut self,
        mut each: impl FnMut(RunNumber, StudyNumber),
    ) -> Result<(), StoreError> {
        let sql = "select run, study from members where run >= ?1 and run < ?2
                   order by run, study";
        self.by_page(sql, &mut |mut row| {
            each(row.narrow()?, row.narrow()?);
            Ok(())
        })
    }

    /// The workers on which attempts at runs broke down that have not ended.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn crashed_on(
        &mut self,
        mut each: impl FnMut(RunNumber, String),
    ) -> Result<(), StoreError> {
        let sql = "select runs.number, breakdowns.worker from breakdowns
                   join runs on runs.number = breakdowns.number
                   where phase in (1, 2) and kind <> 3";
        self.database.query(sql, &[], &mut |mut row| {
            each(row.narrow()?, row.text()?);
            Ok(())
        })
    }

    /// The ids of runs, in the order of the numbers; none for a number without a run.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn ids(&mut self, runs: &[RunNumber]) -> Result<Vec<Option<RunId>>, StoreError> {
        let keys: Vec<Value> = runs.iter().map(|&run| run.into()).collect();
        let rows = self.database.lookup("select id from runs where number = ?1", &keys)?;
        rows.into_iter().map(|row| row.map(|mut row| row.digest()).transpose()).collect()
    }

    /// The specifications of runs as JSON, in the order of the numbers.
    ///
    /// # Errors
    ///
    /// When there is no such run or the database refuses.
    pub fn specs(&mut self, runs: &[RunNumber]) -> Result<Vec<Vec<u8>>, StoreError> {
        let keys: Vec<Value> = runs.iter().map(|&run| run.into()).collect();
        let rows = self.database.lookup("select spec from runs where number = ?1", &keys)?;
        let unknown = || StoreError::Damaged("a lease of a run that is not there".to_owned());
        rows.into_iter().map(|row| row.ok_or_else(unknown)?.bytes()).collect()
    }

    /// Makes changes durable, all or none.
    ///
    /// # Errors
    ///
    /// When the database refuses. Whether the changes were made is then unknown: load
    /// the runs again.
    pub fn apply(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        self.observer.as_ref().map_or(Ok(()), |observer| observer.before(changes))?;
        self.write(changes)?;
        self.observer.as_ref().map_or(Ok(()), |observer| observer.after(changes))
    }

    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        let mut rows: [Vec<Vec<Value>>; 5] = Default::default();
        let [runs, records, superseded, breakdowns, found] = &mut rows;
        for change in changes {
            match change {
                Change::Run(number, run, worker) => runs.push(vec![
                    (*number).into(),
                    Value::Integer(run.phase as i64),
                    run.attempt.into(),
                    run.crashes.into(),
                    run.losses.into(),
                    (run.token as i64).into(),
                    worker.as_deref().into(),
                ]),
                Change::Record(number, token, record) => records.push(vec![
                    (*number).into(),
                    (*token as i64).into(),
                    record.digest.0.as_slice().into(),
                    record.goals.into(),
                    record.covered.into(),
                    Value::Integer((record.outcome == Outcome::Done).into()),
                    (record.wall.as_millis() as i64).into(),
                    record.json.as_slice().into(),
                ]),
                Change::Superseded(number, token, record) => superseded.push(vec![
                    (*number).into(),
                    (*token as i64).into(),
                    record.digest.0.as_slice().into(),
                    record.json.as_slice().into(),
                ]),
                // Large: their rows are made one transaction at a time.
                Change::ProjectChunk(_) => {}
                Change::Breakdown { run, attempt, kind, worker, reason } => breakdowns.push(vec![
                    (*run).into(),
                    (*attempt).into(),
                    Value::Integer(*kind as i64),
                    worker.as_str().into(),
                    // PostgreSQL has no text with zeros in it.
                    reason.replace('\0', " ").as_str().into(),
                ]),
                Change::LossReverted { run, attempt } => {
                    let lost = Value::Integer(Breakdown::Lost as i64);
                    found.push(vec![(*run).into(), (*attempt).into(), lost]);
                }
            }
        }
        let [runs, records, superseded, breakdowns, found] = &rows;
        self.database.transaction(|database| {
            database.execute(
                "update runs set phase = ?2, attempt = ?3, crashes = ?4, losses = ?5, token = ?6,
                        worker = ?7
                 where number = ?1",
                runs,
            )?;
            // A second record of a run is a defect, not a change, and fails here.
            database
                .execute("insert into records values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)", records)?;
            database.execute(
                "insert into superseded values (?1, ?2, ?3, ?4) on conflict do nothing",
                superseded,
            )?;
            database.execute(
                "insert into breakdowns values (?1, ?2, ?3, ?4, ?5)
                 on conflict (number, attempt) do update
                 set kind = excluded.kind, worker = excluded.worker, reason = excluded.reason",
                breakdowns,
            )?;
            database.execute(
                "delete from breakdowns where number = ?1 and attempt = ?2 and kind = ?3",
                found,
            )?;
            let parts = changes.iter().filter_map(|change| match change {
                Change::ProjectChunk(part) => Some(part),
                _ => None,
            });
            projects::keep(database, parts)
        })
    }
}

fn saved_run(mut row: Row) -> Result<StoredRun, StoreError> {
    let number = row.narrow()?;
    let phase = phase(row.integer()?)?;
    let mut run = Run::new(phase, 0);
    (run.attempt, run.crashes, run.losses) = (row.narrow()?, row.narrow()?, row.narrow()?);
    run.token = row.narrow()?;
    let worker = row.optional_text()?;
    let project = row.digest()?;
    let label = row.text()?;
    let wall = row.optional_integer()?.map(|ms| Duration::from_millis(ms.unsigned_abs()));
    Ok(StoredRun { number, run, worker, project, label, wall })
}

fn phase(number: i64) -> Result<Phase, StoreError> {
    let known = Phase::ALL.into_iter().find(|phase| *phase as i64 == number);
    known.ok_or_else(|| StoreError::Damaged(format!("a run in phase {number}")))
}
