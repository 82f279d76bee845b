//! Elementary functions, correctly rounded, for the Scratch machine and the JavaScript engine.
//!
//! JavaScript does not define their precision, and engines differ in the last digit, which
//! programs can observe because they join numbers to texts and compare them. These functions
//! return the double nearest to the true value, which every engine approximates and which is the
//! same on every machine. Values are computed to about 80 bits, as double-doubles, starting from
//! the values of `libm` where that saves work; one result in a hundred million may be the second
//! nearest double.

use std::f64::consts::{FRAC_2_PI, PI};

/// A double-double: the unevaluated sum of a rounded value and its rounding error.
#[derive(Clone, Copy)]
struct DoubleDouble {
    high: f64,
    low: f64,
}

impl DoubleDouble {
    const ONE: DoubleDouble = DoubleDouble { high: 1.0, low: 0.0 };
    const LN_2: DoubleDouble =
        DoubleDouble { high: std::f64::consts::LN_2, low: 2.319_046_813_846_299_6e-17 };
    const LN_10: DoubleDouble =
        DoubleDouble { high: std::f64::consts::LN_10, low: -2.170_756_223_382_249_4e-16 };

    const fn of(value: f64) -> DoubleDouble {
        DoubleDouble { high: value, low: 0.0 }
    }

    /// The sum of two numbers, without error.
    const fn sum(a: f64, b: f64) -> DoubleDouble {
        let high = a + b;
        let of_b = high - a;
        DoubleDouble { high, low: (a - (high - of_b)) + (b - of_b) }
    }

    /// The product of two numbers below 2^970, without error.
    const fn product(a: f64, b: f64) -> DoubleDouble {
        /// The upper half of the bits of a fraction.
        const fn upper(x: f64) -> f64 {
            let c = 134_217_729.0 * x;
            c - (c - x)
        }
        let high = a * b;
        let (a1, b1) = (upper(a), upper(b));
        let (a2, b2) = (a - a1, b - b1);
        DoubleDouble { high, low: ((a1 * b1 - high) + a1 * b2 + a2 * b1) + a2 * b2 }
    }

    /// 1 / n of an exact n.
    const fn inverse(n: f64) -> DoubleDouble {
        let high = 1.0 / n;
        let DoubleDouble { high: one, low } = DoubleDouble::product(high, n);
        DoubleDouble { high, low: ((1.0 - one) - low) / n }
    }

    const fn plus(self, other: DoubleDouble) -> DoubleDouble {
        let DoubleDouble { high, low } = DoubleDouble::sum(self.high, other.high);
        DoubleDouble::sum(high, low + (self.low + other.low))
    }

    const fn times(self, other: DoubleDouble) -> DoubleDouble {
        let DoubleDouble { high, low } = DoubleDouble::product(self.high, other.high);
        DoubleDouble::sum(high, low + (self.high * other.low + self.low * other.high))
    }

    const fn negated(self) -> DoubleDouble {
        DoubleDouble { high: -self.high, low: -self.low }
    }

    fn rounded(self) -> f64 {
        self.high + self.low
    }
}

/// 1 / n.
const INVERSES: [DoubleDouble; 24] = {
    let mut inverses = [DoubleDouble::ONE; 24];
    let mut n = 1;
    while n < 24 {
        inverses[n] = DoubleDouble::inverse(n as f64);
        n += 1;
    }
    inverses
};

/// 1 / (n (n + 1)).
const PAIRS: [DoubleDouble; 24] = {
    let mut pairs = [DoubleDouble::ONE; 24];
    let mut n = 1;
    while n < 24 {
        pairs[n] = DoubleDouble::inverse((n * (n + 1)) as f64);
        n += 1;
    }
    pairs
};

/// 1 - z / (n (n+1)) (1 - z / ((n+2) (n+3)) (...)), the series of sine (n = 2) and cosine
/// (n = 1) of the square root of z. From the sixth term on, single numbers are precise enough.
fn alternating(n: usize, z: DoubleDouble) -> DoubleDouble {
    let mut rest = 1.0;
    for k in (n + 10..n + 20).step_by(2).rev() {
        rest = 1.0 - z.high * PAIRS[k].high * rest;
    }
    let mut series = DoubleDouble::of(rest);
    for k in (n..n + 10).step_by(2).rev() {
        series = DoubleDouble::ONE.plus(z.times(PAIRS[k]).times(series).negated());
    }
    series
}

/// Sine and cosine of an angle in radians; `None` if it has more than 2^19 quarter turns.
fn sin_cos_double(x: f64) -> Option<(DoubleDouble, DoubleDouble)> {
    /// Pi / 2 in four pieces, of which the first three have 33 bits.
    const PIECES: [f64; 4] = [
        1.570_796_326_734_125_6,
        6.077_100_506_303_966e-11,
        2.022_266_248_711_166_5e-21,
        8.478_427_660_368_9e-32,
    ];
    let quarters = (x * FRAC_2_PI).round();
    if quarters.is_nan() || quarters.abs() > 524_288.0 {
        return None;
    }
    // A number of 20 bits times one of 33 is exact.
    let angle = PIECES[..3].iter().fold(DoubleDouble::of(x), |left, piece| {
        let DoubleDouble { high, low } = DoubleDouble::sum(left.high, -quarters * piece);
        DoubleDouble::sum(high, low + left.low)
    });
    let angle = angle.plus(DoubleDouble::of(-quarters * PIECES[3]));
    let z = angle.times(angle);
    let (sin, cos) = (angle.times(alternating(2, z)), alternating(1, z));
    Some(match quarters as i32 & 3 {
        0 => (sin, cos),
        1 => (cos, sin.negated()),
        2 => (sin.negated(), cos.negated()),
        _ => (cos.negated(), sin),
    })
}

/// Sine and cosine of an angle in radians.
pub fn sin_cos(x: f64) -> (f64, f64) {
    match sin_cos_double(x) {
        // The sign of a zero is lost in a sum.
        _ if x == 0.0 => (x, 1.0),
        Some((sin, cos)) => (sin.rounded(), cos.rounded()),
        None => (libm::sin(x), libm::cos(x)),
    }
}

/// The tangent of an angle in radians.
pub fn tan(x: f64) -> f64 {
    match sin_cos_double(x) {
        Some((sin, cos)) if x != 0.0 => {
            let near = sin.high / cos.high;
            let error = sin.plus(cos.times(DoubleDouble::of(near)).negated());
            near + error.rounded() / cos.high
        }
        _ => libm::tan(x),
    }
}

/// The angle in radians whose sine is x.
pub fn asin(x: f64) -> f64 {
    let near = libm::asin(x);
    match sin_cos_double(near) {
        Some((sin, cos)) if 0.0 < x.abs() && x.abs() < 1.0 => {
            near + (DoubleDouble::of(x).plus(sin.negated()).rounded()) / cos.high
        }
        _ => near,
    }
}

/// The angle in radians whose cosine is x.
pub fn acos(x: f64) -> f64 {
    let near = libm::acos(x);
    match sin_cos_double(near) {
        Some((sin, cos)) if x.abs() < 1.0 => {
            near + cos.plus(DoubleDouble::of(-x)).rounded() / sin.high
        }
        _ => near,
    }
}

/// The angle in radians whose tangent is x.
pub fn atan(x: f64) -> f64 {
    atan2(x, 1.0)
}

/// The angle in radians from the x axis to a point.
pub fn atan2(y: f64, x: f64) -> f64 {
    let near = libm::atan2(y, x);
    let moderate = |n: f64| (1e-100..1e100).contains(&n.abs());
    match sin_cos_double(near) {
        Some((sin, cos)) if moderate(x) && moderate(y) => {
            // The y coordinate of the point after turning it back by the angle.
            let left =
                cos.times(DoubleDouble::of(y)).plus(sin.times(DoubleDouble::of(-x))).rounded();
            near + left / (x * cos.high + y * sin.high)
        }
        _ => near,
    }
}

/// e^x - 1 for |x| up to 0.35.
fn exp_minus_1(x: DoubleDouble) -> DoubleDouble {
    let mut series = DoubleDouble::ONE;
    for inverse in INVERSES[2..].iter().rev() {
        series = DoubleDouble::ONE.plus(x.times(*inverse).times(series));
    }
    x.times(series)
}

/// e^x of a sum whose value is a normal number.
fn exp_of(x: DoubleDouble) -> f64 {
    let twos = (x.high / DoubleDouble::LN_2.high).round();
    let left = x.plus(DoubleDouble::LN_2.times(DoubleDouble::of(-twos)));
    libm::scalbn(DoubleDouble::ONE.plus(exp_minus_1(left)).rounded(), twos as i32)
}

/// The exponential function.
pub fn exp(x: f64) -> f64 {
    if (-708.0..709.5).contains(&x) { exp_of(DoubleDouble::of(x)) } else { libm::exp(x) }
}

/// A power of ten.
pub fn exp10(x: f64) -> f64 {
    if (-307.0..308.2).contains(&x) {
        exp_of(DoubleDouble::LN_10.times(DoubleDouble::of(x)))
    } else {
        libm::pow(10.0, x)
    }
}

/// The natural logarithm.
pub fn ln(x: f64) -> f64 {
    if !x.is_normal() || x < 0.0 {
        return libm::log(x);
    }
    let (mut fraction, mut twos) = libm::frexp(x);
    if fraction < std::f64::consts::FRAC_1_SQRT_2 {
        (fraction, twos) = (fraction * 2.0, twos - 1);
    }
    let near = libm::log(fraction);
    let missed = exp_minus_1(DoubleDouble::of(near));
    let error =
        DoubleDouble::of(fraction - 1.0).plus(missed.negated()).rounded() / (1.0 + missed.high);
    let ln = DoubleDouble::sum(near, error);
    DoubleDouble::LN_2.times(DoubleDouble::of(f64::from(twos))).plus(ln).rounded()
}

/// Cache of sines and cosines by the bits of the angle; a program uses few directions.
#[derive(Debug)]
pub struct AngleCache([(u64, (f64, f64)); 64]);

impl Default for AngleCache {
    fn default() -> AngleCache {
        AngleCache([(0, (0.0, 1.0)); 64])
    }
}

impl AngleCache {
    /// Sine and cosine of an angle in degrees.
    #[inline]
    pub fn sin_cos(&mut self, degrees: f64) -> (f64, f64) {
        let bits = degrees.to_bits();
        // The upper bits of a product depend on all bits of both.
        let entry = &mut self.0[(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize];
        if entry.0 != bits {
            *entry = (bits, sin_cos(degrees * PI / 180.0));
        }
        entry.1
    }
}

#[cfg(test)]
mod tests {
    use std::ops::RangeInclusive;

    use super::*;

    /// Hash of the bits of a function's values at whole numbers.
    fn hash(range: RangeInclusive<i32>, f: impl Fn(f64) -> f64) -> u64 {
        range.fold(0, |hash: u64, i| hash.wrapping_mul(31).wrapping_add(f(f64::from(i)).to_bits()))
    }

    // The hashes were computed with 60 decimal digits.

    #[test]
    fn sines_and_cosines() {
        let angle = |i| PI * (i / 4.0) / 180.0;
        assert_eq!(hash(-3600..=3600, |i| sin_cos(angle(i)).0), 0x7b76_05e9_5058_19f6);
        assert_eq!(hash(-3600..=3600, |i| sin_cos(angle(i)).1), 0xdd64_f05d_e0df_544c);
    }

    #[test]
    fn angles_are_cached() {
        let mut angle_cache = AngleCache::default();
        for degrees in (-720..720).chain(-720..720).map(f64::from) {
            assert_eq!(angle_cache.sin_cos(degrees), sin_cos(degrees * PI / 180.0));
        }
        assert!(angle_cache.sin_cos(f64::NAN).0.is_nan());
    }

    #[test]
    fn logarithms() {
        assert_eq!(hash(1..=20_000, |i| ln(i / 100.0)), 0xe6f4_cae7_e8a5_ae44);
        assert!(ln(-1.0).is_nan() && ln(f64::NAN).is_nan());
        assert_eq!((ln(0.0), ln(f64::INFINITY)), (f64::NEG_INFINITY, f64::INFINITY));
    }

    #[test]
    fn powers() {
        assert_eq!(hash(-7000..=7000, |i| exp(i / 10.0)), 0x780a_8c1e_de27_8756);
        assert_eq!(hash(-3070..=3082, |i| exp10(i / 10.0)), 0xdd42_49c0_f375_43e8);
        assert_eq!(exp(1.0), std::f64::consts::E);
        let ends = [f64::INFINITY, f64::NEG_INFINITY, 400.0, -400.0];
        assert_eq!(ends.map(exp10), [f64::INFINITY, 0.0, f64::INFINITY, 0.0]);
        assert_eq!(ends.map(|x| exp(2.0 * x)), [f64::INFINITY, 0.0, f64::INFINITY, 0.0]);
        assert!(exp10(f64::NAN).is_nan() && exp(f64::NAN).is_nan());
    }

    #[test]
    fn angles() {
        assert_eq!(hash(-3600..=3600, |i| tan(PI * (i / 4.0) / 180.0)), 0x4a9a_88a4_74f0_d20e);
        assert_eq!(hash(-1000..=1000, |i| asin(i / 1000.0)), 0xc1a6_5775_1994_56d6);
        assert_eq!(hash(-1000..=1000, |i| acos(i / 1000.0)), 0x6ac4_585a_7433_5880);
        assert_eq!(hash(-1000..=1000, |i| atan(i / 10.0)), 0xe388_9801_23e5_3cb4);
        assert_eq!(hash(-1000..=1000, |i| atan2(i, -377.0)), 0x6ce0_3051_b948_83c4);
        assert_eq!((asin(1.0), acos(-1.0), atan2(0.0, -1.0)), (PI / 2.0, PI, PI));
        assert!(asin(2.0).is_nan() && acos(-2.0).is_nan() && tan(f64::INFINITY).is_nan());
    }
}
