//! The machine: a program, its state, and what may be asked of them from outside.

use std::sync::Arc;

use catherd_render::DrawableId;
use catherd_sb3::BlockNo;

use crate::code::NONE;
use crate::elementary::Headings;
use crate::limits::{Hits, Limit};
use crate::program::Program;
use crate::random::Random;
use crate::settings::Settings;
use crate::state::State;
use crate::tracer::Tracer;
use crate::value::Value;

/// A Scratch machine. It is driven from outside: inputs and steps in turn.
pub struct Vm<T: Tracer = ()> {
    /// What watches the execution.
    pub tracer: T,
    pub(crate) program: Arc<Program>,
    pub(crate) settings: Settings,
    pub(crate) state: State,
    scratch: Scratch,
}

/// The whole state of a machine, the tracer's excepted.
#[derive(Clone)]
pub struct Snapshot(State);

impl Snapshot {
    /// Bytes that it holds and `earlier`, a state of the same program, does not share with it,
    /// about: texts that several lists have count for each of them.
    pub fn bytes_beyond(&self, earlier: &Snapshot) -> usize {
        self.0.bytes_beyond(&earlier.0) + self.0.listed_texts_beyond(&earlier.0)
    }
}

/// Buffers that live longer than one operation only to keep their memory, and what is quicker to
/// remember than to compute.
#[derive(Default)]
pub(crate) struct Scratch {
    /// Values put aside by [`crate::code::Expr::Reversed`].
    pub(crate) asides: Vec<Value>,
    /// Values of [`crate::code::Command::before`].
    pub(crate) before: Vec<Value>,
    pub(crate) drawables: Vec<DrawableId>,
    /// Threads that a hat has started just now.
    pub(crate) started: Vec<u32>,
    pub(crate) headings: Headings,
}

/// [`Run::thread`] between slices.
pub(crate) const NO_CURRENT: usize = usize::MAX;

/// A machine at work: borrowed apart so that program and state can be used side by side.
pub(crate) struct Run<'a, T: Tracer> {
    pub(crate) p: &'a Program,
    pub(crate) settings: &'a Settings,
    pub(crate) s: &'a mut State,
    pub(crate) tracer: &'a mut T,
    pub(crate) scratch: &'a mut Scratch,
    /// The thread that executes, by slot.
    pub(crate) thread: usize,
    /// Its target.
    pub(crate) target: usize,
    /// Blocks that this slice may still execute in warp.
    pub(crate) warp_left: u32,
    /// Something visible has changed in this step.
    pub(crate) redraw: bool,
}

impl<T: Tracer> Vm<T> {
    /// A machine with the project as loaded: no script runs, one frame is drawn.
    pub fn new(program: Arc<Program>, settings: Settings, random: Random, tracer: T) -> Vm<T> {
        let state = State::new(&program, random);
        Vm { tracer, program, settings, state, scratch: Scratch::default() }
    }

    /// The program that it runs.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// The whole state, to come back to with [`Vm::restore`].
    pub fn snapshot(&self) -> Snapshot {
        Snapshot(self.state.clone())
    }

    /// Puts a state back. The tracer is left alone.
    pub fn restore(&mut self, snapshot: &Snapshot) {
        self.state.clone_from(&snapshot.0);
    }

    /// Bytes that a snapshot would hold now and `earlier` does not share with it, about: texts in
    /// lists are not looked at.
    pub fn bytes_beyond(&self, earlier: &Snapshot) -> usize {
        self.state.bytes_beyond(&earlier.0)
    }

    /// Replaces the random stream.
    pub fn set_random(&mut self, random: Random) {
        self.state.random = random;
    }

    /// Sets the clock that the timer hat, `current`, `days since 2000`, music and hardware
    /// go by, in milliseconds since the green flag. Left alone, it advances by 1/30 s a
    /// step; a recording may have another one.
    pub fn set_clock(&mut self, milliseconds: f64) {
        self.state.clock = milliseconds / crate::settings::STEP_MS;
    }

    /// Sets [`Settings::days_since_2000`].
    pub fn set_date(&mut self, days_since_2000: f64) {
        self.settings.days_since_2000 = days_since_2000;
    }

    /// Steps since the green flag.
    pub fn steps(&self) -> u64 {
        self.state.steps
    }

    /// Blocks that steps have executed since the project was loaded, counted as budgets count
    /// them (see [`Settings`]).
    pub fn executed(&self) -> u64 {
        self.state.executed
    }

    /// Lets all steps from now on execute so many blocks together. From then on steps pass,
    /// and nothing runs in them.
    pub fn allow(&mut self, blocks: u64) {
        self.state.allowance = blocks;
    }

    /// Have the steps executed all that [`Vm::allow`] allowed?
    pub fn is_exhausted(&self) -> bool {
        self.state.allowance == 0
    }

    /// True while some thread is alive or ended in the last step. It falls to false once a
    /// program has ended; programs with edge-activated hats never end.
    pub fn is_running(&self) -> bool {
        self.state.active > 0
    }

    /// Whether the last step executed as many blocks as one thread alone may in warp, or some
    /// thread all that it may execute by now: a program that goes on like this hangs in the
    /// original.
    pub fn is_overloaded(&self) -> bool {
        self.state.overloaded
    }

    /// Threads alive.
    pub fn thread_count(&self) -> usize {
        self.state.thread_list.len()
    }

    /// Is the script under this top block running, for the original or any clone?
    pub fn is_active(&self, top: BlockNo) -> bool {
        self.state.thread_list.iter().any(|&t| {
            let thread = &self.state.threads[t as usize];
            !thread.is_done()
                && thread.hat != NONE
                && self.program.commands[thread.hat as usize].no == top
        })
    }

    /// The first limit that kept a thread from running on, in words.
    pub fn fault(&self) -> Option<&'static str> {
        let faults = [
            (Limit::Step, "a step executed more blocks than allowed"),
            (Limit::CallDepth, "a script was nested deeper than allowed and was stopped"),
        ];
        let met = faults.map(|(limit, words)| (self.state.hits.of(limit), words));
        met.into_iter()
            .filter(|(hit, _)| hit.times > 0)
            .min_by_key(|(hit, _)| hit.first)
            .map(|f| f.1)
    }

    /// The limits that the program ran into since it was loaded.
    pub fn hits(&self) -> &Hits {
        &self.state.hits
    }

    pub(crate) fn run(&mut self) -> Run<'_, T> {
        Run {
            p: &self.program,
            settings: &self.settings,
            s: &mut self.state,
            tracer: &mut self.tracer,
            scratch: &mut self.scratch,
            thread: NO_CURRENT,
            target: 0,
            warp_left: 0,
            redraw: false,
        }
    }
}

impl<T: Tracer> Run<'_, T> {
    /// Puts a limit on record.
    #[cold]
    pub(crate) fn hit(&mut self, limit: Limit) {
        self.s.hits.hit(limit, self.s.steps);
    }
}
