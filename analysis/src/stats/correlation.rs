//! Correlation of paired samples.

use statrs::function::beta::beta_reg;

use super::{PValue, Ranks, Unavailable, constant, finite, paired};

/// A correlation coefficient and its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Correlation {
    /// The coefficient, in -1..=1.
    pub r: f64,
    /// Two-sided p-value for r = 0, from Student's t distribution with n - 2 degrees of freedom for
    /// n pairs.
    pub p: PValue,
}

/// Pearson's coefficient of linear correlation.
///
/// # Errors
/// [`Unavailable`] if the coefficient does not exist for these samples.
pub fn pearson(x: &[f64], y: &[f64]) -> Result<Correlation, Unavailable> {
    Ok(Relation::new(x, y)?.correlation())
}

/// Spearman's coefficient of rank correlation: Pearson's coefficient of the ranks, where ties share
/// their mean rank.
///
/// # Errors
/// [`Unavailable`] if the coefficient does not exist for these samples.
pub fn spearman(x: &[f64], y: &[f64]) -> Result<Correlation, Unavailable> {
    paired(x, y)?;
    pearson(&Ranks::of(x)?.ranks, &Ranks::of(y)?.ranks)
}

pub(super) struct Relation {
    pub(super) r: f64,
    /// 1 - r², computed without cancellation for values of r near 1 or -1.
    pub(super) unexplained: f64,
    freedom: f64,
}

impl Relation {
    pub(super) fn new(x: &[f64], y: &[f64]) -> Result<Relation, Unavailable> {
        paired(x, y)?;
        finite(x)?;
        finite(y)?;
        if x.len() < 3 {
            return Err(Unavailable::TooFew { needed: 3, found: x.len() });
        }
        if constant(x) || constant(y) {
            return Err(Unavailable::Constant);
        }
        let freedom = (x.len() - 2) as f64;
        let (x, y) = (standardised(x), standardised(y));
        // Half the squared distance between two unit vectors is 1 minus their product.
        let below_one: f64 = x.iter().zip(&y).map(|(a, b)| (a - b) * (a - b) / 2.0).sum();
        let above_minus_one: f64 = x.iter().zip(&y).map(|(a, b)| (a + b) * (a + b) / 2.0).sum();
        let r = if below_one < 0.5 {
            1.0 - below_one
        } else if above_minus_one < 0.5 {
            above_minus_one - 1.0
        } else {
            x.iter().zip(&y).map(|(a, b)| a * b).sum()
        };
        Ok(Relation { r, unexplained: (below_one * above_minus_one).min(1.0), freedom })
    }

    pub(super) fn correlation(&self) -> Correlation {
        // P(|T| >= t) with t² = r² freedom / (1 - r²).
        let p = beta_reg(self.freedom / 2.0, 0.5, self.unexplained);
        Correlation { r: self.r, p: PValue::asymptotic(p) }
    }
}

/// Deviations from the mean, scaled to length 1.
fn standardised(sample: &[f64]) -> Vec<f64> {
    let mean = sample.iter().sum::<f64>() / sample.len() as f64;
    let deviations: Vec<f64> = sample.iter().map(|v| v - mean).collect();
    // The division by the largest deviation prevents overflow and underflow of the squares.
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
        assert!((up.r - 1.0).abs() < 1e-15 && up.p.value < 1e-30);
        let steep = spearman(&[1.0, 2.0, 3.0], &[-1.0, -10.0, f64::NEG_INFINITY]).unwrap();
        assert!((steep.r + 1.0).abs() < 1e-15 && steep.p.value < 1e-15);
    }

    #[test]
    fn three_points_by_hand() {
        // r = 1/2 with one degree of freedom: t = 1/√3, p = 2/3.
        let c = pearson(&[1.0, 2.0, 3.0], &[1.0, 3.0, 2.0]).unwrap();
        assert!((c.r - 0.5).abs() < 1e-15);
        assert!((c.p.value - 2.0 / 3.0).abs() < 1e-12);
    }

    #[test]
    fn samples_without_a_correlation_have_a_reason() {
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
