//! Races.

use super::{Figure, note};
use crate::figure::race::{Lane, draw};
use crate::tidy::Results;

/// How far each configuration came in a race; none if none was dropped.
pub fn race(results: &Results) -> Option<Figure> {
    if results.dropped.is_empty() {
        return None;
    }
    let mut seen = vec![std::collections::BTreeSet::new(); results.algorithms.len()];
    for run in &results.runs {
        seen[run.algorithm as usize].insert(run.project);
    }
    let lanes = seen.iter().enumerate().map(|(algorithm, projects)| Lane {
        label: results.algorithms[algorithm].clone(),
        projects: projects.len(),
        dropped: results.lost(algorithm).is_some(),
    });
    Some(Figure {
        name: "race".to_owned(),
        title: "Race".to_owned(),
        caption: format!(
            "Projects that each configuration was run on before it was dropped, or to the end: \
             {} of {} are left.",
            results.algorithms.len() - results.dropped.len(),
            results.algorithms.len()
        ),
        svg: draw(lanes.collect(), &note(results.projects.len(), "project")),
    })
}
