//! Coverage of algorithms and configurations.

use super::{CaptionedTable, label};
use crate::comparison::{MeanCoverage, Samples};
use crate::figures::shown_individually;
use crate::findings::{Configuration, PooledPair, needed_seeds};
use crate::stats::Description;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// Mean coverage of each algorithm and, with `areas`, the mean areas under the curves of the runs.
pub fn algorithms(results: &Results, samples: &Samples, areas: Option<&Samples>) -> CaptionedTable {
    let means = MeanCoverage::all(samples);
    let curves = areas.map(MeanCoverage::all);
    let complete = means.iter().all(|mean| mean.mean == mean.common);
    let mut columns = vec![
        ("algorithm", "Algorithm"),
        ("mean", "Mean"),
        ("projects", "Projects"),
        ("runs", "Runs"),
    ];
    if curves.is_some() {
        columns.push(("area", "Area"));
    }
    // Without missing runs, the means over shared projects would be the same.
    if !complete {
        columns.push(("mean_common", "Mean on shared projects"));
    }
    let mut table = Table::new(&columns);
    for (at, mean) in means.iter().enumerate() {
        let mut row = vec![
            label(results, mean.algorithm),
            Cell::share(mean.mean, 2),
            Cell::Count(mean.projects),
            Cell::Count(mean.runs),
        ];
        row.extend(curves.as_ref().map(|curves| Cell::share(curves[at].mean, 2)));
        if !complete {
            row.push(Cell::share(mean.common, 2));
        }
        table.push_with_runs(row, samples.pooled(mean.algorithm).1);
        let shared = (0..samples.projects()).filter(|&project| samples.complete(project));
        let runs = shared.flat_map(|project| samples.runs(project, mean.algorithm));
        table.set_source_runs("mean_common", runs.copied());
    }
    CaptionedTable {
        name: "algorithms",
        title: "Mean coverage".to_owned(),
        caption: format!(
            "Mean over projects of the mean coverage of their runs.{}",
            match curves {
                Some(_) => {
                    " Area: under the curve of coverage over time, as the mean coverage of a run over the \
                     time of the longest search on its project, so early coverage counts more."
                }
                None => "",
            }
        ),
        table,
    }
}

/// Coverage of each configuration over the runs of all projects, with effect sizes.
pub fn configurations(results: &Results, samples: &Samples) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("median", "Median"),
        ("mean", "Mean"),
        ("standard_deviation", "SD"),
        ("minimum", "Min."),
        ("maximum", "Max."),
        ("runs", "Runs"),
    ]);
    for row in Configuration::all(samples) {
        let of = |value: fn(&Description) -> f64| row.coverage.as_ref().ok().map(value);
        let deviation = row.coverage.as_ref().ok().and_then(|c| c.deviation);
        let cells = vec![
            label(results, row.algorithm),
            Cell::share(of(|c| c.median), 2),
            Cell::share(of(|c| c.mean), 2),
            Cell::share(deviation, 2),
            Cell::share(of(|c| c.minimum), 2),
            Cell::share(of(|c| c.maximum), 2),
            Cell::Count(row.runs.len()),
        ];
        table.push_with_runs(cells, row.runs);
    }
    let pairs: Vec<String> = PooledPair::all(samples)
        .iter()
        .filter(|pair| shown_individually(results, pair.second))
        .map(|pair| {
            let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
            format!("{first} against {second} {:.3} ({})", pair.a12, pair.p.equation())
        })
        .collect();
    let effects = if pairs.is_empty() {
        String::new()
    } else {
        format!(" A12 over all runs: {}.", pairs.join(", "))
    };
    CaptionedTable {
        name: "configurations",
        title: "Coverage over all runs".to_owned(),
        caption: format!(
            "Coverage over the runs of all projects, each run with the same weight (as in Table 2 of \
             the Pynguin paper).{effects}"
        ),
        table,
    }
}

/// Coverage of each algorithm on each project.
pub fn coverage(results: &Results, samples: &Samples) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("missing", "Missing"),
        ("mean", "Mean"),
        ("median", "Median"),
        ("standard_deviation", "SD"),
        ("minimum", "Min."),
        ("maximum", "Max."),
    ]);
    let seeds = needed_seeds(results);
    for (number, project) in results.projects.iter().enumerate() {
        for (algorithm, &seeds) in seeds.iter().enumerate() {
            let sample = samples.values(number, algorithm);
            let described = Description::of(sample).ok();
            let of = |value: fn(&Description) -> f64| Cell::share(described.as_ref().map(value), 2);
            let cells = vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                label(results, algorithm),
                Cell::Count(sample.len()),
                Cell::Count(seeds.saturating_sub(sample.len())),
                of(|d| d.mean),
                of(|d| d.median),
                Cell::share(described.and_then(|d| d.deviation), 2),
                of(|d| d.minimum),
                of(|d| d.maximum),
            ];
            table.push_with_runs(cells, samples.runs(number, algorithm).iter().copied());
        }
    }
    CaptionedTable {
        name: "coverage",
        title: "Coverage of each algorithm on each project".to_owned(),
        caption: "Share of the goals that a run covers, over the runs with a coverage; SD: standard deviation \
                  of the sample; the median of an even number of runs is the mean of the middle two."
            .to_owned(),
        table,
    }
}
