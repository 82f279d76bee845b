//! Comparisons of algorithms.

use super::{
    Distribution, Figure, Sample, effect_samples, effect_sizes_of, effect_violins, file_name,
    labels, pair_label, range, sample_size, shown, shown_by_project,
};
use crate::comparison::{Comparison, Correction, Samples};
use crate::figure::ranks::RankedRow;
use crate::figure::scatter::{self, Annotations, PointSet};
use crate::figure::{Axis, Series, bars, effects, ranks, truncated};
use crate::findings::{AaTest, Order, PlacedAlgorithm, Ranking};
use crate::stats::mean;
use crate::terms::counted;
use crate::tidy::Results;

/// Effect sizes of coverage (Whisker paper, figure 18).
pub fn effect_sizes(results: &Results, pairs: &[Comparison]) -> Option<Figure> {
    let about = "A12 of coverage on each project. Above 0.5 (dashed) the first algorithm of a \
                 pair covers more.";
    effect_violins(results, pairs, "effect-sizes", "Effect sizes", about)
}

/// Counts of projects by the result of each pair (Pynguin paper, RQ1).
pub fn significance(results: &Results, pairs: &[Comparison]) -> Option<Figure> {
    let bars: Vec<(String, Vec<usize>)> = shown(results, pairs)
        .map(|pair| {
            let c = pair.counts(Correction::None);
            let parts = vec![
                c.significantly_better,
                c.better - c.significantly_better,
                c.equal,
                c.worse - c.significantly_worse,
                c.significantly_worse,
            ];
            (pair_label(results, pair), parts)
        })
        .collect();
    let most = bars.iter().map(|bar| bar.1.iter().sum()).max()?;
    let parts = ["significantly better", "better", "equal", "worse", "significantly worse"]
        .map(str::to_owned);
    Some(Figure {
        name: "significance".to_owned(),
        title: "Projects by result".to_owned(),
        caption: "Number of projects on which the coverage of the first algorithm of a pair is \
                  significantly better (Mann-Whitney U test, p < 0.05, not corrected for the number \
                  of projects; table6 has the corrected counts), better, equal, worse or \
                  significantly worse than the coverage of the second, by A12."
            .to_owned(),
        svg: bars::stacked("Projects", &parts, &bars, &sample_size(most, "project")),
    })
}

/// Figures of the mean coverage of two algorithms on each project (Whisker paper, figure 19).
pub fn coverage_by_project(
    results: &Results,
    samples: &Samples,
    pairs: &[Comparison],
) -> Vec<Figure> {
    let one = |pair: &Comparison| {
        let [first, second] = labels(results, pair);
        let mut sets = ["p < 0.05 (Holm)", "not significant"].map(|label| PointSet {
            label: label.to_owned(),
            series: Series::Other(0),
            filled: label != "not significant",
            points: Vec::new(),
        });
        for project in &pair.per_project {
            let coverage = |algorithm| {
                let values = samples.values(project.project, algorithm);
                mean(values.iter().copied()).unwrap_or(0.0) * 100.0
            };
            let set = usize::from(!project.significant(Correction::Holm));
            sets[set].points.push((coverage(pair.second), coverage(pair.first)));
        }
        let coordinates = sets.iter().flat_map(|set| &set.points).flat_map(|p| [p.0, p.1]);
        let (low, high) = range(coordinates).unwrap_or((0.0, 100.0));
        let axis = |name: &str| {
            let label = format!("{}: mean coverage (%)", truncated(name));
            Axis::percent_of(&label, low, high)
        };
        let annotations = Annotations { diagonal: true, ..Annotations::default() };
        let better = pair.per_project.iter().filter(|p| p.ordering().is_gt()).count();
        let worse = pair.per_project.iter().filter(|p| p.ordering().is_lt()).count();
        let n = pair.per_project.len();
        Figure {
            name: file_name(&["projects", first, second]),
            title: format!("{first} against {second} by project"),
            caption: format!(
                "Mean coverage on each project (n = {n}); above the diagonal {first} covers more. \
                 Better by A12: {first} on {better} of {n}, {second} on {worse}. Filled: \
                 significant in the Mann-Whitney U test after Holm's correction over the projects; \
                 a number is the count of projects at the same place."
            ),
            svg: scatter::draw(
                axis(second),
                axis(first),
                &sets,
                &annotations,
                &sample_size(n, "project"),
            ),
        }
    };
    shown_by_project(results, pairs).map(one).collect()
}

/// Figures of effect sizes with their intervals on each project (Pynguin paper, figure 6).
pub fn effects_by_project(results: &Results, pairs: &[Comparison]) -> Vec<Figure> {
    let projects: Vec<&str> = results.projects.iter().map(|p| p.name.as_str()).collect();
    let one = |pair: &Comparison| {
        let [first, second] = labels(results, pair);
        let n = pair.per_project.len();
        let significant =
            |correction| pair.per_project.iter().filter(|p| p.significant(correction)).count();
        let (holm, plain) = (significant(Correction::Holm), significant(Correction::None));
        Figure {
            name: file_name(&["effects", first, second]),
            title: format!("Effect sizes of {first} against {second} by project"),
            caption: format!(
                "A12 of coverage with its 95 % confidence interval (logit DeLong) on each project, \
                 the largest at the top. Above 0.5 {first} covers more. Filled: p < 0.05 in the \
                 Mann-Whitney U test after Holm's correction over the projects, {holm} of {n}; \
                 {plain} without it."
            ),
            svg: effects::draw(&pair.per_project, &projects, &sample_size(n, "project")),
        }
    };
    shown_by_project(results, pairs).map(one).collect()
}

/// In pixels, for paired tests and for Nemenyi's test.
const BARS: (f64, f64) = (6.0, 2.0);

/// Mean ranks with their intervals, and groups of algorithms that do not differ significantly.
pub fn rank_diagram(results: &Results, ranking: &Ranking, order: &Order) -> Figure {
    let n = ranking.projects.len();
    let over = counted(n, "project");
    let mut placed = order.algorithms.clone();
    placed.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    let row = |one: &PlacedAlgorithm| RankedRow {
        label: results.algorithms[one.algorithm].clone(),
        series: results.series(one.algorithm),
        rank: one.rank,
        interval: (one.rank_interval.low, one.rank_interval.high),
        inner: one.rank_here.map(|here| (here.low, here.high)),
    };
    let rows: Vec<RankedRow> = placed.iter().map(row).collect();
    let intervals = if rows.iter().any(|row| row.inner.is_some()) {
        "its 95 % intervals: thin, over projects like these (Student's t); thick, over exactly these \
         projects, where only seeds vary (bootstrap over runs)"
    } else {
        "its 95 % interval over projects like these (Student's t)"
    };
    let place = |&member: &usize| {
        let algorithm = ranking.algorithms[member];
        placed.iter().position(|one| one.algorithm == algorithm)
    };
    let bars = |cliques: &[Vec<usize>], width: f64| -> Vec<(Vec<usize>, f64)> {
        let bar = |clique: &Vec<usize>| (clique.iter().filter_map(place).collect(), width);
        cliques.iter().filter(|clique| clique.len() > 1).map(bar).collect()
    };
    let mut all = bars(&ranking.paired_cliques, BARS.0);
    // The p-values of tests are not valid for a study that is analysed repeatedly.
    if results.is_looked_at() {
        all.clear();
    } else {
        all.extend(bars(&ranking.cliques, BARS.1));
    }
    let joined = if all.is_empty() {
        String::new()
    } else {
        format!(
            " Bars join algorithms that do not differ significantly: thick, by the Wilcoxon \
             signed-rank test of each pair with Holm's correction; thin, by Nemenyi's test, whose \
             critical difference is {:.2} (both p < 0.05).",
            ranking.critical_difference
        )
    };
    Figure {
        name: "ranks".to_owned(),
        title: "Mean ranks".to_owned(),
        caption: format!(
            "Mean over {over} of the rank by mean coverage, with {intervals}.{joined}"
        ),
        svg: ranks::draw(&rows, &all, &sample_size(n, "project")),
    }
}

/// Effect sizes of algorithms compared with themselves, next to effect sizes of pairs of
/// algorithms.
pub fn aa_test(results: &Results, pairs: &[Comparison], aa_tests: &[AaTest]) -> Option<Figure> {
    if aa_tests.is_empty() {
        return None;
    }
    let selected = super::selected(results);
    let mut samples: Vec<Sample> = aa_tests
        .iter()
        .filter(|test| selected[test.algorithm])
        .map(|test| Sample {
            series: results.series(test.algorithm),
            label: format!("{} vs itself", results.algorithms[test.algorithm]),
            values: effect_sizes_of(&test.comparison),
        })
        .collect();
    samples.extend(effect_samples(results, pairs));
    Distribution {
        name: "aa-test",
        title: "A/A test",
        axis: Axis::exact("A12", 0.0, 1.0),
        counted_as: "project",
        unit: "",
        about: "A12 of coverage on each project: first each algorithm against itself (every second \
                run against the others), then the pairs of algorithms. Effects within the spread \
                of the former may be due to chance.",
    }
    .violins(&samples, Some(0.5))
}
