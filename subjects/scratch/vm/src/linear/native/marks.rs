//! Marks of the reports that the tracer has received since its current time began, so that native
//! code does not repeat them.

use crate::linear::form::Form;

/// For each kind of report, the value of [`Tracer::time`](crate::Tracer::time) at the last report,
/// plus one.
#[derive(Default)]
pub(crate) struct Marks {
    /// The tracer's current time, plus one.
    pub(super) now: u64,
    /// The marks of all blocks of a [run](crate::linear::form::Instruction::Run), by the first
    /// block of the run.
    pub(super) runs: Box<[u64]>,
    /// The marks of the coverage of each block.
    pub(super) covered: Box<[u64]>,
    /// A mark for each block whose smallest distances are both 0; further distances then do not
    /// matter.
    pub(super) settled: Box<[u64]>,
}

impl Marks {
    pub(super) fn new(form: &Form) -> Marks {
        let blocks = form.origins.iter().map(|origin| origin.no.0 as usize + 1).max().unwrap_or(0);
        let never = |count| vec![0; count].into_boxed_slice();
        Marks {
            now: 0,
            runs: never(form.blocks.len()),
            covered: never(blocks),
            settled: never(blocks),
        }
    }
}
