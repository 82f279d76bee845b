//! Functions of reporters that depend only on numbers, such as mathematics and the calendar.

use std::f64::consts::PI;

use catherd_elementary as elementary;

use crate::code::{Calendar, MathOp};
use crate::rounding::{ceil, floor, remainder, round};
use crate::settings::DAY_MS;
use crate::value::{js_round, to_ten_decimals};

/// A coordinate as its reporter returns it.
pub(crate) fn snap(x: f64) -> f64 {
    let round = js_round(x);
    if (x - round).abs() < 1e-9 { round } else { x }
}

/// Cache of sines and cosines, because programs often need both for an angle, and use the same
/// angles repeatedly.
#[derive(Debug)]
pub(crate) struct Angles(Box<[(u64, (f64, f64)); Angles::SIZE]>);

impl Default for Angles {
    fn default() -> Angles {
        // The entry for the angle 0, whose bits are 0.
        Angles(Box::new([(0, (0.0, 1.0)); Angles::SIZE]))
    }
}

impl Angles {
    const SIZE: usize = 1 << Self::BITS;
    const BITS: u32 = 11;

    /// Sine and cosine of an angle in degrees, rounded as the blocks round them.
    #[inline]
    fn sin_cos(&mut self, degrees: f64) -> (f64, f64) {
        let bits = degrees.to_bits();
        // The upper bits of a product depend on all bits of both factors.
        let entry =
            &mut self.0[(bits.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize];
        if entry.0 != bits {
            *entry = (bits, rounded_sin_cos(PI * degrees / 180.0));
        }
        entry.1
    }
}

/// Sine and cosine of an angle in radians, rounded to ten decimals.
fn rounded_sin_cos(x: f64) -> (f64, f64) {
    if let Some((sin, cos)) = elementary::near_sin_cos(x)
        && let (Some(sin), Some(cos)) = (certain_decimals(sin), certain_decimals(cos))
    {
        return (sin, cos);
    }
    let (sin, cos) = elementary::sin_cos(x);
    (to_ten_decimals(sin), to_ten_decimals(cos))
}

/// The result of [`to_ten_decimals`]; `None` if the result is not certain for all numbers that
/// differ from `x` by less than 1e-12.
fn certain_decimals(x: f64) -> Option<f64> {
    let scaled = x * 1e10;
    let nearest = round(scaled);
    // Near 0, the sign is not certain.
    let is_certain = scaled.abs() > 1.0 && (scaled - nearest).abs() < 0.48;
    is_certain.then_some(nearest / 1e10)
}

/// The value of a `[function] of` block.
pub(crate) fn math(op: MathOp, n: f64, angles: &mut Angles) -> f64 {
    match op {
        MathOp::Abs => n.abs(),
        MathOp::Floor => floor(n),
        MathOp::Ceiling => ceil(n),
        MathOp::Sqrt => n.sqrt(),
        MathOp::Sin => angles.sin_cos(n).0,
        MathOp::Cos => angles.sin_cos(n).1,
        MathOp::Tan => match remainder(n, 360.0) {
            90.0 | -270.0 => f64::INFINITY,
            -90.0 | 270.0 => f64::NEG_INFINITY,
            n => to_ten_decimals(elementary::tan(PI * n / 180.0)),
        },
        MathOp::Asin => elementary::asin(n) * 180.0 / PI,
        MathOp::Acos => elementary::acos(n) * 180.0 / PI,
        MathOp::Atan => elementary::atan(n) * 180.0 / PI,
        MathOp::Ln => elementary::ln(n),
        MathOp::Log => elementary::ln(n) / std::f64::consts::LN_10,
        MathOp::Exp => elementary::exp(n),
        MathOp::Exp10 => elementary::exp10(n),
        MathOp::Unknown => 0.0,
    }
}

/// A field of the calendar in UTC, from days since 2000-01-01.
pub(crate) fn current(field: Calendar, days: f64) -> f64 {
    // Round to milliseconds, because fractions of a day are not exact.
    let ms = js_round(days * DAY_MS);
    let day = (ms / DAY_MS).floor();
    let second = ((ms - day * DAY_MS) / 1000.0).floor();
    match field {
        Calendar::Hour => (second / 3600.0).floor(),
        Calendar::Minute => (second / 60.0).floor() % 60.0,
        Calendar::Second => second % 60.0,
        // The year 2000 began on a Saturday.
        Calendar::DayOfWeek => (day + 6.0).rem_euclid(7.0) + 1.0,
        Calendar::Unknown => 0.0,
        Calendar::Year | Calendar::Month | Calendar::Date => {
            // Days from 0000-03-01, in eras of 400 years.
            let z = day as i64 + 730_425;
            let era = z.div_euclid(146_097);
            let doe = z.rem_euclid(146_097);
            let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
            let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
            let month = (5 * doy + 2) / 153;
            let (date, month) = (doy - (153 * month + 2) / 5 + 1, (month + 2) % 12 + 1);
            let year = yoe + era * 400 + i64::from(month <= 2);
            match field {
                Calendar::Year => year as f64,
                Calendar::Month => month as f64,
                _ => date as f64,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calendar() {
        let at = |days| {
            [Calendar::Year, Calendar::Month, Calendar::Date, Calendar::DayOfWeek, Calendar::Hour]
                .map(|f| current(f, days))
        };
        assert_eq!(at(0.0), [2000.0, 1.0, 1.0, 7.0, 0.0]);
        assert_eq!(at(59.5), [2000.0, 2.0, 29.0, 3.0, 12.0]);
        assert_eq!(at(8_766.75), [2024.0, 1.0, 1.0, 2.0, 18.0]);
    }

    #[test]
    fn functions() {
        let angles = &mut Angles::default();
        assert_eq!(math(MathOp::Sin, 180.0, angles), 0.0);
        assert_eq!(math(MathOp::Cos, 60.0, angles), 0.5);
        assert_eq!(math(MathOp::Tan, 450.0, angles), f64::INFINITY);
        assert_eq!(math(MathOp::Log, 1000.0, angles), 2.999_999_999_999_999_6);
        assert_eq!(math(MathOp::Exp10, 3.0, angles), 1000.0);
    }

    #[test]
    fn remembered_angles_are_the_computed_ones() {
        let angles = &mut Angles::default();
        let special = [0.0, -0.0, f64::NAN, f64::INFINITY, 1e300, 5e-324];
        let steps = [0.7, 1.0, 1.7, 0.013, 0.000_001, 45.5, 1e-9];
        let twice =
            (-4000..4000).chain(-2000..2000).flat_map(|i| steps.map(|step| f64::from(i) * step));
        for n in special.into_iter().chain(twice) {
            let (sin, cos) = elementary::sin_cos(PI * n / 180.0);
            let values = [math(MathOp::Sin, n, angles), math(MathOp::Cos, n, angles)];
            let expected = [sin, cos].map(|x| to_ten_decimals(x).to_bits());
            assert_eq!(values.map(f64::to_bits), expected, "{n}");
        }
    }
}
