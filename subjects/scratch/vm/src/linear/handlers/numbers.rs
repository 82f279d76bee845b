//! Handlers of computations with numbers.

use super::{items, parts, values};
use crate::code::Comparison;
use crate::eval::nan_to_zero;
use crate::linear::executor::{Executor, Step};
use crate::linear::form::Instruction;
use crate::linear::operands::{Destination, Register, Source, Variable};
use crate::linear::outcomes::measured;
use crate::rounding::{ceil, floor, modulo};
use crate::tracer::Tracer;
use crate::value::js_round;

pub(crate) trait Operates {
    fn result(a: f64, b: f64) -> f64;
}

pub(crate) trait Computes {
    fn result(a: f64) -> f64;
}

macro_rules! operators {
    ($($kind:ident $name:ident($($a:ident),*) => $result:expr;)*) => { $(
        pub(crate) struct $name;

        impl $kind for $name {
            #[inline(always)]
            fn result($($a: f64),*) -> f64 {
                $result
            }
        }
    )* };
}

operators! {
    Operates Add(a, b) => a + b;
    Operates Subtract(a, b) => a - b;
    Operates Multiply(a, b) => a * b;
    Operates Divide(a, b) => a / b;
    Operates Modulo(a, b) => modulo(a, b);
    Computes Round(a) => js_round(a);
    Computes Floor(a) => floor(a);
    Computes Ceiling(a) => ceil(a);
    Computes Abs(a) => a.abs();
    Computes Sqrt(a) => a.sqrt();
}

pub(crate) fn binary<T: Tracer, O: Operates, D: Destination, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Binary { to, a, b, .. });
    if let (Some(a), Some(b)) = (A::number(executor, a), B::number(executor, b)) {
        let result = O::result(nan_to_zero(a), nan_to_zero(b));
        if let Some(place) = D::place(executor, to) {
            *place = result;
            return executor.next(rest);
        }
    }
    values::binary::<T, A, B>(executor, step, rest)
}

pub(crate) fn change<T: Tracer, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Change { to, b });
    let by = B::numeral(executor, b);
    if !(B::MAY_BE_TEXT && by.is_nan())
        && let Some(place) = Variable::place(executor, to)
    {
        *place = nan_to_zero(*place) + nan_to_zero(by);
        return executor.next(rest);
    }
    values::change::<T, B>(executor, step, rest)
}

pub(crate) fn unary<T: Tracer, O: Computes, D: Destination, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Unary { to, a, .. });
    let a = A::numeral(executor, a);
    if !(A::MAY_BE_TEXT && a.is_nan())
        && let Some(place) = D::place(executor, to)
    {
        *place = O::result(nan_to_zero(a));
        return executor.next(rest);
    }
    values::unary::<T, A>(executor, step, rest)
}

pub(crate) fn item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Item { to, list, index, .. });
    if let Some(index) = I::number(executor, index)
        && let Some(number) = executor.number_at(list, index)
        && let Some(place) = Register::place(executor, to)
    {
        *place = number;
        return executor.next(rest);
    }
    items::item::<T, I>(executor, step, rest)
}

pub(crate) fn list_length<T: Tracer, D: Destination>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ListLength { to, list });
    let length = executor.items(list).len() as f64;
    if let Some(place) = D::place(executor, to) {
        *place = length;
        return executor.next(rest);
    }
    values::list_length(executor, step, rest)
}

pub(crate) fn copy<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Copy { to, a });
    if let Some(number) = A::number(executor, a)
        && let Some(place) = Variable::place(executor, to)
    {
        *place = number;
        return executor.next(rest);
    }
    values::copy::<T, A>(executor, step, rest)
}

pub(crate) fn copy_item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CopyItem { to, list, index });
    if let Some(index) = I::number(executor, index)
        && let Some(number) = executor.number_at(list, index)
        && let Some(place) = Variable::place(executor, to)
    {
        *place = number;
        return executor.next(rest);
    }
    items::copy_item::<T, I>(executor, step, rest)
}

pub(crate) fn add_to_list<T: Tracer, V: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    if let Some(number) = V::number(executor, item)
        && executor.add_number(list, number)
    {
        return executor.next(rest);
    }
    items::add_to_list(executor, step, rest)
}

pub(crate) fn replace_item<T: Tracer, I: Source, V: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    if let (Some(index), Some(number)) = (I::number(executor, index), V::number(executor, item))
        && let Some(place) = executor.place_at(list, index)
    {
        *place = number;
        return executor.next(rest);
    }
    items::replace_item::<T, I>(executor, step, rest)
}

pub(crate) fn replace_by_item<T: Tracer, I: Source, F: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceByItem { list, index, from, at });
    if let Some(at) = F::number(executor, at)
        && let Some(number) = executor.number_at(from, at)
        && let Some(index) = I::number(executor, index)
        && let Some(place) = executor.place_at(list, index)
    {
        *place = number;
        return executor.next(rest);
    }
    items::replace_by_item(executor, step, rest)
}

pub(crate) trait Compared {
    const HOW: Comparison;
}

pub(crate) struct Less;
pub(crate) struct Equals;
pub(crate) struct Greater;

impl Compared for Less {
    const HOW: Comparison = Comparison::Less;
}

impl Compared for Equals {
    const HOW: Comparison = Comparison::Equals;
}

impl Compared for Greater {
    const HOW: Comparison = Comparison::Greater;
}

pub(crate) fn compare<T: Tracer, C: Compared, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { relation, jumps, a, b, to, .. });
    let (Some(x), Some(y)) = (A::comparand(executor, a), B::comparand(executor, b)) else {
        return values::compare::<T, A, B>(executor, step, rest);
    };
    let outcome = executor.decide(step.no, C::HOW, relation.parts().1, x, y);
    if outcome == jumps { to as usize } else { executor.next(rest) }
}

pub(crate) fn compare_linked<T: Tracer, C: Compared, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { a, b, .. });
    match (A::comparand(executor, a), B::comparand(executor, b)) {
        (Some(x), Some(y)) => compare_numbers::<T, C>(executor, step, rest, x, y),
        _ => values::compare::<T, A, B>(executor, step, rest),
    }
}

/// A separate function, because inlining it into each instance of the caller would generate too
/// much code.
#[inline(never)]
fn compare_numbers<T: Tracer, C: Compared>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
    x: f64,
    y: f64,
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, to, .. });
    executor.link(link, measured(C::HOW, relation.parts().1, x, y));
    if executor.finish_test(step.no) == jumps { to as usize } else { executor.next(rest) }
}

pub(crate) fn compare_item<T: Tracer, C: Compared, I: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CompareItem { list, index, b, .. });
    if let Some(index) = I::number(executor, index)
        && let Some(x) = executor.number_at(list, index)
        && let Some(y) = B::comparand(executor, b)
        && !x.is_nan()
    {
        return compare_item_number::<T, C>(executor, step, rest, x, y);
    }
    items::compare(executor, step, rest)
}

#[inline(never)]
fn compare_item_number<T: Tracer, C: Compared>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
    x: f64,
    y: f64,
) -> usize {
    parts!(step, Instruction::CompareItem { way, to, .. });
    let outcome = executor.decide(step.no, C::HOW, way.negated(), x, y);
    if outcome == way.jumps() { to as usize } else { executor.next(rest) }
}

pub(crate) fn compare_linked_item<T: Tracer, C: Compared, I: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CompareItem { list, index, b, .. });
    if let Some(index) = I::number(executor, index)
        && let Some(x) = executor.number_at(list, index)
        && let Some(y) = B::comparand(executor, b)
        && !x.is_nan()
    {
        return compare_linked_item_number::<T, C>(executor, step, rest, x, y);
    }
    items::compare(executor, step, rest)
}

#[inline(never)]
fn compare_linked_item_number<T: Tracer, C: Compared>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
    x: f64,
    y: f64,
) -> usize {
    parts!(step, Instruction::CompareItem { way, to, .. });
    executor.link(way.link(), measured(C::HOW, way.negated(), x, y));
    if executor.finish_test(step.no) == way.jumps() { to as usize } else { executor.next(rest) }
}

pub(crate) fn test_item<T: Tracer, C: Compared, I: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::TestItem { list, index, b, .. });
    if let Some(index) = I::number(executor, index)
        && let Some(x) = executor.number_at(list, index)
        && let Some(y) = B::comparand(executor, b)
        && !x.is_nan()
    {
        return test_item_number::<T, C>(executor, step, rest, x, y);
    }
    items::test(executor, step, rest)
}

#[inline(never)]
fn test_item_number<T: Tracer, C: Compared>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
    x: f64,
    y: f64,
) -> usize {
    parts!(step, Instruction::TestItem { way, .. });
    executor.link(way.link(), measured(C::HOW, way.negated(), x, y));
    executor.next(rest)
}

pub(crate) fn test<T: Tracer, C: Compared, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Test { a, b, .. });
    match (A::comparand(executor, a), B::comparand(executor, b)) {
        (Some(x), Some(y)) => test_numbers::<T, C>(executor, step, rest, x, y),
        _ => values::test::<T, A, B>(executor, step, rest),
    }
}

#[inline(never)]
fn test_numbers<T: Tracer, C: Compared>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
    x: f64,
    y: f64,
) -> usize {
    parts!(step, Instruction::Test { relation, link, .. });
    executor.link(link, measured(C::HOW, relation.parts().1, x, y));
    executor.next(rest)
}

pub(crate) fn take<T: Tracer, A: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Take { to, a, otherwise });
    match A::number(executor, a) {
        Some(number) => {
            executor.numbers[to.index()] = number;
            executor.next(rest)
        }
        None => otherwise as usize,
    }
}
