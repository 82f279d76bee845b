//! Times until runs cover as many goals as the best run, as Kaplan-Meier curves.

use super::{Figure, sample_sizes};
use crate::figure::Axis;
use crate::figure::lines::{self, Line};
use crate::findings::FullCoverage;
use crate::stats::Survival;
use crate::terms::counted;
use crate::tidy::{Clock, Results};

/// The share of runs that cover as many goals as the best run on their project, over the share of
/// the longest observation.
pub fn full_coverage(results: &Results, clock: &Clock, rows: &[FullCoverage]) -> Option<Figure> {
    let selected = super::selected(results);
    let pooled = FullCoverage::pooled(rows, results.algorithms.len());
    let curves = pooled.iter().enumerate().filter(|(algorithm, _)| selected[*algorithm]);
    let curves: Vec<(usize, &Survival)> =
        curves.filter_map(|(algorithm, survival)| Some((algorithm, survival.as_ref()?))).collect();
    if curves.is_empty() {
        return None;
    }
    let lines: Vec<Line> = curves
        .iter()
        .map(|(algorithm, survival)| {
            let end = 100.0 * (1.0 - survival.steps.last().map_or(1.0, |step| step.1));
            let label = format!("{}  {end:.0} %", results.algorithms[*algorithm]);
            Line::new(label, results.series(*algorithm), corners(survival))
        })
        .collect();
    let counts = curves.iter().map(|(algorithm, survival)| {
        let name = &results.algorithms[*algorithm];
        format!("{name}: {} of {}", survival.events, counted(survival.observations, "run"))
    });
    let counts: Vec<String> = counts.collect();
    let runs = sample_sizes(curves.iter().map(|(_, survival)| survival.observations), "run")?;
    let x = Axis::exact(
        &format!("Share of the longest observation in {} (%)", clock.unit()),
        0.0,
        100.0,
    );
    let y = Axis::exact("Runs that cover as much as the best run (%)", 0.0, 100.0);
    Some(Figure {
        name: "full-coverage".to_owned(),
        title: "Runs that cover as much as the best run".to_owned(),
        caption: format!(
            "The horizontal axis has {} as a share of the longest observation on a project, \
             because searches of different projects have different lengths. \
             Estimated share of runs (Kaplan and Meier) that cover as many goals as the best run of \
             their project; runs that never do are censored at their end, or at the end of the longest \
             search if they ended below their budget. {}.",
            clock.unit(),
            counts.join("; ")
        ),
        svg: lines::curves(x, y, &lines, &format!("{runs}, projects pooled")),
    })
}

/// The corners of the curve in percent.
fn corners(survival: &Survival) -> Vec<(f64, f64)> {
    let mut corners = vec![(0.0, 0.0)];
    let mut level = 0.0;
    for (time, share) in &survival.steps {
        let (at, next) = (100.0 * time, 100.0 * (1.0 - share));
        corners.extend([(at, level), (at, next)]);
        level = next;
    }
    corners.push((100.0, level));
    corners
}
