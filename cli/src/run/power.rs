//! `catherd run --plan`: computes which effects a study can find, before the study is executed.

use std::fmt::Write as _;
use std::path::Path;

use catherd_analysis::comparison::Samples;
use catherd_analysis::findings::{MARGIN, PairVariation, detectable_a12};
use catherd_analysis::stats::Power;
use catherd_analysis::table::{Cell, Table};
use catherd_analysis::tidy::Results;
use catherd_cli_console::terminal::plural;
use catherd_experiments::Plan;

/// Counts of seeds for which the necessary number of projects is computed.
const SEEDS: [usize; 4] = [5, 10, 20, 30];

/// Runs in the folder of the study are used as a pilot study.
pub(super) fn text(plan: &Plan, folder: &Path) -> String {
    let (projects, seeds) = (plan.projects.len(), plan.seeds.len());
    let mut text = format!(
        "{}: {}, {}, {}: {}\n\n",
        plan.name,
        plural(projects, "project"),
        plural(plan.algorithms.len(), "algorithm"),
        plural(seeds, "seed"),
        plural(plan.count(), "run"),
    );
    let power = Power::default();
    // Writing to a string does not fail.
    let _ = match power.detectable(projects).filter(|_| projects >= 6) {
        Some(effect) => writeln!(
            text,
            "Over all projects, a mean difference of {effect:.2} standard deviations of the differences \
             per project\nis found with probability 80 % (Wilcoxon signed-rank test, p < 0.05)."
        ),
        None => writeln!(text, "A test over projects needs at least six projects."),
    };
    let _ = match detectable_a12(seeds) {
        Some(a12) => writeln!(
            text,
            "On one project, an A12 of {a12:.2} is found with probability 80 % (Mann-Whitney U test, \
             p < 0.05)."
        ),
        None => writeln!(
            text,
            "On one project, there are too few seeds to find any effect with probability 80 %."
        ),
    };
    text.push_str("\nSeeds needed to find an effect on one project (Noether, 1987):\n\n");
    let mut table = Table::new(&[("effect", "Effect"), ("a12", "A12"), ("seeds", "Seeds")]);
    for (name, a12) in [("small", 0.56), ("medium", 0.64), ("large", 0.71)] {
        let seeds = power.runs(a12).map_or(Cell::Missing, Cell::Count);
        table.push(vec![Cell::Text(name.to_owned()), Cell::Number(a12, 2), seeds]);
    }
    text.push_str(&table.text());
    match Results::read(folder).ok().map(|results| pilot(&results)) {
        Some(pilot) if !pilot.is_empty() => {
            let _ = write!(text, "\n{pilot}");
        }
        _ => {
            let _ = writeln!(
                text,
                "\nWith results of a pilot study in {}, differences in mean coverage are shown as \
                 well: run the study with --seeds 3 first, then repeat the command.",
                folder.display()
            );
        }
    }
    text
}

fn pilot(results: &Results) -> String {
    let pairs = PairVariation::all(&Samples::coverage(results));
    if pairs.is_empty() {
        return String::new();
    }
    let mut columns = vec![
        ("first".to_owned(), "First".to_owned()),
        ("second".to_owned(), "Second".to_owned()),
        ("detectable".to_owned(), "Detectable now".to_owned()),
    ];
    columns.extend(SEEDS.map(|seeds| (format!("seeds_{seeds}"), plural(seeds, "seed"))));
    let mut table = Table::new(&columns);
    for pair in &pairs {
        let mut row = vec![
            Cell::Text(results.algorithms[pair.first].clone()),
            Cell::Text(results.algorithms[pair.second].clone()),
            Cell::number(pair.detectable(pair.projects, pair.runs).map(|d| 100.0 * d), 2),
        ];
        let needed = |seeds: usize| pair.projects_for(MARGIN, seeds as f64);
        row.extend(SEEDS.map(|seeds| needed(seeds).map_or(Cell::Missing, Cell::Count)));
        table.push(row);
    }
    format!(
        "From {}: the difference in mean coverage, in percentage points, that is found with\n\
         probability 80 %, and the number of projects needed to find a difference of one point,\n\
         by number of seeds:\n\n{}",
        plural(results.runs.len(), "run"),
        table.text()
    )
}
