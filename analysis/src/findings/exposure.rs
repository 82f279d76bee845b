//! Exposure of faults: the time until runs expose each fault, from the metrics `faults` and
//! `exposed_ms.FAULT` of external tools.

use std::collections::BTreeMap;

use crate::stats::{Contingency, Interval, Observation, Survival, holm, log_rank};
use crate::tidy::{Clock, Error, Results};

/// Runs without this metric are left out, because they report neither faults nor their absence.
const FAULTS: &str = "faults";

const EXPOSED: &str = "exposed_ms.";

/// The time until runs of an algorithm on a project expose a fault. A run that does not expose the
/// fault is censored at the end of its search.
#[derive(Clone, Debug, PartialEq)]
pub struct Exposure {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// The identity of the fault.
    pub fault: String,
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// The Kaplan-Meier estimate, with times in milliseconds.
    pub survival: Survival,
    /// Wilson interval, at level 0.95, of the share of runs that expose the fault.
    pub interval: Option<Interval>,
    /// P-value of the log-rank test against the first algorithm with runs on the project.
    pub p: Option<f64>,
    /// The p-value with Holm's correction over all projects, faults and algorithms.
    pub adjusted: Option<f64>,
    /// The runs.
    pub runs: Vec<u32>,
    observations: Vec<Observation>,
}

impl Exposure {
    /// Returns a value for each project, fault and algorithm, in this order.
    ///
    /// # Errors
    /// [`Error`] if the tables cannot be read.
    pub fn all(results: &Results) -> Result<Vec<Exposure>, Error> {
        let metrics = results.metrics(|name| name == FAULTS || name.starts_with(EXPOSED))?;
        let Some(looking) = metrics.get(FAULTS) else { return Ok(Vec::new()) };
        let mut observed: BTreeMap<(usize, usize), Vec<(u32, f64)>> = BTreeMap::new();
        for (number, run) in results.runs.iter().enumerate() {
            let end = results.spent(number, &Clock::Wall);
            if let (Some(_), Some(end)) = (looking[number], end) {
                let key = (run.project as usize, run.algorithm as usize);
                observed.entry(key).or_default().push((number as u32, end as f64));
            }
        }
        let mut all = Vec::new();
        for (name, exposed) in metrics.iter().filter(|(name, _)| *name != FAULTS) {
            let mut projects: Vec<usize> = results
                .runs
                .iter()
                .zip(exposed)
                .filter(|(_, value)| value.is_some())
                .map(|(run, _)| run.project as usize)
                .collect();
            projects.sort_unstable();
            projects.dedup();
            let of_project = |&(key, _): &(&(usize, usize), _)| projects.contains(&key.0);
            for (&(project, algorithm), runs) in observed.iter().filter(of_project) {
                let observations: Vec<Observation> = runs
                    .iter()
                    .map(|&(run, end)| match exposed[run as usize] {
                        Some(time) => Observation { time, event: true },
                        None => Observation { time: end, event: false },
                    })
                    .collect();
                let Ok(survival) = Survival::of(&observations) else { continue };
                let (events, count) = (survival.events as u64, survival.observations as u64);
                all.push(Exposure {
                    project,
                    fault: name[EXPOSED.len()..].to_owned(),
                    algorithm,
                    survival,
                    interval: Contingency::wilson(events, count, 0.95),
                    p: None,
                    adjusted: None,
                    runs: runs.iter().map(|run| run.0).collect(),
                    observations,
                });
            }
        }
        let key = |one: &Exposure| (one.project, one.fault.clone(), one.algorithm);
        all.sort_by_key(key);
        compare(&mut all);
        Ok(all)
    }

    /// The Kaplan-Meier estimate of each algorithm over all faults of all projects together.
    pub fn pooled(all: &[Exposure], algorithms: usize) -> Vec<Option<Survival>> {
        let of = |algorithm: usize| {
            let rows = all.iter().filter(move |row| row.algorithm == algorithm);
            rows.flat_map(|row| &row.observations).copied().collect::<Vec<_>>()
        };
        (0..algorithms).map(|algorithm| Survival::of(&of(algorithm)).ok()).collect()
    }

    /// The longest time of an observation, in milliseconds.
    pub fn longest(all: &[Exposure]) -> f64 {
        let times = all.iter().flat_map(|row| &row.observations).map(|one| one.time);
        times.fold(0.0, f64::max)
    }
}

fn compare(all: &mut [Exposure]) {
    for rows in all.chunk_by_mut(|a, b| (a.project, &a.fault) == (b.project, &b.fault)) {
        let Some((first, others)) = rows.split_first_mut() else { continue };
        for row in others {
            row.p = log_rank(&row.observations, &first.observations).ok().map(|test| test.1);
        }
    }
    let tested: Vec<usize> = (0..all.len()).filter(|&number| all[number].p.is_some()).collect();
    let values: Vec<f64> = tested.iter().filter_map(|&number| all[number].p).collect();
    for (number, p) in tested.into_iter().zip(holm(&values).unwrap_or_default()) {
        all[number].adjusted = Some(p);
    }
}
