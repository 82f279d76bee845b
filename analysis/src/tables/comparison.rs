//! Comparisons of pairs of algorithms.

use super::{CaptionedTable, label, low_high};
use crate::comparison::{Comparison, Correction, LEVEL, MIN_SAMPLE, Samples};
use crate::stats::{Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::tidy::Results;

pub(super) const COUNTS: [(&str, &str); 5] = [
    ("significantly_better", "Sig. better"),
    ("better", "Better"),
    ("equal", "Equal"),
    ("worse", "Worse"),
    ("significantly_worse", "Sig. worse"),
];

pub(super) const RESULT: [(&str, &str); 8] = {
    let [a, b, c, d, e] = COUNTS;
    [("mean_a12", "A12"), ("a12_low", "from"), ("a12_high", "to"), a, b, c, d, e]
};

pub(super) fn count_cells(comparison: &Comparison) -> [Cell; 5] {
    let counts = comparison.counts(Correction::None);
    [
        Cell::Count(counts.significantly_better),
        Cell::Count(counts.better),
        Cell::Count(counts.equal),
        Cell::Count(counts.worse),
        Cell::Count(counts.significantly_worse),
    ]
}

pub(super) fn result_rows<'c>(
    comparisons: impl Iterator<Item = &'c Comparison> + Clone,
) -> Vec<[Cell; 8]> {
    let intervals = Comparison::mean_intervals(comparisons.clone());
    comparisons.zip(intervals).map(|(row, interval)| result(row, interval)).collect()
}

fn result(comparison: &Comparison, interval: Result<Interval, Unavailable>) -> [Cell; 8] {
    let [low, high] = low_high(interval, 2);
    let [a, b, c, d, e] = count_cells(comparison);
    [Cell::number(comparison.mean_a12(), 2), low, high, a, b, c, d, e]
}

/// Each pair of algorithms, as in Table 6 of the Whisker paper.
pub fn table6(results: &Results, samples: &Samples, comparisons: &[Comparison]) -> CaptionedTable {
    let mut columns = vec![("first", "First"), ("second", "Second")];
    columns.extend(RESULT);
    columns.extend([
        ("holm_better", "Holm better"),
        ("holm_worse", "Holm worse"),
        ("bh_better", "BH better"),
        ("bh_worse", "BH worse"),
        ("missing", "Missing"),
        ("too_few_runs", "Too few runs"),
    ]);
    let mut table = Table::new(&columns);
    for (row, result) in comparisons.iter().zip(result_rows(comparisons.iter())) {
        let holm = row.counts(Correction::Holm);
        let shares = row.counts(Correction::BenjaminiHochberg);
        let mut cells = vec![label(results, row.first), label(results, row.second)];
        cells.extend(result);
        cells.extend([
            Cell::Count(holm.significantly_better),
            Cell::Count(holm.significantly_worse),
            Cell::Count(shares.significantly_better),
            Cell::Count(shares.significantly_worse),
            Cell::Count(row.missing),
            Cell::Count(row.too_few_runs()),
        ]);
        table.push_with_runs(cells, row.runs(samples, |_| true));
        let corrections = [
            ("significantly_better", "significantly_worse", Some(Correction::None)),
            ("holm_better", "holm_worse", Some(Correction::Holm)),
            ("bh_better", "bh_worse", Some(Correction::BenjaminiHochberg)),
            ("better", "worse", None),
        ];
        for (better, worse, correction) in corrections {
            for (column, ordering) in
                [(better, std::cmp::Ordering::Greater), (worse, std::cmp::Ordering::Less)]
            {
                let runs = row.runs(samples, move |project| {
                    project.ordering() == ordering
                        && correction.is_none_or(|correction| project.significant(correction))
                });
                table.set_source_runs(column, runs);
            }
        }
        table.set_source_runs("equal", row.runs(samples, |project| project.ordering().is_eq()));
        table.set_source_runs(
            "too_few_runs",
            row.runs(samples, |project| !project.could_be_significant()),
        );
        table.set_source_runs("missing", []);
    }
    CaptionedTable {
        name: "table6",
        title: "Pairs of algorithms".to_owned(),
        caption: format!(
            "Coverage of the first algorithm against the second: mean A12 over projects with its \
             95 % bootstrap interval (percentiles; Efron, 1979; n/a for fewer than {MIN_SAMPLE} projects), and the number of \
             projects on which the first is better, equal or worse by A12. Sig.: significant differences (Mann-Whitney U test, \
             p < {LEVEL}), which are among those better or worse. Holm, BH: significant after \
             the correction of Holm (1979) or of Benjamini and Hochberg (1995) over the projects of the row."
        ),
        table,
    }
}

/// Each pair of algorithms on each project.
pub fn comparisons_by_project(
    results: &Results,
    samples: &Samples,
    comparisons: &[Comparison],
) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("first", "First"),
        ("second", "Second"),
        ("runs_first", "Runs of first"),
        ("runs_second", "Runs of second"),
        ("a12", "A12"),
        ("a12_low", "from"),
        ("a12_high", "to"),
        ("magnitude", "Magnitude"),
        ("u1", "U"),
        ("p", "p"),
        ("method", "Method"),
        ("p_holm", "p (Holm)"),
        ("p_bh", "p (BH)"),
    ]);
    for row in comparisons {
        for found in &row.per_project {
            let project = &results.projects[found.project];
            let [low, high] = low_high(found.interval, 2);
            let cells = vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                label(results, row.first),
                label(results, row.second),
                Cell::Count(found.runs.0),
                Cell::Count(found.runs.1),
                Cell::Number(found.a12, 2),
                low,
                high,
                Cell::Text(found.magnitude.to_string()),
                Cell::Number(found.u1, 1),
                Cell::Number(found.p.value, 4),
                Cell::Text(found.p.method.to_string()),
                Cell::Number(found.p_holm, 4),
                Cell::Number(found.p_benjamini_hochberg, 4),
            ];
            let of = |algorithm| samples.runs(found.project, algorithm).iter().copied();
            table.push_with_runs(cells, of(row.first).chain(of(row.second)));
        }
    }
    CaptionedTable {
        name: "comparisons",
        title: "Pairs of algorithms by project".to_owned(),
        caption: format!(
            "A12 of coverage with its 95 % confidence interval (DeLong et al., 1988, on the logit scale; n/a for fewer than \
             {MIN_SAMPLE} runs); magnitude by the thresholds of Vargha and Delaney (2000; .56, .64, .71); \
             two-sided p of the Mann-Whitney U test (1947), which is exact for few runs, and the same \
             corrected over the projects of a pair."
        ),
        table,
    }
}
