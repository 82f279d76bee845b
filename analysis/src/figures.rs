//! The figures of a study: findings as pictures, each with a title and a caption.

mod best;
mod budget;
mod comparison;
mod coverage;
mod difficulty;
mod exposure;
mod factors;
mod growth;
mod history;
mod left;
mod mutation;
mod race;
mod ranks;
mod real_time;
mod speed;
mod suites;
mod survival;

pub use best::best;
pub use budget::{convergence, coverage_over_time, effect_over_budget, significance_over_budget};
pub use comparison::{
    aa_test, coverage_by_project, effect_sizes, effects_by_project, rank_diagram, significance,
};
pub use coverage::{coverage_boxes, coverage_violins, criterion_boxes, sizes};
pub use difficulty::{baseline_coverage, difficulty, relation};
pub use exposure::exposure;
pub use factors::factor_groups;
pub use growth::{growth, growth_by_criterion, growth_by_project};
pub use history::history;
pub use left::left;
pub use mutation::{mutation_against_coverage, mutation_operators, mutation_violins};
pub use race::race;
pub use ranks::{rank_over_time, variance_over_tests};
pub use real_time::real_time;
pub use speed::{acceleration, execution_times, machines};
pub use suites::{suite_effects, suite_sizes, test_lengths};
pub use survival::full_coverage;

use crate::comparison::{Comparison, MIN_SAMPLE};
use crate::figure::boxes::{self, BoxGroup};
use crate::figure::violins::{self, Violin};
use crate::figure::{Axis, Series, Svg, three_digits};
use crate::stats::Description;
use crate::terms::counted;
use crate::tidy::{Results, Run};

/// A picture with its name, title and caption.
#[derive(Clone, Debug)]
pub struct Figure {
    /// The name of the file, without extension.
    pub name: String,
    /// The title, in one line.
    pub title: String,
    /// An explanation of the picture, in sentences.
    pub caption: String,
    /// The picture.
    pub svg: Svg,
}

const MAX_ALL_PAIRS: usize = 4;

pub(crate) fn shown_individually(results: &Results, second: usize) -> bool {
    results.algorithms.len() <= MAX_ALL_PAIRS || second == 0
}

const MAX_SHOWN: usize = 16;

const SELECTED: usize = 12;

/// Figures must stay legible.
pub(crate) fn selected(results: &Results) -> Vec<bool> {
    let number = results.algorithms.len();
    if number <= MAX_SHOWN {
        return vec![true; number];
    }
    let mut sums = vec![(0.0, 0_u32); number];
    for run in &results.runs {
        if let Some(coverage) = run.coverage() {
            let (sum, runs) = &mut sums[run.algorithm as usize];
            *sum += coverage;
            *runs += 1;
        }
    }
    let mean = |algorithm: usize| {
        let (sum, runs) = sums[algorithm];
        if runs == 0 { -1.0 } else { sum / f64::from(runs) }
    };
    let mut best: Vec<usize> = (1..number).collect();
    best.sort_by(|&a, &b| mean(b).total_cmp(&mean(a)));
    let mut selected = vec![false; number];
    best.into_iter().take(SELECTED - 1).chain([0]).for_each(|one| selected[one] = true);
    selected
}

pub(crate) fn selection(results: &Results) -> Option<String> {
    let (shown, all) =
        (selected(results).iter().filter(|one| **one).count(), results.algorithms.len());
    (shown < all).then(|| {
        format!(
            "Most figures show {shown} of {all} algorithms, the first and those with the highest mean \
             coverage; most tables have all, compared with the first."
        )
    })
}

fn shown<'a>(
    results: &'a Results,
    pairs: &'a [Comparison],
) -> impl Iterator<Item = &'a Comparison> {
    let selected = selected(results);
    pairs.iter().filter(move |pair| {
        !pair.per_project.is_empty()
            && shown_individually(results, pair.second)
            && selected[pair.first]
    })
}

fn shown_by_project<'a>(
    results: &'a Results,
    pairs: &'a [Comparison],
) -> impl Iterator<Item = &'a Comparison> {
    shown(results, pairs).filter(|pair| pair.per_project.len() >= MIN_SAMPLE)
}

fn percent_axis(label: &str, samples: &[Sample]) -> Axis {
    let (low, high) =
        range(samples.iter().flat_map(|s| &s.values).copied()).unwrap_or((0.0, 100.0));
    Axis::percent_of(label, low, high)
}

fn labels<'a>(results: &'a Results, pair: &Comparison) -> [&'a str; 2] {
    [pair.first, pair.second].map(|algorithm| results.algorithms[algorithm].as_str())
}

fn pair_label(results: &Results, pair: &Comparison) -> String {
    labels(results, pair).join(" vs ")
}

fn file_name(parts: &[&str]) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    parts.join("-").chars().map(letter).collect()
}

fn runs_of(results: &Results, algorithm: usize) -> impl Iterator<Item = (usize, &Run)> {
    let all = results.runs.iter().enumerate();
    all.filter(move |(_, run)| run.algorithm as usize == algorithm)
}

fn range(values: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    values.into_iter().fold(None, |range, value| match range {
        None => Some((value, value)),
        Some((low, high)) => Some((value.min(low), value.max(high))),
    })
}

fn medians<'a>(samples: impl IntoIterator<Item = (&'a str, &'a [f64])>, unit: &str) -> String {
    let one = |(name, values): (&str, &[f64])| {
        let d = Description::of(values).ok()?;
        let [median, mean] = [d.median, d.mean].map(three_digits);
        Some(format!("{name} {median}{unit} (n = {}, mean {mean}{unit})", d.n))
    };
    let all: Vec<String> = samples.into_iter().filter_map(one).collect();
    format!("Medians: {}.", all.join(", "))
}

fn sample_size(n: usize, counted_as: &str) -> String {
    format!("n = {}", counted(n, counted_as))
}

fn sample_sizes(sizes: impl Iterator<Item = usize>, counted_as: &str) -> Option<String> {
    let sizes: Vec<usize> = sizes.collect();
    let (least, most) = (*sizes.iter().min()?, *sizes.iter().max()?);
    Some(if least == most {
        format!("{} each", sample_size(most, counted_as))
    } else {
        format!("n = {least} to {most} {counted_as}s")
    })
}

struct Sample {
    series: Series,
    label: String,
    values: Vec<f64>,
}

fn by_algorithm(results: &Results, values: impl Fn(usize) -> Vec<f64>) -> Vec<Sample> {
    let one = |(algorithm, label): (usize, &String)| {
        let (series, values) = (results.series(algorithm), values(algorithm));
        (!values.is_empty()).then(|| Sample { series, label: label.clone(), values })
    };
    let selected = selected(results);
    let shown = results.algorithms.iter().enumerate().filter(|(number, _)| selected[*number]);
    shown.filter_map(one).collect()
}

fn percent(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|v| v * 100.0).collect()
}

struct Distribution<'a> {
    name: &'a str,
    title: &'a str,
    axis: Axis,
    /// The source of each value, in the singular: `run` or `project`.
    counted_as: &'a str,
    unit: &'a str,
    about: &'a str,
}

impl Distribution<'_> {
    fn boxes(self, samples: &[Sample]) -> Option<Figure> {
        let group = |sample: &Sample| BoxGroup {
            label: sample.label.clone(),
            boxes: vec![(sample.series, sample.values.clone())],
        };
        let groups: Vec<BoxGroup> = samples.iter().map(group).collect();
        self.figure(samples, |axis, subtitle| boxes::draw(axis, &groups, &[], subtitle))
    }

    fn violins(self, samples: &[Sample], reference: Option<f64>) -> Option<Figure> {
        let violins: Vec<Violin<'_>> = samples
            .iter()
            .map(|s| Violin { label: &s.label, series: s.series, values: &s.values })
            .collect();
        if samples.iter().any(|sample| sample.values.len() < MIN_SAMPLE) {
            return None;
        }
        self.figure(samples, |axis, subtitle| violins::draw(axis, &violins, reference, subtitle))
    }

    fn figure(self, samples: &[Sample], draw: impl FnOnce(Axis, &str) -> Svg) -> Option<Figure> {
        let n = sample_sizes(samples.iter().map(|s| s.values.len()), self.counted_as)?;
        let values = samples.iter().map(|s| (s.label.as_str(), &s.values[..]));
        Some(Figure {
            name: self.name.to_owned(),
            title: self.title.to_owned(),
            caption: format!("{} {}", self.about, medians(values, self.unit)),
            svg: draw(self.axis, &format!("{n}; number: median, diamond: mean")),
        })
    }
}

fn effect_sizes_of(comparison: &Comparison) -> Vec<f64> {
    comparison.per_project.iter().map(|project| project.a12).collect()
}

fn effect_samples(results: &Results, pairs: &[Comparison]) -> Vec<Sample> {
    let one = |(series, pair)| Sample {
        series: Series::Other(series),
        label: pair_label(results, pair),
        values: effect_sizes_of(pair),
    };
    shown(results, pairs).enumerate().map(one).collect()
}

/// Like figures 18 and 27 of the Whisker paper.
fn effect_violins(
    results: &Results,
    pairs: &[Comparison],
    name: &str,
    title: &str,
    about: &str,
) -> Option<Figure> {
    let axis = Axis::exact("A12", 0.0, 1.0);
    let distribution = Distribution { name, title, axis, counted_as: "project", unit: "", about };
    distribution.violins(&effect_samples(results, pairs), Some(0.5))
}
