//! Looks up runs of a store by their ids.

use catherd_experiments::{Digest, RunSpec};

use super::error::StoreError;
use super::model::Breakdown;
use super::reader::StoreReader;
use super::row::Value;
use crate::ids::{RunId, RunNumber};

/// A run that was found.
#[derive(Clone, Debug)]
pub struct FoundRun {
    /// The number of the run.
    pub number: RunNumber,
    /// The specification of the run.
    pub spec: RunSpec,
    /// The attempts that ended without a record, in ascending order of their numbers.
    pub breakdowns: Vec<EndedAttempt>,
}

/// An attempt that ended without a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndedAttempt {
    /// The number of the attempt, from 1.
    pub attempt: u32,
    /// Why the attempt ended, if this version knows the kind.
    pub kind: Option<Breakdown>,
    /// The worker's name.
    pub worker: String,
    /// Details.
    pub reason: String,
}

impl StoreReader {
    /// At most two runs whose ids are between `low` and `high`, inclusive.
    ///
    /// # Errors
    ///
    /// If the store is damaged or cannot be read.
    pub fn runs_between(&mut self, low: RunId, high: RunId) -> Result<Vec<FoundRun>, StoreError> {
        let sql = "select number, spec from runs where id >= ?1 and id <= ?2 order by id limit 2";
        let mut rows: Vec<(RunNumber, Vec<u8>)> = Vec::new();
        let between = [low.0.as_slice().into(), high.0.as_slice().into()];
        self.database.query(sql, &between, &mut |mut row| {
            rows.push((row.integer_as()?, row.bytes()?));
            Ok(())
        })?;
        let mut found = Vec::new();
        for (number, spec) in rows {
            let spec = serde_json::from_slice(&spec)?;
            let mut breakdowns = Vec::new();
            let sql = "select attempt, kind, worker, reason from breakdowns where number = ?1
                       order by attempt";
            self.database.query(sql, &[number.into()], &mut |mut row| {
                let (attempt, kind) = (row.integer_as()?, row.integer()?);
                let kind = Breakdown::ALL.into_iter().find(|known| *known as i64 == kind);
                let (worker, reason) = (row.text()?, row.text()?);
                breakdowns.push(EndedAttempt { attempt, kind, worker, reason });
                Ok(())
            })?;
            found.push(FoundRun { number, spec, breakdowns });
        }
        Ok(found)
    }

    /// Whether each of these runs is in the store and has ended.
    ///
    /// # Errors
    ///
    /// If the store is damaged or cannot be read.
    pub fn have_ended(&mut self, runs: &[Digest]) -> Result<Vec<bool>, StoreError> {
        let keys: Vec<Value> = runs.iter().map(|id| id.0.as_slice().into()).collect();
        let rows = self.database.lookup("select phase from runs where id = ?1", &keys)?;
        let ended = rows.into_iter().map(|row| match row {
            Some(mut row) => Ok(row.integer()? > 2),
            None => Ok(false),
        });
        ended.collect()
    }
}
