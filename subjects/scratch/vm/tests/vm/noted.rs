//! The tracer of most tests. Few types of tracers are used, because the interpreter is compiled
//! again for each type.

use std::collections::BTreeMap;

use catherd_scratch_sb3::BlockNo;
use catherd_scratch_vm::{Text, Traced, Tracer};

const FAR: (f64, f64) = (f64::INFINITY, f64::INFINITY);

/// The known distances that a [`Noted`] returns to the VM.
#[derive(Clone, Copy, Default, PartialEq)]
pub(crate) enum Known {
    #[default]
    Nothing,
    /// The smallest distances so far.
    Smallest,
    /// Distances of 0 for blocks with odd numbers. If `MERGES` is set, measured distances of these
    /// blocks are not kept.
    Zeros,
}

/// Calls that a tracer has received.
#[derive(Default)]
pub(crate) struct Log {
    pub(crate) covered: Vec<BlockNo>,
    /// Blocks covered since the last step began.
    pub(crate) in_step: Vec<BlockNo>,
    pub(crate) distances: Vec<(BlockNo, f64, f64)>,
    pub(crate) said: Vec<String>,
}

/// Tracer that keeps the covered blocks with their smallest distances. If `MERGES` is set, the VM
/// may skip loops; otherwise, the calls are combined into a number. A tracer with a log only logs.
#[derive(Default)]
pub(crate) struct Noted<const MERGES: bool> {
    pub(crate) log: Option<Log>,
    pub(crate) covered: BTreeMap<BlockNo, (f64, f64)>,
    /// The blocks that were covered before the current record, with their distances.
    before: BTreeMap<BlockNo, (f64, f64)>,
    pub(crate) calls: u64,
    pub(crate) folded: u64,
    time: u64,
    known: Known,
}

impl<const MERGES: bool> Noted<MERGES> {
    pub(crate) fn knowing(known: Known) -> Self {
        Noted { known, ..Noted::default() }
    }

    pub(crate) fn logging() -> Self {
        Noted { log: Some(Log::default()), ..Noted::default() }
    }

    fn fold(&mut self, word: u64) {
        if !MERGES {
            self.folded = (self.folded.rotate_left(23) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        }
    }
}

impl<const MERGES: bool> Tracer for Noted<MERGES> {
    const ACTIVE: bool = true;
    const MERGES: bool = MERGES;
    const REMEMBERS: bool = MERGES;

    fn time(&self) -> Option<u64> {
        (MERGES && self.log.is_none()).then_some(self.time)
    }

    fn step(&mut self) {
        self.time += 1;
        match &mut self.log {
            Some(log) => log.in_step.clear(),
            None => self.fold(1),
        }
    }

    fn said(&mut self, text: &Text) {
        if let Some(log) = &mut self.log {
            log.said.push(text.to_string());
        }
    }

    fn covered(&mut self, block: BlockNo) {
        if let Some(log) = &mut self.log {
            log.covered.push(block);
            log.in_step.push(block);
            return;
        }
        self.calls += 1;
        self.fold(u64::from(block.0));
        self.covered.entry(block).or_insert(FAR);
    }

    fn known_distances(&self, block: BlockNo) -> (f64, f64) {
        match self.known {
            Known::Nothing => FAR,
            Known::Smallest => self.covered.get(&block).copied().unwrap_or(FAR),
            Known::Zeros => {
                if block.0.is_multiple_of(2) {
                    FAR
                } else {
                    (0.0, 0.0)
                }
            }
        }
    }

    fn distance(&mut self, block: BlockNo, to_true: f64, to_false: f64) {
        if let Some(log) = &mut self.log {
            return log.distances.push((block, to_true, to_false));
        }
        for word in [u64::from(block.0), to_true.to_bits(), to_false.to_bits()] {
            self.fold(word);
        }
        let does_not_matter =
            MERGES && self.known == Known::Zeros && self.known_distances(block) == (0.0, 0.0);
        let least = self.covered.entry(block).or_insert(FAR);
        if does_not_matter {
            return;
        }
        *least = (least.0.min(to_true), least.1.min(to_false));
    }

    fn record(&mut self) {
        self.time += 1;
        self.before = std::mem::take(&mut self.covered);
    }

    fn recorded(&mut self) -> Traced {
        self.time += 1;
        let during = std::mem::replace(&mut self.covered, std::mem::take(&mut self.before));
        let record = Traced {
            covered: during.keys().copied().collect(),
            distances: during.iter().map(|(block, least)| (*block, least.0, least.1)).collect(),
        };
        self.take_over(&record);
        record
    }

    fn take_over(&mut self, record: &Traced) {
        for block in &record.covered {
            self.covered.entry(*block).or_insert(FAR);
        }
        for (block, to_true, to_false) in &record.distances {
            self.distance(*block, *to_true, *to_false);
        }
    }
}
