//! Tables on the agreement of coverage and mutation score on the order of algorithms.

use super::{CaptionedTable, label};
use crate::comparison::Samples;
use crate::findings::{Agreement, OrderAgreement};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// The agreement of coverage and mutation score on each pair of algorithms.
pub fn agreement(results: &Results, samples: &Samples, pairs: &[Agreement]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("projects", "Projects"),
        ("coverage", "Coverage"),
        ("score", "Mutation score"),
        ("agreeing", "Agreeing projects"),
        ("agreement_probability", "P(agree)"),
    ]);
    for pair in pairs {
        let cells = vec![
            label(results, pair.first),
            label(results, pair.second),
            Cell::Count(pair.projects.len()),
            Cell::Number(100.0 * pair.coverage, 2),
            Cell::Number(100.0 * pair.score, 2),
            Cell::Count(pair.agreeing),
            Cell::share(pair.probability.ok(), 1),
        ];
        let runs = pair.projects.iter().flat_map(|&project| {
            [pair.first, pair.second].into_iter().flat_map(move |a| samples.runs(project, a))
        });
        table.push_with_runs(cells, runs.copied());
    }
    CaptionedTable {
        name: "agreement",
        title: "Agreement of coverage and faults".to_owned(),
        caption: "Mean over projects of the difference of coverage and of mutation score, first minus \
                  second, in percentage points; projects on which both prefer the same algorithm, or \
                  neither; and the posterior probability that both means prefer the same algorithm on \
                  projects like these (cf. Böhme, Szekeres and Metzman, 2022)."
            .to_owned(),
        table,
    }
}

/// The agreement of the orders of all algorithms by coverage and by mutation score.
pub fn order_agreement(samples: &Samples, found: &OrderAgreement) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithms", "Algorithms"),
        ("projects", "Projects"),
        ("tau", "Kendall's τ"),
        ("low", "from"),
        ("high", "to"),
        ("same_best_probability", "P(same best)"),
        ("same_order_probability", "P(same order)"),
    ]);
    let known = |value: f64| Cell::number(Some(value).filter(|value| value.is_finite()), 2);
    let cells = vec![
        Cell::Count(found.algorithms.len()),
        Cell::Count(found.projects.len()),
        known(found.tau),
        known(found.interval.low),
        known(found.interval.high),
        Cell::Share(found.same_best, 1),
        Cell::Share(found.same_order, 1),
    ];
    let runs = found.projects.iter().flat_map(|&project| {
        found.algorithms.iter().flat_map(move |&algorithm| samples.runs(project, algorithm))
    });
    table.push_with_runs(cells, runs.copied());
    CaptionedTable {
        name: "order-agreement",
        title: "Agreement of the orders by coverage and by faults".to_owned(),
        caption: "Kendall's rank correlation τ-b of the mean coverages and the mean mutation scores of the \
                  algorithms (1: the same order, -1: the opposite) with its 95 % interval on projects like \
                  these, and the posterior probabilities (Box and Tiao, 1973) that both have the same best \
                  algorithm and the same order (cf. Böhme, Szekeres and Metzman, 2022)."
            .to_owned(),
        table,
    }
}
