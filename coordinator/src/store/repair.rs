//! Repairs a study whose stored state has changed on the disk.

use catherd_experiments::{Digest, Plan, RunSpec};

use super::checksum;
use super::error::StoreError;
use super::records::RecordRow;
use super::row::{Row, Value};
use super::write::Store;
use crate::ids::StudyNumber;
use crate::ledger::Phase;

const PAGE: usize = 1 << 12;

const RUNS: &str = "
    select position, members.run, members.project, members.label,
           runs.id, runs.project, spec, phase,
           breakdowns.number, breakdowns.attempt, kind, breakdowns.worker, reason,
           breakdowns.checksum,
           records.number, records.token, goals, covered, done, wall_ms, digest, records.checksum,
           record
    from members left join runs on runs.number = members.run
    left join breakdowns on breakdowns.number = members.run and breakdowns.attempt = runs.attempt
    left join records on records.number = members.run
    where study = ?1 and position >= ?2 and position < ?3 order by position";

/// A run whose stored state was damaged and has been repaired.
#[derive(Clone, Debug, PartialEq)]
pub struct Repair {
    /// The run.
    pub run: RunSpec,
    /// What was damaged.
    pub cause: String,
    /// Whether the run is executed again.
    pub repeated: bool,
}

enum Fix {
    /// The run returns to the queue without results.
    Repeat(i64),
    /// The run gets the state of its record.
    State(i64, Phase),
    /// The run gets the specification of the plan.
    Spec(i64, Digest, Vec<u8>),
}

enum PageError {
    /// The stored list of the study's runs differs from its plan.
    Members(String),
    Store(StoreError),
}

impl From<StoreError> for PageError {
    fn from(error: StoreError) -> PageError {
        PageError::Store(error)
    }
}

impl Store {
    /// Compares the stored state of the runs of a study with its plan and with checksums, and
    /// repairs damaged runs. Runs whose results are lost are executed again. With `relist`, a list
    /// of runs that differs from the plan is recreated.
    ///
    /// # Errors
    ///
    /// If the list of the runs differs from the plan and is not recreated, or if the store cannot be
    /// read or written.
    pub fn repair(
        &mut self,
        study: StudyNumber,
        plan: &Plan,
        relist: bool,
    ) -> Result<Vec<Repair>, StoreError> {
        let (mut study, mut relisted) = (study, !relist);
        let mut repairs: Vec<Repair> = Vec::new();
        let (mut first, mut respecified) = (0, false);
        while first < plan.count() {
            let fixes = match self.judge_page(study, plan, first) {
                Ok(fixes) => fixes,
                Err(PageError::Store(error)) => return Err(error),
                Err(PageError::Members(_)) if !relisted => {
                    relisted = true;
                    study = self.list_again(study, plan)?;
                    first = 0;
                    continue;
                }
                Err(PageError::Members(cause)) => {
                    let study = &plan.name;
                    return Err(StoreError::Damaged(format!("study `{study}`: {cause}")));
                }
            };
            let (fixes, made): (Vec<_>, Vec<_>) = fixes.into_iter().unzip();
            repairs.extend(made);
            if !fixes.is_empty() {
                self.database.transaction(|database| {
                    fixes.iter().try_for_each(|fix: &Fix| fix.apply(database))
                })?;
            }
            // The states of runs whose specifications were repaired have not been checked yet.
            respecified = !respecified && fixes.iter().any(|fix| matches!(fix, Fix::Spec(..)));
            if !respecified {
                first += PAGE;
            }
        }
        Ok(repairs)
    }

    /// Plans the study again. Runs that are in the store keep their results.
    fn list_again(&mut self, study: StudyNumber, plan: &Plan) -> Result<StudyNumber, StoreError> {
        let nothing: &[u8] = &[];
        let parameters = vec![study.into(), nothing.into()];
        self.database.execute("update studies set plan = ?2 where number = ?1", &[parameters])?;
        self.plan(plan.clone())
    }

    fn judge_page(
        &mut self,
        study: StudyNumber,
        plan: &Plan,
        first: usize,
    ) -> Result<Vec<(Fix, Repair)>, PageError> {
        let end = plan.count().min(first + PAGE);
        let (mut position, mut fixes, mut flaw) = (first, Vec::new(), None);
        let parameters = [study.into(), (first as i64).into(), (end as i64).into()];
        self.database.query(RUNS, &parameters, &mut |mut row| {
            if flaw.is_none() && position < end {
                let expected = plan.run(position);
                match judge(position, &expected, &mut row) {
                    Ok(None) => {}
                    Ok(Some((fix, cause))) => {
                        let repeated = matches!(fix, Fix::Repeat(_));
                        fixes.push((fix, Repair { run: expected, cause, repeated }));
                    }
                    Err(cause) => flaw = Some(cause),
                }
            }
            position += 1;
            Ok(())
        })?;
        match flaw {
            Some(cause) => Err(PageError::Members(cause)),
            None if position == end => Ok(fixes),
            None => {
                let found = position - first;
                let cause = format!("the list has {found} of {} planned runs", end - first);
                Err(PageError::Members(cause))
            }
        }
    }
}

/// How to repair a run, and why. The error states how the list of runs differs from the plan.
fn judge(
    position: usize,
    expected: &RunSpec,
    row: &mut Row,
) -> Result<Option<(Fix, String)>, String> {
    let differs = |error: StoreError| format!("run {position}: {error}");
    let listed = row.integer().map_err(differs)?;
    let number = row.integer().map_err(differs)?;
    let (project, label) = (row.text().map_err(differs)?, row.text().map_err(differs)?);
    let id = row.digest().map_err(differs)?;
    let names = project == expected.project_name && label == expected.algorithm.label;
    if listed != position as i64 || !names || id != expected.id() {
        return Err(format!("run {position} differs from the plan"));
    }
    let (project, spec) = (row.digest().ok(), row.bytes().unwrap_or_default());
    let phase = row.integer().unwrap_or_default();
    let ended_badly = breakdown(&mut row.take_first(6));
    let mut record = row.take();
    let repeat = |cause: String| Ok(Some((Fix::Repeat(number), cause)));
    let known = serde_json::from_slice(&spec).ok().filter(|spec: &RunSpec| spec.id() == id);
    if known.is_none_or(|spec| Some(spec.project) != project) {
        let json = serde_json::to_vec(expected).map_err(|cause| cause.to_string())?;
        let cause = "its specification was damaged".to_owned();
        return Ok(Some((Fix::Spec(number, expected.project, json), cause)));
    }
    if record.next_is_null() {
        return match (Phase::ALL.into_iter().find(|known| *known as i64 == phase), ended_badly) {
            (Some(Phase::Pending | Phase::Leased), _) => Ok(None),
            (Some(Phase::Quarantined), Ok(true)) => Ok(None),
            (Some(Phase::Quarantined), Ok(false)) => {
                repeat("it was quarantined without a reason".to_owned())
            }
            (Some(Phase::Quarantined), Err(cause)) => repeat(cause),
            (Some(Phase::Done | Phase::Failed), _) => {
                repeat("it had ended without a record".to_owned())
            }
            (None, _) => repeat(format!("it was in the unknown state {phase}")),
        };
    }
    let record = match RecordRow::read(&mut record) {
        Ok(record) => record,
        Err(cause) => return repeat(format!("its record: {cause}")),
    };
    if let Err(cause) = record.check(id) {
        return repeat(cause);
    }
    match record.phase() {
        Some(known) if known as i64 == phase => Ok(None),
        Some(phase) => {
            let cause = "its state did not match its record".to_owned();
            Ok(Some((Fix::State(number, phase), cause)))
        }
        None => repeat("its record cannot be read".to_owned()),
    }
}

/// Whether the last attempt at the run ended without a record. An error means that the stored end
/// of the attempt is damaged.
fn breakdown(row: &mut Row) -> Result<bool, String> {
    if row.next_is_null() {
        return Ok(false);
    }
    let mut read = || -> Result<bool, StoreError> {
        let integers = [row.integer()?, row.integer()?, row.integer()?];
        let (worker, reason) = (row.text()?, row.text()?);
        let checksum = row.optional_digest()?;
        let now = checksum::of_breakdown(integers, &worker, &reason);
        Ok(checksum.is_none_or(|before| before == now))
    };
    match read() {
        Ok(true) => Ok(true),
        _ => Err("the reason for its quarantine was damaged".to_owned()),
    }
}

impl Fix {
    fn apply(&self, database: &mut super::database::Database) -> Result<(), StoreError> {
        match self {
            Fix::Repeat(number) => {
                let row = [vec![Value::Integer(*number)]];
                database.execute("delete from records where number = ?1", &row)?;
                database.execute("delete from breakdowns where number = ?1", &row)?;
                database.execute(
                    "update runs set phase = 1, crashes = 0, losses = 0, worker = null
                     where number = ?1",
                    &row,
                )
            }
            Fix::State(number, phase) => {
                let row = vec![Value::Integer(*number), Value::Integer(*phase as i64)];
                database.execute("update runs set phase = ?2 where number = ?1", &[row])
            }
            Fix::Spec(number, project, spec) => {
                let (project, spec) = (project.0.as_slice().into(), spec.as_slice().into());
                database.execute(
                    "update runs set project = ?2, spec = ?3 where number = ?1",
                    &[vec![Value::Integer(*number), project, spec]],
                )
            }
        }
    }
}
