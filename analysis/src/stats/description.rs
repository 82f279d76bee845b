//! Descriptive statistics of a sample.

use super::{Unavailable, ordered};

/// Descriptive statistics of a sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Description {
    /// Number of values.
    pub n: usize,
    /// The arithmetic mean.
    pub mean: f64,
    /// The standard deviation with n - 1 degrees of freedom; `None` for a single value.
    pub deviation: Option<f64>,
    /// The smallest value.
    pub minimum: f64,
    /// The quantile 1/4.
    pub lower_quartile: f64,
    /// The quantile 1/2.
    pub median: f64,
    /// The quantile 3/4.
    pub upper_quartile: f64,
    /// The largest value.
    pub maximum: f64,
}

impl Description {
    /// Describes a sample.
    ///
    /// # Errors
    /// [`Unavailable`] if the sample is empty or contains NaN.
    pub fn of(sample: &[f64]) -> Result<Description, Unavailable> {
        ordered(sample)?;
        let mut sorted = sample.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let n = sorted.len();
        // The mean of equal values must be exactly their value, because their deviation must be 0.
        let is_constant = sorted[0] == sorted[n - 1];
        let mean = if is_constant { sorted[0] } else { sorted.iter().sum::<f64>() / n as f64 };
        let squares: f64 = match is_constant && sorted[0].is_finite() {
            true => 0.0,
            false => sorted.iter().map(|v| (v - mean) * (v - mean)).sum(),
        };
        Ok(Description {
            n,
            mean,
            deviation: (n > 1).then(|| (squares / (n - 1) as f64).sqrt()),
            minimum: sorted[0],
            lower_quartile: quantile(&sorted, 0.25),
            median: quantile(&sorted, 0.5),
            upper_quartile: quantile(&sorted, 0.75),
            maximum: sorted[n - 1],
        })
    }
}

/// The arithmetic mean; `None` without values.
pub fn mean(values: impl IntoIterator<Item = f64>) -> Option<f64> {
    let (mut sum, mut n) = (0.0, 0_u64);
    for value in values {
        sum += value;
        n += 1;
    }
    (n > 0).then(|| sum / n as f64)
}

/// The quantile of an ascending, non-empty sample for a share in 0..=1, interpolated between
/// neighbours (Hyndman and Fan's type 7, the default of R and NumPy).
pub(super) fn quantile(sorted: &[f64], share: f64) -> f64 {
    let position = share * (sorted.len() - 1) as f64;
    let below = sorted[position.floor() as usize];
    let above = sorted[position.ceil() as usize];
    // Equal neighbours are returned unchanged, because the difference between equal infinite values
    // is NaN.
    let (difference, share) = (above - below, position.fract());
    if below == above {
        below
    } else if difference.is_finite() {
        below + difference * share
    } else {
        // The difference is infinite.
        below * (1.0 - share) + above * share
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_difference_may_be_too_large() {
        assert_eq!(quantile(&[-1e308, 1e308], 0.5), 0.0);
        assert_eq!(quantile(&[f64::NEG_INFINITY, 5.0], 0.5), f64::NEG_INFINITY);
    }

    #[test]
    fn four_values() {
        let found = Description::of(&[4.0, 1.0, 3.0, 2.0]).unwrap();
        let expected = Description {
            n: 4,
            mean: 2.5,
            deviation: Some((5.0_f64 / 3.0).sqrt()),
            minimum: 1.0,
            lower_quartile: 1.75,
            median: 2.5,
            upper_quartile: 3.25,
            maximum: 4.0,
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn one_value_has_no_deviation_and_no_values_have_no_mean() {
        let single = Description::of(&[f64::INFINITY]).unwrap();
        assert_eq!((single.deviation, single.median), (None, f64::INFINITY));
        assert_eq!(Description::of(&[]), Err(Unavailable::Empty));
        assert_eq!(Description::of(&[f64::NAN]), Err(Unavailable::NotANumber));
        assert_eq!(mean([]), None);
    }
}
