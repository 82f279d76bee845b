//! Watching a VM in the middle of a step: which changes are reported, and access to the state at
//! that moment.

use std::ops::ControlFlow;

use crate::interpreter::{Interpreter, NO_CURRENT};
use crate::state::State;
use crate::target::TargetId;
use crate::text::Text;
use crate::tracer::Tracer;
use crate::value::Value;
use crate::vm::Vm;

/// A change that a block has just made.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// The position of a sprite or clone was written, perhaps with the same numbers.
    Moved {
        /// The sprite or clone.
        target: TargetId,
        /// Its position before.
        from: (f64, f64),
    },
    /// Costume, size, direction, visibility, an effect or the rotation style was written.
    Appearance(TargetId),
    /// The bubble has another text, or was removed.
    Bubble(TargetId),
    /// A block has set or changed a scalar variable.
    Variable {
        /// The target that owns it.
        target: TargetId,
        /// Its position in [`Program::variables`](crate::Program::variables).
        number: usize,
        /// Its value before.
        old: Value,
    },
    /// A target has said, thought or asked something; it may be empty, and the bubble may be
    /// hidden.
    Said {
        /// The target.
        target: TargetId,
        /// What it said, as the block got it.
        value: Value,
    },
    /// A block is about to start the receivers of the message of this name.
    Message(Text),
    /// A pen is about to draw, or all drawings are about to be removed.
    Pen(PenMark),
}

/// What a pen draws, in stage units.
#[derive(Clone, Debug, PartialEq)]
pub enum PenMark {
    /// A sprite with its pen down was moved.
    Line {
        /// Its position before.
        from: (f64, f64),
        /// Its position now.
        to: (f64, f64),
        /// Colour: red, green, blue and opacity from 0 to 1.
        rgba: [f64; 4],
    },
    /// A pen was put down.
    Point {
        /// Position of the sprite.
        at: (f64, f64),
        /// Colour: red, green, blue and opacity from 0 to 1.
        rgba: [f64; 4],
    },
    /// All drawings are removed.
    Clear,
}

/// A question of `ask and wait`.
#[derive(Clone, Debug, PartialEq)]
pub struct Question {
    /// The sprite or clone that asks, or the stage.
    pub target: TargetId,
    /// Its text.
    pub text: Text,
    /// Whether it is shown in a bubble.
    pub bubble: bool,
}

/// The state of a VM in the middle of a step.
pub struct Midstep<'a>(&'a mut State);

impl<'a> Midstep<'a> {
    pub(crate) fn new(state: &'a mut State) -> Midstep<'a> {
        Midstep(state)
    }

    /// Exchanges the state with that of another VM of the same program, so that the other can be
    /// used to read it and for the changes of `vm/direct.rs`. The caller must exchange them again
    /// before the watcher returns; the other VM must not execute steps, stop scripts or be
    /// restored meanwhile.
    pub fn exchange<T: Tracer>(&mut self, vm: &mut Vm<T>) {
        std::mem::swap(self.0, &mut vm.state);
    }

    /// The serial number of a target, see [`TargetView::serial`](crate::TargetView::serial).
    pub fn serial(&self, target: TargetId) -> u32 {
        self.0.targets[target.0 as usize].serial
    }

    /// The position of a target's sprite in the project's targets.
    pub fn sprite(&self, target: TargetId) -> usize {
        self.0.targets[target.0 as usize].sprite as usize
    }
}

impl<T: Tracer> Vm<T> {
    /// Exchanges the states of two VMs of the same program.
    pub fn exchange_state<U: Tracer>(&mut self, other: &mut Vm<U>) {
        std::mem::swap(&mut self.state, &mut other.state);
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    /// Reports a change to the tracer, which may end the step.
    #[inline]
    pub(crate) fn report(&mut self, change: impl FnOnce() -> Change) {
        if T::WATCHES && !self.aborted {
            self.state.reporting = self.thread;
            let flow = self.tracer.watch(&change(), Midstep(self.state));
            self.state.reporting = NO_CURRENT;
            self.aborted = flow == ControlFlow::Break(());
        }
    }

    /// Reports that the target looks different.
    #[inline]
    pub(crate) fn report_appearance(&mut self, target: usize) {
        self.report(|| Change::Appearance(TargetId(target as u32)));
    }
}
