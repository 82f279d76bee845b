//! Student's t distribution for integer degrees of freedom, computed by finite sums of elementary
//! functions.

use std::f64::consts::PI;

use super::effect_size::Interval;
use super::{Unavailable, finite, mean};

/// P(|T| <= t) of Student's t distribution (Abramowitz and Stegun, 1964, 26.7.3 and 26.7.4).
/// Neither `t` nor `freedom - 1` may be negative.
pub fn student_within(t: f64, freedom: usize) -> f64 {
    let n = freedom as f64;
    let angle = libm::atan(t / n.sqrt());
    let (sin, cos) = (libm::sin(angle), libm::cos(angle));
    let odd = freedom % 2 == 1;
    // The terms are 1, 2/3, 2*4/(3*5), ... or 1, 1/2, 1*3/(2*4), ..., times powers of the cosine.
    let (mut term, mut sum) = if odd { (cos, 0.0) } else { (1.0, 0.0) };
    let count = if odd { (freedom - 1) / 2 } else { freedom / 2 };
    for index in 1..=count {
        sum += term;
        let k = index as f64;
        let factor = if odd { 2.0 * k / (2.0 * k + 1.0) } else { (2.0 * k - 1.0) / (2.0 * k) };
        term *= factor * cos * cos;
    }
    if odd { 2.0 / PI * (angle + sin * sum) } else { sin * sum }
}

/// The t that |T| exceeds with probability `outside`, in 0..1, for `freedom` degrees of freedom, at
/// least 1.
pub fn student_quantile(outside: f64, freedom: usize) -> f64 {
    let inside = 1.0 - outside;
    let mut high = 1.0;
    while student_within(high, freedom) < inside && high < 1e12 {
        high *= 2.0;
    }
    let mut low = 0.0;
    for _ in 0..80 {
        let middle = (low + high) / 2.0;
        // No floating-point number is between the two ends, so further steps would not change them.
        if middle == low || middle == high {
            break;
        }
        if student_within(middle, freedom) < inside { low = middle } else { high = middle }
    }
    (low + high) / 2.0
}

/// The mean of a sample with its confidence interval from Student's t distribution. The interval is
/// exact for normal values and approximate for other values.
///
/// # Errors
/// [`Unavailable`] if the interval does not exist for this sample.
pub fn t_interval(sample: &[f64], level: f64) -> Result<(f64, Interval), Unavailable> {
    finite(sample)?;
    let found = sample.len();
    if found < 2 {
        return Err(Unavailable::TooFew { needed: 2, found });
    }
    let centre = mean(sample.iter().copied()).unwrap_or(f64::NAN);
    let error = standard_error(sample, centre);
    let half = student_quantile(1.0 - level, found - 1) * error;
    Ok((centre, Interval { low: centre - half, high: centre + half }))
}

pub(super) fn standard_error(sample: &[f64], mean: f64) -> f64 {
    let squares: f64 = sample.iter().map(|value| (value - mean) * (value - mean)).sum();
    let n = sample.len() as f64;
    (squares / (n * (n - 1.0))).sqrt()
}

#[cfg(test)]
mod tests {
    use statrs::distribution::{ContinuousCDF as _, StudentsT};

    use super::*;

    #[test]
    fn probabilities_and_quantiles_equal_those_of_statrs() {
        for freedom in [1, 2, 3, 4, 7, 13, 30, 129, 1_000] {
            let reference = StudentsT::new(0.0, 1.0, freedom as f64).unwrap();
            for t in [0.0, 0.3, 1.0, 2.5, 9.0] {
                let expected = 2.0 * reference.cdf(t) - 1.0;
                let found = student_within(t, freedom);
                assert!((found - expected).abs() < 1e-10, "{t} {freedom}: {found} {expected}");
            }
            for outside in [0.5, 0.05, 0.001] {
                let t = student_quantile(outside, freedom);
                let expected = reference.inverse_cdf(1.0 - outside / 2.0);
                assert!((t / expected - 1.0).abs() < 1e-6, "{outside} {freedom}: {t} {expected}");
            }
        }
    }

    #[test]
    fn an_interval_has_its_textbook_value() {
        // Student's data on sleep: mean 1.58, 95 % interval from 0.70 to 2.46.
        let sleep = [1.2, 2.4, 1.3, 1.3, 0.0, 1.0, 1.8, 0.8, 4.6, 1.4];
        let (mean, interval) = t_interval(&sleep, 0.95).unwrap();
        assert!((mean - 1.58).abs() < 1e-12);
        assert!((interval.low - 0.700_114).abs() < 1e-5, "{interval:?}");
        assert!((interval.high - 2.459_886).abs() < 1e-5, "{interval:?}");
        assert!(t_interval(&[1.0], 0.95).is_err());
    }
}
