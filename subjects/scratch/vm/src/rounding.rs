//! Rounding and remainders without function calls where possible; the oldest supported processors
//! have no instructions for them. The results have the same bits as with the standard library,
//! except NaN.

/// Doubles of at least this absolute value have no fraction.
const NO_FRACTION: f64 = (1_u64 << 52) as f64;

/// Same result as [`f64::trunc`].
#[inline]
pub(crate) fn trunc(x: f64) -> f64 {
    // The condition is false for NaN.
    if x.abs() < NO_FRACTION { (x as i64 as f64).copysign(x) } else { x }
}

/// Adding and subtracting this number rounds numbers whose absolute value is below 2^51 to
/// integers.
const SHIFT: f64 = (3_u64 << 51) as f64;

/// The nearest integer, or one of two nearest integers, of a number whose absolute value is below
/// 2^51. A sum and a difference take less time than conversions to an integer and back.
#[inline(always)]
fn nearest(x: f64) -> f64 {
    (x + SHIFT) - SHIFT
}

/// Same result as [`f64::floor`].
#[inline]
pub(crate) fn floor(x: f64) -> f64 {
    const SMALL: f64 = (1_u64 << 51) as f64;
    if x.abs() < SMALL {
        let nearest = nearest(x);
        let whole = nearest - if nearest > x { 1.0 } else { 0.0 };
        // The sign can differ only if the result is zero.
        return whole.copysign(x);
    }
    let whole = trunc(x);
    // The difference is never 0 here, because `whole` is negative.
    if whole > x { whole - 1.0 } else { whole }
}

/// Same result as [`f64::ceil`].
#[inline]
pub(crate) fn ceil(x: f64) -> f64 {
    -floor(-x)
}

/// Same result as [`f64::round`]: ties away from zero.
#[inline]
pub(crate) fn round(x: f64) -> f64 {
    let whole = trunc(x);
    // The difference of two numbers this close to each other is exact.
    if (x - whole).abs() >= 0.5 { whole + 1.0_f64.copysign(x) } else { whole }
}

/// The remainder as in JavaScript, which has the sign of `n`.
#[inline]
pub(crate) fn remainder(n: f64, m: f64) -> f64 {
    /// Below this limit, doubles represent all integers.
    const INTEGERS: f64 = (1_u64 << 53) as f64;
    const LARGEST_DIVISOR: f64 = (1_u64 << 30) as f64;
    const LARGEST_QUOTIENT: f64 = (1_u64 << 22) as f64;
    if n.abs() < m.abs() {
        // `m` may be infinite.
        return n;
    }
    // Both comparisons are false for NaN.
    if n.abs() < INTEGERS && m.abs() >= 1.0 {
        let (whole_n, whole_m) = (n as i64, m as i64);
        if whole_n as f64 == n && whole_m as f64 == m {
            return ((whole_n % whole_m) as f64).copysign(n);
        }
        if whole_m as f64 == m && m.abs() <= LARGEST_DIVISOR {
            let (dividend, divisor) = (n.abs(), m.abs());
            // The truncated quotient is at most 1 too large, because a quotient that is rounded up
            // may become an integer.
            let quotient = trunc(dividend / divisor);
            if quotient <= LARGEST_QUOTIENT {
                // Exact: the product is an integer below 2^53, and the remainder is a multiple of
                // the last place of `n` and not larger than `n`.
                let left = dividend - quotient * divisor;
                return if left < 0.0 { left + divisor } else { left }.copysign(n);
            }
        }
    }
    n % m
}

/// The remainder as in Scratch, which has the sign of `m`.
#[inline]
pub(crate) fn modulo(n: f64, m: f64) -> f64 {
    const LARGEST: f64 = (1_u64 << 51) as f64;
    const LARGEST_DIVISOR: f64 = (1_u64 << 30) as f64;
    const LARGEST_QUOTIENT: f64 = (1_u64 << 31) as f64;
    // Closer to 0, the quotient may underflow.
    const LEAST: f64 = 1e-200;
    let is_whole = (1.0..=LARGEST_DIVISOR).contains(&m) && nearest(m) == m;
    if is_whole && n.abs() < LARGEST && !(-LEAST..0.0).contains(&n) {
        let quotient = nearest(n / m);
        if quotient.abs() <= LARGEST_QUOTIENT {
            // Exact: the product is an integer below 2^52, and the difference is a multiple of the
            // last place of `n` and not larger than `n`. The difference is between -m and m,
            // because the rounded quotient is wrong by less than 2^-21.
            let left = n - quotient * m;
            let r = left + if left < 0.0 { m } else { 0.0 };
            // The sign of `n` distinguishes the zeros.
            return if r == 0.0 { r.copysign(n) } else { r };
        }
    }
    modulo_of_any(n, m)
}

/// [`modulo`] for the operands to which its fast path does not apply.
#[inline(never)]
fn modulo_of_any(n: f64, m: f64) -> f64 {
    let r = remainder(n, m);
    // Compare signs first, because a division is slow. With equal signs, the quotient is not
    // negative; with different signs, it may be 0 or NaN.
    if (r < 0.0) != (m < 0.0) && r / m < 0.0 { r + m } else { r }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn numbers() -> impl Strategy<Value = f64> {
        let special = [
            0.0,
            -0.0,
            0.5,
            -0.5,
            1.5,
            2.5,
            0.499_999_999_999_999_94,
            4_503_599_627_370_495.5,
            4_503_599_627_370_496.5,
            9_007_199_254_740_992.0,
            f64::MAX,
            f64::MIN_POSITIVE,
            5e-324,
            f64::INFINITY,
            f64::NEG_INFINITY,
            f64::NAN,
        ];
        prop_oneof![
            prop::sample::select(special.to_vec()),
            any::<f64>(),
            any::<u64>().prop_map(f64::from_bits),
            -1000.0..1000.0,
            (-1000_i32..1000).prop_map(f64::from),
            any::<i64>().prop_map(|n| n as f64),
            (-2000_i32..2000).prop_map(|n| f64::from(n) / 4.0),
            (-99_999_i32..99_999).prop_map(|n| f64::from(n).next_down()),
        ]
    }

    fn bits(x: f64) -> u64 {
        if x.is_nan() { 0x7ff8 << 48 } else { x.to_bits() }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4000))]
        #[test]
        fn results_equal_those_of_the_standard_library(n in numbers(), m in numbers()) {
            prop_assert_eq!(bits(trunc(n)), bits(n.trunc()));
            prop_assert_eq!(bits(floor(n)), bits(n.floor()));
            prop_assert_eq!(bits(ceil(n)), bits(n.ceil()));
            prop_assert_eq!(bits(round(n)), bits(n.round()));
            prop_assert_eq!(bits(remainder(n, m)), bits(n % m));
            let r = n % m;
            prop_assert_eq!(bits(modulo(n, m)), bits(if r / m < 0.0 { r + m } else { r }));
        }
    }
}
