//! Rounding as in the JavaScript code of the original.

/// Computes `f64::floor` quickly; the result for -0 is 0. On processors without a suitable
/// instruction, the function of the standard library compiles to a call.
#[inline]
pub(crate) fn floor(x: f64) -> f64 {
    const NO_FRACTION: f64 = (1_u64 << 52) as f64;
    if x.abs() >= NO_FRACTION || x.is_nan() {
        return x;
    }
    let whole = x as i64 as f64;
    if whole > x { whole - 1.0 } else { whole }
}

/// Nearest integer, ties towards positive infinity (`Math.round`).
pub(crate) fn round_half_up(x: f64) -> f64 {
    let floor = floor(x);
    if x - floor >= 0.5 { floor + 1.0 } else { floor }
}

/// Converts a number to a byte as `Uint8ClampedArray` in JavaScript does: clamps and rounds the
/// number (ties to even), and converts NaN to 0.
#[inline]
pub(crate) fn clamped_byte(x: f64) -> u8 {
    // `max` maps NaN to 0. After adding 2^52, no bits remain for a fraction, so the sum is rounded
    // to an integer, ties to even. Without special instructions, the addition is much faster than a
    // call.
    const NO_FRACTION: f64 = (1_u64 << 52) as f64;
    #[expect(clippy::manual_clamp, reason = "`clamp` keeps NaN")]
    let clamped = x.max(0.0).min(255.0);
    ((clamped + NO_FRACTION) - NO_FRACTION) as u8
}

pub(crate) fn to_binary32(x: f64) -> f64 {
    f64::from(x as f32)
}

/// `min(max(n, low), high)`, which is `high` if the interval is empty. NaN stays NaN.
pub(crate) fn clamp(n: f64, low: f64, high: f64) -> f64 {
    let raised = if n < low { low } else { n };
    if raised > high { high } else { raised }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_equal_those_of_the_library() {
        let large = 4_503_599_627_370_495.5;
        for x in [0.0, 0.5, 1.0, 2.999, 1e6, large, large + 1.0, 1e300, f64::INFINITY, 5e-324] {
            assert_eq!((floor(x), floor(-x)), (x.floor(), (-x).floor()), "{x}");
        }
        assert!(floor(f64::NAN).is_nan());
    }

    #[test]
    fn halves_round_towards_positive_infinity() {
        for (x, expected) in [
            (-0.5, 0.0),
            (0.5, 1.0),
            (2.5, 3.0),
            (-2.5, -2.0),
            (0.499_999_999_999_999_94, 0.0),
            (9_007_199_254_740_993.0, 9_007_199_254_740_992.0),
        ] {
            assert_eq!(round_half_up(x), expected, "{x}");
        }
        assert!(round_half_up(f64::NAN).is_nan());
    }

    #[test]
    fn bytes_are_clamped_and_halves_go_to_even() {
        for (x, expected) in
            [(f64::NAN, 0), (-3.0, 0), (0.5, 0), (1.5, 2), (127.5, 128), (254.5, 254), (1e9, 255)]
        {
            assert_eq!(clamped_byte(x), expected, "{x}");
        }
    }

    #[test]
    fn an_empty_interval_clamps_to_its_upper_end() {
        assert_eq!(clamp(5.0, 3.0, 1.0), 1.0);
        assert_eq!(clamp(0.0, 3.0, 1.0), 1.0);
    }
}
