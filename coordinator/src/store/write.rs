//! The writing connection: opens a store and applies changes to it.

use std::sync::Arc;
use std::time::Duration;

use catherd_experiments::RunOutcome;

use super::database::Database;
use super::error::StoreError;
use super::model::{Breakdown, Claim, ProjectChunk, StoreChange, StudyState};
use super::row::{Purpose, Value};
use super::url::StoreUrl;
use super::{checksum, prune, schema};
use crate::ids::StudyNumber;
use crate::ledger::WorkerRule;

/// Observes changes to a store, in tests.
pub trait TransactionObserver: Send + Sync + std::fmt::Debug {
    /// Called before changes are written.
    ///
    /// # Errors
    ///
    /// An error makes the transaction fail before it writes.
    fn before(&self, changes: &[StoreChange]) -> Result<(), StoreError>;

    /// Called after changes have become durable.
    ///
    /// # Errors
    ///
    /// An error makes the transaction fail although it has written.
    fn after(&self, changes: &[StoreChange]) -> Result<(), StoreError>;
}

/// The writing connection to a store. A store has one at a time.
#[derive(Debug)]
pub struct Store {
    pub(super) database: Database,
    observer: Option<Arc<dyn TransactionObserver>>,
}

impl Store {
    /// Opens or creates a store.
    ///
    /// # Errors
    ///
    /// If the database cannot be opened, has a later schema version, or has another writer.
    pub fn open(url: &StoreUrl) -> Result<Store, StoreError> {
        Store::open_for(url, Purpose::Write)
    }

    /// The same as [`Store::open`], but terminates the session of another writer that has been
    /// silent for `silence`. A later call then opens the store.
    ///
    /// # Errors
    ///
    /// The same as for [`Store::open`].
    pub fn take_over(url: &StoreUrl, silence: Duration) -> Result<Store, StoreError> {
        Store::open_for(url, Purpose::TakeOver(silence))
    }

    fn open_for(url: &StoreUrl, purpose: Purpose) -> Result<Store, StoreError> {
        let mut database = Database::connect(url, purpose)?;
        schema::migrate(&mut database)?;
        let mut store = Store { database, observer: None };
        store.check_files()?;
        Ok(store)
    }

    /// Shows standby coordinators that this writer is alive.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn renew(&mut self) -> Result<(), StoreError> {
        match &mut self.database {
            // On SQLite, the lock on the file ends with the process that holds it.
            Database::Sqlite(_) => Ok(()),
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.batch("select 1"),
        }
    }

    /// Copies the write-ahead log of an SQLite store into the main file, except what active readers
    /// still need.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn checkpoint(&mut self) -> Result<(), StoreError> {
        match &mut self.database {
            Database::Sqlite(sqlite) => sqlite.checkpoint(),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => Ok(()),
        }
    }

    /// Checks that the paths of an SQLite store still lead to the files that were opened. Must be
    /// called after changes and before they are acknowledged.
    ///
    /// # Errors
    ///
    /// If another program has deleted or replaced one of these files. The store must then be
    /// closed.
    pub fn check_files(&mut self) -> Result<(), StoreError> {
        match &mut self.database {
            Database::Sqlite(sqlite) => sqlite.check_files(),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => Ok(()),
        }
    }

    /// Closes the store. The main file of an SQLite store then usually contains everything.
    pub fn close(self) {
        match self.database {
            Database::Sqlite(sqlite) => sqlite.close(),
            #[cfg(feature = "postgres")]
            Database::Postgres(_) => {}
        }
    }

    /// This store with an observer.
    pub fn with_observer(self, observer: Option<Arc<dyn TransactionObserver>>) -> Store {
        Store { observer, ..self }
    }

    #[cfg(test)]
    pub(crate) fn set_max_pages(&mut self, pages: u32) {
        self.database.batch(&format!("pragma max_page_count = {pages}")).unwrap();
    }

    /// Whether the connection to the database is believed to be open.
    pub fn is_alive(&self) -> bool {
        match &self.database {
            Database::Sqlite(_) => true,
            #[cfg(feature = "postgres")]
            Database::Postgres(postgres) => postgres.is_alive(),
        }
    }

    /// Pauses, resumes or cancels a study.
    ///
    /// # Errors
    ///
    /// If there is no such study or the database returns an error.
    pub fn set_state(&mut self, name: &str, state: StudyState) -> Result<(), StoreError> {
        if !self.studies()?.iter().any(|study| study.name == name) {
            return Err(StoreError::NoStudy(name.to_owned()));
        }
        let parameters = vec![name.into(), Value::Integer(state as i64)];
        self.database.execute("update studies set state = ?2 where name = ?1", &[parameters])
    }

    /// Replaces the claim of a study on workers.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn set_claim(&mut self, study: StudyNumber, claim: Claim) -> Result<(), StoreError> {
        let Claim { priority, share, quota } = claim;
        let parameters = vec![study.into(), i64::from(priority).into(), share.into(), quota.into()];
        let sql = "update studies set priority = ?2, share = ?3, quota = ?4 where number = ?1";
        self.database.execute(sql, &[parameters])
    }

    /// Replaces or removes the rule for the worker or the host with this name.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn set_worker_rule(
        &mut self,
        name: &str,
        rule: Option<WorkerRule>,
    ) -> Result<(), StoreError> {
        match rule {
            Some(rule) => self.database.execute(
                "insert into worker_rules values (?1, ?2)
                 on conflict (name) do update set rule = excluded.rule",
                &[vec![name.into(), (rule as i64).into()]],
            ),
            None => self
                .database
                .execute("delete from worker_rules where name = ?1", &[vec![name.into()]]),
        }
    }

    /// Replaces the description of the projects of a study, which is JSON.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn describe(&mut self, study: StudyNumber, description: &[u8]) -> Result<(), StoreError> {
        let parameters = vec![study.into(), description.into()];
        let sql = "update studies set description = ?2 where number = ?1";
        self.database.execute(sql, &[parameters])
    }

    /// Makes changes durable in one transaction.
    ///
    /// # Errors
    ///
    /// If the database or the observer returns an error. Whether the changes were made is then
    /// unknown, and the runs must be loaded again.
    pub fn apply(&mut self, changes: &[StoreChange]) -> Result<(), StoreError> {
        self.observer.as_ref().map_or(Ok(()), |observer| observer.before(changes))?;
        let rows = Rows::of(changes);
        self.database.transaction(|database| rows.write(database))?;
        self.observer.as_ref().map_or(Ok(()), |observer| observer.after(changes))
    }
}

#[derive(Default)]
struct Rows {
    runs: Vec<Vec<Value>>,
    records: Vec<Vec<Value>>,
    superseded: Vec<Vec<Value>>,
    breakdowns: Vec<Vec<Value>>,
    reverted_losses: Vec<Vec<Value>>,
    chunks: Vec<Vec<Value>>,
    projects: Vec<Vec<Value>>,
}

impl Rows {
    fn of(changes: &[StoreChange]) -> Rows {
        let mut rows = Rows::default();
        changes.iter().for_each(|change| rows.add(change));
        rows
    }

    fn add(&mut self, change: &StoreChange) {
        match change {
            StoreChange::Run(number, run, worker) => self.runs.push(vec![
                (*number).into(),
                Value::Integer(run.phase as i64),
                run.attempt.into(),
                run.crashes.into(),
                run.losses.into(),
                (run.token as i64).into(),
                worker.as_deref().into(),
            ]),
            StoreChange::Record(number, token, record) => {
                let integers = checksum::RecordIntegers {
                    number: (*number).into(),
                    token: *token as i64,
                    goals: record.goals.into(),
                    covered: record.covered.into(),
                    done: (record.outcome == RunOutcome::Done).into(),
                    wall_ms: record.wall.as_millis() as i64,
                };
                self.records.push(vec![
                    integers.number.into(),
                    integers.token.into(),
                    record.digest.0.as_slice().into(),
                    integers.goals.into(),
                    integers.covered.into(),
                    integers.done.into(),
                    integers.wall_ms.into(),
                    record.json.as_slice().into(),
                    integers.checksum(record.digest, record.content).0.as_slice().into(),
                    prune::now().into(),
                ]);
            }
            StoreChange::Superseded(number, token, record) => self.superseded.push(vec![
                (*number).into(),
                (*token as i64).into(),
                record.digest.0.as_slice().into(),
                record.json.as_slice().into(),
            ]),
            StoreChange::ProjectChunk(ProjectChunk { project, number, bytes, size }) => {
                let project = || Value::from(project.0.as_slice());
                self.chunks.push(vec![project(), (*number as i64).into(), bytes.as_slice().into()]);
                self.projects.extend(size.map(|size| vec![project(), (size as i64).into()]));
            }
            StoreChange::Breakdown { run, attempt, kind, worker, reason } => {
                // PostgreSQL cannot store text that contains NUL.
                let reason = reason.replace('\0', " ");
                let integers = [(*run).into(), (*attempt).into(), *kind as i64];
                self.breakdowns.push(vec![
                    integers[0].into(),
                    integers[1].into(),
                    integers[2].into(),
                    worker.as_str().into(),
                    reason.as_str().into(),
                    checksum::of_breakdown(integers, worker, &reason).0.as_slice().into(),
                ]);
            }
            StoreChange::LossReverted { run, attempt } => {
                let lost = Value::Integer(Breakdown::Lost as i64);
                self.reverted_losses.push(vec![(*run).into(), (*attempt).into(), lost]);
            }
        }
    }

    fn write(&self, database: &mut Database) -> Result<(), StoreError> {
        database.execute(
            "update runs set phase = ?2, attempt = ?3, crashes = ?4, losses = ?5, token = ?6,
                    worker = ?7
             where number = ?1",
            &self.runs,
        )?;
        // A second record of a run must be an error, because the ledger accepts only one.
        database.execute(
            "insert into records values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            &self.records,
        )?;
        database.execute(
            "insert into superseded values (?1, ?2, ?3, ?4) on conflict do nothing",
            &self.superseded,
        )?;
        database.execute(
            "insert into breakdowns values (?1, ?2, ?3, ?4, ?5, ?6)
             on conflict (number, attempt) do update
             set kind = excluded.kind, worker = excluded.worker, reason = excluded.reason,
                 checksum = excluded.checksum",
            &self.breakdowns,
        )?;
        database.execute(
            "delete from breakdowns where number = ?1 and attempt = ?2 and kind = ?3",
            &self.reverted_losses,
        )?;
        database.execute(
            "insert into parts values (?1, ?2, ?3)
             on conflict (project, part) do update set bytes = excluded.bytes",
            &self.chunks,
        )?;
        database.execute(
            "insert into projects values (?1, ?2)
             on conflict (digest) do update set size = excluded.size",
            &self.projects,
        )
    }
}
