//! A reading connection to the store, beside the writer and without blocking it.

use std::collections::VecDeque;

use catherd_experiments::{RunRecord, RunSpec};

use super::database::Database;
use super::error::StoreError;
use super::model::{Breakdown, StoredStudy};
use super::queries;
use super::row::{Purpose, Row, Value};
use super::url::StoreUrl;
use crate::ids::StudyNumber;
use crate::ledger::Phase;

/// Number of records in one query.
const PAGE: i64 = 256;

/// A reading connection to a store.
#[derive(Debug)]
pub struct Reader {
    pub(super) database: Database,
}

/// A quarantined run, and the end of its last attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct QuarantinedRun {
    /// The run.
    pub spec: RunSpec,
    /// Number of attempts.
    pub attempts: u32,
    /// Why the last attempt ended.
    pub kind: Breakdown,
    /// Details, from the worker of the last attempt.
    pub reason: String,
}

/// Runs of a study without a record that have the same project, algorithm and phase.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The project's name.
    pub project: String,
    /// The algorithm's label.
    pub label: String,
    /// Their state.
    pub phase: Phase,
    /// Number of runs.
    pub runs: u64,
    /// Why the last attempt at one of them ended without a record; empty if there was none.
    pub reason: String,
}

impl Reader {
    /// Opens an existing store.
    ///
    /// # Errors
    ///
    /// If it cannot be reached.
    pub fn open(url: &StoreUrl) -> Result<Reader, StoreError> {
        Ok(Reader { database: Database::connect(url, Purpose::Read)? })
    }

    /// All studies, by number.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn studies(&mut self) -> Result<Vec<StoredStudy>, StoreError> {
        queries::studies(&mut self.database)
    }

    /// Sum and number of the coverages of the runs that are done and have goals, for each study.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn coverage(&mut self) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
        queries::coverage(&mut self.database, None)
    }

    /// The accepted records of a study, in its order and with its names. Memory is bounded by a page
    /// of records, whatever the size of the study.
    pub fn records(self, study: StudyNumber) -> Records {
        Records { reader: self, study, after: -1, page: VecDeque::new() }
    }

    /// The quarantined runs of a study, in its order.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn quarantined(&mut self, study: StudyNumber) -> Result<Vec<QuarantinedRun>, StoreError> {
        let sql = "select spec, members.project, members.label, runs.attempt,
                          coalesce(kind, 0), coalesce(reason, '')
                   from members join runs on runs.number = members.run
                   left join breakdowns on breakdowns.number = runs.number
                        and breakdowns.attempt = runs.attempt
                   where study = ?1 and phase = ?2 order by position";
        let mut problems = Vec::new();
        let parameters = [study.into(), Value::Integer(Phase::Quarantined as i64)];
        self.database.query(sql, &parameters, &mut |mut row| {
            let spec = spec(&mut row)?;
            let attempts = row.integer_as()?;
            let kind: usize = row.integer_as()?;
            let kind = *Breakdown::ALL.get(kind).unwrap_or(&Breakdown::Crashed);
            problems.push(QuarantinedRun { spec, attempts, kind, reason: row.text()? });
            Ok(())
        })?;
        Ok(problems)
    }

    /// The runs of a study without a record, and why they have none; the largest rows first.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn missing(&mut self, study: StudyNumber) -> Result<Vec<Missing>, StoreError> {
        let sql =
            "select members.project, members.label, phase, count(*), coalesce(max(reason), '')
                   from members join runs on runs.number = members.run
                   left join breakdowns on breakdowns.number = runs.number
                        and breakdowns.attempt =
                            (select max(attempt) from breakdowns b where b.number = runs.number)
                   where study = ?1 and phase in (1, 2, 5)
                   group by members.project, members.label, phase
                   order by count(*) desc, members.project, members.label, phase";
        let mut missing = Vec::new();
        self.database.query(sql, &[study.into()], &mut |mut row| {
            missing.push(Missing {
                project: row.text()?,
                label: row.text()?,
                phase: queries::phase(row.integer()?)?,
                runs: row.integer_as()?,
                reason: row.text()?,
            });
            Ok(())
        })?;
        Ok(missing)
    }

    fn page(
        &mut self,
        study: StudyNumber,
        after: i64,
    ) -> Result<VecDeque<(i64, RunSpec, RunRecord)>, StoreError> {
        let sql = "select spec, members.project, members.label, position, record
                   from members join runs on runs.number = members.run
                   join records on records.number = members.run
                   where study = ?1 and position > ?2 order by position limit ?3";
        let mut page = VecDeque::with_capacity(PAGE as usize);
        self.database.query(sql, &[study.into(), after.into(), PAGE.into()], &mut |mut row| {
            let spec = spec(&mut row)?;
            let position = row.integer()?;
            page.push_back((position, spec, serde_json::from_slice(&row.bytes()?)?));
            Ok(())
        })?;
        Ok(page)
    }
}

/// Reads a specification, with the names that the study uses.
fn spec(row: &mut Row) -> Result<RunSpec, StoreError> {
    let mut spec: RunSpec = serde_json::from_slice(&row.bytes()?)?;
    spec.project_name = row.text()?;
    spec.algorithm.label = row.text()?;
    Ok(spec)
}

/// An iterator over the records of a study. See [`Reader::records`].
#[derive(Debug)]
pub struct Records {
    reader: Reader,
    study: StudyNumber,
    after: i64,
    page: VecDeque<(i64, RunSpec, RunRecord)>,
}

impl Iterator for Records {
    type Item = Result<(RunSpec, RunRecord), StoreError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.page.is_empty() {
            match self.reader.page(self.study, self.after) {
                Ok(page) => self.page = page,
                Err(error) => {
                    self.after = i64::MAX;
                    return Some(Err(error));
                }
            }
        }
        let (position, spec, record) = self.page.pop_front()?;
        self.after = position;
        Some(Ok((spec, record)))
    }
}
