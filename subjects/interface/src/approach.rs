//! How close runs came to uncovered goals.

use catherd_experiments::RunRecord;

/// How close a run came to an uncovered goal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Approach {
    /// Number of missing steps, at least 1. The kind defines what a step is.
    pub distance: u32,
    /// Where a test left the path to the goal, and what the test did instead.
    pub turned_off: String,
}

/// Uncovered goals whose distances are requested.
#[derive(Clone, Copy, Debug)]
pub struct OpenGoals<'a> {
    /// The name of the goals' criterion.
    pub criterion: &'a str,
    /// The names of all goals of the criterion, by their numbers in records.
    pub names: &'a [String],
    /// The numbers of the requested goals.
    pub open: &'a [u32],
}

/// A function that reads from a record how close the run came to goals. The result has one value
/// for each requested goal, which is `None` if there is no distance.
pub type Approaches = fn(&OpenGoals<'_>, &RunRecord) -> Vec<Option<Approach>>;
