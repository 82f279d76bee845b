//! Tables of how many runs cover goals, and of items that no test can cover.

use std::collections::{HashMap, HashSet};

use catherd_experiments::Digest;

use super::{CaptionedTable, runs_of_project};
use crate::figures::selected;
use crate::table::{Cell, Table};
use crate::terms::{capitalised, goals};
use crate::tidy::{Goal, GoalSet, Results};

/// Maximum number of rows with uncovered goals, and of rows with unreachable items, for each
/// project and criterion.
const MAX_ROWS: usize = 100;

const MAX_ALL: usize = 1_000;

const RAREST: usize = 10;

/// For each set of goals, the counts of goals that all runs, some runs and no runs cover.
pub fn goal_sets(results: &Results, sets: &[GoalSet]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("runs", "Runs"),
        ("reachable", "Goals"),
        ("by_all", "Covered by all runs"),
        ("by_some", "By some"),
        ("by_none", "By none"),
        ("unreachable", "Unreachable"),
    ]);
    for set in sets {
        let count = |is: &dyn Fn(u64) -> bool| {
            Cell::Count(set.goals.iter().filter(|goal| is(goal.covering)).count())
        };
        let cells = vec![
            Cell::Text(set.project.clone()),
            Cell::Text(set.criterion.clone()),
            Cell::Count(set.runs as usize),
            Cell::Count(set.goals.len()),
            count(&|covering| covering > 0 && covering == set.runs),
            count(&|covering| covering > 0 && covering < set.runs),
            count(&|covering| covering == 0),
            Cell::Count(set.unreachable.len()),
        ];
        table.push_with_runs(cells, runs_of_project(results, &set.digest));
    }
    let goals = goals(&results.subject);
    CaptionedTable {
        name: "goal-sets",
        title: format!("{} that runs cover", capitalised(goals)),
        caption: format!(
            "Goals: {goals} of the criterion. Unreachable: those that no test can cover, for kinds that \
             compute them exactly. Runs that are done, of all algorithms, count."
        ),
        table,
    }
}

fn run_name(results: &Results, run: u32) -> String {
    let run = &results.runs[run as usize];
    format!("{}, seed {}", results.algorithms[run.algorithm as usize], run.seed)
}

/// The goals that no run or the fewest runs cover, and the items that no test can cover.
pub fn uncovered(results: &Results, sets: &[GoalSet]) -> CaptionedTable {
    let noun = results.subject.main_criterion().map_or("goal", |criterion| &criterion.goal);
    let mut columns: Vec<(String, String)> = [
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("goal", &*capitalised(noun)),
        ("state", "State"),
        ("covering", "Covering runs"),
        ("share", "Share"),
        ("closest", "Closest run"),
        ("distance", "Distance"),
        ("turned_off", "Turned off after"),
        ("turned_off_share", "Share there"),
    ]
    .map(|(name, title)| (name.to_owned(), title.to_owned()))
    .into();
    let selected = selected(results);
    let labels: Vec<&String> =
        results.algorithms.iter().zip(&selected).filter(|one| *one.1).map(|one| one.0).collect();
    if labels.len() > 1 {
        columns.extend(labels.iter().map(|&label| (format!("share:{label}"), label.clone())));
    }
    let mut table = Table::new(&columns);
    let (mut left_out, mut more) = (0, 0);
    let closest = sets.iter().flat_map(|set| &set.goals).filter_map(|goal| goal.closest.as_ref());
    let closest: HashSet<Digest> = closest.map(|closest| closest.run).collect();
    let known_runs: HashMap<Digest, u32> = (0..)
        .zip(&results.runs)
        .filter(|(_, run)| closest.contains(&run.id))
        .map(|(number, run)| (run.id, number))
        .collect();
    for set in sets {
        let mut push = |name: &str, state: &str, goal: Option<&Goal>| {
            let covering = goal.map(|goal| goal.covering);
            if table.rows().len() >= MAX_ALL {
                left_out += 1;
                return;
            }
            let share = covering.filter(|_| set.runs > 0).map(|n| n as f64 / set.runs as f64);
            let mut cells = vec![
                Cell::Text(set.project.clone()),
                Cell::Text(set.criterion.clone()),
                Cell::Text(name.to_owned()),
                Cell::Text(state.to_owned()),
                covering.map_or(Cell::Missing, |covering| Cell::Count(covering as usize)),
                Cell::share(share, 1),
            ];
            let turned =
                goal.filter(|goal| goal.covering == 0).and_then(|goal| set.turned_off(goal));
            let closest = goal.and_then(|goal| goal.closest.as_ref());
            let run = closest.and_then(|closest| known_runs.get(&closest.run));
            cells.push(run.map_or(Cell::Missing, |&run| Cell::Text(run_name(results, run))));
            cells.push(super::count(closest.map(|closest| closest.distance)));
            let end = closest.map(|closest| &closest.turned_off);
            let end = end.or_else(|| turned.map(|goal| &goal.name));
            cells.push(end.map_or(Cell::Missing, |name| Cell::Text(name.clone())));
            cells.push(Cell::share(turned.map(|goal| goal.covering as f64 / set.runs as f64), 1));
            cells.extend(labels.iter().map(|&label| {
                let at = set.algorithms.iter().position(|(known, _)| known == label);
                let share = at.zip(goal).filter(|(at, _)| set.algorithms[*at].1 > 0);
                Cell::share(
                    share.map(|(at, goal)| {
                        goal.by_algorithm[at] as f64 / set.algorithms[at].1 as f64
                    }),
                    0,
                )
            }));
            table.push_with_runs(cells, runs_of_project(results, &set.digest));
            if let Some(&run) = run {
                table.set_source_runs("closest", [run]);
                table.set_source_runs("distance", [run]);
            }
        };
        let mut rare: Vec<_> = set.goals.iter().filter(|goal| goal.covering < set.runs).collect();
        rare.sort_by_key(|goal| goal.covering);
        let open = rare.iter().take_while(|goal| goal.covering == 0).count();
        let shown = open.min(MAX_ROWS);
        for goal in &rare[..shown] {
            push(&goal.name, "not covered", Some(goal));
        }
        for goal in rare[open..].iter().take(RAREST) {
            push(&goal.name, "covered by few", Some(goal));
        }
        let unreachable = set.unreachable.len().min(MAX_ROWS);
        for name in &set.unreachable[..unreachable] {
            push(name, "unreachable", None);
        }
        more += open - shown + set.unreachable.len() - unreachable;
    }
    let rest = match left_out + more {
        0 => String::new(),
        n => format!(" Rows left out here, which are in goals.csv: {n}."),
    };
    let goals = goals(&results.subject);
    CaptionedTable {
        name: "uncovered",
        title: format!("{} that are not covered", capitalised(goals)),
        caption: format!(
            "Not covered: {goals} that no run covers. Covered by few: the {RAREST} that the fewest \
             runs cover, unless all do. For an uncovered {noun}: the run that came closest, its distance \
             (what is missing on the way, the {noun} itself included), the last part of the way that it went, \
             and the share of the runs that went as far (where the kind knows the order). The last columns are \
             the shares of the runs of each algorithm that cover the {noun}. Unreachable: no test can \
             cover them, unless the model is wrong.{rest}"
        ),
        table,
    }
}
