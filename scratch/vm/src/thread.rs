//! Threads: the running scripts.

use crate::code::{CommandId, NONE};
use crate::state::TargetId;
use crate::value::Value;

/// A running script.
pub(crate) struct Thread {
    pub(crate) target: TargetId,
    /// The hat that it started from.
    pub(crate) hat: CommandId,
    /// The script of its sprite.
    pub(crate) script: u32,
    /// Tells apart threads that used the same slot.
    pub(crate) serial: u64,
    pub(crate) status: Status,
    /// Slices that used up their budget.
    pub(crate) exhausted: u32,
    /// Still in the machine's list (not replaced, not thrown away by `stop all`).
    pub(crate) listed: bool,
    pub(crate) stack: Vec<Frame>,
    /// Parameters of the calls on the stack, innermost last; frames hold where theirs begin.
    pub(crate) parameters: Vec<Value>,
    /// The timed block on top of the stack.
    pub(crate) timer: Timer,
    pub(crate) glide: Glide,
    /// What `broadcast and wait` on top of the stack waits for: slots and serials.
    pub(crate) waits: Vec<(u32, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    /// Yields to the next step (in warp: executed again at once).
    Yield,
    /// Yields to the next step, also in warp.
    YieldTick,
    /// Waits for something that ends after this step, or for an answer.
    Promise {
        resolved: bool,
    },
    Done,
}

/// One entry of a stack: a block, or none for an empty branch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) block: CommandId,
    /// The block is a loop whose body is above.
    pub(crate) is_loop: bool,
    pub(crate) warp: bool,
    /// The block has been executed before and left something here or in the thread.
    pub(crate) active: bool,
    /// The call's parameters begin here in [`Thread::parameters`], plus one; 0: none.
    pub(crate) parameters: u32,
    /// Loop counter.
    pub(crate) counter: f64,
}

/// A wait counted in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Timer {
    pub(crate) start: u64,
    /// The clock's reading at the start, in steps.
    pub(crate) clock: f64,
    /// Steps, not rounded.
    pub(crate) duration: f64,
}

#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Glide {
    pub(crate) from: (f64, f64),
    pub(crate) to: (f64, f64),
}

impl Frame {
    fn new(block: CommandId, warp: bool) -> Frame {
        Frame { block, is_loop: false, warp, active: false, parameters: 0, counter: 0.0 }
    }
}

impl Thread {
    pub(crate) fn new() -> Thread {
        Thread {
            target: TargetId(0),
            hat: NONE,
            script: 0,
            serial: 0,
            status: Status::Done,
            exhausted: 0,
            listed: false,
            stack: Vec::new(),
            parameters: Vec::new(),
            timer: Timer::default(),
            glide: Glide::default(),
            waits: Vec::new(),
        }
    }

    /// Makes this slot a fresh thread.
    pub(crate) fn start(&mut self, target: TargetId, script: u32, hat: CommandId, serial: u64) {
        (self.target, self.script, self.hat, self.serial) = (target, script, hat, serial);
        (self.status, self.listed, self.exhausted) = (Status::Running, true, 0);
        self.stack.clear();
        self.parameters.clear();
        self.stack.push(Frame::new(hat, false));
    }

    /// Ended or about to be noticed as ended.
    pub(crate) fn is_done(&self) -> bool {
        self.status == Status::Done || self.stack.is_empty()
    }

    pub(crate) fn kill(&mut self) {
        self.stack.clear();
        self.status = Status::Done;
    }

    /// Pushes a block; the frame inherits warp from the one below.
    pub(crate) fn push(&mut self, block: CommandId) {
        let warp = self.stack.last().is_some_and(|f| f.warp);
        self.stack.push(Frame::new(block, warp));
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        if frame.parameters > 0 {
            self.parameters.truncate(frame.parameters as usize - 1);
        }
        Some(frame)
    }

    /// Replaces the top block by another; the frame starts afresh but keeps warp.
    pub(crate) fn replace_top(&mut self, block: CommandId) {
        if let Some(top) = self.stack.last_mut() {
            if top.parameters > 0 {
                self.parameters.truncate(top.parameters as usize - 1);
            }
            *top = Frame::new(block, top.warp);
        }
    }
}

impl Clone for Thread {
    fn clone(&self) -> Thread {
        let mut copy = Thread::new();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, source: &Thread) {
        (self.target, self.hat, self.script) = (source.target, source.hat, source.script);
        (self.serial, self.status, self.listed) = (source.serial, source.status, source.listed);
        self.exhausted = source.exhausted;
        self.stack.clone_from(&source.stack);
        self.parameters.clone_from(&source.parameters);
        (self.timer, self.glide) = (source.timer, source.glide);
        self.waits.clone_from(&source.waits);
    }
}
