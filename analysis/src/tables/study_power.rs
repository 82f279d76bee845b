//! The table of the sizes that studies need.

use super::{CaptionedTable, label};
use crate::comparison::{MIN_SAMPLE, Samples};
use crate::findings::{MARGIN, PairVariation};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// For each pair of algorithms, the difference that can be found with these projects and runs, and
/// the number of projects that are needed to find a difference of one percentage point.
pub fn study_power(
    results: &Results,
    samples: &Samples,
    pairs: &[PairVariation],
) -> CaptionedTable {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("projects", "Projects"),
        ("runs", "Runs"),
        ("deviation_projects", "SD of projects"),
        ("deviation_runs", "SD of runs"),
        ("detectable", "Detectable"),
        ("projects_needed", "Projects for 1 point"),
        ("projects_needed_many_runs", "With infinitely many runs"),
    ]);
    let points = |share: f64| Cell::Number(100.0 * share, 2);
    for pair in pairs {
        let count = |n: Option<usize>| n.map_or(Cell::Missing, Cell::Count);
        let cells = vec![
            label(results, pair.first),
            label(results, pair.second),
            Cell::Count(pair.projects),
            Cell::Number(pair.runs, 1),
            points(pair.between.sqrt()),
            points((pair.within / 2.0).sqrt()),
            pair.detectable(pair.projects, pair.runs).map_or(Cell::Missing, points),
            count(pair.projects_for(MARGIN, pair.runs)),
            count(pair.projects_for(MARGIN, 1e9)),
        ];
        let runs = (0..samples.projects()).flat_map(|project| {
            [pair.first, pair.second].into_iter().flat_map(move |a| samples.runs(project, a))
        });
        table.push_with_runs(cells, runs.copied());
    }
    CaptionedTable {
        name: "power",
        title: "Size of the study".to_owned(),
        caption: format!(
            "Standard deviation over projects of the true difference of two algorithms, and of the runs of \
             an algorithm on a project, in percentage points. Detectable: the mean difference that the \
             Wilcoxon signed-rank test over the projects finds with probability 80 % (p < 0.05; n/a for \
             fewer than {MIN_SAMPLE} projects). Then the number of projects with which a difference of one \
             percentage point would be found, with as many runs and with infinitely many (Campelo and \
             Takahashi, 2019)."
        ),
        table,
    }
}
