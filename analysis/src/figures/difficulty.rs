//! Coverage of the baseline, and coverage as a function of size and complexity.

use super::{Figure, file_name, range, sample_size};
use crate::comparison::MIN_SAMPLE;
use crate::figure::scatter::{self, Annotations, PointSet};
use crate::figure::{Axis, Series, histogram, three_digits, truncated};
use crate::findings::{Relation, Trivial};
use crate::stats::Description;
use crate::terms::{goals_title, uncapitalised, work};
use crate::tidy::Results;

/// Coverage of the baseline (Whisker paper, figure 13).
pub fn baseline_coverage(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let values: Vec<f64> = trivial.projects.iter().map(|p| p.coverage * 100.0).collect();
    let d = Description::of(&values).ok().filter(|d| d.n >= MIN_SAMPLE)?;
    let label = &results.algorithms[trivial.algorithm];
    let axis = format!("{}: mean coverage (%)", truncated(label));
    let n = sample_size(d.n, "project");
    Some(Figure {
        name: "baseline-coverage".to_owned(),
        title: format!("Coverage of {label}"),
        caption: format!(
            "Mean coverage of {label} on each project. n = {}, median {} % (dashed), mean {} %.",
            d.n,
            three_digits(d.median),
            three_digits(d.mean)
        ),
        svg: histogram::draw(
            &axis,
            "Projects",
            &values,
            false,
            results.series(trivial.algorithm),
            Some(d.median),
            &n,
        ),
    })
}

/// Size, work and coverage of the baseline (Whisker paper, figure 14).
pub fn difficulty(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let label = &results.algorithms[trivial.algorithm];
    let classes = ["100 %", "90 % or more", "50 % or more", "below 50 %"];
    let mut sets: Vec<PointSet> = classes
        .iter()
        .enumerate()
        .map(|(series, class)| PointSet {
            label: format!("coverage {class}"),
            series: Series::Other(series),
            filled: series > 0,
            points: Vec::new(),
        })
        .collect();
    let mut star: Option<(f64, f64)> = None;
    for project in &trivial.projects {
        let Some(size) = project.size else { continue };
        let class = match project.coverage {
            _ if project.full => 0,
            c if c >= 0.9 => 1,
            c if c >= 0.5 => 2,
            _ => 3,
        };
        let point = (f64::from(size), project.executions.max(1.0));
        sets[class].points.push(point);
        if !project.full && star.is_none_or(|star| point.1 < star.1) {
            star = Some(point);
        }
    }
    let points = || sets.iter().flat_map(|set| &set.points);
    let n = points().count();
    let (x, y) = (range(points().map(|p| p.0))?, range(points().map(|p| p.1))?);
    if n < MIN_SAMPLE || y.0 == y.1 {
        return None;
    }
    let work = work(&results.subject);
    let x = Axis::log(&goals_title(&results.subject), x.0, x.1);
    let y = Axis::log(&format!("Mean {work}"), y.0, y.1);
    let annotations = Annotations { star, ..Annotations::default() };
    Some(Figure {
        name: "difficulty".to_owned(),
        title: format!("Size, {work} and coverage of {label}"),
        caption: format!(
            "Number of goals of each project (n = {n}), and mean number of {work} of a run of {label}. \
             Star: the project with the fewest {work} among those not covered entirely, if any. Projects that are covered entirely with fewer are \
             trivial: {} of {}.",
            trivial.count(),
            trivial.projects.len()
        ),
        svg: scatter::draw(x, y, &sets, &annotations, &sample_size(n, "project")),
    })
}

/// Coverage as a function of a measure of projects (Pynguin paper, figures 4 and 5). `column` and
/// `title` are the name and the title of the measure's column.
pub fn relation(
    results: &Results,
    (column, title): (&str, &str),
    rows: &[Relation],
) -> Option<Figure> {
    let selected = super::selected(results);
    let shown = |row: &&Relation| !row.points.is_empty() && selected[row.algorithm];
    let rows: Vec<&Relation> = rows.iter().filter(shown).collect();
    let (low, high) = range(rows.iter().flat_map(|row| &row.points).map(|p| p.0))?;
    let n = rows.iter().map(|row| row.points.len()).max()?;
    if n < MIN_SAMPLE || low == high {
        return None;
    }
    let sets: Vec<PointSet> = rows
        .iter()
        .map(|row| PointSet {
            label: results.algorithms[row.algorithm].clone(),
            series: results.series(row.algorithm),
            filled: false,
            points: row.points.iter().map(|p| (p.0, p.1 * 100.0)).collect(),
        })
        .collect();
    let axis = Axis::round(title, low, high);
    let (from, to) = axis.ends();
    let line = |row: &&Relation| {
        let line = row.line.ok().filter(|_| row.points.len() >= MIN_SAMPLE)?;
        Some((results.series(row.algorithm), [from, to].map(|x| (x, line.at(x) * 100.0))))
    };
    let correlations: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let r = row.pearson.ok().filter(|_| row.points.len() >= MIN_SAMPLE)?;
            let label = &results.algorithms[row.algorithm];
            Some(format!("{label} r = {:.2}, {}", r.r, r.p.equation()))
        })
        .collect();
    let correlation = match correlations.is_empty() {
        true => String::new(),
        false => format!(" Pearson correlation: {}.", correlations.join("; ")),
    };
    let annotations =
        Annotations { lines: rows.iter().filter_map(line).collect(), ..Annotations::default() };
    let lines = if annotations.lines.is_empty() { "" } else { ", with least-squares lines" };
    let (lowest, highest) = range(sets.iter().flat_map(|set| &set.points).map(|p| p.1))?;
    let y = Axis::percent_of("Mean coverage (%)", lowest, highest);
    Some(Figure {
        name: file_name(&["coverage-against", column]),
        title: format!("Coverage against {}", uncapitalised(title)),
        caption: format!(
            "Mean coverage of each project (n = {n}){lines}; a number counts projects at the same \
             place.{correlation}"
        ),
        svg: scatter::draw(axis, y, &sets, &annotations, &sample_size(n, "project")),
    })
}
