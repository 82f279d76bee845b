//! The projects of a study.

use std::collections::HashSet;

use super::CaptionedTable;
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::terms::{counted, goals_title};
use crate::tidy::{Error, Results};

/// Descriptive statistics of the projects.
///
/// # Errors
/// [`Error`] if the tables cannot be read.
pub fn dataset(results: &Results) -> Result<CaptionedTable, Error> {
    let mut table = Table::new(&[
        ("measure", "Measure"),
        ("projects", "Projects"),
        ("minimum", "Min."),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("mean", "Mean"),
        ("upper_quartile", "Upper quartile"),
        ("maximum", "Max."),
    ]);
    let subject = &results.subject;
    let mut measures = vec![("goals", goals_title(subject))];
    measures.extend(subject.measures.iter().map(|m| (m.column.as_str(), m.caption.clone())));
    let names: Vec<&str> = measures.iter().map(|measure| measure.0).collect();
    for ((name, title), measured) in measures.into_iter().zip(results.measures(&names)?) {
        let mut projects = vec![None; results.projects.len()];
        for (run, value) in results.runs.iter().zip(&measured) {
            let project: &mut Option<f64> = &mut projects[run.project as usize];
            *project = match (*project, *value) {
                (Some(most), Some(value)) => Some(most.max(value)),
                (known, value) => known.or(value),
            };
        }
        let values: Vec<f64> = projects.into_iter().flatten().collect();
        if values.is_empty() && name != "goals" {
            continue;
        }
        let described = Description::of(&values).ok();
        let of = |value: fn(&Description) -> f64| Cell::number(described.as_ref().map(value), 1);
        let cells = vec![
            Cell::Text(title),
            Cell::Count(values.len()),
            of(|d| d.minimum),
            of(|d| d.lower_quartile),
            of(|d| d.median),
            of(|d| d.mean),
            of(|d| d.upper_quartile),
            of(|d| d.maximum),
        ];
        let runs = (0_u32..).zip(measured).filter(|(_, value)| value.is_some());
        table.push_with_runs(cells, runs.map(|(run, _)| run));
    }
    let run: HashSet<u32> = results.runs.iter().map(|run| run.project).collect();
    let with_goals = results.sizes().into_iter().flatten().count();
    let unknown = match run.len() - with_goals {
        0 => String::new(),
        n => format!(" Of these, {n} have no goals or an unknown number of goals."),
    };
    Ok(CaptionedTable {
        name: "dataset",
        title: "Projects".to_owned(),
        caption: format!(
            "{}, of which {} were run.{unknown} Goals as counted by the runs.",
            counted(results.projects.len() + results.skipped.len(), "project"),
            run.len()
        ),
        table,
    })
}

/// The measures of each project.
///
/// # Errors
/// [`Error`] if the tables cannot be read.
pub fn measures(results: &Results) -> Result<CaptionedTable, Error> {
    let measures = &results.subject.measures;
    let mut columns = vec![("project".to_owned(), "Project".to_owned())];
    columns.extend(measures.iter().map(|m| (m.column.clone(), m.caption.clone())));
    let mut table = Table::new(&columns);
    let names: Vec<&str> = measures.iter().map(|measure| measure.column.as_str()).collect();
    let values = results.measures(&names)?;
    for (number, project) in results.projects.iter().enumerate() {
        let runs = (0_u32..).zip(&results.runs);
        let own = runs.filter(|(_, run)| run.project as usize == number);
        let own: Vec<u32> = own.map(|(run, _)| run).collect();
        let Some(&first) = own.first() else { continue };
        let mut cells = vec![Cell::Text(project.name.clone())];
        cells.extend(values.iter().map(|values| match values[first as usize] {
            Some(value) if value.fract() == 0.0 && (0.0..1e15).contains(&value) => {
                Cell::Count(value as usize)
            }
            value => Cell::number(value, 1),
        }));
        table.push_with_runs(cells, own);
    }
    Ok(CaptionedTable {
        name: "measures",
        title: "Measures of each project".to_owned(),
        caption: "Values from projects.csv or from the metrics of runs; n/a: unknown.".to_owned(),
        table,
    })
}
