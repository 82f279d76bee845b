//! The kinds of operands as types, so that the executor has separate functions for them.

use super::executor::Executor;
use super::form::{Kind, Operand};
use crate::compare::short_comparand;
use crate::eval::nan_to_zero;
use crate::tracer::Tracer;
use crate::value::Value;

pub(super) enum Stored<'a> {
    Number(f64),
    Other(&'a Value),
}

impl<'a> From<&'a Value> for Stored<'a> {
    #[inline(always)]
    fn from(value: &'a Value) -> Stored<'a> {
        match value {
            Value::Number(n) => Stored::Number(*n),
            other => Stored::Other(other),
        }
    }
}

impl Stored<'_> {
    #[inline(always)]
    pub(super) fn number(self) -> f64 {
        match self {
            Stored::Number(n) => nan_to_zero(n),
            Stored::Other(other) => other.to_number(),
        }
    }

    /// The value of a number, or of a short numeral whose number is known; NaN for other values.
    #[inline(always)]
    pub(super) fn numeral(&self) -> f64 {
        match self {
            Stored::Number(n) => *n,
            Stored::Other(Value::Text(text)) => text.numeral(),
            Stored::Other(_) => f64::NAN,
        }
    }

    /// The number for a comparison; NaN if values must be compared.
    #[inline(always)]
    pub(super) fn comparand(self) -> f64 {
        match self {
            Stored::Number(n) => n,
            Stored::Other(other) => short_comparand(other).unwrap_or(f64::NAN),
        }
    }
}

pub(super) trait Source {
    /// Whether the value of an operand may be something other than a number.
    const MAY_BE_TEXT: bool = true;

    fn get<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Option<Stored<'m>>;

    /// 0 if there is no such operand.
    #[inline(always)]
    fn read<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Stored<'m> {
        Self::get(executor, operand).unwrap_or(Stored::Number(0.0))
    }

    #[inline(always)]
    fn number<T: Tracer>(executor: &Executor<'_, T>, operand: Operand) -> Option<f64> {
        match Self::get(executor, operand)? {
            Stored::Number(n) => Some(n),
            Stored::Other(_) => None,
        }
    }

    #[inline(always)]
    fn comparand<T: Tracer>(executor: &Executor<'_, T>, operand: Operand) -> Option<f64> {
        Self::number(executor, operand).filter(|n| !n.is_nan())
    }

    /// See [`Stored::numeral`]. Only for handlers with few operands, because other handlers would
    /// have to save registers first.
    #[inline(always)]
    fn numeral<T: Tracer>(executor: &Executor<'_, T>, operand: Operand) -> f64 {
        match Self::get(executor, operand) {
            Some(Stored::Number(n)) => n,
            Some(Stored::Other(Value::Text(text))) => text.numeral(),
            _ => f64::NAN,
        }
    }
}

/// A register, or a constant that is read as a number.
pub(super) struct Number;

pub(super) struct Variable;

pub(super) struct Parameter;

/// An operand of any kind, which is read as a value.
pub(super) struct Any;

impl Source for Number {
    const MAY_BE_TEXT: bool = false;

    #[inline(always)]
    fn get<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Option<Stored<'m>> {
        executor.numbers.get(operand.index()).copied().map(Stored::Number)
    }
}

impl Source for Variable {
    #[inline(always)]
    fn get<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Option<Stored<'m>> {
        executor.variables[usize::from(operand.is_own())].get(operand.index()).map(Stored::from)
    }
}

impl Source for Parameter {
    #[inline(always)]
    fn get<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Option<Stored<'m>> {
        executor.parameters.get(executor.base + operand.index()).map(Stored::from)
    }
}

impl Source for Any {
    #[inline(always)]
    fn get<'m, T: Tracer>(executor: &'m Executor<'_, T>, operand: Operand) -> Option<Stored<'m>> {
        match operand.kind() {
            Kind::Register => Number::get(executor, operand),
            Kind::Constant => executor.form.values.get(operand.index()).map(Stored::from),
            Kind::Stage | Kind::Own => Variable::get(executor, operand),
            Kind::Parameter => Parameter::get(executor, operand),
        }
    }
}

pub(super) trait Destination {
    /// The number to be overwritten.
    fn place<'m, T: Tracer>(executor: &'m mut Executor<'_, T>, to: Operand) -> Option<&'m mut f64>;
}

pub(super) struct Register;

impl Destination for Register {
    #[inline(always)]
    fn place<'m, T: Tracer>(executor: &'m mut Executor<'_, T>, to: Operand) -> Option<&'m mut f64> {
        executor.numbers.get_mut(to.index())
    }
}

impl Destination for Variable {
    #[inline(always)]
    fn place<'m, T: Tracer>(executor: &'m mut Executor<'_, T>, to: Operand) -> Option<&'m mut f64> {
        match executor.variables[usize::from(to.is_own())].get_mut(to.index())? {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }
}

impl<T: Tracer> Executor<'_, T> {
    #[inline(never)]
    pub(super) fn value(&self, operand: Operand) -> Value {
        match Any::read(self, operand) {
            Stored::Number(n) => Value::Number(n),
            Stored::Other(other) => other.clone(),
        }
    }

    #[inline(always)]
    pub(super) fn variable(&mut self, operand: Operand) -> &mut Value {
        &mut self.variables[usize::from(operand.is_own())][operand.index()]
    }

    #[inline]
    pub(super) fn store(&mut self, to: Operand, number: f64) {
        if to.kind() == Kind::Register {
            self.numbers[to.index()] = number;
            return;
        }
        match self.variable(to) {
            Value::Number(place) => *place = number,
            place => *place = Value::Number(number),
        }
    }
}
