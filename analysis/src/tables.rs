//! The tables of a study: findings as cells, each table with a title and a caption.

mod aa_test;
mod agreement;
mod budget;
mod comparison;
mod coverage;
mod dataset;
mod decision;
mod detection;
mod difficulty;
mod exposure;
mod factors;
mod groups;
mod history;
mod left;
mod machines;
mod measures;
mod missing;
mod mutation;
mod race;
mod ranks;
mod real_time;
mod riskiest;
mod speed;
mod study_power;
mod suites;
mod uncovered;

pub use aa_test::aa_test;
pub use agreement::{agreement, order_agreement};
pub use budget::{convergence, full_coverage, milestones};
pub use comparison::{comparisons_by_project, table6};
pub use coverage::{algorithms, configurations, coverage};
pub use dataset::{dataset, measures};
pub use decision::{areas, decisions, ranks};
pub use detection::{detection, detection_intervals};
pub use difficulty::{difference_relations, relations, trivial};
pub use exposure::{exposure, unique_goals};
pub use factors::{factor_groups, factor_projects, factors, published, reference};
pub use groups::{group_shares, groups};
pub use history::history;
pub use left::{left, left_by_project};
pub use machines::machines;
pub use measures::{
    MAX_PROJECTS_BY_METRIC, Measured, criteria, metrics, metrics_by_project, scores,
    scores_by_project,
};
pub use missing::missing;
pub use mutation::mutation;
pub use race::race;
pub use ranks::{rank_detection, risk_stability, suite_ranks};
pub use real_time::{places, real_time};
pub use riskiest::riskiest;
pub use speed::{cost, speed};
pub use study_power::study_power;
pub use suites::suites;
pub use uncovered::{goal_sets, uncovered};

use crate::stats::{Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// A table with its name, title and caption.
#[derive(Clone, Debug)]
pub struct CaptionedTable {
    /// The name of the files of the table, without extension. The name is also part of addresses of
    /// numbers.
    pub name: &'static str,
    /// The title, in one line.
    pub title: String,
    /// Sentences on how the numbers were computed; may be empty.
    pub caption: String,
    /// The cells.
    pub table: Table,
}

fn is_of_tests(name: &str) -> bool {
    const TESTS: [&str; 10] = [
        "p",
        "p_holm",
        "p_bh",
        "pearson_p",
        "spearman_p",
        "significant",
        "significantly_better",
        "significantly_worse",
        "too_few_runs",
        "false_positive_rate",
    ];
    TESTS.contains(&name) || name.starts_with("holm_") || name.starts_with("bh_")
}

impl CaptionedTable {
    /// Whether a column contains p-values, or numbers or verdicts that follow from p-values.
    pub fn has_tests(&self) -> bool {
        let mut names = self.table.columns().iter().map(|column| &*column.0);
        names.any(|name| is_of_tests(name) || name == "verdict")
    }

    /// Clears p-values and numbers that follow from p-values, because they are not valid if a study
    /// is analysed repeatedly.
    #[must_use]
    pub fn without_tests(mut self) -> CaptionedTable {
        if self.table.clear_columns(is_of_tests) {
            self.caption += " Tests are n/a, because their p-values are not valid for a study that is \
                             looked at repeatedly; the table decisions has verdicts that are valid.";
        }
        self
    }
}

fn label(results: &Results, algorithm: usize) -> Cell {
    Cell::Text(results.algorithms[algorithm].clone())
}

fn runs_of_project<'r>(results: &'r Results, digest: &'r str) -> impl Iterator<Item = u32> + 'r {
    let is_own = move |run: &u32| {
        let project = results.runs[*run as usize].project as usize;
        results.projects[project].digest == digest
    };
    (0..results.runs.len() as u32).filter(is_own)
}

fn count(n: Option<u64>) -> Cell {
    n.map_or(Cell::Missing, |n| Cell::Count(n as usize))
}

fn low_high(interval: Result<Interval, Unavailable>, decimals: usize) -> [Cell; 2] {
    [
        Cell::number(interval.ok().map(|i| i.low), decimals),
        Cell::number(interval.ok().map(|i| i.high), decimals),
    ]
}
