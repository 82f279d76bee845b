//! `study.json`: the plan of a study, from which the number of missing runs is computed.

use std::fmt;
use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use catherd_experiments::Plan;

use super::{Error, RunStates};

const FILE: &str = "study.json";

/// The mark on tables and figures of an incomplete study, such as "interim: 215 of 840
/// runs".
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interim {
    /// Runs of the plan.
    pub planned: u64,
    /// Runs that have ended.
    pub ended: u64,
}

impl fmt::Display for Interim {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Interim { planned, ended } = self;
        write!(f, "interim: {ended} of {planned} run{}", if *planned == 1 { "" } else { "s" })
    }
}

pub(super) fn read(dir: &Path) -> Result<Option<Plan>, Error> {
    let path = dir.join(FILE);
    match fs::read(&path) {
        Ok(json) => match serde_json::from_slice(&json) {
            Ok(plan) => Ok(Some(plan)),
            Err(cause) => Err(Error::Json { path, cause }),
        },
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(cause) => Err(Error::Io { path, cause }),
    }
}

/// `runs` is the number of runs in the tables, which are all counted as done.
pub(super) fn states(plan: &Plan, runs: usize) -> RunStates {
    let (planned, done) = (plan.count() as u64, runs as u64);
    let absent = planned.saturating_sub(done);
    // Without a state file, the tables of a study with rounds were written at its end, so absent runs
    // were not needed.
    let (dropped, pending) = if plan.has_rounds() { (absent, 0) } else { (0, absent) };
    RunStates { planned, done, dropped, pending, ..RunStates::default() }
}

pub(super) fn sum(one: Option<RunStates>, other: Option<RunStates>) -> Option<RunStates> {
    let (Some(one), Some(other)) = (one, other) else { return one.or(other) };
    Some(RunStates {
        planned: one.planned + other.planned,
        done: one.done + other.done,
        failed: one.failed + other.failed,
        quarantined: one.quarantined + other.quarantined,
        dropped: one.dropped + other.dropped,
        pending: one.pending + other.pending,
    })
}
