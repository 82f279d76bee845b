//! The necessary size of a study, computed from the variation of results.

use crate::comparison::{MIN_SAMPLE, Samples};
use crate::stats::{Power, mean};

use super::decision::MARGIN;

/// The variation of the difference between two algorithms over projects and over runs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PairVariation {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// Number of projects on which both algorithms have at least two runs.
    pub projects: usize,
    /// Mean number of runs of an algorithm on a project.
    pub runs: f64,
    /// Mean difference in mean coverage, in -1..=1.
    pub difference: f64,
    /// Estimated variance over projects of the true differences in mean coverage, at least 0.
    pub between: f64,
    /// Mean over projects of the sum of the variances of single runs of both algorithms.
    pub within: f64,
}

impl PairVariation {
    /// The variation of each pair of algorithms that both have at least two runs on at least two
    /// projects. Each algorithm is paired with each earlier algorithm.
    pub fn all(samples: &Samples) -> Vec<PairVariation> {
        let pairs = (1..samples.algorithms())
            .flat_map(|first| (0..first).map(move |second| (first, second)));
        pairs.filter_map(|(first, second)| PairVariation::new(samples, first, second)).collect()
    }

    fn new(samples: &Samples, first: usize, second: usize) -> Option<PairVariation> {
        let of = |project: usize, algorithm: usize| {
            let values = samples.values(project, algorithm);
            let centre = mean(values.iter().copied()).filter(|_| values.len() > 1)?;
            let squares: f64 = values.iter().map(|v| (v - centre) * (v - centre)).sum();
            Some((centre, squares / (values.len() - 1) as f64, values.len() as f64))
        };
        let cells: Vec<[(f64, f64, f64); 2]> = (0..samples.projects())
            .filter_map(|project| Some([of(project, first)?, of(project, second)?]))
            .collect();
        let n = cells.len() as f64;
        if cells.len() < 2 {
            return None;
        }
        let differences: Vec<f64> = cells.iter().map(|[a, b]| a.0 - b.0).collect();
        let difference = mean(differences.iter().copied())?;
        let squares: f64 = differences.iter().map(|d| (d - difference) * (d - difference)).sum();
        let noise = mean(cells.iter().map(|[a, b]| a.1 / a.2 + b.1 / b.2))?;
        Some(PairVariation {
            first,
            second,
            projects: cells.len(),
            runs: mean(cells.iter().flat_map(|cell| cell.map(|one| one.2)))?,
            difference,
            between: (squares / (n - 1.0) - noise).max(0.0),
            within: mean(cells.iter().map(|[a, b]| a.1 + b.1))?,
        })
    }

    fn deviation(&self, runs: f64) -> f64 {
        (self.between + self.within / runs).sqrt()
    }

    /// The number of projects with which a mean difference is found with a probability of 80 %, for
    /// this many runs of each algorithm on a project.
    pub fn projects_for(&self, difference: f64, runs: f64) -> Option<usize> {
        let deviation = self.deviation(runs);
        if deviation == 0.0 {
            return Some(MIN_SAMPLE);
        }
        Power::default().projects_at_least(difference / deviation, MIN_SAMPLE)
    }

    /// The mean difference that is found with a probability of 80 % on this many projects with this
    /// many runs.
    pub fn detectable(&self, projects: usize, runs: f64) -> Option<f64> {
        if projects < MIN_SAMPLE {
            return None;
        }
        Some(Power::default().detectable(projects)? * self.deviation(runs))
    }

    /// The probability of finding a difference as large as the margin of equivalence on these
    /// projects.
    pub fn power(&self) -> f64 {
        let deviation = self.deviation(self.runs) / (self.projects as f64).sqrt();
        if deviation == 0.0 { 1.0 } else { Power::default().of(MARGIN / deviation) }
    }
}

/// The smallest A12 above 1/2 that the Mann-Whitney U test finds with a probability of 80 % with
/// this many runs of each algorithm on a project.
pub fn detectable_a12(runs: usize) -> Option<f64> {
    (501..=1_000)
        .map(|n| f64::from(n) / 1_000.0)
        .find(|&a12| Power::default().runs(a12).is_some_and(|needed| needed <= runs))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_projects_and_more_runs_find_smaller_differences() {
        let pair = PairVariation {
            first: 1,
            second: 0,
            projects: 14,
            runs: 5.0,
            difference: 0.02,
            between: 0.0025,
            within: 0.02,
        };
        let few = pair.detectable(14, 5.0).unwrap();
        assert!(pair.detectable(56, 5.0).unwrap() < few * 0.55);
        assert!(pair.detectable(14, 500.0).unwrap() < few);
        assert_eq!(pair.detectable(5, 30.0), None);
        let needed = pair.projects_for(few, 5.0).unwrap();
        assert!((13..=15).contains(&needed), "{needed}");
        assert!(pair.projects_for(0.01, 5.0).unwrap() > 300);
        assert!((0.7..0.73).contains(&detectable_a12(30).unwrap()));
        assert_eq!(detectable_a12(3), None);
    }
}
