//! Values and casts between them, by the rules of JavaScript and Scratch.

use std::borrow::Cow;
use std::cmp::Ordering;

use catherd_scratch_sb3 as sb3;
use smallvec::SmallVec;

use crate::rounding::{floor, round, trunc};
use crate::text::Text;

/// A run-time value.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A 64-bit IEEE 754 number, which may be NaN.
    Number(f64),
    /// Text.
    Text(Text),
    /// The result of a condition.
    Bool(bool),
    /// JavaScript's `undefined`, such as an absent argument.
    Undefined,
}

// Values must be small, because lists contain many values, and programs often copy values.
const _: () = assert!(size_of::<Value>() == 16);

impl From<&sb3::Value> for Value {
    fn from(value: &sb3::Value) -> Value {
        match value {
            sb3::Value::Number(n) => Value::Number(*n),
            sb3::Value::Text(t) => Value::Text(Text::constant(t)),
            sb3::Value::Bool(b) => Value::Bool(*b),
        }
    }
}

impl From<f64> for Value {
    fn from(n: f64) -> Value {
        Value::Number(n)
    }
}

impl From<bool> for Value {
    fn from(b: bool) -> Value {
        Value::Bool(b)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(Text::new(text))
    }
}

impl Value {
    /// Scratch's number cast: NaN becomes 0; infinities are kept.
    #[inline]
    pub fn to_number(&self) -> f64 {
        let n = self.js_number();
        if n.is_nan() { 0.0 } else { n }
    }

    /// JavaScript's `Number(value)`: NaN is kept.
    #[inline]
    pub fn js_number(&self) -> f64 {
        match self {
            Value::Number(n) => *n,
            Value::Text(t) => t.number(),
            Value::Bool(b) => f64::from(u8::from(*b)),
            Value::Undefined => f64::NAN,
        }
    }

    /// Scratch's cast to a truth value: "", "0", "false" in any case, 0, NaN and undefined are
    /// false.
    pub fn to_bool(&self) -> bool {
        match self {
            Value::Bool(b) => *b,
            Value::Number(n) => *n != 0.0 && !n.is_nan(),
            Value::Text(t) => {
                !(t.is_empty()
                    || *t == *"0"
                    || (t.len() == 5 && t.to_str().eq_ignore_ascii_case("false")))
            }
            Value::Undefined => false,
        }
    }

    /// JavaScript's `String(value)`.
    pub fn to_text(&self) -> Text {
        match self {
            Value::Text(t) => t.clone(),
            Value::Number(n) => Text::new(ryu_js::Buffer::new().format(*n)),
            other => Text::new(other.word().unwrap_or_default()),
        }
    }

    /// Like [`to_text`](Self::to_text), without counting another owner of a string.
    pub(crate) fn text(&self) -> Cow<'_, Text> {
        match self {
            Value::Text(text) => Cow::Borrowed(text),
            other => Cow::Owned(other.to_text()),
        }
    }

    fn word(&self) -> Option<&'static str> {
        match self {
            Value::Bool(true) => Some("true"),
            Value::Bool(false) => Some("false"),
            Value::Undefined => Some("undefined"),
            Value::Number(n) if n.is_nan() => Some("NaN"),
            Value::Number(n) if n.is_infinite() && *n > 0.0 => Some("Infinity"),
            Value::Number(n) if n.is_infinite() => Some("-Infinity"),
            Value::Number(_) | Value::Text(_) => None,
        }
    }

    pub(crate) fn text_len(&self) -> usize {
        match self {
            Value::Text(t) => t.len(),
            _ => 0,
        }
    }

    /// The number for comparisons; NaN if the value is compared as a string.
    fn comparand(&self) -> f64 {
        match self {
            Value::Text(text) => text.comparand(),
            other => other.js_number(),
        }
    }

    pub(crate) fn both_numeric(&self, other: &Value) -> bool {
        !self.comparand().is_nan() && !other.comparand().is_nan()
    }

    /// Scratch's order: numeric if both values are numeric, otherwise by lower-cased text.
    pub fn compare(&self, other: &Value) -> Ordering {
        let (a, b) = (self.comparand(), other.comparand());
        match a.partial_cmp(&b) {
            Some(order) => order,
            None => self.text().compare_ignoring_case(&other.text()),
        }
    }

    /// Scratch's equality: whether [`Value::compare`] returns `Equal`.
    pub fn equals(&self, other: &Value) -> bool {
        let (a, b) = (self.comparand(), other.comparand());
        if !a.is_nan() && !b.is_nan() {
            return a == b;
        }
        match (self, other) {
            (Value::Text(a), Value::Text(b)) => a.equals_ignoring_case(b),
            // The text of a finite number is a numeral, but the other string is not; otherwise both
            // would have been compared as numbers.
            (Value::Text(text), other) | (other, Value::Text(text)) => {
                other.word().is_some_and(|word| text.is_word(word))
            }
            _ => self.text().equals_ignoring_case(&other.text()),
        }
    }

    pub(crate) fn position_in(&self, items: &[Value]) -> Option<usize> {
        let number = match self {
            Value::Number(_) | Value::Text(_) => self.comparand(),
            Value::Bool(_) | Value::Undefined => f64::NAN,
        };
        if number.is_finite() {
            // A string that is not a numeral never equals a numeral.
            items.iter().position(|item| match item {
                Value::Number(n) => *n == number,
                Value::Text(text) => {
                    let numeral = text.numeral();
                    if numeral.is_nan() { item.comparand() == number } else { numeral == number }
                }
                other => other.comparand() == number,
            })
        } else if let (Value::Text(text), true) = (self, number.is_nan()) {
            // The value is not a numeral, so it is compared with other strings as a string.
            items.iter().position(|item| match item {
                Value::Text(item) => item.equals_ignoring_case(text),
                item => item.equals(self),
            })
        } else {
            items.iter().position(|item| item.equals(self))
        }
    }

    /// Whether `pick random` treats the value as an integer.
    pub(crate) fn is_int(&self) -> bool {
        match self {
            Value::Number(n) => n.is_nan() || trunc(*n) == *n && (*n).abs() < 1e21,
            Value::Bool(_) => true,
            Value::Text(t) => !t.units().any(|u| u == u16::from(b'.')),
            Value::Undefined => false,
        }
    }
}

/// JavaScript's `Math.round`: to the nearest integer, ties upward; the sign of a zero is kept.
#[inline]
pub(crate) fn js_round(x: f64) -> f64 {
    let floor = floor(x);
    if x - floor < 0.5 {
        floor
    } else {
        // From -0.5 to 0, the sum is 0, but JavaScript returns -0.
        (floor + 1.0).copysign(x)
    }
}

/// Scratch's `MathUtil.clamp`.
pub(crate) fn clamp(x: f64, lo: f64, hi: f64) -> f64 {
    if x.is_nan() { x } else { x.max(lo).min(hi) }
}

/// Scratch's `MathUtil.wrapClamp`.
pub(crate) fn wrap(x: f64, lo: f64, hi: f64) -> f64 {
    let range = hi - lo + 1.0;
    x - floor((x - lo) / range) * range
}

/// JavaScript's `toFixed(2)`: exact decimal value, ties away from zero.
pub(crate) fn to_fixed_2(x: f64) -> String {
    if !x.is_finite() {
        return ryu_js::Buffer::new().format(x).to_owned();
    }
    let eighths = x.abs() * 8.0;
    if eighths < 1e15 && eighths.fract() == 0.0 && eighths % 2.0 == 1.0 {
        // Odd multiples of 1/8 are the only doubles that are exactly in the middle between two
        // multiples of 1/100.
        let cents = ((x.abs() * 100.0).floor() + 1.0) / 100.0;
        return format!("{}{cents:.2}", if x < 0.0 { "-" } else { "" });
    }
    format!("{x:.2}")
}

/// The result of printing `x` with ten decimals and parsing the text.
pub(crate) fn to_ten_decimals(x: f64) -> f64 {
    let scaled = x * 1e10;
    let nearest = round(scaled);
    // Away from ties, the rounded integer is certain, and dividing this integer by an exact power
    // of ten rounds in the same way as parsing its decimal text.
    if nearest.abs() < 9e15 && ((scaled - trunc(scaled)).abs() - 0.5).abs() > 1e-3 {
        return nearest / 1e10;
    }
    format!("{x:.10}").parse().unwrap_or(x)
}

/// Scratch's colour cast to red, green, blue and alpha.
pub(crate) fn to_rgba(value: &Value) -> ([u8; 3], Option<u8>) {
    if let Value::Text(t) = value {
        let text = t.to_str();
        if let Some(hex) = text.strip_prefix('#') {
            let digits: Option<SmallVec<[u8; 8]>> =
                hex.chars().map(|c| c.to_digit(16).map(|d| d as u8)).collect();
            return match digits.as_deref() {
                Some([r, g, b]) => ([r * 17, g * 17, b * 17], None),
                Some([a, b, c, d, e, f]) => ([a * 16 + b, c * 16 + d, e * 16 + f], None),
                _ => ([0, 0, 0], Some(255)),
            };
        }
    }
    let n = to_uint32(value.to_number());
    let alpha = (n >> 24) as u8;
    let rgb = [(n >> 16) as u8, (n >> 8) as u8, n as u8];
    (rgb, Some(if alpha > 0 { alpha } else { 255 }))
}

/// Red, green and blue of a string that is cast to a colour as in Scratch.
pub fn color_of(text: &str) -> [u8; 3] {
    to_rgba(&Value::from(text)).0
}

/// JavaScript's `ToUint32`.
fn to_uint32(n: f64) -> u32 {
    if !n.is_finite() {
        return 0;
    }
    n.trunc().rem_euclid(4_294_967_296.0) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn v(text: &str) -> Value {
        Value::from(text)
    }

    #[test]
    fn comparison_follows_scratch() {
        use Ordering::*;
        for (a, b, want) in [
            (v("1"), v("1.0"), Equal),
            (v(" 1"), Value::Number(1.0), Equal),
            (v("0x10"), Value::Number(16.0), Equal),
            (Value::Bool(true), Value::Number(1.0), Equal),
            (v("abc"), v("ABC"), Equal),
            (Value::Number(f64::NAN), v("nan"), Equal),
            (Value::Number(f64::INFINITY), Value::Number(f64::INFINITY), Equal),
            (v("10"), v("9"), Greater),
            (v("a"), v("b"), Less),
        ] {
            assert_eq!(a.compare(&b), want, "{a:?} {b:?}");
        }
        assert_ne!(v("").compare(&Value::Number(0.0)), Equal);
        assert_ne!(v("true").compare(&Value::Number(1.0)), Equal);
    }

    #[test]
    fn equality_agrees_with_the_order() {
        let texts = "|0|-0|1|1.0| 1 |1e21|1E21|1e+21|1E+21|0x1f|NaN|nan|Infinity|infinity|\
                     -Infinity|-INFINITY|true|TRUE|false|undefined| |\t|abc|ABC|abd|k|\u{212a}|ä|Ä";
        let numbers =
            [0.0, -0.0, 1.0, 31.0, 1e21, -5e-324, f64::NAN, f64::INFINITY, -f64::INFINITY];
        let mut values: Vec<_> = texts.split('|').map(v).collect();
        values.extend(numbers.map(Value::Number));
        values.extend([Value::Bool(true), Value::Bool(false), Value::Undefined]);
        for a in &values {
            for b in &values {
                assert_eq!(a.equals(b), a.compare(b).is_eq(), "{a:?} {b:?}");
                let place = b.compare(a).is_eq().then_some(0);
                assert_eq!(a.position_in(std::slice::from_ref(b)), place, "{a:?} {b:?}");
            }
        }
    }

    #[test]
    fn rounding_is_javascripts() {
        for (x, want) in [(2.5, 3.0), (-2.5, -2.0), (-0.5, 0.0), (0.499_999_999_999_999_94, 0.0)] {
            assert_eq!(js_round(x), want, "{x}");
        }
        assert!(js_round(-0.5).is_sign_negative() && js_round(0.5) == 1.0);
        assert!(js_round(f64::NEG_INFINITY).is_infinite() && js_round(f64::NAN).is_nan());
        assert_eq!(js_round(4_503_599_627_370_497.0), 4_503_599_627_370_497.0);
        assert_eq!(wrap(-179.5, -179.0, 180.0), 180.5);
        assert_eq!(wrap(101.0, 0.0, 100.0), 0.0);
    }

    #[test]
    fn decimals_are_javascripts() {
        for (x, want) in [
            (1.005, "1.00"),
            (2.675, "2.67"),
            (0.125, "0.13"),
            (-0.125, "-0.13"),
            (f64::NEG_INFINITY, "-Infinity"),
        ] {
            assert_eq!(to_fixed_2(x), want);
        }
        assert_eq!(to_ten_decimals(libm::sin(std::f64::consts::PI)), 0.0);
        assert_eq!(to_ten_decimals(0.123_456_789_05), 0.123_456_789_1);
        assert_eq!(to_ten_decimals(f64::INFINITY), f64::INFINITY);
    }

    #[test]
    fn truth_and_integers() {
        for (value, want) in
            [(v("0.0"), true), (v(" "), true), (v("FALSE"), false), (v("0"), false)]
        {
            assert_eq!(value.to_bool(), want, "{value:?}");
        }
        assert!(!v("1.0").is_int() && v("abc").is_int() && v("1e-1").is_int());
        assert!(Value::Number(2.0).is_int() && !Value::Number(2.5).is_int());
    }

    #[test]
    fn colours() {
        assert_eq!(color_of("#f00"), [255, 0, 0]);
        assert_eq!(color_of("#0a0b0c"), [10, 11, 12]);
        assert_eq!(color_of("#nope"), [0, 0, 0]);
        assert_eq!(color_of("16711680"), [255, 0, 0]);
        assert_eq!(to_rgba(&Value::Number(-1.0)), ([255, 255, 255], Some(255)));
    }
}
