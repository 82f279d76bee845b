//! Handlers of letters as strings, and of joined strings.

use super::parts;
use super::values::compared_values;
use crate::code::Comparison;
use crate::distance::ConditionDistances;
use crate::eval::text_cost;
use crate::linear::executor::{Executor, Step, Stop};
use crate::linear::form::{Instruction, Operand, Way};
use crate::linear::operands::{Any, Source, Stored};
use crate::linear::outcomes::{measured, negated_if};
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::Value;

impl<T: Tracer> Executor<'_, T> {
    fn text_of(&self, operand: Operand) -> Text {
        match Any::read(self, operand) {
            Stored::Number(n) => Value::Number(n).to_text(),
            Stored::Other(other) => other.to_text(),
        }
    }

    fn letter(&self, place: Operand, text: Operand) -> Text {
        let index = Any::read(self, place).number() - 1.0;
        let unit = |text: &Text| {
            let exists = index >= 0.0 && index < text.len() as f64;
            exists.then(|| text.unit(index as usize)).flatten()
        };
        let letter = match Any::read(self, text) {
            Stored::Other(Value::Text(text)) => unit(text),
            _ => unit(&self.text_of(text)),
        };
        letter.unwrap_or_else(|| Text::new(""))
    }

    /// Returns `false` if the interpreter must join the strings.
    fn join(&mut self, to: Operand, a: Operand, end: &Text) -> bool {
        let is_own = a == to && matches!(self.variable(to), Value::Text(_));
        let start = (!is_own).then(|| self.text_of(a));
        let length = match (&start, &*self.variable(to)) {
            (Some(start), _) | (None, Value::Text(start)) => start.len() + end.len(),
            (None, _) => return false,
        };
        let cost = u32::try_from(text_cost(length)).unwrap_or(u32::MAX);
        if length > self.text_limit || self.fuel <= cost {
            return false;
        }
        self.fuel -= cost;
        self.text_fuel = self.text_fuel.wrapping_add(cost);
        match (start, self.variable(to)) {
            (Some(mut start), place) => {
                start.append(end);
                *place = Value::Text(start);
            }
            (None, Value::Text(text)) => text.append(end),
            (None, _) => {}
        }
        true
    }

    /// Fast path for most visible ASCII characters: whether a letter equals a string of one
    /// character, ignoring case. `None` for other operands.
    fn equals_letter(&self, (place, text): (Operand, Operand), b: Operand) -> Option<bool> {
        let index = Any::read(self, place).number() - 1.0;
        let Stored::Other(Value::Text(text)) = Any::read(self, text) else { return None };
        let Stored::Other(Value::Text(b)) = Any::read(self, b) else { return None };
        if !(index >= 0.0 && b.len() == 1) {
            return None;
        }
        let ascii = |text: &Text, index| u8::try_from(text.code_unit(index)?).ok();
        let (letter, other) = (ascii(text, index as usize)?, ascii(b, 0)?);
        let is_suitable = letter.is_ascii_graphic() && !letter.is_ascii_digit() && other.is_ascii();
        is_suitable.then(|| letter.eq_ignore_ascii_case(&other))
    }

    /// `None` if the comparison takes fuel, which does not occur.
    fn compared_letter(
        &self,
        way: Way,
        (place, text): (Operand, Operand),
        b: Operand,
    ) -> Option<ConditionDistances> {
        let (how, negated) = (way.comparison(), way.negated());
        if how == Comparison::Equals
            && let Some(is_equal) = self.equals_letter((place, text), b)
        {
            return Some(negated_if(negated, ConditionDistances::new(is_equal, 1.0)));
        }
        let letter = Value::Text(self.letter(place, text));
        let (letter, b) = (Stored::from(&letter), Any::read(self, b));
        let (x, y) = (letter.numeral(), b.numeral());
        if x.is_nan() || y.is_nan() {
            return compared_values((how, negated), letter, b);
        }
        Some(measured(how, negated, x, y))
    }
}

pub(crate) fn copy_letter<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CopyLetter { to, place, text });
    let letter = executor.letter(place, text);
    *executor.variable(to) = Value::Text(letter);
    executor.next(rest)
}

pub(crate) fn join<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::Join { to, a, b });
    let end = executor.text_of(b);
    match executor.join(to, a, &end) {
        true => executor.next(rest),
        false => executor.stop(Stop::Interpret, rest),
    }
}

pub(crate) fn join_letter<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::JoinLetter { to, a, place, text });
    let end = executor.letter(place, text);
    match executor.join(to, a, &end) {
        true => executor.next(rest),
        false => executor.stop(Stop::Interpret, rest),
    }
}

pub(crate) fn compare<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::CompareLetter { way, place, text, b, to });
    let Some(test) = executor.compared_letter(way, (place, text), b) else {
        return executor.stop(Stop::Interpret, rest);
    };
    executor.link(way.link(), test);
    if executor.finish_test(step.no) == way.jumps() { to as usize } else { executor.next(rest) }
}

pub(crate) fn test<T: Tracer>(
    executor: &mut Executor<'_, T>,
    step: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    parts!(step, Instruction::TestLetter { way, place, text, b, whole });
    let Some(test) = executor.compared_letter(way, (place, text), b) else {
        return executor.stop_at(Stop::Interpret, whole as usize);
    };
    executor.link(way.link(), test);
    executor.next(rest)
}
