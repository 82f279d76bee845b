//! What a study is about.

use super::Sheet;
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::{Error, Results};

/// Measures of projects, those that their runs and descriptions may have: names for programs and
/// for people.
const MEASURES: [(&str, &str); 8] = [
    ("goals", "Goals (reachable statements)"),
    ("statements", "Statements"),
    ("blocks", "Blocks"),
    ("scripts", "Scripts"),
    ("sprites", "Sprites"),
    ("custom_blocks", "Custom blocks"),
    ("lines", "Lines of code"),
    ("mccabe", "Mean McCabe complexity"),
];

/// The projects in a few numbers.
///
/// # Errors
/// [`Error`] if the tables cannot be read.
pub fn dataset(results: &Results) -> Result<Sheet, Error> {
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
    let measured = results.measures(MEASURES.map(|(name, _)| name))?;
    for ((name, title), measured) in MEASURES.into_iter().zip(measured) {
        let mut projects = vec![None; results.projects.len()];
        for (run, value) in results.runs.iter().zip(&measured) {
            // Of a project, so its runs agree unless they are of different tools.
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
            Cell::Text(title.to_owned()),
            Cell::Count(values.len()),
            of(|d| d.minimum),
            of(|d| d.lower_quartile),
            of(|d| d.median),
            of(|d| d.mean),
            of(|d| d.upper_quartile),
            of(|d| d.maximum),
        ];
        let runs = (0_u32..).zip(measured).filter(|(_, value)| value.is_some());
        table.push_explained(cells, runs.map(|(run, _)| run));
    }
    let counted = results.sizes().into_iter().flatten().count();
    let rest = match results.projects.len() - counted {
        0 => String::new(),
        n => format!(" The goals of {n} of these are not known, or there are none."),
    };
    Ok(Sheet {
        name: "dataset",
        title: "Projects".to_owned(),
        caption: format!(
            "{} projects, {} of which were run; goals as their runs count them.{rest}",
            results.projects.len() + results.skipped.len(),
            results.projects.len()
        ),
        table,
    })
}
