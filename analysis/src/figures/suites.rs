//! Test suites.

use super::{Figure, algorithm_boxes, by_algorithm, effect_violins};
use crate::figure::chart::Axis;
use crate::findings::Suites;
use crate::tidy::{Results, Run};

/// Sizes of suites where all cover the same (Whisker paper, figure 26).
pub fn suite_sizes(results: &Results, suites: &Suites) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| suites.samples.pooled(algorithm).0);
    let most = values.iter().flat_map(|v| &v.2).copied().fold(1.0, f64::max);
    let axis = Axis::round("Events of a suite", 0.0, most);
    let about = format!(
        "Events of the final suites on the {} projects that all algorithms cover alike.",
        suites.projects.len()
    );
    algorithm_boxes("suite-sizes", "Sizes of suites", axis, &values, ("run", ""), &about)
}

/// Effect sizes of the sizes of suites (Whisker paper, figure 27).
pub fn suite_effects(results: &Results, suites: &Suites) -> Option<Figure> {
    let about = "A12 of the number of events in suites, on projects that all cover alike; below \
                 0.5 (dashed) the first of a pair has the smaller ones.";
    effect_violins(results, &suites.comparisons, "suite-effects", "Effect sizes of suites", about)
}

/// Lengths of tests on all projects (Whisker paper, figure 28).
pub fn test_lengths(results: &Results) -> Option<Figure> {
    let of = |algorithm: usize| {
        let own = results.runs.iter().filter(|run| run.algorithm as usize == algorithm);
        let length = |run: &Run| {
            run.coverage()?;
            let tests = run.suite_tests.filter(|&tests| tests > 0)?;
            Some(f64::from(run.suite_size?) / f64::from(tests))
        };
        own.filter_map(length).collect()
    };
    let values = by_algorithm(results, of);
    let most = values.iter().flat_map(|v| &v.2).copied().fold(1.0, f64::max);
    let axis = Axis::round("Events of a test", 0.0, most);
    let about =
        "Mean number of events of a test in each suite, the waits between them not counted.";
    algorithm_boxes("test-lengths", "Lengths of tests", axis, &values, ("run", ""), about)
}
