//! Intervals, and magnitudes of effect sizes.

use std::fmt;

/// An interval that includes both ends, such as a confidence interval.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// The magnitude of an effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Magnitude {
    /// Below small.
    Negligible,
    /// Small.
    Small,
    /// Medium.
    Medium,
    /// Large.
    Large,
}

impl fmt::Display for Magnitude {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Magnitude::Negligible => "negligible",
            Magnitude::Small => "small",
            Magnitude::Medium => "medium",
            Magnitude::Large => "large",
        })
    }
}

/// Thresholds between magnitudes. A value at a threshold has the larger magnitude.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Convention {
    /// Vargha and Delaney (2000): an A12 of at least .56 is small, of at least .64 medium, and of
    /// at least .71 large. Below 1/2, 1 - A12 is compared.
    #[default]
    VarghaDelaney,
    /// Hess and Kromrey (2004): a |Cliff's delta| of at least .147 is small, of at least .33
    /// medium, and of at least .474 large.
    HessKromrey,
}

impl Convention {
    /// The magnitude of an A12.
    pub fn magnitude(self, a12: f64) -> Magnitude {
        let (effect, [small, medium, large]) = match self {
            Convention::VarghaDelaney => (a12.max(1.0 - a12), [0.56, 0.64, 0.71]),
            Convention::HessKromrey => ((2.0 * a12 - 1.0).abs(), [0.147, 0.33, 0.474]),
        };
        if effect >= large {
            Magnitude::Large
        } else if effect >= medium {
            Magnitude::Medium
        } else if effect >= small {
            Magnitude::Small
        } else {
            Magnitude::Negligible
        }
    }
}

impl fmt::Display for Convention {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Convention::VarghaDelaney => "Vargha-Delaney",
            Convention::HessKromrey => "Hess-Kromrey",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{MannWhitney, Unavailable};
    use super::*;

    #[test]
    fn thresholds_between_magnitudes() {
        let magnitude = |a12| Convention::VarghaDelaney.magnitude(a12);
        assert_eq!([0.5, 0.559, 0.45].map(magnitude), [Magnitude::Negligible; 3]);
        assert_eq!([0.56, 0.43, 0.639].map(magnitude), [Magnitude::Small; 3]);
        assert_eq!([0.64, 0.30].map(magnitude), [Magnitude::Medium; 2]);
        assert_eq!([0.71, 0.0, 1.0].map(magnitude), [Magnitude::Large; 3]);
        let magnitude = |a12| Convention::HessKromrey.magnitude(a12);
        assert_eq!(magnitude(0.573), Magnitude::Negligible);
        assert_eq!(magnitude(0.58), Magnitude::Small);
        assert_eq!(magnitude(0.25), Magnitude::Large);
    }

    #[test]
    fn mirrored_samples_have_the_same_magnitude() {
        // A12 is 14/25 and 11/25; 1 - 11/25 is not exactly 14/25 in floating-point arithmetic.
        let x = [1.0, 1.0, 1.0, 0.0, 0.0];
        let y = [1.0, 1.0, 0.5, 0.25, -1.0];
        let (there, back) = (MannWhitney::new(&x, &y).unwrap(), MannWhitney::new(&y, &x).unwrap());
        for convention in [Convention::VarghaDelaney, Convention::HessKromrey] {
            assert_eq!(there.magnitude(convention), back.magnitude(convention));
        }
    }

    #[test]
    fn an_interval_by_hand() {
        // Placements of x: 0, 1/2, 1; of y: 2/3, 1/3. A = 1/2, variance
        // (1/4) / 3 + (1/18) / 2 = 1/9, logit spread 1.96 (1/3) / (1/4).
        let test = MannWhitney::new(&[1.0, 3.0, 5.0], &[2.0, 4.0]).unwrap();
        let found = test.a12_interval(0.95).unwrap();
        let spread: f64 = 1.959_963_984_540_054 * 4.0 / 3.0;
        assert!((found.high - 1.0 / (1.0 + (-spread).exp())).abs() < 1e-12);
        assert!((found.low + found.high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn samples_that_do_not_overlap_have_a_closed_end() {
        let (x, y) = ([4.0, 5.0, 6.0], [1.0, 2.0, 3.0]);
        let above = MannWhitney::new(&x, &y).unwrap().a12_interval(0.95).unwrap();
        let below = MannWhitney::new(&y, &x).unwrap().a12_interval(0.95).unwrap();
        assert_eq!((above.high, below.low), (1.0, 0.0));
        assert!((above.low + below.high - 1.0).abs() < 1e-12);
        // Apart from the closed end, this is the interval of the samples in which 4 and 3 are
        // equal.
        let near = MannWhitney::new(&[3.0, 5.0, 6.0], &y).unwrap();
        assert_eq!(near.a12(), 1.0 - 1.0 / 18.0);
        assert!((near.a12_interval(0.95).unwrap().low - above.low).abs() < 1e-12);
    }

    #[test]
    fn samples_without_an_interval_have_a_reason() {
        let interval = |x: &[f64], y: &[f64]| MannWhitney::new(x, y).unwrap().a12_interval(0.95);
        let few = Unavailable::TooFew { needed: 2, found: 1 };
        assert_eq!(interval(&[1.0], &[1.0, 2.0]), Err(few));
        assert_eq!(interval(&[1.0; 3], &[1.0; 4]), Err(Unavailable::Constant));
    }
}
