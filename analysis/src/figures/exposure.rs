//! Times until runs expose faults, as Kaplan-Meier curves.

use super::{Figure, sample_sizes};
use crate::figure::Axis;
use crate::figure::lines::{self, Line};
use crate::findings::Exposure;
use crate::stats::Survival;
use crate::terms::counted;
use crate::tidy::Results;

/// The share of pairs of a fault and a run in which the run has exposed the fault, over real time.
pub fn exposure(results: &Results, all: &[Exposure]) -> Option<Figure> {
    let selected = super::selected(results);
    let pooled = Exposure::pooled(all, results.algorithms.len());
    let curves: Vec<(usize, &Survival)> = pooled
        .iter()
        .enumerate()
        .filter(|(algorithm, _)| selected[*algorithm])
        .filter_map(|(algorithm, survival)| Some((algorithm, survival.as_ref()?)))
        .collect();
    let end = Exposure::longest(all) / 1000.0;
    let counts: Vec<String> = curves
        .iter()
        .map(|(algorithm, survival)| {
            let name = &results.algorithms[*algorithm];
            format!("{name}: {} of {}", survival.events, counted(survival.observations, "pair"))
        })
        .collect();
    let pairs = sample_sizes(curves.iter().map(|(_, survival)| survival.observations), "pair")?;
    let lines: Vec<Line> = curves
        .iter()
        .map(|(algorithm, survival)| {
            let points = corners(survival, end);
            let share = points.last().map_or(0.0, |corner| corner.1);
            let label = format!("{}  {share:.0} %", results.algorithms[*algorithm]);
            Line::new(label, results.series(*algorithm), points)
        })
        .collect();
    let x = Axis::exact("Real time of the search (s)", 0.0, end.max(0.001));
    let y = Axis::exact("Faults exposed in a run (%)", 0.0, 100.0);
    Some(Figure {
        name: "exposure".to_owned(),
        title: "Faults that runs have exposed".to_owned(),
        caption: format!(
            "Estimated share (Kaplan and Meier) of pairs of a run and a fault of its project in which the run has \
             exposed the fault. Runs that do not expose it are censored at the end of their search. Faults of \
             one run are not independent of each other, so the curves have no bands. {}.",
            counts.join("; ")
        ),
        svg: lines::curves(x, y, &lines, &format!("{pairs}, faults and projects pooled")),
    })
}

/// The corners of the curve, in seconds and percent.
fn corners(survival: &Survival, end: f64) -> Vec<(f64, f64)> {
    let mut corners = vec![(0.0, 0.0)];
    let mut level = 0.0;
    for (ms, share) in &survival.steps {
        let (at, next) = (ms / 1000.0, 100.0 * (1.0 - share));
        corners.extend([(at, level), (at, next)]);
        level = next;
    }
    corners.push((end, level));
    corners
}
