//! The tables of a study in its folder, of all its runs or of those that have ended so far.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_analysis::tidy::{Dropped, RunStates, Skipped, Staging, Writer};
use catherd_analysis::{Summary, summarise};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_coordinator::{Breakdown, QuarantinedRun};
use catherd_experiments::{CorpusDescription, Measures, Outcome, Plan, RunRecord, SubjectInfo};
use indicatif::HumanDuration;

use super::folder::{Folder, MANIFEST};
use super::goals::GoalCounts;
use super::results::RunResult;
use super::suites::Suites;
use crate::failure::Worded;
use crate::subjects;

/// Largest number of problems listed on the terminal; the tables have all of them.
const MAX_PROBLEMS: usize = 20;

/// Name of the table of measures of projects.
const MEASURES: &str = "projects.csv";

/// What the tables of a study are made of beside the results of its runs.
#[derive(Clone, Debug)]
pub(crate) struct StudyTables {
    folder: PathBuf,
    plan: Plan,
    projects: CorpusDescription,
    dropped: Vec<Dropped>,
    /// Every run that has not ended was dropped by a race.
    race_is_over: bool,
}

/// What else is written beside the tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    /// Nothing, because the tables will soon be written again.
    Tables,
    /// The artifacts of all runs.
    WithSuites,
}

/// A summary of the results that were written.
pub(crate) struct Results {
    summary: Summary,
    states: RunStates,
    suites: usize,
    /// Numbers of runs without a result, by project and cause.
    pub(crate) problems: BTreeMap<(String, String), usize>,
}

impl StudyTables {
    pub(crate) fn new(folder: &Folder, plan: &Plan, projects: CorpusDescription) -> StudyTables {
        StudyTables {
            folder: folder.path.clone(),
            plan: plan.clone(),
            projects,
            dropped: Vec::new(),
            race_is_over: false,
        }
    }

    /// Adds configurations that a race has dropped.
    pub(super) fn add_dropped(&mut self, dropped: Vec<Dropped>) {
        self.dropped.extend(dropped);
    }

    /// Notes that a race has ended: the runs that have not ended are not needed.
    pub(super) fn end_race(&mut self) {
        self.race_is_over = true;
    }

    /// Says in the folder that its tables, if there are any, are not those of the complete study.
    /// Called before runs are executed, because the study may have grown.
    pub(crate) fn mark_incomplete(&self) -> Result<(), Failure> {
        let Some(before) = RunStates::read(&self.folder).ok().flatten() else { return Ok(()) };
        let planned = self.plan.count() as u64;
        let pending = planned.saturating_sub(before.ended() + before.dropped).max(1);
        let planned = before.ended() + before.dropped + pending;
        Ok(RunStates { planned, pending, ..before }.write(&self.folder).map_err(Worded::worded)?)
    }

    /// Writes the results of the runs that have ended: the tables together, so that a reader finds
    /// either the earlier ones or these, and the artifacts before them.
    pub(crate) fn write(
        &self,
        results: impl IntoIterator<Item = Result<RunResult, Failure>>,
        extent: Extent,
    ) -> Result<Results, Failure> {
        let mut results = results.into_iter().peekable();
        let subject = subject_of(&self.plan, results.peek());
        let staging = Staging::create(&self.folder).map_err(Worded::worded)?;
        let mut tables = Writer::create(staging.path(), &subject).map_err(Worded::worded)?;
        let mut suites = Suites::new(&self.folder, &subject);
        let mut goals = GoalCounts::new(&self.projects.goals);
        let mut problems = BTreeMap::new();
        let mut states = RunStates { planned: self.plan.count() as u64, ..RunStates::default() };
        for result in results {
            match result? {
                RunResult::Record(record) => {
                    let (spec, record) = *record;
                    let done = matches!(record.outcome, Outcome::Done | Outcome::NoGoals);
                    *(if done { &mut states.done } else { &mut states.failed }) += 1;
                    tables.push(&spec, &record).map_err(Worded::worded)?;
                    goals.add(&spec, &record);
                    if let Some(problem) = problem(&record) {
                        *problems.entry((spec.project_name.clone(), problem)).or_default() += 1;
                    }
                    if extent == Extent::WithSuites {
                        suites.write(&spec, &record)?;
                    }
                }
                RunResult::Quarantined(run) => {
                    states.quarantined += 1;
                    let QuarantinedRun { spec, attempts, kind, reason } = *run;
                    let (outcome, cause) = match kind {
                        Breakdown::TimedOut => (Outcome::TimedOut, "timed out: "),
                        Breakdown::OutOfMemory => (Outcome::OutOfMemory, "out of memory: "),
                        Breakdown::Crashed | Breakdown::Lost => (Outcome::Failed, ""),
                    };
                    tables
                        .push_quarantined(&spec, outcome, &reason, attempts)
                        .map_err(Worded::worded)?;
                    let attempts = plural(attempts as usize, "attempt");
                    let problem = format!("quarantined after {attempts}: {cause}{reason}");
                    *problems.entry((spec.project_name, problem)).or_default() += 1;
                }
            }
        }
        let states = self.with_rest(states);
        let left_out = self.projects.left_out.iter();
        let skipped: Vec<Skipped> = left_out
            .map(|one| Skipped { project: one.project.clone(), reason: one.reason.clone() })
            .collect();
        tables.finish(&skipped, &self.dropped).map_err(Worded::worded)?;
        states.write(staging.path()).map_err(Worded::worded)?;
        self.describe(staging.path())?;
        goals.write(staging.path(), &self.plan)?;
        let summary = summarise(staging.path()).map_err(Worded::worded)?;
        staging.publish().map_err(Worded::worded)?;
        Ok(Results { summary, states, suites: suites.written, problems })
    }

    /// The numbers with those of the runs that have not ended.
    fn with_rest(&self, states: RunStates) -> RunStates {
        let RunStates { planned, .. } = states;
        let rest = planned.saturating_sub(states.ended());
        let unneeded: usize = self
            .dropped
            .iter()
            .map(|dropped| self.plan.projects.len().saturating_sub(dropped.projects as usize))
            .sum();
        let unneeded = (unneeded * self.plan.seeds.len()) as u64;
        let dropped = if self.race_is_over { rest } else { unneeded.min(rest) };
        RunStates { dropped, pending: rest - dropped, ..states }
    }

    /// Writes the plan and the measures of the projects.
    fn describe(&self, folder: &Path) -> Result<(), Failure> {
        let failed = |path: PathBuf, cause: String| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("free disk space or correct the permissions, then repeat the command")
        };
        let path = folder.join(MANIFEST);
        let written = self.plan.to_json().map_err(std::io::Error::from);
        let written = written.and_then(|json| fs::write(&path, json));
        written.map_err(|cause| failed(path, cause.to_string()))?;
        let Some(Measures { columns, rows }) = &self.projects.measures else { return Ok(()) };
        let path = folder.join(MEASURES);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            file.write_record(columns)?;
            rows.iter().try_for_each(|row| file.write_record(row))?;
            Ok(file.flush()?)
        };
        write().map_err(|cause| failed(path.clone(), cause.to_string()))
    }
}

/// The measures and units of the runs of a study. A kind that this program does not have is
/// described by the names in a record.
fn subject_of(plan: &Plan, first: Option<&Result<RunResult, Failure>>) -> SubjectInfo {
    let (kind, engine) = (&plan.subject, &plan.engine);
    let known = subjects::kinds().get(kind);
    let known = known.map(|kind| SubjectInfo { engine: engine.clone(), ..kind.info() });
    known.unwrap_or_else(|_| match first {
        Some(Ok(RunResult::Record(record))) => SubjectInfo::of_record(kind, engine, &record.1),
        _ => SubjectInfo { kind: kind.clone(), engine: engine.clone(), ..SubjectInfo::default() },
    })
}

/// A line for each cause of problems, in the order of their first projects: runs of several projects
/// may have the same cause.
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

fn problem(record: &RunRecord) -> Option<String> {
    let word = match record.outcome {
        Outcome::Done | Outcome::NoGoals => return None,
        Outcome::Failed => "failed",
        Outcome::TimedOut => "timed out",
        Outcome::OutOfMemory => "out of memory",
    };
    Some(format!("{word}: {}", record.reason))
}

impl Results {
    /// Whether every run of the study has ended or is not needed.
    pub(crate) fn is_complete(&self) -> bool {
        self.states.is_complete()
    }

    /// The text that the command prints at its end.
    pub(crate) fn text(&self, study: &str, folder: &Path, time: Duration) -> String {
        let mut text = format!("\n{}", self.summary.text);
        // Writing to a string does not fail.
        let lines = lines_of(&self.problems);
        for line in lines.iter().take(MAX_PROBLEMS) {
            let _ = writeln!(text, "{}", line.replace(char::is_control, " "));
        }
        if let Some(more) = lines.len().checked_sub(MAX_PROBLEMS).filter(|n| *n > 0) {
            let _ = writeln!(text, "... and {more} more");
        }
        let records = (self.states.done + self.states.failed) as usize;
        let (runs, suites) = (plural(records, "run"), plural(self.suites, "test suite"));
        let _ = writeln!(text, "\n{study}: {runs}, {suites}, {}", HumanDuration(time));
        if !self.is_complete() {
            let (ended, planned) = (self.states.ended(), self.states.planned);
            let _ = writeln!(text, "Interim: {ended} of {planned} runs have ended.");
        }
        let folder = folder.display();
        let _ = writeln!(
            text,
            "Results in {folder}: table6.md, coverage-over-time.svg, runs.csv, timeline.csv, suites/"
        );
        text
    }
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
