//! Coverage, effect sizes and significance as functions of the budget, and convergence.

use super::{Figure, pair_label, range, sample_size, sample_sizes, shown};
use crate::comparison::{Comparison, Correction};
use crate::figure::lines::{self, Line};
use crate::figure::{Axis, Series, round_step, truncated};
use crate::findings::{Convergence, Milestone};
use crate::progress::{Curve, Point, Progress};
use crate::terms::{clock_title, counted};
use crate::tidy::{Clock, Results};

/// Mean coverage of algorithms over time, with bands (Whisker paper, figure 20).
pub fn coverage_over_time(results: &Results, progress: &Progress) -> Figure {
    let mut progress = progress.clone();
    let selected = super::selected(results);
    progress.curves.retain(|curve| selected[curve.algorithm]);
    let progress = &progress;
    let end = |curve: &Curve| curve.points.last().map_or(0.0, |point| point.mean) * 100.0;
    let ends: Vec<String> = progress
        .curves
        .iter()
        .map(|curve| format!("{} {:.1} %", results.algorithms[curve.algorithm], end(curve)))
        .collect();
    let (time, ticks_per_unit) = time_axis(progress);
    let coverage = coverage_axis(progress);
    let (low, _) = coverage.ends();
    let right = time.ends().1;
    let path = |curve: &Curve, value: &dyn Fn(&Point) -> Option<f64>| {
        steps(&curve.points, |at| at as f64 / ticks_per_unit, value, low, right)
    };
    let line = |curve: &Curve| {
        let banded = curve.points.first().is_some_and(|point| point.band.is_some());
        let band = |value: &dyn Fn(&Point) -> Option<f64>| {
            if banded { path(curve, value) } else { Vec::new() }
        };
        Line {
            label: format!(
                "{}  {:.1} %",
                truncated(&results.algorithms[curve.algorithm]),
                end(curve)
            ),
            series: results.series(curve.algorithm),
            points: path(curve, &|point| Some(point.mean)),
            band: [band(&|p| p.band.map(|b| b.0)), band(&|p| p.band.map(|b| b.1))],
        }
    };
    let lines: Vec<Line> = progress.curves.iter().map(line).collect();
    Figure {
        name: "coverage-over-time".to_owned(),
        title: "Coverage over time".to_owned(),
        caption: format!(
            "Mean over {} of the mean coverage of their runs. At the end: {}.{}",
            counted(progress.projects, "project"),
            ends.join(", "),
            match low {
                0.0 => String::new(),
                low => format!(" The vertical axis begins at {low} %."),
            }
        ),
        svg: lines::curves(time, coverage, &lines, &progress_subtitle(progress)),
    }
}

/// The time axis, and the number of units of the clock in a unit of the axis.
fn time_axis(progress: &Progress) -> (Axis, f64) {
    let end = progress.end.max(1) as f64;
    let (unit, label) = match &progress.clock {
        Clock::Wall if end < 10_000.0 => (1.0, "Search time (ms)".to_owned()),
        Clock::Wall if end < 600_000.0 => (1_000.0, "Search time (s)".to_owned()),
        Clock::Wall => (60_000.0, "Search time (min)".to_owned()),
        clock @ Clock::Work(_) => (1.0, clock_title(clock)),
    };
    let high = end / unit;
    (Axis::with_step(&label, (0.0, high), round_step(high / 6.0)), unit)
}

/// An axis from zero would leave little room for the differences between algorithms.
fn coverage_axis(progress: &Progress) -> Axis {
    let early = (progress.end / 50).max(1);
    let start = |curve: &Curve| {
        curve.points.iter().take_while(|p| p.at <= early).last().map_or(0.0, |p| p.mean)
    };
    let points = progress.curves.iter().flat_map(|curve| &curve.points);
    let lowest = progress.curves.iter().map(start).fold(1.0, f64::min) * 100.0;
    let highest = points.map(|p| p.band.map_or(p.mean, |band| band.1)).fold(0.0, f64::max) * 100.0;
    let step = round_step(((highest - lowest) / 5.0).max(0.5));
    Axis::percent_of("Mean coverage (%)", (lowest - step / 4.0).max(0.0), highest)
}

fn steps(
    points: &[Point],
    time: impl Fn(u64) -> f64,
    value: impl Fn(&Point) -> Option<f64>,
    low: f64,
    right: f64,
) -> Vec<(f64, f64)> {
    let mut corners = Vec::new();
    let mut level = low;
    for point in points {
        let Some(next) = value(point).map(|v| v * 100.0) else { continue };
        let at = time(point.at);
        corners.extend([(at, level), (at, next)]);
        level = next;
    }
    corners.push((right, level));
    corners
}

fn progress_subtitle(progress: &Progress) -> String {
    let (fewest, most) = progress.runs;
    let runs = if fewest == most {
        counted(most, "run")
    } else {
        format!("{fewest} to {}", counted(most, "run"))
    };
    let mut subtitle = format!("n = {} × {runs}", counted(progress.projects, "project"));
    if progress.curves.iter().flat_map(|c| &c.points).any(|p| p.band.is_some()) {
        subtitle.push_str("; band: 95 % bootstrap interval over runs");
    }
    subtitle
}

/// Mean effect sizes as a function of the budget.
pub fn effect_over_budget(
    results: &Results,
    clock: &Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let series = over_budget(results, milestones, Comparison::mean_a12);
    let (low, high) = range(series.iter().flat_map(|s| &s.points).map(|p| p.1).chain([0.5]))?;
    if series.is_empty() {
        return None;
    }
    let n = projects(milestones)?;
    let subtitle = sample_size(n, "project");
    let y = Axis::round("Mean A12", (low - 0.02).max(0.0), (high + 0.02).min(1.0));
    Some(Figure {
        name: "effect-over-budget".to_owned(),
        title: "Effect size by budget".to_owned(),
        caption: format!(
            "Mean A12 of coverage over {} if every search had ended at the budget shown. Above \
             0.5 (dashed) the first algorithm of a pair covers more.",
            counted(n, "project")
        ),
        svg: lines::marked(budget_axis(clock, milestones)?, y, &series, Some(0.5), &subtitle),
    })
}

/// Shares of projects with a significant difference as a function of the budget.
pub fn significance_over_budget(
    results: &Results,
    clock: &Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let share = |pair: &Comparison| {
        let counts = pair.counts(Correction::None);
        let found = counts.significantly_better + counts.significantly_worse;
        let all = pair.per_project.len();
        (all > 0).then(|| found as f64 / all as f64 * 100.0)
    };
    let series = over_budget(results, milestones, share);
    let (_, highest) = range(series.iter().flat_map(|s| &s.points).map(|p| p.1))?;
    if highest == 0.0 {
        return None;
    }
    let n = projects(milestones)?;
    let subtitle = sample_size(n, "project");
    let y = Axis::round("Projects that differ (%)", 0.0, highest.max(10.0));
    Some(Figure {
        name: "significance-over-budget".to_owned(),
        title: "Significance by budget".to_owned(),
        caption: format!(
            "Share of {} on which a pair of algorithms differs significantly (Mann-Whitney U \
             test, p < 0.05, not corrected for the number of projects) if every search had ended at the budget shown. Without any \
             difference, at most 5 % (dashed) are expected.",
            counted(n, "project")
        ),
        svg: lines::marked(budget_axis(clock, milestones)?, y, &series, Some(5.0), &subtitle),
    })
}

/// The work or time that runs need to reach shares of their final coverage.
pub fn convergence(results: &Results, clock: &Clock, rows: &[Convergence]) -> Option<Figure> {
    let selected = super::selected(results);
    let series: Vec<Line> = rows
        .chunk_by(|a, b| a.algorithm == b.algorithm)
        .filter(|rows| selected[rows[0].algorithm])
        .filter_map(|rows| {
            let point = |row: &Convergence| {
                Some((row.share * 100.0, row.spent.as_ref().ok()?.mean.max(1.0)))
            };
            let points: Vec<_> = rows.iter().filter_map(point).collect();
            let number = rows.first()?.algorithm;
            let label = results.algorithms[number].clone();
            (!points.is_empty()).then(|| Line::new(label, results.series(number), points))
        })
        .collect();
    let (low, high) = range(series.iter().flat_map(|s| &s.points).map(|p| p.1))?;
    let x = Axis::exact("Share of the final coverage (%)", 50.0, 100.0);
    let y = Axis::log(&format!("Mean {}", clock.unit()), low, high);
    let n = sample_sizes(rows.iter().map(|row| row.runs.len()).filter(|&n| n > 0), "run")?;
    let subtitle = format!("{n}; means");
    Some(Figure {
        name: "convergence".to_owned(),
        title: "Convergence".to_owned(),
        caption: format!(
            "Mean number of {} until a run reaches 50, 90, 95, 99 and 100 % of its final \
             coverage; {n}. A run that covers little converges early, so this figure flatters weak \
             algorithms: it shows how soon a run stops improving, not how much it covers. The table of the same title has medians and quartiles.",
            clock.unit()
        ),
        svg: lines::marked(x, y, &series, None, &subtitle),
    })
}

fn projects(milestones: &[Milestone]) -> Option<usize> {
    milestones.last()?.comparisons.iter().map(|pair| pair.per_project.len()).max()
}

fn budget_axis(clock: &Clock, milestones: &[Milestone]) -> Option<Axis> {
    let (first, last) = (milestones.first()?.at, milestones.last()?.at);
    let label = format!("Budget ({})", clock.unit());
    Some(Axis::log(&label, first as f64, last as f64))
}

fn over_budget(
    results: &Results,
    milestones: &[Milestone],
    value: impl Fn(&Comparison) -> Option<f64>,
) -> Vec<Line> {
    let Some(last) = milestones.last() else { return Vec::new() };
    let one = |(number, pair): (usize, &Comparison)| {
        let point = |milestone: &Milestone| {
            let mut same = milestone.comparisons.iter();
            let same = same.find(|c| (c.first, c.second) == (pair.first, pair.second))?;
            Some((milestone.at as f64, value(same)?))
        };
        let points = milestones.iter().filter_map(point).collect();
        Line::new(pair_label(results, pair), Series::Other(number), points)
    };
    shown(results, &last.comparisons).enumerate().map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_of_one_value_have_a_frame() {
        let curve =
            |algorithm| Curve { algorithm, points: vec![Point { at: 1, mean: 1.0, band: None }] };
        let progress = Progress {
            clock: Clock::Wall,
            end: 1,
            projects: 1,
            runs: (1, 1),
            curves: vec![curve(0), curve(1)],
        };
        let mut results = Results::default();
        results.algorithms.extend(["random <1>", "mosa"].map(str::to_owned));
        let figure = coverage_over_time(&results, &progress);
        let svg = figure.svg.as_str();
        assert!(svg.contains("random &lt;1&gt; 100.0 %"), "{svg}");
        assert!(svg.contains("n = 1 project × 1 run<"), "{svg}");
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    }
}
