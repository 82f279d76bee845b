//! What makes projects difficult.

use super::{Sheet, label};
use crate::findings::{Relation, Trivial};
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Projects that the baseline covers with hardly any execution; none without runs.
pub fn trivial(results: &Results) -> Option<Sheet> {
    let trivial = Trivial::new(results, Trivial::baseline(results)?);
    if trivial.projects.is_empty() {
        return None;
    }
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("goals", "Goals"),
        ("executions", "Executions"),
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
        table.push_explained(cells, project.runs.iter().copied());
    }
    let threshold = match trivial.threshold {
        Some(n) => format!("fewer than {n:.2} executions, the fewest of a project that is not"),
        None => "any number of executions, since every project is".to_owned(),
    };
    Some(Sheet {
        name: "trivial",
        title: "Trivially covered projects".to_owned(),
        caption: format!(
            "{} of {} projects are covered entirely by every run of {} with {threshold}.",
            trivial.count(),
            trivial.projects.len(),
            results.algorithms[trivial.algorithm]
        ),
        table,
    })
}

/// Measures of projects that coverage may depend on, goals and further counts that tools have:
/// names for programs and for people.
pub const MEASURES: [(&str, &str); 3] =
    [("goals", "Goals"), ("lines", "Lines of code"), ("mccabe", "Mean McCabe complexity")];

/// Coverage against size and complexity: the relations to each of [`MEASURES`].
pub fn relations(results: &Results, relations: &[Vec<Relation>]) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("measure", "Measure"),
        ("pearson_r", "Pearson's r"),
        ("pearson_p", "p"),
        ("spearman_rho", "Spearman's ρ"),
        ("spearman_p", "p"),
        ("slope", "Slope"),
        ("intercept", "Intercept"),
        ("projects", "Projects"),
    ]);
    for ((measure, _), rows) in MEASURES.iter().zip(relations) {
        for row in rows.iter().filter(|row| !row.projects.is_empty()) {
            let cells = vec![
                label(results, row.algorithm),
                Cell::Text((*measure).to_owned()),
                Cell::number(row.pearson.ok().map(|c| c.r), 3),
                Cell::number(row.pearson.ok().map(|c| c.p.value), 4),
                Cell::number(row.spearman.ok().map(|c| c.r), 3),
                Cell::number(row.spearman.ok().map(|c| c.p.value), 4),
                Cell::number(row.line.ok().map(|l| l.slope), 5),
                Cell::number(row.line.ok().map(|l| l.intercept), 3),
                Cell::Count(row.projects.len()),
            ];
            table.push_explained(cells, row.runs.iter().copied());
        }
    }
    let complexity = relations.last().is_some_and(|rows| rows.iter().any(|r| !r.runs.is_empty()));
    let complexity = if complexity {
        " McCabe complexity: one more than the decisions of a script or function, on average."
    } else {
        ""
    };
    Sheet {
        name: "relations",
        title: "Coverage against size and complexity".to_owned(),
        caption: format!(
            "Mean coverage of each project against a measure of it, with the line that least \
             squares fit.{complexity}"
        ),
        table,
    }
}
