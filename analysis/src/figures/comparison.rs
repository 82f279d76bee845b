//! Algorithms against each other.

use super::{
    Figure, against, distribution, effect_sizes_of, effect_violins, file_name, names, note, shown,
};
use crate::comparison::{Comparison, Correction, Samples};
use crate::figure::chart::Axis;
use crate::figure::scatter::{self, Cloud, Extras};
use crate::figure::{bars, effects, ranks};
use crate::findings::{Calibration, Ranking};
use crate::stats::mean;
use crate::tidy::Results;

/// Effect sizes of coverage (Whisker paper, figure 18).
pub fn effect_sizes(results: &Results, pairs: &[Comparison]) -> Option<Figure> {
    let about = "A12 of coverage on each project; above 0.5 (dashed) the first of a pair covers \
                 more.";
    effect_violins(results, pairs, "effect-sizes", "Effect sizes", about)
}

/// Projects on which one of a pair is better (Pynguin paper, RQ1).
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
            (against(results, pair), parts)
        })
        .collect();
    let most = bars.iter().map(|bar| bar.1.iter().sum()).max()?;
    let parts = ["significantly better", "better", "equal", "worse", "significantly worse"];
    Some(Figure {
        name: "significance".to_owned(),
        title: "Projects by result".to_owned(),
        caption: "Projects on which the first of a pair covers significantly more (Mann-Whitney \
                  U, p < 0.05), more, the same, less, significantly less."
            .to_owned(),
        svg: bars::draw("Projects", &parts.map(str::to_owned), &bars, &note(most, "project")),
    })
}

/// Mean coverage of two algorithms, project by project (Whisker paper, figure 19).
pub fn duels(results: &Results, samples: &Samples, pairs: &[Comparison]) -> Vec<Figure> {
    let one = |pair: &Comparison| {
        let [first, second] = names(results, pair);
        let mut clouds = ["p < 0.05", "not significant"].map(|label| Cloud {
            label: label.to_owned(),
            series: 1,
            filled: label == "p < 0.05",
            points: Vec::new(),
        });
        for duel in &pair.duels {
            let of = |algorithm| {
                // A duel has runs of both.
                mean(samples.of(duel.project, algorithm).iter().copied()).unwrap_or(0.0) * 100.0
            };
            let cloud = usize::from(!duel.significant(Correction::None));
            clouds[cloud].points.push((of(pair.second), of(pair.first)));
        }
        let axis = |name: &str| Axis::percent(&format!("{name}: mean coverage (%)"));
        let extras = Extras { diagonal: true, ..Extras::default() };
        let above = pair.duels.iter().filter(|d| d.ordering().is_gt()).count();
        let below = pair.duels.iter().filter(|d| d.ordering().is_lt()).count();
        Figure {
            name: file_name(&["projects", first, second]),
            title: format!("{first} against {second}, project by project"),
            caption: format!(
                "Mean coverage on each of {} projects; above the diagonal {first} covers more. By \
                 A12, {first} is better on {above}, {second} on {below}.",
                pair.duels.len()
            ),
            svg: scatter::draw(
                axis(second),
                axis(first),
                &clouds,
                &extras,
                &note(pair.duels.len(), "project"),
            ),
        }
    };
    shown(results, pairs).map(one).collect()
}

/// Effect sizes with their intervals, project by project (Pynguin paper, figure 6).
pub fn effects_by_project(results: &Results, pairs: &[Comparison]) -> Vec<Figure> {
    let projects: Vec<&str> = results.projects.iter().map(|p| p.name.as_str()).collect();
    let one = |pair: &Comparison| {
        let [first, second] = names(results, pair);
        let significant = pair.duels.iter().filter(|d| d.significant(Correction::None)).count();
        Figure {
            name: file_name(&["effects", first, second]),
            title: format!("Effect sizes of {first} against {second} by project"),
            caption: format!(
                "A12 of coverage with its 95 % logit DeLong interval, from the smallest to the \
                 largest; above 0.5 {first} covers more. {significant} of {} differ significantly.",
                pair.duels.len()
            ),
            svg: effects::draw(&pair.duels, &projects, &note(pair.duels.len(), "project")),
        }
    };
    shown(results, pairs).map(one).collect()
}

/// Mean ranks and critical difference.
pub fn rank_diagram(results: &Results, ranking: &Ranking) -> Figure {
    let n = ranking.projects.len();
    Figure {
        name: "ranks".to_owned(),
        title: "Mean ranks".to_owned(),
        caption: format!(
            "Ranks by mean coverage, averaged over {n} projects. Thick bars join algorithms that \
             do not differ significantly (Nemenyi, p < 0.05); CD: the critical difference."
        ),
        svg: ranks::draw(ranking, &results.algorithms, &note(n, "project")),
    }
}

/// Real comparisons beside those of algorithms with themselves.
pub fn calibration(
    results: &Results,
    pairs: &[Comparison],
    calibrations: &[Calibration],
) -> Option<Figure> {
    if calibrations.is_empty() {
        return None;
    }
    let own = calibrations.iter().map(|row| {
        let label = &results.algorithms[row.algorithm];
        (format!("{label} vs itself"), effect_sizes_of(&row.comparison))
    });
    let real = shown(results, pairs).map(|pair| (against(results, pair), effect_sizes_of(pair)));
    let samples: Vec<_> = own.chain(real).collect();
    let about = "A12 of coverage on each project: each algorithm against itself (every second run \
                 against the others), then the real comparisons. What is as wide as the former may \
                 be chance.";
    let axis = Axis::exact("A12", 0.0, 1.0);
    let title = "Chance, and what is more";
    distribution("calibration", title, axis, &samples, ("project", ""), Some(0.5), about)
}
