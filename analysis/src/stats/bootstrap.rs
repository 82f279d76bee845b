//! Bootstrap confidence intervals.

use std::collections::BTreeMap;

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::description::quantile;
use super::effect_size::Interval;
use super::{Unavailable, ordered};

/// The percentile bootstrap. Results do not depend on the number of threads, because each replicate
/// has a separate random stream.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap {
    /// Number of replicates. 0 is treated as 1.
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
    /// The interval of a statistic of several samples, each of which is resampled with replacement.
    ///
    /// # Errors
    /// [`Unavailable`] if the interval does not exist for these samples.
    pub fn interval(
        &self,
        samples: &[&[f64]],
        statistic: impl Fn(&[Vec<f64>]) -> f64 + Sync,
    ) -> Result<Interval, Unavailable> {
        if samples.is_empty() {
            return Err(Unavailable::Empty);
        }
        samples.iter().try_for_each(|sample| check(sample))?;
        let values: Vec<f64> = (0..self.replicates.max(1))
            .into_par_iter()
            .map_init(
                || samples.iter().map(|s| s.to_vec()).collect::<Vec<_>>(),
                |drawn, replicate| {
                    let mut rng = self.stream(replicate);
                    for (drawn, sample) in drawn.iter_mut().zip(samples) {
                        for value in drawn {
                            // An index of type u64 is the same on every platform.
                            *value = sample[rng.random_range(0..sample.len() as u64) as usize];
                        }
                    }
                    statistic(drawn)
                },
            )
            .collect();
        self.percentiles(values)
    }

    /// The interval of the mean of a sample.
    ///
    /// # Errors
    /// As for [`Bootstrap::interval`].
    pub fn mean(&self, sample: &[f64]) -> Result<Interval, Unavailable> {
        self.interval(&[sample], mean_of)
    }

    /// The interval of the mean over all values of clusters, such as the projects of an author (the
    /// cluster bootstrap; Davison and Hinkley, 1997, section 3.8).
    ///
    /// # Errors
    /// [`Unavailable`] if the interval does not exist for these clusters.
    pub fn mean_of_clusters(&self, clusters: &[&[f64]]) -> Result<Interval, Unavailable> {
        for cluster in clusters {
            ordered(cluster)?;
        }
        if clusters.len() < 2 {
            return Err(Unavailable::TooFew { needed: 2, found: clusters.len() });
        }
        let sums: Vec<(f64, f64)> = clusters
            .iter()
            .map(|cluster| (cluster.iter().sum::<f64>(), cluster.len() as f64))
            .collect();
        let values: Vec<f64> = (0..self.replicates.max(1))
            .into_par_iter()
            .map(|replicate| {
                let mut rng = self.stream(replicate);
                let (mut sum, mut count) = (0.0, 0.0);
                for _ in 0..sums.len() {
                    let drawn = sums[rng.random_range(0..sums.len() as u64) as usize];
                    sum += drawn.0;
                    count += drawn.1;
                }
                sum / count
            })
            .collect();
        self.percentiles(values)
    }

    /// The intervals of the means of several samples, which equal the results of
    /// [`Bootstrap::mean`] but are computed faster.
    pub fn means(&self, samples: &[&[f64]]) -> Vec<Result<Interval, Unavailable>> {
        let mut lengths: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (number, sample) in samples.iter().enumerate() {
            lengths.entry(sample.len()).or_default().push(number);
        }
        let mut found: Vec<_> = vec![Err(Unavailable::Empty); samples.len()];
        for (length, members) in lengths {
            if let [only] = members[..] {
                found[only] = self.mean(samples[only]);
                continue;
            }
            let checked: Vec<_> =
                members.iter().map(|&member| check(samples[member]).map(|()| member)).collect();
            for (&member, checked) in members.iter().zip(&checked) {
                if let Err(reason) = checked {
                    found[member] = Err(*reason);
                }
            }
            let usable: Vec<usize> = checked.into_iter().filter_map(Result::ok).collect();
            for (member, interval) in
                usable.iter().zip(self.means_of_length(length, samples, &usable))
            {
                found[*member] = interval;
            }
        }
        found
    }

    fn means_of_length(
        &self,
        length: usize,
        samples: &[&[f64]],
        members: &[usize],
    ) -> Vec<Result<Interval, Unavailable>> {
        let rows: Vec<Vec<f64>> = (0..self.replicates.max(1))
            .into_par_iter()
            .map(|replicate| {
                let mut rng = self.stream(replicate);
                let places: Vec<u32> =
                    (0..length).map(|_| rng.random_range(0..length as u64) as u32).collect();
                let drawn = |&member: &usize| {
                    let sample = samples[member];
                    places.iter().map(|&at| sample[at as usize]).sum::<f64>() / length as f64
                };
                members.iter().map(drawn).collect()
            })
            .collect();
        let of = |number| self.percentiles(rows.iter().map(|row| row[number]).collect());
        (0..members.len()).into_par_iter().map(of).collect()
    }

    fn stream(&self, replicate: u32) -> ChaCha8Rng {
        let mut rng = ChaCha8Rng::seed_from_u64(self.seed);
        rng.set_stream(u64::from(replicate));
        rng
    }

    fn percentiles(&self, mut values: Vec<f64>) -> Result<Interval, Unavailable> {
        ordered(&values)?;
        values.sort_unstable_by(f64::total_cmp);
        let outside = (1.0 - self.level) / 2.0;
        Ok(Interval { low: quantile(&values, outside), high: quantile(&values, 1.0 - outside) })
    }
}

fn check(sample: &[f64]) -> Result<(), Unavailable> {
    ordered(sample)?;
    match sample.len() {
        found @ 0..2 => Err(Unavailable::TooFew { needed: 2, found }),
        _ => Ok(()),
    }
}

fn mean_of(drawn: &[Vec<f64>]) -> f64 {
    drawn[0].iter().sum::<f64>() / drawn[0].len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_intervals_of_many_means_equal_single_ones() {
        let sample =
            |n: u32, k: u32| -> Vec<f64> { (0..n).map(|i| f64::from(i * k % 13)).collect() };
        let lists = [sample(9, 5), vec![1.0], sample(30, 7), sample(9, 2), vec![0.5, f64::NAN]];
        let more = [sample(30, 3), vec![], vec![2.0], vec![0.5, 1.0], sample(9, 4)];
        let samples: Vec<&[f64]> = lists.iter().chain(&more).map(Vec::as_slice).collect();
        let bootstrap = Bootstrap { replicates: 300, ..Bootstrap::default() };
        let each: Vec<_> = samples.iter().map(|sample| bootstrap.mean(sample)).collect();
        assert_eq!(bootstrap.means(&samples), each);
        assert_eq!(each.iter().filter(|found| found.is_ok()).count(), 6);
    }

    #[test]
    fn the_interval_depends_only_on_the_seed() {
        let sample: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
        let bootstrap = Bootstrap::default();
        let found = bootstrap.mean(&sample).unwrap();
        assert_eq!(bootstrap.mean(&sample).unwrap(), found);
        assert_ne!(Bootstrap { seed: 21, ..bootstrap }.mean(&sample).unwrap(), found);
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
        assert_eq!(one.install(|| bootstrap.mean(&sample)).unwrap(), found);
        let d = super::super::Description::of(&sample).unwrap();
        let spread = 1.96 * d.deviation.unwrap() / 40.0_f64.sqrt();
        assert!((found.low - (d.mean - spread)).abs() < 0.3, "{found:?}");
        assert!((found.high - (d.mean + spread)).abs() < 0.3, "{found:?}");
    }

    #[test]
    fn clusters_widen_an_interval_by_what_their_values_have_in_common() {
        let bootstrap = Bootstrap::default();
        let sample: Vec<f64> = (0..40).map(|i| f64::from(i * i % 17)).collect();
        let single: Vec<&[f64]> = sample.chunks(1).collect();
        assert_eq!(bootstrap.mean_of_clusters(&single), bootstrap.mean(&sample));
        // Copies of a value do not add information, so the interval is as wide as without them.
        let copies: Vec<Vec<f64>> = sample.iter().map(|&value| vec![value; 5]).collect();
        let copies: Vec<&[f64]> = copies.iter().map(Vec::as_slice).collect();
        let found = bootstrap.mean_of_clusters(&copies).unwrap();
        let plain = bootstrap.mean(&sample).unwrap();
        assert!((found.low - plain.low).abs() < 1e-9 && (found.high - plain.high).abs() < 1e-9);
        assert_eq!(
            bootstrap.mean_of_clusters(&copies[..1]),
            Err(Unavailable::TooFew { needed: 2, found: 1 })
        );
        assert_eq!(bootstrap.mean_of_clusters(&[&[1.0], &[]]), Err(Unavailable::Empty));
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
