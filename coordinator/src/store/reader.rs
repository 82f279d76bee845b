//! A reading connection to the store, which does not block the writer.

use catherd_experiments::RunSpec;

use super::checksum;
use super::database::Database;
use super::error::StoreError;
use super::model::{Breakdown, StoredStudy};
use super::planned::PlannedRuns;
use super::queries;
use super::row::{Purpose, Row, Value};
use super::schema;
use super::url::StoreUrl;
use crate::ids::StudyNumber;
use crate::ledger::Phase;

/// Selects quarantined runs, each with the number of its record, which must be null. Version 3 of
/// the schema has no checksums.
macro_rules! select_quarantined {
    ($checksum:literal) => {
        concat!(
            "select position, runs.id, spec, members.project, members.label, records.number,
                    breakdowns.number, runs.attempt, kind, breakdowns.worker, reason, ",
            $checksum,
            " from members join runs on runs.number = members.run
             left join records on records.number = members.run
             left join breakdowns on breakdowns.number = runs.number
                  and breakdowns.attempt = runs.attempt
             where study = ?1 and phase = ?2 order by position"
        )
    };
}

/// A reading connection to a store.
#[derive(Debug)]
pub struct StoreReader {
    pub(super) database: Database,
    version: i64,
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
    /// Details of the end of the last attempt.
    pub reason: String,
}

/// Runs of a study that have no record and agree in project, algorithm and phase.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingRuns {
    /// The project's name.
    pub project: String,
    /// The algorithm's label.
    pub label: String,
    /// The phase of the runs.
    pub phase: Phase,
    /// Number of runs.
    pub runs: u64,
    /// Why an attempt at one of these runs ended without a record; empty if no attempt did.
    pub reason: String,
}

impl StoreReader {
    /// Opens an existing store.
    ///
    /// # Errors
    ///
    /// If the store cannot be opened, or if this program cannot read its schema.
    pub fn open(url: &StoreUrl) -> Result<StoreReader, StoreError> {
        let mut database = Database::connect(url, Purpose::Read)?;
        let version = schema::version(&mut database)?.unwrap_or(0);
        if (schema::OLDEST_READABLE..=schema::VERSION).contains(&version) {
            Ok(StoreReader { database, version })
        } else {
            Err(StoreError::Schema { found: version, known: schema::VERSION })
        }
    }

    pub(super) fn has_checksums(&self) -> bool {
        self.version > 3
    }

    /// The study with this number.
    ///
    /// # Errors
    ///
    /// If there is no such study, or if the store cannot be read.
    pub fn study(&mut self, number: StudyNumber) -> Result<StoredStudy, StoreError> {
        let found = self.studies()?.into_iter().find(|study| study.number == number);
        found.ok_or_else(|| StoreError::NoStudy(number.to_string()))
    }

    /// All studies except hidden ones, by number.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn studies(&mut self) -> Result<Vec<StoredStudy>, StoreError> {
        queries::studies(&mut self.database, self.version)
    }

    /// The description of the projects of a study as JSON, if there is one.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn description(&mut self, study: StudyNumber) -> Result<Option<Vec<u8>>, StoreError> {
        if !self.has_checksums() {
            return Ok(None);
        }
        let sql = "select description from studies where number = ?1";
        let read =
            |row: &mut Row| if row.next_is_null() { Ok(None) } else { row.bytes().map(Some) };
        Ok(self.database.first(sql, &[study.into()], read)?.flatten())
    }

    /// Sum and number of the coverages of the runs that are done, for each study.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn coverage(&mut self) -> Result<Vec<(StudyNumber, f64, u64)>, StoreError> {
        queries::coverage(&mut self.database, None)
    }

    /// The quarantined runs of a study, in the order of the study.
    ///
    /// # Errors
    ///
    /// If there is no such study, or if the store is damaged or cannot be read.
    pub fn quarantined(&mut self, study: StudyNumber) -> Result<Vec<QuarantinedRun>, StoreError> {
        Ok(self.quarantined_at(study)?.into_iter().map(|(_, run)| run).collect())
    }

    pub(crate) fn quarantined_at(
        &mut self,
        study: StudyNumber,
    ) -> Result<Vec<(u32, QuarantinedRun)>, StoreError> {
        let sql = if self.has_checksums() {
            select_quarantined!("breakdowns.checksum")
        } else {
            select_quarantined!("null")
        };
        let runs = PlannedRuns::of(&self.study(study)?)?;
        let mut problems = Vec::new();
        let parameters = [study.into(), Value::Integer(Phase::Quarantined as i64)];
        self.database.query(sql, &parameters, &mut |mut row| {
            let position = row.integer()?;
            let spec = runs.run(position, &mut row)?;
            if row.optional_integer()?.is_some() {
                return Err(runs.damaged(&spec, "it is quarantined and has a record"));
            }
            let run = quarantined(spec.clone(), &mut row);
            let run = run.map_err(|_| runs.damaged(&spec, "the reason for its quarantine"))?;
            problems.push((u32::try_from(position).unwrap_or(u32::MAX), run));
            Ok(())
        })?;
        Ok(problems)
    }

    /// The runs of a study that have no record, grouped by project, algorithm and phase, with the
    /// largest groups first.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn missing(&mut self, study: StudyNumber) -> Result<Vec<MissingRuns>, StoreError> {
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
            missing.push(MissingRuns {
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
}

/// Reads a quarantined run, and compares the end of its last attempt with the checksum.
fn quarantined(spec: RunSpec, row: &mut Row) -> Result<QuarantinedRun, StoreError> {
    let integers = [row.integer()?, row.integer()?, row.integer()?];
    let (worker, reason) = (row.text()?, row.text()?);
    let now = checksum::of_breakdown(integers, &worker, &reason);
    let changed = row.optional_digest()?.is_some_and(|before| before != now);
    let [_, attempts, kind] = integers;
    let kind = usize::try_from(kind).ok().and_then(|kind| Breakdown::ALL.get(kind));
    match (u32::try_from(attempts), kind) {
        (Ok(attempts), Some(&kind)) if !changed => {
            Ok(QuarantinedRun { spec, attempts, kind, reason })
        }
        _ => Err(StoreError::Damaged("the end of an attempt has changed".to_owned())),
    }
}
