//! The tables of a study: findings as cells with a title, a caption that states how the numbers
//! were computed, and the runs from which each number was computed.

mod aa_test;
mod budget;
mod comparison;
mod coverage;
mod dataset;
mod detection;
mod difficulty;
mod factors;
mod machines;
mod missing;
mod mutation;
mod race;
mod ranks;
mod riskiest;
mod speed;
mod suites;
mod uncovered;

pub use aa_test::aa_test;
pub use budget::{convergence, full_coverage, milestones};
pub use comparison::{comparisons_by_project, ranks, table6};
pub use coverage::{algorithms, configurations, coverage};
pub use dataset::{dataset, measures};
pub use detection::{detection, detection_intervals};
pub use difficulty::{relations, trivial};
pub use factors::{factor_groups, factor_projects, factors, published, reference};
pub use machines::machines;
pub use missing::missing;
pub use mutation::mutation;
pub use race::race;
pub use ranks::{rank_detection, risk_stability, suite_ranks};
pub use riskiest::riskiest;
pub use speed::{cost, speed};
pub use suites::suites;
pub use uncovered::{goal_sets, uncovered};

use crate::stats::{Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// A table with its name, title and caption.
#[derive(Clone, Debug)]
pub struct CaptionedTable {
    /// The name of its files, without extension, which is also used in addresses of numbers.
    pub name: &'static str,
    /// The title, one line.
    pub title: String,
    /// How the numbers were computed, in sentences; may be empty.
    pub caption: String,
    /// The cells.
    pub table: Table,
}

fn label(results: &Results, algorithm: usize) -> Cell {
    Cell::Text(results.algorithms[algorithm].clone())
}

/// The indices of the runs on a project.
fn runs_of_project<'r>(results: &'r Results, digest: &'r str) -> impl Iterator<Item = u32> + 'r {
    let is_own = move |run: &u32| {
        let project = results.runs[*run as usize].project as usize;
        results.projects[project].digest == digest
    };
    (0..results.runs.len() as u32).filter(is_own)
}

/// A whole number; [`Cell::Missing`] if there is none.
fn count(n: Option<u64>) -> Cell {
    n.map_or(Cell::Missing, |n| Cell::Count(n as usize))
}

fn low_high(interval: Result<Interval, Unavailable>, decimals: usize) -> [Cell; 2] {
    [
        Cell::number(interval.ok().map(|i| i.low), decimals),
        Cell::number(interval.ok().map(|i| i.high), decimals),
    ]
}
