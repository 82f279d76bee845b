//! Traces of executions.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::goals::Branch;

/// Covered blocks and branch distances of one execution, by project-wide block number.
///
/// A trace may also contain the [branches](Branch) that were taken, stored as covered blocks under
/// the numbers of the branches.
///
/// Traces should be reused, because [`Trace::clear`] writes only a few bits for each block.
#[derive(Clone, Debug)]
pub struct Trace {
    covered: Vec<u64>,
    recorded: Vec<u64>,
    branches: bool,
    /// An entry is valid if its bit in `recorded` is set; other entries come from earlier
    /// executions.
    distances: Vec<(f64, f64)>,
}

impl Trace {
    /// Creates an empty trace for a project with this number of blocks (see
    /// [`catherd_scratch_sb3::Project::block_count`]).
    pub fn new(block_count: usize) -> Self {
        let words = block_count.div_ceil(64);
        Self {
            covered: vec![0; words],
            recorded: vec![0; words],
            branches: false,
            distances: vec![(0.0, 0.0); block_count],
        }
    }

    /// Creates an empty trace like [`new`](Trace::new), with room for branches if `branches` is
    /// set.
    pub fn with_branches(block_count: usize, branches: bool) -> Self {
        let numbers = if branches { 3 * block_count } else { block_count };
        Self { covered: vec![0; numbers.div_ceil(64)], branches, ..Self::new(block_count) }
    }

    /// Whether the trace contains the branches that were taken.
    pub fn keeps_branches(&self) -> bool {
        self.branches
    }

    /// Clears the trace for the next execution.
    pub fn clear(&mut self) {
        self.covered.fill(0);
        self.recorded.fill(0);
    }

    /// Records that the block was evaluated.
    ///
    /// # Panics
    /// May panic if the trace was created for fewer blocks.
    pub fn cover(&mut self, block: BlockNo) {
        let (word, bit) = place(block);
        self.covered[word] |= bit;
    }

    /// Records distances of a block to the outcomes true and false. The smallest distance to each
    /// outcome is kept; NaN is ignored. Branches are covered as by [`Trace::take`].
    pub fn record_min(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        let (word, bit) = place(block);
        let kept = &mut self.distances[block.0 as usize];
        if self.recorded[word] & bit == 0 {
            self.recorded[word] |= bit;
            *kept = (f64::INFINITY, f64::INFINITY);
        }
        // `min` returns the other operand if one operand is NaN.
        *kept = (kept.0.min(to_true), kept.1.min(to_false));
        self.take(block, to_true, to_false);
    }

    /// Covers the branches of a block for which the distance is 0. Does nothing if the trace does
    /// not contain branches.
    pub fn take(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        if !self.branches {
            return;
        }
        for (distance, outcome) in [(to_true, true), (to_false, false)] {
            if distance == 0.0 {
                self.cover(Branch { block, outcome }.number(self.distances.len()));
            }
        }
    }

    /// Replaces the recorded distances of a block.
    pub fn record_latest(&mut self, block: BlockNo, distances: (f64, f64)) {
        let (word, bit) = place(block);
        self.recorded[word] |= bit;
        self.distances[block.0 as usize] = distances;
    }

    /// Whether the block was evaluated, or the branch with this number was taken.
    pub fn covered(&self, block: BlockNo) -> bool {
        let (word, bit) = place(block);
        self.covered[word] & bit != 0
    }

    /// The recorded distances of a block to true and false.
    pub fn record(&self, block: BlockNo) -> Option<(f64, f64)> {
        let (word, bit) = place(block);
        (self.recorded[word] & bit != 0).then(|| self.distances[block.0 as usize])
    }
}

fn place(block: BlockNo) -> (usize, u64) {
    (block.0 as usize / 64, 1 << (block.0 % 64))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_distance_keeps_its_own_minimum() {
        let mut trace = Trace::new(70);
        let block = BlockNo(69);
        assert_eq!(trace.record(block), None);
        trace.record_min(block, 5.0, 0.0);
        trace.record_min(block, 0.0, 1.0);
        trace.record_min(block, 3.0, f64::NAN);
        assert_eq!(trace.record(block), Some((0.0, 0.0)));
        assert!(!trace.covered(block));
        trace.cover(block);
        assert!(trace.covered(block) && !trace.covered(BlockNo(5)));
    }

    #[test]
    fn branches_are_taken_at_distance_0() {
        let block = BlockNo(2);
        let number = |outcome| Branch { block, outcome }.number(70);
        let mut trace = Trace::with_branches(70, true);
        trace.record_min(block, 3.0, 0.0);
        assert!(trace.covered(number(false)) && !trace.covered(number(true)));
        trace.record_min(block, 0.0, f64::NAN);
        assert!(trace.covered(number(true)) && !trace.covered(block));
        trace.clear();
        assert!(!trace.covered(number(true)));
    }

    #[test]
    fn clearing_removes_all_entries() {
        let mut trace = Trace::new(3);
        trace.cover(BlockNo(1));
        trace.record_min(BlockNo(1), 0.0, 1.0);
        trace.clear();
        assert!(!trace.covered(BlockNo(1)));
        assert_eq!(trace.record(BlockNo(1)), None);
        trace.record_min(BlockNo(1), 4.0, 2.0);
        assert_eq!(trace.record(BlockNo(1)), Some((4.0, 2.0)));
    }
}
