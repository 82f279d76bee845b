//! Growth of coverage over time on a logarithmic axis.

use super::{Figure, file_name};
use crate::figure::lines::{self, Line};
use crate::figure::{Axis, truncated};
use crate::progress::{Curve, Point, Progress};
use crate::terms::{clock_title, counted};
use crate::tidy::{Clock, Results};

const MAX_PROJECTS: usize = 12;

/// Approximate maximum ratio of the end of the axis to its beginning.
const MAX_SPAN: u64 = 300;

/// The growth over all projects.
pub fn growth(results: &Results, progress: &Progress) -> Option<Figure> {
    let over =
        format!("Mean over {} of the mean coverage of", counted(progress.projects, "project"));
    draw(results, progress, "growth", "Growth of coverage", &over)
}

/// The growth on each project.
pub fn growth_by_project(results: &Results, all: &[(usize, Progress)]) -> Vec<Figure> {
    if all.len() > MAX_PROJECTS {
        return Vec::new();
    }
    let one = |(project, progress): &(usize, Progress)| {
        let project = &results.projects[*project].name;
        let title = format!("Growth of coverage on {project}");
        let mean = format!("Mean coverage on {project} of");
        draw(results, progress, &file_name(&["growth", project]), &title, &mean)
    };
    all.iter().filter_map(one).collect()
}

/// The growth of coverage by a criterion after the first.
pub fn growth_by_criterion(
    results: &Results,
    criterion: &str,
    progress: &Progress,
) -> Option<Figure> {
    let title = format!("Growth of coverage by criterion {criterion}");
    let over = counted(progress.projects, "project");
    let mean = format!("Mean over {over} of the mean coverage by criterion {criterion} of");
    draw(results, progress, &file_name(&["growth-criterion", criterion]), &title, &mean)
}

fn draw(
    results: &Results,
    progress: &Progress,
    name: &str,
    title: &str,
    mean: &str,
) -> Option<Figure> {
    let selected = super::selected(results);
    let curves: Vec<&Curve> =
        progress.curves.iter().filter(|curve| selected[curve.algorithm]).collect();
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let first = points().map(|point| point.at).filter(|&at| at > 0).min()?;
    let end = progress.end.max(first + 1);
    let first = first.max(end / MAX_SPAN);
    let (unit, label) = match &progress.clock {
        Clock::Wall if end < 10_000 => (1.0, "Search time (ms)".to_owned()),
        Clock::Wall => (1_000.0, "Search time (s)".to_owned()),
        clock @ Clock::Work(_) => (1.0, clock_title(clock)),
    };
    let (low, high) = (first as f64 / unit, end as f64 / unit);
    let x = Axis::log(&label, low, high);
    let (left, right) = x.ends();
    let lowest = points().map(|p| p.band.map_or(p.mean, |band| band.0)).fold(1.0, f64::min);
    let highest = points().map(|p| p.band.map_or(p.mean, |band| band.1)).fold(0.0, f64::max);
    let y = Axis::percent_of("Mean coverage (%)", 100.0 * lowest, 100.0 * highest);
    let bottom = y.ends().0;
    let path = |curve: &Curve, value: &dyn Fn(&Point) -> f64| {
        let mut corners = vec![];
        let mut level = bottom;
        let mut before = left;
        for point in &curve.points {
            let at = (point.at as f64 / unit).max(left);
            if corners.is_empty() && at > left {
                corners.push((left, level));
            }
            corners.extend([(at.max(before), level), (at.max(before), 100.0 * value(point))]);
            (before, level) = (at.max(before), 100.0 * value(point));
        }
        corners.push((high.min(right).max(before), level));
        corners
    };
    let banded = points().any(|point| point.band.is_some());
    let line = |curve: &&Curve| {
        let name = &results.algorithms[curve.algorithm];
        let last = curve.points.last().map_or(0.0, |point| 100.0 * point.mean);
        let band = |end: fn((f64, f64)) -> f64| match banded {
            true => path(curve, &|point| point.band.map_or(point.mean, end)),
            false => Vec::new(),
        };
        Line {
            label: format!("{}  {last:.1} %", truncated(name)),
            series: results.series(curve.algorithm),
            points: path(curve, &|point| point.mean),
            band: [band(|band| band.0), band(|band| band.1)],
        }
    };
    let lines: Vec<Line> = curves.iter().map(line).collect();
    let (fewest, most) = progress.runs;
    let runs = match fewest == most {
        true => counted(most, "run"),
        false => format!("{fewest} to {}", counted(most, "run")),
    };
    let mut subtitle = format!("n = {} × {runs}", counted(progress.projects, "project"));
    if banded {
        subtitle += "; band: 95 % bootstrap interval over runs";
    }
    Some(Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: format!(
            "{mean} the runs, on a logarithmic axis of time from the first improvement on, or from 1/{MAX_SPAN} of the longest search. The vertical axis \
             begins at {bottom} %.",
        ),
        svg: lines::curves(x, y, &lines, &subtitle),
    })
}
