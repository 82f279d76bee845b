//! Tracer of replays, digests and fuzzing. They share one type, because the VM is compiled again
//! for each type of tracer.

use std::collections::BTreeSet;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{Text, Tracer};

/// Keeps the covered blocks, or combines all reported events into a hash.
#[derive(Clone, Default)]
pub(crate) struct Observer {
    keeps_blocks: bool,
    pub(crate) hash: u64,
    pub(crate) covered: BTreeSet<BlockNo>,
    pub(crate) step: Vec<BlockNo>,
}

impl Observer {
    pub(crate) fn of_blocks() -> Observer {
        Observer { keeps_blocks: true, ..Observer::default() }
    }

    fn fold(&mut self, word: u64) {
        if !self.keeps_blocks {
            self.hash = (self.hash.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}

impl Tracer for Observer {
    const ACTIVE: bool = true;

    fn step(&mut self) {
        self.step.clear();
        self.fold(1);
    }

    fn covered(&mut self, block: BlockNo) {
        if self.keeps_blocks {
            self.covered.insert(block);
            self.step.push(block);
        }
        self.fold(u64::from(block.0));
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        self.fold(u64::from(block.0));
        self.fold(bits(to_true));
        self.fold(bits(to_false));
    }

    fn said(&mut self, text: &Text) {
        text.units().for_each(|unit| self.fold(u64::from(unit)));
    }
}

/// The NaN that an operation returns depends on the processor, and programs cannot distinguish
/// NaNs, so all NaNs have the same bits.
pub(crate) fn bits(x: f64) -> u64 {
    if x.is_nan() { f64::NAN.to_bits() } else { x.to_bits() }
}
