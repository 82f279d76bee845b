//! Observers of an execution.

use std::ops::ControlFlow;

use catherd_scratch_sb3::BlockNo;

use crate::calls::Call;
use crate::midstep::{Change, Midstep, Question};
use crate::text::Text;
use crate::thread::ThreadId;
use crate::vm::Vm;

/// Observer of an execution. `()` observes nothing.
pub trait Tracer: Sized {
    /// Whether the VM reports what it executes.
    const ACTIVE: bool;

    /// Whether [`Tracer::watch`], [`Tracer::resumed`], [`Tracer::ended`] and [`Tracer::asked`] are
    /// called.
    const WATCHES: bool = false;

    /// Whether a series of calls of [`Tracer::covered`] and [`Tracer::distance`] that has occurred
    /// twice in a step may be left out afterwards.
    const MERGES: bool = false;

    /// Whether the VM may [remember](crate::Vm::remember) what the tracer receives and repeat it
    /// with [`Tracer::take_over`]. Only tracers that [merge](Tracer::MERGES) and that need only
    /// the smallest distances of a block may set this constant.
    const REMEMBERS: bool = false;

    /// A step begins.
    fn step(&mut self) {}

    /// A number that increases whenever a step begins, whenever a record begins or ends, and
    /// whenever the tracer forgets earlier calls. While the number stays the same, the VM may leave
    /// out blocks that it has already reported, and distances that are not smaller. `None` if every
    /// call counts.
    ///
    /// If the tracer of a VM is replaced, the new tracer must return different numbers.
    fn time(&self) -> Option<u64> {
        None
    }

    /// A stack block was executed, or a hat was started or evaluated.
    fn covered(&mut self, block: BlockNo) {
        let _ = block;
    }

    /// A series of blocks was executed. In one program, the same `series` always comes with the
    /// same `blocks`.
    fn covered_all(&mut self, series: usize, blocks: &[BlockNo]) {
        let _ = series;
        for &block in blocks {
            self.covered(block);
        }
    }

    /// The block that is reported next had to wait and now continues.
    fn resumed(&mut self) {}

    /// A control block was executed, or a block that waits was checked, with these branch distances
    /// to the outcomes true and false (Whisker paper, section 5.2.2). For a block that waits, true
    /// is the end of the wait.
    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        let _ = (block, to_true, to_false);
    }

    /// An edge-activated hat was evaluated. `starts` states whether its script starts.
    fn hat(&mut self, block: BlockNo, starts: bool) {
        let _ = (block, starts);
    }

    /// The smallest distances of a block that were reported so far. The VM may replace a distance
    /// that is not smaller with any other number that is not smaller.
    fn known_distances(&self, block: BlockNo) -> (f64, f64) {
        let _ = block;
        (f64::INFINITY, f64::INFINITY)
    }

    /// Begins a record of the calls of [`Tracer::covered`] and [`Tracer::distance`]. The record
    /// must not depend on earlier calls, so until its end, [`Tracer::known_distances`] must not
    /// return distances of earlier calls.
    fn record(&mut self) {}

    /// Ends the record. Its calls have the same effect as without a record.
    fn recorded(&mut self) -> Traced {
        Traced::default()
    }

    /// Repeats the calls of a record.
    fn take_over(&mut self, record: &Traced) {
        let _ = record;
    }

    /// A change, usually by a block in the middle of a step. With `Break`, the step ends after this
    /// block.
    fn watch(&mut self, change: &Change, state: Midstep<'_>) -> ControlFlow<()> {
        let _ = (change, state);
        ControlFlow::Continue(())
    }

    /// A thread has ended, except by a stop of the whole program or a restart of its script.
    fn ended(&mut self, thread: ThreadId) {
        let _ = thread;
    }

    /// A question has been asked in the middle of a step. An answer is submitted immediately;
    /// `None` leaves the question open.
    fn asked(&mut self, question: &Question, state: Midstep<'_>) -> Option<Text> {
        let _ = (question, state);
        None
    }

    /// The text of a `say`, `think` or `ask` block, possibly blank.
    fn said(&mut self, text: &Text) {
        let _ = text;
    }

    /// Executes a call to the interpreter.
    #[doc(hidden)]
    fn execute(vm: &mut Vm<Self>, call: Call<'_>) {
        vm.execute(call);
    }
}

impl Tracer for () {
    const ACTIVE: bool = false;
    const MERGES: bool = true;
    const REMEMBERS: bool = true;

    crate::compile_interpreter!();

    fn time(&self) -> Option<u64> {
        Some(0)
    }
}

/// A record of what a tracer received.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Traced {
    /// All blocks that were covered during the record.
    pub covered: Vec<BlockNo>,
    /// Blocks with their smallest distances to the outcomes true and false.
    pub distances: Vec<(BlockNo, f64, f64)>,
}

impl Traced {
    pub(crate) fn bytes(&self) -> usize {
        size_of_val(&*self.covered) + size_of_val(&*self.distances)
    }
}
