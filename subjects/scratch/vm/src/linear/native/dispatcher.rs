//! Executing handlers and native code.

use std::sync::Arc;

use super::abi::{self, Abi};
use super::marks::Marks;
use super::unit::Code;
use crate::linear::executor::{Executor, Step, Stop};
use crate::program::Program;
use crate::tracer::Tracer;

/// Blocks that a VM executes by handlers before it asks for native code, which most programs never do.
const PATIENCE: u64 = 300_000;

/// The native code of one VM.
pub(crate) struct Native<T: Tracer> {
    /// Blocks that were executed in linear form.
    blocks: u64,
    /// `None` if there can be no native code.
    state: Option<State<T>>,
    is_ready: bool,
    /// Everything is compiled when it is first executed.
    is_eager: bool,
}

struct State<T: Tracer> {
    code: Arc<Code>,
    /// Each instruction, followed by one whose handler [returns](abi::end).
    single: Vec<Step<T>>,
    marks: Marks,
}

impl<T: Tracer> Default for Native<T> {
    fn default() -> Native<T> {
        Native { blocks: 0, state: None, is_ready: false, is_eager: false }
    }
}

/// What an executor needs of native code.
pub(crate) struct Link<'a, T: Tracer> {
    /// `None` if there is no native code; whether everything is compiled when it is first executed.
    code: Option<(&'a Code, bool)>,
    /// Each instruction, followed by one whose handler [returns](abi::end).
    pub(super) single: &'a [Step<T>],
    /// Whether one of these is executed.
    pub(super) is_single: bool,
    /// There if there is code.
    pub(super) marks: Option<&'a mut Marks>,
}

impl<T: Tracer> Link<'_, T> {
    /// log2 of how many steps there are for each instruction in the slice that is executed.
    #[inline(always)]
    pub(crate) fn shift(&self) -> u32 {
        u32::from(self.is_single)
    }
}

impl<T: Tracer> Native<T> {
    /// Leaves everything to the handlers.
    pub(crate) fn disable(&mut self) {
        (self.state, self.is_ready) = (None, true);
    }

    /// Compiles everything when it is first executed.
    pub(crate) fn hurry(&mut self) {
        self.is_eager = true;
    }

    /// Notes how many blocks the linear form has executed.
    #[inline]
    pub(in crate::linear) fn count(&mut self, blocks: u32) {
        self.blocks = self.blocks.saturating_add(u64::from(blocks));
    }

    /// Native code for an executor, if the tracer permits it and enough has been executed.
    #[inline]
    pub(in crate::linear) fn link<'a>(
        &'a mut self,
        tracer: &T,
        program: &Program,
        steps: &[Step<T>],
    ) -> Link<'a, T> {
        let none = Link { code: None, single: &[], is_single: false, marks: None };
        if self.blocks < PATIENCE && !self.is_eager {
            return none;
        }
        if !self.is_ready {
            self.prepare(program, steps);
        }
        let is_eager = self.is_eager;
        match (&mut self.state, tracer.time()) {
            (Some(State { code, single, marks }), Some(time)) => {
                marks.now = time + 1;
                Link { code: Some((code, is_eager)), single, is_single: false, marks: Some(marks) }
            }
            _ => none,
        }
    }

    #[cold]
    fn prepare(&mut self, program: &Program, steps: &[Step<T>]) {
        self.is_ready = true;
        let form = &program.linear;
        let Some(code) = program.native.code(form, &Abi::of::<T>()) else { return };
        let mut single = Vec::with_capacity(2 * steps.len());
        for &Step { handler, instruction, no } in steps {
            single.push(Step { handler, instruction, no });
            single.push(Step { handler: abi::end::<T>, instruction, no });
        }
        let marks = Marks::new(form, code.units.len());
        self.state = Some(State { code, single, marks });
    }
}

impl<T: Tracer> Executor<'_, T> {
    /// [`Executor::run`] with native code; `None` if there is none.
    pub(in crate::linear) fn run_native(
        &mut self,
        steps: &[Step<T>],
        mut at: usize,
    ) -> Option<(Stop, usize)> {
        let (code, is_eager) = self.native.code?;
        let form = self.form;
        // After native code, handlers are executed one by one up to the next leader.
        let mut singly = false;
        while let Some(leader) = code.leaders.get(at) {
            let number = (*leader as usize).wrapping_sub(1);
            let unit = code.units.get(number).filter(|unit| self.has(unit));
            let is_short = self.native.marks.as_ref().is_some_and(|marks| {
                !is_eager && marks.uses.get(number).is_some_and(|use_of| use_of.is_short)
            });
            let entry = unit.map(|unit| code.entry(unit, form, is_eager).filter(|_| !is_short));
            at = match entry {
                Some(Some(entry)) => {
                    let before = self.fuel;
                    // SAFETY: the code was generated for executors of this `Abi`, whose fields are where it
                    // reads them, and `has` says that what it names exists. The program, which owns the code,
                    // is borrowed by the executor.
                    let next = unsafe { entry(std::ptr::from_mut(self).cast(), at as u64) };
                    singly = true;
                    if let Some(marks) = &mut self.native.marks {
                        marks.uses[number].count(before.wrapping_sub(self.fuel));
                    }
                    next as usize
                }
                None if singly => abi::single(self, at as u64) as usize,
                _ => {
                    singly = false;
                    let Some((step, rest)) = steps[at..].split_first() else { break };
                    (step.handler)(self, step, rest)
                }
            };
        }
        Some(self.stopped)
    }

    /// Whether there are all variables and lists that a unit needs.
    fn has(&self, unit: &super::unit::Unit) -> bool {
        let needs = &unit.needs;
        (0..2).all(|of| {
            self.variables[of].len() >= needs.variables[of]
                && self.lists[of].len() >= needs.lists[of]
        })
    }
}
