//! Every figure of a study, ready to be shown: the findings drawn, with a title, and a
//! caption with units, numbers of values and medians.

mod budget;
mod comparison;
mod coverage;
mod difficulty;
mod mutation;
mod race;
mod speed;
mod suites;

pub use budget::{convergence, effect_over_budget, progress, significance_over_budget};
pub use comparison::{
    calibration, duels, effect_sizes, effects_by_project, rank_diagram, significance,
};
pub use coverage::{coverage_boxes, coverage_violins, sizes};
pub use difficulty::{baseline_coverage, difficulty, relation};
pub use mutation::{mutation_against_coverage, mutation_operators, mutation_violins};
pub use race::race;
pub use speed::{acceleration, execution_times, machines};
pub use suites::{suite_effects, suite_sizes, test_lengths};

use crate::comparison::Comparison;
use crate::figure::boxes::{self, Cluster, figure as digits};
use crate::figure::chart::Axis;
use crate::figure::violins;
use crate::stats::Description;
use crate::tidy::Results;

/// A picture with its name and what to know about it.
#[derive(Clone, Debug)]
pub struct Figure {
    /// For files.
    pub name: String,
    /// One line for people.
    pub title: String,
    /// What it shows.
    pub caption: String,
    /// The picture, as SVG.
    pub svg: String,
}

/// With more algorithms than this, single pairs are shown if the first algorithm is in them.
const ALL_PAIRS: usize = 4;

/// Whether a pair, of which this is the second, is shown by itself.
pub(crate) fn alone(results: &Results, second: usize) -> bool {
    results.algorithms.len() <= ALL_PAIRS || second == 0
}

/// The pairs that are shown one by one.
fn shown<'a>(
    results: &'a Results,
    pairs: &'a [Comparison],
) -> impl Iterator<Item = &'a Comparison> {
    pairs.iter().filter(move |pair| !pair.duels.is_empty() && alone(results, pair.second))
}

fn names<'a>(results: &'a Results, pair: &Comparison) -> [&'a str; 2] {
    [pair.first, pair.second].map(|algorithm| results.algorithms[algorithm].as_str())
}

fn against(results: &Results, pair: &Comparison) -> String {
    names(results, pair).join(" vs ")
}

/// A name that files may have.
fn file_name(parts: &[&str]) -> String {
    let letter = |c: char| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' };
    parts.join("-").chars().map(letter).collect()
}

/// "Medians: random 85.3, mosa 91 (n = 60)."
fn medians<'a>(samples: impl IntoIterator<Item = (&'a str, &'a [f64])>, unit: &str) -> String {
    let one = |(name, values): (&str, &[f64])| {
        let d = Description::of(values).ok()?;
        Some(format!(
            "{name} {}{unit} (n = {}, mean {}{unit})",
            digits(d.median),
            d.n,
            digits(d.mean)
        ))
    };
    let all: Vec<String> = samples.into_iter().filter_map(one).collect();
    format!("Medians: {}.", all.join(", "))
}

fn note(n: usize, of: &str) -> String {
    format!("n = {n} {of}{}", if n == 1 { "" } else { "s" })
}

/// How large samples are that need not be equally large.
fn each(sizes: impl Iterator<Item = usize>, of: &str) -> Option<String> {
    let sizes: Vec<usize> = sizes.collect();
    let (least, most) = (*sizes.iter().min()?, *sizes.iter().max()?);
    Some(if least == most {
        format!("{} each", note(most, of))
    } else {
        format!("n = {least} to {most} {of}s")
    })
}

/// Samples of all algorithms that have values, with their labels and numbers.
fn by_algorithm(
    results: &Results,
    values: impl Fn(usize) -> Vec<f64>,
) -> Vec<(usize, String, Vec<f64>)> {
    let one = |(number, label): (usize, &String)| {
        Some((number, label.clone(), values(number))).filter(|sample| !sample.2.is_empty())
    };
    results.algorithms.iter().enumerate().filter_map(one).collect()
}

/// Box plots by algorithm, in the unit given (` %`, ` ms`, or nothing).
fn algorithm_boxes(
    name: &str,
    title: &str,
    axis: Axis,
    samples: &[(usize, String, Vec<f64>)],
    (of, unit): (&str, &str),
    about: &str,
) -> Option<Figure> {
    let n = each(samples.iter().map(|s| s.2.len()), of)?;
    let cluster = |(number, label, values): &(usize, String, Vec<f64>)| Cluster {
        label: label.clone(),
        boxes: vec![(*number, values.clone())],
    };
    let clusters: Vec<Cluster> = samples.iter().map(cluster).collect();
    let note = format!("{n}; number: median, diamond: mean");
    let told = medians(samples.iter().map(|s| (s.1.as_str(), &s.2[..])), unit);
    Some(Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: format!("{about} {told}"),
        svg: boxes::draw(axis, &clusters, &[], &note),
    })
}

fn percent(values: Vec<f64>) -> Vec<f64> {
    values.into_iter().map(|v| v * 100.0).collect()
}

/// Violins in the unit given (` %`, or nothing).
fn distribution(
    name: &str,
    title: &str,
    axis: Axis,
    samples: &[(String, Vec<f64>)],
    (of, unit): (&str, &str),
    reference: Option<f64>,
    about: &str,
) -> Option<Figure> {
    let n = each(samples.iter().map(|s| s.1.len()), of)?;
    let told = medians(samples.iter().map(|s| (s.0.as_str(), &s.1[..])), unit);
    let note = format!("{n}; number: median, diamond: mean");
    Some(Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: format!("{about} {told}"),
        svg: violins::draw(axis, samples, reference, &note),
    })
}

/// The effect sizes on all projects of a comparison.
fn effect_sizes_of(comparison: &Comparison) -> Vec<f64> {
    comparison.duels.iter().map(|duel| duel.a12).collect()
}

/// Effect sizes over projects of each pair (Whisker paper, figures 18 and 27).
fn effect_violins(
    results: &Results,
    pairs: &[Comparison],
    name: &str,
    title: &str,
    about: &str,
) -> Option<Figure> {
    let one = |pair| (against(results, pair), effect_sizes_of(pair));
    let samples: Vec<_> = shown(results, pairs).map(one).collect();
    let axis = Axis::exact("A12", 0.0, 1.0);
    distribution(name, title, axis, &samples, ("project", ""), Some(0.5), about)
}
