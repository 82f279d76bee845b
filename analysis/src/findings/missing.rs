//! The runs of a study that have no coverage, by cause.

use std::collections::{BTreeMap, BTreeSet};

use catherd_experiments::RunOutcome;

use crate::tidy::{Results, Skipped};

/// The cause of a missing coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The project has nothing to cover.
    NoGoals,
    /// The run has no valid result.
    Failed,
    /// A time limit ended the run.
    TimedOut,
    /// A memory limit ended the run.
    OutOfMemory,
    /// The race had dropped the configuration of the run.
    Dropped,
    /// The tables do not contain the run.
    NotRun,
}

impl Cause {
    fn of(outcome: RunOutcome) -> Cause {
        match outcome {
            RunOutcome::Failed => Cause::Failed,
            RunOutcome::TimedOut => Cause::TimedOut,
            RunOutcome::OutOfMemory => Cause::OutOfMemory,
            RunOutcome::NoGoals | RunOutcome::Done => Cause::NoGoals,
        }
    }

    /// The cause as displayed in tables.
    pub fn label(self) -> &'static str {
        match self {
            Cause::NoGoals => "without goals",
            Cause::Failed => "failed",
            Cause::TimedOut => "timed out",
            Cause::OutOfMemory => "out of memory",
            Cause::Dropped => "dropped",
            Cause::NotRun => "not run",
        }
    }
}

/// Runs of an algorithm that have no coverage, with the same cause and reason.
#[derive(Clone, Debug, PartialEq)]
pub struct MissingRuns {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The cause of the missing coverage.
    pub cause: Cause,
    /// The reported reason.
    pub reason: Option<String>,
    /// Number of these runs.
    pub count: usize,
    /// Projects of these runs, as indices into [`Results::projects`].
    pub projects: BTreeSet<usize>,
    /// The runs in the tables, as indices into [`Results::runs`].
    pub runs: Vec<u32>,
}

/// The runs of a study that have no coverage.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Number of planned runs.
    pub planned: usize,
    /// Number of runs with a coverage.
    pub covered: usize,
    /// The other runs, by algorithm, cause and reason.
    pub groups: Vec<MissingRuns>,
    /// Projects without any run.
    pub skipped: Vec<Skipped>,
}

impl Missing {
    /// Finds the runs of a study that have no coverage.
    pub fn new(results: &Results) -> Missing {
        let seeds = needed_seeds(results);
        let algorithms = results.algorithms.len();
        let mut present = vec![0_usize; algorithms * results.projects.len()];
        let mut groups: BTreeMap<(usize, Cause, Option<u32>), MissingRuns> = BTreeMap::new();
        let mut covered = 0;
        for (number, run) in (0..).zip(&results.runs) {
            let algorithm = run.algorithm as usize;
            present[run.project as usize * algorithms + algorithm] += 1;
            if run.coverage().is_some() {
                covered += 1;
                continue;
            }
            let cause = Cause::of(run.outcome);
            let group =
                groups.entry((algorithm, cause, run.reason)).or_insert_with(|| MissingRuns {
                    algorithm,
                    cause,
                    reason: run.reason.map(|reason| results.reasons[reason as usize].clone()),
                    count: 0,
                    projects: BTreeSet::new(),
                    runs: Vec::new(),
                });
            group.count += 1;
            group.projects.insert(run.project as usize);
            group.runs.push(number);
        }
        for (cell, &present) in present.iter().enumerate() {
            let (project, algorithm) = (cell / algorithms, cell % algorithms);
            let absent = seeds[algorithm].saturating_sub(present);
            if absent > 0 {
                let lost = results.lost(algorithm).is_some() && present == 0;
                let cause = if lost { Cause::Dropped } else { Cause::NotRun };
                let group = groups.entry((algorithm, cause, None)).or_insert_with(|| MissingRuns {
                    algorithm,
                    cause,
                    reason: None,
                    count: 0,
                    projects: BTreeSet::new(),
                    runs: Vec::new(),
                });
                group.count += absent;
                group.projects.insert(project);
            }
        }
        let groups: Vec<MissingRuns> = groups.into_values().collect();
        let planned = covered + groups.iter().map(|group| group.count).sum::<usize>();
        Missing { planned, covered, groups, skipped: results.skipped.clone() }
    }
}

/// The number of seeds of each algorithm. In a finished study with a stopping rule, only the seeds
/// with which the algorithm was executed are counted.
pub fn needed_seeds(results: &Results) -> Vec<usize> {
    if results.stop.is_none() || results.interim().is_some() {
        return vec![results.seeds(); results.algorithms.len()];
    }
    let mut seeds = vec![BTreeSet::new(); results.algorithms.len()];
    for run in &results.runs {
        seeds[run.algorithm as usize].insert(run.seed);
    }
    seeds.iter().map(BTreeSet::len).collect()
}
