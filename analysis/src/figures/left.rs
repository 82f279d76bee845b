//! Estimates of how many goals more runs would cover.

use super::{Figure, range};
use crate::comparison::MIN_SAMPLE;
use crate::figure::Axis;
use crate::figure::lines::{self, Line};
use crate::findings::Left;
use crate::terms::{capitalised, goals};
use crate::tidy::Results;

/// The number of goals covered on all projects by multiples of the executed runs, with the band of
/// the estimates.
pub fn left(results: &Results, all: &[Left]) -> Option<Figure> {
    let selected = super::selected(results);
    let shown: Vec<&Left> = all.iter().filter(|one| selected[one.algorithm]).collect();
    let ends = shown.iter().flat_map(|one| &one.curve).flat_map(|&(_, value, interval)| {
        [Some(value), interval.map(|i| i.low), interval.map(|i| i.high)].into_iter().flatten()
    });
    let (low, high) = range(ends)?;
    let line = |one: &&Left| {
        let band = |end: fn(crate::stats::Interval) -> f64| -> Vec<(f64, f64)> {
            let points = one.curve.iter();
            let known = points.filter(|point| point.0 >= 1.0);
            known.map(|&(at, value, interval)| (at, interval.map_or(value, end))).collect()
        };
        Line {
            label: results.algorithms[one.algorithm].clone(),
            series: results.series(one.algorithm),
            points: one.curve.iter().map(|&(at, value, _)| (at, value)).collect(),
            band: [band(|i| i.low), band(|i| i.high)],
        }
    };
    let lines: Vec<Line> = shown.iter().map(line).collect();
    let words: Vec<String> = shown
        .iter()
        .filter_map(|one| {
            let (value, interval) = one.tenfold()?;
            let seen: u64 = one.projects.iter().map(|project| project.observed).sum();
            let [value, low, high] =
                [value, interval.low, interval.high].map(|end| end - seen as f64);
            let name = &results.algorithms[one.algorithm];
            Some(format!("{name} {value:.1} more ({low:.1} to {high:.1})"))
        })
        .collect();
    let projects = shown.iter().map(|one| one.projects.len()).max()?;
    let goals = goals(&results.subject);
    Some(Figure {
        name: "left".to_owned(),
        title: "How much is left".to_owned(),
        caption: format!(
            "Number of {goals} on all projects together that some run covers, for a tenth of the runs to \
             ten times as many, on a logarithmic scale; above 1, estimates with their 95 % band. Ten \
             times as many runs would cover, on projects with at least {MIN_SAMPLE} runs: {}.",
            words.join("; ")
        ),
        svg: lines::curves(
            Axis::log("Runs, as a multiple of those executed", 0.1, 10.0),
            Axis::round(&capitalised(goals), low, high),
            &lines,
            &super::sample_size(projects, "project"),
        ),
    })
}
