//! Comparisons of expressions as numbers or as values.

use crate::code::{Expr, ExprId};
use crate::eval::text_cost;
use crate::interpreter::Interpreter;
use crate::tracer::Tracer;
use crate::value::Value;

/// The number by which a value is compared, if the conversion takes no fuel.
#[inline]
pub(crate) fn short_comparand(value: &Value) -> Option<f64> {
    match value {
        Value::Number(n) => Some(*n),
        Value::Text(text) if text_cost(text.len()) == 0 => {
            Some(text.comparand()).filter(|n| !n.is_nan())
        }
        _ => None,
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    /// `numbers` never receives NaN, and `values` must return the same results for numbers. The
    /// fuel is the same whether distances are measured or not.
    #[inline]
    pub(crate) fn with_operands<R>(
        &mut self,
        a: ExprId,
        b: ExprId,
        numbers: impl FnOnce(f64, f64) -> R,
        values: impl FnOnce(&Value, &Value) -> R,
    ) -> R {
        let known_a = self.comparand(a);
        let mut known_b = None;
        if let Some(x) = known_a
            && !x.is_nan()
        {
            known_b = self.comparand(b);
            if let Some(y) = known_b
                && !y.is_nan()
            {
                return numbers(x, y);
            }
        }
        self.with_values((a, known_a), (b, known_b), values)
    }

    /// The known operands have already been evaluated by [`Self::comparand`]. Stored values are
    /// borrowed, because evaluating the other operand does not change them.
    #[inline(never)]
    fn with_values<R>(
        &mut self,
        (a, known_a): (ExprId, Option<f64>),
        (b, known_b): (ExprId, Option<f64>),
        compare: impl FnOnce(&Value, &Value) -> R,
    ) -> R {
        let computed_a = self.unless_stored(a, known_a);
        let computed_b = self.unless_stored(b, known_b);
        let (result, units) = {
            let a = computed_a.as_ref().or_else(|| self.stored(a)).unwrap_or(&Value::Undefined);
            let b = computed_b.as_ref().or_else(|| self.stored(b)).unwrap_or(&Value::Undefined);
            (compare(a, b), a.text_len().min(b.text_len()))
        };
        self.consume_fuel(text_cost(units));
        result
    }

    /// `None` if the value is stored.
    fn unless_stored(&mut self, e: ExprId, known: Option<f64>) -> Option<Value> {
        match known {
            _ if self.stored(e).is_some() => None,
            Some(n) => Some(Value::Number(n)),
            None => Some(self.value(e)),
        }
    }

    /// The number by which an expression is compared. If the result is `None`, the expression has
    /// not been evaluated.
    #[inline(never)]
    fn comparand(&mut self, e: ExprId) -> Option<f64> {
        let value = match self.program.exprs[e.0 as usize] {
            Expr::Variable(slot) => self.variable(slot),
            Expr::Constant(c) => &self.program.constants[c as usize],
            Expr::Parameter(_) => self.stored(e)?,
            _ => return self.arithmetic(e),
        };
        short_comparand(value)
    }

    /// The value of an expression that only reads a stored value.
    #[inline]
    pub(crate) fn stored(&self, e: ExprId) -> Option<&Value> {
        match &self.program.exprs[e.0 as usize] {
            Expr::Constant(c) => Some(&self.program.constants[*c as usize]),
            Expr::Variable(slot) => Some(self.variable(*slot)),
            Expr::Parameter(i) => self.parameter(*i),
            _ => None,
        }
    }
}
