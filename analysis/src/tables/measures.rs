//! Tables of criteria and metrics, by algorithm and by pair of algorithms, and tables of relative
//! scores.

use super::{CaptionedTable, label, low_high};
use crate::comparison::{Comparison, LEVEL, MIN_SAMPLE, MeanCoverage, Samples};
use crate::findings::{Decision, Score, Verdict};
use crate::stats::{Description, mean, t_interval};
use crate::table::{Cell, Table};
use crate::terms::goals;
use crate::tidy::Results;

/// The name of a criterion or metric, and its values.
pub type Measured = (String, Samples);

fn by_algorithm(results: &Results, what: (&str, &str), all: &[Measured], shares: bool) -> Table {
    let mut table = Table::new(&[
        what,
        ("algorithm", "Algorithm"),
        ("mean", "Mean"),
        ("low", "from"),
        ("high", "to"),
        ("median", "Median"),
        ("minimum", "Min."),
        ("maximum", "Max."),
        ("projects", "Projects"),
        ("runs", "Runs"),
    ]);
    let cell = |value: Option<f64>| match shares {
        true => Cell::share(value, 2),
        false => Cell::number(value, 2),
    };
    for (name, samples) in all {
        for one in MeanCoverage::all(samples).into_iter().filter(|one| one.runs > 0) {
            let of_projects: Vec<f64> = (0..samples.projects())
                .filter_map(|project| mean(samples.values(project, one.algorithm).iter().copied()))
                .collect();
            let interval = crate::comparison::enough(of_projects.len())
                .and_then(|()| t_interval(&of_projects, 1.0 - LEVEL))
                .map(|found| if shares { within(found.1, 1.0) } else { found.1 });
            let (values, runs) = samples.pooled(one.algorithm);
            let described = Description::of(&values).ok();
            let of = |value: fn(&Description) -> f64| cell(described.as_ref().map(value));
            let cells = vec![
                Cell::Text(name.clone()),
                label(results, one.algorithm),
                cell(one.mean),
                cell(interval.ok().map(|interval| interval.low)),
                cell(interval.ok().map(|interval| interval.high)),
                of(|d| d.median),
                of(|d| d.minimum),
                of(|d| d.maximum),
                Cell::Count(one.projects),
                Cell::Count(one.runs),
            ];
            table.push_with_runs(cells, runs);
        }
    }
    table
}

/// The units of metrics have no known margin, so no verdict on a metric is *equivalent*.
fn by_pair(results: &Results, what: (&str, &str), all: &[Measured], shares: bool) -> Table {
    let mut table = Table::new(&[
        what,
        ("first", "First"),
        ("second", "Second"),
        ("verdict", "Verdict"),
        ("difference", "Difference"),
        ("low", "from"),
        ("high", "to"),
        ("p", "p (Wilcoxon)"),
        ("p_holm", "p (Holm)"),
        ("projects", "Projects"),
    ]);
    let scale = if shares { 100.0 } else { 1.0 };
    for (name, samples) in all {
        for one in Decision::pairs(samples, None) {
            let verdict = match (one.verdict, one.p_holm) {
                (verdict, _) if shares => verdict,
                (Verdict::Equivalent, Some(p)) if p < LEVEL && one.difference > 0.0 => {
                    Verdict::Better
                }
                (Verdict::Equivalent, Some(p)) if p < LEVEL && one.difference < 0.0 => {
                    Verdict::Worse
                }
                (Verdict::Equivalent, _) => Verdict::Undecided,
                (verdict, _) => verdict,
            };
            let verdict = match verdict {
                Verdict::Better => "higher".to_owned(),
                Verdict::Worse => "lower".to_owned(),
                other => other.to_string(),
            };
            let interval = |end: fn(crate::stats::Interval) -> f64| {
                Cell::number(one.interval.ok().map(|interval| scale * end(interval)), 2)
            };
            let cells = vec![
                Cell::Text(name.clone()),
                label(results, one.first),
                label(results, one.second),
                Cell::Text(verdict),
                Cell::number((!one.projects.is_empty()).then_some(scale * one.difference), 2),
                interval(|i| i.low),
                interval(|i| i.high),
                Cell::number(one.p.and_then(Result::ok).map(|p| p.value), 4),
                Cell::number(one.p_holm, 4),
                Cell::Count(one.projects.len()),
            ];
            let runs = one.projects.iter().flat_map(|&project| {
                [one.first, one.second].into_iter().flat_map(move |a| samples.runs(project, a))
            });
            table.push_with_runs(cells, runs.copied());
        }
    }
    table
}

fn rule() -> String {
    format!(
        "p < {LEVEL} in the Wilcoxon signed-rank test over projects, with Holm's correction over all pairs for \
         the criterion or metric; too few: fewer than {MIN_SAMPLE} projects. From, to: 95 % interval over projects \
         (Student's t)."
    )
}

/// Coverage by each of these criteria, and the verdicts on pairs of algorithms by each criterion.
pub fn criteria(results: &Results, all: &[Measured]) -> [CaptionedTable; 2] {
    let what = ("criterion", "Criterion");
    let caption = "Coverage by each criterion; all other sections are about the first one. Mean over projects \
                   of the mean over their runs with its 95 % interval over projects like these (Student's t); median, minimum and maximum over runs.";
    [
        CaptionedTable {
            name: "criteria",
            title: "Coverage by criterion".to_owned(),
            caption: caption.to_owned(),
            table: by_algorithm(results, what, all, true),
        },
        CaptionedTable {
            name: "criteria-decisions",
            title: "Verdicts by criterion".to_owned(),
            caption: format!(
                "Mean over projects of the difference in mean coverage by each criterion after the first, in percentage \
                 points. Higher and lower: {}",
                rule()
            ),
            table: by_pair(results, what, all, true),
        },
    ]
}

/// Each of these metrics of the runs, and the verdicts on pairs of algorithms by each metric.
pub fn metrics(results: &Results, all: &[Measured]) -> [CaptionedTable; 2] {
    let what = ("metric", "Metric");
    [
        CaptionedTable {
            name: "metrics",
            title: "Metrics".to_owned(),
            caption: "Additional numbers of runs by name. Mean over projects of the mean over their runs with its 95 % \
                      interval over projects like these (Student's t); median, minimum and maximum over runs."
                .to_owned(),
            table: by_algorithm(results, what, all, false),
        },
        CaptionedTable {
            name: "metrics-decisions",
            title: "Verdicts by metric".to_owned(),
            caption: format!(
                "Mean over projects of the difference of each metric that varies. Whether higher is better depends on the \
                 metric. Higher and lower: {}",
                rule()
            ),
            table: by_pair(results, what, all, false),
        },
    ]
}

/// Maximum number of projects for which metrics are compared by project.
pub const MAX_PROJECTS_BY_METRIC: usize = 100;

/// Each pair of algorithms by each metric that varies, on each project.
pub fn metrics_by_project(results: &Results, varying: &[Measured]) -> Option<CaptionedTable> {
    let mut table = Table::new(&[
        ("metric", "Metric"),
        ("project", "Project"),
        ("first", "First"),
        ("second", "Second"),
        ("median_first", "Median of first"),
        ("median_second", "Median of second"),
        ("a12", "A12"),
        ("low", "from"),
        ("high", "to"),
        ("p", "p"),
        ("p_holm", "p (Holm)"),
    ]);
    if results.projects.len() > MAX_PROJECTS_BY_METRIC {
        return None;
    }
    for (name, samples) in varying {
        for pair in Comparison::pairs(samples) {
            for found in &pair.per_project {
                let median = |algorithm| {
                    let described = Description::of(samples.values(found.project, algorithm)).ok();
                    Cell::number(described.map(|described| described.median), 2)
                };
                let [low, high] = low_high(found.interval, 2);
                let cells = vec![
                    Cell::Text(name.clone()),
                    Cell::Text(results.projects[found.project].name.clone()),
                    label(results, pair.first),
                    label(results, pair.second),
                    median(pair.first),
                    median(pair.second),
                    Cell::Number(found.a12, 2),
                    low,
                    high,
                    Cell::Number(found.p.value, 4),
                    Cell::Number(found.p_holm, 4),
                ];
                let of = |algorithm| samples.runs(found.project, algorithm).iter().copied();
                table.push_with_runs(cells, of(pair.first).chain(of(pair.second)));
            }
        }
    }
    (!table.rows().is_empty()).then(|| CaptionedTable {
        name: "metrics-by-project",
        title: "Metrics by project".to_owned(),
        caption: format!(
            "A12 of each metric that varies with its 95 % confidence interval (DeLong et al., 1988, on the logit scale; n/a \
             for fewer than {MIN_SAMPLE} runs): above 0.5 the first has higher values. p: two-sided, of the Mann-Whitney U \
             test; p (Holm): with Holm's correction over all projects of the pair."
        ),
        table,
    })
}

/// The relative score and the first places of each algorithm.
pub fn scores(results: &Results, samples: &Samples, all: &[Score]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("score", "Relative score"),
        ("low", "from"),
        ("high", "to"),
        ("here_low", "Here from"),
        ("here_high", "to"),
        ("firsts", "Firsts"),
        ("firsts_low", "from"),
        ("firsts_high", "to"),
        ("projects", "Projects"),
    ]);
    for one in all {
        let [low, high] = low_high(one.interval.map(|found| scaled(within(found, 1.0))), 2);
        let here = one.here.map(scaled);
        let firsts = one.firsts_here;
        let cells = vec![
            label(results, one.algorithm),
            Cell::Number(100.0 * one.mean, 2),
            low,
            high,
            Cell::number(here.map(|here| here.low), 2),
            Cell::number(here.map(|here| here.high), 2),
            Cell::Count(one.firsts),
            Cell::number(firsts.map(|firsts| firsts.low), 0),
            Cell::number(firsts.map(|firsts| firsts.high), 0),
            Cell::Count(one.projects.len()),
        ];
        let runs = one.projects.iter().flat_map(|&project| samples.runs(project, one.algorithm));
        table.push_with_runs(cells, runs.copied());
    }
    CaptionedTable {
        name: "scores",
        title: "Relative scores and first places".to_owned(),
        caption: format!(
            "Relative score: mean over projects of the median coverage divided by the highest median of an algorithm on the \
             project, 100 for the best on all (as in reports of FuzzBench; Metzman et al., 2021). From, to: 95 % \
             interval over projects like these (Student's t); here: over exactly these projects, where only runs vary \
             (bootstrap over runs; n/a for fewer than {MIN_SAMPLE} runs of an algorithm on a project). Firsts: projects on which no algorithm has a \
             higher median (shared places count for each); from, to: on exactly these projects."
        ),
        table,
    }
}

fn within(interval: crate::stats::Interval, most: f64) -> crate::stats::Interval {
    crate::stats::Interval { low: interval.low.max(0.0), high: interval.high.min(most) }
}

fn scaled(interval: crate::stats::Interval) -> crate::stats::Interval {
    crate::stats::Interval { low: 100.0 * interval.low, high: 100.0 * interval.high }
}

/// The score of each algorithm on each project.
pub fn scores_by_project(results: &Results, samples: &Samples, all: &[Score]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("algorithm", "Algorithm"),
        ("median", "Median"),
        ("score", "Relative score"),
        ("runs", "Runs"),
    ]);
    let projects = all.first().map(|one| &one.projects[..]).unwrap_or_default();
    for (at, &project) in projects.iter().enumerate() {
        for one in all {
            let runs = samples.runs(project, one.algorithm);
            let (median, score) = one.by_project[at];
            let cells = vec![
                Cell::Text(results.projects[project].name.clone()),
                label(results, one.algorithm),
                Cell::Share(median, 2),
                Cell::Number(100.0 * score, 2),
                Cell::Count(runs.len()),
            ];
            table.push_with_runs(cells, runs.iter().copied());
        }
    }
    CaptionedTable {
        name: "scores-by-project",
        title: "Relative scores by project".to_owned(),
        caption: format!(
            "Median share of the {} that runs cover, and this share divided by the highest median of the project.",
            goals(&results.subject)
        ),
        table,
    }
}
