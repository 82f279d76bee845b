//! Watching a machine at work.

use catherd_sb3::BlockNo;

use crate::text::Text;

/// Watches execution. `()` sees nothing and costs nothing.
pub trait Tracer {
    /// False compiles all tracing away, the computation of branch distances included.
    const ACTIVE: bool;

    /// A step begins.
    fn step(&mut self) {}

    /// A stack block was evaluated: at every execution, hats when they start or when
    /// their predicate is evaluated.
    fn covered(&mut self, block: BlockNo) {
        let _ = block;
    }

    /// A control block was evaluated: its distances to the outcomes true and false. One
    /// of them is 0, the other positive (Whisker paper, section 5.2.2).
    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        let _ = (block, to_true, to_false);
    }

    /// Distances of a block that would be no news: only smaller ones matter. A machine may
    /// report any larger number in their place, and asks before it measures.
    fn known(&self, block: BlockNo) -> (f64, f64) {
        let _ = block;
        (f64::INFINITY, f64::INFINITY)
    }

    /// Something was said or thought, blank text included.
    fn said(&mut self, text: &Text) {
        let _ = text;
    }
}

impl Tracer for () {
    const ACTIVE: bool = false;
}
