//! The register machine that executes the linear form.

use catherd_scratch_sb3::BlockNo;

use super::form::{Form, Instruction, ListNo, MAX_TESTS, Quantity};
use super::native::Native;
use super::parameters::Parameters;
use crate::eval::{LIST_LIMIT, place_of};
use crate::functions::Angles;
use crate::limits::Hits;
use crate::program::Program;
use crate::random::Random;
use crate::target::List;
use crate::thread::Frame;
use crate::tracer::Tracer;
use crate::value::Value;

/// Why the executor stops at an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Stop {
    /// The interpreter continues at the top of the stack.
    Leave,
    /// The interpreter executes the instruction, and the executor continues with the next
    /// instruction.
    Interpret,
    /// The interpreter applies the operation of the instruction to its computed operands, and the
    /// executor continues with the next instruction.
    Apply,
}

/// Maximum number of calls whose frames are delayed, a power of two.
pub(super) const MAX_DELAYED: usize = 64;

const STOPPED: usize = usize::MAX;

/// Outcomes between the instructions of one condition, and their distances. The arrays are separate
/// because values are read soon after they are written, which would be slow for a structure that is
/// written in parts and read as a whole.
#[derive(Default)]
pub(super) struct Tests {
    pub(super) outcomes: [bool; MAX_TESTS + 1],
    pub(super) to_true: [f64; MAX_TESTS + 1],
    pub(super) to_false: [f64; MAX_TESTS + 1],
    /// Number of outcomes that wait for other outcomes.
    pub(super) waiting: usize,
}

/// Executes an instruction and usually the following instructions. Returns the index of the next
/// instruction, or [`STOPPED`]. The slice contains the steps after this one.
pub(super) type Handler<T> = for<'a> fn(&mut Executor<'a, T>, &Step<T>, &[Step<T>]) -> usize;

pub(super) struct Step<T: Tracer> {
    pub(super) handler: Handler<T>,
    pub(super) instruction: Instruction,
    /// The block to which the instruction belongs.
    pub(super) no: BlockNo,
}

/// A call whose frames are not pushed.
#[derive(Clone, Copy, Default)]
pub(super) struct Delayed {
    /// The instruction of the call.
    pub(super) at: u32,
    /// The index at which the parameters of the caller begin.
    pub(super) base: u32,
    /// Number of frames.
    pub(super) frames: u32,
}

/// Lists that are open: their items are not shared, so a write need not check whether a snapshot
/// shares them.
#[derive(Default)]
pub(crate) struct Items {
    pub(super) open: Vec<ListNo>,
    /// Number of writes to other lists since lists were last closed.
    pub(super) writes: u32,
}

pub(super) struct Executor<'a, T: Tracer> {
    /// See [`Form::numbers`].
    pub(super) numbers: &'a mut [f64],
    /// Variables of the stage and of the executing target; the latter are empty if the target is
    /// the stage.
    pub(super) variables: [&'a mut [Value]; 2],
    /// Lists of the stage and of the executing target.
    pub(super) lists: [&'a mut [List]; 2],
    pub(super) parameters: Parameters,
    /// The index at which the parameters of the innermost call begin.
    pub(super) base: usize,
    /// Remaining fuel of the slice.
    pub(super) fuel: u32,
    /// Fuel that was consumed by the lengths of strings.
    pub(super) text_fuel: u32,
    /// Number of iterations until the next search for cycles.
    pub(super) due: u32,
    pub(super) stack: &'a mut Vec<Frame>,
    /// The first `calls` entries are calls whose frames are not on the stack.
    pub(super) delayed: &'a mut [Delayed; MAX_DELAYED],
    pub(super) calls: usize,
    /// Number of frames of the delayed calls.
    pub(super) delayed_frames: u32,
    /// Maximum number of frames on the stack with which a call may begin.
    pub(super) room: usize,
    /// Maximum length of a string, in UTF-16 code units.
    pub(super) text_limit: usize,
    pub(super) tracer: &'a mut T,
    pub(super) form: &'a Form,
    pub(super) program: &'a Program,
    /// Sprite of the executing target.
    pub(super) sprite: usize,
    pub(super) tests: &'a mut Tests,
    pub(super) angles: &'a mut Angles,
    pub(super) items: &'a mut Items,
    /// The values of the quantities, indexed by [`Quantity`].
    pub(super) quantities: [f64; Quantity::COUNT],
    pub(super) random: &'a mut Random,
    pub(super) hits: &'a mut Hits,
    pub(super) step: u64,
    pub(super) native: &'a mut Native,
    /// See [`Steps::single`](super::steps::Steps::single).
    pub(super) single: &'a [Step<T>],
    pub(super) stopped: (Stop, usize),
}

impl<T: Tracer> Executor<'_, T> {
    /// Returns the reason why the executor stops, and the index of the instruction at which it
    /// stops.
    pub(super) fn run(&mut self, steps: &[Step<T>], mut at: usize) -> (Stop, usize) {
        while let Some((step, rest)) = steps.get(at..).and_then(<[_]>::split_first) {
            at = (step.handler)(self, step, rest);
        }
        self.stopped
    }

    /// `rest` contains the instructions after the executed instruction.
    #[inline(always)]
    pub(super) fn next(&mut self, rest: &[Step<T>]) -> usize {
        match rest.split_first() {
            Some((step, rest)) => (step.handler)(self, step, rest),
            None => STOPPED,
        }
    }

    /// The index of the instruction before `rest`.
    #[inline(always)]
    pub(super) fn at(&self, rest: &[Step<T>]) -> usize {
        self.form.instructions.len() - 1 - (rest.len() >> self.native.shift())
    }

    #[inline(always)]
    pub(super) fn stop(&mut self, stop: Stop, rest: &[Step<T>]) -> usize {
        self.stop_at(stop, self.at(rest))
    }

    #[inline(always)]
    pub(super) fn stop_at(&mut self, stop: Stop, at: usize) -> usize {
        self.stopped = (stop, at);
        STOPPED
    }

    #[inline(always)]
    pub(super) fn number_at(&mut self, list: ListNo, index: f64) -> Option<f64> {
        let items = self.items(list);
        match items[place_of(index, items.len())?] {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn place_at(&mut self, list: ListNo, index: f64) -> Option<&mut f64> {
        let items = self.open_items(list)?;
        let place = place_of(index, items.len())?;
        match &mut items[place] {
            Value::Number(n) => Some(n),
            _ => None,
        }
    }

    #[inline(always)]
    pub(super) fn add_number(&mut self, list: ListNo, number: f64) -> bool {
        let Some(items) = self.open_items(list) else { return false };
        let fits = items.len() < items.capacity().min(LIST_LIMIT);
        if fits {
            items.push(Value::Number(number));
        }
        fits
    }
}
