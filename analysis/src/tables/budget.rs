//! Comparisons of algorithms by budget, and the work or time until runs reach a coverage.

use super::comparison::{RESULT, result_rows};
use super::{CaptionedTable, label};
use crate::findings::{Convergence, FullCoverage, Milestone};
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::{Clock, Results};

/// Each pair of algorithms after shares of the budget.
pub fn milestones(results: &Results, clock: &Clock, milestones: &[Milestone]) -> CaptionedTable {
    let mut columns = vec![("first", "First"), ("second", "Second"), ("at", "Budget")];
    columns.extend(RESULT);
    let mut table = Table::new(&columns);
    let pairs = milestones.first().map_or(0, |m| m.comparisons.len());
    let of =
        |pair| milestones.iter().map(move |milestone: &Milestone| &milestone.comparisons[pair]);
    let mut rows = result_rows((0..pairs).flat_map(of)).into_iter();
    for pair in 0..pairs {
        for (milestone, result) in milestones.iter().zip(&mut rows) {
            let row = &milestone.comparisons[pair];
            let mut cells = vec![
                label(results, row.first),
                label(results, row.second),
                Cell::Count(milestone.at as usize),
            ];
            cells.extend(result);
            table.push_with_runs(cells, row.runs(&milestone.samples, |_| true));
        }
    }
    CaptionedTable {
        name: "budget",
        title: "Pairs of algorithms by budget".to_owned(),
        caption: format!(
            "The comparison if every search had ended after at most this number of {}.",
            clock.unit()
        ),
        table,
    }
}

/// The work or time that runs need to reach shares of their final coverage.
pub fn convergence(results: &Results, clock: &Clock, rows: &[Convergence]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("share", "Of the final coverage"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("mean", "Mean"),
        ("runs", "Runs"),
    ]);
    for row in rows {
        let of = |value: fn(&Description) -> f64| row.spent.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::Share(row.share, 0),
            Cell::number(of(|d| d.lower_quartile), 1),
            Cell::number(of(|d| d.median), 1),
            Cell::number(of(|d| d.upper_quartile), 1),
            Cell::number(of(|d| d.mean), 1),
            Cell::Count(row.runs.len()),
        ];
        table.push_with_runs(cells, row.runs.iter().copied());
    }
    CaptionedTable {
        name: "convergence",
        title: "Convergence".to_owned(),
        caption: format!(
            "Number of {} that a run needs to reach a share of its final coverage.",
            clock.unit()
        ),
        table,
    }
}

/// The work or time until runs cover as many goals as the best run on their project.
pub fn full_coverage(results: &Results, clock: &Clock, rows: &[FullCoverage]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("reached", "Reached"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("p", "p (log-rank)"),
    ]);
    for row in rows {
        let quantile = |share| Cell::number(row.survival.quantile(share), 0);
        let cells = vec![
            Cell::Text(results.projects[row.project].name.clone()),
            label(results, row.algorithm),
            Cell::Count(row.survival.observations),
            Cell::Count(row.survival.events),
            quantile(0.25),
            quantile(0.5),
            quantile(0.75),
            Cell::number(row.p, 3),
        ];
        table.push_with_runs(cells, row.runs.iter().copied());
    }
    CaptionedTable {
        name: "full-coverage",
        title: "Runs that cover as much as the best run".to_owned(),
        caption: format!(
            "Number of {} until a run covers as many goals as the best run of its project (Kaplan and \
             Meier): runs that never do are censored at their end, or at the end of the longest \
             search if they ended below their budget. p: log-rank test against the \
             first algorithm, corrected by Holm.",
            clock.unit()
        ),
        table,
    }
}
