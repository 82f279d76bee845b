//! How close runs came to uncovered goals.

use catherd_experiments::RunRecord;

/// How close a run came to a goal that it does not cover.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approach {
    /// Number of missing steps, at least 1. The kind defines the steps, such as events of a
    /// sequence.
    pub distance: u32,
    /// The last step of a test on the path to the goal, and what the test did instead of the next
    /// step.
    pub turned_off: String,
}

/// Goals that a run does not cover, and whose distances are requested.
#[derive(Clone, Copy, Debug)]
pub struct OpenGoals<'a> {
    /// The name of the goals' criterion.
    pub criterion: &'a str,
    /// The names of all goals of the criterion, by their numbers in records.
    pub names: &'a [String],
    /// The numbers of the requested goals.
    pub open: &'a [u32],
}

/// A function that reads from the record of a run how close the run came to the requested goals.
/// The result has one value for each goal: `None` if no test took the first step, or if the record
/// does not contain the distance.
pub type Approaches = fn(&OpenGoals<'_>, &RunRecord) -> Vec<Option<Approach>>;
