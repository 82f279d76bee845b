//! Races: runs are executed in rounds, and each round leaves out the configurations that have lost.
//!
//! Each round is a separate plan in the store, so an interrupted race continues like any study.

use std::collections::HashMap;
use std::ops::ControlFlow;

use catherd_analysis::race::inferior;
use catherd_analysis::tidy::Dropped;
use catherd_experiments::{Digest, Plan, Race};

use crate::stored::RunResult;
use crate::tables::StudyTables;

/// Executes the rounds of a study, or finds their results.
pub trait Rounds {
    /// The error of a round that cannot be executed.
    type Error;

    /// The reason why a round was stopped.
    type Stopped;

    /// Executes a round until all its runs have ended or the round is stopped.
    ///
    /// # Errors
    /// If the round cannot be executed.
    fn run(&mut self, round: Plan) -> Result<ControlFlow<Self::Stopped>, Self::Error>;

    /// Calls `take` with the results of a round that has ended.
    ///
    /// # Errors
    /// If the results cannot be read.
    fn results(&mut self, round: &str, take: &mut dyn FnMut(RunResult)) -> Result<(), Self::Error>;

    /// Reports that these algorithms need no more seeds. `rest` is the number of algorithms that
    /// need more, `seeds` the number of executed seeds, and `all` the number of all seeds.
    fn report_decided(&mut self, algorithms: Vec<&str>, rest: usize, seeds: usize, all: usize);

    /// Reports that a configuration was dropped.
    fn report(&mut self, dropped: &Dropped);

    /// The tables of the whole study.
    fn tables(&mut self) -> &mut StudyTables;
}

/// Executes a race until only one configuration is left, all projects have been used, or the race
/// is stopped.
///
/// # Errors
/// If a round cannot be executed, or its results cannot be read.
pub fn run<R: Rounds>(
    runner: &mut R,
    plan: &Plan,
    race: Race,
) -> Result<ControlFlow<R::Stopped>, R::Error> {
    let mut left: Vec<usize> = (0..plan.algorithms.len()).collect();
    let mut blocks: Vec<Vec<Option<f64>>> = Vec::new();
    for (number, projects) in race.rounds(plan.projects.len()).enumerate() {
        if left.len() < 2 {
            break;
        }
        let last = projects.end == plan.projects.len();
        let round = plan.round(number + 1, &left, projects.clone());
        let name = round.name.clone();
        if let ControlFlow::Break(stopped) = runner.run(round)? {
            return Ok(ControlFlow::Break(stopped));
        }
        let mut means = MeanCoverage::default();
        runner.results(&name, &mut |result| means.add(result))?;
        for project in &plan.projects[projects.clone()] {
            let mean = |&a: &usize| means.get(project.digest, &plan.algorithms[a].label);
            blocks.push(left.iter().map(mean).collect());
        }
        if last {
            continue;
        }
        let worse = inferior(&blocks, race.level);
        let mut dropped = Vec::new();
        for configuration in &worse {
            let lost = Dropped {
                algorithm: plan.algorithms[left[configuration.index]].label.clone(),
                projects: projects.end as u32,
                mean_rank: configuration.mean_rank,
                best_mean_rank: configuration.best_mean_rank,
                p: configuration.p,
            };
            runner.report(&lost);
            dropped.push(lost);
        }
        runner.tables().add_dropped(dropped);
        let stays = |index: &usize| worse.iter().all(|configuration| configuration.index != *index);
        let staying: Vec<usize> = (0..left.len()).filter(stays).collect();
        for block in &mut blocks {
            *block = staying.iter().map(|&index| block[index]).collect();
        }
        left = staying.iter().map(|&index| left[index]).collect();
    }
    runner.tables().end_race();
    Ok(ControlFlow::Continue(()))
}

/// Sum of coverages and number of runs, by project and algorithm.
#[derive(Default)]
struct MeanCoverage(HashMap<(Digest, String), (f64, u32)>);

impl MeanCoverage {
    fn add(&mut self, result: RunResult) {
        let RunResult::Record(record) = result else { return };
        let (spec, record) = *record;
        if let Some(coverage) = record.coverage() {
            let (sum, runs) =
                self.0.entry((spec.project, spec.algorithm.label)).or_insert((0.0, 0));
            *sum += coverage;
            *runs += 1;
        }
    }

    fn get(&self, project: Digest, algorithm: &str) -> Option<f64> {
        let (sum, runs) = self.0.get(&(project, algorithm.to_owned()))?;
        Some(sum / f64::from(*runs))
    }
}
