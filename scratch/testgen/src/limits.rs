//! Limits of the machine that a run's executions ran into.

use catherd_vm::{Hits, Limit};

/// How the executions of a run met one limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCount {
    /// Executions that met it.
    pub executions: u64,
    /// How often, in all of them.
    pub times: u64,
    /// The earliest step of an execution in which one met it.
    pub earliest: u64,
}

/// How the executions of a run met every limit, minimisation's included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits([LimitCount; Limit::ALL.len()]);

impl Limits {
    /// The limits that were met.
    pub fn iter(&self) -> impl Iterator<Item = (Limit, LimitCount)> {
        Limit::ALL.into_iter().zip(self.0).filter(|(_, count)| count.executions > 0)
    }

    pub(crate) fn add(&mut self, hits: &Hits) {
        for (limit, hit) in hits.iter() {
            let count = &mut self.0[limit as usize];
            if count.executions == 0 || hit.first < count.earliest {
                count.earliest = hit.first;
            }
            count.executions += 1;
            count.times += hit.times;
        }
    }
}
