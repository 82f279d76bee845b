//! Faults that a run exposes, such as crashes. The set of faults is not known before the runs, so
//! faults are stored as metrics with their names, and not as numbered goals.

use std::collections::BTreeMap;

use catherd_experiments::text::is_printable;
use catherd_experiments::{Metric, RunRecord};
use serde::Deserialize;

/// The beginning of the name of a metric: real time in milliseconds until the run exposed the fault
/// of this name.
const EXPOSED: &str = "exposed_ms.";

/// The metric that counts the faults that a run exposed; runs without it do not look for faults.
const FAULTS: &str = "faults";

/// Maximum number of faults that are kept of a run: those that were exposed first.
const MAX_FAULTS: usize = 1000;

/// Maximum length of the name of a fault in bytes.
const MAX_NAME_BYTES: usize = 200;

/// A fault in an answer.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    name: String,
    wall_ms: u64,
}

/// Adds the faults to a record. If a fault was exposed several times, the first time is used.
///
/// # Errors
///
/// If a name is empty, too long or contains characters that cannot be shown.
pub(super) fn add(record: &mut RunRecord, faults: Vec<Fault>) -> Result<(), String> {
    let mut first: BTreeMap<String, u64> = BTreeMap::new();
    for Fault { name, wall_ms } in faults {
        if name.is_empty() || name.len() > MAX_NAME_BYTES || !name.chars().all(is_printable) {
            return Err(format!(
                "faults: {name:?}: a name has 1 to {MAX_NAME_BYTES} printable bytes"
            ));
        }
        let known = first.entry(name).or_insert(wall_ms);
        *known = wall_ms.min(*known);
    }
    let count = Metric::Integer(first.len() as i64);
    record.metrics.insert(FAULTS.to_owned(), count);
    let mut by_time: Vec<(u64, String)> = first.into_iter().map(|(name, ms)| (ms, name)).collect();
    by_time.sort_unstable();
    for (ms, name) in by_time.into_iter().take(MAX_FAULTS) {
        let ms = Metric::Integer(i64::try_from(ms).unwrap_or(i64::MAX));
        record.metrics.insert(format!("{EXPOSED}{name}"), ms);
    }
    Ok(())
}
