//! Counts of blocks in warp that the interpreter executes instead of the [linear
//! form](crate::linear).

use catherd_scratch_sb3::BlockNo;
use rustc_hash::FxHashMap;

use crate::interpreter::Interpreter;
use crate::tracer::Tracer;
use crate::vm::Vm;

/// Why the interpreter executed a block in warp, in full or in part.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Fallback {
    /// The block was executed outside the linear form.
    Outside,
    /// The block has no instruction.
    Block,
    /// The condition of the block cannot be lowered to an instruction.
    Condition,
    /// An operand has no instruction.
    Operand,
    /// An operand has a value that its instruction cannot use, such as a string.
    Value,
}

/// Counts of executed blocks in warp, and of the blocks among them that the interpreter executed.
#[derive(Clone, Debug, Default)]
pub struct Interpreted {
    /// Number of executed blocks in warp.
    pub blocks: u64,
    /// How often the interpreter executed each block, and for which reason.
    pub fallbacks: FxHashMap<(BlockNo, Fallback), u64>,
}

impl<T: Tracer> Vm<T> {
    /// Starts to count which blocks in warp are interpreted.
    pub fn count_interpreted(&mut self) {
        self.buffers.interpreted = Some(Box::default());
    }

    /// The counts; `None` unless [requested](Vm::count_interpreted).
    pub fn interpreted(&self) -> Option<&Interpreted> {
        self.buffers.interpreted.as_deref()
    }
}

impl<T: Tracer> Interpreter<'_, T> {
    #[cold]
    #[inline(never)]
    pub(crate) fn count_fallback(&mut self, block: BlockNo, fallback: Fallback) {
        if let Some(counts) = self.buffers.interpreted.as_deref_mut() {
            counts.blocks += u64::from(fallback == Fallback::Outside);
            *counts.fallbacks.entry((block, fallback)).or_default() += 1;
        }
    }
}
