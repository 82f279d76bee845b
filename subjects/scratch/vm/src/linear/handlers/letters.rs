//! Handlers of letters of strings.

use smallvec::SmallVec;

use super::parts;
use crate::eval::nan_to_zero;
use crate::linear::executor::{Executor, Step, Stop};
use crate::linear::form::{Instruction, Reading};
use crate::linear::operands::{Any, Source, Stored};
use crate::tracer::Tracer;
use crate::value::Value;

/// `place` counts from 1. `None` if the interpreter must read the letter.
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
        // A letter that is not a digit is not a numeral, and neither is the empty string; the
        // number cast of both is 0.
        _ => no_digit(reading),
    }
}

/// `None` if the reading needs the text of the letter.
fn no_digit(reading: Reading) -> Option<f64> {
    match reading {
        Reading::Number => Some(0.0),
        Reading::Digit => Some(f64::NAN),
        Reading::Comparand | Reading::Index | Reading::Value => None,
    }
}

/// The code unit at an index of the text of a number, if there is one; `None` for numbers that are
/// not whole, and for negative and long numbers.
fn digit(n: f64, index: f64) -> Option<Option<u16>> {
    /// Integers below this limit have at most 15 digits and no exponent.
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
        None => no_digit(reading),
    });
    let Some(number) = number else { return executor.stop_at(Stop::Interpret, whole as usize) };
    executor.store(to, number);
    executor.next(rest)
}
