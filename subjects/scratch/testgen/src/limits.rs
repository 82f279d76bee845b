//! Limits of the VM that the executions of a run reached.

use catherd_scratch_vm::{Hits, Limit};

/// Hits of a limit in the executions of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitCount {
    /// Number of executions that reached the limit.
    pub executions: u64,
    /// Number of hits in all executions.
    pub times: u64,
    /// The earliest step of an execution in which the limit was reached.
    pub earliest: u64,
}

/// Number of times that the executions of a run, including minimisation, reached each limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limits([LimitCount; Limit::ALL.len()]);

impl Limits {
    /// The limits that were reached.
    pub fn iter(&self) -> impl Iterator<Item = (Limit, LimitCount)> {
        Limit::ALL.into_iter().zip(self.0).filter(|(_, count)| count.executions > 0)
    }

    /// Adds the limits that another execution reached.
    pub fn add(&mut self, hits: &Hits) {
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
