//! Tables on the time until runs expose faults, and on goals that some algorithms do not cover.

use super::{CaptionedTable, label, runs_of_project};
use crate::figures::selected;
use crate::findings::Exposure;
use crate::table::{Cell, Table};
use crate::terms::{capitalised, goals};
use crate::tidy::{GoalSet, Results};

/// The time until runs expose each fault, with a row for each algorithm.
pub fn exposure(results: &Results, all: &[Exposure]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("fault", "Fault"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("exposing", "Exposing"),
        ("share", "Share"),
        ("low", "Low"),
        ("high", "High"),
        ("median_s", "Median (s)"),
        ("p", "p"),
        ("p_holm", "p (Holm)"),
    ]);
    for one in all {
        let survival = &one.survival;
        let share = survival.events as f64 / survival.observations as f64;
        let cells = vec![
            Cell::Text(results.projects[one.project].name.clone()),
            Cell::Text(one.fault.clone()),
            label(results, one.algorithm),
            Cell::Count(survival.observations),
            Cell::Count(survival.events),
            Cell::Share(share, 1),
            Cell::share(one.interval.map(|interval| interval.low), 1),
            Cell::share(one.interval.map(|interval| interval.high), 1),
            Cell::number(survival.quantile(0.5).map(|ms| ms / 1000.0), 2),
            Cell::number(one.p, 4),
            Cell::number(one.adjusted, 4),
        ];
        table.push_with_runs(cells, one.runs.iter().copied());
    }
    CaptionedTable {
        name: "exposure",
        title: "Time until faults are exposed".to_owned(),
        caption: "Faults with the same identity in several runs of a project count as one fault. \
                  Median: estimated real time until half of the runs have exposed the fault (Kaplan and Meier); a run \
                  that does not expose it is censored at the end of its search. Low and high: Wilson interval \
                  of the share at 95 %. p: log-rank test against the first algorithm of the project; Holm: \
                  adjusted over all rows."
            .to_owned(),
        table,
    }
}

/// For each algorithm, the number of goals that only its runs cover. For each pair of algorithms,
/// the number of goals that runs of the first cover but runs of the second do not.
pub fn unique_goals(results: &Results, sets: &[GoalSet]) -> CaptionedTable {
    let selected = selected(results);
    let shown: Vec<&String> =
        results.algorithms.iter().zip(&selected).filter(|one| *one.1).map(|one| one.0).collect();
    let mut columns: Vec<(String, String)> = [
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("covered", "Covered"),
        ("unique", "By it only"),
    ]
    .map(|(name, title)| (name.to_owned(), title.to_owned()))
    .into();
    columns.extend(shown.iter().map(|other| (format!("not:{other}"), format!("Not by {other}"))));
    let mut table = Table::new(&columns);
    for set in sets.iter().filter(|set| set.algorithms.len() > 1) {
        let place = |label: &String| set.algorithms.iter().position(|(known, _)| known == label);
        for &own in &shown {
            let Some(at) = place(own) else { continue };
            let covered = || set.goals.iter().filter(|goal| goal.by_algorithm[at] > 0);
            let unique = covered().filter(|goal| {
                (0..goal.by_algorithm.len()).all(|n| n == at || goal.by_algorithm[n] == 0)
            });
            let mut cells = vec![
                Cell::Text(set.project.clone()),
                Cell::Text(set.criterion.clone()),
                Cell::Text(own.clone()),
                Cell::Count(set.algorithms[at].1 as usize),
                Cell::Count(covered().count()),
                Cell::Count(unique.count()),
            ];
            cells.extend(shown.iter().map(|&other| match place(other) {
                Some(n) if n != at => {
                    Cell::Count(covered().filter(|goal| goal.by_algorithm[n] == 0).count())
                }
                _ => Cell::Missing,
            }));
            let is_own = |run: &u32| {
                results.algorithms[results.runs[*run as usize].algorithm as usize] == *own
            };
            table.push_with_runs(cells, runs_of_project(results, &set.digest).filter(is_own));
        }
    }
    let goals = goals(&results.subject);
    CaptionedTable {
        name: "unique-goals",
        title: format!("{} that only one algorithm covers", capitalised(goals)),
        caption: format!(
            "Covered: {goals} that at least one run of the algorithm covers. By it only: those that no run \
             of another algorithm covers. Not by another: those that no run of that algorithm covers. An \
             algorithm with more runs has more chances."
        ),
        table,
    }
}
