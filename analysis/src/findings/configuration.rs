//! Coverage of each configuration over all runs (Pynguin paper, Table 2).

use crate::comparison::Samples;
use crate::stats::{
    Convention, Description, Interval, Magnitude, MannWhitney, PValue, Unavailable,
};

/// Coverage of a configuration over the runs of all projects. Each run has the same weight.
#[derive(Clone, Debug, PartialEq)]
pub struct Configuration {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub algorithm: usize,
    /// Coverage over all runs, in 0..=1.
    pub coverage: Result<Description, Unavailable>,
    /// The runs with a coverage.
    pub runs: Vec<u32>,
}

impl Configuration {
    /// Returns a value for each algorithm.
    pub fn all(samples: &Samples) -> Vec<Configuration> {
        let one = |algorithm| {
            let (values, runs) = samples.pooled(algorithm);
            Configuration { algorithm, coverage: Description::of(&values), runs }
        };
        (0..samples.algorithms()).map(one).collect()
    }
}

/// Two configurations compared on the runs of all projects together, as in the Pynguin paper. Such
/// a comparison mixes projects of different difficulty.
#[derive(Clone, Debug, PartialEq)]
pub struct PooledPair {
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub first: usize,
    /// Index into [`Results::algorithms`](crate::tidy::Results::algorithms).
    pub second: usize,
    /// Vargha-Delaney effect size.
    pub a12: f64,
    /// Confidence interval of A12 at level 0.95.
    pub interval: Result<Interval, Unavailable>,
    /// The magnitude of the effect according to Vargha and Delaney.
    pub magnitude: Magnitude,
    /// Two-sided p-value for the hypothesis of no difference.
    pub p: PValue,
}

impl PooledPair {
    /// Every pair of algorithms that both have runs: each algorithm with each earlier algorithm.
    pub fn all(samples: &Samples) -> Vec<PooledPair> {
        let pooled: Vec<Vec<f64>> =
            (0..samples.algorithms()).map(|algorithm| samples.pooled(algorithm).0).collect();
        let pairs =
            (1..pooled.len()).flat_map(|first| (0..first).map(move |second| (first, second)));
        pairs
            .filter_map(|(first, second)| {
                let test = MannWhitney::new(&pooled[first], &pooled[second]).ok()?;
                Some(PooledPair {
                    first,
                    second,
                    a12: test.a12(),
                    interval: test.a12_interval(0.95),
                    magnitude: test.magnitude(Convention::VarghaDelaney),
                    p: test.p(),
                })
            })
            .collect()
    }
}
