//! Snapshots: results of runs that have not ended yet. A tool may write a valid result to the file
//! that the request names as `snapshot`, and may replace this file at any time by renaming a new
//! file over it. If a limit of the run or a signal ends the run, the snapshot is used as the
//! result, because the coverage of a long run would otherwise be lost. The snapshot is not used if
//! the kernel ended the run for lack of memory, unless the run had been asked to end.

use std::path::Path;

use catherd_experiments::{Metric, REAL_TIME, RunOutcome, RunRecord};
use serde_json::{Map, Value};

use super::answer::Flaw;
use super::contract::SNAPSHOT;
use super::result;

const FROM_SNAPSHOT: &str = "from_snapshot";

const LOG: &str = "snapshot.txt";

/// The record of the snapshot in a working folder. `None` if there is no valid snapshot with the
/// outcome `done`. `reason` is why the run has no other result, and `read` converts a result to a
/// record.
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
