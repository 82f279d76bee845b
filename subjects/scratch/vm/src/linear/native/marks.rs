//! Marks of the reports that the tracer has received since its current time began, so that native
//! code does not repeat them.

use catherd_scratch_sb3::BlockNo;

use crate::linear::form::Form;

#[derive(Clone, Copy)]
pub(super) enum Mark {
    /// All blocks of the [run](crate::linear::form::Instruction::Run) that begins at an index of
    /// [`Form::blocks`].
    Run(usize),
    /// The coverage of a block.
    Covered(BlockNo),
    /// Both distances of a block are 0, so further distances do not matter.
    Settled(BlockNo),
}

#[derive(Clone, Copy, Default)]
pub(super) struct Places {
    runs: usize,
    blocks: usize,
}

impl Places {
    pub(super) fn new(form: &Form) -> Places {
        let blocks = form.origins.iter().map(|origin| origin.no.0 as usize + 1).max().unwrap_or(0);
        Places { runs: form.blocks.len(), blocks }
    }

    pub(super) fn of(self, mark: Mark) -> usize {
        match mark {
            Mark::Run(first) => first,
            Mark::Covered(no) => self.runs + no.0 as usize,
            Mark::Settled(no) => self.runs + self.blocks + no.0 as usize,
        }
    }
}

/// For each mark, the tracer's [time](crate::Tracer::time) of the last report, plus one.
#[derive(Default)]
pub(crate) struct Marks {
    /// The tracer's current time, plus one.
    pub(super) now: u64,
    pub(super) times: Box<[u64]>,
    places: Places,
}

impl Marks {
    pub(super) fn new(form: &Form) -> Marks {
        let places = Places::new(form);
        let times = vec![0; places.runs + 2 * places.blocks].into_boxed_slice();
        Marks { now: 0, times, places }
    }

    pub(super) fn set(&mut self, mark: Mark) {
        self.times[self.places.of(mark)] = self.now;
    }
}
