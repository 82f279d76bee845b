//! Recording of the latest distances of each condition.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_testgen::extraction::LastStep;
use catherd_scratch_trace::Trace;
use catherd_scratch_vm::Tracer;

/// Tracer of a path of actions. The trace contains all covered blocks and, for each condition, the
/// smallest distances within the last action that evaluated it, or within the whole path.
#[derive(Debug)]
pub(crate) struct LatestRecorder {
    trace: Trace,
    minima: bool,
    /// For each block, the smallest distances within the current action.
    window: Vec<(f64, f64)>,
    /// For each block, the last action with distances in the window. Actions are counted over all
    /// paths.
    measured_in: Vec<u64>,
    action: u64,
    /// Blocks with distances in the window.
    measured: Vec<BlockNo>,
    /// The current step, counted over all paths.
    step: u64,
    /// For each block, the last step in which it was evaluated.
    evaluated: Vec<u64>,
}

impl LatestRecorder {
    /// Creates a recorder for a project with this number of blocks. If `branches` is set, traces
    /// contain branches as well. If `minima` is set, the recorder keeps the smallest distances of
    /// the whole path.
    pub(crate) fn new(blocks: usize, branches: bool, minima: bool) -> Self {
        Self {
            trace: Trace::with_branches(blocks, branches),
            minima,
            window: vec![(f64::INFINITY, f64::INFINITY); blocks],
            measured_in: vec![0; blocks],
            action: 1,
            measured: Vec::new(),
            step: 0,
            evaluated: vec![0; blocks],
        }
    }

    pub(crate) fn clear(&mut self) {
        self.trace.clear();
        self.measured.clear();
        self.action += 1;
        self.step += 1;
    }

    /// Continues a path with this trace, whose last step evaluated these blocks.
    pub(crate) fn resume(&mut self, trace: &Trace, evaluated: &[BlockNo]) {
        self.clear();
        self.trace.clone_from(trace);
        for block in evaluated {
            self.evaluated[block.0 as usize] = self.step;
        }
    }

    pub(crate) fn flush(&mut self) {
        self.action += 1;
        for block in self.measured.drain(..) {
            let distances = self.window[block.0 as usize];
            if self.minima {
                self.trace.record_min(block, distances.0, distances.1);
            } else {
                self.trace.record_latest(block, distances);
            }
        }
    }

    /// The trace up to the last [`LatestRecorder::flush`], with blocks covered since then.
    pub(crate) fn trace(&self) -> &Trace {
        &self.trace
    }

    pub(crate) fn last_step(&self) -> Vec<BlockNo> {
        let blocks = self.evaluated.iter().zip(0..);
        blocks.filter(|(step, _)| **step == self.step).map(|(_, block)| BlockNo(block)).collect()
    }
}

impl LastStep for LatestRecorder {
    fn ran_last_step(&self, block: BlockNo) -> bool {
        self.evaluated[block.0 as usize] == self.step
    }
}

impl Tracer for LatestRecorder {
    const ACTIVE: bool = true;
    const MERGES: bool = true;

    fn step(&mut self) {
        self.step += 1;
    }

    fn covered(&mut self, block: BlockNo) {
        self.evaluated[block.0 as usize] = self.step;
        self.trace.cover(block);
    }

    /// Returns the distances of the current action instead of the distances in the trace; otherwise
    /// the VM would not measure distances that have grown.
    fn known_distances(&self, block: BlockNo) -> (f64, f64) {
        let number = block.0 as usize;
        if self.measured_in[number] == self.action {
            self.window[number]
        } else {
            (f64::INFINITY, f64::INFINITY)
        }
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        let number = block.0 as usize;
        if self.measured_in[number] != self.action {
            self.measured_in[number] = self.action;
            self.window[number] = (f64::INFINITY, f64::INFINITY);
            self.measured.push(block);
        }
        let kept = &mut self.window[number];
        *kept = (kept.0.min(to_true), kept.1.min(to_false));
        self.trace.take(block, to_true, to_false);
    }

    fn hat(&mut self, block: BlockNo, starts: bool) {
        if self.trace.keeps_branches() {
            let (to_true, to_false) = if starts { (0.0, 1.0) } else { (1.0, 0.0) };
            self.distance(block, to_true, to_false);
        }
    }
}
