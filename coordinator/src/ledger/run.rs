//! The status of a run, and the sets of studies that contain it.

use crate::ids::{GroupNumber, StudyNumber, StudySetNumber, Token};

/// The state of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Phase {
    /// Waiting for a worker.
    Pending = 1,
    /// Leased to a worker.
    Leased = 2,
    /// Has an accepted record without an error.
    Done = 3,
    /// Has an accepted record of a failure.
    Failed = 4,
    /// Not attempted again, because too many attempts ended without a record.
    Quarantined = 5,
}

impl Phase {
    /// All phases, in the order of their numbers.
    pub const ALL: [Phase; 5] =
        [Phase::Pending, Phase::Leased, Phase::Done, Phase::Failed, Phase::Quarantined];

    /// The name of the phase.
    pub fn name(self) -> &'static str {
        match self {
            Phase::Pending => "pending",
            Phase::Leased => "leased",
            Phase::Done => "done",
            Phase::Failed => "failed",
            Phase::Quarantined => "quarantined",
        }
    }

    /// Whether a run in this phase has ended.
    pub fn is_final(self) -> bool {
        matches!(self, Phase::Done | Phase::Failed | Phase::Quarantined)
    }
}

/// The status of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunStatus {
    /// The phase of the run.
    pub phase: Phase,
    /// Number of leases granted so far, not counting leases that were returned.
    pub attempt: u32,
    /// Number of attempts that crashed.
    pub crashes: u32,
    /// Number of attempts that ended because the worker was lost.
    pub losses: u32,
    /// The token of the latest lease, or 0.
    pub token: Token,
    /// The group of the run in the queue.
    pub group: GroupNumber,
    /// The set of the studies that contain the run.
    pub set: StudySetNumber,
}

impl RunStatus {
    /// A run that has not been attempted, in study set 0.
    pub fn new(phase: Phase, group: GroupNumber) -> RunStatus {
        RunStatus { phase, attempt: 0, crashes: 0, losses: 0, token: 0, group, set: 0 }
    }
}

/// A set of studies, with the runs that exactly these studies contain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StudySet {
    /// The studies, in ascending order.
    pub studies: Vec<StudyNumber>,
    /// Whether at least one of the studies is active.
    pub active: bool,
    pub(super) counts: PhaseCounts,
}

impl StudySet {
    /// The study to which a restored or reinstated lease is charged.
    pub(super) fn charged(&self) -> StudyNumber {
        self.studies.first().copied().unwrap_or(StudyNumber::MAX)
    }

    /// A set without runs.
    pub fn new(studies: Vec<StudyNumber>, active: bool) -> StudySet {
        StudySet { studies, active, counts: PhaseCounts::default() }
    }
}

/// Number of runs in each phase.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PhaseCounts([u64; Phase::Quarantined as usize + 1]);

impl PhaseCounts {
    /// Number of runs in a phase.
    pub fn of(&self, phase: Phase) -> u64 {
        self.0[phase as usize]
    }

    /// Number of runs in all phases.
    pub fn planned(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Whether no run is pending or leased.
    pub fn is_finished(&self) -> bool {
        self.of(Phase::Pending) == 0 && self.of(Phase::Leased) == 0
    }

    pub(super) fn add_run(&mut self, phase: Phase) {
        self.0[phase as usize] += 1;
    }

    pub(super) fn remove_run(&mut self, phase: Phase) {
        self.0[phase as usize] -= 1;
    }

    pub(super) fn move_run(&mut self, from: Phase, to: Phase) {
        self.remove_run(from);
        self.add_run(to);
    }

    pub(super) fn add(&mut self, other: &PhaseCounts) {
        self.0.iter_mut().zip(other.0).for_each(|(count, more)| *count += more);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fields(message: &str) -> Vec<&'static str> {
        let proto = include_str!("../../../proto/catherd.proto");
        let start = format!("message {message} {{");
        let body = proto.split(&start).nth(1).and_then(|rest| rest.split("\n}").next()).unwrap();
        let lines = body.lines().filter(|line| !line.trim_start().starts_with("//"));
        lines.filter_map(|line| line.split(" = ").next()?.split(' ').next_back()).collect()
    }

    #[test]
    fn the_protocol_names_the_phases_alike() {
        for message in ["Status", "Study"] {
            let fields = fields(message);
            let start = fields.iter().position(|field| *field == "planned").unwrap() + 1;
            let names = &fields[start..start + Phase::ALL.len()];
            assert_eq!(names, Phase::ALL.map(Phase::name), "{message}");
        }
        let missing = include_str!("../../../proto/catherd.proto").split("message Missing {");
        let comment = missing.last().unwrap().split("string phase").next().unwrap();
        for phase in [Phase::Pending, Phase::Leased, Phase::Quarantined] {
            assert!(comment.contains(&format!("`{}`", phase.name())), "{comment}");
        }
    }
}
