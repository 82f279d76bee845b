//! Verdicts on pairs of algorithms, and the order of the algorithms.

use super::{CaptionedTable, label};
use crate::comparison::{LEVEL, MIN_SAMPLE, MeanCoverage, Samples};
use crate::findings::{Decision, MARGIN, Order, Ranking};
use crate::stats::{Interval, Unavailable};
use crate::table::{Cell, Table};
use crate::terms::counted;
use crate::tidy::Results;

fn points(interval: Result<Interval, Unavailable>) -> [Cell; 2] {
    let points = |end: fn(Interval) -> f64| {
        Cell::number(interval.ok().map(|interval| 100.0 * end(interval)), 2)
    };
    [points(|interval| interval.low), points(|interval| interval.high)]
}

/// The verdict on each pair of algorithms over all projects.
pub fn decisions(results: &Results, samples: &Samples, decisions: &[Decision]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("first", "First"),
        ("second", "Second"),
        ("verdict", "Verdict"),
        ("difference", "Difference"),
        ("low", "from"),
        ("high", "to"),
        ("higher", "P(first higher)"),
        ("near", "P(equivalent)"),
        ("p", "p (Wilcoxon)"),
        ("p_holm", "p (Holm)"),
        ("projects", "Projects"),
        ("rounds", "Rounds"),
    ]);
    for one in decisions {
        let [low, high] = points(one.interval);
        let difference = (!one.projects.is_empty()).then_some(100.0 * one.difference);
        let cells = vec![
            label(results, one.first),
            label(results, one.second),
            Cell::Text(one.verdict.to_string()),
            Cell::number(difference, 2),
            low,
            high,
            Cell::share(one.higher.ok(), 1),
            Cell::share(one.near.ok(), 1),
            Cell::number(one.p.and_then(Result::ok).map(|p| p.value), 4),
            Cell::number(one.p_holm, 4),
            Cell::Count(one.projects.len()),
            one.rounds.map_or(Cell::Missing, Cell::Count),
        ];
        let runs = one.projects.iter().flat_map(|&project| {
            [one.first, one.second].into_iter().flat_map(move |a| samples.runs(project, a))
        });
        table.push_with_runs(cells, runs.copied());
    }
    let margin = 100.0 * MARGIN;
    let own = 100.0 * results.margin();
    let looked = decisions.iter().any(|one| one.rounds.is_some());
    let rule = if looked {
        format!(
            "The study is looked at while it is executed, so p-values are n/a, and verdicts are on \
             exactly these projects, where only seeds vary. The interval is a repeated confidence interval \
             (Jennison and Turnbull, 1989) at the level at which the pair was decided. Better and worse: \
             it does not contain 0; equivalent: it is within ±{own} percentage points; undecided: neither. \
             All differences together are true with probability 95 %, whatever the number of looks (error \
             spending by Lan and DeMets, 1983; pairs by Shaffer, 1986), and so are all equivalences."
        )
    } else {
        format!(
            "Better and worse: p < {LEVEL} in the Wilcoxon signed-rank test over projects, corrected by \
             Holm over all pairs; equivalent: the 95 % interval (Student's t) is within {margin} \
             percentage point; undecided: neither; too few: fewer than {MIN_SAMPLE} projects."
        )
    };
    CaptionedTable {
        name: "decisions",
        title: "Verdicts on pairs of algorithms".to_owned(),
        caption: format!(
            "Mean over projects of the difference in mean coverage, in percentage points. P: \
             posterior probability that the first has the higher mean on projects like these, and \
             that the means differ by at most {margin} percentage point. {rule}"
        ),
        table,
    }
}

/// The verdict on each pair of algorithms by the area under the curve of coverage over time.
pub fn areas(results: &Results, samples: &Samples, pairs: &[Decision]) -> CaptionedTable {
    let table = decisions(results, samples, pairs);
    let means: Vec<String> = MeanCoverage::all(samples)
        .iter()
        .filter_map(|one| {
            Some(format!("{} {:.1} %", results.algorithms[one.algorithm], 100.0 * one.mean?))
        })
        .collect();
    CaptionedTable {
        name: "areas",
        title: "Verdicts on areas under the curves of coverage".to_owned(),
        caption: format!(
            "The area of a run is its mean coverage over the time of the longest search on its project, so \
             early coverage counts more. Means: {}. Otherwise as in the verdicts on coverage. {}",
            means.join(", "),
            table.caption
        ),
        ..table
    }
}

/// The order of the algorithms with mean ranks.
pub fn ranks(
    results: &Results,
    samples: &Samples,
    ranking: &Ranking,
    order: &Order,
) -> Option<CaptionedTable> {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("mean_rank", "Mean rank"),
        ("rank_low", "from"),
        ("rank_high", "to"),
        ("rank_here_low", "Here from"),
        ("rank_here_high", "to"),
        ("place_low", "Place from"),
        ("place_high", "to"),
        ("place_here_low", "Place here from"),
        ("place_here_high", "to"),
        ("best_probability", "P(best)"),
        ("best_drawn_probability", "P(best), drawn"),
        ("best_here_probability", "P(best here)"),
        ("near_best_probability", "P(near best)"),
        ("strongest_probability", "P(strongest)"),
        ("best", "Distance to the best"),
        ("p", "p (Nemenyi)"),
    ]);
    let count = |n: Option<usize>| n.map_or(Cell::Missing, Cell::Count);
    let position = |algorithm| ranking.algorithms.iter().position(|&known| known == algorithm);
    let ranks = &ranking.nemenyi.mean_ranks;
    let first = (0..ranks.len()).min_by(|&a, &b| ranks[a].total_cmp(&ranks[b]))?;
    let mut placed = order.algorithms.clone();
    placed.sort_by(|a, b| a.rank.total_cmp(&b.rank));
    for one in &placed {
        let index = position(one.algorithm)?;
        let runs =
            ranking.projects.iter().flat_map(|&project| samples.runs(project, one.algorithm));
        let cells = vec![
            label(results, one.algorithm),
            Cell::Number(one.rank, 3),
            Cell::Number(one.rank_interval.low, 2),
            Cell::Number(one.rank_interval.high, 2),
            Cell::number(one.rank_here.map(|here| here.low), 2),
            Cell::number(one.rank_here.map(|here| here.high), 2),
            Cell::Count(one.places.0),
            Cell::Count(one.places.1),
            count(one.places_here.map(|here| here.0)),
            count(one.places_here.map(|here| here.1)),
            Cell::Share(one.best, 1),
            Cell::share(one.best_drawn, 1),
            Cell::share(one.best_here, 1),
            Cell::Share(one.near_best, 1),
            Cell::Share(one.strongest, 1),
            Cell::Number(ranks[index] - ranks[first], 3),
            Cell::Number(ranking.nemenyi.p(first, index).value, 4),
        ];
        table.push_with_runs(cells, runs.copied());
        for column in [
            "p",
            "place_low",
            "place_high",
            "place_here_low",
            "place_here_high",
            "best_probability",
            "best_drawn_probability",
            "best_here_probability",
            "near_best_probability",
            "strongest_probability",
        ] {
            table.set_source_runs(column, ranking.runs.iter().copied());
        }
    }
    let friedman = match &ranking.friedman {
        Ok(test) => format!("Friedman test: χ² = {:.2}, {}", test.statistic, test.p.equation()),
        Err(reason) => format!("Friedman test not available: {reason}"),
    };
    Some(CaptionedTable {
        name: "ranks",
        title: "Order of the algorithms".to_owned(),
        caption: format!(
            "Mean over {}, on which all algorithms have runs, of the rank by mean coverage (1: \
             highest), with its 95 % interval (Student's t) over projects like these; here: over exactly \
             these projects, where only seeds vary (bootstrap over runs). Place: in the order by mean \
             coverage, with probability 95 %, by a bootstrap over projects and runs (Owen and Eckles, \
             2012; for many algorithms by the posterior) or, here, over runs. P(best): probability of \
             the highest mean coverage on projects like these, by the posterior of a hierarchical model of projects and runs (Box and Tiao, 1973), \
             drawn: by the bootstrap over projects and runs, and here: by the model on exactly these \
             projects; P(near best): of a mean coverage at most {} percentage point below the highest; \
             P(strongest): of winning most often against the others on projects like these (Bradley and \
             Terry, 1952). {friedman}; mean ranks that differ by {:.3} or more differ significantly \
             (Nemenyi test, p < {LEVEL}; Demšar, 2006).",
            counted(ranking.projects.len(), "project"),
            100.0 * MARGIN,
            ranking.critical_difference
        ),
        table,
    })
}
