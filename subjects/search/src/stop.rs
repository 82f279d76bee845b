//! Reasons for the end of a search.

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// Every goal at which the search aims is covered.
    Covered,
    /// The observer stopped the search.
    Cancelled,
    /// The budget's executions are spent.
    Executions,
    /// The budget's steps are spent.
    Steps,
    /// The budget's fitness evaluations are spent.
    Evaluations,
    /// The budget's events are spent.
    Events,
    /// The budget's iterations are done.
    Iterations,
    /// The budget's real time has passed.
    Wall,
}
