//! Limits that a run met, as reports show them.

use catherd_vm::Hits;
use serde::Serialize;

/// A limit of the machine that a run met.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LimitHit {
    /// Its name, see [`catherd_vm::Limit::name`].
    pub limit: &'static str,
    /// The step of the first time, since the green flag.
    pub first: u64,
    /// How often.
    pub times: u64,
}

/// What a machine has on record.
pub(crate) fn limit_hits(hits: &Hits) -> Vec<LimitHit> {
    let hits = hits.iter();
    hits.map(|(l, hit)| LimitHit { limit: l.name(), first: hit.first, times: hit.times }).collect()
}
