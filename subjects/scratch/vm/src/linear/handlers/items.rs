//! Handlers of items with any values, which handlers for numbers call when they cannot execute an
//! instruction.

use super::parts;
use super::values::compared_values;
use crate::compare::short_comparand;
use crate::distance::ConditionDistances;
use crate::eval::{LIST_LIMIT, place_of};
use crate::limits::Limit;
use crate::linear::executor::{Executor, Step, Stop};
use crate::linear::form::{Instruction, ListNo, Operand, Reading, Way};
use crate::linear::operands::{Any, Source, Stored};
use crate::linear::outcomes::measured;
use crate::tracer::Tracer;
use crate::value::Value;

impl<T: Tracer> Executor<'_, T> {
    /// `None` if the index is neither a number nor a string that is a numeral or blank.
    #[inline(always)]
    pub(super) fn index<I: Source>(&self, operand: Operand) -> Option<f64> {
        match I::read(self, operand) {
            Stored::Number(n) => Some(n),
            Stored::Other(other) => numeral(other),
        }
    }

    #[inline(always)]
    pub(super) fn item_at(&mut self, list: ListNo, index: f64) -> Option<&Value> {
        let items = self.items(list);
        place_of(index, items.len()).map(|place| &items[place])
    }

    #[inline(always)]
    fn item_at_mut(&mut self, list: ListNo, index: f64) -> Option<&mut Value> {
        let place = place_of(index, self.items(list).len())?;
        Some(&mut self.items_mut(list)[place])
    }

    fn add(&mut self, list: ListNo, item: Value) {
        if self.items(list).len() >= LIST_LIMIT {
            return self.hits.hit(Limit::List, self.step);
        }
        self.items_mut(list).push(item);
    }

    /// `None` if the interpreter must compare the values.
    fn compared_item(
        &mut self,
        way: Way,
        list: ListNo,
        (index, b): (Operand, Operand),
    ) -> Option<ConditionDistances> {
        let index = self.index::<Any>(index)?;
        let place = place_of(index, self.items(list).len());
        let parts = (way.comparison(), way.negated());
        let b = Any::read(self, b);
        if let Some(Value::Text(item)) = place.map(|place| &self.read_items(list)[place])
            && let (x, y) = (item.numeral(), b.numeral())
            && !x.is_nan()
            && !y.is_nan()
        {
            return Some(measured(parts.0, parts.1, x, y));
        }
        match place {
            Some(place) => compared_values(parts, (&self.read_items(list)[place]).into(), b),
            None => compared_values(parts, (&Value::from("")).into(), b),
        }
    }
}

/// The number of a string that is a numeral or blank; `None` for other values.
fn numeral(value: &Value) -> Option<f64> {
    match value {
        Value::Text(text) => Some(text.number()).filter(|n| !n.is_nan()),
        _ => None,
    }
}

#[inline(never)]
pub(crate) fn item<T: Tracer, I: Source>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Item { reading, to, list, index, whole });
    let number = executor.index::<I>(index).and_then(|index| match executor.item_at(list, index) {
        // An index outside the list results in the empty string, which is itself an index outside
        // any list.
        None => matches!(reading, Reading::Number | Reading::Index).then_some(0.0),
        Some(Value::Number(n)) => Some(*n),
        Some(item) => match reading {
            Reading::Number => Some(item.to_number()),
            Reading::Comparand | Reading::Digit => short_comparand(item),
            Reading::Index => numeral(item),
            Reading::Value => None,
        },
    });
    let Some(number) = number else { return executor.stop_at(Stop::Interpret, whole as usize) };
    executor.store(to, number);
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
    let item = executor.value(item);
    executor.add(list, item);
    executor.next(rest)
}

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

/// A string that the item already shares with the literal is kept, because changing a reference
/// count takes time.
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

pub(crate) fn add_item<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::AddItem { list, from, index });
    let Some(index) = executor.index::<Any>(index) else {
        return executor.stop(Stop::Interpret, rest);
    };
    let item = executor.item_at(from, index).cloned().unwrap_or_else(|| Value::from(""));
    executor.add(list, item);
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn replace_by_item<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::ReplaceByItem { list, index, from, at });
    let (Some(index), Some(at)) = (executor.index::<Any>(index), executor.index::<Any>(at)) else {
        return executor.stop(Stop::Interpret, rest);
    };
    let item = executor.item_at(from, at).cloned().unwrap_or_else(|| Value::from(""));
    if let Some(old) = executor.item_at_mut(list, index) {
        *old = item;
    }
    executor.next(rest)
}

#[inline(never)]
pub(crate) fn compare<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CompareItem { way, list, index, b, to });
    let Some(test) = executor.compared_item(way, list, (index, b)) else {
        return executor.stop(Stop::Interpret, rest);
    };
    executor.link(way.link(), test);
    if executor.finish_test(step.no) == way.jumps() { to as usize } else { executor.next(rest) }
}

#[inline(never)]
pub(crate) fn test<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::TestItem { way, list, index, b, whole });
    let Some(test) = executor.compared_item(way, list, (index, b)) else {
        return executor.stop_at(Stop::Interpret, whole as usize);
    };
    executor.link(way.link(), test);
    executor.next(rest)
}
