//! Faults that a run exposes, such as crashes. The possible faults are unknown before the runs, so
//! faults are stored as metrics, not as goals.

use std::collections::BTreeMap;

use catherd_experiments::text::is_printable;
use catherd_experiments::{Metric, RunRecord};
use serde::Deserialize;

/// The prefix of metrics with the real time, in milliseconds, until a run exposed a fault.
const EXPOSED: &str = "exposed_ms.";

/// The metric with the number of faults. A run without this metric has reported neither faults nor
/// their absence.
const FAULTS: &str = "faults";

/// The faults that were exposed first are kept.
const MAX_FAULTS: usize = 1000;

const MAX_NAME_BYTES: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Fault {
    name: String,
    wall_ms: u64,
}

/// If a fault was exposed several times, the first time counts.
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
