//! Comparison of expected and actual values.

use catherd_scratch_vm::Value;

use crate::attribute::{Attribute, AttributeValue};
use crate::format::Tolerances;

#[derive(Clone, Copy, Debug)]
pub(crate) struct Comparison {
    pub(crate) tolerances: Tolerances,
    /// See [`Suite::nan_equal`](crate::Suite::nan_equal).
    pub(crate) nan_equal: bool,
}

impl Comparison {
    pub(crate) fn agree(
        &self,
        attribute: Attribute,
        expected: &AttributeValue,
        actual: &AttributeValue,
    ) -> bool {
        let near = |a: f64, b: f64| {
            a == b || a.is_nan() && b.is_nan() || {
                let tolerance = self.tolerance(attribute);
                tolerance > 0.0 && (a - b).abs() <= tolerance
            }
        };
        match (expected, actual) {
            (AttributeValue::Number(a), AttributeValue::Number(b)) => near(*a, *b),
            (AttributeValue::Position(x, y), AttributeValue::Position(to_x, to_y)) => {
                near(*x, *to_x) && near(*y, *to_y)
            }
            (AttributeValue::Bubble(Some(a)), AttributeValue::Bubble(Some(b))) => {
                self.loosely(&Value::Text(a.clone()), &Value::Text(b.clone()))
            }
            (AttributeValue::Value(a), AttributeValue::Value(b)) => {
                self.loosely(a, b) || nearly(a, b)
            }
            (AttributeValue::Range(a), AttributeValue::Range(b)) => a.contains(b),
            (a, b) => a.is_same(b),
        }
    }

    fn tolerance(&self, attribute: Attribute) -> f64 {
        match attribute {
            Attribute::Position => self.tolerances.position,
            Attribute::Direction => self.tolerances.direction,
            Attribute::Size => self.tolerances.size,
            _ => 0.0,
        }
    }

    /// The comparison `==` of JavaScript, except that NaN equals NaN, and truth values are compared
    /// with strings by their names. With `nan_equal`, any two values that are not numerals are
    /// equal.
    fn loosely(&self, a: &Value, b: &Value) -> bool {
        if self.nan_equal && a.js_number().is_nan() && b.js_number().is_nan() {
            return true;
        }
        let numeric = matches!(a, Value::Number(_)) || matches!(b, Value::Number(_));
        numeric && a.js_number() == b.js_number() || a.to_text() == b.to_text()
    }
}

/// Maximum difference at which the expected and the actual value of a variable count as equal. Only
/// numbers with a fraction have a tolerance, because their last digits depend on how a glide or a
/// wait is divided into steps; `None` for all other values, which are compared exactly.
pub(crate) fn fraction_tolerance(expected: f64) -> Option<f64> {
    let fraction = expected.is_finite() && expected.fract() != 0.0;
    fraction.then(|| 1e-6 * expected.abs().max(1.0))
}

fn nearly(expected: &Value, actual: &Value) -> bool {
    let (a, b) = (expected.js_number(), actual.js_number());
    fraction_tolerance(a).is_some_and(|tolerance| (a - b).abs() <= tolerance)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_compared_by_the_rules_of_assertions() {
        let strict = Comparison { tolerances: Tolerances::default(), nan_equal: false };
        let loose = Comparison { nan_equal: true, ..strict };
        let agree = |how: Comparison, expected: &str, actual: Value| {
            how.agree(
                Attribute::Variable(0),
                &AttributeValue::Value(expected.into()),
                &AttributeValue::Value(actual),
            )
        };
        for (expected, actual, want, want_loosely) in [
            ("5", Value::Number(5.0), true, true),
            ("5.0", Value::Number(5.0), true, true),
            ("5.0", Value::from("5"), false, false),
            ("a", Value::from("b"), false, true),
            ("a", Value::from("A"), false, true),
            ("NaN", Value::Number(f64::NAN), true, true),
            ("a", Value::Number(f64::NAN), false, true),
            ("true", Value::Bool(true), true, true),
            ("1", Value::Bool(true), false, false),
            ("", Value::Number(0.0), true, true),
            ("86.33333333333331", Value::Number(86.33333333333334), true, true),
            ("86.33333333333331", Value::from("86.33333333333334"), true, true),
            ("86.33", Value::Number(86.34), false, false),
            ("5", Value::Number(5.0000001), false, false),
        ] {
            assert_eq!(agree(strict, expected, actual.clone()), want, "{expected} {actual:?}");
            assert_eq!(
                agree(loose, expected, actual.clone()),
                want_loosely,
                "{expected} {actual:?}"
            );
        }
    }
}
