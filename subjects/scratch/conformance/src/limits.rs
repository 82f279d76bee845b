//! Limits that were hit during a run, for reports.

use catherd_scratch_vm::Hits;
use serde::Serialize;

/// A limit of the VM that a run hit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitHit {
    /// Name of the limit (see [`catherd_scratch_vm::Limit::name`]).
    pub limit: &'static str,
    /// Step of the first hit.
    pub first: u64,
    /// Number of hits.
    pub times: u64,
}

pub(crate) fn limit_hits(hits: &Hits) -> Vec<LimitHit> {
    let hits = hits.iter();
    hits.map(|(l, hit)| LimitHit { limit: l.name(), first: hit.first, times: hit.times }).collect()
}
