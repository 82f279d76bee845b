//! The posterior distribution of the means over projects of several algorithms.
//!
//! Over projects like these, with flat priors on the means and Jeffreys' prior on a common scale,
//! the posterior is a multivariate t distribution around the observed means with their observed
//! covariance (Box and Tiao, 1973, section 8.4).

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::student::standard_error;
use super::{Unavailable, finite, mean, treatments};

/// Draws of the means of several treatments.
#[derive(Clone, Debug, PartialEq)]
pub struct MeanPosterior {
    /// The observed means.
    pub means: Vec<f64>,
    draws: Vec<Vec<f64>>,
}

impl MeanPosterior {
    /// Number of draws.
    pub const DRAWS: u64 = 4_000;

    const SEED: u64 = 41;

    /// The posterior of the means over blocks like these, such as projects. Each block has a value
    /// for each treatment.
    ///
    /// # Errors
    /// [`Unavailable`] if the posterior does not exist for these blocks.
    pub fn over_blocks<B: AsRef<[f64]> + Sync>(blocks: &[B]) -> Result<MeanPosterior, Unavailable> {
        let count = treatments(blocks, 1)?;
        let found = blocks.len();
        if found < 2 {
            return Err(Unavailable::TooFew { needed: 2, found });
        }
        blocks.iter().try_for_each(|block| finite(block.as_ref()))?;
        let value = |treatment: usize| blocks.iter().map(move |block| block.as_ref()[treatment]);
        let means: Vec<f64> = (0..count).filter_map(|t| mean(value(t))).collect();
        let freedom = (found - 1) as f64;
        let scale = 1.0 / (found as f64 * freedom).sqrt();
        let draw = |rng: &mut Normals| {
            let mut shifts = vec![0.0; count];
            for block in blocks {
                let weight = rng.next();
                for (shift, (value, mean)) in
                    shifts.iter_mut().zip(block.as_ref().iter().zip(&means))
                {
                    *shift += weight * (value - mean);
                }
            }
            let spread = scale * (freedom / rng.chi_squared(freedom)).sqrt();
            shifts.iter().zip(&means).map(|(shift, mean)| mean + shift * spread).collect()
        };
        Ok(MeanPosterior { draws: draws(draw), means })
    }

    /// The posterior of the means over exactly these blocks, each of which has a sample for each
    /// treatment. The degrees of freedom are computed according to Satterthwaite (1946).
    ///
    /// # Errors
    /// [`Unavailable`] if the posterior does not exist for these blocks.
    pub fn within_blocks<S: AsRef<[f64]>>(blocks: &[Vec<S>]) -> Result<MeanPosterior, Unavailable> {
        let count = blocks.first().ok_or(Unavailable::Empty)?.len();
        let mut means = vec![0.0; count];
        // The sum of the variances of the means, and the denominator of the degrees of freedom.
        let mut spreads = vec![(0.0, 0.0); count];
        for block in blocks {
            if block.len() != count {
                return Err(Unavailable::Unpaired(count, block.len()));
            }
            for (treatment, sample) in block.iter().enumerate() {
                let sample = sample.as_ref();
                finite(sample)?;
                let found = sample.len();
                if found < 2 {
                    return Err(Unavailable::TooFew { needed: 2, found });
                }
                let own = mean(sample.iter().copied()).unwrap_or(f64::NAN);
                let error = standard_error(sample, own);
                means[treatment] += own / blocks.len() as f64;
                let variance = error * error;
                spreads[treatment].0 += variance;
                spreads[treatment].1 += variance * variance / (found - 1) as f64;
            }
        }
        let blocks = blocks.len() as f64;
        let draw = |rng: &mut Normals| {
            let one = |(mean, &(variance, denominator)): (&f64, &(f64, f64))| {
                if variance == 0.0 {
                    return *mean;
                }
                let freedom = (variance * variance / denominator).max(1.0);
                let scale = variance.sqrt() / blocks * (freedom / rng.chi_squared(freedom)).sqrt();
                mean + rng.next() * scale
            };
            means.iter().zip(&spreads).map(one).collect()
        };
        Ok(MeanPosterior { draws: draws(draw), means })
    }

    pub(super) fn of_draws(means: Vec<f64>, draws: Vec<Vec<f64>>) -> MeanPosterior {
        MeanPosterior { means, draws }
    }

    pub(super) fn differences(&self, first: usize, second: usize) -> Vec<f64> {
        self.draws.iter().map(|draw| draw[first] - draw[second]).collect()
    }

    /// Given independent standard normal numbers, `shift` returns the deviations from the means.
    pub(super) fn normal(
        means: Vec<f64>,
        shift: impl Fn(&[f64]) -> Vec<f64> + Sync,
    ) -> MeanPosterior {
        let draw = |rng: &mut Normals| {
            let normals: Vec<f64> = means.iter().map(|_| rng.next()).collect();
            shift(&normals).iter().zip(&means).map(|(shift, mean)| mean + shift).collect()
        };
        MeanPosterior { draws: draws(draw), means }
    }

    /// For each treatment, the probability that it has the highest mean. Treatments with equal
    /// means share the probability.
    pub fn best(&self) -> Vec<f64> {
        self.near_best_of(|draw, highest| {
            let ties = draw.iter().filter(|value| **value == highest).count() as f64;
            draw.iter().map(|&v| if v == highest { 1.0 / ties } else { 0.0 }).collect()
        })
    }

    /// For each treatment, the probability that its mean is at most `margin` below the highest
    /// mean.
    pub fn near_best(&self, margin: f64) -> Vec<f64> {
        self.near_best_of(|draw, highest| {
            draw.iter().map(|&value| f64::from(u8::from(highest - value <= margin))).collect()
        })
    }

    fn near_best_of(&self, count: impl Fn(&[f64], f64) -> Vec<f64>) -> Vec<f64> {
        let mut sums = vec![0.0; self.means.len()];
        for draw in &self.draws {
            let highest = draw.iter().copied().fold(f64::MIN, f64::max);
            for (sum, one) in sums.iter_mut().zip(count(draw, highest)) {
                *sum += one;
            }
        }
        sums.iter().map(|sum| sum / self.draws.len() as f64).collect()
    }

    /// The probability that the mean of the first treatment is higher than the mean of the second,
    /// where equal means count as one half, and the probability that the means differ by at most
    /// `margin`.
    pub fn pair(&self, first: usize, second: usize, margin: f64) -> (f64, f64) {
        let (mut higher, mut near) = (0.0, 0.0);
        for draw in &self.draws {
            let difference = draw[first] - draw[second];
            higher += if difference > 0.0 {
                1.0
            } else if difference == 0.0 {
                0.5
            } else {
                0.0
            };
            near += f64::from(u8::from(difference.abs() <= margin));
        }
        let all = self.draws.len() as f64;
        (higher / all, near / all)
    }

    /// The values of a statistic of the means, one for each draw.
    pub fn each(&self, statistic: impl Fn(&[f64]) -> f64) -> Vec<f64> {
        self.draws.iter().map(|draw| statistic(draw)).collect()
    }

    /// The probability that the first two means have the same sign or are both 0.
    pub fn same_sign(&self) -> f64 {
        let same = |draw: &&Vec<f64>| draw[0] * draw[1] > 0.0 || (draw[0] == 0.0 && draw[1] == 0.0);
        self.draws.iter().filter(same).count() as f64 / self.draws.len() as f64
    }

    /// For each treatment, an interval that contains its position with probability `level`.
    /// Position 1 is the highest mean.
    pub fn positions(&self, level: f64) -> Vec<(usize, usize)> {
        let count = self.means.len();
        let mut places: Vec<Vec<usize>> = vec![Vec::with_capacity(self.draws.len()); count];
        for draw in &self.draws {
            for (treatment, value) in draw.iter().enumerate() {
                places[treatment].push(1 + draw.iter().filter(|other| *other > value).count());
            }
        }
        let outside = ((1.0 - level) / 2.0 * self.draws.len() as f64) as usize;
        let ends = |mut own: Vec<usize>| {
            own.sort_unstable();
            (own[outside], own[own.len() - 1 - outside])
        };
        places.into_iter().map(ends).collect()
    }

    /// The probability that the treatments are in this order, from the highest mean to the lowest.
    /// Orders that differ only in treatments with the same mean share the probability.
    pub fn order(&self, order: &[usize]) -> f64 {
        let share = |draw: &Vec<f64>| {
            let (mut share, mut equal) = (1.0, 1.0);
            for pair in order.windows(2) {
                let (before, after) = (draw[pair[0]], draw[pair[1]]);
                equal = if before == after { equal + 1.0 } else { 1.0 };
                share = if before < after { 0.0 } else { share / equal };
            }
            share
        };
        self.draws.iter().map(share).sum::<f64>() / self.draws.len() as f64
    }
}

/// Each draw has a separate random stream, because draws must not depend on the number of threads.
fn draws(draw: impl Fn(&mut Normals) -> Vec<f64> + Sync) -> Vec<Vec<f64>> {
    let one = |number: u64| draw(&mut Normals::new(MeanPosterior::SEED, number));
    (0..MeanPosterior::DRAWS).into_par_iter().map(one).collect()
}

pub(super) struct Normals {
    rng: ChaCha8Rng,
    /// The second number of a pair that was drawn together, until this number is used.
    spare: Option<f64>,
}

impl Normals {
    pub(super) fn new(seed: u64, stream: u64) -> Normals {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        rng.set_stream(stream);
        Normals { rng, spare: None }
    }

    /// A uniformly distributed number above 0 and at most 1.
    pub(super) fn uniform(&mut self) -> f64 {
        (self.rng.random::<u64>() >> 11) as f64 / (1_u64 << 53) as f64 + f64::EPSILON / 4.0
    }

    /// A standard normal number (Box and Muller, 1958).
    pub(super) fn next(&mut self) -> f64 {
        if let Some(spare) = self.spare.take() {
            return spare;
        }
        let radius = (-2.0 * libm::log(self.uniform())).sqrt();
        let angle = 2.0 * std::f64::consts::PI * self.uniform();
        self.spare = Some(radius * libm::sin(angle));
        radius * libm::cos(angle)
    }

    /// A number drawn from the chi-squared distribution (Marsaglia and Tsang, 2000). `freedom` must
    /// be positive.
    pub(super) fn chi_squared(&mut self, freedom: f64) -> f64 {
        let shape = freedom / 2.0;
        // A shape below 1 is increased by 1, and the result is multiplied by a power.
        let (d, boost) = if shape < 1.0 {
            (shape + 2.0 / 3.0, libm::pow(self.uniform(), 1.0 / shape))
        } else {
            (shape - 1.0 / 3.0, 1.0)
        };
        let c = 1.0 / (9.0 * d).sqrt();
        loop {
            let x = self.next();
            let v = (1.0 + c * x) * (1.0 + c * x) * (1.0 + c * x);
            if v > 0.0 && libm::log(self.uniform()) < x * x / 2.0 + d - d * v + d * libm::log(v) {
                return 2.0 * d * v * boost;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stats::t_interval;

    #[test]
    fn numbers_have_the_moments_of_their_distributions() {
        let mut rng = Normals::new(1, 0);
        let normals: Vec<f64> = (0..40_000).map(|_| rng.next()).collect();
        let (centre, _) = t_interval(&normals, 0.95).unwrap();
        let variance = mean(normals.iter().map(|v| v * v)).unwrap();
        assert!(centre.abs() < 0.02 && (variance - 1.0).abs() < 0.03, "{centre} {variance}");
        for freedom in [1.0, 4.5, 60.0] {
            let mean = mean((0..40_000).map(|_| rng.chi_squared(freedom))).unwrap();
            assert!((mean / freedom - 1.0).abs() < 0.03, "{freedom}: {mean}");
        }
    }

    /// The marginal distribution of a difference is the distribution of the paired t test.
    #[test]
    fn a_difference_has_the_t_interval() {
        let blocks: Vec<[f64; 2]> =
            (0..12).map(|i| [f64::from(i * 7 % 5) + 0.8, f64::from(i * 7 % 5 + i % 3)]).collect();
        let posterior = MeanPosterior::over_blocks(&blocks).unwrap();
        let differences: Vec<f64> = blocks.iter().map(|b| b[0] - b[1]).collect();
        let (_, interval) = t_interval(&differences, 0.95).unwrap();
        let mut drawn: Vec<f64> = posterior.draws.iter().map(|d| d[0] - d[1]).collect();
        drawn.sort_unstable_by(f64::total_cmp);
        assert!((drawn[100] - interval.low).abs() < 0.05, "{} {interval:?}", drawn[100]);
        assert!((drawn[3_899] - interval.high).abs() < 0.05, "{} {interval:?}", drawn[3_899]);
        // Two treatments that are equal on each block have the same probability of being the best.
        let same: Vec<[f64; 2]> = blocks.iter().map(|b| [b[0], b[0]]).collect();
        let posterior = MeanPosterior::over_blocks(&same).unwrap();
        assert_eq!(posterior.best(), [0.5, 0.5]);
        assert_eq!(posterior.pair(0, 1, 0.0), (0.5, 1.0));
        assert_eq!(posterior.positions(0.95), [(1, 1), (1, 1)]);
        assert_eq!((posterior.order(&[0, 1]), posterior.order(&[1, 0])), (0.5, 0.5));
    }

    /// If projects are fixed, ten times as many runs reduce the uncertainty by a factor of the
    /// square root of ten.
    #[test]
    fn runs_narrow_the_means_of_fixed_projects() {
        let spread = |runs: usize| {
            let mut rng = Normals::new(9, runs as u64);
            let sample = |rng: &mut Normals| (0..runs).map(|_| rng.next()).collect::<Vec<_>>();
            let blocks: Vec<Vec<Vec<f64>>> =
                (0..20).map(|_| vec![sample(&mut rng), sample(&mut rng)]).collect();
            let posterior = MeanPosterior::within_blocks(&blocks).unwrap();
            let values: Vec<f64> = posterior.draws.iter().map(|draw| draw[0]).collect();
            standard_error(&values, mean(values.iter().copied()).unwrap())
        };
        let ratio = spread(10) / spread(100);
        assert!((ratio - 10.0_f64.sqrt()).abs() < 0.4, "{ratio}");
    }

    #[test]
    fn what_has_no_posterior_has_a_reason() {
        assert!(MeanPosterior::over_blocks(&[[1.0, 2.0]]).is_err());
        assert!(MeanPosterior::over_blocks(&[vec![1.0, 2.0], vec![1.0]]).is_err());
        assert!(MeanPosterior::over_blocks(&[[f64::NAN, 2.0], [1.0, 2.0]]).is_err());
        assert!(MeanPosterior::within_blocks(&[vec![[1.0].as_slice()]]).is_err());
    }
}
