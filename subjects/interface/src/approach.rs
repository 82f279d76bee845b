//! How close runs came to goals that no run covers.

use catherd_experiments::RunRecord;

/// How close a run came to a goal that it does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approach {
    /// Number of missing steps, at least 1. The kind defines the steps, such as the events of a
    /// sequence.
    pub distance: u32,
    /// The last step on the path to the goal that a test of the run took, and what the test did
    /// instead of the next step.
    pub turned_off: String,
}

/// Goals that a run does not cover, for which its distance is requested.
#[derive(Clone, Copy, Debug)]
pub struct OpenGoals<'a> {
    /// The criterion to which the goals belong.
    pub criterion: &'a str,
    /// The name of each goal by its number in records.
    pub names: &'a [String],
    /// The numbers of the goals.
    pub open: &'a [u32],
}

/// A function that reads from the record of a run how close the run came to some goals, with one
/// value for each goal. A value is `None` if no test took the first step, or if the record does not
/// contain the distance.
pub type Approaches = fn(&OpenGoals<'_>, &RunRecord) -> Vec<Option<Approach>>;
