//! Conover's comparison of rank sums after Friedman's test, for comparisons with one treatment.
//! Ties are allowed (Conover, 1999, section 5.8).

use statrs::distribution::{ContinuousCDF, StudentsT};

use super::{PValue, Ranks, Unavailable, treatments};

/// The mean ranks of several treatments and the standard error of the difference between two rank
/// sums.
#[derive(Clone, Debug, PartialEq)]
pub struct Conover {
    /// The mean rank of each treatment over the blocks. Rank 1 is the smallest value.
    pub mean_ranks: Vec<f64>,
    /// The number of blocks.
    pub blocks: usize,
    error: f64,
}

impl Conover {
    /// Ranks the treatments within each block.
    ///
    /// # Errors
    /// [`Unavailable`] if the treatments cannot be ranked.
    pub fn new<B: AsRef<[f64]>>(blocks: &[B]) -> Result<Conover, Unavailable> {
        let treatments = treatments(blocks, 2)?;
        if blocks.len() < 2 {
            return Err(Unavailable::TooFew { needed: 2, found: blocks.len() });
        }
        let (mut sums, mut squares) = (vec![0.0; treatments], 0.0);
        for block in blocks {
            for (sum, rank) in sums.iter_mut().zip(&Ranks::of(block.as_ref())?.ranks) {
                *sum += rank;
                squares += rank * rank;
            }
        }
        let n = blocks.len() as f64;
        let freedom = (n - 1.0) * (treatments - 1) as f64;
        let between: f64 = sums.iter().map(|sum| sum * sum).sum();
        let error = (2.0 * (n * squares - between).max(0.0) / freedom).sqrt();
        let mean_ranks = sums.into_iter().map(|sum| sum / n).collect();
        Ok(Conover { mean_ranks, blocks: blocks.len(), error })
    }

    /// The p-value of the difference between two treatments, not corrected for other pairs.
    pub fn p(&self, first: usize, second: usize) -> PValue {
        let n = self.blocks as f64;
        let distance = (self.mean_ranks[first] - self.mean_ranks[second]).abs() * n;
        if distance == 0.0 {
            return PValue::DEGENERATE;
        }
        let freedom = (n - 1.0) * (self.mean_ranks.len() - 1) as f64;
        // If all blocks agree, the standard error is 0, as is the p-value.
        let tail = StudentsT::new(0.0, 1.0, freedom).map_or(1.0, |t| t.sf(distance / self.error));
        PValue::asymptotic(2.0 * tail)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_treatments_by_hand() {
        // Ranks 1 2 3, 1 3 2, 2 1 3: sums 4, 6, 8; 2 (3·42 - 116) / 4 = 5.
        let test = Conover::new(&[[1.0, 2.0, 3.0], [1.0, 3.0, 2.0], [5.0, 4.0, 6.0]]).unwrap();
        assert!((test.error - 5.0_f64.sqrt()).abs() < 1e-12);
        // With 4 degrees of freedom P(|T| > t) = 1 - s (3 - s²) / 2 with s = t / √(4 + t²).
        let s = (3.2_f64 / 7.2).sqrt();
        assert!((test.p(0, 2).value - (1.0 - s * (3.0 - s * s) / 2.0)).abs() < 1e-12);
        assert_eq!(test.p(1, 1).value, 1.0);
    }

    #[test]
    fn blocks_that_agree_have_p_0_and_equal_ones_p_1() {
        assert_eq!(Conover::new(&[[1.0, 2.0]; 3]).unwrap().p(0, 1).value, 0.0);
        assert_eq!(Conover::new(&[[1.0, 1.0]; 3]).unwrap().p(0, 1).value, 1.0);
        let one = Conover::new(&[[1.0, 2.0]]);
        assert_eq!(one, Err(Unavailable::TooFew { needed: 2, found: 1 }));
    }
}
