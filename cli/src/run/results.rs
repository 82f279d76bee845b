//! Writes the results of a study: tables, suites, and a list of problems.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_analysis::tidy::{Dropped, Skipped, Writer};
use catherd_analysis::{Summary, summarise};
use catherd_coordinator::{Breakdown, Coordinator, QuarantinedRun};
use catherd_experiments::{Digest, Outcome, RunRecord, RunSpec, SubjectInfo};
use indicatif::HumanDuration;

use super::folder::Folder;
use crate::failure::Failure;
use crate::file_names::{FileNames, safe_name};
use crate::subjects;
use crate::terminal::plural;

/// Largest number of problems listed on the terminal; the tables have all of them.
const MAX_PROBLEMS: usize = 20;

/// A summary of the results that were written.
pub(crate) struct Results {
    summary: Summary,
    runs: usize,
    suites: usize,
    /// Numbers of runs without a result, by project and cause.
    pub(crate) problems: BTreeMap<(String, String), usize>,
}

/// The result of a run.
pub(crate) enum RunResult {
    /// A record.
    Record(Box<(RunSpec, RunRecord)>),
    /// The run is quarantined and has no record.
    Quarantined(Box<QuarantinedRun>),
}

impl RunResult {
    fn spec(&self) -> &RunSpec {
        match self {
            RunResult::Record(record) => &record.0,
            RunResult::Quarantined(run) => &run.spec,
        }
    }

    /// The measures and units of the runs of the study. A kind that this program does not have is
    /// described by the names in the record.
    fn subject(&self) -> SubjectInfo {
        let RunSpec { subject, engine, .. } = self.spec();
        let known = subjects::kinds().get(subject);
        let known = known.map(|kind| SubjectInfo { engine: engine.clone(), ..kind.info() });
        known.unwrap_or_else(|_| match self {
            RunResult::Record(record) => SubjectInfo::of_record(subject, engine, &record.1),
            RunResult::Quarantined(_) => {
                let (kind, engine) = (subject.clone(), engine.clone());
                SubjectInfo { kind, engine, ..SubjectInfo::default() }
            }
        })
    }
}

/// The results of the runs of a study, in its order.
pub(super) fn run_results(
    coordinator: &Coordinator,
    study: &str,
) -> Result<impl Iterator<Item = Result<RunResult, Failure>> + use<>, Failure> {
    let number = coordinator.study(study).ok_or_else(|| {
        Failure::new(format_args!(
            "study `{study}` was removed from its store while it was running"
        ))
        .hint("repeat the command")
    })?;
    let records = coordinator.records(number)?;
    let records = records.map(|record| Ok(RunResult::Record(Box::new(record?))));
    let quarantined = coordinator.quarantined(number)?.into_iter();
    Ok(records.chain(quarantined.map(|run| Ok(RunResult::Quarantined(Box::new(run))))))
}

/// Writes tables, suites and figures of a study into its folder.
pub(crate) fn export(
    results: impl IntoIterator<Item = Result<RunResult, Failure>>,
    folder: &Folder,
    skipped: &[Skipped],
    dropped: &[Dropped],
) -> Result<Results, Failure> {
    let mut results = results.into_iter().peekable();
    // The tables have columns for the units of the first run; all runs are of one kind.
    let subject = match results.peek() {
        Some(Ok(first)) => first.subject(),
        Some(Err(_)) | None => subjects::kinds().default_kind().info(),
    };
    let mut tables = Writer::create(&folder.path, &subject)?;
    let mut suites = Suites::new(folder.suites(), &subject);
    let mut problems = BTreeMap::new();
    let mut runs = 0;
    for result in results {
        match result? {
            RunResult::Record(record) => {
                let (spec, record) = *record;
                runs += 1;
                tables.push(&spec, &record)?;
                if let Some(problem) = problem(&record) {
                    *problems.entry((spec.project_name.clone(), problem)).or_default() += 1;
                }
                suites.write(&spec, &record)?;
            }
            RunResult::Quarantined(run) => {
                let QuarantinedRun { spec, attempts, kind, reason } = *run;
                let (outcome, cause) = match kind {
                    Breakdown::TimedOut => (Outcome::TimedOut, "timed out: "),
                    Breakdown::OutOfMemory => (Outcome::OutOfMemory, "out of memory: "),
                    Breakdown::Crashed | Breakdown::Lost => (Outcome::Failed, ""),
                };
                tables.push_quarantined(&spec, outcome, &reason, attempts)?;
                let attempts = plural(attempts as usize, "attempt");
                let problem = format!("quarantined after {attempts}: {cause}{reason}");
                *problems.entry((spec.project_name, problem)).or_default() += 1;
            }
        }
    }
    tables.finish(skipped, dropped)?;
    let summary = summarise(&folder.path)?;
    Ok(Results { summary, runs, suites: suites.written, problems })
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
    /// The text that the command prints at its end.
    pub(crate) fn text(&self, study: &str, folder: &Path, time: Duration) -> String {
        let mut text = format!("\n{}", self.summary.text);
        // Writing to a string does not fail.
        for ((project, problem), count) in self.problems.iter().take(MAX_PROBLEMS) {
            let runs = plural(*count, "run");
            let line = format!("{project}, {runs} {problem}").replace(char::is_control, " ");
            let _ = writeln!(text, "{line}");
        }
        if let Some(more) = self.problems.len().checked_sub(MAX_PROBLEMS).filter(|n| *n > 0) {
            let _ = writeln!(text, "... and {more} more");
        }
        let (runs, suites) = (plural(self.runs, "run"), plural(self.suites, "test suite"));
        let _ = writeln!(text, "\n{study}: {runs}, {suites}, {}", HumanDuration(time));
        let folder = folder.display();
        let _ = writeln!(
            text,
            "Results in {folder}: table6.md, coverage-over-time.svg, runs.csv, timeline.csv, suites/"
        );
        text
    }
}

/// The artifacts of a study: `suites/PROJECT/ALGORITHM-SEED.json` for a suite, and
/// `suites/PROJECT/ALGORITHM-SEED.NAME` for any other artifact.
struct Suites {
    folder: PathBuf,
    /// Name of the suite among the artifacts of a record.
    suite: String,
    extension: String,
    projects: FileNames<Digest>,
    algorithms: FileNames<String>,
    written: usize,
}

impl Suites {
    fn new(folder: PathBuf, subject: &SubjectInfo) -> Suites {
        Suites {
            folder,
            suite: subject.suite_file(),
            extension: subject.artifact_extension.clone(),
            projects: FileNames::default(),
            algorithms: FileNames::default(),
            written: 0,
        }
    }

    fn write(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Failure> {
        if record.artifacts.is_empty() {
            return Ok(());
        }
        let project = self.projects.of(spec.project, &spec.project_name);
        let label = &spec.algorithm.label;
        let algorithm = self.algorithms.of(label.clone(), label);
        let folder = self.folder.join(project);
        for (name, text) in &record.artifacts {
            let is_suite = *name == self.suite;
            let name = if is_suite { self.extension.clone() } else { safe_name(name) };
            let file = folder.join(format!("{algorithm}-{}.{name}", spec.seed));
            let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
            written.map_err(|cause| {
                Failure::new(format_args!("{}: {cause}", file.display()))
                    .hint("free disk space or correct the permissions, then repeat the command")
            })?;
            self.written += usize::from(is_suite);
        }
        Ok(())
    }
}
