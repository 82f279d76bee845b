//! How often chance alone makes an algorithm look better than itself.

use crate::comparison::{Comparison, Samples};

/// An algorithm against itself: on each project, every second of its runs against the others
/// (A/A calibration). The expected effect size is 1/2, and at most 5 % of the projects should
/// differ significantly; real comparisons are worth what they exceed this by.
#[derive(Clone, Debug)]
pub struct Calibration {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// The two halves: in place of algorithms 0 and 1.
    pub samples: Samples,
    /// The first half against the second.
    pub comparison: Comparison,
}

impl Calibration {
    /// One for each algorithm that has two runs on some project.
    pub fn all(samples: &Samples) -> Vec<Calibration> {
        let one = |algorithm| {
            let samples = samples.halves(algorithm);
            let comparison = Comparison::new(&samples, 0, 1);
            (!comparison.duels.is_empty()).then_some(Calibration { algorithm, samples, comparison })
        };
        (0..samples.algorithms()).filter_map(one).collect()
    }

    /// The share of projects on which the halves differ significantly, in 0..=1.
    pub fn false_findings(&self) -> f64 {
        let duels = &self.comparison.duels;
        let found = duels.iter().filter(|d| d.significant(crate::comparison::Correction::None));
        found.count() as f64 / duels.len() as f64
    }
}
