//! Goals that no run covers, and items that no test can cover.

use super::{CaptionedTable, runs_of_project};
use crate::table::{Cell, Table};
use crate::terms::{capitalised, goals};
use crate::tidy::{GoalSet, Results};

/// Maximum number of rows of a project and criterion with uncovered or unreachable items.
const MAX_ROWS: usize = 100;

/// Number of covered goals shown for each project and criterion: the goals that the fewest runs
/// cover.
const RAREST: usize = 10;

/// How many goals all runs, some runs and no run cover.
pub fn goal_sets(results: &Results, sets: &[GoalSet]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("runs", "Runs"),
        ("reachable", "Reachable"),
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
            "Reachable: {goals} of the criterion that some trace covers, by exact computation. \
             Unreachable: those that none covers. Runs that are done, of all algorithms, count."
        ),
        table,
    }
}

/// The goals that no run or the fewest runs cover, and the items that no test can cover.
pub fn uncovered(results: &Results, sets: &[GoalSet]) -> CaptionedTable {
    let noun = results.subject.main_criterion().map_or("goal", |criterion| &criterion.goal);
    let mut table = Table::new(&[
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("goal", &*capitalised(noun)),
        ("state", "State"),
        ("covering", "Covering runs"),
        ("share", "Share"),
    ]);
    let mut left_out = 0;
    for set in sets {
        let mut push = |name: &str, state: &str, covering: Option<u64>| {
            let share = covering.filter(|_| set.runs > 0).map(|n| n as f64 / set.runs as f64);
            let cells = vec![
                Cell::Text(set.project.clone()),
                Cell::Text(set.criterion.clone()),
                Cell::Text(name.to_owned()),
                Cell::Text(state.to_owned()),
                covering.map_or(Cell::Missing, |covering| Cell::Count(covering as usize)),
                Cell::share(share, 1),
            ];
            table.push_with_runs(cells, runs_of_project(results, &set.digest));
        };
        let mut rare: Vec<_> = set.goals.iter().filter(|goal| goal.covering < set.runs).collect();
        // The sort is stable: goals covered by equally many runs stay in the order of their
        // numbers.
        rare.sort_by_key(|goal| goal.covering);
        let open = rare.iter().take_while(|goal| goal.covering == 0).count();
        let shown = open.min(MAX_ROWS);
        for goal in &rare[..shown] {
            push(&goal.name, "not covered", Some(0));
        }
        for goal in rare[open..].iter().take(RAREST) {
            push(&goal.name, "covered by few", Some(goal.covering));
        }
        let unreachable = set.unreachable.len().min(MAX_ROWS);
        for name in &set.unreachable[..unreachable] {
            push(name, "unreachable", None);
        }
        left_out += open - shown + set.unreachable.len() - unreachable;
    }
    let rest = match left_out {
        0 => String::new(),
        n => format!(" {n} more rows are in goals.csv."),
    };
    let goals = goals(&results.subject);
    CaptionedTable {
        name: "uncovered",
        title: format!("{} that are not covered", capitalised(goals)),
        caption: format!(
            "Not covered: reachable {goals} that no run covers. Covered by few: the {RAREST} that the \
             fewest runs cover, unless all do. Unreachable: no trace of the model covers them; if one \
             should be possible, the model is wrong.{rest}"
        ),
        table,
    }
}
