//! The straight line that fits points best.

use super::correlation::Relation;
use super::{PValue, Unavailable};

/// The least-squares line through points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinearFit {
    /// Increase in y if x increases by one.
    pub slope: f64,
    /// Value of y at x = 0.
    pub intercept: f64,
    /// Pearson's correlation coefficient; its square is the explained share of the variance.
    pub r: f64,
    /// Two-sided p-value for a slope of zero.
    pub p: PValue,
    /// Standard error of the slope.
    pub slope_error: f64,
    /// Standard error of the intercept.
    pub intercept_error: f64,
}

impl LinearFit {
    /// Fits a line to points with these coordinates.
    ///
    /// # Errors
    /// As for [`pearson`](super::pearson).
    pub fn new(x: &[f64], y: &[f64]) -> Result<LinearFit, Unavailable> {
        let relation = Relation::new(x, y)?;
        let n = x.len() as f64;
        let (x_mean, y_mean) = (x.iter().sum::<f64>() / n, y.iter().sum::<f64>() / n);
        let squares =
            |sample: &[f64], mean: f64| sample.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>();
        let (xx, yy) = (squares(x, x_mean), squares(y, y_mean));
        let xy: f64 = x.iter().zip(y).map(|(x, y)| (x - x_mean) * (y - y_mean)).sum();
        let slope = xy / xx;
        let slope_error = (relation.unexplained * yy / xx / (n - 2.0)).sqrt();
        Ok(LinearFit {
            slope,
            intercept: y_mean - slope * x_mean,
            r: relation.r,
            p: relation.correlation().p,
            slope_error,
            intercept_error: slope_error * (xx / n + x_mean * x_mean).sqrt(),
        })
    }

    /// The value of y on the line at `x`.
    pub fn at(&self, x: f64) -> f64 {
        self.intercept + self.slope * x
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_points_by_hand() {
        // The residuals are 1/6, -1/3 and 1/6, and the sum of their squares is 1/6 with one degree
        // of freedom.
        let fit = LinearFit::new(&[0.0, 1.0, 2.0], &[0.0, 1.0, 3.0]).unwrap();
        assert!((fit.slope - 1.5).abs() < 1e-15);
        assert!((fit.intercept + 1.0 / 6.0).abs() < 1e-15);
        assert!((fit.at(2.0) - 17.0 / 6.0).abs() < 1e-15);
        assert!((fit.slope_error - (1.0_f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!((fit.intercept_error - (5.0_f64 / 36.0).sqrt()).abs() < 1e-12);
    }

    #[test]
    fn points_without_a_line_have_a_reason() {
        assert_eq!(LinearFit::new(&[1.0; 3], &[1.0, 2.0, 3.0]), Err(Unavailable::Constant));
        assert_eq!(LinearFit::new(&[1.0], &[]), Err(Unavailable::Unpaired(1, 0)));
    }
}
