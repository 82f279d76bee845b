//! Functions that execute instructions. Each returns the index of the next one.
//!
//! Those of computations only know numbers, and go on in [`slow`] with all else. Ending in a call they need
//! no room on the stack and save no registers, which is a third of their time.

use super::form::Instruction;
use super::machine::{Machine, Stop};
use super::operands::{Destination, Source, Variable};
use super::outcomes::measured;
use super::slow;
use super::steps::Step;
use crate::code::Comparison;
use crate::eval::nan_to_zero;
use crate::functions::math;
use crate::rounding::modulo;
use crate::tracer::Tracer;
use crate::value::{Value, js_round};

/// The parts of the instruction for which a handler was chosen.
macro_rules! parts {
    ($step:expr, $pattern:pat) => {
        let $pattern = $step.instruction else { unreachable!("chosen for the instruction") };
    };
}
pub(super) use parts;

pub(super) fn run<T: Tracer, const ONE: bool, const CALLS: bool>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Run { first, count, .. });
    let count = if ONE { 1 } else { count };
    let full = CALLS && machine.stack.len() + machine.delayed_frames as usize > machine.room;
    if machine.fuel <= u32::from(count) || full {
        return leave(machine, step, at);
    }
    machine.fuel -= u32::from(count);
    if T::ACTIVE {
        if ONE {
            machine.tracer.covered(step.no);
        } else {
            let first = first as usize;
            for &no in &machine.form.blocks[first..first + usize::from(count)] {
                machine.tracer.covered(no);
            }
        }
    }
    at + 1
}

#[cold]
pub(super) fn leave<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    at: usize,
) -> usize {
    machine.leave_at(at);
    machine.stop(Stop::Leave, at)
}

pub(super) fn interpret<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    at: usize,
) -> usize {
    machine.stop(Stop::Interpret, at)
}

/// An operator.
pub(super) trait Binary {
    fn result(a: f64, b: f64) -> f64;
}

macro_rules! operators {
    ($($name:ident => $result:expr;)*) => { $(
        pub(super) struct $name;

        impl Binary for $name {
            #[inline(always)]
            fn result(a: f64, b: f64) -> f64 {
                let result: fn(f64, f64) -> f64 = $result;
                result(a, b)
            }
        }
    )* };
}

operators! {
    Add => |a, b| a + b;
    Subtract => |a, b| a - b;
    Multiply => |a, b| a * b;
    Divide => |a, b| a / b;
    Modulo => modulo;
}

pub(super) fn binary<T: Tracer, O: Binary, D: Destination, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Binary { to, a, b, .. });
    if let (Some(a), Some(b)) = (A::number(machine, a), B::number(machine, b)) {
        let result = O::result(nan_to_zero(a), nan_to_zero(b));
        if let Some(place) = D::place(machine, to) {
            *place = result;
            return at + 1;
        }
    }
    slow::binary(machine, step, at)
}

pub(super) fn change<T: Tracer, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Change { to, b });
    if let Some(by) = B::number(machine, b)
        && let Some(place) = Variable::place(machine, to)
    {
        *place = nan_to_zero(*place) + nan_to_zero(by);
        return at + 1;
    }
    slow::change(machine, step, at)
}

pub(super) fn round<T: Tracer, D: Destination, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Round { to, a });
    if let Some(a) = A::number(machine, a) {
        let result = js_round(nan_to_zero(a));
        if let Some(place) = D::place(machine, to) {
            *place = result;
            return at + 1;
        }
    }
    slow::round(machine, step, at)
}

pub(super) fn mathematics<T: Tracer, D: Destination, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Math { op, to, a });
    if let Some(a) = A::number(machine, a) {
        let result = math(op, nan_to_zero(a), machine.angles);
        if let Some(place) = D::place(machine, to) {
            *place = result;
            return at + 1;
        }
    }
    slow::mathematics(machine, step, at)
}

pub(super) fn item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Item { to, list, index, .. });
    if let Some(index) = I::number(machine, index)
        && let Some(number) = machine.number_at(list, index)
    {
        machine.numbers[to.index()] = number;
        return at + 1;
    }
    slow::item::<T, I>(machine, step, at)
}

pub(super) fn list_length<T: Tracer, D: Destination>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::ListLength { to, list });
    let length = machine.items(list).len() as f64;
    if let Some(place) = D::place(machine, to) {
        *place = length;
        return at + 1;
    }
    slow::list_length(machine, step, at)
}

pub(super) fn copy<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Copy { to, a });
    if let Some(number) = A::number(machine, a)
        && let Some(place) = Variable::place(machine, to)
    {
        *place = number;
        return at + 1;
    }
    slow::copy(machine, step, at)
}

pub(super) fn copy_item<T: Tracer, I: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::CopyItem { to, list, index });
    if let Some(index) = I::number(machine, index)
        && let Some(number) = machine.number_at(list, index)
        && let Some(place) = Variable::place(machine, to)
    {
        *place = number;
        return at + 1;
    }
    slow::copy_item::<T, I>(machine, step, at)
}

pub(super) fn add_to_list<T: Tracer, V: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::AddToList { list, item });
    if let Some(number) = V::number(machine, item)
        && machine.add_number(list, number)
    {
        return at + 1;
    }
    slow::add_to_list(machine, step, at)
}

pub(super) fn replace_item<T: Tracer, I: Source, V: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::ReplaceItem { list, index, item });
    if let (Some(index), Some(number)) = (I::number(machine, index), V::number(machine, item))
        && let Some(place) = machine.place_at(list, index)
    {
        *place = number;
        return at + 1;
    }
    slow::replace_item::<T, I>(machine, step, at)
}

pub(super) fn jump<T: Tracer>(_: &mut Machine<'_, T>, step: &Step<T>, _: usize) -> usize {
    parts!(step, Instruction::Jump { to });
    to as usize
}

/// A comparison.
pub(super) trait Compared {
    const HOW: Comparison;
}

pub(super) struct Less;
pub(super) struct Equals;
pub(super) struct Greater;

impl Compared for Less {
    const HOW: Comparison = Comparison::Less;
}

impl Compared for Equals {
    const HOW: Comparison = Comparison::Equals;
}

impl Compared for Greater {
    const HOW: Comparison = Comparison::Greater;
}

pub(super) fn compare<T: Tracer, C: Compared, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Compare { relation, jumps, a, b, to, .. });
    let (Some(x), Some(y)) = (A::number(machine, a), B::number(machine, b)) else {
        return slow::compare(machine, step, at);
    };
    if x.is_nan() || y.is_nan() {
        return machine.stop(Stop::Interpret, at);
    }
    let outcome = machine.decide(step.no, C::HOW, relation.parts().1, x, y);
    if outcome == jumps { to as usize } else { at + 1 }
}

pub(super) fn compare_linked<T: Tracer, C: Compared, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Compare { relation, link, jumps, a, b, to });
    let (Some(x), Some(y)) = (A::number(machine, a), B::number(machine, b)) else {
        return slow::compare(machine, step, at);
    };
    if x.is_nan() || y.is_nan() {
        return machine.stop(Stop::Interpret, at);
    }
    machine.link(link, measured(C::HOW, relation.parts().1, x, y));
    if machine.finish_test(step.no) == jumps { to as usize } else { at + 1 }
}

pub(super) fn test<T: Tracer, C: Compared, A: Source, B: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Test { relation, link, a, b, whole });
    let (Some(x), Some(y)) = (A::number(machine, a), B::number(machine, b)) else {
        return slow::test(machine, step, at);
    };
    if x.is_nan() || y.is_nan() {
        return machine.stop(Stop::Interpret, whole as usize);
    }
    machine.link(link, measured(C::HOW, relation.parts().1, x, y));
    at + 1
}

pub(super) fn combine<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    parts!(step, Instruction::Combine(link));
    let test = machine.pop_test();
    machine.link(link, test);
    at + 1
}

pub(super) fn branch<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    parts!(step, Instruction::Branch { jumps, to });
    if machine.finish_test(step.no) == jumps { to as usize } else { at + 1 }
}

pub(super) fn enter_loop<T: Tracer, N: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::EnterLoop { counted, times });
    let times = N::read(machine, times).number();
    let counter = if counted { js_round(times) } else { 0.0 };
    machine.enter_loop(at, counted, counter);
    at + 1
}

pub(super) fn count<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    parts!(step, Instruction::Count { end });
    if machine.count(step.no) { at + 1 } else { end as usize }
}

pub(super) fn endless<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    machine.report(step.no, 0.0, 1.0);
    at + 1
}

pub(super) fn again<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    parts!(step, Instruction::Again { head });
    if !machine.again(step.no) {
        return machine.stop(Stop::Leave, at);
    }
    head as usize
}

pub(super) fn count_again<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::CountAgain { body, end });
    if !machine.again(step.no) {
        return machine.stop(Stop::Leave, at);
    }
    if machine.count(step.no) { body as usize } else { end as usize }
}

pub(super) fn leave_loop<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::LeaveLoop { branches });
    machine.pop_frames(1 + usize::from(branches));
    at + 1
}

pub(super) fn take<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Take { to, a, otherwise });
    match A::number(machine, a) {
        Some(number) => {
            machine.numbers[to.index()] = number;
            at + 1
        }
        None => otherwise as usize,
    }
}

pub(super) fn push_expansions<T: Tracer>(
    machine: &mut Machine<'_, T>,
    _: &Step<T>,
    at: usize,
) -> usize {
    machine.push_delayed();
    machine.push_expansions(at);
    at + 1
}

pub(super) fn push<T: Tracer, A: Source>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Push { a, place });
    machine.push_operand::<A>(at, a, place);
    at + 1
}

pub(super) fn push_default<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::PushDefault { place });
    machine.push(at, Value::Undefined, place);
    at + 1
}

pub(super) fn call<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &machine.form.sites[site as usize];
    machine.call(at, site);
    site.entry as usize
}

pub(super) fn call_delayed<T: Tracer>(
    machine: &mut Machine<'_, T>,
    step: &Step<T>,
    at: usize,
) -> usize {
    parts!(step, Instruction::Call { site });
    let site = &machine.form.sites[site as usize];
    machine.call_delayed(at, site);
    site.entry as usize
}

pub(super) fn return_<T: Tracer>(machine: &mut Machine<'_, T>, step: &Step<T>, at: usize) -> usize {
    match machine.leave_delayed() {
        Some(next) => next,
        None => return_to_frames(machine, step, at),
    }
}

#[inline(never)]
fn return_to_frames<T: Tracer>(machine: &mut Machine<'_, T>, _: &Step<T>, at: usize) -> usize {
    match machine.leave_block() {
        Some(resumption) => resumption,
        None => machine.stop(Stop::Leave, at),
    }
}
