//! Studies that end when their comparisons need no more seeds: the seeds are executed in rounds.
//!
//! Each round is a separate plan with the algorithms whose comparisons still need seeds.

use std::collections::HashMap;
use std::ops::ControlFlow;

use catherd_analysis::findings::{Looks, Round, Sequential};
use catherd_experiments::{Digest, Plan, Stop};

use crate::race::Rounds;
use crate::stored::RunResult;

/// Executes the rounds of a study until no pair of algorithms needs more seeds, all seeds have been
/// used, or the study is stopped.
///
/// # Errors
/// If a round cannot be executed, or its results cannot be read.
pub fn run<R: Rounds>(
    runner: &mut R,
    plan: &Plan,
    stop: Stop,
) -> Result<ControlFlow<R::Stopped>, R::Error> {
    let mut seeds = plan.seeds.clone();
    seeds.sort_unstable();
    let places: HashMap<Digest, usize> =
        plan.projects.iter().enumerate().map(|(at, project)| (project.digest, at)).collect();
    let labels: HashMap<&str, usize> =
        plan.algorithms.iter().enumerate().map(|(at, one)| (one.label.as_str(), at)).collect();
    let empty = vec![vec![None; plan.projects.len()]; plan.algorithms.len()];
    let mut found = Sequential::new(plan.algorithms.len(), Looks::of_stop(stop, seeds.len()));
    let mut active: Vec<usize> = (0..plan.algorithms.len()).collect();
    for (number, range) in stop.rounds(seeds.len()).enumerate() {
        let round = plan.seed_round(number + 1, &active, seeds[range.clone()].to_vec());
        let name = round.name.clone();
        if let ControlFlow::Break(stopped) = runner.run(round)? {
            return Ok(ControlFlow::Break(stopped));
        }
        let mut rounds: Vec<Round> = range.clone().map(|_| empty.clone()).collect();
        runner.results(&name, &mut |result| {
            let RunResult::Record(record) = result else { return };
            let (spec, record) = *record;
            let seed = seeds[range.clone()].binary_search(&spec.seed).ok();
            let place = places.get(&spec.project).copied();
            let algorithm = labels.get(spec.algorithm.label.as_str()).copied();
            if let (Some(seed), Some(place), Some(algorithm)) = (seed, place, algorithm) {
                rounds[seed][algorithm][place] = record.coverage();
            }
        })?;
        rounds.iter().for_each(|round| found.push(round));
        if range.end == seeds.len() || active.len() < 2 {
            continue;
        }
        let rest = found.active();
        if rest.len() < active.len() {
            let ended = active.iter().filter(|one| !rest.contains(one));
            let labels = ended.map(|&one| plan.algorithms[one].label.as_str()).collect();
            runner.report_decided(labels, rest.len(), range.end, seeds.len());
        }
        if rest.is_empty() {
            break;
        }
        active = rest;
    }
    runner.tables().end_race();
    Ok(ControlFlow::Continue(()))
}
