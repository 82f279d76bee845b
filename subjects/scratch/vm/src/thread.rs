//! Threads: running scripts.

use crate::code::{CommandId, NONE};
use crate::target::TargetId;
use crate::value::Value;

/// A thread of a VM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ThreadId {
    pub(crate) slot: u32,
    pub(crate) serial: u64,
}

/// Stands for the slot of the current thread when no thread is executing.
pub(crate) const NO_CURRENT: usize = usize::MAX;

/// A running script.
pub(crate) struct Thread {
    pub(crate) target: TargetId,
    pub(crate) hat: CommandId,
    pub(crate) script: u32,
    /// Distinguishes threads that used the same slot.
    pub(crate) serial: u64,
    pub(crate) status: Status,
    /// Number of slices that used up their budget.
    pub(crate) overruns: u32,
    /// Whether the block on top of the stack has waited for its translations.
    pub(crate) translated: bool,
    /// Whether the thread is in the thread list of the VM.
    pub(crate) listed: bool,
    pub(crate) stack: Vec<Frame>,
    /// Parameters of the calls on the stack, innermost last.
    pub(crate) parameters: Vec<Value>,
    /// Timer of the timed block on top of the stack.
    pub(crate) wait_timer: WaitTimer,
    pub(crate) glide: Glide,
    /// Slots and serial numbers of the threads for which the top block waits.
    pub(crate) awaited: Vec<(u32, u64)>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Status {
    Running,
    /// Ends the slice; the thread continues in the next batch. In warp, the block is executed again
    /// immediately.
    Yield,
    /// Ends the slice, even in warp; the thread continues in the next step.
    YieldTick,
    /// Waits for a promise or an answer.
    Promise {
        resolved: bool,
    },
    Done,
}

/// A stack frame: a block, or `NONE` if no block is left.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Frame {
    pub(crate) block: CommandId,
    /// Whether the block is a loop, and the frame above belongs to its body.
    pub(crate) is_loop: bool,
    pub(crate) warp: bool,
    /// Whether the block has been executed before and continues.
    pub(crate) in_progress: bool,
    /// One more than the index in [`Thread::parameters`] at which the call's parameters begin; 0
    /// if the block is not a call.
    pub(crate) parameters: u32,
    /// [`Frame::parameters`] of the innermost call among the frames below; 0 if there is none.
    pub(crate) outer_parameters: u32,
    pub(crate) counter: f64,
}

/// Timer of a wait, counted in steps.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct WaitTimer {
    pub(crate) start: u64,
    /// Reading of [`crate::state::State::clock`] at the start, in steps.
    pub(crate) clock: f64,
    /// Duration in steps, not rounded.
    pub(crate) duration: f64,
}

/// Start and end of a glide in stage coordinates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Glide {
    pub(crate) from: (f64, f64),
    pub(crate) to: (f64, f64),
}

impl Frame {
    pub(crate) fn new(block: CommandId, warp: bool, outer_parameters: u32) -> Frame {
        Frame {
            block,
            is_loop: false,
            warp,
            in_progress: false,
            parameters: 0,
            outer_parameters,
            counter: 0.0,
        }
    }

    #[inline]
    pub(crate) fn renew(&mut self) {
        (self.is_loop, self.in_progress) = (false, false);
        (self.parameters, self.counter) = (0, 0.0);
    }

    pub(crate) fn parameters_below(&self) -> u32 {
        self.outer_parameters
    }

    /// Whether execution continues in the same way from both frames.
    pub(crate) fn is_same(&self, other: &Frame) -> bool {
        let fields = |frame: &Frame| {
            let flags = (frame.is_loop, frame.warp, frame.in_progress);
            (frame.block, flags, frame.parameters, frame.outer_parameters, frame.counter.to_bits())
        };
        fields(self) == fields(other)
    }

    /// [`Frame::parameters`] of the innermost call up to this frame; 0 outside calls.
    #[inline]
    pub(crate) fn visible_parameters(&self) -> u32 {
        // The parameters of an inner call begin later, or at the same index.
        self.parameters.max(self.outer_parameters)
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
            overruns: 0,
            translated: false,
            listed: false,
            stack: Vec::new(),
            parameters: Vec::new(),
            wait_timer: WaitTimer::default(),
            glide: Glide::default(),
            awaited: Vec::new(),
        }
    }

    pub(crate) fn start(&mut self, target: TargetId, script: u32, hat: CommandId, serial: u64) {
        (self.target, self.script, self.hat, self.serial) = (target, script, hat, serial);
        (self.status, self.listed, self.overruns) = (Status::Running, true, 0);
        self.translated = false;
        self.stack.clear();
        self.parameters.clear();
        self.stack.push(Frame::new(hat, false, 0));
    }

    pub(crate) fn is_done(&self) -> bool {
        self.status == Status::Done || self.stack.is_empty()
    }

    pub(crate) fn kill(&mut self) {
        self.stack.clear();
        self.status = Status::Done;
    }

    #[inline]
    pub(crate) fn enter_branch(&mut self, body: CommandId, is_loop: bool) {
        if let Some(frame) = self.stack.last_mut() {
            frame.is_loop = is_loop;
            let first = Frame::new(body, frame.warp, frame.visible_parameters());
            self.stack.push(first);
        }
    }

    pub(crate) fn push(&mut self, block: CommandId) {
        let below = self.stack.last();
        let (warp, parameters) = below.map_or((false, 0), |f| (f.warp, f.visible_parameters()));
        self.stack.push(Frame::new(block, warp, parameters));
    }

    pub(crate) fn pop(&mut self) -> Option<Frame> {
        let frame = self.stack.pop()?;
        if frame.parameters > 0 {
            self.parameters.truncate(frame.parameters as usize - 1);
        }
        Some(frame)
    }

    pub(crate) fn replace_top(&mut self, block: CommandId) {
        if let Some(top) = self.stack.last_mut() {
            if top.parameters > 0 {
                self.parameters.truncate(top.parameters as usize - 1);
            }
            *top = Frame::new(block, top.warp, top.outer_parameters);
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
        (self.overruns, self.translated) = (source.overruns, source.translated);
        self.stack.clone_from(&source.stack);
        self.parameters.clone_from(&source.parameters);
        (self.wait_timer, self.glide) = (source.wait_timer, source.glide);
        self.awaited.clone_from(&source.awaited);
    }
}
