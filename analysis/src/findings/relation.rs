//! Whether coverage depends on what a project is like (Pynguin paper, figures 4 and 5).

use crate::comparison::Samples;
use crate::stats::{Correlation, LinearFit, Unavailable, mean, pearson, spearman};

/// Mean coverage of an algorithm on projects, against a measure of them.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The projects that have both: indices into
    /// [`Results::projects`](crate::tidy::Results::projects).
    pub projects: Vec<usize>,
    /// The measure of each, and its mean coverage.
    pub points: Vec<(f64, f64)>,
    /// How linear the relation is.
    pub pearson: Result<Correlation, Unavailable>,
    /// How monotonic it is.
    pub spearman: Result<Correlation, Unavailable>,
    /// The line through the points.
    pub line: Result<LinearFit, Unavailable>,
    /// The runs behind the points.
    pub runs: Vec<u32>,
}

impl Relation {
    /// One for each algorithm; `measure` has a value for each run that has one, as
    /// [`Results::measure`](crate::tidy::Results::measure) gives.
    pub fn all(samples: &Samples, measure: &[Option<f64>]) -> Vec<Relation> {
        let one = |algorithm| {
            let mut relation = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for project in 0..samples.projects() {
                let runs = samples.runs(project, algorithm);
                // Of a project, so its runs agree unless they are of different tools.
                let measured = mean(runs.iter().filter_map(|&run| measure[run as usize]));
                let covered = mean(samples.of(project, algorithm).iter().copied());
                if let (Some(x), Some(y)) = (measured, covered) {
                    relation.0.push(project);
                    relation.1.push(x);
                    relation.2.push(y);
                    relation.3.extend_from_slice(runs);
                }
            }
            let (projects, x, y, runs) = relation;
            Relation {
                algorithm,
                projects,
                pearson: pearson(&x, &y),
                spearman: spearman(&x, &y),
                line: LinearFit::new(&x, &y),
                points: x.into_iter().zip(y).collect(),
                runs,
            }
        };
        (0..samples.algorithms()).map(one).collect()
    }
}
