//! What the tracer has received since its time began, so that native code does not report it again.

use crate::linear::form::Form;

/// Times at which something was last reported, of the clock that [`Tracer::time`](crate::Tracer::time)
/// reads, plus one.
#[derive(Default)]
pub(crate) struct Marks {
    /// The present time, plus one.
    pub(super) now: u64,
    /// By the first block of a [run](crate::linear::form::Instruction::Run), for all blocks of the run.
    pub(super) runs: Box<[u64]>,
    /// By block: its coverage.
    pub(super) covered: Box<[u64]>,
    /// By block: that both of its distances are 0, so that further ones do not matter.
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
