//! Ranks of suites over the time of their search, and variances of risk estimates over tests.

use std::collections::BTreeMap;

use super::{Figure, file_name, range, sample_sizes};
use crate::figure::lines::{Line, marked};
use crate::figure::{Axis, Series};
use crate::findings::{RiskStability, SuiteRank};
use crate::tidy::Results;

/// The smallest time on the logarithmic axis, in milliseconds. The times of runs are integers.
const MIN_MS: f64 = 0.1;

/// Figures of the mean rank over the mean time, by project and optimised criterion (Elyasaf et al.,
/// figures 3 and 5).
pub fn rank_over_time(results: &Results, ranks: &[SuiteRank]) -> Vec<Figure> {
    let mut groups: BTreeMap<(usize, &str), Vec<&SuiteRank>> = BTreeMap::new();
    for rank in ranks.iter().filter(|rank| rank.optimised && rank.size.is_some()) {
        groups.entry((rank.project, &rank.criterion)).or_default().push(rank);
    }
    let method = |rank: &SuiteRank| {
        let label = &results.algorithms[rank.algorithm];
        label.split('[').next().unwrap_or(label).to_owned()
    };
    let mut colours: Vec<String> = Vec::new();
    for name in groups.values().flatten().map(|rank| method(rank)) {
        if !colours.contains(&name) {
            colours.push(name);
        }
    }
    let draw = |((project, criterion), members): ((usize, &str), Vec<&SuiteRank>)| {
        let mut methods: Vec<(String, Vec<&SuiteRank>)> = Vec::new();
        for rank in &members {
            match methods.iter_mut().find(|(name, _)| *name == method(rank)) {
                Some((_, own)) => own.push(rank),
                None => methods.push((method(rank), vec![rank])),
            }
        }
        let sizes: std::collections::BTreeSet<_> = members.iter().map(|rank| rank.size).collect();
        if sizes.len() < 2 {
            return None;
        }
        let point = |rank: &SuiteRank| (rank.search_ms.unwrap_or(0.0).max(MIN_MS), rank.ranks.mean);
        let line = |(name, own): &(String, Vec<&SuiteRank>)| {
            let number = colours.iter().position(|one| one == name).unwrap_or_default();
            let mut own = own.clone();
            own.sort_by_key(|rank| rank.size);
            let points = own.iter().map(|rank| point(rank)).collect();
            Line::new(name.clone(), Series::Algorithm(number), points)
        };
        let lines: Vec<Line> = methods.iter().map(line).collect();
        let (low, high) = range(members.iter().map(|rank| point(rank).0))?;
        if high <= MIN_MS {
            return None;
        }
        let (least, most) = match range(members.iter().map(|rank| rank.ranks.mean))? {
            // Ticks would otherwise be at fractions of an item.
            (least, most) if most - least < 1.0 => (least - 1.0, most + 1.0),
            ranks => ranks,
        };
        let n = sample_sizes(members.iter().map(|rank| rank.runs.len()), "run")?;
        let x = Axis::log("Milliseconds of the search", low, high);
        let name = &results.projects[project].name;
        Some(Figure {
            name: file_name(&["rank-over-time", name, criterion]),
            title: format!("Rank and time: {name}, {criterion}"),
            caption: format!(
                "Mean rank over the mean time of the search, on a logarithmic scale; a point for \
                 each size of suites, {}. Times below {MIN_MS} ms are shown as {MIN_MS} ms. {n}.",
                sizes.iter().flatten().map(u64::to_string).collect::<Vec<_>>().join(", ")
            ),
            svg: marked(x, Axis::round("Mean rank", least, most), &lines, None, &n),
        })
    };
    groups.into_iter().filter_map(draw).collect()
}

/// Figures of the largest variance over the number of tests, by project (Elyasaf et al., figure 4).
pub fn variance_over_tests(results: &Results, all: &[RiskStability]) -> Vec<Figure> {
    let draw = |own: &[RiskStability]| {
        let project = &results.projects[own[0].project].name;
        let line = |one: &RiskStability| {
            let points = one.variances.iter().filter(|at| at.largest > 0.0);
            Line::new(
                results.algorithms[one.algorithm].clone(),
                results.series(one.algorithm),
                points.map(|at| (at.tests as f64, at.largest)).collect(),
            )
        };
        let lines: Vec<Line> = own.iter().map(line).collect();
        let points = || lines.iter().flat_map(|line| line.points.iter().copied());
        let (first, last) = range(points().map(|point| point.0))?;
        let (low, high) = range(points().map(|point| point.1))?;
        let n = sample_sizes(own.iter().map(|one| one.runs.len()), "run")?;
        let (x, y) = (Axis::log("Tests", first, last), Axis::log("Largest variance", low, high));
        Some(Figure {
            name: file_name(&["variance-over-tests", project]),
            title: format!("Stability of risk estimates: {project}"),
            caption: format!(
                "Largest variance of the estimates of the items that enough tests cover in the end, \
                 over the number of executed tests, both on logarithmic scales; means over runs. {n}."
            ),
            svg: marked(x, y, &lines, None, &n),
        })
    };
    all.chunk_by(|a, b| a.project == b.project).filter_map(draw).collect()
}
