//! Reads the runs of a study for the dashboard.

use catherd_experiments::{Digest, RunSpec};

use super::error::StoreError;
use super::queries;
use super::reader::StoreReader;
use super::row::Value;
use crate::ids::{RunId, StudyNumber};
use crate::ledger::Phase;

/// The runs of an algorithm on a project in one phase.
#[derive(Clone, Debug, PartialEq)]
pub struct CellRuns {
    /// The project's name.
    pub project: String,
    /// The algorithm's label.
    pub label: String,
    /// The phase of the runs.
    pub phase: Phase,
    /// Number of runs.
    pub runs: u64,
    /// Sum of the coverages of the runs that are done, each in 0..=1.
    pub coverage: f64,
    /// Number of runs in this sum.
    pub covered: u64,
}

/// A run of a study.
#[derive(Clone, Debug, PartialEq)]
pub struct ListedRun {
    /// The run's id.
    pub id: RunId,
    /// The run's seed.
    pub seed: u64,
    /// The run's phase.
    pub phase: Phase,
    /// Number of covered goals, and number of all goals, from the record.
    pub goals: Option<(u64, u64)>,
    /// Why the last attempt without a record ended.
    pub reason: String,
}

/// A run with its record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedRun {
    /// The project's name in a study that contains the run.
    pub project: String,
    /// The algorithm's label in the same study.
    pub label: String,
    /// The run's seed.
    pub seed: u64,
    /// The JSON of the run's record.
    pub record: Vec<u8>,
}

impl StoreReader {
    /// Counts and coverages of the runs of a study by project, algorithm and phase, in the order of
    /// the study.
    ///
    /// # Errors
    ///
    /// If the store cannot be read.
    pub fn cells(&mut self, study: StudyNumber) -> Result<Vec<CellRuns>, StoreError> {
        let sql = "select members.project, members.label, phase, count(*),
                   coalesce(sum(case when done = 1 and goals > 0
                                then cast(covered as double precision) / goals end), 0.0),
                   count(case when done = 1 and goals > 0 then 1 end)
                   from members join runs on runs.number = members.run
                   left join records on records.number = members.run
                   where study = ?1
                   group by members.project, members.label, phase
                   order by min(position)";
        let mut cells = Vec::new();
        self.database.query(sql, &[study.into()], &mut |mut row| {
            cells.push(CellRuns {
                project: row.text()?,
                label: row.text()?,
                phase: queries::phase(row.integer()?)?,
                runs: row.integer_as()?,
                coverage: row.real()?,
                covered: row.integer_as()?,
            });
            Ok(())
        })?;
        Ok(cells)
    }

    /// The runs of an algorithm on a project, in the order of the study.
    ///
    /// # Errors
    ///
    /// If the store is damaged or cannot be read.
    pub fn cell(
        &mut self,
        study: StudyNumber,
        project: &str,
        label: &str,
    ) -> Result<Vec<ListedRun>, StoreError> {
        let sql = "select runs.id, spec, phase, coalesce(reason, ''), goals, covered
                   from members join runs on runs.number = members.run
                   left join records on records.number = members.run
                   left join breakdowns on breakdowns.number = runs.number
                        and breakdowns.attempt =
                            (select max(attempt) from breakdowns b where b.number = runs.number)
                   where study = ?1 and members.project = ?2 and members.label = ?3
                   order by position";
        let mut runs = Vec::new();
        let parameters = [study.into(), project.into(), label.into()];
        self.database.query(sql, &parameters, &mut |mut row| {
            let (id, spec) = (row.digest()?, row.bytes()?);
            let spec: RunSpec = serde_json::from_slice(&spec)?;
            let phase = queries::phase(row.integer()?)?;
            let reason = row.text()?;
            let goals = row.optional_integer()?;
            let goals = match goals {
                Some(goals) => Some((row.integer_as()?, goals as u64)),
                None => None,
            };
            runs.push(ListedRun { id, seed: spec.seed, phase, goals, reason });
            Ok(())
        })?;
        Ok(runs)
    }

    /// A run of a study with its record.
    ///
    /// # Errors
    ///
    /// If the store is damaged or cannot be read.
    pub fn recorded(&mut self, run: Digest) -> Result<Option<RecordedRun>, StoreError> {
        let sql = "select members.project, members.label, spec, record
                   from records join runs on runs.number = records.number
                   join members on members.run = runs.number
                   where id = ?1 order by study, position limit 1";
        let mut found = None;
        self.database.query(sql, &[Value::Bytes(run.0.to_vec())], &mut |mut row| {
            let (project, label, spec) = (row.text()?, row.text()?, row.bytes()?);
            let spec: RunSpec = serde_json::from_slice(&spec)?;
            found = Some(RecordedRun { project, label, seed: spec.seed, record: row.bytes()? });
            Ok(())
        })?;
        Ok(found)
    }
}
