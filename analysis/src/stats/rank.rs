//! Ranks with ties.

use super::{Unavailable, ordered};

/// The ranks of a sample, from 1. Equal values share the mean of their ranks.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranks {
    /// The rank of each value, in the order of the sample.
    pub ranks: Vec<f64>,
    /// The number of occurrences of each distinct value, in ascending order of the values.
    pub ties: Vec<usize>,
}

impl Ranks {
    /// Ranks a sample. -0 and 0 are equal.
    ///
    /// # Errors
    /// [`Unavailable`] if the sample is empty or contains NaN.
    pub fn of(sample: &[f64]) -> Result<Ranks, Unavailable> {
        ordered(sample)?;
        let mut order: Vec<usize> = (0..sample.len()).collect();
        // Adding 0 turns -0 into 0, which `total_cmp` would distinguish.
        order.sort_unstable_by(|&a, &b| (sample[a] + 0.0).total_cmp(&(sample[b] + 0.0)));
        let mut ranks = vec![0.0; sample.len()];
        let mut ties = Vec::new();
        let mut below = 0;
        for group in order.chunk_by(|&a, &b| sample[a] == sample[b]) {
            let shared = below as f64 + (group.len() + 1) as f64 / 2.0;
            for &i in group {
                ranks[i] = shared;
            }
            ties.push(group.len());
            below += group.len();
        }
        Ok(Ranks { ranks, ties })
    }

    /// The sum of t³ - t over the groups of t equal values, which is part of the variance of rank
    /// statistics with ties.
    pub(super) fn tie_term(&self) -> f64 {
        self.ties.iter().map(|&t| t as f64).map(|t| t * (t * t - 1.0)).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_values_share_the_mean_rank() {
        let ranks = Ranks::of(&[3.0, 1.0, 3.0, f64::INFINITY, -0.0, 0.0]).unwrap();
        assert_eq!(ranks.ranks, [4.5, 3.0, 4.5, 6.0, 1.5, 1.5]);
        assert_eq!(ranks.ties, [2, 1, 2, 1]);
        assert_eq!(ranks.tie_term(), 12.0);
    }

    #[test]
    fn samples_without_an_order_have_no_ranks() {
        assert_eq!(Ranks::of(&[]), Err(Unavailable::Empty));
        assert_eq!(Ranks::of(&[1.0, f64::NAN]), Err(Unavailable::NotANumber));
    }
}
