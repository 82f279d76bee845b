//! Every table of a study, ready to be shown: the findings put into cells, with a title, a
//! caption that says how the numbers came about, and the runs behind each of them.

mod chance;
mod dataset;
mod mutation;
mod speed;

pub use chance::calibration;
pub use dataset::dataset;
pub use mutation::mutation;
pub use speed::speed;

use crate::comparison::{Comparison, Correction, LEVEL, MeanCoverage, Samples};
use crate::findings::{
    Configuration, Convergence, Cost, Milestone, Missing, PooledPair, Ranking, Relation, Suites,
    Trivial,
};
use crate::stats::{Description, Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::tidy::{Clock, Error, Results};

/// A table with its name and what to know about it.
#[derive(Clone, Debug)]
pub struct Sheet {
    /// For files.
    pub name: &'static str,
    /// One line for people.
    pub title: String,
    /// How the numbers came about; may be empty.
    pub caption: String,
    /// The table.
    pub table: Table,
}

fn label(results: &Results, algorithm: usize) -> Cell {
    Cell::Text(results.algorithms[algorithm].clone())
}

fn low_high(interval: Result<Interval, Unavailable>, decimals: usize) -> [Cell; 2] {
    [
        Cell::number(interval.ok().map(|i| i.low), decimals),
        Cell::number(interval.ok().map(|i| i.high), decimals),
    ]
}

pub(crate) fn unit(clock: Clock) -> &'static str {
    match clock {
        Clock::Executions => "test executions",
        Clock::Steps => "steps",
        Clock::Wall => "milliseconds",
    }
}

/// Mean coverage of each algorithm.
pub fn algorithms(results: &Results, samples: &Samples) -> Sheet {
    let means = MeanCoverage::all(samples);
    let complete = means.iter().all(|mean| mean.mean == mean.common);
    let mut columns = vec![
        ("algorithm", "Algorithm"),
        ("mean", "Mean"),
        ("projects", "Projects"),
        ("runs", "Runs"),
    ];
    // Only where runs are missing do the means of shared projects say more.
    if !complete {
        columns.push(("mean_common", "Mean on shared projects"));
    }
    let mut table = Table::new(&columns);
    for mean in &means {
        let mut row = vec![
            label(results, mean.algorithm),
            Cell::share(mean.mean, 2),
            Cell::Count(mean.projects),
            Cell::Count(mean.runs),
        ];
        if !complete {
            row.push(Cell::share(mean.common, 2));
        }
        table.push_explained(row, samples.pooled(mean.algorithm).1);
        let shared = (0..samples.projects()).filter(|&project| samples.complete(project));
        let runs = shared.flat_map(|project| samples.runs(project, mean.algorithm));
        table.explain("mean_common", runs.copied());
    }
    Sheet {
        name: "algorithms",
        title: "Mean coverage".to_owned(),
        caption: "Mean over projects of the mean over their runs.".to_owned(),
        table,
    }
}

/// Coverage of each configuration over all runs, and effect sizes over all runs.
pub fn configurations(results: &Results, samples: &Samples) -> Sheet {
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
        table.push_explained(cells, row.runs);
    }
    let pairs: Vec<String> = PooledPair::all(samples)
        .iter()
        .map(|pair| {
            let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
            format!("{first} against {second} {:.3} (p = {:.2e})", pair.a12, pair.p.value)
        })
        .collect();
    let effects = if pairs.is_empty() {
        String::new()
    } else {
        format!(" A12 over all runs together: {}.", pairs.join(", "))
    };
    Sheet {
        name: "configurations",
        title: "Coverage over all runs".to_owned(),
        caption: format!("Every run counts once, as in Table 2 of the Pynguin paper.{effects}"),
        table,
    }
}

/// Each pair of algorithms, as Table 6 of the Whisker paper.
pub fn table6(results: &Results, samples: &Samples, comparisons: &[Comparison]) -> Sheet {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("mean_a12", "A12"),
        ("a12_low", "from"),
        ("a12_high", "to"),
        ("significantly_better", "Sig. better"),
        ("better", "Better"),
        ("equal", "Equal"),
        ("worse", "Worse"),
        ("significantly_worse", "Sig. worse"),
        ("holm_better", "Holm better"),
        ("holm_worse", "Holm worse"),
        ("bh_better", "BH better"),
        ("bh_worse", "BH worse"),
        ("missing", "Missing"),
        ("too_few_runs", "Too few runs"),
    ]);
    for row in comparisons {
        let counts = row.counts(Correction::None);
        let holm = row.counts(Correction::Holm);
        let shares = row.counts(Correction::BenjaminiHochberg);
        let [low, high] = low_high(row.mean_interval(), 2);
        let cells = vec![
            label(results, row.first),
            label(results, row.second),
            Cell::number(row.mean_a12(), 2),
            low,
            high,
            Cell::Count(counts.significantly_better),
            Cell::Count(counts.better),
            Cell::Count(counts.equal),
            Cell::Count(counts.worse),
            Cell::Count(counts.significantly_worse),
            Cell::Count(holm.significantly_better),
            Cell::Count(holm.significantly_worse),
            Cell::Count(shares.significantly_better),
            Cell::Count(shares.significantly_worse),
            Cell::Count(row.missing),
            Cell::Count(row.too_few_runs()),
        ];
        table.push_explained(cells, row.runs(samples, |_| true));
        let corrections = [
            ("significantly_better", "significantly_worse", Some(Correction::None)),
            ("holm_better", "holm_worse", Some(Correction::Holm)),
            ("bh_better", "bh_worse", Some(Correction::BenjaminiHochberg)),
            ("better", "worse", None),
        ];
        for (better, worse, correction) in corrections {
            for (column, ordering) in
                [(better, std::cmp::Ordering::Greater), (worse, std::cmp::Ordering::Less)]
            {
                let runs = row.runs(samples, move |duel| {
                    duel.ordering() == ordering
                        && correction.is_none_or(|correction| duel.significant(correction))
                });
                table.explain(column, runs);
            }
        }
        table.explain("equal", row.runs(samples, |duel| duel.ordering().is_eq()));
        table.explain("too_few_runs", row.runs(samples, |duel| !duel.could_be_significant()));
        table.explain("missing", []);
    }
    Sheet {
        name: "table6",
        title: "Pairs of algorithms".to_owned(),
        caption: format!(
            "Coverage of the first against the second: mean A12 over projects with its 95 % \
             bootstrap interval, and numbers of projects by result (Mann-Whitney U, \
             p < {LEVEL}). Holm and BH: the same after the corrections of Holm and of Benjamini \
             and Hochberg within the projects of the row."
        ),
        table,
    }
}

/// Each pair of algorithms, project by project.
pub fn duels(results: &Results, samples: &Samples, comparisons: &[Comparison]) -> Sheet {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("first", "First"),
        ("second", "Second"),
        ("runs_first", "Runs"),
        ("runs_second", "Runs"),
        ("a12", "A12"),
        ("a12_low", "from"),
        ("a12_high", "to"),
        ("magnitude", "Magnitude"),
        ("u1", "U"),
        ("p", "p"),
        ("method", "Method"),
        ("p_holm", "p (Holm)"),
        ("p_bh", "p (BH)"),
    ]);
    for row in comparisons {
        for duel in &row.duels {
            let project = &results.projects[duel.project];
            let [low, high] = low_high(duel.interval, 2);
            let cells = vec![
                Cell::Text(project.name.clone()),
                Cell::Text(project.digest.clone()),
                label(results, row.first),
                label(results, row.second),
                Cell::Count(duel.runs.0),
                Cell::Count(duel.runs.1),
                Cell::Number(duel.a12, 2),
                low,
                high,
                Cell::Text(duel.magnitude.to_string()),
                Cell::Number(duel.u1, 1),
                Cell::Number(duel.p.value, 4),
                Cell::Text(duel.p.method.to_string()),
                Cell::Number(duel.p_holm, 4),
                Cell::Number(duel.p_benjamini_hochberg, 4),
            ];
            let of = |algorithm| samples.runs(duel.project, algorithm).iter().copied();
            table.push_explained(cells, of(row.first).chain(of(row.second)));
        }
    }
    Sheet {
        name: "comparisons",
        title: "Pairs of algorithms, project by project".to_owned(),
        caption: "A12 with its 95 % logit DeLong interval; magnitude by Vargha and Delaney \
                  (.56, .64, .71); p two-sided by Mann and Whitney, corrected within the \
                  projects of a pair."
            .to_owned(),
        table,
    }
}

/// Mean ranks of the algorithms; none if they cannot be ranked.
pub fn ranks(results: &Results, samples: &Samples) -> Option<Sheet> {
    let ranking = Ranking::new(samples).ok()?;
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_rank", "Mean rank"),
        ("best", "Against the best"),
        ("p", "p (Nemenyi)"),
    ]);
    let ranks = &ranking.nemenyi.mean_ranks;
    let mut order: Vec<usize> = (0..ranks.len()).collect();
    order.sort_by(|&a, &b| ranks[a].total_cmp(&ranks[b]));
    for &place in &order {
        let algorithm = ranking.algorithms[place];
        let runs = ranking.projects.iter().flat_map(|&project| samples.runs(project, algorithm));
        let cells = vec![
            label(results, algorithm),
            Cell::Number(ranks[place], 3),
            Cell::Number(ranks[place] - ranks[order[0]], 3),
            Cell::Number(ranking.nemenyi.p(order[0], place).value, 4),
        ];
        table.push_explained(cells, runs.copied());
        table.explain("p", ranking.runs.iter().copied());
    }
    let friedman = match ranking.friedman {
        Ok(test) => format!("Friedman χ² = {:.2}, p = {:.2e}", test.statistic, test.p.value),
        Err(reason) => format!("no Friedman test: {reason}"),
    };
    Some(Sheet {
        name: "ranks",
        title: "Mean ranks".to_owned(),
        caption: format!(
            "Ranks by mean coverage on {} projects that all have runs on, 1 for the best. \
             {friedman}; mean ranks {:.3} apart differ significantly (Nemenyi, p < {LEVEL}).",
            ranking.projects.len(),
            ranking.critical_difference
        ),
        table,
    })
}

/// Each pair of algorithms after parts of the budget.
pub fn milestones(results: &Results, clock: Clock, milestones: &[Milestone]) -> Sheet {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("at", "Budget"),
        ("mean_a12", "A12"),
        ("significantly_better", "Sig. better"),
        ("better", "Better"),
        ("equal", "Equal"),
        ("worse", "Worse"),
        ("significantly_worse", "Sig. worse"),
    ]);
    for pair in 0..milestones.first().map_or(0, |m| m.comparisons.len()) {
        for milestone in milestones {
            let row = &milestone.comparisons[pair];
            let counts = row.counts(Correction::None);
            let cells = vec![
                label(results, row.first),
                label(results, row.second),
                Cell::Count(milestone.at as usize),
                Cell::number(row.mean_a12(), 2),
                Cell::Count(counts.significantly_better),
                Cell::Count(counts.better),
                Cell::Count(counts.equal),
                Cell::Count(counts.worse),
                Cell::Count(counts.significantly_worse),
            ];
            table.push_explained(cells, row.runs(&milestone.samples, |_| true));
        }
    }
    Sheet {
        name: "budget",
        title: "Pairs of algorithms by budget".to_owned(),
        caption: format!("What the comparison would be with a budget of so many {}.", unit(clock)),
        table,
    }
}

/// What it takes to reach shares of the final coverage.
pub fn convergence(results: &Results, clock: Clock, rows: &[Convergence]) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("share", "Of the final coverage"),
        ("lower_quartile", "Lower quartile"),
        ("median", "Median"),
        ("upper_quartile", "Upper quartile"),
        ("mean", "Mean"),
        ("runs", "Runs"),
    ]);
    for row in rows {
        let of = |value: fn(&Description) -> f64| row.spent.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::Share(row.share, 0),
            Cell::number(of(|d| d.lower_quartile), 1),
            Cell::number(of(|d| d.median), 1),
            Cell::number(of(|d| d.upper_quartile), 1),
            Cell::number(of(|d| d.mean), 1),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
    }
    Sheet {
        name: "convergence",
        title: "Convergence".to_owned(),
        caption: format!(
            "How many {} a run needs to reach a share of what it covers in the end.",
            unit(clock)
        ),
        table,
    }
}

/// Projects that the baseline covers with hardly any execution; none without runs.
pub fn trivial(results: &Results) -> Option<Sheet> {
    let trivial = Trivial::new(results, Trivial::baseline(results)?);
    if trivial.projects.is_empty() {
        return None;
    }
    let mut table = Table::new(&[
        ("project", "Project"),
        ("project_digest", "Digest"),
        ("goals", "Goals"),
        ("executions", "Executions"),
        ("coverage", "Coverage"),
        ("trivial", "Trivial"),
    ]);
    for project in &trivial.projects {
        let of = &results.projects[project.project];
        let cells = vec![
            Cell::Text(of.name.clone()),
            Cell::Text(of.digest.clone()),
            project.size.map_or(Cell::Missing, |n| Cell::Count(n as usize)),
            Cell::Number(project.executions, 2),
            Cell::Share(project.coverage, 2),
            Cell::Text(if trivial.is_trivial(project) { "yes" } else { "no" }.to_owned()),
        ];
        table.push_explained(cells, project.runs.iter().copied());
    }
    let threshold = match trivial.threshold {
        Some(n) => format!("fewer than {n:.2} executions, the fewest of a project that is not"),
        None => "any number of executions, since every project is".to_owned(),
    };
    Some(Sheet {
        name: "trivial",
        title: "Trivially covered projects".to_owned(),
        caption: format!(
            "{} of {} projects are covered entirely by every run of {} with {threshold}.",
            trivial.count(),
            trivial.projects.len(),
            results.algorithms[trivial.algorithm]
        ),
        table,
    })
}

/// Sizes of suites where coverage is equal.
pub fn suites(results: &Results) -> Sheet {
    let suites = Suites::new(results);
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_events", "Mean events"),
        ("median_events", "Median"),
        ("removed_events", "Removed events"),
        ("mean_tests", "Tests"),
        ("mean_test_events", "Events of a test"),
        ("runs", "Runs"),
    ]);
    for row in &suites.sizes {
        let of = |value: fn(&Description) -> f64| row.events.as_ref().ok().map(value);
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(of(|d| d.mean), 2),
            Cell::number(of(|d| d.median), 1),
            Cell::number(row.removed, 2),
            Cell::number(row.tests, 2),
            Cell::number(row.test_events, 2),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs.iter().copied());
        let all = (0_u32..).zip(&results.runs);
        let own = all.filter(|(_, run)| run.algorithm as usize == row.algorithm);
        table.explain("mean_test_events", own.map(|(number, _)| number));
    }
    let effects: Vec<String> = suites
        .comparisons
        .iter()
        .filter_map(|pair| {
            let [first, second] = [pair.first, pair.second].map(|a| &results.algorithms[a]);
            Some(format!("{first} against {second} {:.2}", pair.mean_a12()?))
        })
        .collect();
    let effects = match &effects[..] {
        [] => String::new(),
        some => {
            format!(" Mean A12 of the number of events (below 1/2: smaller): {}.", some.join(", "))
        }
    };
    Sheet {
        name: "suites",
        title: "Sizes of test suites".to_owned(),
        caption: format!(
            "On the {} projects on which all algorithms cover the same; events of a test: on \
             all.{effects}",
            suites.projects.len()
        ),
        table,
    }
}

/// Measures of projects that coverage may depend on, goals and further counts that tools have:
/// names for programs and for people.
pub const MEASURES: [(&str, &str); 3] =
    [("goals", "Goals"), ("lines", "Lines of code"), ("mccabe", "Mean McCabe complexity")];

/// Coverage against size and complexity.
///
/// # Errors
/// [`Error`] if the tables cannot be read.
pub fn relations(results: &Results, samples: &Samples) -> Result<Sheet, Error> {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("measure", "Measure"),
        ("pearson_r", "Pearson's r"),
        ("pearson_p", "p"),
        ("spearman_rho", "Spearman's ρ"),
        ("spearman_p", "p"),
        ("slope", "Slope"),
        ("intercept", "Intercept"),
        ("projects", "Projects"),
    ]);
    for (measure, _) in MEASURES {
        for row in Relation::all(samples, &results.measure(measure)?) {
            if row.projects.is_empty() {
                continue;
            }
            let cells = vec![
                label(results, row.algorithm),
                Cell::Text(measure.to_owned()),
                Cell::number(row.pearson.ok().map(|c| c.r), 3),
                Cell::number(row.pearson.ok().map(|c| c.p.value), 4),
                Cell::number(row.spearman.ok().map(|c| c.r), 3),
                Cell::number(row.spearman.ok().map(|c| c.p.value), 4),
                Cell::number(row.line.ok().map(|l| l.slope), 5),
                Cell::number(row.line.ok().map(|l| l.intercept), 3),
                Cell::Count(row.projects.len()),
            ];
            table.push_explained(cells, row.runs);
        }
    }
    Ok(Sheet {
        name: "relations",
        title: "Coverage against size and complexity".to_owned(),
        caption: "Mean coverage of each project against a measure of it, with the line that \
                  least squares fit."
            .to_owned(),
        table,
    })
}

/// What each algorithm cost.
pub fn cost(results: &Results) -> Sheet {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("core_hours", "Core-hours"),
        ("search_hours", "of them search"),
        ("executions", "Executions"),
        ("steps", "Steps"),
        ("execution_ms", "ms an execution"),
        ("unknown", "Runs of unknown time"),
        ("runs", "Runs"),
    ]);
    let count = |n: Option<u64>| n.map_or(Cell::Missing, |n| Cell::Count(n as usize));
    for row in Cost::all(results) {
        let cells = vec![
            label(results, row.algorithm),
            Cell::number(row.core_hours, 3),
            Cell::number(row.search_hours, 3),
            count(row.executions),
            count(row.steps),
            Cell::number(row.execution_ms, 3),
            Cell::Count(row.unknown),
            Cell::Count(row.runs.len()),
        ];
        table.push_explained(cells, row.runs);
    }
    Sheet {
        name: "cost",
        title: "Cost".to_owned(),
        caption: "Real time of runs, each on a core of its own; failed runs included.".to_owned(),
        table,
    }
}

/// What is missing, and why.
pub fn missing(results: &Results) -> Sheet {
    let missing = Missing::new(results);
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("cause", "Cause"),
        ("reason", "Reason"),
        ("runs", "Runs"),
        ("projects", "Projects"),
        ("example", "Such as"),
    ]);
    for gap in &missing.gaps {
        let example = gap.projects.first().map(|&project| results.projects[project].name.clone());
        let cells = vec![
            label(results, gap.algorithm),
            Cell::Text(gap.cause.words().to_owned()),
            gap.reason.clone().map_or(Cell::Missing, Cell::Text),
            Cell::Count(gap.count),
            Cell::Count(gap.projects.len()),
            example.map_or(Cell::Missing, Cell::Text),
        ];
        table.push_explained(cells, gap.runs.iter().copied());
    }
    for skipped in &missing.skipped {
        table.push(vec![
            Cell::Missing,
            Cell::Text("skipped".to_owned()),
            Cell::Text(skipped.reason.clone()),
            Cell::Missing,
            Cell::Count(1),
            Cell::Text(skipped.project.clone()),
        ]);
    }
    Sheet {
        name: "missing",
        title: "Missing data".to_owned(),
        caption: format!(
            "{} of {} runs have a coverage. The others are missing, not 0 %.",
            missing.covered, missing.planned
        ),
        table,
    }
}

/// Coverage of each algorithm on each project.
pub fn coverage(results: &Results, samples: &Samples) -> Sheet {
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
    let seeds = results.seeds();
    for (number, project) in results.projects.iter().enumerate() {
        for algorithm in 0..results.algorithms.len() {
            let sample = samples.of(number, algorithm);
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
            table.push_explained(cells, samples.runs(number, algorithm).iter().copied());
        }
    }
    Sheet {
        name: "coverage",
        title: "Coverage of each algorithm on each project".to_owned(),
        caption: String::new(),
        table,
    }
}
