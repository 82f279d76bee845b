//! Handlers of computations with any values, which handlers for numbers call when they cannot
//! execute an instruction.

use super::parts;
use crate::code::Comparison;
use crate::distance::{ConditionDistances, of_compared_values};
use crate::eval::{nan_to_zero, text_cost};
use crate::functions::{math, snap};
use crate::linear::executor::{Executor, Step, Stop};
use crate::linear::form::{Function, Instruction, Link, Operand, Operator, Quantity, Relation};
use crate::linear::operands::{Any, Source, Stored, Variable};
use crate::linear::outcomes::{measured, negated_if};
use crate::rounding::modulo;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

impl<T: Tracer> Executor<'_, T> {
    /// The distances of a comparison or its negation; `None` if the comparison takes fuel.
    #[inline(always)]
    fn compared<A: Source, B: Source>(
        &self,
        relation: Relation,
        a: Operand,
        b: Operand,
    ) -> Option<ConditionDistances> {
        let (how, negated) = relation.parts();
        let (x, y) = (A::read(self, a).comparand(), B::read(self, b).comparand());
        if x.is_nan() || y.is_nan() {
            return self.compared_as_values(relation, a, b);
        }
        Some(measured(how, negated, x, y))
    }

    #[inline(never)]
    fn compared_as_values(
        &self,
        relation: Relation,
        a: Operand,
        b: Operand,
    ) -> Option<ConditionDistances> {
        compared_values(relation.parts(), Any::read(self, a), Any::read(self, b))
    }
}

/// The distances of a comparison or its negation; `None` if the comparison takes fuel.
pub(super) fn compared_values(
    (how, negated): (Comparison, bool),
    a: Stored<'_>,
    b: Stored<'_>,
) -> Option<ConditionDistances> {
    // NaN, such as a letter that is not a digit, equals no number.
    let is_nan = |stored: &Stored<'_>| matches!(stored, Stored::Number(n) if n.is_nan());
    if how == Comparison::Equals
        && (is_nan(&a) && !b.numeral().is_nan() || is_nan(&b) && !a.numeral().is_nan())
    {
        return Some(negated_if(negated, ConditionDistances::new(false, 1.0)));
    }
    let number = |stored: &Stored<'_>| match stored {
        Stored::Number(n) => Value::Number(*n),
        Stored::Other(_) => Value::Undefined,
    };
    let (number_a, number_b) = (number(&a), number(&b));
    let a = if let Stored::Other(a) = a { a } else { &number_a };
    let b = if let Stored::Other(b) = b { b } else { &number_b };
    if text_cost(a.text_len().min(b.text_len())) > 0 {
        return None;
    }
    Some(negated_if(negated, of_compared_values(how, a, b)))
}

pub(crate) fn quantity<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Quantity { to, quantity });
    let number = executor.quantities[quantity as usize];
    let number = match quantity {
        Quantity::X | Quantity::Y => snap(number),
        Quantity::Size => js_round(number),
        _ => number,
    };
    executor.store(to, number);
    executor.next(rest)
}

pub(crate) fn random<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Random { to, a, b });
    let bound = |operand| match Any::read(executor, operand) {
        Stored::Number(n) => (nan_to_zero(n), Value::Number(n).is_int()),
        Stored::Other(other) => (other.to_number(), other.is_int()),
    };
    let (a, b) = (bound(a), bound(b));
    let number = executor.random.pick(a.0, b.0, a.1 && b.1);
    executor.store(to, number);
    executor.next(rest)
}

pub(crate) fn length<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Length { to, a });
    let length = match Any::read(executor, a) {
        Stored::Number(n) => Value::Number(n).to_text().len(),
        Stored::Other(Value::Text(text)) => text.len(),
        Stored::Other(other) => other.to_text().len(),
    };
    executor.store(to, length as f64);
    executor.next(rest)
}

#[inline(always)]
fn number<T: Tracer, A: Source>(executor: &Executor<'_, T>, a: Operand) -> f64 {
    match A::numeral(executor, a) {
        // The value is NaN, or neither a number nor a short numeral whose number is known.
        numeral if numeral.is_nan() => A::read(executor, a).number(),
        numeral => numeral,
    }
}

#[inline(never)]
pub(crate) fn binary<T: Tracer, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Binary { operator, to, a, b });
    let (a, b) = (number::<T, A>(executor, a), number::<T, B>(executor, b));
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo => modulo(a, b),
    };
    executor.store(to, result);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn change<T: Tracer, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Change { to, b });
    let sum = Variable::read(executor, to).number() + B::read(executor, b).number();
    executor.store(to, sum);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn unary<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Unary { function, to, a });
    let a = number::<T, A>(executor, a);
    let result = match function {
        Function::Round => js_round(a),
        Function::Math(op) => math(op, a, executor.angles),
    };
    executor.store(to, result);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn list_length<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ListLength { to, list });
    let length = executor.items(list).len() as f64;
    executor.store(to, length);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn copy<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Copy { to, a });
    let value = match A::read(executor, a) {
        Stored::Number(number) => Value::Number(number),
        // A string that the variable already shares is kept (see `replace_with_text`).
        Stored::Other(Value::Text(new)) => match Variable::read(executor, to) {
            Stored::Other(Value::Text(old)) if old.is_shared_with(new) => {
                return executor.next(rest);
            }
            _ => Value::Text(new.clone()),
        },
        Stored::Other(other) => other.clone(),
    };
    *executor.variable(to) = value;
    executor.next(rest)
}

/// Compares numerals first, because variables are often set to literals of the code, which are
/// strings.
#[inline(never)]
pub(crate) fn compare<T: Tracer, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, a, b, to });
    let (x, y) = (A::numeral(executor, a), B::numeral(executor, b));
    if link != Link::Push || x.is_nan() || y.is_nan() {
        return compare_any::<T, A, B>(executor, step, rest);
    }
    let (how, negated) = relation.parts();
    let outcome = executor.decide(step.no, how, negated, x, y);
    if outcome == jumps { to as usize } else { executor.next(rest) }
}

#[inline(never)]
fn compare_any<T: Tracer, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, a, b, to });
    let Some(test) = executor.compared::<A, B>(relation, a, b) else {
        return executor.stop(Stop::Interpret, rest);
    };
    executor.link(link, test);
    if executor.finish_test(step.no) == jumps { to as usize } else { executor.next(rest) }
}

#[inline(never)]
pub(crate) fn test<T: Tracer, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Test { relation, link, a, b, whole });
    let Some(test) = executor.compared::<A, B>(relation, a, b) else {
        return executor.stop_at(Stop::Interpret, whole as usize);
    };
    executor.link(link, test);
    executor.next(rest)
}
