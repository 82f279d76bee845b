//! Handlers of computations with any values. Handlers for numbers go on here, from the beginning of the
//! instruction.

use super::parts;
use crate::compare::short_comparand;
use crate::distance::{ConditionDistances, of_compared_values};
use crate::eval::{LIST_LIMIT, place_of, text_cost};
use crate::functions::math;
use crate::linear::form::{Function, Instruction, ListNo, Operand, Operator, Reading, Relation};
use crate::linear::machine::{Machine, Step, Stop};
use crate::linear::operands::{Any, Source, Stored, Variable};
use crate::linear::outcomes::{measured, negated_if};
use crate::rounding::modulo;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

impl<T: Tracer> Machine<'_, T> {
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
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Binary { operator, to, a, b });
    let (a, b) = (A::read(machine, a).number(), B::read(machine, b).number());
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
pub(crate) fn change<T: Tracer, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Change { to, b });
    let sum = Variable::read(machine, to).number() + B::read(machine, b).number();
    machine.store(to, sum);
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn unary<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Unary { function, to, a });
    let a = A::read(machine, a).number();
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
pub(crate) fn copy<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Copy { to, a });
    let value = match A::read(machine, a) {
        Stored::Number(number) => Value::Number(number),
        // A text that is there already stays, see `replace_with_text`.
        Stored::Other(Value::Text(new)) => match Variable::read(machine, to) {
            Stored::Other(Value::Text(old)) if old.is_shared_with(new) => {
                return machine.next(rest);
            }
            _ => Value::Text(new.clone()),
        },
        Stored::Other(other) => other.clone(),
    };
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

/// Adds a text of the code to a list.
pub(crate) fn add_text<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    let form = machine.form;
    if let Some(Value::Text(text)) = form.values.get(item.index())
        && let Some(items) = machine.open_items(list)
        && items.len() < items.capacity().min(LIST_LIMIT)
    {
        items.push(Value::Text(text.clone()));
        return machine.next(rest);
    }
    add_to_list(machine, step, rest)
}

/// Replaces an item by a text of the code. If that is there already it stays: a change of a text's count
/// of references takes longer than all else.
pub(crate) fn replace_with_text<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    let form = machine.form;
    if let Some(Value::Text(new)) = form.values.get(item.index())
        && let Some(index) = I::number(machine, index)
        && let Some(items) = machine.open_items(list)
        && let Some(place) = place_of(index, items.len())
    {
        match &mut items[place] {
            Value::Text(old) if old.is_shared_with(new) => {}
            old => *old = Value::Text(new.clone()),
        }
        return machine.next(rest);
    }
    replace_item::<T, I>(machine, step, rest)
}

#[inline(never)]
pub(crate) fn replace_item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    let Some(index) = machine.index::<I>(index) else { return machine.stop(Stop::Interpret, rest) };
    let item = machine.value(item);
    if let Some(old) = machine.item_at_mut(list, index) {
        *old = item;
    }
    machine.next(rest)
}

#[inline(never)]
pub(crate) fn compare<T: Tracer, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, a, b, to });
    let Some(test) = machine.compared::<A, B>(relation, a, b) else {
        return machine.stop(Stop::Interpret, rest);
    };
    machine.link(link, test);
    if machine.finish_test(step.no) == jumps { to as usize } else { machine.next(rest) }
}

#[inline(never)]
pub(crate) fn test<T: Tracer, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Test { relation, link, a, b, whole });
    let Some(test) = machine.compared::<A, B>(relation, a, b) else {
        return machine.stop_at(Stop::Interpret, whole as usize);
    };
    machine.link(link, test);
    machine.next(rest)
}
