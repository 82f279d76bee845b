//! Estimates of how many goals more runs would cover, and how many are reachable.

use super::{CaptionedTable, label, runs_of_project};
use crate::findings::{ESTIMATOR, Left};
use crate::stats::Estimate;
use crate::table::{Cell, Table};
use crate::terms::goals;
use crate::tidy::{GoalSet, Results};

fn estimate(found: &Estimate) -> [Cell; 3] {
    let Estimate { value, interval } = *found;
    [value, interval.low, interval.high].map(|number| Cell::Number(number, 1))
}

/// The number of goals that ten times as many runs would cover, and the number of reachable goals,
/// by algorithm.
pub fn left(results: &Results, all: &[Left]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("algorithm", "Algorithm"),
        ("projects", "Projects"),
        ("goals", "Goals"),
        ("mean", "By one run"),
        ("observed", "By all runs"),
        ("tenfold", "By 10 times as many"),
        ("tenfold_low", "from"),
        ("tenfold_high", "to"),
        ("reachable", "Reachable"),
        ("reachable_low", "from"),
        ("reachable_high", "to"),
    ]);
    for one in all {
        let sum = |value: &dyn Fn(&crate::findings::LeftOnProject) -> f64| {
            one.projects.iter().map(value).sum::<f64>()
        };
        let mut cells = vec![
            label(results, one.algorithm),
            Cell::Count(one.projects.len()),
            Cell::Count(sum(&|p| p.goals as f64) as usize),
            Cell::Number(sum(&|p| p.mean), 1),
            Cell::Count(sum(&|p| p.observed as f64) as usize),
        ];
        match one.tenfold() {
            Some((value, interval)) => cells.extend(estimate(&Estimate { value, interval })),
            None => cells.extend([Cell::Missing, Cell::Missing, Cell::Missing]),
        }
        cells.extend(estimate(&one.reachable));
        let own = results.runs.iter().enumerate();
        let own = own.filter(|(_, run)| run.algorithm as usize == one.algorithm);
        table.push_with_runs(cells, own.map(|(number, _)| number as u32));
    }
    let goals = goals(&results.subject);
    CaptionedTable {
        name: "left",
        title: "How much is left".to_owned(),
        caption: format!(
            "Number of {goals} on all projects together that one run covers on average, that all runs \
             together cover, that ten times as many runs would cover (Colwell et al., 2012), and that \
             can be reached at all (estimator {}, from the number of runs that cover each of the {goals}), with \
             nominal 95 % intervals. Reachable is a lower bound: in simulations its interval contains the \
             truth in 45 to 75 % of cases (docs/measurements/statistics.md). If the tests of a search are independent, as in random testing, ten runs cover \
             what one run with ten times the budget covers; searches that learn may cover more.",
            ESTIMATOR.name()
        ),
        table,
    }
}

/// The number of goals that ten times as many runs would cover, and the number of reachable goals,
/// by project and algorithm.
pub fn left_by_project(results: &Results, all: &[Left], sets: &[GoalSet]) -> CaptionedTable {
    let mut table = Table::new(&[
        ("project", "Project"),
        ("criterion", "Criterion"),
        ("algorithm", "Algorithm"),
        ("runs", "Runs"),
        ("goals", "Goals"),
        ("mean", "By one run"),
        ("observed", "By all runs"),
        ("tenfold", "By 10 times as many"),
        ("tenfold_low", "from"),
        ("tenfold_high", "to"),
        ("reachable", "Reachable"),
        ("reachable_low", "from"),
        ("reachable_high", "to"),
    ]);
    for one in all {
        for project in &one.projects {
            let set = &sets[project.set];
            let mut cells = vec![
                Cell::Text(set.project.clone()),
                Cell::Text(set.criterion.clone()),
                label(results, one.algorithm),
                Cell::Count(project.runs as usize),
                Cell::Count(project.goals),
                Cell::Number(project.mean, 1),
                Cell::Count(project.observed as usize),
            ];
            cells.extend(estimate(&project.tenfold));
            cells.extend(estimate(&project.reachable));
            let own = runs_of_project(results, &set.digest);
            let own =
                own.filter(|&run| results.runs[run as usize].algorithm as usize == one.algorithm);
            table.push_with_runs(cells, own);
        }
    }
    CaptionedTable {
        name: "left-by-project",
        title: "How much is left by project".to_owned(),
        caption: "As in the table left; an estimate is neither below the number of goals that \
                  some run covers nor above the number of all goals."
            .to_owned(),
        table,
    }
}
