//! Correlation of two measures of the same things.

use statrs::function::beta::beta_reg;

use super::{PValue, Ranks, Unavailable, constant, finite, paired};

/// A coefficient of correlation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// In -1..=1.
    pub r: f64,
    /// Two-sided p-value of r = 0, by Student's t distribution with two degrees of
    /// freedom less than there are pairs.
    pub p: PValue,
}

/// Pearson's coefficient: how linear the relation is.
///
/// # Errors
/// [`Unavailable`] for samples of different lengths, fewer than three pairs, NaN and
/// infinite values, and a sample of equal values.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Correlation, Unavailable> {
    paired(x, y)?;
    finite(x)?;
    finite(y)?;
    if x.len() < 3 {
        return Err(Unavailable::TooFew { needed: 3, found: x.len() });
    }
    if constant(x) || constant(y) {
        return Err(Unavailable::Constant);
    }
    let (x, y) = (standardised(x), standardised(y));
    let r = x.iter().zip(&y).map(|(a, b)| a * b).sum::<f64>().clamp(-1.0, 1.0);
    let freedom = (x.len() - 2) as f64;
    // P(|T| >= t) with t² = r² freedom / (1 - r²).
    let p = beta_reg(freedom / 2.0, 0.5, (1.0 - r) * (1.0 + r));
    Ok(Correlation { r, p: PValue::asymptotic(p) })
}

/// Spearman's coefficient: how monotonic the relation is; Pearson's coefficient of
/// the ranks, ties sharing the mean rank.
///
/// # Errors
/// As [`pearson`], but infinite values have ranks.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<Correlation, Unavailable> {
    paired(x, y)?;
    pearson(&Ranks::of(x)?.ranks, &Ranks::of(y)?.ranks)
}

/// Deviations from the mean, scaled to length 1.
fn standardised(sample: &[f64]) -> Vec<f64> {
    let mean = sample.iter().sum::<f64>() / sample.len() as f64;
    let deviations: Vec<f64> = sample.iter().map(|v| v - mean).collect();
    // Scaled by the largest first, so that no square overflows or vanishes.
    let largest = deviations.iter().fold(0.0_f64, |m, d| m.max(d.abs()));
    let length = deviations.iter().map(|d| (d / largest) * (d / largest)).sum::<f64>().sqrt();
    deviations.into_iter().map(|d| d / largest / length).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_perfectly_correlated() {
        let up = pearson(&[1.0, 2.0, 3.0, 4.0], &[10.0, 20.0, 30.0, 40.0]).unwrap();
        assert!((up.r - 1.0).abs() < 1e-15 && up.p.value < 1e-12);
        let steep = spearman(&[1.0, 2.0, 3.0], &[-1.0, -10.0, f64::NEG_INFINITY]).unwrap();
        assert!((steep.r + 1.0).abs() < 1e-15);
    }

    #[test]
    fn three_points_by_hand() {
        // r = 1/2 with one degree of freedom: t = 1/√3, p = 2/3.
        let c = pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        assert!((c.r - 0.5).abs() < 1e-15);
        assert!((c.p.value - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn samples_without_a_correlation_say_why() {
        assert_eq!(pearson(&[1.0], &[1.0, 2.0]), Err(Unavailable::Unpaired(1, 2)));
        assert_eq!(pearson(&[], &[]), Err(Unavailable::Empty));
        let few = Unavailable::TooFew { needed: 3, found: 2 };
        assert_eq!(pearson(&[1.0, 2.0], &[1.0, 2.0]), Err(few));
        assert_eq!(pearson(&[1.0; 4], &[1.0, 2.0, 3.0, 4.0]), Err(Unavailable::Constant));
        assert_eq!(
            pearson(&[1.0, 2.0, f64::INFINITY], &[1.0, 2.0, 3.0]),
            Err(Unavailable::Infinite)
        );
        assert_eq!(spearman(&[1.0, 2.0, f64::NAN], &[1.0, 2.0, 3.0]), Err(Unavailable::NotANumber));
    }
}
