//! Snapshots: results of runs that have not ended yet. A tool may write a valid result to the file
//! that the request names as `snapshot`, and may replace this file by renaming a new file over it.
//! If a run is cut short, its snapshot may become the result, because the coverage of a long run
//! would otherwise be lost.

use std::path::Path;

use catherd_experiments::{Metric, REAL_TIME, RunOutcome, RunRecord};
use serde_json::{Map, Value};

use super::answer::Flaw;
use super::contract::SNAPSHOT;
use super::result;

const FROM_SNAPSHOT: &str = "from_snapshot";

const LOG: &str = "snapshot.txt";

/// `reason` is why the run has no other result.
pub(super) fn record(
    read: impl FnOnce(Map<String, Value>) -> Result<RunRecord, Flaw>,
    folder: &Path,
    reason: &str,
) -> Option<RunRecord> {
    let file = result::read(&folder.join(SNAPSHOT)).ok()?;
    let mut record = read(file).ok()?;
    if record.outcome != RunOutcome::Done {
        return None;
    }
    for name in [FROM_SNAPSHOT, REAL_TIME] {
        record.metrics.insert(name.to_owned(), Metric::Integer(1));
    }
    record.logs.insert(LOG.to_owned(), format!("the result is a snapshot: {reason}\n"));
    Some(record)
}
