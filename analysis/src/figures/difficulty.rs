//! What makes projects difficult.

use super::{Figure, file_name, note};
use crate::figure::boxes::figure as digits;
use crate::figure::chart::Axis;
use crate::figure::histogram;
use crate::figure::scatter::{self, Cloud, Extras};
use crate::findings::{Relation, Trivial};
use crate::stats::Description;
use crate::tidy::Results;

/// Coverage of the baseline (Whisker paper, figure 13).
pub fn baseline_coverage(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let values: Vec<f64> = trivial.projects.iter().map(|p| p.coverage * 100.0).collect();
    let d = Description::of(&values).ok()?;
    let label = &results.algorithms[trivial.algorithm];
    let axis = format!("{label}: mean coverage (%)");
    Some(Figure {
        name: "baseline-coverage".to_owned(),
        title: format!("Coverage of {label}"),
        caption: format!(
            "Mean coverage of {label} on each project. n = {}, median {} % (dashed), mean {} %.",
            d.n,
            digits(d.median),
            digits(d.mean)
        ),
        svg: histogram::draw(&axis, "Projects", &values, false, &note(d.n, "project")),
    })
}

/// Size, executions and coverage of the baseline (Whisker paper, figure 14).
pub fn difficulty(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let label = &results.algorithms[trivial.algorithm];
    let kinds = ["all of it", "90 % and more", "50 % and more", "less"];
    let mut clouds: Vec<Cloud> = kinds
        .iter()
        .enumerate()
        .map(|(series, kind)| Cloud {
            label: format!("covers {kind}"),
            series,
            filled: series > 0,
            points: Vec::new(),
        })
        .collect();
    let mut star: Option<(f64, f64)> = None;
    for project in &trivial.projects {
        let Some(size) = project.size else { continue };
        let kind = match project.coverage {
            _ if project.full => 0,
            c if c >= 0.9 => 1,
            c if c >= 0.5 => 2,
            _ => 3,
        };
        let point = (f64::from(size), project.executions.max(1.0));
        clouds[kind].points.push(point);
        if !project.full && star.is_none_or(|star| point.1 < star.1) {
            star = Some(point);
        }
    }
    let points = || clouds.iter().flat_map(|cloud| &cloud.points);
    let n = points().count();
    let range = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)))
    };
    if n == 0 {
        return None;
    }
    let (x, y) = (range(|p| p.0), range(|p| p.1));
    let axes =
        (Axis::log("Goals (statements)", x.0, x.1), Axis::log("Mean test executions", y.0, y.1));
    let extras = Extras { star, ..Extras::default() };
    Some(Figure {
        name: "difficulty".to_owned(),
        title: format!("Size, executions and coverage of {label}"),
        caption: format!(
            "Each of {n} projects by its goals and the mean executions of {label} until full \
             coverage or the end of the budget. Star: the threshold, the project with the fewest \
             executions that is not covered entirely; {} below it are trivial.",
            trivial.count()
        ),
        svg: scatter::draw(axes.0, axes.1, &clouds, &extras, &note(n, "project")),
    })
}

/// Coverage against a measure of projects (Pynguin paper, figures 4 and 5).
pub fn relation(
    results: &Results,
    (name, measure): (&str, &str),
    rows: &[Relation],
) -> Option<Figure> {
    let rows: Vec<&Relation> = rows.iter().filter(|row| !row.points.is_empty()).collect();
    let x = || rows.iter().flat_map(|row| row.points.iter().map(|p| p.0));
    let (low, high) = x().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let n = rows.iter().map(|row| row.points.len()).max()?;
    let clouds: Vec<Cloud> = rows
        .iter()
        .map(|row| Cloud {
            label: results.algorithms[row.algorithm].clone(),
            series: row.algorithm,
            filled: false,
            points: row.points.iter().map(|p| (p.0, p.1 * 100.0)).collect(),
        })
        .collect();
    let axis = Axis::round(measure, low, high);
    let (from, to) = axis.ends();
    let line = |row: &&Relation| {
        let line = row.line.ok()?;
        Some((row.algorithm, [from, to].map(|x| (x, line.at(x) * 100.0))))
    };
    let told: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let r = row.pearson.ok()?;
            Some(format!("{} r = {:.2}, {}", results.algorithms[row.algorithm], r.r, r.p.words()))
        })
        .collect();
    let extras = Extras { lines: rows.iter().filter_map(line).collect(), ..Extras::default() };
    let y = Axis::percent("Mean coverage (%)");
    Some(Figure {
        name: file_name(&["coverage-against", name]),
        title: format!("Coverage against {}", uncapitalised(measure)),
        caption: format!(
            "Mean coverage of each of {n} projects, with the line that least squares fit. \
             Pearson: {}.",
            told.join("; ")
        ),
        svg: scatter::draw(axis, y, &clouds, &extras, &note(n, "project")),
    })
}

/// Words that begin no sentence; names within them keep their capitals.
fn uncapitalised(words: &str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_lowercase());
    first.into_iter().chain(letters).collect()
}
