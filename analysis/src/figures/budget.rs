//! What time brings.

use super::{Figure, against, each, note, shown};
use crate::comparison::{Comparison, Correction};
use crate::figure::chart::Axis;
use crate::figure::{coverage_begins, coverage_over_time, lines};
use crate::findings::{Convergence, Milestone};
use crate::progress::Progress;
use crate::tidy::{Clock, Results};

/// Coverage over the budget (Whisker paper, figure 20).
pub fn progress(results: &Results, progress: &Progress) -> Figure {
    let end = |curve: &crate::progress::Curve| {
        let last = curve.points.last().map_or(0.0, |point| point.mean);
        format!("{} {:.1} %", results.algorithms[curve.algorithm], last * 100.0)
    };
    let ends: Vec<String> = progress.curves.iter().map(end).collect();
    Figure {
        name: "coverage-over-time".to_owned(),
        title: "Coverage over time".to_owned(),
        caption: format!(
            "Mean over {} projects of the mean over their runs; in the end {}.{}",
            progress.projects,
            ends.join(", "),
            match coverage_begins(progress) {
                0.0 => String::new(),
                low => format!(" The vertical axis begins at {low} %."),
            }
        ),
        svg: coverage_over_time(progress, &results.algorithms),
    }
}

/// Mean effect sizes as a function of the budget.
pub fn effect_over_budget(
    results: &Results,
    clock: &Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let series = over_budget(results, milestones, Comparison::mean_a12);
    let values = series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (low, high) = values.fold((0.5_f64, 0.5_f64), |(l, h), v| (l.min(v), h.max(v)));
    if series.is_empty() {
        return None;
    }
    let n = milestones.last()?.comparisons.iter().map(|c| c.duels.len()).max()?;
    let y = Axis::round("Mean A12", low - 0.02, high + 0.02);
    Some(Figure {
        name: "effect-over-budget".to_owned(),
        title: "Effect size by budget".to_owned(),
        caption: format!(
            "Mean A12 over {n} projects if every search had ended there; above 0.5 (dashed) the \
             first of a pair covers more."
        ),
        svg: lines::draw(
            budget_axis(clock, milestones)?,
            y,
            &series,
            Some(0.5),
            &note(n, "project"),
        ),
    })
}

/// Numbers of significant differences as a function of the budget.
pub fn significance_over_budget(
    results: &Results,
    clock: &Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let share = |pair: &Comparison| {
        let counts = pair.counts(Correction::None);
        let found = counts.significantly_better + counts.significantly_worse;
        (!pair.duels.is_empty()).then(|| found as f64 / pair.duels.len() as f64 * 100.0)
    };
    let series = over_budget(results, milestones, share);
    let highest = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(10.0, f64::max);
    if series.is_empty() {
        return None;
    }
    let n = milestones.last()?.comparisons.iter().map(|c| c.duels.len()).max()?;
    let y = Axis::round("Projects that differ (%)", 0.0, highest);
    Some(Figure {
        name: "significance-over-budget".to_owned(),
        title: "Significance by budget".to_owned(),
        caption: format!(
            "Share of {n} projects on which a pair differs significantly (Mann-Whitney U, \
             p < 0.05) if every search had ended there; chance alone finds 5 % (dashed) at most."
        ),
        svg: lines::draw(
            budget_axis(clock, milestones)?,
            y,
            &series,
            Some(5.0),
            &note(n, "project"),
        ),
    })
}

/// What runs need to reach shares of their final coverage.
pub fn convergence(results: &Results, clock: &Clock, rows: &[Convergence]) -> Option<Figure> {
    let series: Vec<lines::Series> = rows
        .chunk_by(|a, b| a.algorithm == b.algorithm)
        .filter_map(|rows| {
            let point = |row: &Convergence| {
                Some((row.share * 100.0, row.spent.as_ref().ok()?.mean.max(1.0)))
            };
            let points: Vec<_> = rows.iter().filter_map(point).collect();
            let number = rows.first()?.algorithm;
            (!points.is_empty()).then(|| lines::Series {
                label: results.algorithms[number].clone(),
                number,
                points,
            })
        })
        .collect();
    let spent = series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (low, high) = spent.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if series.is_empty() {
        return None;
    }
    let x = Axis::exact("Share of the final coverage (%)", 50.0, 100.0);
    let y = Axis::log(&format!("Mean {}", clock.unit()), low, high);
    let n = each(rows.iter().map(|row| row.runs.len()).filter(|&n| n > 0), "run")?;
    Some(Figure {
        name: "convergence".to_owned(),
        title: "Convergence".to_owned(),
        caption: format!(
            "Mean {} until a run has 50, 90, 95, 99 and 100 % of what it covers in the end; \
             {n}. Medians and quartiles are in the table.",
            clock.unit()
        ),
        svg: lines::draw(x, y, &series, None, &format!("{n}; means")),
    })
}

fn budget_axis(clock: &Clock, milestones: &[Milestone]) -> Option<Axis> {
    let (first, last) = (milestones.first()?.at, milestones.last()?.at);
    Some(Axis::log(&format!("Budget ({})", clock.unit()), first as f64, last as f64))
}

fn over_budget(
    results: &Results,
    milestones: &[Milestone],
    value: impl Fn(&Comparison) -> Option<f64>,
) -> Vec<lines::Series> {
    let Some(last) = milestones.last() else { return Vec::new() };
    let one = |(number, pair): (usize, &Comparison)| lines::Series {
        label: against(results, pair),
        number,
        points: milestones
            .iter()
            .filter_map(|milestone| {
                let mut same = milestone.comparisons.iter();
                let same = same.find(|c| (c.first, c.second) == (pair.first, pair.second))?;
                Some((milestone.at as f64, value(same)?))
            })
            .collect(),
    };
    shown(results, &last.comparisons).enumerate().map(one).collect()
}
