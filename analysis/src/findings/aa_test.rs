//! A/A test: how often an algorithm differs significantly from itself.

use crate::comparison::{Comparison, Correction, Samples};

/// An algorithm compared with itself, so all differences are due to chance.
#[derive(Clone, Debug)]
pub struct AaTest {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The halves of the runs, as the runs of algorithms 0 and 1.
    pub samples: Samples,
    /// The first half compared with the second.
    pub comparison: Comparison,
}

impl AaTest {
    /// An A/A test of each algorithm with at least two runs on some project.
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

    /// Of the projects with enough runs for a significant difference, the share, in 0..=1, on which
    /// the halves differ significantly without a correction.
    pub fn false_positive_rate(&self) -> Option<f64> {
        let able = self.comparison.per_project.iter().filter(|p| p.could_be_significant());
        let found = able.clone().filter(|project| project.significant(Correction::None)).count();
        let able = able.count();
        (able > 0).then(|| found as f64 / able as f64)
    }
}
