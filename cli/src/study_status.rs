//! Formats the status of studies, of a coordinator or of a folder of results, as text and JSON.

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use catherd_analysis::tidy::{Results, Run, RunStates};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_coordinator::Phase;
use catherd_experiments::RunOutcome;
use catherd_experiments::text::printable;
use catherd_proto::v1;
use indicatif::HumanDuration;
use serde_json::{Value, json};

use crate::failure::Worded;
use crate::run::Pace;

/// Maximum number of groups of missing runs that are shown as text.
const MAX_MISSING: usize = 20;

/// Minimum width of a column with a number of runs.
const COUNT_WIDTH: usize = 7;

/// Number of characters after which a name in a column is cut.
const NAME_WIDTH: usize = 40;

pub(crate) fn pace(status: &v1::Status) -> String {
    let mut text = plural(status.workers as usize, "worker");
    let left = status.pending + status.leased;
    let expected = status.eta_ms.map(Duration::from_millis);
    let pace = Pace { left, expected, measured: status.runs_per_second };
    // Writing to a string does not fail.
    if let Some(rate) = pace.rate() {
        let _ = write!(text, ", {rate}");
    }
    let served = left > 0 && status.unserved.is_empty();
    match pace.left() {
        Some(left) if served => {
            let _ = write!(text, ", about {} left", HumanDuration(left));
        }
        None if served && status.leased > 0 => text += ", measuring how long a run takes",
        _ => {}
    }
    text
}

pub(crate) fn as_text(
    status: &v1::Status,
    only: Option<&str>,
    missing: Option<&[v1::Missing]>,
) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    if !status.last_error.is_empty() {
        let _ = writeln!(text, "Store error: {}", status.last_error);
    }
    if status.standby {
        let _ = writeln!(text, "This coordinator stands by: another one leads the store.");
    }
    text += &pace(status);
    text.push_str("\n\n");
    for v1::PlanningProgress { study, planned, total } in &status.planning {
        let study = printable(study);
        let _ = writeln!(text, "{study} is being planned: {planned} of {total} runs\n");
    }
    for v1::Unserved { kind, engine, runs } in &status.unserved {
        let (kind, engine) = (printable(kind), printable(engine));
        let (noun, verb) = if *runs == 1 { ("run", "waits") } else { ("runs", "wait") };
        let _ =
            writeln!(text, "no worker serves `{kind}` (engine {engine}): {runs} {noun} {verb}\n");
    }
    for v1::TooLong { runs, expected_ms, longest_ms, algorithm } in &status.too_long {
        let time = |ms: u64| HumanDuration(Duration::from_millis(ms));
        let (noun, verb) = if *runs == 1 { ("run", "is") } else { ("runs", "are") };
        let _ = writeln!(
            text,
            "{runs} {noun} of {} {verb} expected to take up to {}, and no worker stays for longer \
             than {}: start workers with a longer allocation, or lower the budget\n",
            printable(algorithm),
            time(*expected_ms),
            time(*longest_ms)
        );
    }
    text.push_str(&table_of_studies(status, only));
    text.push_str(&table_of_claims(status, only));
    let Some(missing) = missing else { return text };
    text.push_str(if missing.is_empty() { "\nNothing is missing.\n" } else { "\nMissing:\n" });
    for row in missing.iter().take(MAX_MISSING) {
        let v1::Missing { project, algorithm, phase, runs, reason } = row;
        let (project, algorithm) = (printable(project), printable(algorithm));
        let _ = write!(text, "{runs:>7} {:11} {project}, {algorithm}", printable(phase));
        let paused = status.studies.iter().find(|study| Some(&*study.name) == only);
        let paused = paused.map(state).filter(|state| ["paused", "cancelled"].contains(state));
        let pending = phase == Phase::Pending.name();
        let _ = match paused {
            Some(state) if pending => writeln!(text, ": the study is {state}"),
            _ if !reason.is_empty() => {
                writeln!(text, ": {}", printable(&reason.replace(['\n', '\t'], " ")))
            }
            _ if pending && status.workers == 0 => writeln!(text, ": there is no worker"),
            _ => writeln!(text),
        };
    }
    if let Some(more) = missing.len().checked_sub(MAX_MISSING).filter(|more| *more > 0) {
        let _ = writeln!(text, "... and {more} more; --json has all");
    }
    text
}

pub(crate) fn table_of_studies(status: &v1::Status, only: Option<&str>) -> String {
    let mut text = String::new();
    let shown = status.studies.iter().filter(|study| only.is_none_or(|only| study.name == only));
    // Limit the widths, because names come from other users.
    let name = |study: &v1::Study| shown_name(&study.name);
    let width = status.studies.iter().map(|study| name(study).chars().count()).max();
    let width = width.unwrap_or(0).max(5);
    // Writing to a string does not fail.
    let _ = write!(text, "{:width$}  {:9}  {:>COUNT_WIDTH$}", "study", "state", "runs");
    for phase in Phase::ALL {
        let _ = write!(text, "  {:>1$}", phase.name(), phase.name().len().max(COUNT_WIDTH));
    }
    text.push_str("  coverage\n");
    for study in shown {
        let (name, planned) = (name(study), study.planned);
        let _ = write!(text, "{name:width$}  {:9}  {planned:>COUNT_WIDTH$}", state(study));
        for phase in Phase::ALL {
            let width = phase.name().len().max(COUNT_WIDTH);
            let _ = write!(text, "  {:>width$}", runs_in(study, phase));
        }
        let coverage =
            study.mean_coverage.map_or("-".to_owned(), |mean| format!("{:.2} %", 100.0 * mean));
        let _ = writeln!(text, "  {coverage}");
    }
    text
}

/// Formats the table of the claims on workers of unfinished studies. The table is empty if there is
/// at most one such study, with the default claim.
fn table_of_claims(status: &v1::Status, only: Option<&str>) -> String {
    let unfinished = |study: &&v1::Study| study.pending + study.leased > 0;
    let all: Vec<&v1::Study> = status.studies.iter().filter(unfinished).collect();
    let usual = |study: &&v1::Study| {
        let v1::Claim { priority, share, quota } = study.claim.unwrap_or_default();
        (priority.unwrap_or(0), share.unwrap_or(1), quota.unwrap_or(0)) == (0, 1, 0)
    };
    if all.len() < 2 && all.iter().all(usual) {
        return String::new();
    }
    let shown = all.iter().filter(|study| only.is_none_or(|only| study.name == only));
    let width = all.iter().map(|study| shown_name(&study.name).chars().count()).max();
    let width = width.unwrap_or(0).max(5);
    let mut text = format!(
        "\n{:width$}  {:12}  {:>8}  {:>5}  {:>5}  {:>7}  {:>10}  {:>10}\n",
        "study", "owner", "priority", "share", "quota", "workers", "core-h", "core-h left"
    );
    let hours = |ms: u64| format!("{:.2}", ms as f64 / 3_600_000.0);
    for study in shown {
        let v1::Claim { priority, share, quota } = study.claim.unwrap_or_default();
        let owner = match &*study.owner {
            "" => "-".to_owned(),
            owner => printable(owner).chars().take(12).collect(),
        };
        let quota = quota.filter(|quota| *quota > 0).map_or("-".to_owned(), |n| n.to_string());
        // Writing to a string does not fail.
        let _ = writeln!(
            text,
            "{:width$}  {owner:12}  {:>8}  {:>5}  {quota:>5}  {:>7}  {:>10}  {:>10}",
            shown_name(&study.name),
            priority.unwrap_or(0),
            share.unwrap_or(1),
            study.workers,
            hours(study.spent_ms),
            study.left_ms.map_or("-".to_owned(), hours)
        );
    }
    text
}

fn shown_name(name: &str) -> String {
    let name = printable(name);
    match name.char_indices().nth(NAME_WIDTH) {
        Some((end, _)) => format!("{}...", &name[..end]),
        None => name.into_owned(),
    }
}

pub(crate) fn as_json(status: &v1::Status, missing: Option<&[v1::Missing]>) -> Value {
    let studies = status.studies.iter().map(|study| {
        let mut object = json!({
            "name": study.name, "state": state(study), "planned": study.planned,
            "mean_coverage": study.mean_coverage, "owner": study.owner,
            "priority": study.claim.unwrap_or_default().priority.unwrap_or(0),
            "share": study.claim.unwrap_or_default().share.unwrap_or(1),
            "quota": study.claim.unwrap_or_default().quota.filter(|quota| *quota > 0),
            "workers": study.workers, "spent_ms": study.spent_ms, "left_ms": study.left_ms,
        });
        for phase in Phase::ALL {
            object[phase.name()] = runs_in(study, phase).into();
        }
        object
    });
    let planning = status
        .planning
        .iter()
        .map(|planned| json!({ "study": planned.study, "planned": planned.planned, "total": planned.total }));
    let unserved = status.unserved.iter().map(|unserved| {
        json!({ "kind": unserved.kind, "engine": unserved.engine, "runs": unserved.runs })
    });
    let too_long = status.too_long.iter().map(|runs| {
        json!({
            "algorithm": runs.algorithm, "runs": runs.runs, "expected_ms": runs.expected_ms,
            "longest_ms": runs.longest_ms,
        })
    });
    let missing = missing.map(|missing| {
        let rows = missing.iter().map(|row| {
            json!({
                "project": row.project, "algorithm": row.algorithm, "phase": row.phase,
                "runs": row.runs, "reason": row.reason,
            })
        });
        rows.collect::<Vec<_>>()
    });
    json!({
        "workers": status.workers, "runs_per_second": status.runs_per_second,
        "eta_ms": status.eta_ms, "last_error": status.last_error, "standby": status.standby,
        "planning": planning.collect::<Vec<_>>(), "unserved": unserved.collect::<Vec<_>>(),
        "too_long": too_long.collect::<Vec<_>>(),
        "studies": studies.collect::<Vec<_>>(),
        "missing": missing,
    })
}

fn runs_in(study: &v1::Study, phase: Phase) -> u64 {
    match phase {
        Phase::Pending => study.pending,
        Phase::Leased => study.leased,
        Phase::Done => study.done,
        Phase::Failed => study.failed,
        Phase::Quarantined => study.quarantined,
    }
}

pub(crate) fn state(study: &v1::Study) -> &'static str {
    match study.state() {
        v1::StudyState::Active if study.pending + study.leased == 0 => "complete",
        v1::StudyState::Active => "active",
        v1::StudyState::Paused => "paused",
        v1::StudyState::Cancelled => "cancelled",
    }
}

pub(crate) fn has_tables(folder: &Path) -> bool {
    folder.join("runs.parquet").is_file()
}

/// Counts the states of the runs for tables of version 0.3.0, which do not contain quarantined
/// runs, and for imported results, which have no plan.
fn states_of_runs(results: &Results) -> RunStates {
    let ended = results.runs.len() as u64;
    let is_done = |run: &&Run| matches!(run.outcome, RunOutcome::Done | RunOutcome::NoGoals);
    let done = results.runs.iter().filter(is_done).count() as u64;
    let planned = RunStates { planned: ended, ..RunStates::default() };
    RunStates { done, failed: ended - done, ..results.states.unwrap_or(planned) }
}

/// Runs that a race does not need are not counted as planned.
pub(crate) fn of_folder(folder: &Path) -> Result<v1::Status, Failure> {
    let results = Results::read(folder).map_err(Worded::worded)?;
    let RunStates { planned, done, failed, quarantined, dropped, pending } =
        match RunStates::read(folder).map_err(Worded::worded)? {
            Some(states) => states,
            None => states_of_runs(&results),
        };
    let coverages: Vec<f64> = results.runs.iter().filter_map(Run::coverage).collect();
    let mean = coverages.iter().sum::<f64>() / coverages.len() as f64;
    let study = v1::Study {
        name: folder.display().to_string(),
        planned: planned - dropped,
        pending,
        done,
        failed,
        quarantined,
        mean_coverage: (!coverages.is_empty()).then_some(mean),
        ..v1::Study::default()
    };
    let v1::Study { planned, .. } = study;
    let studies = vec![study];
    Ok(v1::Status { planned, pending, done, failed, quarantined, studies, ..v1::Status::default() })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A coordinator of an earlier version accepted any name.
    #[test]
    fn status_shows_any_name() {
        let name = format!("\u{1b}[2J{}", "x".repeat(1 << 20));
        let study = v1::Study { name: name.clone(), ..Default::default() };
        let planning = v1::PlanningProgress { study: name.clone(), planned: 1, total: 2 };
        let unserved = v1::Unserved { kind: name.clone(), engine: "e".into(), runs: 1 };
        let status = v1::Status {
            studies: vec![study],
            planning: vec![planning],
            unserved: vec![unserved],
            ..Default::default()
        };
        let missing = v1::Missing {
            project: name.clone(),
            algorithm: name.clone(),
            phase: "pending".into(),
            runs: 1,
            reason: "two\nlines\u{7}".into(),
        };
        let text = as_text(&status, Some(&name), Some(&[missing]));
        let line = text.lines().find(|line| line.starts_with("\\u{1b}[2Jxxx")).unwrap();
        assert!(line.chars().count() < 200 || line.contains("being planned"), "{line}");
        assert!(!text.contains(['\u{1b}', '\u{7}']) && text.contains("two lines\\u{7}"));
    }

    #[test]
    fn slow_studies_have_a_pace() {
        let slow = v1::Status {
            planned: 6,
            pending: 3,
            leased: 2,
            workers: 2,
            runs_per_second: 1.0 / 30.0,
            ..Default::default()
        };
        assert_eq!(pace(&slow), "2 workers, 2.0 runs/min, about 3 minutes left");
        let new = v1::Status { runs_per_second: 0.0, ..slow.clone() };
        assert_eq!(pace(&new), "2 workers, measuring how long a run takes");
        let over = v1::Status { pending: 0, leased: 0, runs_per_second: 0.0, ..slow };
        assert_eq!(pace(&over), "2 workers");
    }

    #[test]
    fn status_names_every_phase_alike() {
        let counts = v1::Study {
            name: "s".into(),
            planned: 15,
            pending: 1,
            leased: 2,
            done: 3,
            failed: 4,
            quarantined: 5,
            ..Default::default()
        };
        let status = v1::Status { studies: vec![counts], ..Default::default() };
        let text = as_text(&status, None, None);
        let header = text.lines().find(|line| line.starts_with("study")).unwrap();
        assert!(header.len() <= 90, "{header}");
        let columns: Vec<_> = header.split_whitespace().collect();
        let names = ["pending", "leased", "done", "failed", "quarantined"];
        assert_eq!(columns[3..8], names);
        assert_eq!(Phase::ALL.map(Phase::name), names);
        let json = as_json(&status, None);
        assert_eq!(names.map(|name| json["studies"][0][name].clone()), [1, 2, 3, 4, 5]);
    }
}
