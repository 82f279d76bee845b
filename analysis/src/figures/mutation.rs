//! Mutation analysis.

use super::{Figure, distribution, each, note, percent};
use crate::figure::boxes::{self, Cluster};
use crate::figure::chart::Axis;
use crate::figure::scatter::{self, Cloud, Extras};
use crate::findings::Mutation;
use crate::stats::pearson;
use crate::tidy::Results;

/// Mutation scores by operator, with false positives (Whisker paper, figure 29).
pub fn mutation_operators(results: &Results, mutation: &Mutation) -> Option<Figure> {
    let ran: Vec<usize> =
        mutation.totals().filter(|k| k.mutants > 0).map(|k| k.algorithm).collect();
    let legend: Vec<String> = ran.iter().map(|&a| results.algorithms[a].clone()).collect();
    let cluster = |label: &str, values: &dyn Fn(usize) -> Vec<f64>| Cluster {
        label: label.to_owned(),
        boxes: ran.iter().enumerate().map(|(place, &a)| (place, percent(values(a)))).collect(),
    };
    let scores = |algorithm, operator| {
        let mut all = mutation.kills.iter();
        all.find(|k| (k.algorithm, k.operator) == (algorithm, operator))
            .map_or_else(Vec::new, |kills| kills.scores.clone())
    };
    // Few projects have anything for the rarer operators to change.
    let runs = |operator| ran.iter().map(|&a| scores(a, operator).len()).max().unwrap_or(0);
    let mut clusters: Vec<Cluster> = mutation
        .operators
        .iter()
        .enumerate()
        .map(|(operator, name)| {
            let label = format!("{name} ({})", runs(Some(operator)));
            cluster(&label, &|algorithm| scores(algorithm, Some(operator)))
        })
        .collect();
    clusters.push(cluster("all", &|algorithm| scores(algorithm, None)));
    clusters.push(cluster("FP", &|algorithm| {
        let totals = mutation.totals().find(|k| k.algorithm == algorithm);
        let runs = totals.map_or(&[][..], |kills| &kills.runs);
        runs.iter().filter_map(|&run| mutation.false_positives[run as usize]).collect()
    }));
    let sizes = mutation.totals().map(|k| k.scores.len());
    let note = format!("{}; line: median, diamond: mean", each(sizes, "run")?);
    let whole: Vec<String> = mutation
        .totals()
        .filter(|k| k.mutants > 0)
        .map(|k| {
            let score = k.killed as f64 / k.mutants as f64 * 100.0;
            format!("{} {score:.1} % of {}", results.algorithms[k.algorithm], k.mutants)
        })
        .collect();
    Some(Figure {
        name: "mutation-operators".to_owned(),
        title: "Mutation scores by operator".to_owned(),
        caption: format!(
            "Killed mutants of each run by mutation operator (in brackets: the runs of an \
             algorithm that have such mutants), and FP, the false positives: tests of its suite \
             that fail on the unchanged project. Over all runs: {}.",
            whole.join(", ")
        ),
        svg: boxes::draw(Axis::percent("Killed (%)"), &clusters, &legend, &note),
    })
}

/// Distribution of mutation scores (Pynguin paper, figure 7).
pub fn mutation_violins(results: &Results, mutation: &Mutation) -> Option<Figure> {
    let samples: Vec<_> = mutation
        .totals()
        .filter(|kills| !kills.scores.is_empty())
        .map(|kills| (results.algorithms[kills.algorithm].clone(), percent(kills.scores.clone())))
        .collect();
    let axis = Axis::percent("Mutation score (%)");
    let about = "Density of the mutation scores of runs; thick: quartiles.";
    let title = "Distribution of mutation scores";
    distribution("mutation-violins", title, axis, &samples, ("run", " %"), None, about)
}

/// Mutation score against coverage (Pynguin paper, figure 8).
pub fn mutation_against_coverage(results: &Results, mutation: &Mutation) -> Option<Figure> {
    let mut clouds = Vec::new();
    let mut told = Vec::new();
    for kills in mutation.totals().filter(|kills| !kills.scores.is_empty()) {
        let label = results.algorithms[kills.algorithm].clone();
        let points: Vec<(f64, f64)> = kills
            .runs
            .iter()
            .zip(&kills.scores)
            .filter_map(|(&run, score)| {
                Some((results.runs[run as usize].coverage()? * 100.0, score * 100.0))
            })
            .collect();
        let (x, y): (Vec<f64>, Vec<f64>) = points.iter().copied().unzip();
        if let Ok(r) = pearson(&x, &y) {
            told.push(format!("{label} r = {:.2}, {} (n = {})", r.r, r.p.words(), x.len()));
        }
        clouds.push(Cloud { label, series: kills.algorithm, filled: false, points });
    }
    let n = clouds.iter().map(|cloud| cloud.points.len()).sum::<usize>();
    if n == 0 {
        return None;
    }
    let told = if told.is_empty() { "none".to_owned() } else { told.join("; ") };
    Some(Figure {
        name: "mutation-against-coverage".to_owned(),
        title: "Mutation score against coverage".to_owned(),
        caption: format!("Every run. Pearson: {told}."),
        svg: scatter::draw(
            Axis::percent("Coverage (%)"),
            Axis::percent("Mutation score (%)"),
            &clouds,
            &Extras::default(),
            &note(n, "run"),
        ),
    })
}
