//! Bootstrap confidence intervals, for statistics without a formula.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::description::quantile;
use super::effect_size::Interval;
use super::{Unavailable, ordered};

/// The percentile bootstrap. The same seed gives the same interval on every machine and with any
/// number of threads, because each replicate has a random stream of its own.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Number of times that the samples are drawn, at least 1.
    pub replicates: u32,
    /// Seed of the draws.
    pub seed: u64,
    /// The share of replicates within the interval, such as 0.95.
    pub level: f64,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { replicates: 2_000, seed: 20, level: 0.95 }
    }
}

impl Bootstrap {
    /// The interval of a statistic of some samples, each of which is drawn with replacement.
    ///
    /// # Errors
    /// [`Unavailable`] for no samples, an empty one, and one with NaN; [`Unavailable::TooFew`] for
    /// one with a single value; [`Unavailable::NotANumber`] also if the statistic of a replicate is
    /// NaN.
    pub fn interval(
        &self,
        samples: &[&[f64]],
        statistic: impl Fn(&[Vec<f64>]) -> f64 + Sync,
    ) -> Result<Interval, Unavailable> {
        if samples.is_empty() {
            return Err(Unavailable::Empty);
        }
        for sample in samples {
            ordered(sample)?;
            if sample.len() < 2 {
                return Err(Unavailable::TooFew { needed: 2, found: sample.len() });
            }
        }
        let mut values: Vec<f64> = (0..self.replicates.max(1))
            .into_par_iter()
            .map_init(
                || samples.iter().map(|s| s.to_vec()).collect::<Vec<_>>(),
                |drawn, replicate| {
                    let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
                    rng.set_stream(u64::from(replicate));
                    for (drawn, sample) in drawn.iter_mut().zip(samples) {
                        for value in drawn {
                            // Drawn as u64, so that the draws are the same on every platform.
                            *value = sample[rng.random_range(0..sample.len() as u64) as usize];
                        }
                    }
                    statistic(drawn)
                },
            )
            .collect();
        ordered(&values)?;
        values.sort_unstable_by(f64::total_cmp);
        let outside = (1.0 - self.level) / 2.0;
        Ok(Interval { low: quantile(&values, outside), high: quantile(&values, 1.0 - outside) })
    }

    /// The interval of the mean of a sample.
    ///
    /// # Errors
    /// As [`Bootstrap::interval`].
    pub fn mean(&self, sample: &[f64]) -> Result<Interval, Unavailable> {
        self.interval(&[sample], |drawn| drawn[0].iter().sum::<f64>() / drawn[0].len() as f64)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_interval_depends_on_the_seed_alone() {
        let sample: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
        let bootstrap = Bootstrap::default();
        let found = bootstrap.mean(&sample).unwrap();
        assert_eq!(bootstrap.mean(&sample).unwrap(), found);
        assert_ne!(Bootstrap { seed: 21, ..bootstrap }.mean(&sample).unwrap(), found);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| bootstrap.mean(&sample)).unwrap(), found);
        // For the mean of 40 values the normal interval is similar.
        let d = super::super::Description::of(&sample).unwrap();
        let spread = 1.96 * d.deviation.unwrap() / 40.0_f64.sqrt();
        assert!((found.low - (d.mean - spread)).abs() < 0.3, "{found:?}");
        assert!((found.high - (d.mean + spread)).abs() < 0.3, "{found:?}");
    }

    #[test]
    fn samples_without_an_interval_have_a_reason() {
        let bootstrap = Bootstrap::default();
        assert_eq!(bootstrap.interval(&[], |_| 0.0), Err(Unavailable::Empty));
        assert_eq!(bootstrap.mean(&[]), Err(Unavailable::Empty));
        let few = Unavailable::TooFew { needed: 2, found: 1 };
        assert_eq!(bootstrap.mean(&[1.0]), Err(few));
        assert_eq!(bootstrap.mean(&[1.0; 5]), Ok(Interval { low: 1.0, high: 1.0 }));
    }
}
