//! Reads on the writing connection.

use std::collections::BTreeMap;
use std::time::Duration;

use super::error::StoreError;
use super::model::{StoredRun, StoredStudy};
use super::queries;
use super::row::{Row, RowCallback, Value};
use super::schema;
use super::write::Store;
use crate::ids::{RunId, RunNumber, StudyNumber};
use crate::ledger::{RunStatus, WorkerRule};

/// Number of successive run numbers in one query.
const PAGE: i64 = 1 << 14;

impl Store {
    /// All studies except hidden ones, by number.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn studies(&mut self) -> Result<Vec<StoredStudy>, StoreError> {
        queries::studies(&mut self.database, schema::VERSION)
    }

    /// The rules for workers, by the name of a worker or of a host.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn worker_rules(&mut self) -> Result<BTreeMap<String, WorkerRule>, StoreError> {
        let mut rules = BTreeMap::new();
        self.database.query("select name, rule from worker_rules", &[], &mut |mut row| {
            let (name, number) = (row.text()?, row.integer()?);
            let known = WorkerRule::ALL.into_iter().find(|rule| *rule as i64 == number);
            let unknown = || StoreError::Damaged(format!("workers with rule {number}"));
            rules.insert(name, known.ok_or_else(unknown)?);
            Ok(())
        })?;
        Ok(rules)
    }

    /// Sum and number of the coverages of the runs that are done, for `study` or for each study.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn coverage(
        &mut self,
        study: Option<StudyNumber>,
    ) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
        queries::coverage(&mut self.database, study)
    }

    /// Passes all runs to `each`, in ascending order of their numbers.
    ///
    /// # Errors
    ///
    /// If `each` returns an error or the store cannot be read.
    pub fn runs(
        &mut self,
        mut each: impl FnMut(StoredRun) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let sql =
            "select runs.number, phase, attempt, crashes, losses, runs.token, worker, project,
                          label, wall_ms
                   from runs left join records on records.number = runs.number
                   where runs.number >= ?1 and runs.number < ?2 order by runs.number";
        self.query_by_page(sql, &mut |row| each(stored_run(row)?))
    }

    /// During one long query, a session of PostgreSQL that waits until the writer takes rows would
    /// count as silent, and a standby coordinator could terminate the session.
    fn query_by_page(
        &mut self,
        sql: &'static str,
        each: RowCallback<'_>,
    ) -> Result<(), StoreError> {
        let largest = "select max(number) from runs";
        let largest = self.database.first(largest, &[], Row::optional_integer)?.flatten();
        for first in (0..largest.map_or(0, |largest| largest + 1)).step_by(PAGE as usize) {
            self.database.query(sql, &[first.into(), (first + PAGE).into()], each)?;
        }
        Ok(())
    }

    /// Passes the members of all studies except hidden ones to `each`: pairs of run and study,
    /// sorted by run and then by study.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn members(
        &mut self,
        mut each: impl FnMut(RunNumber, StudyNumber),
    ) -> Result<(), StoreError> {
        let sql = "select run, study from members join studies on studies.number = study
                   where run >= ?1 and run < ?2 and state < 3 order by run, study";
        self.query_by_page(sql, &mut |mut row| {
            each(row.integer_as()?, row.integer_as()?);
            Ok(())
        })
    }

    /// Passes runs that have not ended to `each`, with the workers on which attempts at them
    /// crashed.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn crashed_on(
        &mut self,
        mut each: impl FnMut(RunNumber, String),
    ) -> Result<(), StoreError> {
        let sql = "select runs.number, breakdowns.worker from breakdowns
                   join runs on runs.number = breakdowns.number
                   where phase in (1, 2) and kind <> 3";
        self.database.query(sql, &[], &mut |mut row| {
            each(row.integer_as()?, row.text()?);
            Ok(())
        })
    }

    /// The ids of the runs with these numbers, in the order of `runs`.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn ids(&mut self, runs: &[RunNumber]) -> Result<Vec<Option<RunId>>, StoreError> {
        let keys: Vec<Value> = runs.iter().map(|&run| run.into()).collect();
        let rows = self.database.lookup("select id from runs where number = ?1", &keys)?;
        rows.into_iter().map(|row| row.map(|mut row| row.digest()).transpose()).collect()
    }

    /// The specifications of the runs with these numbers as JSON, in the order of `runs`.
    ///
    /// # Errors
    ///
    /// If one of the runs is missing or the store cannot be read.
    pub fn specs(&mut self, runs: &[RunNumber]) -> Result<Vec<Vec<u8>>, StoreError> {
        let keys: Vec<Value> = runs.iter().map(|&run| run.into()).collect();
        let rows = self.database.lookup("select spec from runs where number = ?1", &keys)?;
        let unknown = || StoreError::Damaged("a run is missing".to_owned());
        rows.into_iter().map(|row| row.ok_or_else(unknown)?.bytes()).collect()
    }
}

fn stored_run(mut row: Row) -> Result<StoredRun, StoreError> {
    let number = row.integer_as()?;
    let phase = queries::phase(row.integer()?)?;
    let mut status = RunStatus::new(phase, 0);
    status.attempt = row.integer_as()?;
    status.crashes = row.integer_as()?;
    status.losses = row.integer_as()?;
    status.token = row.integer_as()?;
    let worker = row.optional_text()?;
    let project = row.digest()?;
    let label = row.text()?;
    let wall = row.optional_integer()?.map(|ms| Duration::from_millis(ms.unsigned_abs()));
    Ok(StoredRun { number, status, worker, project, label, wall })
}
