//! The table of a race.

use std::collections::BTreeSet;

use super::{CaptionedTable, label};
use crate::table::{Cell, Table};
use crate::tidy::{Dropped, Results};

/// State and mean rank of each configuration of a race.
pub fn race(results: &Results) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("state", "State"),
        ("projects", "Projects"),
        ("mean_rank", "Mean rank"),
        ("best_mean_rank", "Mean rank of the best"),
        ("p", "p (Holm)"),
    ]);
    let raced = !results.dropped.is_empty();
    for algorithm in (0..results.algorithms.len()).filter(|_| raced) {
        let own = || {
            let all = (0_u32..).zip(&results.runs);
            all.filter(move |(_, run)| run.algorithm as usize == algorithm)
        };
        let projects: BTreeSet<u32> = own().map(|(_, run)| run.project).collect();
        let lost = results.lost(algorithm);
        let of = |value: fn(&Dropped) -> f64, decimals| Cell::number(lost.map(value), decimals);
        let cells = vec![
            label(results, algorithm),
            Cell::Text(if lost.is_some() { "dropped" } else { "in the race" }.to_owned()),
            Cell::Count(projects.len()),
            of(|d| d.mean_rank, 2),
            of(|d| d.best_mean_rank, 2),
            of(|d| d.p, 4),
        ];
        table.push_with_runs(cells, own().map(|(number, _)| number));
    }
    CaptionedTable {
        name: "race",
        title: "Race".to_owned(),
        caption: "Configurations that were significantly worse than the best (Friedman test for three or \
                  more, then Conover's comparison (1999) with the best, corrected by Holm) were \
                  dropped. They have no runs on later projects; these runs are missing and do not count as 0 %. Mean \
                  ranks are those at the time of dropping, among the configurations then in the \
                  race. Because a race tests repeatedly, its p-values select configurations but \
                  do not confirm differences."
            .to_owned(),
        table,
    }
}
