//! Relations between coverage and numbers that describe projects (Pynguin paper, figures 4 and 5).

use crate::comparison::{LEVEL, Samples};
use crate::stats::{
    Correlation, Interval, LinearFit, Unavailable, mean, pearson, spearman, student_quantile,
};

/// The relation between an algorithm's mean coverage on projects and a number that describes the
/// projects.
#[derive(Clone, Debug, PartialEq)]
pub struct Relation {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The projects with a coverage and a number, as indices into
    /// [`Results::projects`](crate::tidy::Results::projects).
    pub projects: Vec<usize>,
    /// The number and the mean coverage of each project.
    pub points: Vec<(f64, f64)>,
    /// Linear correlation.
    pub pearson: Result<Correlation, Unavailable>,
    /// Rank correlation.
    pub spearman: Result<Correlation, Unavailable>,
    /// The least-squares line.
    pub line: Result<LinearFit, Unavailable>,
    /// The runs from which the points were computed.
    pub runs: Vec<u32>,
}

impl Relation {
    /// The interval of the slope of the line at level 1 - [`LEVEL`], from Student's t distribution.
    pub fn slope_interval(&self) -> Option<Interval> {
        let line = self.line.ok()?;
        let freedom = self.points.len().checked_sub(2).filter(|freedom| *freedom > 0)?;
        let half = student_quantile(LEVEL, freedom) * line.slope_error;
        Some(Interval { low: line.slope - half, high: line.slope + half })
    }

    /// Returns a value for each algorithm. `measure` contains, for each run, the number that
    /// describes its project, as returned by [`Results::measure`](crate::tidy::Results::measure).
    pub fn all(samples: &Samples, measure: &[Option<f64>]) -> Vec<Relation> {
        let one = |algorithm| {
            let mut relation = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
            for project in 0..samples.projects() {
                let runs = samples.runs(project, algorithm);
                let measured = mean(runs.iter().filter_map(|&run| measure[run as usize]));
                let covered = mean(samples.values(project, algorithm).iter().copied());
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
