//! Reasons for the end of a search.

/// Why a search ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stop {
    /// Every goal at which the search aims is covered.
    Covered,
    /// The observer stopped the search.
    Cancelled,
    /// The executions of the budget are spent.
    Executions,
    /// The steps of the budget are spent.
    Steps,
    /// The fitness evaluations of the budget are spent.
    Evaluations,
    /// The events of the budget are spent.
    Events,
    /// The iterations of the budget are spent.
    Iterations,
    /// The real time of the budget is spent.
    Wall,
}
