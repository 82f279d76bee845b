//! Every table of a study, ready to be shown: the findings put into cells, with a title, a
//! caption that says how the numbers came about, and the runs behind each of them.

mod budget;
mod chance;
mod comparison;
mod coverage;
mod dataset;
mod difficulty;
mod machines;
mod missing;
mod mutation;
mod race;
mod speed;
mod suites;

pub use budget::{convergence, milestones};
pub use chance::calibration;
pub use comparison::{duels, ranks, table6};
pub use coverage::{algorithms, configurations, coverage};
pub use dataset::dataset;
pub use difficulty::{MEASURES, relations, trivial};
pub use machines::machines;
pub use missing::missing;
pub use mutation::mutation;
pub use race::race;
pub use speed::{cost, speed};
pub use suites::suites;

use crate::stats::{Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// A table with its name and what to know about it.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// For files.
    pub name: &'static str,
    /// One line for people.
    pub title: String,
    /// How the numbers came about; may be empty.
    pub caption: String,
    /// The table.
    pub table: Table,
}

fn label(results: &Results, algorithm: usize) -> Cell {
    Cell::Text(results.algorithms[algorithm].clone())
}

fn low_high(interval: Result<Interval, Unavailable>, decimals: usize) -> [Cell; 2] {
    [
        Cell::number(interval.ok().map(|i| i.low), decimals),
        Cell::number(interval.ok().map(|i| i.high), decimals),
    ]
}
