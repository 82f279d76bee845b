//! How close runs came to goals that no run covers.

use catherd_experiments::RunRecord;

/// How close a run came to a goal that it does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approach {
    /// What is missing, in steps that the kind counts, such as the events of a sequence: from 1.
    pub distance: u32,
    /// The last part of the way to the goal that a test of the run went, and what it did instead.
    pub turned_off: String,
}

/// The goals that are asked about.
#[derive(Clone, Copy, Debug)]
pub struct OpenGoals<'a> {
    /// What the goals are, such as a coverage criterion.
    pub criterion: &'a str,
    /// The name of each goal by its number in records.
    pub names: &'a [String],
    /// The numbers of the goals that are asked about, none of which the run covers.
    pub open: &'a [u32],
}

/// Reads from the record of a run how close it came to some goals, one value for each. `None` if no test went
/// a part of the way, or if the record does not say.
pub type Approaches = fn(&OpenGoals<'_>, &RunRecord) -> Vec<Option<Approach>>;
