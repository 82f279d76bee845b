//! The bootstrap over two levels: blocks, such as projects, and the values within them, such as
//! runs.
//!
//! Each replicate draws values with replacement from each sample, and then blocks with replacement
//! (product weights; Owen and Eckles, 2012). The replicates are then transformed linearly such that
//! their covariance equals the covariance of the observed means of the blocks, divided by the
//! number of blocks (a reflated bootstrap; Carpenter, Goldstein and Rasbash, 2003), because drawing
//! at both levels counts the variation of the values more than once.

use rand::RngExt as _;
use rand_chacha::ChaCha8Rng;
use rand_chacha::rand_core::SeedableRng as _;
use rayon::prelude::*;

use super::description::quantile;
use super::effect_size::Interval;
use super::matrix::{cholesky, solve_lower, times};
use super::posterior::MeanPosterior;
use super::student::student_quantile;
use super::{Unavailable, finite, mean, normal_two_sided};

/// Replicates of the means of several treatments.
#[derive(Clone, Debug, PartialEq)]
pub struct TwoLevel {
    /// The observed means.
    pub means: Vec<f64>,
    blocks: usize,
    both: MeanPosterior,
    /// Means and mean ranks over exactly these blocks; `None` if a sample has a single value.
    here: Option<(MeanPosterior, Vec<Vec<f64>>)>,
}

struct Replicate {
    both: Vec<f64>,
    here: Vec<f64>,
    ranks: Vec<f64>,
}

impl TwoLevel {
    /// Number of replicates.
    pub const REPLICATES: u64 = 2_000;

    /// Maximum number of treatments.
    pub const MAX_TREATMENTS: usize = 16;

    const SEED: u64 = 43;

    /// Draws replicates from blocks, each of which has a sample for each treatment.
    ///
    /// # Errors
    /// [`Unavailable`] if replicates cannot be drawn from these blocks.
    pub fn new<S: AsRef<[f64]> + Sync>(blocks: &[Vec<S>]) -> Result<TwoLevel, Unavailable> {
        let (found, count) = (blocks.len(), blocks.first().ok_or(Unavailable::Empty)?.len());
        if found < 2 {
            return Err(Unavailable::TooFew { needed: 2, found });
        }
        if count > TwoLevel::MAX_TREATMENTS {
            return Err(Unavailable::TooMany);
        }
        for block in blocks {
            if block.len() != count {
                return Err(Unavailable::Unpaired(count, block.len()));
            }
            block.iter().try_for_each(|sample| finite(sample.as_ref()))?;
        }
        let centre = |sample: &S| mean(sample.as_ref().iter().copied()).unwrap_or(f64::NAN);
        let centres: Vec<Vec<f64>> =
            blocks.iter().map(|block| block.iter().map(centre).collect()).collect();
        let means: Vec<f64> =
            (0..count).filter_map(|t| mean(centres.iter().map(|block| block[t]))).collect();
        let (observed, drawn) = covariances(blocks, &centres, &means);
        let (target, source) = (cholesky(&observed), cholesky(&drawn));
        // Means are rounded, because rounding errors would otherwise order treatments with equal
        // values.
        let largest = (0..count).map(|t| observed[t][t]).fold(0.0, f64::max).sqrt();
        let unit = largest / (1_u64 << 40) as f64;
        let one = |number: u64| {
            let mut replicate = replicate(number, blocks, &centres);
            let deviation: Vec<f64> =
                replicate.both.iter().zip(&means).map(|(drawn, mean)| drawn - mean).collect();
            let deviation = times(&target, &solve_lower(&source, &deviation));
            let snapped = |v: f64| if unit > 0.0 { (v / unit).round() * unit } else { v };
            let both = deviation.iter().zip(&means).map(|(d, mean)| snapped(mean + d));
            replicate.both = both.collect();
            replicate
        };
        let all: Vec<Replicate> = (0..TwoLevel::REPLICATES).into_par_iter().map(one).collect();
        let vary = blocks.iter().flatten().all(|sample| sample.as_ref().len() > 1);
        let (mut both, mut here, mut ranks) = (Vec::new(), Vec::new(), Vec::new());
        for one in all {
            both.push(one.both);
            here.push(one.here);
            ranks.push(one.ranks);
        }
        let here = vary.then(|| (MeanPosterior::of_draws(means.clone(), here), ranks));
        let both = MeanPosterior::of_draws(means.clone(), both);
        Ok(TwoLevel { means, blocks: found, both, here })
    }

    /// For each treatment, the share of replicates in which it has the highest mean over blocks
    /// like these.
    pub fn best(&self) -> Vec<f64> {
        self.both.best()
    }

    /// Like [`TwoLevel::best`], but over exactly these blocks; `None` if a sample has a single
    /// value.
    pub fn best_here(&self) -> Option<Vec<f64>> {
        self.here.as_ref().map(|here| here.0.best())
    }

    /// For each treatment, the interval of its position at a level such as 0.95, over blocks like
    /// these. Position 1 is the highest mean.
    pub fn positions(&self, level: f64) -> Vec<(usize, usize)> {
        self.both.positions(self.expanded(level))
    }

    /// Like [`TwoLevel::positions`], but over exactly these blocks; `None` if a sample has a single
    /// value.
    pub fn positions_here(&self, level: f64) -> Option<Vec<(usize, usize)>> {
        self.here.as_ref().map(|here| here.0.positions(level))
    }

    /// The interval of the difference between the means of two treatments over blocks like these, at
    /// a level such as 0.95.
    pub fn difference(&self, first: usize, second: usize, level: f64) -> Interval {
        central(self.both.differences(first, second), self.expanded(level))
    }

    /// Like [`TwoLevel::difference`], but over exactly these blocks; `None` if a sample has a
    /// single value.
    pub fn difference_here(&self, first: usize, second: usize, level: f64) -> Option<Interval> {
        Some(central(self.here.as_ref()?.0.differences(first, second), level))
    }

    /// The interval of the mean rank of each treatment over exactly these blocks, around the
    /// observed mean ranks. Drawing adds the variation of the values a second time, which moves all
    /// mean ranks towards the middle, so the replicates are moved back.
    pub fn ranks_here(&self, observed: &[f64], level: f64) -> Option<Vec<Interval>> {
        let ranks = &self.here.as_ref()?.1;
        let last = observed.len() as f64;
        let one = |(treatment, rank): (usize, &f64)| {
            let own: Vec<f64> = ranks.iter().map(|ranks| ranks[treatment]).collect();
            let shift = rank - mean(own.iter().copied()).unwrap_or(*rank);
            let Interval { low, high } = central(own, level);
            Interval { low: (low + shift).max(1.0), high: (high + shift).min(last) }
        };
        Some(observed.iter().enumerate().map(one).collect())
    }

    /// The share of replicates between the ends of an interval for which the interval is as wide as
    /// with Student's t distribution (the expanded percentile interval; Hesterberg, 2015).
    fn expanded(&self, level: f64) -> f64 {
        1.0 - normal_two_sided(student_quantile(1.0 - level, self.blocks - 1))
    }
}

fn central(mut values: Vec<f64>, level: f64) -> Interval {
    values.sort_unstable_by(f64::total_cmp);
    let outside = (1.0 - level) / 2.0;
    Interval { low: quantile(&values, outside), high: quantile(&values, 1.0 - outside) }
}

/// Draws a replicate. The deviations of drawn means are enlarged, because the variance of a mean of
/// draws from n values is too small by a factor of (n - 1) / n.
fn replicate<S: AsRef<[f64]>>(number: u64, blocks: &[Vec<S>], centres: &[Vec<f64>]) -> Replicate {
    let mut rng = ChaCha8Rng::seed_from_u64(TwoLevel::SEED);
    rng.set_stream(number);
    let mut below = move |n: usize| ((u64::from(rng.random::<u32>()) * n as u64) >> 32) as usize;
    let count = centres[0].len();
    let all = blocks.len() as f64;
    let mut drawn = Vec::with_capacity(blocks.len() * count);
    let (mut here, mut ranks) = (vec![0.0; count], vec![0.0; count]);
    for (block, centres) in blocks.iter().zip(centres) {
        let start = drawn.len();
        for (sample, centre) in block.iter().zip(centres) {
            let sample = sample.as_ref();
            let n = sample.len();
            if n < 2 || sample.windows(2).all(|pair| pair[0] == pair[1]) {
                drawn.push(*centre);
                continue;
            }
            let sum: f64 = (0..n).map(|_| sample[below(n)]).sum();
            let wider = (n as f64 / (n - 1) as f64).sqrt();
            drawn.push(centre + (sum / n as f64 - centre) * wider);
        }
        for (treatment, value) in drawn[start..].iter().enumerate() {
            here[treatment] += value / all;
            let above = drawn[start..].iter().filter(|other| *other > value).count();
            let equal = drawn[start..].iter().filter(|other| *other == value).count();
            ranks[treatment] += (above as f64 + (equal + 1) as f64 / 2.0) / all;
        }
    }
    let mut both = vec![0.0; count];
    for _ in blocks {
        let start = below(blocks.len()) * count;
        for (sum, value) in both.iter_mut().zip(&drawn[start..start + count]) {
            *sum += value / all;
        }
    }
    Replicate { both, here, ranks }
}

fn covariances<S: AsRef<[f64]>>(
    blocks: &[Vec<S>],
    centres: &[Vec<f64>],
    means: &[f64],
) -> (Vec<Vec<f64>>, Vec<Vec<f64>>) {
    let (count, all) = (means.len(), centres.len() as f64);
    let mut observed = vec![vec![0.0; count]; count];
    for block in centres {
        for one in 0..count {
            for other in 0..count {
                let product = (block[one] - means[one]) * (block[other] - means[other]);
                observed[one][other] += product / (all - 1.0);
            }
        }
    }
    let mut drawn = observed.clone();
    drawn.iter_mut().flatten().for_each(|value| *value *= (all - 1.0) / all);
    for (block, centres) in blocks.iter().zip(centres) {
        for (treatment, (sample, centre)) in block.iter().zip(centres).enumerate() {
            let sample = sample.as_ref();
            let n = sample.len();
            if n > 1 {
                let squares: f64 = sample.iter().map(|v| (v - centre) * (v - centre)).sum();
                // The expectation of the squared number of times that a block is drawn.
                let weight = 2.0 - 1.0 / all;
                drawn[treatment][treatment] += weight * squares / (n * (n - 1)) as f64 / all;
            }
        }
    }
    (observed, drawn)
}

#[cfg(test)]
mod tests {
    use super::super::posterior::Normals;
    use super::*;
    use crate::stats::t_interval;

    fn blocks(count: usize, runs: usize, spread: f64, number: u64) -> Vec<Vec<Vec<f64>>> {
        let mut rng = Normals::new(17, number);
        let block = |_| {
            let ease = 0.5 * rng.next();
            let sample = |effect: f64| {
                let place = ease + effect + 0.05 * rng.next();
                (0..runs).map(|_| place + spread * rng.next()).collect::<Vec<_>>()
            };
            [0.0, 0.02, 0.04].map(sample).to_vec()
        };
        (0..count).map(block).collect()
    }

    fn width(interval: Interval) -> f64 {
        interval.high - interval.low
    }

    /// The interval of a difference is about as wide as the paired t interval of the means.
    #[test]
    #[ignore = "slow"]
    fn both_levels_together_count_each_variation_once() {
        for (count, runs, spread) in [(40, 10, 0.3), (40, 2, 0.3), (12, 30, 0.1)] {
            let blocks = blocks(count, runs, spread, 1);
            let centre = |sample: &[f64]| mean(sample.iter().copied()).unwrap();
            let differences: Vec<f64> =
                blocks.iter().map(|b| centre(&b[2]) - centre(&b[0])).collect();
            let (_, expected) = t_interval(&differences, 0.95).unwrap();
            let found = TwoLevel::new(&blocks).unwrap().difference(2, 0, 0.95);
            let ratio = width(found) / width(expected);
            assert!((0.9..1.1).contains(&ratio), "{count} {runs}: {ratio}");
        }
    }

    #[test]
    #[ignore = "slow"]
    fn runs_narrow_what_they_can_narrow() {
        let of = |runs| TwoLevel::new(&blocks(60, runs, 0.3, 2)).unwrap();
        let (few, many) = (of(10), of(100));
        let here = |found: &TwoLevel| width(found.difference_here(1, 0, 0.95).unwrap());
        assert!((here(&few) / here(&many) - 10.0_f64.sqrt()).abs() < 0.5);
        // More runs do not reduce the variation between projects. In theory, the standard
        // deviations are 0.152 and 0.083.
        let ratio = width(few.difference(1, 0, 0.95)) / width(many.difference(1, 0, 0.95));
        assert!((1.5..2.2).contains(&ratio), "{ratio}");
        let ranks = [2.2, 2.0, 1.8];
        let width_of = |found: &TwoLevel| width(found.ranks_here(&ranks, 0.95).unwrap()[0]);
        assert!(width_of(&many) < width_of(&few));
    }

    #[test]
    fn equal_treatments_share() {
        let same: Vec<Vec<Vec<f64>>> =
            blocks(8, 3, 0.1, 3).into_iter().map(|b| vec![b[0].clone(), b[0].clone()]).collect();
        let found = TwoLevel::new(&same).unwrap();
        assert!(found.best().iter().all(|best| (best - 0.5).abs() < 0.01), "{:?}", found.best());
        let constant = vec![vec![[0.5, 0.5], [0.5, 0.5]]; 6];
        let found = TwoLevel::new(&constant).unwrap();
        assert_eq!(found.best(), [0.5, 0.5]);
        assert_eq!(found.difference(0, 1, 0.95), Interval { low: 0.0, high: 0.0 });
    }

    #[test]
    fn what_cannot_be_drawn_has_a_reason() {
        assert!(TwoLevel::new(&[vec![[1.0, 2.0]]]).is_err());
        assert!(TwoLevel::new(&vec![vec![[1.0, f64::NAN]]; 3]).is_err());
        assert_eq!(TwoLevel::new(&vec![vec![[1.0]; 17]; 3]), Err(Unavailable::TooMany));
        let single = TwoLevel::new(&[vec![[1.0], [2.0]], vec![[1.5], [2.0]]]).unwrap();
        assert_eq!((single.best_here(), single.best()), (None, vec![0.0, 1.0]));
    }
}
