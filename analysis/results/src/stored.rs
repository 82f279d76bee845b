//! The results of runs in a store.

use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{CoordinatorError, QuarantinedRun, StoreError, StoreUrl};
use catherd_experiments::{RunRecord, RunSpec};

use crate::error::ResultsError;

/// The result of a run.
pub enum RunResult {
    /// A record.
    Record(Box<(RunSpec, RunRecord)>),
    /// A quarantined run.
    Quarantined(Box<QuarantinedRun>),
}

/// Studies of a store whose results are read, in order.
#[derive(Clone, Debug)]
pub struct StoredStudies {
    /// The store.
    pub store: StoreUrl,
    /// The names of the studies.
    pub names: Vec<String>,
}

impl StoredStudies {
    /// The results of the runs, in the order of the studies.
    pub fn results(&self) -> impl Iterator<Item = Result<RunResult, ResultsError>> + use<'_> {
        self.names.iter().flat_map(|name| {
            let (results, error) = match results(&self.store, name) {
                Ok(results) => (Some(results), None),
                Err(cause) => (None, Some(Err(self.failure(cause)))),
            };
            let results = results.into_iter().flatten();
            results.map(|result| result.map_err(|cause| self.failure(cause))).chain(error)
        })
    }

    fn failure(&self, cause: StoreError) -> ResultsError {
        CoordinatorError::Store { url: self.store.clone(), cause }.into()
    }
}

fn results(
    store: &StoreUrl,
    study: &str,
) -> Result<impl Iterator<Item = Result<RunResult, StoreError>> + use<>, StoreError> {
    let mut reader = StoreReader::open(store)?;
    let found = reader.studies()?.into_iter().find(|stored| stored.name == study);
    let number = found.ok_or_else(|| StoreError::NoStudy(study.to_owned()))?.number;
    let quarantined = reader.quarantined(number)?.into_iter();
    let quarantined = quarantined.map(|run| Ok(RunResult::Quarantined(Box::new(run))));
    let records = reader.records(number);
    let records = records.map(|record| record.map(|record| RunResult::Record(Box::new(record))));
    Ok(records.chain(quarantined))
}
