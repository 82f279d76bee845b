//! A/A test: how often an algorithm differs significantly from itself.

use crate::comparison::{Comparison, Correction, Samples};

/// An algorithm against itself: on each project, every second of its runs against the others.
/// The expected effect size is 1/2, and at most 5 % of the projects are expected to differ
/// significantly; comparisons of algorithms have to exceed this.
#[derive(Clone, Debug)]
pub struct AaTest {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// Both halves of the runs, in place of algorithms 0 and 1.
    pub samples: Samples,
    /// The first half against the second.
    pub comparison: Comparison,
}

impl AaTest {
    /// One for each algorithm that has two runs on some project.
    pub fn all(samples: &Samples) -> Vec<AaTest> {
        let one = |algorithm| {
            let samples = samples.aa_split(algorithm);
            let comparison = Comparison::new(&samples, 0, 1);
            (!comparison.per_project.is_empty()).then_some(AaTest {
                algorithm,
                samples,
                comparison,
            })
        };
        (0..samples.algorithms()).filter_map(one).collect()
    }

    /// The share of projects on which both halves differ significantly, in 0..=1.
    pub fn false_positive_rate(&self) -> f64 {
        let per_project = &self.comparison.per_project;
        let found = per_project.iter().filter(|project| project.significant(Correction::None));
        found.count() as f64 / per_project.len() as f64
    }
}
