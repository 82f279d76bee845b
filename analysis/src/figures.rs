//! Every figure of a study, ready to be shown: the findings drawn, with a title, and a
//! caption with units, numbers of values and medians.

use crate::comparison::{Comparison, Correction, Samples};
use crate::figure::boxes::{self, Cluster, figure as digits};
use crate::figure::chart::Axis;
use crate::figure::scatter::{self, Cloud, Extras};
use crate::figure::{bars, coverage_over_time, effects, histogram, lines, ranks, violins};
use crate::findings::{
    Calibration, Convergence, Milestone, Mutation, Ranking, Relation, Speed, Suites, Trivial,
};
use crate::progress::Progress;
use crate::sheets::unit;
use crate::stats::{Description, mean, pearson};
use crate::tidy::{Clock, Results};

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

/// With more algorithms than this, figures of single pairs show those with the first one.
const ALL_PAIRS: usize = 4;

/// The pairs that are shown one by one.
fn shown<'a>(results: &Results, pairs: &'a [Comparison]) -> impl Iterator<Item = &'a Comparison> {
    let few = results.algorithms.len() <= ALL_PAIRS;
    pairs.iter().filter(move |pair| !pair.duels.is_empty() && (few || pair.second == 0))
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
    let most = samples.iter().map(|s| s.2.len()).max()?;
    let cluster = |(number, label, values): &(usize, String, Vec<f64>)| Cluster {
        label: label.clone(),
        boxes: vec![(*number, values.clone())],
    };
    let clusters: Vec<Cluster> = samples.iter().map(cluster).collect();
    let note = format!("n ≤ {most} {of} each; number: median, diamond: mean");
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
    algorithm_boxes("coverage-boxes", "Coverage", axis, &values, ("runs", " %"), about)
}

/// Coverage of each algorithm as violins (Pynguin paper, figure 2).
pub fn coverage_violins(results: &Results, samples: &Samples) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| percent(samples.pooled(algorithm).0));
    let most = values.iter().map(|v| v.2.len()).max()?;
    let violins: Vec<_> = values.into_iter().map(|(_, label, values)| (label, values)).collect();
    let told = medians(violins.iter().map(|v| (v.0.as_str(), &v.1[..])), " %");
    Some(Figure {
        name: "coverage-violins".to_owned(),
        title: "Distribution of coverage".to_owned(),
        caption: format!("Density of the coverage of runs; thick: quartiles. {told}"),
        svg: violins::draw(
            Axis::percent("Coverage (%)"),
            &violins,
            None,
            &format!("n ≤ {most} runs each; number: median, diamond: mean"),
        ),
    })
}

/// Effect sizes over projects of each pair (Whisker paper, figures 18 and 27).
fn effect_violins(
    results: &Results,
    pairs: &[Comparison],
    name: &str,
    title: &str,
    about: &str,
) -> Option<Figure> {
    let violins: Vec<(String, Vec<f64>)> = shown(results, pairs)
        .map(|pair| (against(results, pair), pair.duels.iter().map(|d| d.a12).collect()))
        .collect();
    let most = violins.iter().map(|v| v.1.len()).max()?;
    let told = medians(violins.iter().map(|v| (v.0.as_str(), &v.1[..])), "");
    Some(Figure {
        name: name.to_owned(),
        title: title.to_owned(),
        caption: format!("{about} {told}"),
        svg: violins::draw(
            Axis::exact("A12", 0.0, 1.0),
            &violins,
            Some(0.5),
            &format!("n ≤ {most} projects each; number: median, diamond: mean"),
        ),
    })
}

/// Effect sizes of coverage (Whisker paper, figure 18).
pub fn effect_sizes(results: &Results, pairs: &[Comparison]) -> Option<Figure> {
    let about = "A12 of coverage on each project; above 0.5 (dashed) the first of a pair covers \
                 more.";
    effect_violins(results, pairs, "effect-sizes", "Effect sizes", about)
}

/// Effect sizes of the sizes of suites (Whisker paper, figure 27).
pub fn suite_effects(results: &Results, suites: &Suites) -> Option<Figure> {
    let about = "A12 of the number of events in suites, on projects that all cover alike; below \
                 0.5 (dashed) the first of a pair has the smaller ones.";
    effect_violins(results, &suites.comparisons, "suite-effects", "Effect sizes of suites", about)
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

/// Coverage over the budget (Whisker paper, figure 20).
pub fn progress(results: &Results, progress: &Progress) -> Figure {
    let end = |curve: &crate::progress::Curve| {
        let last = curve.points.last().map_or(0.0, |point| point.mean);
        format!("{} {:.1} %", results.algorithms[curve.algorithm], last * 100.0)
    };
    let ends: Vec<String> = progress.curves.iter().map(end).collect();
    Figure {
        name: "coverage-over-time".to_owned(),
        title: "Coverage over time".to_owned(),
        caption: format!(
            "Mean over {} projects of the mean over their runs; in the end {}.",
            progress.projects,
            ends.join(", ")
        ),
        svg: coverage_over_time(progress, &results.algorithms),
    }
}

fn budget_axis(clock: Clock, milestones: &[Milestone]) -> Option<Axis> {
    let (first, last) = (milestones.first()?.at, milestones.last()?.at);
    Some(Axis::log(&format!("Budget ({})", unit(clock)), first as f64, last as f64))
}

/// Mean effect sizes as a function of the budget.
pub fn effect_over_budget(
    results: &Results,
    clock: Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let series = over_budget(results, milestones, Comparison::mean_a12);
    let values = series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (low, high) = values.fold((0.5_f64, 0.5_f64), |(l, h), v| (l.min(v), h.max(v)));
    if series.is_empty() {
        return None;
    }
    let n = milestones.last()?.comparisons.iter().map(|c| c.duels.len()).max()?;
    let y = Axis::round("Mean A12", low - 0.02, high + 0.02);
    Some(Figure {
        name: "effect-over-budget".to_owned(),
        title: "Effect size by budget".to_owned(),
        caption: format!(
            "Mean A12 over {n} projects if every search had ended there; above 0.5 (dashed) the \
             first of a pair covers more."
        ),
        svg: lines::draw(
            budget_axis(clock, milestones)?,
            y,
            &series,
            Some(0.5),
            &note(n, "project"),
        ),
    })
}

/// Numbers of significant differences as a function of the budget.
pub fn significance_over_budget(
    results: &Results,
    clock: Clock,
    milestones: &[Milestone],
) -> Option<Figure> {
    let share = |pair: &Comparison| {
        let counts = pair.counts(Correction::None);
        let found = counts.significantly_better + counts.significantly_worse;
        (!pair.duels.is_empty()).then(|| found as f64 / pair.duels.len() as f64 * 100.0)
    };
    let series = over_budget(results, milestones, share);
    let highest = series.iter().flat_map(|s| &s.points).map(|p| p.1).fold(10.0, f64::max);
    if series.is_empty() {
        return None;
    }
    let n = milestones.last()?.comparisons.iter().map(|c| c.duels.len()).max()?;
    let y = Axis::round("Projects that differ (%)", 0.0, highest);
    Some(Figure {
        name: "significance-over-budget".to_owned(),
        title: "Significance by budget".to_owned(),
        caption: format!(
            "Share of {n} projects on which a pair differs significantly (Mann-Whitney U, \
             p < 0.05) if every search had ended there; chance alone finds 5 % (dashed) at most."
        ),
        svg: lines::draw(
            budget_axis(clock, milestones)?,
            y,
            &series,
            Some(5.0),
            &note(n, "project"),
        ),
    })
}

fn over_budget(
    results: &Results,
    milestones: &[Milestone],
    value: impl Fn(&Comparison) -> Option<f64>,
) -> Vec<lines::Series> {
    let Some(last) = milestones.last() else { return Vec::new() };
    let one = |(number, pair): (usize, &Comparison)| lines::Series {
        label: against(results, pair),
        number,
        points: milestones
            .iter()
            .filter_map(|milestone| {
                let mut same = milestone.comparisons.iter();
                let same = same.find(|c| (c.first, c.second) == (pair.first, pair.second))?;
                Some((milestone.at as f64, value(same)?))
            })
            .collect(),
    };
    shown(results, &last.comparisons).enumerate().map(one).collect()
}

/// What runs need to reach shares of their final coverage.
pub fn convergence(results: &Results, clock: Clock, rows: &[Convergence]) -> Option<Figure> {
    let series: Vec<lines::Series> = rows
        .chunk_by(|a, b| a.algorithm == b.algorithm)
        .filter_map(|rows| {
            let point = |row: &Convergence| {
                Some((row.share * 100.0, row.spent.as_ref().ok()?.median.max(1.0)))
            };
            let points: Vec<_> = rows.iter().filter_map(point).collect();
            let number = rows.first()?.algorithm;
            (!points.is_empty()).then(|| lines::Series {
                label: results.algorithms[number].clone(),
                number,
                points,
            })
        })
        .collect();
    let spent = series.iter().flat_map(|s| s.points.iter().map(|p| p.1));
    let (low, high) = spent.fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if series.is_empty() {
        return None;
    }
    let x = Axis::exact("Share of the final coverage (%)", 50.0, 100.0);
    let y = Axis::log(&format!("Median {}", unit(clock)), low, high);
    let n = rows.iter().map(|row| row.runs.len()).max()?;
    Some(Figure {
        name: "convergence".to_owned(),
        title: "Convergence".to_owned(),
        caption: format!(
            "Median {} until a run has 50, 90, 95, 99 and 100 % of what it covers in the end; \
             n ≤ {n} runs of each algorithm.",
            unit(clock)
        ),
        svg: lines::draw(x, y, &series, None, &format!("n ≤ {n} runs each; medians")),
    })
}

/// Coverage of the baseline (Whisker paper, figure 13).
pub fn baseline_coverage(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let values: Vec<f64> = trivial.projects.iter().map(|p| p.coverage * 100.0).collect();
    let d = Description::of(&values).ok()?;
    let label = &results.algorithms[trivial.algorithm];
    let axis = format!("{label}: mean coverage (%)");
    Some(Figure {
        name: "baseline-coverage".to_owned(),
        title: format!("Coverage of {label}"),
        caption: format!(
            "Mean coverage of {label} on each project. n = {}, median {} % (dashed), mean {} %.",
            d.n,
            digits(d.median),
            digits(d.mean)
        ),
        svg: histogram::draw(&axis, "Projects", &values, false, &note(d.n, "project")),
    })
}

/// Size, executions and coverage of the baseline (Whisker paper, figure 14).
pub fn difficulty(results: &Results, trivial: &Trivial) -> Option<Figure> {
    let label = &results.algorithms[trivial.algorithm];
    let kinds = ["all of it", "90 % and more", "50 % and more", "less"];
    let mut clouds: Vec<Cloud> = kinds
        .iter()
        .enumerate()
        .map(|(series, kind)| Cloud {
            label: format!("covers {kind}"),
            series,
            filled: series > 0,
            points: Vec::new(),
        })
        .collect();
    let mut star: Option<(f64, f64)> = None;
    for project in &trivial.projects {
        let Some(size) = project.size else { continue };
        let kind = match project.coverage {
            _ if project.full => 0,
            c if c >= 0.9 => 1,
            c if c >= 0.5 => 2,
            _ => 3,
        };
        let point = (f64::from(size), project.executions.max(1.0));
        clouds[kind].points.push(point);
        if !project.full && star.is_none_or(|star| point.1 < star.1) {
            star = Some(point);
        }
    }
    let points = || clouds.iter().flat_map(|cloud| &cloud.points);
    let n = points().count();
    let range = |of: fn(&(f64, f64)) -> f64| {
        points().map(of).fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)))
    };
    if n == 0 {
        return None;
    }
    let (x, y) = (range(|p| p.0), range(|p| p.1));
    let axes =
        (Axis::log("Goals (statements)", x.0, x.1), Axis::log("Mean test executions", y.0, y.1));
    let extras = Extras { star, ..Extras::default() };
    Some(Figure {
        name: "difficulty".to_owned(),
        title: format!("Size, executions and coverage of {label}"),
        caption: format!(
            "Each of {n} projects by its goals and the mean executions of {label} until full \
             coverage or the end of the budget. Star: the threshold, the project with the fewest \
             executions that is not covered entirely; {} below it are trivial.",
            trivial.count()
        ),
        svg: scatter::draw(axes.0, axes.1, &clouds, &extras, &note(n, "project")),
    })
}

/// Coverage against a measure of projects (Pynguin paper, figures 4 and 5).
pub fn relation(
    results: &Results,
    (name, measure): (&str, &str),
    rows: &[Relation],
) -> Option<Figure> {
    let rows: Vec<&Relation> = rows.iter().filter(|row| !row.points.is_empty()).collect();
    let x = || rows.iter().flat_map(|row| row.points.iter().map(|p| p.0));
    let (low, high) = x().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    let n = rows.iter().map(|row| row.points.len()).max()?;
    let clouds: Vec<Cloud> = rows
        .iter()
        .map(|row| Cloud {
            label: results.algorithms[row.algorithm].clone(),
            series: row.algorithm,
            filled: false,
            points: row.points.iter().map(|p| (p.0, p.1 * 100.0)).collect(),
        })
        .collect();
    let axis = Axis::round(measure, low, high);
    let (from, to) = axis.ends();
    let line = |row: &&Relation| {
        let line = row.line.ok()?;
        Some((row.algorithm, [from, to].map(|x| (x, line.at(x) * 100.0))))
    };
    let told: Vec<String> = rows
        .iter()
        .filter_map(|row| {
            let r = row.pearson.ok()?;
            Some(format!(
                "{} r = {:.2}, p = {:.1e}",
                results.algorithms[row.algorithm], r.r, r.p.value
            ))
        })
        .collect();
    let extras = Extras { lines: rows.iter().filter_map(line).collect(), ..Extras::default() };
    let y = Axis::percent("Mean coverage (%)");
    Some(Figure {
        name: file_name(&["coverage-against", name]),
        title: format!("Coverage against {}", measure.to_lowercase()),
        caption: format!(
            "Mean coverage of each of {n} projects, with the line that least squares fit. \
             Pearson: {}.",
            told.join("; ")
        ),
        svg: scatter::draw(axis, y, &clouds, &extras, &note(n, "project")),
    })
}

/// Real time of a test execution (Whisker paper, figure 22).
pub fn execution_times(results: &Results) -> Option<Figure> {
    let of = |algorithm: usize| {
        let own = results.runs.iter().filter(|run| run.algorithm as usize == algorithm);
        let time = |run: &crate::tidy::Run| {
            let executions = run.executions.filter(|&n| n > 0)?;
            Some(run.search_ms? as f64 / executions as f64)
        };
        own.filter_map(time).filter(|&ms| ms > 0.0).collect()
    };
    let values = by_algorithm(results, of);
    let all = || values.iter().flat_map(|v| &v.2).copied();
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if values.is_empty() {
        return None;
    }
    let axis = Axis::log("ms an execution", low, high);
    let about = "Mean real time of a test execution in each search, on a logarithmic scale.";
    algorithm_boxes("execution-times", "Test execution time", axis, &values, ("runs", " ms"), about)
}

/// Program time over real time (Whisker paper, figure 12).
pub fn acceleration(results: &Results, rows: &[Speed]) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| {
        rows[algorithm].factors.iter().copied().filter(|&f| f > 0.0).collect()
    });
    let all = || values.iter().flat_map(|v| &v.2).copied();
    let (low, high) = all().fold((f64::MAX, f64::MIN), |(l, h), v| (l.min(v), h.max(v)));
    if values.is_empty() {
        return None;
    }
    let axis = Axis::log("Times as fast as Scratch", low, high);
    let about = "Program time over real time of each search, on a logarithmic scale.";
    algorithm_boxes("acceleration", "Acceleration", axis, &values, ("runs", ""), about)
}

/// Sizes of suites where all cover the same (Whisker paper, figure 26).
pub fn suite_sizes(results: &Results, suites: &Suites) -> Option<Figure> {
    let values = by_algorithm(results, |algorithm| suites.samples.pooled(algorithm).0);
    let most = values.iter().flat_map(|v| &v.2).copied().fold(1.0, f64::max);
    let axis = Axis::round("Events of a suite", 0.0, most);
    let about = format!(
        "Events of the final suites on the {} projects that all algorithms cover alike.",
        suites.projects.len()
    );
    algorithm_boxes("suite-sizes", "Sizes of suites", axis, &values, ("runs", ""), &about)
}

/// Lengths of tests on all projects (Whisker paper, figure 28).
pub fn test_lengths(results: &Results) -> Option<Figure> {
    let of = |algorithm: usize| {
        let own = results.runs.iter().filter(|run| run.algorithm as usize == algorithm);
        let length = |run: &crate::tidy::Run| {
            run.coverage()?;
            let tests = run.suite_tests.filter(|&tests| tests > 0)?;
            Some(f64::from(run.suite_events?) / f64::from(tests))
        };
        own.filter_map(length).collect()
    };
    let values = by_algorithm(results, of);
    let most = values.iter().flat_map(|v| &v.2).copied().fold(1.0, f64::max);
    let axis = Axis::round("Events of a test", 0.0, most);
    let about =
        "Mean number of events of a test in each suite, the waits between them not counted.";
    algorithm_boxes("test-lengths", "Lengths of tests", axis, &values, ("runs", ""), about)
}

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
    let mut clusters: Vec<Cluster> = mutation
        .operators
        .iter()
        .enumerate()
        .map(|(operator, name)| cluster(name, &|algorithm| scores(algorithm, Some(operator))))
        .collect();
    clusters.push(cluster("all", &|algorithm| scores(algorithm, None)));
    clusters.push(cluster("false pos.", &|algorithm| {
        let totals = mutation.totals().find(|k| k.algorithm == algorithm);
        let runs = totals.map_or(&[][..], |kills| &kills.runs);
        runs.iter().filter_map(|&run| mutation.false_positives[run as usize]).collect()
    }));
    let n = mutation.totals().map(|k| k.scores.len()).max()?;
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
            "Killed mutants of each run by mutation operator, and tests of its suite that fail \
             on the unchanged project. Over all runs: {}.",
            whole.join(", ")
        ),
        svg: boxes::draw(
            Axis::percent("Killed (%)"),
            &clusters,
            &legend,
            &format!("n ≤ {n} runs each; line: median, diamond: mean"),
        ),
    })
}

/// Distribution of mutation scores (Pynguin paper, figure 7).
pub fn mutation_violins(results: &Results, mutation: &Mutation) -> Option<Figure> {
    let violins: Vec<(String, Vec<f64>)> = mutation
        .totals()
        .filter(|kills| !kills.scores.is_empty())
        .map(|kills| (results.algorithms[kills.algorithm].clone(), percent(kills.scores.clone())))
        .collect();
    let most = violins.iter().map(|v| v.1.len()).max()?;
    let told = medians(violins.iter().map(|v| (v.0.as_str(), &v.1[..])), " %");
    Some(Figure {
        name: "mutation-violins".to_owned(),
        title: "Distribution of mutation scores".to_owned(),
        caption: format!("Density of the mutation scores of runs. {told}"),
        svg: violins::draw(
            Axis::percent("Mutation score (%)"),
            &violins,
            None,
            &format!("n ≤ {most} runs each; number: median, diamond: mean"),
        ),
    })
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
            told.push(format!("{label} r = {:.2}, p = {:.1e} (n = {})", r.r, r.p.value, x.len()));
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

/// Real comparisons beside those of algorithms with themselves.
pub fn calibration(
    results: &Results,
    pairs: &[Comparison],
    calibrations: &[Calibration],
) -> Option<Figure> {
    let of = |comparison: &Comparison| comparison.duels.iter().map(|d| d.a12).collect::<Vec<_>>();
    let own = calibrations.iter().map(|row| {
        let label = &results.algorithms[row.algorithm];
        (format!("{label} vs itself"), of(&row.comparison))
    });
    let real = shown(results, pairs).map(|pair| (against(results, pair), of(pair)));
    let violins: Vec<(String, Vec<f64>)> = own.chain(real).collect();
    let most = violins.iter().map(|v| v.1.len()).max().filter(|_| !calibrations.is_empty())?;
    Some(Figure {
        name: "calibration".to_owned(),
        title: "Chance, and what is more".to_owned(),
        caption: "A12 of coverage on each project: each algorithm against itself (every second \
                  run against the others), then the real comparisons. What is as wide as the \
                  former may be chance."
            .to_owned(),
        svg: violins::draw(
            Axis::exact("A12", 0.0, 1.0),
            &violins,
            Some(0.5),
            &format!("n ≤ {most} projects each; number: median, diamond: mean"),
        ),
    })
}
