//! Execution of handlers and native code.

use std::sync::Arc;

use super::abi::{self, Abi};
use super::marks::Marks;
use super::memory::Mode;
use super::unit::{Code, Unit};
use super::uses::Use;
use crate::linear::executor::{Executor, Step, Stop};
use crate::program::Program;
use crate::tracer::Tracer;

/// Number of blocks in linear form that a VM usually executes before it requests native code.
const PATIENCE: u64 = 300_000;

/// Number of short executions after which [`Native::short`] is cleared and determined again.
const REVIEW: u32 = 1_000_000;

/// Number of jumps after which native code is entered although the execution was expected to be
/// short.
const JUMPS: u32 = 16;

/// The native code of one VM.
pub(crate) struct Native {
    blocks: u64,
    is_ready: bool,
    /// Whether each unit is compiled when it is first executed.
    is_eager: bool,
    /// Whether a step of `single` is being executed.
    pub(super) is_single: bool,
    /// The native code of the program, if it has been requested and can be compiled.
    code: Option<Arc<Code>>,
    pub(super) marks: Marks,
    /// The result of the function that native code has called.
    pub(super) result: u64,
    /// Estimated cost of the calls from native code to functions, in calls of handlers.
    pub(super) calls: u64,
    uses: Vec<Use>,
    /// For each instruction, whether executions from this instruction are too short for native
    /// code.
    short: Vec<bool>,
    /// Number of short executions before `short` is cleared and determined again.
    left: u32,
}

impl Default for Native {
    fn default() -> Native {
        Native {
            blocks: 0,
            is_ready: false,
            is_eager: false,
            is_single: false,
            code: None,
            marks: Marks::default(),
            result: 0,
            calls: 0,
            uses: Vec::new(),
            short: Vec::new(),
            left: REVIEW,
        }
    }
}

impl Native {
    pub(crate) fn disable(&mut self) {
        (self.code, self.is_ready) = (None, true);
    }

    pub(crate) fn hurry(&mut self) {
        self.is_eager = true;
    }

    #[inline]
    pub(in crate::linear) fn count(&mut self, blocks: u32) {
        self.blocks = self.blocks.saturating_add(u64::from(blocks));
    }

    /// log2 of the number of steps for each instruction in the steps that are being executed.
    #[inline(always)]
    pub(in crate::linear) fn shift(&self) -> u32 {
        u32::from(self.is_single)
    }

    #[inline]
    pub(in crate::linear) fn prepare<T: Tracer>(
        &mut self,
        program: &Program,
        steps: &[Step<T>],
        single: &mut Vec<Step<T>>,
    ) {
        if !self.is_ready && (self.is_eager || self.blocks >= PATIENCE) {
            self.begin(program, steps, single);
        }
    }

    #[inline]
    fn is_short(&mut self, at: usize) -> bool {
        let is_short = self.short.get(at).copied().unwrap_or(false);
        if is_short {
            self.left -= 1;
            if self.left == 0 {
                self.short.fill(false);
                self.left = REVIEW;
            }
        }
        is_short
    }

    #[cold]
    fn begin<T: Tracer>(
        &mut self,
        program: &Program,
        steps: &[Step<T>],
        single: &mut Vec<Step<T>>,
    ) {
        self.is_ready = true;
        let form = &program.linear;
        self.code = program.native.code(form, &Abi::of::<T>());
        let Some(code) = &self.code else { return };
        single.reserve_exact(2 * steps.len());
        for &Step { handler, instruction, no } in steps {
            single.push(Step { handler, instruction, no });
            single.push(Step { handler: abi::end::<T>, instruction, no });
        }
        self.marks = Marks::new(form);
        self.uses = vec![Use::Waits(0); code.units.len()];
        self.short = vec![false; steps.len()];
    }
}

impl<T: Tracer> Executor<'_, T> {
    /// Like [`Executor::run`], with native code; `None` if native code cannot be used.
    #[inline]
    pub(in crate::linear) fn run_native(
        &mut self,
        steps: &[Step<T>],
        at: usize,
    ) -> Option<(Stop, usize)> {
        if self.native.is_short(at) {
            return self.run_short(steps, at);
        }
        let first = *self.native.code.as_ref()?.leaders.get(at)? as usize;
        let before = self.fuel;
        let stopped = self.dispatch(steps, at)?;
        let native = &mut *self.native;
        if let Some(Use::Native(_, length, ..)) = native.uses.get_mut(first)
            && length.is_short_after(before.wrapping_sub(self.fuel))
            && !native.is_eager
        {
            native.short[at] = true;
        }
        Some(stopped)
    }

    /// Native code is executed only after some jumps.
    #[inline]
    fn run_short(&mut self, steps: &[Step<T>], mut at: usize) -> Option<(Stop, usize)> {
        for _ in 0..JUMPS {
            let Some((step, rest)) = steps.get(at..).and_then(<[_]>::split_first) else {
                return Some(self.stopped);
            };
            at = (step.handler)(self, step, rest);
        }
        // The caller must not execute these instructions again if there is no native code any more.
        Some(self.dispatch(steps, at).unwrap_or_else(|| self.run(steps, at)))
    }

    #[inline(never)]
    fn dispatch(&mut self, steps: &[Step<T>], mut at: usize) -> Option<(Stop, usize)> {
        self.native.marks.now = self.tracer.time()? + 1;
        // Take the code out while the executor is used, because the executor borrows the structure
        // that contains the code.
        let code = self.native.code.take()?;
        let form = self.form;
        // After native code, handlers are executed one by one up to the next leader.
        let mut singly = false;
        while let Some(&number) = code.leaders.get(at) {
            let number = number as usize;
            let is_eager = self.native.is_eager;
            if let Some(use_of) = self.native.uses.get_mut(number) {
                let unit = &code.units[number];
                if let Use::Waits(missed) = *use_of {
                    let compile = || code.compile(unit, form, Mode::Direct);
                    *use_of = Use::after_miss(missed, unit, is_eager, compile);
                }
                let use_of = *use_of;
                if let Use::Native(entry, ..) = use_of
                    && self.has(unit)
                {
                    let (fuel, calls) = (self.fuel, self.native.calls);
                    // SAFETY: the code was generated for executors with this `Abi`, whose fields
                    // are at the offsets that it reads, and `has` has checked that the variables
                    // and lists to which it refers exist. The local `code` keeps the code in
                    // memory.
                    let next = unsafe { entry(std::ptr::from_mut(self).cast(), at as u64) };
                    (at, singly) = (next as usize, true);
                    let calls = self.native.calls.wrapping_sub(calls);
                    let blocks = fuel.wrapping_sub(self.fuel);
                    if let Some(use_of) = self.native.uses.get_mut(number) {
                        let compile = |mode| code.compile(unit, form, mode);
                        use_of.note((blocks, calls), unit, is_eager, compile);
                    }
                    continue;
                }
                singly = false;
            }
            at = match steps[at..].split_first() {
                _ if singly => abi::single(self, at),
                Some((step, rest)) => (step.handler)(self, step, rest),
                None => break,
            };
        }
        self.native.code = Some(code);
        Some(self.stopped)
    }

    fn has(&self, unit: &Unit) -> bool {
        let needs = &unit.needs;
        (0..2).all(|of| {
            self.variables[of].len() >= needs.variables[of]
                && self.lists[of].len() >= needs.lists[of]
        })
    }
}
