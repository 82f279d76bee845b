//! The tables of a study in its folder, with all runs that have ended so far.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis::tidy::{Dropped, RunStates, Skipped, Staging, Writer};
use catherd_analysis::{Summary, summarise};
use catherd_coordinator::{Breakdown, QuarantinedRun};
use catherd_experiments::text::printable;
use catherd_experiments::{CorpusDescription, Measures, Plan, RunOutcome, RunRecord, SubjectInfo};
use catherd_interface::{Approaches, Kinds};

use crate::artifacts::Artifacts;
use crate::error::{ResultsError, WriteError};
use crate::folder::{CORPUS, MANIFEST, StudyFolder};
use crate::goals::GoalCounts;
use crate::stored::RunResult;

const MEASURES: &str = "projects.csv";

/// The input of the tables of a study, in addition to the results of its runs.
#[derive(Clone, Debug)]
pub struct StudyTables {
    folder: PathBuf,
    plan: Plan,
    /// `None` for a kind that this program does not have.
    subject: Option<SubjectInfo>,
    approaches: Option<Approaches>,
    projects: CorpusDescription,
    dropped: Vec<Dropped>,
    /// Whether the rounds of the study have ended. Runs without a result are not needed then.
    race_is_over: bool,
}

/// Which files are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// Only the tables.
    Tables,
    /// The tables and the artifacts of all runs.
    WithSuites,
}

/// A summary of the results that were written.
#[derive(Debug)]
pub struct WrittenResults {
    /// Comparisons of the algorithms, and the files written with the comparisons.
    pub summary: Summary,
    /// Counts of runs by state.
    pub states: RunStates,
    /// Number of suites of the runs whose artifacts were written.
    pub suites: usize,
    /// Counts of unsuccessful runs, by project and cause.
    pub problems: BTreeMap<(String, String), usize>,
}

impl StudyTables {
    /// Prepares the tables of a study in its folder.
    pub fn new(
        folder: &StudyFolder,
        plan: &Plan,
        projects: CorpusDescription,
        kinds: &Kinds,
    ) -> StudyTables {
        let kind = kinds.get(&plan.subject).ok();
        StudyTables {
            folder: folder.path.clone(),
            plan: plan.clone(),
            subject: kind.map(|kind| SubjectInfo { engine: plan.engine.clone(), ..kind.info() }),
            approaches: kind.and_then(|kind| kind.approaches()),
            projects,
            dropped: Vec::new(),
            race_is_over: false,
        }
    }

    pub(crate) fn add_dropped(&mut self, dropped: Vec<Dropped>) {
        self.dropped.extend(dropped);
    }

    pub(crate) fn end_race(&mut self) {
        self.race_is_over = true;
    }

    /// Marks the study as incomplete, so earlier tables are not mistaken for complete tables.
    ///
    /// # Errors
    /// If the file with the counts of runs cannot be written.
    pub fn mark_incomplete(&self) -> Result<(), ResultsError> {
        let Some(before) = RunStates::read(&self.folder).ok().flatten() else { return Ok(()) };
        let planned = self.plan.count() as u64;
        let pending = planned.saturating_sub(before.ended() + before.dropped).max(1);
        let planned = before.ended() + before.dropped + pending;
        Ok(RunStates { planned, pending, ..before }.write(&self.folder)?)
    }

    /// Writes the results of the runs that have ended. Earlier tables are replaced only after all
    /// new tables are complete.
    ///
    /// # Errors
    /// If a result is an error, or if a file cannot be written or read again.
    pub fn write<E>(
        &self,
        results: impl IntoIterator<Item = Result<RunResult, E>>,
        extent: Extent,
    ) -> Result<WrittenResults, WriteError<E>> {
        let mut results = results.into_iter().peekable();
        let subject = match (&self.subject, results.peek()) {
            (Some(known), _) => known.clone(),
            (None, Some(Ok(first))) => self.subject_of(Some(first)),
            (None, _) => self.subject_of(None),
        };
        let staging = Staging::create(&self.folder)?;
        let mut tables = Writer::create(staging.path(), &subject)?;
        let mut artifacts = Artifacts::new(&self.folder, &subject);
        let mut goals = GoalCounts::new(&self.projects.goals, &self.plan, self.approaches);
        let mut problems = BTreeMap::new();
        let mut states = RunStates { planned: self.plan.count() as u64, ..RunStates::default() };
        for result in results {
            match result.map_err(WriteError::Source)? {
                RunResult::Record(record) => {
                    let (spec, record) = *record;
                    let done = matches!(record.outcome, RunOutcome::Done | RunOutcome::NoGoals);
                    *(if done { &mut states.done } else { &mut states.failed }) += 1;
                    tables.push(&spec, &record)?;
                    goals.add(&spec, &record);
                    if let Some(problem) = problem(&record) {
                        *problems.entry((spec.project_name.clone(), problem)).or_default() += 1;
                    }
                    if extent == Extent::WithSuites {
                        artifacts.write(&spec, &record)?;
                    }
                }
                RunResult::Quarantined(run) => {
                    states.quarantined += 1;
                    let QuarantinedRun { spec, attempts, kind, reason } = *run;
                    let (outcome, cause) = match kind {
                        Breakdown::TimedOut => (RunOutcome::TimedOut, "timed out: "),
                        Breakdown::OutOfMemory => (RunOutcome::OutOfMemory, "out of memory: "),
                        Breakdown::Crashed | Breakdown::Lost => (RunOutcome::Failed, ""),
                    };
                    tables.push_quarantined(&spec, outcome, &reason, attempts)?;
                    let many = if attempts == 1 { "" } else { "s" };
                    let problem =
                        format!("quarantined after {attempts} attempt{many}: {cause}{reason}");
                    *problems.entry((spec.project_name, problem)).or_default() += 1;
                }
            }
        }
        artifacts.finish()?;
        let states = self.with_rest(states);
        let left_out = self.projects.left_out.iter();
        let skipped: Vec<Skipped> = left_out
            .map(|project| Skipped {
                project: project.project.clone(),
                reason: project.reason.clone(),
            })
            .collect();
        tables.finish(&skipped, &self.dropped)?;
        states.write(staging.path())?;
        self.describe(staging.path())?;
        goals.write(staging.path(), &self.plan)?;
        let summary = summarise(staging.path())?;
        staging.publish()?;
        Ok(WrittenResults { summary, states, suites: artifacts.suites, problems })
    }

    fn subject_of(&self, first: Option<&RunResult>) -> SubjectInfo {
        let (kind, engine) = (&self.plan.subject, &self.plan.engine);
        match first {
            Some(RunResult::Record(record)) => SubjectInfo::of_record(kind, engine, &record.1),
            _ => {
                let (kind, engine) = (kind.clone(), engine.clone());
                SubjectInfo { kind, engine, ..SubjectInfo::default() }
            }
        }
    }

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

    fn describe(&self, folder: &Path) -> Result<(), ResultsError> {
        let path = folder.join(MANIFEST);
        let written = self.plan.to_json().map_err(std::io::Error::from);
        let written = written.and_then(|json| fs::write(&path, json));
        written.map_err(|cause| ResultsError::File { path, cause })?;
        let path = folder.join(CORPUS);
        let written = serde_json::to_vec_pretty(&self.projects).map_err(std::io::Error::from);
        let written = written.and_then(|json| fs::write(&path, [&json[..], b"\n"].concat()));
        written.map_err(|cause| ResultsError::File { path, cause })?;
        let Some(Measures { columns, rows }) = &self.projects.measures else { return Ok(()) };
        let path = folder.join(MEASURES);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            file.write_record(columns)?;
            let shown =
                |row: &Vec<String>| row.iter().map(|cell| printable(cell).into_owned()).collect();
            rows.iter().map(shown).try_for_each(|row: Vec<String>| file.write_record(row))?;
            Ok(file.flush()?)
        };
        write().map_err(|cause| ResultsError::File { path: path.clone(), cause: cause.into() })
    }
}

fn problem(record: &RunRecord) -> Option<String> {
    let word = match record.outcome {
        RunOutcome::Done | RunOutcome::NoGoals => return None,
        RunOutcome::Failed => "failed",
        RunOutcome::TimedOut => "timed out",
        RunOutcome::OutOfMemory => "out of memory",
    };
    Some(format!("{word}: {}", record.reason))
}

impl WrittenResults {
    /// Whether every run of the study has ended or is not needed.
    pub fn is_complete(&self) -> bool {
        self.states.is_complete()
    }
}
