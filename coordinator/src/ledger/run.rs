//! What is known of a run, and of the sets that the studies make of them.

use crate::queue::GroupNumber;
use crate::store::StudyNumber;

/// The number of a run in the store, from 0; it never changes.
pub type RunNumber = u32;

/// A fencing token.
pub type Token = u64;

/// Where a run stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Waits for a worker.
    Pending = 1,
    /// In the hands of a worker.
    Leased = 2,
    /// Has an accepted record with a proper end.
    Done = 3,
    /// Has an accepted record with a verdict against it.
    Failed = 4,
    /// Given up.
    Quarantined = 5,
}

impl Phase {
    /// All phases, in the order of their numbers.
    pub const ALL: [Phase; 5] =
        [Phase::Pending, Phase::Leased, Phase::Done, Phase::Failed, Phase::Quarantined];

    /// The name of the state in the protocol, JSON, metrics and every text.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Pending => "pending",
            Phase::Leased => "leased",
            Phase::Done => "done",
            Phase::Failed => "failed",
            Phase::Quarantined => "quarantined",
        }
    }

    /// Nothing follows this phase.
    pub fn is_final(self) -> bool {
        matches!(self, Phase::Done | Phase::Failed | Phase::Quarantined)
    }
}

/// What is known of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Run {
    /// Where it stands.
    pub phase: Phase,
    /// Leases given so far.
    pub attempt: u32,
    /// Attempts that crashed.
    pub crashes: u32,
    /// Workers lost over it.
    pub losses: u32,
    /// Token of its latest lease, 0 if it never had one.
    pub token: Token,
    /// Its group in the queue.
    pub group: GroupNumber,
    /// Its set among those that the ledger was made with.
    pub set: StudySetNumber,
}

impl Run {
    /// A run nobody has tried, in the first set.
    pub fn new(phase: Phase, group: GroupNumber) -> Run {
        Run { phase, attempt: 0, crashes: 0, losses: 0, token: 0, group, set: 0 }
    }
}

/// The number of a set of runs.
pub type StudySetNumber = u32;

/// Runs that the same studies want.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudySet {
    /// The numbers of the studies, ascending.
    pub studies: Vec<StudyNumber>,
    /// Some of them is active.
    pub active: bool,
    pub(super) counts: PhaseCounts,
}

impl StudySet {
    /// A set without runs as yet.
    pub fn new(studies: Vec<StudyNumber>, active: bool) -> StudySet {
        StudySet { studies, active, counts: PhaseCounts::default() }
    }
}

/// Runs by phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseCounts([u64; Phase::Quarantined as usize + 1]);

impl PhaseCounts {
    /// Runs in a phase.
    pub fn of(&self, phase: Phase) -> u64 {
        self.0[phase as usize]
    }

    /// Runs in any phase.
    pub fn planned(&self) -> u64 {
        self.0.iter().sum()
    }

    /// No run is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.of(Phase::Pending) == 0 && self.of(Phase::Leased) == 0
    }

    pub(super) fn count(&mut self, phase: Phase) {
        self.0[phase as usize] += 1;
    }

    pub(super) fn uncount(&mut self, phase: Phase) {
        self.0[phase as usize] -= 1;
    }

    pub(super) fn shift(&mut self, from: Phase, to: Phase) {
        self.uncount(from);
        self.count(to);
    }

    pub(super) fn add(&mut self, other: &PhaseCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}
