//! Sizes of test suites.

use super::{Distribution, Figure, by_algorithm, effect_violins, range, runs_of};
use crate::comparison::MIN_SAMPLE;
use crate::figure::Axis;
use crate::findings::Suites;
use crate::terms::{capitalised, counted};
use crate::tidy::{Results, Run};

/// Sizes of suites on projects on which all algorithms have the same mean coverage (Whisker paper,
/// figure 26).
pub fn suite_sizes(results: &Results, suites: &Suites) -> Option<Figure> {
    let units = &results.subject.suite_unit.plural;
    let samples = by_algorithm(results, |algorithm| suites.samples.pooled(algorithm).0);
    if samples.iter().all(|sample| sample.values.len() < MIN_SAMPLE) {
        return None;
    }
    let (_, most) = range(samples.iter().flat_map(|s| &s.values).copied())?;
    let about = format!(
        "Number of {units} in the final suites on the {} on which all algorithms have \
         the same mean coverage.",
        counted(suites.projects.len(), "project")
    );
    Distribution {
        name: "suite-sizes",
        title: "Sizes of suites",
        axis: Axis::round(&format!("{} per suite", capitalised(units)), 0.0, most.max(1.0)),
        counted_as: "run",
        unit: "",
        about: &about,
    }
    .boxes(&samples)
}

/// Effect sizes of the sizes of suites (Whisker paper, figure 27).
pub fn suite_effects(results: &Results, suites: &Suites) -> Option<Figure> {
    let about = format!(
        "A12 of the number of {} in the final suite, on projects on which all algorithms have the \
         same mean coverage. Below 0.5 (dashed) the first algorithm of a pair has smaller suites.",
        results.subject.suite_unit.plural
    );
    let (name, title) = ("suite-effects", "Effect sizes of suite sizes");
    effect_violins(results, &suites.comparisons, name, title, &about)
}

/// Lengths of tests on all projects (Whisker paper, figure 28).
pub fn test_lengths(results: &Results) -> Option<Figure> {
    let units = &results.subject.suite_unit.plural;
    let length = |(_, run): (usize, &Run)| {
        run.coverage()?;
        let tests = run.suite_tests.filter(|&tests| tests > 0)?;
        Some(f64::from(run.suite_size?) / f64::from(tests))
    };
    let samples =
        by_algorithm(results, |algorithm| runs_of(results, algorithm).filter_map(length).collect());
    if samples.iter().all(|sample| sample.values.len() < MIN_SAMPLE) {
        return None;
    }
    let (_, most) = range(samples.iter().flat_map(|s| &s.values).copied())?;
    Distribution {
        name: "test-lengths",
        title: "Lengths of tests",
        axis: Axis::round(&format!("{} per test", capitalised(units)), 0.0, most.max(1.0)),
        counted_as: "run",
        unit: "",
        about: &format!("Mean number of {units} per test in the final suite of each run."),
    }
    .boxes(&samples)
}
