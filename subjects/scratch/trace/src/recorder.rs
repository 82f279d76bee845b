//! Recording of the trace of an execution, and of the entries that each event changed.

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_suite::goals::Branch;
use catherd_scratch_vm::{Traced, Tracer};

use crate::trace::Trace;

/// Tracer that fills a [`Trace`] and records which of its entries each event changed.
#[derive(Debug)]
pub struct Recorder {
    trace: Trace,
    /// While calls are recorded, the trace before the record; otherwise, a reusable buffer.
    set_aside: Trace,
    records: bool,
    /// Clock of steps and records, which is never reset.
    time: u64,
    step: u64,
    /// For each block, the last time at which it was evaluated.
    evaluated: Vec<u64>,
    /// For each series, the time of the last [`Tracer::covered_all`].
    series: Vec<u64>,
    changed: Vec<BlockNo>,
    /// For each block, the last span in which its entry changed. Spans are counted over all
    /// executions.
    changed_in: Vec<u64>,
    /// Number of the current span, which began with the last [`Recorder::flush`] or
    /// [`Recorder::clear`].
    span: u64,
}

impl Recorder {
    /// Creates a recorder for a project with this number of blocks. If `branches` is set, traces
    /// contain branches as well.
    pub fn new(blocks: usize, branches: bool) -> Self {
        Self {
            trace: Trace::with_branches(blocks, branches),
            set_aside: Trace::with_branches(blocks, branches),
            records: false,
            time: 0,
            step: 0,
            evaluated: vec![0; blocks],
            series: Vec::new(),
            changed: Vec::new(),
            changed_in: vec![0; blocks],
            span: 1,
        }
    }

    /// Begins a new trace.
    pub fn clear(&mut self) {
        self.trace.clear();
        self.changed.clear();
        self.span += 1;
        // Blocks that the previous execution evaluated do not count as evaluated in the last step.
        self.begin_step();
    }

    fn begin_step(&mut self) {
        self.time += 1;
        self.step = self.time;
    }

    /// Restores the state after an execution that has this history and evaluated these blocks in
    /// its last step.
    pub fn resume(&mut self, history: &History, evaluated: &[BlockNo]) {
        self.clear();
        history.replay(u32::MAX, &mut self.trace);
        for block in evaluated {
            self.evaluated[block.0 as usize] = self.time;
        }
    }

    /// The blocks that were evaluated in the last step.
    pub fn last_step(&self) -> impl Iterator<Item = BlockNo> + '_ {
        let blocks = self.evaluated.iter().zip(0..);
        blocks.filter(|(time, _)| **time >= self.step).map(|(_, block)| BlockNo(block))
    }

    /// The trace since the last [`Recorder::clear`].
    pub fn trace(&self) -> &Trace {
        &self.trace
    }

    /// Whether the block was evaluated in the last step.
    pub fn ran_last_step(&self, block: BlockNo) -> bool {
        self.evaluated[block.0 as usize] >= self.step
    }

    /// Appends the changes since the last call to `flush` or [`Recorder::clear`] to a history, as
    /// changes of this event. Returns whether there are any changes.
    pub fn flush(&mut self, event: u32, history: &mut History) -> bool {
        self.span += 1;
        let changed = !self.changed.is_empty();
        for block in self.changed.drain(..) {
            let covered = self.trace.covered(block);
            history.0.push(Change { event, block, covered, record: self.trace.record(block) });
        }
        changed
    }

    #[inline(never)]
    fn evaluate(&mut self, block: BlockNo) {
        self.evaluated[block.0 as usize] = self.time;
        if !self.trace.covered(block) {
            self.trace.cover(block);
            self.note(block);
        }
    }

    #[inline(never)]
    fn evaluate_all(&mut self, series: usize, blocks: &[BlockNo]) {
        if series >= self.series.len() {
            self.series.resize(series + 1, 0);
        }
        self.series[series] = self.time;
        for &block in blocks {
            self.covered(block);
        }
    }

    fn note(&mut self, block: BlockNo) {
        if self.records {
            return;
        }
        let changed_in = &mut self.changed_in[block.0 as usize];
        if std::mem::replace(changed_in, self.span) != self.span {
            self.changed.push(block);
        }
    }
}

impl Tracer for Recorder {
    const ACTIVE: bool = true;
    const MERGES: bool = true;
    const REMEMBERS: bool = true;

    catherd_scratch_vm::compile_interpreter!();

    fn step(&mut self) {
        self.begin_step();
    }

    fn time(&self) -> Option<u64> {
        Some(self.time)
    }

    fn record(&mut self) {
        self.set_aside.clear();
        std::mem::swap(&mut self.trace, &mut self.set_aside);
        self.time += 1;
        self.records = true;
    }

    fn recorded(&mut self) -> Traced {
        std::mem::swap(&mut self.trace, &mut self.set_aside);
        self.records = false;
        let blocks = || (0..self.evaluated.len() as u32).map(BlockNo);
        let covered = blocks().filter(|block| self.evaluated[block.0 as usize] == self.time);
        let distances = blocks().filter_map(|block| {
            let (to_true, to_false) = self.set_aside.record(block)?;
            Some((block, to_true, to_false))
        });
        let record = Traced { covered: covered.collect(), distances: distances.collect() };
        self.time += 1;
        self.take_over(&record);
        record
    }

    fn take_over(&mut self, record: &Traced) {
        for block in &record.covered {
            self.covered(*block);
        }
        for &(block, to_true, to_false) in &record.distances {
            self.distance(block, to_true, to_false);
        }
    }

    #[inline]
    fn covered(&mut self, block: BlockNo) {
        if self.evaluated.get(block.0 as usize) != Some(&self.time) {
            self.evaluate(block);
        }
    }

    #[inline]
    fn covered_all(&mut self, series: usize, blocks: &[BlockNo]) {
        if self.series.get(series) != Some(&self.time) {
            self.evaluate_all(series, blocks);
        }
    }

    fn known_distances(&self, block: BlockNo) -> (f64, f64) {
        self.trace.record(block).unwrap_or((f64::INFINITY, f64::INFINITY))
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        let before = self.trace.record(block);
        // The comparison is false for NaN.
        if before.is_some_and(|least| least.0 <= to_true && least.1 <= to_false) {
            return;
        }
        self.trace.record_min(block, to_true, to_false);
        if self.trace.record(block) != before {
            self.note(block);
        }
    }

    fn hat(&mut self, block: BlockNo, starts: bool) {
        if self.trace.keeps_branches() {
            let (to_true, to_false) = if starts { (0.0, 1.0) } else { (1.0, 0.0) };
            self.distance(block, to_true, to_false);
        }
    }
}

/// History of a trace: the changes of every event, from which the trace after any event can be
/// rebuilt.
#[derive(Clone, Debug, Default)]
pub struct History(Vec<Change>);

/// The entry of a block in the trace after an event that changed this entry.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    event: u32,
    block: BlockNo,
    covered: bool,
    record: Option<(f64, f64)>,
}

impl Change {
    /// Whether the change covers a goal, which is a block or a branch of a project with this number
    /// of blocks.
    pub fn covers(&self, goal: BlockNo, blocks: usize) -> bool {
        match Branch::of(goal, blocks) {
            None => self.block == goal && self.covered,
            Some(Branch { block, outcome }) => {
                let least =
                    self.record.map(|(to_true, to_false)| if outcome { to_true } else { to_false });
                self.block == block && least == Some(0.0)
            }
        }
    }
}

impl History {
    /// Sets `trace` to the trace after the first `events` events.
    pub fn replay(&self, events: u32, trace: &mut Trace) {
        trace.clear();
        for change in self.0.iter().take_while(|change| change.event < events) {
            if change.covered {
                trace.cover(change.block);
            }
            if let Some((to_true, to_false)) = change.record {
                trace.record_min(change.block, to_true, to_false);
            }
        }
    }

    /// The history of the first `events` events.
    pub fn truncated(&self, events: u32) -> History {
        History(self.0.iter().take_while(|change| change.event < events).copied().collect())
    }

    /// The changes of event number `events - 1`. The history must not contain changes of later
    /// events.
    pub fn last(&self, events: u32) -> &[Change] {
        let earlier = self.0.partition_point(|change| change.event + 1 < events);
        &self.0[earlier..]
    }

    /// Keeps only the last change of each block by event number `events - 1`. The history must not
    /// contain changes of later events.
    pub fn merge_last(&mut self, events: u32) {
        let earlier = self.0.len() - self.last(events).len();
        let mut merged = earlier;
        for at in earlier..self.0.len() {
            let change = self.0[at];
            match self.0[earlier..merged].iter_mut().find(|known| known.block == change.block) {
                Some(known) => *known = change,
                None => {
                    self.0[merged] = change;
                    merged += 1;
                }
            }
        }
        self.0.truncate(merged);
    }

    /// Adds the changes of one more event.
    pub fn append(&mut self, changes: &[Change]) {
        self.0.extend_from_slice(changes);
    }

    /// The number of events up to and including the last event that changed the trace.
    pub fn last_change(&self) -> u32 {
        self.0.last().map_or(0, |change| change.event + 1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_history_gives_the_trace_after_each_event() {
        let (a, b) = (BlockNo(0), BlockNo(1));
        let mut recorder = Recorder::new(2, true);
        recorder.clear();
        let mut history = History::default();
        recorder.step();
        recorder.covered(a);
        recorder.distance(a, 5.0, 0.0);
        recorder.distance(a, 3.0, 0.0);
        assert!(recorder.flush(0, &mut history));
        recorder.step();
        recorder.covered(a);
        recorder.distance(a, 4.0, 0.0);
        assert!(!recorder.flush(1, &mut history), "nothing is new");
        recorder.step();
        recorder.covered(b);
        recorder.distance(a, 0.0, 2.0);
        assert!(recorder.flush(2, &mut history));
        assert!(recorder.ran_last_step(b) && !recorder.ran_last_step(a));

        assert_eq!(history.last_change(), 3);
        let mut trace = Trace::new(2);
        history.replay(2, &mut trace);
        assert!(trace.covered(a) && !trace.covered(b));
        assert_eq!(trace.record(a), Some((3.0, 0.0)));
        history.replay(3, &mut trace);
        assert!(trace.covered(b));
        assert_eq!(trace.record(a), Some((0.0, 0.0)));
        assert_eq!(history.truncated(2).last_change(), 1);

        assert_eq!(history.last(3).len(), 2, "both blocks changed");
        assert!(history.truncated(2).last(2).is_empty() && history.last(3)[0].covers(b, 2));
        let taken = |block, outcome| {
            let goal = Branch { block, outcome }.number(2);
            history.last(3).iter().any(|change| change.covers(goal, 2))
        };
        assert!(taken(a, true) && taken(a, false) && !taken(b, true));
        let last_step: Vec<_> = recorder.last_step().collect();
        assert_eq!(last_step, [b]);

        recorder.clear();
        assert!(!recorder.ran_last_step(b));
        assert!(!recorder.trace().covered(b));

        recorder.resume(&history, &last_step);
        assert!(recorder.ran_last_step(b) && !recorder.ran_last_step(a));
        assert!(recorder.trace().covered(b));
        assert_eq!(recorder.trace().record(a), Some((0.0, 0.0)));
        assert!(!recorder.flush(3, &mut history), "nothing is new");
    }

    #[test]
    fn a_series_covers_its_blocks_again_in_each_step_and_execution() {
        let blocks = [BlockNo(0), BlockNo(2)];
        let mut recorder = Recorder::new(3, false);
        recorder.clear();
        for _ in 0..3 {
            recorder.step();
            assert!(!blocks.iter().any(|block| recorder.ran_last_step(*block)));
            for _ in 0..2 {
                recorder.covered_all(7, &blocks);
                assert_eq!(recorder.last_step().collect::<Vec<_>>(), blocks);
            }
        }
        recorder.clear();
        recorder.covered_all(7, &blocks);
        assert!(recorder.trace().covered(BlockNo(2)) && !recorder.trace().covered(BlockNo(1)));
        recorder.record();
        recorder.covered_all(7, &blocks);
        assert_eq!(recorder.recorded().covered, blocks);
    }
}
