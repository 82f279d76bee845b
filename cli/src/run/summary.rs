//! The text that a command prints about written results.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use catherd_analysis::tidy::Dropped;
use catherd_analysis_results::WrittenResults;
use catherd_cli_console::terminal::plural;
use indicatif::HumanDuration;

/// Maximum number of problems listed on the terminal; the tables contain all of them.
const MAX_PROBLEMS: usize = 20;

pub(crate) fn text(results: &WrittenResults, study: &str, folder: &Path, time: Duration) -> String {
    let mut text = format!("\n{}", results.summary.text);
    // Writing to a string does not fail.
    let lines = lines_of(&results.problems);
    for line in lines.iter().take(MAX_PROBLEMS) {
        let _ = writeln!(text, "{}", line.replace(char::is_control, " "));
    }
    if let Some(more) = lines.len().checked_sub(MAX_PROBLEMS).filter(|n| *n > 0) {
        let _ = writeln!(text, "... and {more} more");
    }
    let records = (results.states.done + results.states.failed) as usize;
    let (runs, suites) = (plural(records, "run"), plural(results.suites, "test suite"));
    let _ = writeln!(text, "\n{study}: {runs}, {suites}, {}", HumanDuration(time));
    if !results.states.is_complete() {
        let (ended, planned) = (results.states.ended(), results.states.planned);
        let _ = writeln!(text, "Interim: {ended} of {planned} runs have ended.");
    }
    let folder = folder.display();
    let _ = writeln!(
        text,
        "Results in {folder}: table6.md, coverage-over-time.svg, runs.csv, timeline.csv, suites/"
    );
    text
}

/// Returns a line about comparisons that need no more seeds: all comparisons if `rest` is 0,
/// otherwise the comparisons of `algorithms`.
pub(crate) fn decided(algorithms: &[&str], rest: usize, seeds: usize, all: usize) -> String {
    let of = match rest {
        0 => "every comparison".to_owned(),
        _ => format!("every comparison of {}", algorithms.join(", ")),
    };
    format!("decided: {of} is decided, or cannot be, after {seeds} of {all} seeds")
}

pub(crate) fn dropped(dropped: &Dropped) -> String {
    let Dropped { algorithm, projects, mean_rank, best_mean_rank, .. } = dropped;
    format!(
        "{algorithm} is dropped after {}: mean rank {mean_rank:.2}; the best has \
         {best_mean_rank:.2}",
        plural(*projects as usize, "project")
    )
}

/// Returns a line for each cause of problems, which runs of several projects may share.
fn lines_of(problems: &BTreeMap<(String, String), usize>) -> Vec<String> {
    let mut causes: Vec<(&str, &str, usize, usize)> = Vec::new();
    let mut positions: HashMap<&str, usize> = HashMap::new();
    for ((project, problem), count) in problems {
        let position = *positions.entry(problem).or_insert(causes.len());
        match causes.get_mut(position) {
            Some((_, _, projects, runs)) => (*projects, *runs) = (*projects + 1, *runs + count),
            None => causes.push((project, problem, 1, *count)),
        }
    }
    let line = |(first, problem, projects, runs): (&str, &str, usize, usize)| {
        let of = match projects {
            1 => first.to_owned(),
            several => format!("{first} and {}", plural(several - 1, "more project")),
        };
        format!("{of}, {} {problem}", plural(runs, "run"))
    };
    causes.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cause_is_one_line_with_the_number_of_projects() {
        let problems = [
            ("a", "failed: x", 2),
            ("a", "failed: y", 1),
            ("b", "failed: x", 3),
            ("c", "failed: x", 1),
        ]
        .map(|(project, problem, runs)| ((project.to_owned(), problem.to_owned()), runs));
        assert_eq!(
            lines_of(&problems.into()),
            ["a and 2 more projects, 6 runs failed: x", "a, 1 run failed: y"]
        );
    }
}
