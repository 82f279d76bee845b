//! Races.

use std::collections::BTreeSet;

use super::{Figure, sample_size};
use crate::figure::race::{Racer, draw};
use crate::tidy::Results;

/// The number of projects on which each configuration of a race was run.
pub fn race(results: &Results) -> Option<Figure> {
    if results.dropped.is_empty() {
        return None;
    }
    let mut projects = vec![BTreeSet::new(); results.algorithms.len()];
    for run in &results.runs {
        projects[run.algorithm as usize].insert(run.project);
    }
    let racers = projects.iter().enumerate().map(|(algorithm, projects)| Racer {
        label: results.algorithms[algorithm].clone(),
        series: results.series(algorithm),
        projects: projects.len(),
        dropped: results.lost(algorithm).is_some(),
    });
    Some(Figure {
        name: "race".to_owned(),
        title: "Race".to_owned(),
        caption: format!(
            "Number of projects on which each configuration was run until it was dropped or the \
             race ended. {} of {} configurations were not dropped.",
            results.algorithms.len() - results.dropped.len(),
            results.algorithms.len()
        ),
        svg: draw(racers.collect(), &sample_size(results.projects.len(), "project")),
    })
}
