//! Races.

use super::{Sheet, label};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Which configurations have lost a race, and when; empty if there was none.
pub fn race(results: &Results) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("state", "State"),
        ("projects", "Projects"),
        ("mean_rank", "Mean rank"),
        ("best_mean_rank", "of the best"),
        ("p", "p (Holm)"),
    ]);
    let raced = !results.dropped.is_empty();
    for algorithm in (0..results.algorithms.len()).filter(|_| raced) {
        let own = || {
            let all = (0_u32..).zip(&results.runs);
            all.filter(move |(_, run)| run.algorithm as usize == algorithm)
        };
        let seen: std::collections::BTreeSet<u32> = own().map(|(_, run)| run.project).collect();
        let lost = results.lost(algorithm);
        let of = |value: fn(&crate::tidy::Dropped) -> f64, decimals| {
            Cell::number(lost.map(value), decimals)
        };
        let cells = vec![
            label(results, algorithm),
            Cell::Text(if lost.is_some() { "dropped" } else { "in the race" }.to_owned()),
            Cell::Count(seen.len()),
            of(|d| d.mean_rank, 2),
            of(|d| d.best_mean_rank, 2),
            of(|d| d.p, 4),
        ];
        table.push_explained(cells, own().map(|(number, _)| number));
    }
    Sheet {
        name: "race",
        title: "Race".to_owned(),
        caption: "Configurations that were significantly worse than the best (Friedman, then \
                  Conover against the best, adjusted by Holm) were dropped: they have no runs on \
                  the projects that came after, which are missing, not 0 %. Ranks are those when \
                  they were dropped, among the configurations left. A race looks again and again; \
                  it selects, and is no test of what it selects."
            .to_owned(),
        table,
    }
}
