//! The stream of the results of a study.

use catherd_proto::{DOCUMENT_VERSION, v1};
use tokio::sync::mpsc;
use tonic::Status;

use crate::ids::StudyNumber;
use crate::store::{QuarantinedRun, StoreError, StoreReader, StoreUrl};

/// The cursor of the result of a quarantined run is this number plus the position of the run.
/// Cursors of records are smaller, because a study has fewer runs.
const FIRST_QUARANTINED: u64 = 1 << 32;

/// First records, then quarantined runs.
pub(super) fn send_results(
    url: &StoreUrl,
    study: StudyNumber,
    after: u64,
    sender: &mpsc::Sender<Result<v1::RunResult, Status>>,
) -> Result<(), StoreError> {
    let document = |json: Vec<u8>| v1::Document { version: DOCUMENT_VERSION, json: json.into() };
    if after < FIRST_QUARANTINED {
        let position = after.checked_sub(1).map(|position| position as u32);
        let mut records = StoreReader::open(url)?.records_after(study, position);
        while let Some(record) = records.next() {
            let (spec, record) = record?;
            let (spec, record) = (serde_json::to_vec(&spec)?, serde_json::to_vec(&record)?);
            let end = Some(v1::run_result::End::Record(document(record)));
            let cursor = 1 + u64::from(records.position());
            let result = v1::RunResult { spec: Some(document(spec)), end, cursor };
            if sender.blocking_send(Ok(result)).is_err() {
                return Ok(());
            }
        }
    }
    let mut reader = StoreReader::open(url)?;
    let quarantined = reader.quarantined_at(study)?;
    if !reader.counts(study)? {
        return Err(StoreError::StudyChanged);
    }
    for (position, run) in quarantined {
        let QuarantinedRun { spec, attempts, kind, reason } = run;
        let cursor = FIRST_QUARANTINED + u64::from(position);
        if cursor <= after {
            continue;
        }
        let quarantined = v1::Quarantined { attempts, kind: kind as u32, reason };
        let end = Some(v1::run_result::End::Quarantined(quarantined));
        let spec = Some(document(serde_json::to_vec(&spec)?));
        if sender.blocking_send(Ok(v1::RunResult { spec, end, cursor })).is_err() {
            return Ok(());
        }
    }
    Ok(())
}
