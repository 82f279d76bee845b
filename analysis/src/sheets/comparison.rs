//! Algorithms against each other.

use super::{Sheet, label, low_high};
use crate::comparison::{Comparison, Correction, LEVEL, Samples};
use crate::findings::Ranking;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Columns that sum up a comparison over projects: the first ones of Table 6.
pub(super) const RESULT: [(&str, &str); 8] = [
    ("mean_a12", "A12"),
    ("a12_low", "from"),
    ("a12_high", "to"),
    ("significantly_better", "Sig. better"),
    ("better", "Better"),
    ("equal", "Equal"),
    ("worse", "Worse"),
    ("significantly_worse", "Sig. worse"),
];

/// The cells of [`RESULT`].
pub(super) fn result(comparison: &Comparison) -> [Cell; 8] {
    let counts = comparison.counts(Correction::None);
    let [low, high] = low_high(comparison.mean_interval(), 2);
    [
        Cell::number(comparison.mean_a12(), 2),
        low,
        high,
        Cell::Count(counts.significantly_better),
        Cell::Count(counts.better),
        Cell::Count(counts.equal),
        Cell::Count(counts.worse),
        Cell::Count(counts.significantly_worse),
    ]
}

/// Each pair of algorithms, as Table 6 of the Whisker paper.
pub fn table6(results: &Results, samples: &Samples, comparisons: &[Comparison]) -> Sheet {
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
    for row in comparisons {
        let holm = row.counts(Correction::Holm);
        let shares = row.counts(Correction::BenjaminiHochberg);
        let mut cells = vec![label(results, row.first), label(results, row.second)];
        cells.extend(result(row));
        cells.extend([
            Cell::Count(holm.significantly_better),
            Cell::Count(holm.significantly_worse),
            Cell::Count(shares.significantly_better),
            Cell::Count(shares.significantly_worse),
            Cell::Count(row.missing),
            Cell::Count(row.too_few_runs()),
        ]);
        table.push_explained(cells, row.runs(samples, |_| true));
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
                let runs = row.runs(samples, move |duel| {
                    duel.ordering() == ordering
                        && correction.is_none_or(|correction| duel.significant(correction))
                });
                table.explain(column, runs);
            }
        }
        table.explain("equal", row.runs(samples, |duel| duel.ordering().is_eq()));
        table.explain("too_few_runs", row.runs(samples, |duel| !duel.could_be_significant()));
        table.explain("missing", []);
    }
    Sheet {
        name: "table6",
        title: "Pairs of algorithms".to_owned(),
        caption: format!(
            "Coverage of the first against the second: mean A12 over projects with its 95 % \
             bootstrap interval, and numbers of projects by result (Mann-Whitney U, \
             p < {LEVEL}). Holm and BH: the same after the corrections of Holm and of Benjamini \
             and Hochberg within the projects of the row."
        ),
        table,
    }
}

/// Each pair of algorithms, project by project.
pub fn duels(results: &Results, samples: &Samples, comparisons: &[Comparison]) -> Sheet {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("first", "First"),
        ("second", "Second"),
        ("runs_first", "Runs"),
        ("runs_second", "Runs"),
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
        for duel in &row.duels {
            let project = &results.projects[duel.project];
            let [low, high] = low_high(duel.interval, 2);
            let cells = vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                label(results, row.first),
                label(results, row.second),
                Cell::Count(duel.runs.0),
                Cell::Count(duel.runs.1),
                Cell::Number(duel.a12, 2),
                low,
                high,
                Cell::Text(duel.magnitude.to_string()),
                Cell::Number(duel.u1, 1),
                Cell::Number(duel.p.value, 4),
                Cell::Text(duel.p.method.to_string()),
                Cell::Number(duel.p_holm, 4),
                Cell::Number(duel.p_benjamini_hochberg, 4),
            ];
            let of = |algorithm| samples.runs(duel.project, algorithm).iter().copied();
            table.push_explained(cells, of(row.first).chain(of(row.second)));
        }
    }
    Sheet {
        name: "comparisons",
        title: "Pairs of algorithms, project by project".to_owned(),
        caption: "A12 with its 95 % logit DeLong interval; magnitude by Vargha and Delaney \
                  (.56, .64, .71); p two-sided by Mann and Whitney, corrected within the \
                  projects of a pair."
            .to_owned(),
        table,
    }
}

/// Mean ranks of the algorithms; none if they cannot be ranked.
pub fn ranks(results: &Results, samples: &Samples) -> Option<Sheet> {
    let ranking = Ranking::new(samples).ok()?;
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_rank", "Mean rank"),
        ("best", "Against the best"),
        ("p", "p (Nemenyi)"),
    ]);
    let ranks = &ranking.nemenyi.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    for &place in &order {
        let algorithm = ranking.algorithms[place];
        let runs = ranking.projects.iter().flat_map(|&project| samples.runs(project, algorithm));
        let cells = vec![
            label(results, algorithm),
            Cell::Number(ranks[place], 3),
            Cell::Number(ranks[place] - ranks[order[0]], 3),
            Cell::Number(ranking.nemenyi.p(order[0], place).value, 4),
        ];
        table.push_explained(cells, runs.copied());
        table.explain("p", ranking.runs.iter().copied());
    }
    let friedman = match ranking.friedman {
        Ok(test) => format!("Friedman χ² = {:.2}, {}", test.statistic, test.p.words()),
        Err(reason) => format!("no Friedman test: {reason}"),
    };
    Some(Sheet {
        name: "ranks",
        title: "Mean ranks".to_owned(),
        caption: format!(
            "Ranks by mean coverage on {} projects that all have runs on, 1 for the best. \
             {friedman}; mean ranks {:.3} apart differ significantly (Nemenyi, p < {LEVEL}).",
            ranking.projects.len(),
            ranking.critical_difference
        ),
        table,
    })
}
