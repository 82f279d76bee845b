//! Mutation analysis.

use super::{
    Distribution, Figure, Sample, percent, percent_axis, range, sample_size, sample_sizes,
};
use crate::figure::boxes::{self, BoxGroup};
use crate::figure::scatter::{self, Annotations, PointSet};
use crate::figure::{Axis, Series};
use crate::findings::{MutationAnalysis, MutationScore};
use crate::stats::pearson;
use crate::tidy::Results;

/// Mutation scores by operator, with false positives (Whisker paper, figure 29).
pub fn mutation_operators(results: &Results, analysis: &MutationAnalysis) -> Option<Figure> {
    let totals: Vec<&MutationScore> = analysis.totals().filter(|s| s.mutants > 0).collect();
    let label = |score: &MutationScore| results.algorithms[score.algorithm].clone();
    let series = |score: &MutationScore| results.series(score.algorithm);
    let legend: Vec<(Series, String)> =
        totals.iter().map(|score| (series(score), label(score))).collect();
    let group = |label: &str, values: &dyn Fn(&MutationScore) -> Vec<f64>| BoxGroup {
        label: label.to_owned(),
        boxes: totals.iter().map(|total| (series(total), percent(values(total)))).collect(),
    };
    let of_operator = |algorithm, operator| {
        let mut scores = analysis.scores.iter();
        let found = scores.find(|s| (s.algorithm, s.operator) == (algorithm, Some(operator)));
        found.map_or(&[][..], |score| &score.per_run)
    };
    // The sample sizes differ, because rare operators have mutants on only a few projects.
    let runs = |operator| totals.iter().map(|t| of_operator(t.algorithm, operator).len()).max();
    let mut groups: Vec<BoxGroup> = analysis
        .operators
        .iter()
        .enumerate()
        .map(|(operator, name)| {
            let label = format!("{name} ({})", runs(operator).unwrap_or(0));
            group(&label, &|total| of_operator(total.algorithm, operator).to_vec())
        })
        .collect();
    groups.push(group("all", &|total| total.per_run.clone()));
    groups.push(group("FP", &|total| {
        total.runs.iter().filter_map(|&run| analysis.false_positives[run as usize]).collect()
    }));
    let n = sample_sizes(analysis.totals().map(|s| s.per_run.len()), "run")?;
    let overall: Vec<String> = totals
        .iter()
        .map(|total| {
            let share = total.killed as f64 / total.mutants as f64 * 100.0;
            format!("{} {share:.1} % of {}", label(total), total.mutants)
        })
        .collect();
    let subtitle = format!("{n}; line: median, diamond: mean");
    Some(Figure {
        name: "mutation-operators".to_owned(),
        title: "Mutation scores by operator".to_owned(),
        caption: format!(
            "Share of mutants that the suite of each run kills, by mutation operator (in \
             brackets: the largest number of runs of an algorithm with such mutants). FP: false \
             positives, the share of tests that fail on the unchanged project. Killed over all \
             runs: {}.",
            overall.join(", ")
        ),
        svg: boxes::draw(Axis::percent("Killed (%)"), &groups, &legend, &subtitle),
    })
}

/// Distribution of mutation scores (Pynguin paper, figure 7).
pub fn mutation_violins(results: &Results, analysis: &MutationAnalysis) -> Option<Figure> {
    let samples: Vec<Sample> = analysis
        .totals()
        .filter(|score| !score.per_run.is_empty())
        .map(|score| Sample {
            series: results.series(score.algorithm),
            label: results.algorithms[score.algorithm].clone(),
            values: percent(score.per_run.clone()),
        })
        .collect();
    Distribution {
        name: "mutation-violins",
        title: "Distribution of mutation scores",
        axis: percent_axis("Mutation score (%)", &samples),
        counted_as: "run",
        unit: " %",
        about: "Kernel density of the mutation scores of all runs; thick line: quartiles.",
    }
    .violins(&samples, None)
}

/// Mutation score against coverage (Pynguin paper, figure 8).
pub fn mutation_against_coverage(results: &Results, analysis: &MutationAnalysis) -> Option<Figure> {
    let mut sets = Vec::new();
    let mut correlations = Vec::new();
    for score in analysis.totals().filter(|score| !score.per_run.is_empty()) {
        let label = results.algorithms[score.algorithm].clone();
        let points: Vec<(f64, f64)> = score
            .runs
            .iter()
            .zip(&score.per_run)
            .filter_map(|(&run, score)| {
                Some((results.runs[run as usize].coverage()? * 100.0, score * 100.0))
            })
            .collect();
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        if let Ok(r) = pearson(&x, &y) {
            let p = r.p.equation();
            correlations.push(format!("{label} r = {:.2}, {p} (n = {})", r.r, x.len()));
        }
        let series = results.series(score.algorithm);
        sets.push(PointSet { label, series, filled: false, points });
    }
    let n = sets.iter().map(|set| set.points.len()).sum::<usize>();
    if n == 0 {
        return None;
    }
    let axis = |label: &str, value: &dyn Fn(&(f64, f64)) -> f64| {
        let (low, high) = range(sets.iter().flat_map(|set| &set.points).map(value))?;
        Some(Axis::percent_of(label, low, high))
    };
    let correlation = match correlations.is_empty() {
        true => String::new(),
        false => format!(" Pearson correlation: {}.", correlations.join("; ")),
    };
    Some(Figure {
        name: "mutation-against-coverage".to_owned(),
        title: "Mutation score against coverage".to_owned(),
        caption: format!(
            "One marker for each run; a number counts the runs at the same place.{correlation}"
        ),
        svg: scatter::draw(
            axis("Coverage (%)", &|point| point.0)?,
            axis("Mutation score (%)", &|point| point.1)?,
            &sets,
            &Annotations::default(),
            &sample_size(n, "run"),
        ),
    })
}
