//! The Wilcoxon signed-rank test of paired samples.

use super::{PValue, Ranks, Unavailable, finite, normal_two_sided, paired};

/// The Wilcoxon signed-rank test of paired samples. Pairs without a difference are left out, as in
/// Wilcoxon's paper.
#[derive(Clone, Debug, PartialEq)]
pub struct SignedRank {
    ranks: Ranks,
    /// Sum of the ranks of the pairs in which the first value is larger.
    positive: f64,
    pairs: usize,
}

impl SignedRank {
    /// Maximum number of differing pairs for which [`SignedRank::p`] is exact.
    pub const EXACT_DIFFERENCES: usize = 50;

    /// Compares the pairs of two samples.
    ///
    /// # Errors
    /// [`Unavailable`] if the samples cannot be compared.
    pub fn new(x: &[f64], y: &[f64]) -> Result<SignedRank, Unavailable> {
        paired(x, y)?;
        finite(x)?;
        finite(y)?;
        let differences: Vec<f64> =
            x.iter().zip(y).map(|(a, b)| a - b).filter(|d| *d != 0.0).collect();
        if differences.is_empty() {
            return Err(Unavailable::Constant);
        }
        let sizes: Vec<f64> = differences.iter().map(|d| d.abs()).collect();
        let ranks = Ranks::of(&sizes)?;
        let larger = ranks.ranks.iter().zip(&differences).filter(|(_, d)| **d > 0.0);
        // `sum` returns -0 for an empty iterator.
        let positive = larger.fold(0.0, |sum, (rank, _)| sum + rank);
        Ok(SignedRank { ranks, positive, pairs: x.len() })
    }

    /// The number of pairs that differ.
    pub fn differences(&self) -> usize {
        self.ranks.ranks.len()
    }

    /// The number of all pairs, with and without a difference.
    pub fn pairs(&self) -> usize {
        self.pairs
    }

    /// Whether any two differences have the same absolute value.
    pub fn has_ties(&self) -> bool {
        self.ranks.ties.len() < self.differences()
    }

    /// The sum of the ranks of the positive differences.
    pub fn positive(&self) -> f64 {
        self.positive
    }

    /// The matched-pairs rank-biserial correlation in -1..=1: the positive share of the rank sum
    /// minus the negative share.
    pub fn rank_biserial(&self) -> f64 {
        2.0 * self.positive / self.total() - 1.0
    }

    fn total(&self) -> f64 {
        let n = self.differences() as f64;
        n * (n + 1.0) / 2.0
    }

    /// The smaller of the rank sums of the positive and the negative differences.
    pub fn statistic(&self) -> f64 {
        self.positive.min(self.total() - self.positive)
    }

    /// The two-sided p-value: exact up to [`SignedRank::EXACT_DIFFERENCES`] differences, asymptotic
    /// for more.
    pub fn p(&self) -> PValue {
        if self.differences() <= SignedRank::EXACT_DIFFERENCES {
            self.exact()
        } else {
            self.asymptotic()
        }
    }

    /// The exact two-sided p-value given the ties. All combinations of signs are equally likely.
    pub fn exact(&self) -> PValue {
        // Doubled ranks are integers even with ties.
        let mut probabilities = vec![1.0];
        for rank in &self.ranks.ranks {
            let shift = (2.0 * rank) as usize;
            let mut next = vec![0.0; probabilities.len() + shift];
            for (sum, probability) in probabilities.iter().enumerate() {
                next[sum] += probability / 2.0;
                next[sum + shift] += probability / 2.0;
            }
            probabilities = next;
        }
        let tail = (2.0 * self.statistic()) as usize;
        PValue::exact(2.0 * probabilities[..=tail].iter().sum::<f64>())
    }

    /// The two-sided p-value from the normal distribution, corrected for ties but not for
    /// continuity.
    pub fn asymptotic(&self) -> PValue {
        self.normal(0.0)
    }

    /// Like [`SignedRank::asymptotic`], with a correction for continuity.
    pub fn asymptotic_continuous(&self) -> PValue {
        self.normal(0.5)
    }

    fn normal(&self, correction: f64) -> PValue {
        let n = self.differences() as f64;
        let variance = (n * (n + 1.0) * (2.0 * n + 1.0) - self.ranks.tie_term() / 2.0) / 24.0;
        let distance = (self.total() / 2.0 - self.statistic() - correction).max(0.0);
        PValue::asymptotic(normal_two_sided(distance / variance.sqrt()))
    }
}

#[cfg(test)]
mod tests {
    use super::super::Method;
    use super::*;

    #[test]
    fn five_pairs_that_agree() {
        let test =
            SignedRank::new(&[1.0, 2.0, 3.0, 4.0, 5.0, 7.0], &[0.0, 0.0, 0.0, 0.0, 0.0, 7.0])
                .unwrap();
        assert_eq!((test.differences(), test.statistic()), (5, 0.0));
        assert_eq!((test.pairs(), test.positive(), test.rank_biserial()), (6, 15.0, 1.0));
        // Two of 2^5 combinations of signs are as extreme.
        assert_eq!(test.p(), PValue { value: 0.0625, method: Method::Exact });
    }

    #[test]
    fn ties_share_their_rank() {
        // The ranks are 1.5, 1.5 and 3; the sums of subsets are 0, 1.5 (twice), 3 (twice), 4.5
        // (twice) and 6.
        let test = SignedRank::new(&[1.0, 0.0, 2.0], &[0.0, 1.0, 0.0]).unwrap();
        assert_eq!(test.statistic(), 1.5);
        assert_eq!(test.exact().value, 0.75);
    }

    #[test]
    fn samples_without_a_test_have_a_reason() {
        assert_eq!(SignedRank::new(&[1.0], &[]), Err(Unavailable::Unpaired(1, 0)));
        assert_eq!(SignedRank::new(&[], &[]), Err(Unavailable::Empty));
        assert_eq!(SignedRank::new(&[1.0, 2.0], &[1.0, 2.0]), Err(Unavailable::Constant));
        assert_eq!(SignedRank::new(&[f64::INFINITY], &[1.0]), Err(Unavailable::Infinite));
    }
}
