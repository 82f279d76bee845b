//! The model of Bradley and Terry (1952): each treatment has a strength, and the logit of the
//! probability that a treatment is better than another on a block is the difference between their
//! strengths.
//!
//! Strengths have a normal prior, and their posterior is approximated by the normal distribution at
//! its mode (Laplace's method). A tie counts as half a win for each treatment.

use super::matrix::{cholesky, solve, solve_transposed};
use super::posterior::MeanPosterior;
use super::{Unavailable, finite, treatments};

const PRIOR: f64 = 2.0;

const STEPS: usize = 50;

/// Strengths of treatments.
#[derive(Clone, Debug, PartialEq)]
pub struct BradleyTerry {
    /// The most probable strengths, whose sum is 0.
    pub strengths: Vec<f64>,
    posterior: MeanPosterior,
}

impl BradleyTerry {
    /// Fits the model to blocks. Each block has a value for each treatment; higher values are
    /// better.
    ///
    /// # Errors
    /// [`Unavailable`] if the model cannot be fitted to these blocks.
    pub fn new<B: AsRef<[f64]>>(blocks: &[B]) -> Result<BradleyTerry, Unavailable> {
        let count = treatments(blocks, 1)?;
        blocks.iter().try_for_each(|block| finite(block.as_ref()))?;
        let mut wins = vec![vec![0.0; count]; count];
        for block in blocks {
            let block = block.as_ref();
            for one in 0..count {
                for other in (0..count).filter(|&other| other != one) {
                    let (own, theirs) = (block[one], block[other]);
                    wins[one][other] += f64::from(u8::from(own > theirs));
                    wins[one][other] += f64::from(u8::from(own == theirs)) / 2.0;
                }
            }
        }
        let mut strengths = vec![0.0; count];
        let mut factor = Vec::new();
        for _ in 0..STEPS {
            let (slope, curvature) = derivatives(&wins, &strengths);
            factor = cholesky(&curvature);
            let step = solve(&factor, &slope);
            strengths.iter_mut().zip(&step).for_each(|(strength, step)| *strength += step);
            if step.iter().all(|step| step.abs() < 1e-12) {
                break;
            }
        }
        let posterior =
            MeanPosterior::normal(strengths.clone(), |normals| solve_transposed(&factor, normals));
        Ok(BradleyTerry { strengths, posterior })
    }

    /// For each treatment, the probability that this treatment has the highest strength.
    pub fn best(&self) -> Vec<f64> {
        self.posterior.best()
    }

    /// The probability that the first treatment is better than the second on the next block.
    pub fn wins(&self, first: usize, second: usize) -> f64 {
        1.0 / (1.0 + libm::exp(self.strengths[second] - self.strengths[first]))
    }

    /// The probability that the first treatment is stronger than the second, and the probability
    /// that the two are equivalent. Two treatments are equivalent if the share of blocks on which
    /// each wins differs from one half by at most `margin`, which is in 0..0.5.
    pub fn pair(&self, first: usize, second: usize, margin: f64) -> (f64, f64) {
        let logit = libm::log((0.5 + margin) / (0.5 - margin));
        self.posterior.pair(first, second, logit)
    }
}

fn derivatives(wins: &[Vec<f64>], strengths: &[f64]) -> (Vec<f64>, Vec<Vec<f64>>) {
    let count = strengths.len();
    let precision = 1.0 / (PRIOR * PRIOR);
    let mut slope: Vec<f64> = strengths.iter().map(|strength| -precision * strength).collect();
    let mut curvature = vec![vec![0.0; count]; count];
    for one in 0..count {
        curvature[one][one] += precision;
        for other in (0..count).filter(|&other| other != one) {
            let p = 1.0 / (1.0 + libm::exp(strengths[other] - strengths[one]));
            let all = wins[one][other] + wins[other][one];
            slope[one] += wins[one][other] - all * p;
            curvature[one][one] += all * p * (1.0 - p);
            curvature[one][other] -= all * p * (1.0 - p);
        }
    }
    (slope, curvature)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_treatments_have_the_mode_of_their_equation() {
        let blocks: Vec<[f64; 2]> =
            (0..10).map(|block| if block < 7 { [1.0, 0.0] } else { [0.0, 1.0] }).collect();
        let model = BradleyTerry::new(&blocks).unwrap();
        // The strength s of the first treatment solves 7 - 10 p(2 s) = s / 4.
        let s = model.strengths[0];
        let p = 1.0 / (1.0 + libm::exp(-2.0 * s));
        assert!((7.0 - 10.0 * p - s / 4.0).abs() < 1e-9, "{s}");
        assert!((model.strengths[1] + s).abs() < 1e-12);
        assert!((model.wins(0, 1) - p).abs() < 1e-12);
        let (stronger, near) = model.pair(0, 1, 0.05);
        assert!(stronger > 0.85 && stronger < 0.95 && near < 0.2, "{stronger} {near}");
    }

    #[test]
    fn equal_treatments_share_and_a_dominant_one_is_best() {
        let same: Vec<[f64; 3]> = vec![[1.0, 1.0, 1.0]; 40];
        let best = BradleyTerry::new(&same).unwrap().best();
        assert!(best.iter().all(|best| (best - 1.0 / 3.0).abs() < 0.04), "{best:?}");
        let first: Vec<[f64; 3]> = vec![[3.0, 1.0, 2.0]; 20];
        let model = BradleyTerry::new(&first).unwrap();
        assert!(model.best()[0] > 0.95, "{:?}", model.best());
        assert!(model.strengths[0] > model.strengths[2]);
        assert!(model.strengths[2] > model.strengths[1]);
        assert!(BradleyTerry::new(&[[f64::NAN, 1.0]]).is_err());
    }
}
