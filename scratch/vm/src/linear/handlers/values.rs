//! Handlers of computations with any values. Handlers for numbers go on here, from the beginning of the
//! instruction.

use super::parts;
use crate::compare::short_comparand;
use crate::eval::{LIST_LIMIT, place_of};
use crate::functions::math;
use crate::linear::form::{Function, Instruction, Kind, ListNo, Operand, Operator, Reading};
use crate::linear::machine::{Machine, Stop};
use crate::linear::operands::{Any, Source, Stored};
use crate::linear::outcomes::measured;
use crate::linear::steps::Step;
use crate::rounding::modulo;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

impl<T: Tracer> Machine<'_, T> {
    /// The number cast of an operand.
    fn number(&self, operand: Operand) -> f64 {
        Any::read(self, operand).number()
    }

    /// What a comparison reads; NaN if it compares values.
    fn comparand(&self, operand: Operand) -> f64 {
        match Any::read(self, operand) {
            Stored::Number(n) => n,
            Stored::Other(other) => short_comparand(other).unwrap_or(f64::NAN),
        }
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
pub(crate) fn binary<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Binary { operator, to, a, b });
    let (a, b) = (machine.number(a), machine.number(b));
    let result = match operator {
        Operator::Add => a + b,
        Operator::Subtract => a - b,
        Operator::Multiply => a * b,
        Operator::Divide => a / b,
        Operator::Modulo => modulo(a, b),
    };
    machine.store(to, result);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn change<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Change { to, b });
    let sum = machine.number(to) + machine.number(b);
    machine.store(to, sum);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn unary<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Unary { function, to, a });
    let a = machine.number(a);
    let result = match function {
        Function::Round => js_round(a),
        Function::Math(op) => math(op, a, machine.angles),
    };
    machine.store(to, result);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Item { reading, to, list, index, whole });
    let number = machine.index::<I>(index).and_then(|index| match machine.item_at(list, index) {
        // Outside of the list is an empty text.
        None => (reading == Reading::Number).then_some(0.0),
        Some(Value::Number(n)) => Some(*n),
        Some(item) => match reading {
            Reading::Number => Some(item.to_number()),
            Reading::Comparand => short_comparand(item),
            Reading::Index => numeral(item),
            Reading::Value => None,
        },
    });
    let Some(number) = number else { return machine.stop_at(Stop::Interpret, whole as usize) };
    machine.store(to, number);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn list_length<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ListLength { to, list });
    let length = machine.items(list).len() as f64;
    machine.store(to, length);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn copy<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Copy { to, a });
    let value = machine.value(a);
    *machine.variable(to) = value;
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn copy_item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CopyItem { to, list, index });
    let Some(index) = machine.index::<I>(index) else { return machine.stop(Stop::Interpret, rest) };
    let item = machine.item_at(list, index).cloned();
    *machine.variable(to) = item.unwrap_or_else(|| Value::from(""));
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn add_to_list<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    if machine.items(list).len() >= LIST_LIMIT {
        return machine.stop(Stop::Interpret, rest);
    }
    let item = machine.value(item);
    machine.items_mut(list).push(item);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn replace_item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    let Some(index) = machine.index::<I>(index) else { return machine.stop(Stop::Interpret, rest) };
    // A text that is there already stays: a change of its count of references takes longer than all else.
    let form = machine.form;
    if let (Kind::Constant, Value::Text(new)) = (item.kind(), &form.values[item.index()]) {
        match machine.item_at_mut(list, index) {
            Some(Value::Text(old)) if old.is_shared_with(new) => {}
            Some(old) => *old = Value::Text(new.clone()),
            None => {}
        }
        return machine.next(rest);
    }
    let item = machine.value(item);
    if let Some(old) = machine.item_at_mut(list, index) {
        *old = item;
    }
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn compare<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, a, b, to });
    let (x, y) = (machine.comparand(a), machine.comparand(b));
    if x.is_nan() || y.is_nan() {
        return machine.stop(Stop::Interpret, rest);
    }
    let (how, negated) = relation.parts();
    machine.link(link, measured(how, negated, x, y));
    if machine.finish_test(step.no) == jumps { to as usize } else { machine.next(rest) }
}

#[inline(never)]
pub(crate) fn test<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Test { relation, link, a, b, whole });
    let (x, y) = (machine.comparand(a), machine.comparand(b));
    if x.is_nan() || y.is_nan() {
        return machine.stop_at(Stop::Interpret, whole as usize);
    }
    let (how, negated) = relation.parts();
    machine.link(link, measured(how, negated, x, y));
    machine.next(rest)
}
