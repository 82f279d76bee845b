//! What a study is about.

use super::Sheet;
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// The projects in a few numbers, as their runs count them.
pub fn dataset(results: &Results) -> Sheet {
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
    let sizes = results.sizes();
    let sizes: Vec<f64> = sizes.into_iter().flatten().map(f64::from).collect();
    let described = Description::of(&sizes).ok();
    let of = |value: fn(&Description) -> f64| Cell::number(described.as_ref().map(value), 1);
    let cells = vec![
        Cell::Text("Goals (reachable statements)".to_owned()),
        Cell::Count(sizes.len()),
        of(|d| d.minimum),
        of(|d| d.lower_quartile),
        of(|d| d.median),
        of(|d| d.mean),
        of(|d| d.upper_quartile),
        of(|d| d.maximum),
    ];
    let counted = (0_u32..).zip(&results.runs).filter(|(_, run)| run.size().is_some());
    table.push_explained(cells, counted.map(|(number, _)| number));
    let uncounted = results.projects.len() - sizes.len();
    let rest = match uncounted {
        0 => String::new(),
        n => format!(" Of {n} more only the covered share is known, or nothing."),
    };
    Sheet {
        name: "dataset",
        title: "Projects".to_owned(),
        caption: format!(
            "{} projects, {} of which were run; goals as their runs count them.{rest}",
            results.projects.len() + results.skipped.len(),
            results.projects.len()
        ),
        table,
    }
}
