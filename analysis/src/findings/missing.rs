//! What is missing from a study, and why.

use std::collections::{BTreeMap, BTreeSet};

use catherd_experiments::Outcome;

use crate::tidy::{Results, Skipped};

/// Why a run has no coverage.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Cause {
    /// The project has nothing to cover.
    NoGoals,
    /// The tool gave up.
    Failed,
    /// The runner's time limit ended it.
    TimedOut,
    /// The runner's memory limit ended it.
    OutOfMemory,
    /// Its configuration had lost the race.
    Dropped,
    /// The tables do not have it.
    NotRun,
}

impl Cause {
    fn of(outcome: Outcome) -> Cause {
        match outcome {
            Outcome::Failed => Cause::Failed,
            Outcome::TimedOut => Cause::TimedOut,
            Outcome::OutOfMemory => Cause::OutOfMemory,
            // A run that is done lacks coverage only without goals.
            Outcome::NoGoals | Outcome::Done => Cause::NoGoals,
        }
    }

    /// For people.
    pub fn words(self) -> &'static str {
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

/// Runs of an algorithm that are missing for one reason.
#[derive(Clone, Debug, PartialEq)]
pub struct Gap {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Why.
    pub cause: Cause,
    /// What the tool said, if anything.
    pub reason: Option<String>,
    /// How many.
    pub count: usize,
    /// The projects concerned: indices into [`Results::projects`].
    pub projects: BTreeSet<usize>,
    /// The runs; none of [`Cause::Dropped`] and [`Cause::NotRun`].
    pub runs: Vec<u32>,
}

/// What is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Missing {
    /// Runs that there would be: projects x algorithms x seeds.
    pub planned: usize,
    /// Runs with a coverage.
    pub covered: usize,
    /// What the others lack, by algorithm and cause.
    pub gaps: Vec<Gap>,
    /// Projects that were not run at all.
    pub skipped: Vec<Skipped>,
}

impl Missing {
    /// Looks for what a study lacks.
    pub fn new(results: &Results) -> Missing {
        let seeds: BTreeSet<u64> = results.runs.iter().map(|run| run.seed).collect();
        let algorithms = results.algorithms.len();
        let mut present = vec![0_usize; algorithms * results.projects.len()];
        let mut gaps: BTreeMap<(usize, Cause, Option<u32>), Gap> = BTreeMap::new();
        let mut covered = 0;
        for (number, run) in (0..).zip(&results.runs) {
            let algorithm = run.algorithm as usize;
            present[run.project as usize * algorithms + algorithm] += 1;
            if run.coverage().is_some() {
                covered += 1;
                continue;
            }
            let cause = Cause::of(run.outcome);
            let gap = gaps.entry((algorithm, cause, run.reason)).or_insert_with(|| Gap {
                algorithm,
                cause,
                reason: run.reason.map(|reason| results.reasons[reason as usize].clone()),
                count: 0,
                projects: BTreeSet::new(),
                runs: Vec::new(),
            });
            gap.count += 1;
            gap.projects.insert(run.project as usize);
            gap.runs.push(number);
        }
        for (cell, &present) in present.iter().enumerate() {
            let absent = seeds.len().saturating_sub(present);
            if absent > 0 {
                let (project, algorithm) = (cell / algorithms, cell % algorithms);
                let lost = results.lost(algorithm).is_some() && present == 0;
                let cause = if lost { Cause::Dropped } else { Cause::NotRun };
                let gap = gaps.entry((algorithm, cause, None)).or_insert_with(|| Gap {
                    algorithm,
                    cause,
                    reason: None,
                    count: 0,
                    projects: BTreeSet::new(),
                    runs: Vec::new(),
                });
                gap.count += absent;
                gap.projects.insert(project);
            }
        }
        let gaps: Vec<Gap> = gaps.into_values().collect();
        let planned = covered + gaps.iter().map(|gap| gap.count).sum::<usize>();
        Missing { planned, covered, gaps, skipped: results.skipped.clone() }
    }
}
