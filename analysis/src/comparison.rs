//! Which algorithm is better, on how many projects, and how much.
//!
//! The comparison of the Whisker paper, section 7.3 and Table 6. Its columns nest:
//! *significantly better* projects are among the *better* ones, and *better*, *equal*
//! and *worse* add up to all projects (146 of 174, and 174 + 727 + 82 = 983, in the
//! table's first row). The paper does not say by what a project is better; here it is
//! A12 above 1/2, the measure that the Mann-Whitney test is about, so that no project
//! can be significantly better without being better.
//!
//! A run that is missing, or did not end properly, is missing: it is no 0 % coverage.
//! A project counts in a comparison if each algorithm has a run on it.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::stats::{MannWhitney, PValue, smallest_p};
use crate::tidy::Results;

/// The level of significance of the Whisker paper.
pub const LEVEL: f64 = 0.05;

/// Coverages by project and algorithm.
#[derive(Clone, Debug)]
pub struct Samples {
    algorithms: usize,
    /// Row by row: the algorithms of project 0, of project 1, ...
    cells: Vec<Vec<f64>>,
}

impl Samples {
    /// The coverage of every run that has one.
    pub fn coverage(results: &Results) -> Samples {
        let algorithms = results.algorithms.len();
        let mut cells = vec![Vec::new(); algorithms * results.projects.len()];
        for run in &results.runs {
            if let Some(coverage) = run.coverage() {
                cells[run.project as usize * algorithms + run.algorithm as usize].push(coverage);
            }
        }
        Samples { algorithms, cells }
    }

    /// The sample of an algorithm on a project, empty if every run is missing.
    pub fn of(&self, project: usize, algorithm: usize) -> &[f64] {
        &self.cells[project * self.algorithms + algorithm]
    }

    /// The number of projects.
    pub fn projects(&self) -> usize {
        self.cells.len().checked_div(self.algorithms).unwrap_or(0)
    }

    /// Whether a project has runs of every algorithm that has any.
    pub fn complete(&self, project: usize) -> bool {
        (0..self.algorithms)
            .all(|algorithm| !self.of(project, algorithm).is_empty() || !self.ran(algorithm))
    }

    fn ran(&self, algorithm: usize) -> bool {
        (0..self.projects()).any(|project| !self.of(project, algorithm).is_empty())
    }
}

/// Two algorithms on one project.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Duel {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Runs of the first and of the second algorithm.
    pub runs: (usize, usize),
    /// Vargha-Delaney effect size: above 1/2 if the first covers more.
    pub a12: f64,
    /// Mann-Whitney U of the first.
    pub u1: f64,
    /// Two-sided p-value of no difference.
    pub p: PValue,
}

impl Duel {
    /// Whether the first covers more, the same or less.
    pub fn ordering(&self) -> Ordering {
        self.a12.total_cmp(&0.5)
    }

    /// Whether chance alone is an unlikely reason (p below [`LEVEL`]).
    pub fn significant(&self) -> bool {
        self.p.value < LEVEL
    }

    /// Whether samples of these sizes could have been significant at all.
    pub fn could_be_significant(&self) -> bool {
        smallest_p(self.runs.0, self.runs.1) < LEVEL
    }
}

/// Two algorithms on all projects: a row of Table 6.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Index into [`Results::algorithms`].
    pub first: usize,
    /// Index into [`Results::algorithms`].
    pub second: usize,
    /// The projects on which both have runs.
    pub duels: Vec<Duel>,
    /// Projects on which one of them has none.
    pub missing: usize,
}

/// Numbers of projects on which the first of two algorithms is ...
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// ... significantly better; these are among the better ones.
    pub significantly_better: usize,
    /// ... better.
    pub better: usize,
    /// ... equal.
    pub equal: usize,
    /// ... worse.
    pub worse: usize,
    /// ... significantly worse; these are among the worse ones.
    pub significantly_worse: usize,
}

impl Comparison {
    /// Compares two algorithms on every project.
    pub fn new(samples: &Samples, first: usize, second: usize) -> Comparison {
        let duels: Vec<Duel> = (0..samples.projects())
            .into_par_iter()
            .filter_map(|project| {
                let (x, y) = (samples.of(project, first), samples.of(project, second));
                // Coverages are numbers, so only an empty sample has no test.
                let test = MannWhitney::new(x, y).ok()?;
                Some(Duel {
                    project,
                    runs: (x.len(), y.len()),
                    a12: test.a12(),
                    u1: test.u1(),
                    p: test.p(),
                })
            })
            .collect();
        let missing = samples.projects() - duels.len();
        Comparison { first, second, duels, missing }
    }

    /// Each pair of algorithms once, a later one of the study against each earlier
    /// one: given random, MOSA, MIO these are the rows of the Whisker paper.
    pub fn pairs(samples: &Samples) -> Vec<Comparison> {
        let later = 1..samples.algorithms;
        later
            .flat_map(|first| (0..first).map(move |second| (first, second)))
            .map(|(first, second)| Comparison::new(samples, first, second))
            .collect()
    }

    /// The mean effect size over projects; none without projects.
    pub fn mean_a12(&self) -> Option<f64> {
        mean(self.duels.iter().map(|duel| duel.a12))
    }

    /// The counts of Table 6.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::default();
        for duel in &self.duels {
            match duel.ordering() {
                Ordering::Greater => {
                    counts.better += 1;
                    counts.significantly_better += usize::from(duel.significant());
                }
                Ordering::Equal => counts.equal += 1,
                Ordering::Less => {
                    counts.worse += 1;
                    counts.significantly_worse += usize::from(duel.significant());
                }
            }
        }
        counts
    }

    /// Projects with so few runs that no difference could be significant.
    pub fn too_few_runs(&self) -> usize {
        self.duels.iter().filter(|duel| !duel.could_be_significant()).count()
    }
}

/// How much an algorithm covers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanCoverage {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Runs with a coverage.
    pub runs: usize,
    /// Projects with such a run.
    pub projects: usize,
    /// Mean over these projects of the mean over their runs, in 0..=1; none without
    /// runs.
    pub mean: Option<f64>,
    /// The same over the projects on which every algorithm has a run: only these
    /// means can be compared where runs are missing.
    pub common: Option<f64>,
}

impl MeanCoverage {
    /// One for each algorithm.
    pub fn all(samples: &Samples) -> Vec<MeanCoverage> {
        (0..samples.algorithms)
            .map(|algorithm| {
                let over = |keep: &dyn Fn(usize) -> bool| {
                    let kept = (0..samples.projects()).filter(|&project| keep(project));
                    mean(kept.filter_map(|p| mean(samples.of(p, algorithm).iter().copied())))
                };
                let sizes = (0..samples.projects()).map(|p| samples.of(p, algorithm).len());
                MeanCoverage {
                    algorithm,
                    runs: sizes.clone().sum(),
                    projects: sizes.filter(|&n| n > 0).count(),
                    mean: over(&|_| true),
                    common: over(&|project| samples.complete(project)),
                }
            })
            .collect()
    }
}

/// The arithmetic mean; none of nothing.
pub(crate) fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0_u64);
    for value in values {
        sum += value;
        n += 1;
    }
    (n > 0).then(|| sum / n as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(projects: &[[&[f64]; 2]]) -> Samples {
        let cells = projects.iter().flatten().map(|s| s.to_vec()).collect();
        Samples { algorithms: 2, cells }
    }

    #[test]
    fn columns_nest_and_missing_runs_are_missing() {
        let samples = samples(&[
            [&[0.1; 5], &[0.9; 5]],
            [&[0.1, 0.9, 0.5], &[0.1, 0.9, 0.6]],
            [&[1.0; 5], &[1.0; 5]],
            [&[0.5; 5], &[0.4, 0.4, 0.4, 0.6, 0.6]],
            [&[], &[0.5; 5]],
        ]);
        let [row] = &Comparison::pairs(&samples)[..] else { panic!("one pair") };
        assert_eq!((row.first, row.second, row.missing, row.too_few_runs()), (1, 0, 1, 1));
        let expected = Counts {
            significantly_better: 1,
            better: 2,
            equal: 1,
            worse: 1,
            significantly_worse: 0,
        };
        assert_eq!(row.counts(), expected);
        let a12 = (1.0 + 5.0 / 9.0 + 0.5 + 0.4) / 4.0;
        assert!((row.mean_a12().unwrap() - a12).abs() < 1e-15);
        // The other way round everything mirrors.
        let back = Comparison::new(&samples, 0, 1);
        let mirrored = Counts {
            significantly_better: 0,
            better: 1,
            equal: 1,
            worse: 2,
            significantly_worse: 1,
        };
        assert_eq!(back.counts(), mirrored);
        assert!((back.mean_a12().unwrap() - (1.0 - a12)).abs() < 1e-15);
    }

    #[test]
    fn means_weigh_projects_not_runs() {
        let samples = samples(&[[&[1.0; 9], &[0.5]], [&[0.0], &[]]]);
        let means = MeanCoverage::all(&samples);
        assert_eq!((means[0].mean, means[0].common), (Some(0.5), Some(1.0)));
        assert_eq!((means[1].mean, means[1].common), (Some(0.5), Some(0.5)));
        assert_eq!((means[0].runs, means[0].projects), (10, 2));
        assert_eq!((means[1].runs, means[1].projects), (1, 1));
    }

    #[test]
    fn nothing_to_compare_has_no_mean() {
        let samples = samples(&[[&[], &[]]]);
        assert_eq!(Comparison::pairs(&samples)[0].mean_a12(), None);
        assert_eq!(MeanCoverage::all(&samples)[0].mean, None);
    }
}
