//! What is covered.

use super::{Figure, algorithm_boxes, by_algorithm, distribution, note, percent};
use crate::comparison::Samples;
use crate::figure::boxes::figure as digits;
use crate::figure::chart::Axis;
use crate::figure::histogram;
use crate::stats::Description;
use crate::tidy::Results;

/// Sizes of the projects (Whisker paper, figure 11).
pub fn sizes(results: &Results) -> Option<Figure> {
    let sizes: Vec<f64> = results.sizes().into_iter().flatten().map(f64::from).collect();
    let d = Description::of(&sizes).ok()?;
    let svg = histogram::draw(
        "Goals (statements)",
        "Projects",
        &sizes,
        true,
        &note(sizes.len(), "project"),
    );
    Some(Figure {
        name: "sizes".to_owned(),
        title: "Sizes of the projects".to_owned(),
        caption: format!(
            "Goals of each project, on a logarithmic scale. n = {}, median {} (dashed), mean {}, \
             from {} to {}.",
            d.n,
            digits(d.median),
            digits(d.mean),
            d.minimum,
            d.maximum
        ),
        svg,
    })
}

/// Coverage of each algorithm as box plots (Whisker paper, figure 17).
pub fn coverage_boxes(results: &Results, samples: &Samples) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| percent(samples.pooled(algorithm).0));
    let axis = Axis::percent("Coverage (%)");
    let about = "Coverage of every run: quartiles, whiskers within 1.5 times their distance, \
                 circles beyond, a diamond for the mean.";
    algorithm_boxes("coverage-boxes", "Coverage", axis, &values, ("run", " %"), about)
}

/// Coverage of each algorithm as violins (Pynguin paper, figure 2).
pub fn coverage_violins(results: &Results, samples: &Samples) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| percent(samples.pooled(algorithm).0));
    let samples: Vec<_> = values.into_iter().map(|(_, label, values)| (label, values)).collect();
    let axis = Axis::percent("Coverage (%)");
    let about = "Density of the coverage of runs; thick: quartiles.";
    let title = "Distribution of coverage";
    distribution("coverage-violins", title, axis, &samples, ("run", " %"), None, about)
}
