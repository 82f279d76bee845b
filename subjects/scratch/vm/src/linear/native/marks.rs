//! What native code of one VM keeps: what the tracer has received since its time began, so that it is not
//! reported again, and how much each unit executes.

use crate::linear::form::Form;

/// Times at which something was last reported, of the clock that [`Tracer::time`](crate::Tracer::time)
/// reads, plus one.
pub(crate) struct Marks {
    /// The present time, plus one.
    pub(super) now: u64,
    /// By the first block of a [run](crate::linear::form::Instruction::Run), for all blocks of the run.
    pub(super) runs: Box<[u64]>,
    /// By block: its coverage.
    pub(super) covered: Box<[u64]>,
    /// By block: that both of its distances are 0, so that further ones do not matter.
    pub(super) settled: Box<[u64]>,
    /// By unit.
    pub(super) uses: Box<[Use]>,
}

/// How much a unit executes each time that it is entered.
#[derive(Clone, Copy, Default)]
pub(super) struct Use {
    entries: u32,
    blocks: u32,
    /// Entering native code takes longer than it saves.
    pub(super) is_short: bool,
}

impl Use {
    /// Number of entries after which it is decided whether they are worth it.
    const ENTRIES: u32 = 512;
    /// Minimum number of blocks for each entry.
    const BLOCKS: u32 = 8;

    /// Notes an entry that has executed a number of blocks.
    #[inline]
    pub(super) fn count(&mut self, blocks: u32) {
        self.entries += 1;
        self.blocks = self.blocks.saturating_add(blocks);
        if self.entries == Self::ENTRIES {
            let is_short = self.blocks < Self::ENTRIES * Self::BLOCKS;
            *self = Use { is_short, ..Use::default() };
        }
    }
}

impl Marks {
    pub(super) fn new(form: &Form, units: usize) -> Marks {
        let blocks = form.origins.iter().map(|origin| origin.no.0 as usize + 1).max().unwrap_or(0);
        let never = |count| vec![0; count].into_boxed_slice();
        Marks {
            now: 0,
            runs: never(form.blocks.len()),
            covered: never(blocks),
            settled: never(blocks),
            uses: vec![Use::default(); units].into_boxed_slice(),
        }
    }
}
