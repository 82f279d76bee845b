//! Tests of several samples: the Kruskal-Wallis test and Friedman's test.

use statrs::distribution::{ChiSquared, ContinuousCDF};

use super::{PValue, Ranks, Unavailable, ordered, treatments};

/// A statistic with an approximate chi-square distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChiSquare {
    /// The statistic, corrected for ties.
    pub statistic: f64,
    /// Degrees of freedom: the number of samples or treatments minus 1.
    pub freedom: usize,
    /// The p-value from the chi-square distribution.
    pub p: PValue,
}

impl ChiSquare {
    fn new(statistic: f64, freedom: usize) -> ChiSquare {
        // Rounding may make a statistic of 0 slightly negative.
        let statistic = statistic.max(0.0);
        let p = ChiSquared::new(freedom as f64).map_or(1.0, |d| d.sf(statistic));
        ChiSquare { statistic, freedom, p: PValue::asymptotic(p) }
    }
}

/// The Kruskal-Wallis test of independent samples, which may differ in length.
///
/// # Errors
/// [`Unavailable`] if the statistic does not exist for these samples.
pub fn kruskal_wallis(samples: &[&[f64]]) -> Result<ChiSquare, Unavailable> {
    if samples.len() < 2 {
        return Err(Unavailable::TooFew { needed: 2, found: samples.len() });
    }
    for sample in samples {
        ordered(sample)?;
    }
    let pooled = Ranks::of(&samples.concat())?;
    if pooled.ties.len() == 1 {
        return Err(Unavailable::Constant);
    }
    let all = pooled.ranks.len() as f64;
    let mut rest = &pooled.ranks[..];
    let mut squares = 0.0;
    for sample in samples {
        let (ranks, others) = rest.split_at(sample.len());
        let sum: f64 = ranks.iter().sum();
        squares += sum * sum / sample.len() as f64;
        rest = others;
    }
    let uncorrected = 12.0 / (all * (all + 1.0)) * squares - 3.0 * (all + 1.0);
    let correction = 1.0 - pooled.tie_term() / (all * (all * all - 1.0));
    Ok(ChiSquare::new(uncorrected / correction, samples.len() - 1))
}

/// Friedman's test: each block (a project) has one value for each of the same treatments
/// (algorithms), in the same order.
///
/// # Errors
/// [`Unavailable`] if the statistic does not exist for these blocks.
pub fn friedman<B: AsRef<[f64]>>(blocks: &[B]) -> Result<ChiSquare, Unavailable> {
    let treatments = treatments(blocks, 2)?;
    let mut sums = vec![0.0; treatments];
    let mut tie_term = 0.0;
    for block in blocks.iter().map(AsRef::as_ref) {
        let ranks = Ranks::of(block)?;
        tie_term += ranks.tie_term();
        for (sum, rank) in sums.iter_mut().zip(&ranks.ranks) {
            *sum += rank;
        }
    }
    let (n, k) = (blocks.len() as f64, treatments as f64);
    let most_ties = n * k * (k * k - 1.0);
    if tie_term == most_ties {
        return Err(Unavailable::Constant);
    }
    let squares: f64 = sums.iter().map(|s| s * s).sum();
    let uncorrected = 12.0 / (n * k * (k + 1.0)) * squares - 3.0 * n * (k + 1.0);
    Ok(ChiSquare::new(uncorrected / (1.0 - tie_term / most_ties), treatments - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_samples_in_a_row() {
        // The rank sums are 3, 7 and 11: H = 12/42 (9/2 + 49/2 + 121/2) - 21 = 32/7.
        let h = kruskal_wallis(&[&[1.0, 2.0], &[3.0, 4.0], &[5.0, 6.0]]).unwrap();
        assert!((h.statistic - 32.0 / 7.0).abs() < 1e-12);
        // The survival function of chi-square with two degrees of freedom is e^(-h/2).
        assert!((h.p.value - (-16.0_f64 / 7.0).exp()).abs() < 1e-12);
    }

    #[test]
    fn blocks_that_agree() {
        // Four blocks with the same order: 12/(4·3·4) (16 + 64 + 144) - 48 = 8.
        let q = friedman(&[[1.0, 2.0, 3.0]; 4]).unwrap();
        assert!((q.statistic - 8.0).abs() < 1e-12);
        assert!((q.p.value - (-4.0_f64).exp()).abs() < 1e-12);
    }

    #[test]
    fn two_treatments_are_a_sign_test() {
        // Without the tie, seven signs of one kind and one sign of the other: (7 - 1)² / 8.
        let mut blocks = vec![[1.0, 2.0]; 7];
        blocks.extend([[2.0, 1.0], [3.0, 3.0]]);
        assert!((friedman(&blocks).unwrap().statistic - 4.5).abs() < 1e-12);
    }

    #[test]
    fn samples_without_a_test_have_a_reason() {
        assert_eq!(friedman::<Vec<f64>>(&[]), Err(Unavailable::Empty));
        assert_eq!(friedman(&[[1.0; 3]; 4]), Err(Unavailable::Constant));
        assert_eq!(friedman(&[vec![1.0, 2.0, 3.0], vec![1.0]]), Err(Unavailable::Unpaired(3, 1)));
        assert_eq!(friedman(&[[1.0]]), Err(Unavailable::TooFew { needed: 2, found: 1 }));
        assert_eq!(kruskal_wallis(&[&[1.0], &[]]), Err(Unavailable::Empty));
        assert_eq!(kruskal_wallis(&[&[1.0], &[1.0]]), Err(Unavailable::Constant));
    }
}
