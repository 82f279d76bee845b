//! A race: round by round, without the configurations that have lost.
//!
//! Each round is a plan of its own in the study's store, so that a race that was interrupted
//! goes on like any study: rounds that have ended answer at once, and what was dropped after them
//! is dropped again.

use std::collections::HashMap;

use catherd_analysis::race::inferior;
use catherd_analysis::tidy::Dropped;
use catherd_experiments::{Digest, Plan, Race};

use super::Field;
use super::results::{self, RunResult};
use crate::failure::Failure;
use crate::terminal;

/// What came of the runs of a race, and which configurations lost it; none if it was stopped.
type Raced<I> = Option<(std::iter::Flatten<std::vec::IntoIter<I>>, Vec<Dropped>)>;

pub(super) fn run(
    field: &Field<'_>,
    plan: &Plan,
    race: Race,
) -> Result<Raced<impl Iterator<Item = Result<RunResult, Failure>> + use<>>, Failure> {
    let mut left: Vec<usize> = (0..plan.algorithms.len()).collect();
    let (mut ends, mut dropped) = (Vec::new(), Vec::new());
    // Mean coverage on each project so far; none where a configuration has no coverage.
    let mut blocks: Vec<Vec<Option<f64>>> = Vec::new();
    for (number, projects) in race.rounds(plan.projects.len()).enumerate() {
        // Nothing is left to be found out about one alone.
        if left.len() < 2 {
            break;
        }
        let last = projects.end == plan.projects.len();
        let round = plan.round(number + 1, &left, projects.clone());
        let name = round.name.clone();
        let Some(coordinator) = field.run(round)? else { return Ok(None) };
        let means = Means::of(results::run_results(&coordinator, &name)?)?;
        ends.push(results::run_results(&coordinator, &name)?);
        for project in &plan.projects[projects.clone()] {
            let of = |&a: &usize| means.get(project.digest, &plan.algorithms[a].label);
            blocks.push(left.iter().map(of).collect());
        }
        if last {
            continue;
        }
        let worse = inferior(&blocks, race.level);
        for configuration in &worse {
            let label = &plan.algorithms[left[configuration.index]].label;
            terminal::note(&format!(
                "{label} is dropped after {} projects: mean rank {:.2}, the best has {:.2}",
                projects.end, configuration.mean_rank, configuration.best_mean_rank
            ));
            dropped.push(Dropped {
                algorithm: label.clone(),
                projects: projects.end as u32,
                mean_rank: configuration.mean_rank,
                best_mean_rank: configuration.best_mean_rank,
                p: configuration.p,
            });
        }
        let stays = |index: &usize| worse.iter().all(|configuration| configuration.index != *index);
        let staying: Vec<usize> = (0..left.len()).filter(stays).collect();
        for block in &mut blocks {
            *block = staying.iter().map(|&index| block[index]).collect();
        }
        left = staying.iter().map(|&index| left[index]).collect();
    }
    Ok(Some((ends.into_iter().flatten(), dropped)))
}

/// Mean coverage by project and algorithm.
struct Means(HashMap<(Digest, String), (f64, u32)>);

impl Means {
    fn of(ends: impl Iterator<Item = Result<RunResult, Failure>>) -> Result<Means, Failure> {
        let mut means = HashMap::new();
        for end in ends {
            let RunResult::Record(record) = end? else { continue };
            let (spec, record) = *record;
            if let Some(coverage) = record.coverage() {
                let of = (spec.project, spec.algorithm.label);
                let (sum, runs) = means.entry(of).or_insert((0.0, 0));
                *sum += coverage;
                *runs += 1;
            }
        }
        Ok(Means(means))
    }

    fn get(&self, project: Digest, algorithm: &str) -> Option<f64> {
        let (sum, runs) = self.0.get(&(project, algorithm.to_owned()))?;
        Some(sum / f64::from(*runs))
    }
}
