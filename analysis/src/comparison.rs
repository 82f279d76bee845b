//! Comparison of algorithms on each project: effect sizes, tests, and counts of projects.
//!
//! The comparison follows the Whisker paper, section 7.3 and Table 6. An algorithm is *better* on a
//! project if A12 is above 1/2. Runs without a value are left out.

use std::cmp::Ordering;

use rayon::prelude::*;

use crate::stats::{
    Bootstrap, Convention, Interval, Magnitude, MannWhitney, PValue, Unavailable,
    benjamini_hochberg, holm, mean, smallest_p,
};
use crate::tidy::{Results, Run};

/// The level of significance of the Whisker paper.
pub const LEVEL: f64 = 0.05;

/// Minimum number of projects or runs for most statistics. With fewer pairs, paired tests cannot be
/// significant.
pub const MIN_SAMPLE: usize = 6;

pub(crate) fn enough(found: usize) -> Result<(), Unavailable> {
    if found < MIN_SAMPLE {
        return Err(Unavailable::TooFew { needed: MIN_SAMPLE, found });
    }
    Ok(())
}

/// Maximum number of algorithms for which [`Comparison::pairs`] compares every pair.
pub const MAX_ALL_COMPARED: usize = 16;

/// Values of runs by project and algorithm, with the run of each value.
#[derive(Clone, Debug)]
pub struct Samples {
    algorithms: usize,
    cells: Vec<Sample>,
}

#[derive(Clone, Debug, Default)]
struct Sample {
    values: Vec<f64>,
    /// Indices into [`Results::runs`], in the order of the values.
    runs: Vec<u32>,
}

impl Samples {
    /// The coverage of every run with a coverage.
    pub fn coverage(results: &Results) -> Samples {
        Samples::of_measure(results, |_, run| run.coverage())
    }

    /// The values that `measure` returns for the index of a run and the run.
    pub fn of_measure(results: &Results, measure: impl Fn(usize, &Run) -> Option<f64>) -> Samples {
        let algorithms = results.algorithms.len();
        let mut cells = vec![Sample::default(); algorithms * results.projects.len()];
        for (number, run) in results.runs.iter().enumerate() {
            if let Some(value) = measure(number, run) {
                let cell = &mut cells[run.project as usize * algorithms + run.algorithm as usize];
                cell.values.push(value);
                cell.runs.push(number as u32);
            }
        }
        Samples { algorithms, cells }
    }

    /// Keeps the values on the projects on which every algorithm has at least `runs` values
    /// (Pynguin paper, section 4.1.3).
    #[must_use]
    pub fn complete_cases(&self, runs: usize) -> Samples {
        let mut complete = self.clone();
        for row in complete.cells.chunks_mut(self.algorithms.max(1)) {
            if row.iter().any(|cell| cell.values.len() < runs) {
                row.fill(Sample::default());
            }
        }
        complete
    }

    fn cell(&self, project: usize, algorithm: usize) -> &Sample {
        &self.cells[project * self.algorithms + algorithm]
    }

    /// The values of an algorithm on a project.
    pub fn values(&self, project: usize, algorithm: usize) -> &[f64] {
        &self.cell(project, algorithm).values
    }

    /// The runs of [`Samples::values`], in the same order, as indices into [`Results::runs`].
    pub fn runs(&self, project: usize, algorithm: usize) -> &[u32] {
        &self.cell(project, algorithm).runs
    }

    /// All values of an algorithm and their runs, in the order of the projects.
    pub fn pooled(&self, algorithm: usize) -> (Vec<f64>, Vec<u32>) {
        let cells = (0..self.projects()).map(|project| self.cell(project, algorithm));
        let (mut values, mut runs) = (Vec::new(), Vec::new());
        for cell in cells {
            values.extend_from_slice(&cell.values);
            runs.extend_from_slice(&cell.runs);
        }
        (values, runs)
    }

    /// The samples of an A/A test: the runs of an algorithm on each project, assigned alternately
    /// to algorithms 0 and 1.
    pub fn aa_split(&self, algorithm: usize) -> Samples {
        let half = |project, which: usize| {
            let whole: &Sample = self.cell(project, algorithm);
            Sample {
                values: whole.values.iter().copied().skip(which).step_by(2).collect(),
                runs: whole.runs.iter().copied().skip(which).step_by(2).collect(),
            }
        };
        let cells = (0..self.projects()).flat_map(|project| [half(project, 0), half(project, 1)]);
        Samples { algorithms: 2, cells: cells.collect() }
    }

    /// The number of algorithms.
    pub fn algorithms(&self) -> usize {
        self.algorithms
    }

    /// The number of projects.
    pub fn projects(&self) -> usize {
        self.cells.len().checked_div(self.algorithms).unwrap_or(0)
    }

    /// Whether a project has runs of every algorithm that has runs on any project.
    pub fn complete(&self, project: usize) -> bool {
        (0..self.algorithms)
            .all(|algorithm| !self.values(project, algorithm).is_empty() || !self.ran(algorithm))
    }

    /// Whether an algorithm has runs on any project.
    pub fn ran(&self, algorithm: usize) -> bool {
        (0..self.projects()).any(|project| !self.values(project, algorithm).is_empty())
    }
}

/// Comparison of two algorithms on a project.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProjectComparison {
    /// Index into [`Results::projects`].
    pub project: usize,
    /// Counts of runs of the first and of the second algorithm.
    pub runs: (usize, usize),
    /// Vargha-Delaney effect size A12, which is above 1/2 if the first algorithm has larger values.
    pub a12: f64,
    /// Mann-Whitney U of the first algorithm.
    pub u1: f64,
    /// Confidence interval of the effect size, at level 1 - [`LEVEL`].
    pub interval: Result<Interval, Unavailable>,
    /// Magnitude of the effect according to Vargha and Delaney.
    pub magnitude: Magnitude,
    /// Two-sided p-value of the Mann-Whitney U test.
    pub p: PValue,
    /// The p-value with Holm's correction over all projects of this pair of algorithms.
    pub p_holm: f64,
    /// The p-value with Benjamini and Hochberg's correction over the same projects.
    pub p_benjamini_hochberg: f64,
}

/// Correction for the tests on all projects of a pair of algorithms.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Correction {
    /// No correction, as in the papers.
    None,
    /// Holm's correction, which bounds the family-wise error rate.
    Holm,
    /// Benjamini and Hochberg's correction, which bounds the false discovery rate.
    BenjaminiHochberg,
}

impl ProjectComparison {
    /// Whether the values of the first algorithm are larger, equal or smaller, according to A12.
    pub fn ordering(&self) -> Ordering {
        self.a12.total_cmp(&0.5)
    }

    /// Whether the difference is significant: p is below [`LEVEL`] after the correction.
    pub fn significant(&self, correction: Correction) -> bool {
        let p = match correction {
            Correction::None => self.p.value,
            Correction::Holm => self.p_holm,
            Correction::BenjaminiHochberg => self.p_benjamini_hochberg,
        };
        p < LEVEL
    }

    /// Whether samples of the same sizes could differ significantly without a correction.
    pub fn could_be_significant(&self) -> bool {
        smallest_p(self.runs.0, self.runs.1) < LEVEL
    }
}

/// Comparison of two algorithms on all projects, which is a row of Table 6.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// Index into [`Results::algorithms`].
    pub first: usize,
    /// Index into [`Results::algorithms`].
    pub second: usize,
    /// The projects on which both algorithms have runs.
    pub per_project: Vec<ProjectComparison>,
    /// Number of projects on which at least one of the algorithms has no runs.
    pub missing: usize,
}

/// Counts of projects by the result of the first of two algorithms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Projects on which the first algorithm is significantly better, which are also counted as
    /// better.
    pub significantly_better: usize,
    /// Projects on which the first algorithm is better.
    pub better: usize,
    /// Projects on which the algorithms are equal.
    pub equal: usize,
    /// Projects on which the first algorithm is worse.
    pub worse: usize,
    /// Projects on which the first algorithm is significantly worse, which are also counted as
    /// worse.
    pub significantly_worse: usize,
}

impl Comparison {
    /// Compares two algorithms on every project.
    pub fn new(samples: &Samples, first: usize, second: usize) -> Comparison {
        let mut per_project: Vec<ProjectComparison> = (0..samples.projects())
            .into_par_iter()
            .filter_map(|project| {
                let (x, y) = (samples.values(project, first), samples.values(project, second));
                let test = MannWhitney::new(x, y).ok()?;
                Some(ProjectComparison {
                    project,
                    runs: (x.len(), y.len()),
                    a12: test.a12(),
                    u1: test.u1(),
                    interval: enough(x.len().min(y.len()))
                        .and_then(|()| test.a12_interval(1.0 - LEVEL)),
                    magnitude: test.magnitude(Convention::VarghaDelaney),
                    p: test.p(),
                    p_holm: 1.0,
                    p_benjamini_hochberg: 1.0,
                })
            })
            .collect();
        let p: Vec<f64> = per_project.iter().map(|project| project.p.value).collect();
        // All p-values are in 0..=1, so both corrections exist.
        if let (Ok(holm), Ok(shares)) = (holm(&p), benjamini_hochberg(&p)) {
            for (project, (holm, share)) in per_project.iter_mut().zip(holm.into_iter().zip(shares))
            {
                (project.p_holm, project.p_benjamini_hochberg) = (holm, share);
            }
        }
        let missing = samples.projects() - per_project.len();
        Comparison { first, second, per_project, missing }
    }

    /// Compares each algorithm with each earlier algorithm, or only with the first if there are
    /// more than [`MAX_ALL_COMPARED`] algorithms.
    pub fn pairs(samples: &Samples) -> Vec<Comparison> {
        let later = 1..samples.algorithms;
        let all = samples.algorithms <= MAX_ALL_COMPARED;
        let earlier = move |first| 0..if all { first } else { 1 };
        later
            .flat_map(|first| earlier(first).map(move |second| (first, second)))
            .map(|(first, second)| Comparison::new(samples, first, second))
            .collect()
    }

    /// The mean effect size over projects.
    pub fn mean_a12(&self) -> Option<f64> {
        mean(self.per_project.iter().map(|project| project.a12))
    }

    /// Confidence interval of the mean effect size of each comparison, at level 1 - [`LEVEL`],
    /// computed by a bootstrap over projects.
    pub fn mean_intervals<'c>(
        comparisons: impl IntoIterator<Item = &'c Comparison>,
    ) -> Vec<Result<Interval, Unavailable>> {
        let effects = |comparison: &Comparison| -> Vec<f64> {
            comparison.per_project.iter().map(|project| project.a12).collect()
        };
        let effects: Vec<Vec<f64>> = comparisons.into_iter().map(effects).collect();
        mean_intervals(&effects)
    }

    /// The runs of both algorithms on the projects whose comparison satisfies `keep`.
    pub fn runs<'a>(
        &'a self,
        samples: &'a Samples,
        keep: impl Fn(&ProjectComparison) -> bool + 'a,
    ) -> impl Iterator<Item = u32> + 'a {
        self.per_project.iter().filter(move |project| keep(project)).flat_map(|project| {
            let of = |algorithm| samples.runs(project.project, algorithm).iter().copied();
            of(self.first).chain(of(self.second))
        })
    }

    /// Counts the projects by the result of the first algorithm.
    pub fn counts(&self, correction: Correction) -> Counts {
        let mut counts = Counts::default();
        for project in &self.per_project {
            match project.ordering() {
                Ordering::Greater => {
                    counts.better += 1;
                    counts.significantly_better += usize::from(project.significant(correction));
                }
                Ordering::Equal => counts.equal += 1,
                Ordering::Less => {
                    counts.worse += 1;
                    counts.significantly_worse += usize::from(project.significant(correction));
                }
            }
        }
        counts
    }

    /// Number of projects with so few runs that no difference could be significant.
    pub fn too_few_runs(&self) -> usize {
        self.per_project.iter().filter(|project| !project.could_be_significant()).count()
    }
}

pub(crate) fn mean_intervals(samples: &[Vec<f64>]) -> Vec<Result<Interval, Unavailable>> {
    let all: Vec<&[f64]> = samples.iter().map(Vec::as_slice).collect();
    let found = Bootstrap { level: 1.0 - LEVEL, ..Bootstrap::default() }.means(&all);
    found.into_iter().zip(samples).map(|(one, sample)| enough(sample.len()).and(one)).collect()
}

/// Means of the values of an algorithm, such as its coverages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanCoverage {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Number of runs with a value.
    pub runs: usize,
    /// Number of projects with at least one of these runs.
    pub projects: usize,
    /// Mean over these projects of the mean over their runs.
    pub mean: Option<f64>,
    /// The mean over the projects on which every algorithm with any runs has a run. If runs are
    /// missing, only these means can be compared.
    pub common: Option<f64>,
}

impl MeanCoverage {
    /// The means of each algorithm.
    pub fn all(samples: &Samples) -> Vec<MeanCoverage> {
        (0..samples.algorithms)
            .map(|algorithm| {
                let over = |keep: &dyn Fn(usize) -> bool| {
                    let kept = (0..samples.projects()).filter(|&project| keep(project));
                    mean(kept.filter_map(|p| mean(samples.values(p, algorithm).iter().copied())))
                };
                let sizes = (0..samples.projects()).map(|p| samples.values(p, algorithm).len());
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

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(projects: &[[&[f64]; 2]]) -> Samples {
        let cell = |s: &&[f64]| Sample { values: s.to_vec(), runs: vec![7; s.len()] };
        let cells = projects.iter().flatten().map(cell).collect();
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
        assert_eq!(row.counts(Correction::None), expected);
        // The p-value of the first project is 2/252. Holm's correction multiplies it by 4, and it
        // is still below 0.05.
        assert_eq!(row.counts(Correction::Holm), expected);
        assert!((row.per_project[0].p_holm - 8.0 / 252.0).abs() < 1e-12);
        assert_eq!(row.runs(&samples, |project| project.project == 1).count(), 6);
        let few = Unavailable::TooFew { needed: MIN_SAMPLE, found: 4 };
        assert_eq!(Comparison::mean_intervals([row])[0], Err(few));
        let a12 = (1.0 + 5.0 / 9.0 + 0.5 + 0.4) / 4.0;
        assert!((row.mean_a12().unwrap() - a12).abs() < 1e-15);
        let back = Comparison::new(&samples, 0, 1);
        let mirrored = Counts {
            significantly_better: 0,
            better: 1,
            equal: 1,
            worse: 2,
            significantly_worse: 1,
        };
        assert_eq!(back.counts(Correction::None), mirrored);
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
