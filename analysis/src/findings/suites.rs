//! Sizes of test suites (Whisker paper, figures 26 to 28).

use crate::comparison::{Comparison, Samples};
use crate::stats::{Description, Unavailable, mean};
use crate::tidy::Results;

/// The suite sizes of an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteSize {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Sizes of the final suites on the projects in [`Suites::projects`], in the unit of the
    /// subject kind.
    pub size: Result<Description, Unavailable>,
    /// Counts of tests of these suites.
    pub tests: Result<Description, Unavailable>,
    /// Mean size of a test, over all projects.
    pub test_size: Option<f64>,
    /// Mean reduction in size by minimisation, in the same unit, on the projects in
    /// [`Suites::projects`].
    pub removed: Option<f64>,
    /// The runs on these projects.
    pub runs: Vec<u32>,
}

/// Suite sizes, which are compared only on projects with the same coverage, because suites that
/// cover more are larger.
#[derive(Clone, Debug)]
pub struct Suites {
    /// The projects on which all algorithms that have any runs have the same mean coverage.
    pub projects: Vec<usize>,
    /// A value for each algorithm.
    pub sizes: Vec<SuiteSize>,
    /// Suite sizes on these projects.
    pub samples: Samples,
    /// The pairs of algorithms, as in [`Comparison::pairs`]. The compared values are sizes, so an
    /// A12 below 1/2 means that the first algorithm has smaller suites.
    pub comparisons: Vec<Comparison>,
}

impl Suites {
    /// Compares the suites of a study.
    pub fn new(results: &Results) -> Suites {
        let equal = equally_covered(results);
        let samples = Samples::of_measure(results, |_, run| {
            run.coverage()?;
            run.suite_size.filter(|_| equal[run.project as usize]).map(f64::from)
        });
        let sizes = (0..results.algorithms.len()).map(|algorithm| {
            let (sizes, runs) = samples.pooled(algorithm);
            let of = || runs.iter().map(|&run| &results.runs[run as usize]);
            let tests: Vec<f64> = of().filter_map(|run| run.suite_tests.map(f64::from)).collect();
            let own = results.runs.iter().filter(|run| run.algorithm as usize == algorithm);
            SuiteSize {
                algorithm,
                size: Description::of(&sizes),
                tests: Description::of(&tests),
                test_size: mean(own.filter_map(|run| {
                    let tests = run.suite_tests.filter(|&tests| tests > 0)?;
                    Some(f64::from(run.suite_size?) / f64::from(tests))
                })),
                removed: mean(of().filter_map(|run| run.suite_removed.map(f64::from))),
                runs,
            }
        });
        Suites {
            projects: (0..equal.len()).filter(|&project| equal[project]).collect(),
            sizes: sizes.collect(),
            comparisons: Comparison::pairs(&samples),
            samples,
        }
    }
}

/// The means are compared as fractions of integers, because a mean of floating-point numbers
/// depends on the order of the numbers.
fn equally_covered(results: &Results) -> Vec<bool> {
    let algorithms = results.algorithms.len();
    let mut sums = vec![(0_u128, 0_u128); algorithms * results.projects.len()];
    for run in results.runs.iter().filter(|run| run.coverage().is_some()) {
        let sum = &mut sums[run.project as usize * algorithms + run.algorithm as usize];
        sum.0 += u128::from(run.covered);
        sum.1 += u128::from(run.goals);
    }
    let ran: Vec<usize> = (0..algorithms)
        .filter(|a| sums.iter().skip(*a).step_by(algorithms).any(|sum| sum.1 > 0))
        .collect();
    let equal = |project: &[(u128, u128)]| {
        ran.iter().all(|&a| project[a].1 > 0)
            && ran.windows(2).all(|w| {
                let (a, b) = (project[w[0]], project[w[1]]);
                a.0 * b.1 == b.0 * a.1
            })
    };
    sums.chunks(algorithms.max(1)).map(equal).collect()
}
