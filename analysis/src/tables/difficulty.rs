//! Trivial projects, and coverage as a function of size and complexity.

use super::{CaptionedTable, label};
use crate::comparison::Samples;
use crate::findings::{DifferenceRelation, Relation, Trivial};
use crate::table::{Cell, Table};
use crate::terms::{capitalised, work};
use crate::tidy::Results;

/// The results of the baseline on each project, and whether the project is trivial.
pub fn trivial(results: &Results) -> Option<CaptionedTable> {
    let trivial = Trivial::new(results, Trivial::baseline(results)?);
    if trivial.projects.is_empty() {
        return None;
    }
    let column = results.subject.units.first().map_or("work", |unit| &unit.name);
    let work = work(&results.subject);
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("goals", "Goals"),
        (column, capitalised(work).as_str()),
        ("coverage", "Coverage"),
        ("trivial", "Trivial"),
    ]);
    for project in &trivial.projects {
        let of = &results.projects[project.project];
        let cells = vec![
            Cell::Text(of.name.clone()),
            Cell::Text(of.digest.clone()),
            project.size.map_or(Cell::Missing, |n| Cell::Count(n as usize)),
            Cell::Number(project.executions, 2),
            Cell::Share(project.coverage, 2),
            Cell::Text(if trivial.is_trivial(project) { "yes" } else { "no" }.to_owned()),
        ];
        table.push_with_runs(cells, project.runs.iter().copied());
    }
    let threshold = match trivial.threshold {
        Some(n) => format!(
            ", on average with fewer than {n:.2} {work}, the lowest mean of any project that is not"
        ),
        None => String::new(),
    };
    Some(CaptionedTable {
        name: "trivial",
        title: "Trivially covered projects".to_owned(),
        caption: format!(
            "A project is trivial if every run of {} covers it entirely{threshold}. {} of {} \
             projects are trivial.",
            results.algorithms[trivial.algorithm],
            trivial.count(),
            trivial.projects.len()
        ),
        table,
    })
}

/// Coverage in relation to numbers that describe projects. `relations` contains the names of these
/// numbers.
pub fn relations(results: &Results, relations: &[(String, Vec<Relation>)]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("measure", "Measure"),
        ("pearson_r", "Pearson's r"),
        ("pearson_p", "p"),
        ("spearman_rho", "Spearman's ρ"),
        ("spearman_p", "p"),
        ("slope", "Slope"),
        ("slope_low", "from"),
        ("slope_high", "to"),
        ("intercept", "Intercept"),
        ("projects", "Projects"),
    ]);
    for (measure, rows) in relations {
        for row in rows.iter().filter(|row| !row.projects.is_empty()) {
            let cells = vec![
                label(results, row.algorithm),
                Cell::Text(measure.clone()),
                Cell::number(row.pearson.ok().map(|c| c.r), 3),
                Cell::number(row.pearson.ok().map(|c| c.p.value), 4),
                Cell::number(row.spearman.ok().map(|c| c.r), 3),
                Cell::number(row.spearman.ok().map(|c| c.p.value), 4),
                Cell::number(row.line.ok().map(|l| l.slope), 5),
                Cell::number(row.slope_interval().map(|i| i.low), 5),
                Cell::number(row.slope_interval().map(|i| i.high), 5),
                Cell::number(row.line.ok().map(|l| l.intercept), 3),
                Cell::Count(row.projects.len()),
            ];
            table.push_with_runs(cells, row.runs.iter().copied());
        }
    }
    let shown =
        |column| relations.iter().any(|r| r.0 == column && r.1.iter().any(|r| !r.runs.is_empty()));
    let complexity = if shown("mccabe") {
        " McCabe complexity: number of decisions plus one, mean over scripts or functions."
    } else {
        ""
    };
    CaptionedTable {
        name: "relations",
        title: "Coverage against size and complexity".to_owned(),
        caption: format!(
            "Mean coverage of each project against a number that describes it: Pearson's and Spearman's \
             correlations with two-sided p-values (t distribution); slope, with its 95 % interval \
             (Student's t), and intercept of the least-squares line.{complexity}"
        ),
        table,
    }
}

/// Differences between pairs of algorithms in relation to numbers that describe projects.
/// `relations` contains the names of these numbers.
pub fn difference_relations(
    results: &Results,
    samples: &Samples,
    relations: &[(String, Vec<DifferenceRelation>)],
) -> CaptionedTable {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("measure", "Measure"),
        ("change", "Change per doubling"),
        ("low", "from"),
        ("high", "to"),
        ("explained", "Explained"),
        ("projects", "Projects"),
    ]);
    for (measure, rows) in relations {
        for row in rows {
            let cells = vec![
                label(results, row.first),
                label(results, row.second),
                Cell::Text(measure.clone()),
                Cell::Number(100.0 * row.slope, 2),
                Cell::Number(100.0 * row.interval.low, 2),
                Cell::Number(100.0 * row.interval.high, 2),
                Cell::Share(row.explained, 1),
                Cell::Count(row.projects.len()),
            ];
            let runs = row.projects.iter().flat_map(|&project| {
                [row.first, row.second].into_iter().flat_map(move |a| samples.runs(project, a))
            });
            table.push_with_runs(cells, runs.copied());
        }
    }
    CaptionedTable {
        name: "difference-relations",
        title: "Differences against size and complexity".to_owned(),
        caption: "By how many percentage points the difference in mean coverage, first minus second, changes \
                  if a number that describes projects doubles: slope of the least-squares line on the \
                  logarithm to base 2 of the number plus one, with its 95 % interval (Student's t over \
                  projects), and the share of the variance of the differences that it explains (R²). The \
                  intervals are not corrected for the number of rows."
            .to_owned(),
        table,
    }
}
