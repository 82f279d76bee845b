//! The reading end of the store, beside the writer and without disturbing it.

use std::collections::VecDeque;

use catherd_experiments::{RunRecord, RunSpec};

use super::database::{Database, Purpose, Row, StoreUrl, Value};
use super::{Breakdown, StoreError, StoredStudy, StudyNumber, StudyState};
use crate::ledger::Phase;

/// Records fetched at a time.
const PAGE: i64 = 256;

/// A view of the store.
#[derive(Debug)]
pub struct Reader {
    pub(super) database: Database,
}

/// A run that was given up, and why.
#[derive(Clone, Debug, PartialEq)]
pub struct QuarantinedRun {
    /// The run.
    pub spec: RunSpec,
    /// Attempts at it.
    pub attempts: u32,
    /// How the last one ended.
    pub kind: Breakdown,
    /// Why, in the last worker's words.
    pub reason: String,
}

/// Runs of a study without a record, of the same project and algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// The project's name.
    pub project: String,
    /// The algorithm's label.
    pub label: String,
    /// Where they stand.
    pub phase: Phase,
    /// How many.
    pub runs: u64,
    /// Why the last attempt at one of them broke down; empty if none did.
    pub reason: String,
}

impl Reader {
    /// Opens an existing store.
    ///
    /// # Errors
    ///
    /// When it cannot be reached.
    pub fn open(url: &StoreUrl) -> Result<Reader, StoreError> {
        Ok(Reader { database: Database::connect(url, Purpose::Read)? })
    }

    /// All studies, by number.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn studies(&mut self) -> Result<Vec<StoredStudy>, StoreError> {
        studies(&mut self.database)
    }

    /// Of each study, the sum and number of the coverages of its runs that are done and
    /// have goals.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn coverage(&mut self) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
        coverage(&mut self.database, None)
    }

    /// The accepted records of a study, in its order and with its names. Memory is
    /// bounded by a page of records, whatever the size of the study.
    pub fn records(self, study: StudyNumber) -> Records {
        Records { reader: self, study, after: -1, page: VecDeque::new() }
    }

    /// The quarantined runs of a study, in its order.
    ///
    /// # Errors
    ///
    /// When the database refuses.
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
            let attempts = row.narrow()?;
            let kind: usize = row.narrow()?;
            let kind = *Breakdown::ALL.get(kind).unwrap_or(&Breakdown::Crashed);
            problems.push(QuarantinedRun { spec, attempts, kind, reason: row.text()? });
            Ok(())
        })?;
        Ok(problems)
    }

    /// What a study has no record of, and why, the largest parts first.
    ///
    /// # Errors
    ///
    /// When the database refuses.
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
                phase: super::phase(row.integer()?)?,
                runs: row.narrow()?,
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

/// All studies, by number.
pub(super) fn studies(database: &mut Database) -> Result<Vec<StoredStudy>, StoreError> {
    let mut studies = Vec::new();
    let sql = "select number, name, state, plan from studies order by number";
    database.query(sql, &[], &mut |mut row| {
        let (number, name) = (row.narrow()?, row.text()?);
        let state: usize = row.narrow()?;
        let unknown = || StoreError::Damaged(format!("a study in state {state}"));
        let state = *StudyState::ALL.get(state).ok_or_else(unknown)?;
        studies.push(StoredStudy { number, name, state, plan: row.bytes()? });
        Ok(())
    })?;
    Ok(studies)
}

/// See [`Reader::coverage`].
pub(super) fn coverage(
    database: &mut Database,
    study: Option<StudyNumber>,
) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
    let sql = "select study, sum(cast(covered as double precision) / goals), count(*)
               from members join records on records.number = members.run
               where study between ?1 and ?2 and done = 1 and goals > 0
               group by study order by study";
    let mut all = Vec::new();
    let (first, last) = study.map_or((0, StudyNumber::MAX), |study| (study, study));
    database.query(sql, &[first.into(), last.into()], &mut |mut row| {
        all.push((row.narrow()?, row.real()?, row.narrow()?));
        Ok(())
    })?;
    Ok(all)
}

/// A specification with the names of a study.
fn spec(row: &mut Row) -> Result<RunSpec, StoreError> {
    let mut spec: RunSpec = serde_json::from_slice(&row.bytes()?)?;
    spec.project_name = row.text()?;
    spec.algorithm.label = row.text()?;
    Ok(spec)
}

/// See [`Reader::records`].
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
