//! Whether coverage and faults agree.

use super::{CaptionedTable, label};
use crate::comparison::Samples;
use crate::findings::Agreement;
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
        title: "Do coverage and faults agree?".to_owned(),
        caption: "Mean over projects of the difference of coverage and of mutation score, first minus \
                  second, in percentage points; projects on which both prefer the same algorithm, or \
                  neither; and the posterior probability that both means prefer the same algorithm on \
                  projects like these (cf. Böhme, Szekeres and Metzman, 2022)."
            .to_owned(),
        table,
    }
}
