//! Tables on groups of projects.

use super::{CaptionedTable, label};
use crate::findings::{GroupShare, Grouped, GroupedQuantity, MIN_GROUPS};
use crate::stats::Interval;
use crate::table::{Cell, Table};
use crate::tidy::Results;

/// The main numbers with intervals over projects and over groups.
pub fn groups(results: &Results, all: &[Grouped]) -> Option<CaptionedTable> {
    let mut table = Table::new(&[
        ("number", "Number"),
        ("first", "Of"),
        ("second", "Against"),
        ("value", "Value"),
        ("low", "from"),
        ("high", "to"),
        ("group_low", "Groups: from"),
        ("group_high", "to"),
        ("design_effect", "Design effect"),
        ("projects", "Projects"),
        ("groups", "Groups"),
    ]);
    for one in all {
        let (name, first, second) = match one.quantity {
            GroupedQuantity::Coverage(algorithm) => ("coverage", Some(algorithm), None),
            GroupedQuantity::A12(first, second) => ("A12", Some(first), Some(second)),
            GroupedQuantity::CoreHours => ("core-hours", None, None),
        };
        let number = |value: Option<f64>| match one.quantity {
            GroupedQuantity::Coverage(_) => Cell::share(value, 2),
            GroupedQuantity::A12(..) => Cell::number(value, 3),
            GroupedQuantity::CoreHours => Cell::number(value, 2),
        };
        let of = |algorithm: Option<usize>| match algorithm {
            Some(algorithm) => label(results, algorithm),
            None => Cell::Text(String::new()),
        };
        let low = |interval: Option<Interval>| number(interval.map(|i| i.low));
        let high = |interval: Option<Interval>| number(interval.map(|i| i.high));
        let (projects, groups) = (one.by_projects.ok(), one.by_groups.ok());
        let row = vec![
            Cell::Text(name.to_owned()),
            of(first),
            of(second),
            number(Some(one.value)),
            low(projects),
            high(projects),
            low(groups),
            high(groups),
            Cell::number(one.design_effect(), 2),
            Cell::Count(one.projects),
            Cell::Count(one.groups),
        ];
        let runs = (0_u32..).zip(&results.runs).filter(|(_, run)| {
            let algorithm = run.algorithm as usize;
            first.is_none() || first == Some(algorithm) || second == Some(algorithm)
        });
        table.push_with_runs(row, runs.map(|(number, _)| number));
    }
    (!all.is_empty()).then(|| CaptionedTable {
        name: "groups",
        title: "Groups of projects".to_owned(),
        caption: format!(
            "Projects of a group, such as those of one author, resemble each other. 95 % bootstrap intervals \
             (percentiles) over projects, and over groups, of which all projects are drawn together (n/a for \
             fewer than {MIN_GROUPS}). Design effect: the square of the ratio of their widths, by which the number of \
             projects overstates what is known. A project without a group is a separate group. Core-hours: \
             processor time, or real time of runs without it."
        ),
        table,
    })
}

/// The contribution of each group.
pub fn group_shares(all: &[GroupShare]) -> Option<CaptionedTable> {
    let total: f64 = all.iter().filter_map(|one| one.core_hours).sum();
    let mut table = Table::new(&[
        ("group", "Group"),
        ("projects", "Projects"),
        ("coverage", "Coverage"),
        ("core_hours", "Core-hours"),
        ("share", "Share"),
    ]);
    for one in all {
        let share = one.core_hours.filter(|_| total > 0.0).map(|hours| hours / total);
        let row = vec![
            Cell::Text(one.group.clone()),
            Cell::Count(one.projects),
            Cell::share(one.coverage, 2),
            Cell::number(one.core_hours, 3),
            Cell::share(share, 1),
        ];
        table.push_with_runs(row, one.runs.iter().copied());
    }
    (!all.is_empty()).then(|| CaptionedTable {
        name: "group-shares",
        title: "Coverage and cost of groups".to_owned(),
        caption: "Mean coverage over projects and algorithms, and core-hours (processor time, or real time \
                  of runs without it), the most expensive groups first."
            .to_owned(),
        table,
    })
}
