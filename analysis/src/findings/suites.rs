//! Sizes of test suites (Whisker paper, figures 26 to 28).

use crate::comparison::{Comparison, Samples};
use crate::stats::{Description, Unavailable, mean};
use crate::tidy::Results;

/// The suites of an algorithm.
#[derive(Clone, Debug, PartialEq)]
pub struct SuiteSize {
    /// Index into [`Results::algorithms`].
    pub algorithm: usize,
    /// Events of the final suites on the projects of [`Suites::projects`].
    pub events: Result<Description, Unavailable>,
    /// Mean number of tests of these suites.
    pub tests: Option<f64>,
    /// Mean number of events of a single test, over all projects.
    pub test_events: Option<f64>,
    /// Mean number of events that minimisation removed, on the projects of
    /// [`Suites::projects`].
    pub removed: Option<f64>,
    /// The runs on these projects.
    pub runs: Vec<u32>,
}

/// Suite sizes, compared only where coverage is the same: a suite that covers more is
/// larger.
#[derive(Clone, Debug)]
pub struct Suites {
    /// The projects on which all algorithms have the same mean coverage.
    pub projects: Vec<usize>,
    /// One for each algorithm.
    pub sizes: Vec<SuiteSize>,
    /// Numbers of events on these projects.
    pub samples: Samples,
    /// Every pair of algorithms: the first is better where its suites are *larger*, so an
    /// A12 below 1/2 speaks for it.
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
            let (events, runs) = samples.pooled(algorithm);
            let of = || runs.iter().map(|&run| &results.runs[run as usize]);
            let own = results.runs.iter().filter(|run| run.algorithm as usize == algorithm);
            SuiteSize {
                algorithm,
                events: Description::of(&events),
                tests: mean(of().filter_map(|run| run.suite_tests.map(f64::from))),
                test_events: mean(own.filter_map(|run| {
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

/// Whether all algorithms that have runs have some on a project, with the same mean
/// coverage. In whole numbers: a mean of floating-point numbers depends on their order.
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
