//! A tracer for benchmarks of tracing.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::Tracer;
use divan::black_box;

/// Tracer for which coverage and distances are computed but not kept.
pub(crate) struct Everything;

impl Tracer for Everything {
    const ACTIVE: bool = true;

    fn covered(&mut self, block: BlockNo) {
        black_box(block);
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        black_box((block, to_true, to_false));
    }
}
