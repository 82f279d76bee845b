//! Sizes of projects, and distributions of coverage.

use super::{Distribution, Figure, by_algorithm, file_name, percent, percent_axis, sample_size};
use crate::comparison::{MIN_SAMPLE, Samples};
use crate::figure::{Series, histogram, three_digits};
use crate::stats::Description;
use crate::terms::{goals, goals_title};
use crate::tidy::Results;

/// Sizes of the projects (Whisker paper, figure 11).
pub fn sizes(results: &Results) -> Option<Figure> {
    let sizes: Vec<f64> = results.sizes().into_iter().flatten().map(f64::from).collect();
    let d = Description::of(&sizes).ok().filter(|d| d.n >= MIN_SAMPLE)?;
    let n = sample_size(d.n, "project");
    Some(Figure {
        name: "sizes".to_owned(),
        title: "Sizes of the projects".to_owned(),
        caption: format!(
            "Number of goals ({}) of each project, on a logarithmic scale. n = {}, median {} \
             (dashed), mean {}, minimum {}, maximum {}.",
            goals(&results.subject),
            d.n,
            three_digits(d.median),
            three_digits(d.mean),
            d.minimum,
            d.maximum
        ),
        svg: histogram::draw(
            &goals_title(&results.subject),
            "Projects",
            &sizes,
            true,
            Series::Other(1),
            Some(d.median),
            &n,
        ),
    })
}

/// Coverage of each algorithm as box plots (Whisker paper, figure 17).
pub fn coverage_boxes(results: &Results, samples: &Samples) -> Option<Figure> {
    boxes_named("coverage-boxes", "Coverage", results, samples)
}

/// Coverage by a criterion after the first as box plots.
pub fn criterion_boxes(results: &Results, criterion: &str, samples: &Samples) -> Option<Figure> {
    let title = format!("Coverage by criterion {criterion}");
    boxes_named(&file_name(&["criterion", criterion]), &title, results, samples)
}

fn boxes_named(name: &str, title: &str, results: &Results, samples: &Samples) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| percent(samples.pooled(algorithm).0));
    Distribution {
        name,
        title,
        axis: percent_axis("Coverage (%)", &values),
        counted_as: "run",
        unit: " %",
        about: "Coverage of all runs: box from the lower to the upper quartile with the median, \
                whiskers within 1.5 times the interquartile range, circles for values beyond, \
                diamond for the mean.",
    }
    .boxes(&values)
}

/// Coverage of each algorithm as violins (Pynguin paper, figure 2).
pub fn coverage_violins(results: &Results, samples: &Samples) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| percent(samples.pooled(algorithm).0));
    Distribution {
        name: "coverage-violins",
        title: "Distribution of coverage",
        axis: percent_axis("Coverage (%)", &values),
        counted_as: "run",
        unit: " %",
        about: "Kernel density of the coverage of all runs; thick line: quartiles.",
    }
    .violins(&values, None)
}
