//! Handlers of computations with any values. Handlers for numbers call them, from the beginning of
//! the instruction, if an operand is no number.

use smallvec::SmallVec;

use super::parts;
use crate::compare::short_comparand;
use crate::distance::{ConditionDistances, of_compared_values};
use crate::eval::{LIST_LIMIT, nan_to_zero, place_of, text_cost};
use crate::functions::math;
use crate::linear::executor::{Executor, Step, Stop};
use crate::linear::form::{Function, Instruction, ListNo, Operand, Operator, Reading, Relation};
use crate::linear::operands::{Any, Source, Stored, Variable};
use crate::linear::outcomes::{measured, negated_if};
use crate::rounding::modulo;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

impl<T: Tracer> Executor<'_, T> {
    /// The distances of a comparison or its negation; `None` if it takes fuel.
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
        let number = |stored: &Stored<'_>| match stored {
            Stored::Number(n) => Value::Number(*n),
            Stored::Other(_) => Value::Undefined,
        };
        let (a, b) = (Any::read(self, a), Any::read(self, b));
        let (number_a, number_b) = (number(&a), number(&b));
        let a = if let Stored::Other(a) = a { a } else { &number_a };
        let b = if let Stored::Other(b) = b { b } else { &number_b };
        if text_cost(a.text_len().min(b.text_len())) > 0 {
            return None;
        }
        let (how, negated) = relation.parts();
        Some(negated_if(negated, of_compared_values(how, a, b)))
    }

    /// An index of a list; `None` if it is a word.
    #[inline(always)]
    fn index<I: Source>(&self, operand: Operand) -> Option<f64> {
        match I::read(self, operand) {
            Stored::Number(n) => Some(n),
            Stored::Other(other) => numeral(other),
        }
    }

    /// The item with an index; `None` outside of the list.
    #[inline(always)]
    fn item_at(&mut self, list: ListNo, index: f64) -> Option<&Value> {
        let items = self.items(list);
        place_of(index, items.len()).map(|place| &items[place])
    }

    /// The item with an index, to be overwritten; `None` outside of the list.
    #[inline(always)]
    fn item_at_mut(&mut self, list: ListNo, index: f64) -> Option<&mut Value> {
        let place = place_of(index, self.items(list).len())?;
        Some(&mut self.items_mut(list)[place])
    }
}

/// The number of a text that is a numeral; `None` for others.
fn numeral(value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) => Some(text.number()).filter(|n| !n.is_nan()),
        _ => None,
    }
}

#[inline(never)]
pub(crate) fn binary<T: Tracer, A: Source, B: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Binary { operator, to, a, b });
    let (a, b) = (A::read(executor, a).number(), B::read(executor, b).number());
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
    let a = A::read(executor, a).number();
    let result = match function {
        Function::Round => js_round(a),
        Function::Math(op) => math(op, a, executor.angles),
    };
    executor.store(to, result);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Item { reading, to, list, index, whole });
    let number = executor.index::<I>(index).and_then(|index| match executor.item_at(list, index) {
        // An index outside of the list gives the empty text.
        None => (reading == Reading::Number).then_some(0.0),
        Some(Value::Number(n)) => Some(*n),
        Some(item) => match reading {
            Reading::Number => Some(item.to_number()),
            Reading::Comparand => short_comparand(item),
            Reading::Index => numeral(item),
            Reading::Value => None,
        },
    });
    let Some(number) = number else { return executor.stop_at(Stop::Interpret, whole as usize) };
    executor.store(to, number);
    executor.next(rest)
}

/// The number of a letter of a value by its place from 1, read in some way; `None` if it has none.
fn number_of_letter(value: Stored<'_>, place: f64, reading: Reading) -> Option<f64> {
    let index = nan_to_zero(place) - 1.0;
    let unit = match value {
        Stored::Number(n) => digit(n, index)?,
        Stored::Other(Value::Text(text)) => {
            let exists = index >= 0.0 && index < text.len() as f64;
            exists.then(|| text.code_unit(index as usize)).flatten()
        }
        Stored::Other(_) => return None,
    };
    match unit {
        Some(digit @ 0x30..=0x39) => Some(f64::from(digit - 0x30)),
        // No other letter is a numeral, and its number cast is 0, as that of the empty text.
        _ => (reading == Reading::Number).then_some(0.0),
    }
}

/// The code unit at an index of the text of a number, if there is one; `None` for numbers whose text
/// is more than digits.
fn digit(n: f64, index: f64) -> Option<Option<u16>> {
    /// Numbers below have at most 15 digits, and no exponent.
    const LEAST_LONG: f64 = 1e15;
    if !(0.0..LEAST_LONG).contains(&n) || n.fract() != 0.0 {
        return None;
    }
    let (mut digits, mut rest) = (SmallVec::<[u16; 16]>::new(), n as u64);
    loop {
        digits.push(0x30 + (rest % 10) as u16);
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if !(0.0..digits.len() as f64).contains(&index) {
        return Some(None);
    }
    Some(digits.iter().rev().nth(index as usize).copied())
}

pub(crate) fn letter<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Letter { reading, to, text, whole });
    let place = executor.numbers[to.index()];
    let number = number_of_letter(Any::read(executor, text), place, reading);
    let Some(number) = number else { return executor.stop_at(Stop::Interpret, whole as usize) };
    executor.store(to, number);
    executor.next(rest)
}

pub(crate) fn letter_of_item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::LetterOfItem { reading, to, list, index, whole });
    let place = executor.numbers[to.index()];
    let number = executor.index::<I>(index).and_then(|index| match executor.item_at(list, index) {
        Some(item) => number_of_letter(Stored::from(item), place, reading),
        None => (reading == Reading::Number).then_some(0.0),
    });
    let Some(number) = number else { return executor.stop_at(Stop::Interpret, whole as usize) };
    executor.store(to, number);
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
        // An equal text that is there already is kept, see `replace_with_text`.
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

#[inline(never)]
pub(crate) fn copy_item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CopyItem { to, list, index });
    let Some(index) = executor.index::<I>(index) else {
        return executor.stop(Stop::Interpret, rest);
    };
    let item = executor.item_at(list, index).cloned();
    *executor.variable(to) = item.unwrap_or_else(|| Value::from(""));
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn add_to_list<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    if executor.items(list).len() >= LIST_LIMIT {
        return executor.stop(Stop::Interpret, rest);
    }
    let item = executor.value(item);
    executor.items_mut(list).push(item);
    executor.next(rest)
}

/// Adds a literal text to a list.
pub(crate) fn add_text<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    let form = executor.form;
    if let Some(Value::Text(text)) = form.values.get(item.index())
        && let Some(items) = executor.open_items(list)
        && items.len() < items.capacity().min(LIST_LIMIT)
    {
        items.push(Value::Text(text.clone()));
        return executor.next(rest);
    }
    add_to_list(executor, step, rest)
}

/// Replaces an item by a literal text. If that text is there already it is kept, because changing a
/// reference count takes longer than everything else in this function.
pub(crate) fn replace_with_text<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    let form = executor.form;
    if let Some(Value::Text(new)) = form.values.get(item.index())
        && let Some(index) = I::number(executor, index)
        && let Some(items) = executor.open_items(list)
        && let Some(place) = place_of(index, items.len())
    {
        match &mut items[place] {
            Value::Text(old) if old.is_shared_with(new) => {}
            old => *old = Value::Text(new.clone()),
        }
        return executor.next(rest);
    }
    replace_item::<T, I>(executor, step, rest)
}

#[inline(never)]
pub(crate) fn replace_item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    let Some(index) = executor.index::<I>(index) else {
        return executor.stop(Stop::Interpret, rest);
    };
    let item = executor.value(item);
    if let Some(old) = executor.item_at_mut(list, index) {
        *old = item;
    }
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn compare<T: Tracer, A: Source, B: Source>(
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
