//! Nemenyi's comparison of all pairs of treatments after Friedman's test: mean ranks and the
//! critical difference (Demšar, 2006, section 3.2.2).

use std::f64::consts::{PI, SQRT_2};

use super::{PValue, Ranks, Unavailable, normal_quantile, treatments};

/// The mean ranks of several treatments, which determine whether their differences are significant.
#[derive(Clone, Debug, PartialEq)]
pub struct Nemenyi {
    /// The mean rank of each treatment over the blocks. Rank 1 is the smallest value.
    pub mean_ranks: Vec<f64>,
    /// The number of blocks.
    pub blocks: usize,
}

impl Nemenyi {
    /// Ranks the treatments within each block.
    ///
    /// # Errors
    /// [`Unavailable`] if the treatments cannot be ranked.
    pub fn new<B: AsRef<[f64]>>(blocks: &[B]) -> Result<Nemenyi, Unavailable> {
        let mut mean_ranks = vec![0.0; treatments(blocks, 2)?];
        for block in blocks {
            for (sum, rank) in mean_ranks.iter_mut().zip(&Ranks::of(block.as_ref())?.ranks) {
                *sum += rank;
            }
        }
        for sum in &mut mean_ranks {
            *sum /= blocks.len() as f64;
        }
        Ok(Nemenyi { mean_ranks, blocks: blocks.len() })
    }

    /// The unit of the studentised range: the standard error of a difference between two mean
    /// ranks, divided by √2.
    fn unit(&self) -> f64 {
        let k = self.mean_ranks.len() as f64;
        (k * (k + 1.0) / (12.0 * self.blocks as f64)).sqrt()
    }

    /// The critical difference: the smallest difference between mean ranks that is significant at a
    /// level such as 0.05.
    pub fn critical_difference(&self, level: f64) -> f64 {
        range_quantile(level, self.mean_ranks.len()) * self.unit()
    }

    /// The p-value of the difference between two treatments, corrected for all pairs.
    pub fn p(&self, first: usize, second: usize) -> PValue {
        let distance = (self.mean_ranks[first] - self.mean_ranks[second]).abs();
        PValue::asymptotic(range_tail(distance / self.unit(), self.mean_ranks.len()))
    }

    /// The groups of treatments that do not differ significantly, as indices in the order of the
    /// mean ranks. Single treatments and groups within larger groups are left out.
    pub fn cliques(&self, level: f64) -> Vec<Vec<usize>> {
        let reach = self.critical_difference(level);
        let mut order: Vec<usize> = (0..self.mean_ranks.len()).collect();
        order.sort_by(|&a, &b| self.mean_ranks[a].total_cmp(&self.mean_ranks[b]));
        let rank = |i: usize| self.mean_ranks[order[i]];
        let mut cliques = Vec::new();
        let mut end = 0;
        for start in 0..order.len() {
            let last = (start..order.len()).take_while(|&i| rank(i) - rank(start) < reach).count();
            if last > 1 && start + last > end {
                end = start + last;
                cliques.push(order[start..end].to_vec());
            }
        }
        cliques
    }
}

/// P(Q >= q) of the studentised range of `k` values with infinite degrees of freedom: the
/// probability that the range of `k` standard normal values is at least `q`.
///
/// If the largest value is z, the other values are below z, and not all of them are within q of z.
/// The probability is therefore k ∫ φ(z) (Φ(z)^(k-1) - (Φ(z) - Φ(z - q))^(k-1)) dz.
pub(super) fn range_tail(q: f64, k: usize) -> f64 {
    if q <= 0.0 {
        return 1.0;
    }
    const STEP: f64 = 1.0 / 32.0;
    let others = (k - 1) as f64;
    let steps = (22.0 / STEP) as i32;
    let start = q / 2.0 - 10.0;
    let integrand = |i: i32| {
        let z = start + f64::from(i) * STEP;
        let below = normal_below(z);
        let beyond = normal_below(z - q) / below;
        let difference = -libm::expm1(others * libm::log1p(-beyond));
        libm::exp(-z * z / 2.0) * below.powf(others) * difference
    };
    // If `q` is infinite, the terms are NaN. Omit them, so that the result is 0.
    let sum: f64 = (0..=steps).map(integrand).filter(|v| v.is_finite()).sum();
    (k as f64 * sum * STEP / (2.0 * PI).sqrt()).min(1.0)
}

/// The q that the studentised range of `k` values exceeds with probability `level`.
pub(super) fn range_quantile(level: f64, k: usize) -> f64 {
    // The upper end is above Bonferroni's bound.
    let pairs = (k * (k - 1)) as f64;
    let (mut low, mut high) = (0.0, SQRT_2 * normal_quantile(1.0 - level / pairs).max(1.0) + 1.0);
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        if range_tail(middle, k) > level { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

fn normal_below(z: f64) -> f64 {
    libm::erfc(-z / SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found:e}, not {expected:e}");
    }

    #[test]
    fn two_values_spread_like_one_normal_value() {
        for q in [1e-3, 0.5, 2.77, 8.0, 30.0, 52.0] {
            close(range_tail(q, 2), libm::erfc(q / 2.0));
        }
    }

    #[test]
    fn the_critical_values_of_the_literature() {
        close(range_tail(3.3, 10), 0.367_076_510_114_961_6);
        close(range_tail(0.4, 5), 0.998_602_991_228_766_5);
        close(range_tail(7.5, 12), 7.392_045_108_245_426e-6);
        close(range_tail(7.5, 40), 8.430_458_575_225_952e-5);
        // The values in Demšar's Table 5(a) are divided by √2.
        for (k, tabled) in [(2, 1.960), (3, 2.343), (5, 2.728), (10, 3.164)] {
            assert!((range_quantile(0.05, k) / SQRT_2 - tabled).abs() < 1e-3, "{k}");
        }
    }

    #[test]
    fn treatments_that_do_not_differ_are_joined() {
        let blocks: Vec<[f64; 4]> = (0..30)
            .map(|i| {
                let swap = f64::from(i % 2);
                [1.0 + swap, 2.0 - swap, 3.0 + swap, 4.0 - swap]
            })
            .collect();
        let found = Nemenyi::new(&blocks).unwrap();
        assert_eq!(found.mean_ranks, [1.5, 1.5, 3.5, 3.5]);
        assert_eq!(found.p(0, 1).value, 1.0);
        assert!(found.p(0, 2).value < 1e-6);
        assert_eq!(found.cliques(0.05), [[0, 1], [2, 3]]);
        let difference = found.critical_difference(0.05);
        assert!((difference - 2.569 * (20.0_f64 / 180.0).sqrt()).abs() < 1e-3, "{difference}");
    }
}
