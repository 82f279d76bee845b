//! The offsets of the executor's fields, which depend on the type of the tracer, and the functions
//! that native code calls.

use std::mem::offset_of;

use catherd_scratch_sb3::BlockNo;

use super::dispatcher::Native;
use super::layout::Layout;
use super::marks::{Mark, Marks};
use crate::code::Comparison;
use crate::eval::nan_to_zero;
use crate::functions;
use crate::linear::executor::{Executor, Step, Tests};
use crate::linear::form::{Function, Instruction, Link};
use crate::linear::outcomes::measured;
use crate::linear::parameters::{LENGTH, VALUES};
use crate::rounding;
use crate::tracer::Tracer;
use crate::value::Value;

pub(super) type Address = usize;

/// Offsets of the executor's fields in bytes, and addresses of functions. Executors with the same
/// values can execute the same code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Abi {
    /// Whether anything is traced.
    pub(super) active: bool,
    /// Whether loops search for cycles.
    pub(super) merges: bool,
    pub(super) numbers: i32,
    pub(super) variables: i32,
    pub(super) lists: i32,
    pub(super) parameters: i32,
    /// Offset of the number of parameters (see [`LENGTH`](crate::linear::parameters::LENGTH)).
    pub(super) parameter_count: i32,
    pub(super) base: i32,
    pub(super) fuel: i32,
    pub(super) due: i32,
    pub(super) stack: i32,
    pub(super) delayed: i32,
    pub(super) calls: i32,
    pub(super) delayed_frames: i32,
    pub(super) room: i32,
    pub(super) tests: i32,
    pub(super) native: i32,
    /// Offset of the marks in the structure to which `native` points.
    pub(super) marks: i32,
    /// Offset of the result in the same structure.
    pub(super) result: i32,
    pub(super) functions: Functions,
    /// `fn(executor, index, x) -> number`: the function of an instruction.
    pub(super) math: Address,
}

/// Addresses of functions with the parameters and the result of [`Helper`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Functions {
    /// `(index) -> index`: executes an instruction with its handler. Returns the index of the next
    /// instruction, or `u64::MAX` if the executor has stopped.
    pub(super) single: Address,
    /// Like `single`, but the call is not counted, because code in
    /// [`Mode::Bridged`](super::memory::Mode::Bridged) usually needs no call for the instruction.
    pub(super) uncounted: Address,
    /// Like `single`, for a path that leaves native code.
    pub(super) leave: Address,
    /// `(index)`: reports the blocks of a run.
    pub(super) report_run: Address,
    /// `(block)`: reports the coverage of a block.
    pub(super) report_block: Address,
    /// `(test, x, y) -> outcome`: the outcome of a [`Packed`] comparison, whose distances are reported.
    pub(super) decide: Address,
    /// `(test, x, y)`: pushes or combines the outcome of a [`Packed`] comparison.
    pub(super) link: Address,
    /// `(block) -> outcome`: pops the outcome of a condition, whose distances are reported.
    pub(super) finish: Address,
    /// `(block, left)`: reports the distances of `repeat`.
    pub(super) report_count: Address,
    /// `(value) -> number`: [`Text::numeral`](crate::text::Text::numeral) of a string; NaN for
    /// other values.
    pub(super) numeral: Address,
    /// `(_, n, m) -> number`.
    pub(super) modulo: Address,
}

/// Offsets within structures that do not depend on the tracer.
pub(super) const OUTCOMES: i32 = offset_of!(Tests, outcomes) as i32;
pub(super) const WAITING: i32 = offset_of!(Tests, waiting) as i32;
pub(super) const NOW: i32 = offset_of!(Marks, now) as i32;
pub(super) const TIMES: i32 = offset_of!(Marks, times) as i32;

impl Abi {
    pub(super) fn of<T: Tracer>() -> Abi {
        macro_rules! offset {
            ($field:ident) => {
                offset_of!(Executor<'_, T>, $field) as i32
            };
        }
        Abi {
            active: T::ACTIVE,
            merges: T::MERGES,
            numbers: offset!(numbers),
            variables: offset!(variables),
            lists: offset!(lists),
            parameters: offset!(parameters) + VALUES as i32,
            parameter_count: offset!(parameters) + LENGTH as i32,
            base: offset!(base),
            fuel: offset!(fuel),
            due: offset!(due),
            stack: offset!(stack),
            delayed: offset!(delayed),
            calls: offset!(calls),
            delayed_frames: offset!(delayed_frames),
            room: offset!(room),
            tests: offset!(tests),
            native: offset!(native),
            marks: offset_of!(Native, marks) as i32,
            result: offset_of!(Native, result) as i32,
            functions: Functions {
                single: address::<T>(single_helper),
                uncounted: address::<T>(uncounted),
                leave: address::<T>(leave),
                report_run: address::<T>(report_run),
                report_block: address::<T>(report_block),
                decide: address::<T>(decide),
                link: address::<T>(link),
                finish: address::<T>(finish),
                report_count: address::<T>(report_count),
                numeral: address::<T>(numeral),
                modulo: address::<T>(modulo),
            },
            math: math::<T> as *const () as Address,
        }
    }

    pub(super) fn parameter(&self, layout: &Layout) -> (i32, i32) {
        (self.parameters + layout.values.address, self.parameters + layout.values.length)
    }
}

/// A comparison in a word: block, comparison, negation and link.
pub(super) struct Packed;

impl Packed {
    const NEGATED: u32 = 34;
    const COMPARISON: u32 = 32;
    const LINK: u32 = 35;

    pub(super) fn of(no: BlockNo, how: Comparison, negated: bool, link: Link) -> u64 {
        u64::from(no.0)
            | (how as u64) << Self::COMPARISON
            | u64::from(negated) << Self::NEGATED
            | (link as u64) << Self::LINK
    }

    fn no(packed: u64) -> BlockNo {
        BlockNo(packed as u32)
    }

    fn comparison(packed: u64) -> (Comparison, bool) {
        let how = match packed >> Self::COMPARISON & 3 {
            0 => Comparison::Less,
            1 => Comparison::Equals,
            _ => Comparison::Greater,
        };
        (how, packed >> Self::NEGATED & 1 != 0)
    }

    fn link(packed: u64) -> Link {
        match packed >> Self::LINK & 3 {
            0 => Link::Push,
            1 => Link::And,
            _ => Link::Or,
        }
    }
}

/// The handler after each instruction in [`Executor::single`], which returns to the caller.
pub(super) fn end<T: Tracer>(
    executor: &mut Executor<'_, T>,
    _: &Step<T>,
    rest: &[Step<T>],
) -> usize {
    executor.form.instructions.len() - rest.len() / 2
}

/// A function that native code calls with a word and two numbers. The result is a word or the bits
/// of a number.
type Helper<T> = extern "C" fn(&mut Executor<'_, T>, u64, f64, f64) -> u64;

fn address<T: Tracer>(helper: Helper<T>) -> Address {
    helper as *const () as Address
}

/// Executes an instruction with its handler. Returns the index of the next instruction, or
/// `usize::MAX` if the executor has stopped or there is no such instruction.
pub(super) fn single<T: Tracer>(executor: &mut Executor<'_, T>, at: usize) -> usize {
    let steps = executor.single;
    let Some((step, rest)) = steps.get(2 * at..).and_then(<[_]>::split_first) else {
        return usize::MAX;
    };
    executor.native.is_single = true;
    let next = (step.handler)(executor, step, rest);
    executor.native.is_single = false;
    next
}

extern "C" fn single_helper<T: Tracer>(
    executor: &mut Executor<'_, T>,
    at: u64,
    _: f64,
    _: f64,
) -> u64 {
    executor.native.calls += 1;
    single(executor, at as usize) as u64
}

extern "C" fn uncounted<T: Tracer>(executor: &mut Executor<'_, T>, at: u64, _: f64, _: f64) -> u64 {
    single(executor, at as usize) as u64
}

extern "C" fn leave<T: Tracer>(executor: &mut Executor<'_, T>, at: u64, x: f64, y: f64) -> u64 {
    // Entering native code again takes about three times as long as a call.
    executor.native.calls += 2;
    single_helper(executor, at, x, y)
}

extern "C" fn report_run<T: Tracer>(
    executor: &mut Executor<'_, T>,
    at: u64,
    _: f64,
    _: f64,
) -> u64 {
    let form = executor.form;
    if let Some(&Instruction::Run { first, count, .. }) = form.instructions.get(at as usize) {
        let first = first as usize;
        executor.native.marks.set(Mark::Run(first));
        executor.tracer.covered_all(first, &form.blocks[first..first + usize::from(count)]);
    }
    0
}

extern "C" fn report_block<T: Tracer>(
    executor: &mut Executor<'_, T>,
    no: u64,
    _: f64,
    _: f64,
) -> u64 {
    let no = BlockNo(no as u32);
    executor.native.marks.set(Mark::Covered(no));
    executor.tracer.covered(no);
    0
}

/// Marks a block if its distances no longer matter.
fn settle<T: Tracer>(executor: &mut Executor<'_, T>, no: BlockNo) {
    if !executor.measures(no) {
        executor.native.marks.set(Mark::Settled(no));
    }
}

extern "C" fn decide<T: Tracer>(
    executor: &mut Executor<'_, T>,
    packed: u64,
    x: f64,
    y: f64,
) -> u64 {
    executor.native.calls += 1;
    let (no, (how, negated)) = (Packed::no(packed), Packed::comparison(packed));
    let outcome = executor.decide(no, how, negated, x, y);
    settle(executor, no);
    u64::from(outcome)
}

extern "C" fn link<T: Tracer>(executor: &mut Executor<'_, T>, packed: u64, x: f64, y: f64) -> u64 {
    executor.native.calls += 1;
    let (how, negated) = Packed::comparison(packed);
    executor.link(Packed::link(packed), measured(how, negated, x, y));
    0
}

extern "C" fn finish<T: Tracer>(executor: &mut Executor<'_, T>, no: u64, _: f64, _: f64) -> u64 {
    executor.native.calls += 1;
    let no = BlockNo(no as u32);
    let outcome = executor.finish_test(no);
    settle(executor, no);
    u64::from(outcome)
}

extern "C" fn report_count<T: Tracer>(
    executor: &mut Executor<'_, T>,
    no: u64,
    left: f64,
    _: f64,
) -> u64 {
    let no = BlockNo(no as u32);
    executor.report_count(no, left);
    settle(executor, no);
    0
}

extern "C" fn numeral<T: Tracer>(
    executor: &mut Executor<'_, T>,
    value: u64,
    _: f64,
    _: f64,
) -> u64 {
    executor.native.calls += 1;
    // SAFETY: native code passes the address of a value, which exists and does not change until the
    // call returns.
    let value = unsafe { &*std::ptr::with_exposed_provenance::<Value>(value as usize) };
    match value {
        Value::Text(text) => text.numeral(),
        _ => f64::NAN,
    }
    .to_bits()
}

extern "C" fn modulo<T: Tracer>(executor: &mut Executor<'_, T>, _: u64, n: f64, m: f64) -> u64 {
    executor.native.calls += 1;
    rounding::modulo(n, m).to_bits()
}

extern "C" fn math<T: Tracer>(executor: &mut Executor<'_, T>, at: u64, x: f64) -> f64 {
    match executor.form.instructions.get(at as usize) {
        Some(&Instruction::Unary { function: Function::Math(op), .. }) => {
            functions::math(op, nan_to_zero(x), executor.angles)
        }
        _ => f64::NAN,
    }
}
