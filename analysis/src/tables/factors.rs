//! Factors, a reference configuration, and published numbers.

use super::comparison::{COUNTS, count_cells};
use super::{CaptionedTable, label};
use crate::comparison::{Comparison, Correction, Samples};
use crate::findings::FactorPair;
use crate::published::Reproduced;
use crate::stats::{Description, MannWhitney, mean};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Configurations that differ only in a factor (Pynguin paper, Table 2).
pub fn factors(results: &Results, samples: &Samples, pairs: &[FactorPair]) -> CaptionedTable {
    let mut columns = vec![
        ("algorithm", "Algorithm"),
        ("first", "First"),
        ("second", "Second"),
        ("mean_first", "Mean of first"),
        ("mean_second", "Mean of second"),
        ("gain", "Gain"),
        ("a12", "A12 over all runs"),
        ("p", "p"),
    ];
    columns.extend(COUNTS);
    columns.push(("mean_a12", "Mean A12 of projects"));
    let mut table = Table::new(&columns);
    for pair in pairs {
        let of = |algorithm| Cell::share(mean(samples.pooled(algorithm).0), 2);
        let mut row = vec![
            Cell::Text(pair.algorithm.clone()),
            label(results, pair.first),
            label(results, pair.second),
            of(pair.first),
            of(pair.second),
            Cell::share(pair.gain, 2),
            Cell::number(pair.pooled.map(|(a12, _)| a12), 4),
            Cell::number(pair.pooled.map(|(_, p)| p.value), 4),
        ];
        row.extend(count_cells(&pair.comparison));
        row.push(Cell::number(pair.comparison.mean_a12(), 3));
        table.push_with_runs(row, pair.comparison.runs(samples, |_| true));
    }
    CaptionedTable {
        name: "factors",
        title: "Configurations that differ in one factor".to_owned(),
        caption: "Mean coverage over all runs of the first and of the second configuration, and \
                  projects by A12 of the first against the second (Mann-Whitney U test, p < 0.05, not \
                  corrected)."
            .to_owned(),
        table,
    }
}

/// The effect of a factor on each project (Pynguin paper, Table 3).
pub fn factor_projects(
    results: &Results,
    samples: &Samples,
    pairs: &[FactorPair],
) -> CaptionedTable {
    let mut table = Table::new(&[
        ("group", "Group"),
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("a12", "A12"),
        ("p", "p"),
        ("significant", "Significant"),
    ]);
    for pair in pairs {
        for project in &pair.comparison.per_project {
            let significant = project.significant(Correction::None);
            let row = vec![
                Cell::Text(results.group(project.project).unwrap_or_default().to_owned()),
                Cell::Text(results.projects[project.project].name.clone()),
                Cell::Text(pair.algorithm.clone()),
                Cell::Number(project.a12, 3),
                Cell::Number(project.p.value, 4),
                Cell::Text(if significant { "yes" } else { "no" }.to_owned()),
            ];
            let of = |algorithm| samples.runs(project.project, algorithm).iter().copied();
            table.push_with_runs(row, of(pair.first).chain(of(pair.second)));
        }
    }
    CaptionedTable {
        name: "factor-projects",
        title: "Effect of a factor on each project".to_owned(),
        caption: "A12 of the first configuration of a pair against the second.".to_owned(),
        table,
    }
}

/// The effect of a factor by group of projects (Pynguin paper, figure 6).
pub fn factor_groups(results: &Results, samples: &Samples, pairs: &[FactorPair]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("group", "Group"),
        ("algorithm", "Algorithm"),
        ("projects", "Projects"),
        ("median", "Median A12"),
        ("lower_quartile", "Lower quartile"),
        ("upper_quartile", "Upper quartile"),
    ]);
    for pair in pairs {
        for group in pair.groups(results, samples) {
            let described = Description::of(&group.effects).ok();
            let of =
                |value: fn(&Description) -> f64| Cell::number(described.as_ref().map(value), 3);
            let row = vec![
                Cell::Text(group.group),
                Cell::Text(pair.algorithm.clone()),
                Cell::Count(group.effects.len()),
                of(|d| d.median),
                of(|d| d.lower_quartile),
                of(|d| d.upper_quartile),
            ];
            table.push_with_runs(row, group.runs);
        }
    }
    CaptionedTable {
        name: "factor-groups",
        title: "Effect of a factor by group of projects".to_owned(),
        caption:
            "A12 of the first configuration of a pair against the second on the projects of each \
                  group."
                .to_owned(),
        table,
    }
}

/// The comparison of every other configuration with the reference (Pynguin paper, RQ1).
pub fn reference(results: &Results, samples: &Samples, reference: usize) -> CaptionedTable {
    let mut columns =
        vec![("algorithm", "Algorithm"), ("a12", "A12 of the reference over all runs"), ("p", "p")];
    columns.extend(COUNTS);
    let mut table = Table::new(&columns);
    for other in (0..results.algorithms.len()).filter(|other| *other != reference) {
        let comparison = Comparison::new(samples, other, reference);
        let pools = [reference, other].map(|algorithm| samples.pooled(algorithm).0);
        let test = MannWhitney::new(&pools[0], &pools[1]).ok();
        let mut row = vec![
            label(results, other),
            Cell::number(test.as_ref().map(MannWhitney::a12), 4),
            Cell::number(test.as_ref().map(|test| test.p().value), 4),
        ];
        row.extend(count_cells(&comparison));
        table.push_with_runs(row, comparison.runs(samples, |_| true));
    }
    let name = &results.algorithms[reference];
    CaptionedTable {
        name: "reference",
        title: format!("Configurations against {name}"),
        caption: format!(
            "A12 of {name} over the runs of all projects, and projects on which the other configuration \
             is significantly better (Mann-Whitney U test, p < 0.05, not corrected), better, equal, \
             worse or significantly worse than {name}."
        ),
        table,
    }
}

/// Published numbers next to the corresponding numbers of the results. `without` is the number of
/// published numbers without a counterpart.
pub fn published(rows: Vec<Reproduced>, without: usize) -> CaptionedTable {
    let mut table = Table::new(&[
        ("place", "Place"),
        ("quantity", "Quantity"),
        ("configuration", "Configuration"),
        ("subject", "Subject"),
        ("published", "Published"),
        ("ours", "Here"),
        ("difference", "Difference"),
        ("unit", "Unit"),
        ("kind", "Kind"),
    ]);
    for Reproduced { published, ours, runs } in rows {
        let number = published.value.parse::<f64>().ok().filter(|number| number.is_finite());
        let decimals = match published.unit.as_str() {
            "%" | "points" => 2,
            "count" => 0,
            _ => 4,
        };
        let row = vec![
            Cell::Text(published.place),
            Cell::Text(published.quantity),
            Cell::Text(published.configuration),
            Cell::Text(published.subject),
            number.map_or(Cell::Text(published.value), |number| Cell::Number(number, decimals)),
            Cell::Number(ours, decimals),
            Cell::number(number.map(|number| ours - number), decimals),
            Cell::Text(published.unit),
            Cell::Text(published.kind),
        ];
        table.push_with_runs(row, runs);
    }
    let without = match without {
        0 => String::new(),
        n => format!(" Published numbers without a counterpart in these results: {n}."),
    };
    CaptionedTable {
        name: "published",
        title: "Published numbers and numbers of these results".to_owned(),
        caption: format!("Numbers of these results next to published ones.{without}"),
        table,
    }
}
