//! Tables, suites and what went wrong, from the records of a finished study.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use catherd_analysis::tidy::{Dropped, Skipped, Writer};
use catherd_analysis::{Summary, summarise};
use catherd_coordinator::{Breakdown, Coordinator, QuarantinedRun};
use catherd_experiments::{Digest, Outcome, RunRecord, RunSpec};
use indicatif::HumanDuration;

use super::folder::{Folder, safe_name};
use crate::failure::Failure;
use crate::terminal::plural;

/// The longest list of troubles on the terminal; all are in the tables or the database.
const MOST_TROUBLES: usize = 20;

/// What a study has to show.
pub(crate) struct Results {
    summary: Summary,
    runs: usize,
    suites: usize,
    /// Runs without a result: what became of them and on which project, how many.
    pub(crate) troubles: BTreeMap<(String, String), usize>,
}

/// What came of a run.
pub(crate) enum End {
    /// A record.
    Record(Box<(RunSpec, RunRecord)>),
    /// It was given up.
    GivenUp(Box<QuarantinedRun>),
}

/// What came of the runs of a study, in its order.
pub(super) fn ends(
    coordinator: &Coordinator,
    study: &str,
) -> Result<impl Iterator<Item = Result<End, Failure>> + use<>, Failure> {
    let number = coordinator.study(study).ok_or_else(|| {
        Failure::new(format_args!("study `{study}` is gone from its database"))
            .hint("repeat the command")
    })?;
    let records = coordinator.records(number)?.map(|record| Ok(End::Record(Box::new(record?))));
    let given_up =
        coordinator.quarantined(number)?.into_iter().map(|run| Ok(End::GivenUp(Box::new(run))));
    Ok(records.chain(given_up))
}

/// Writes everything that the records of a study say into its folder.
pub(crate) fn export(
    ends: impl IntoIterator<Item = Result<End, Failure>>,
    folder: &Folder,
    skipped: &[Skipped],
    dropped: &[Dropped],
) -> Result<Results, Failure> {
    let mut tables = Writer::create(&folder.path)?;
    let mut suites = Suites::new(folder.suites());
    let mut troubles = BTreeMap::new();
    let mut runs = 0;
    for end in ends {
        match end? {
            End::Record(record) => {
                let (spec, record) = *record;
                runs += 1;
                tables.push(&spec, &record)?;
                if let Some(trouble) = trouble(&record) {
                    *troubles.entry((spec.project_name.clone(), trouble)).or_default() += 1;
                }
                suites.write(&spec, &record)?;
            }
            End::GivenUp(given_up) => {
                let QuarantinedRun { spec, attempts, kind, reason } = *given_up;
                let (outcome, cause) = match kind {
                    Breakdown::TimedOut => (Outcome::TimedOut, "timed out: "),
                    Breakdown::OutOfMemory => (Outcome::OutOfMemory, "out of memory: "),
                    Breakdown::Crashed | Breakdown::Lost => (Outcome::Failed, ""),
                };
                tables.push_given_up(&spec, outcome, &reason, attempts)?;
                let attempts = plural(attempts as usize, "attempt");
                let trouble = format!("given up after {attempts}: {cause}{reason}");
                *troubles.entry((spec.project_name, trouble)).or_default() += 1;
            }
        }
    }
    tables.finish(skipped, dropped)?;
    let summary = summarise(&folder.path)?;
    Ok(Results { summary, runs, suites: suites.written, troubles })
}

fn trouble(record: &RunRecord) -> Option<String> {
    let word = match record.outcome {
        Outcome::Done | Outcome::NoGoals => return None,
        Outcome::Failed => "failed",
        Outcome::TimedOut => "timed out",
        Outcome::OutOfMemory => "out of memory",
    };
    Some(format!("{word}: {}", record.reason))
}

impl Results {
    /// What the command ends with.
    pub(crate) fn text(&self, study: &str, folder: &Path, time: Duration) -> String {
        let mut text = format!("\n{}", self.summary.text);
        // Writing to a string does not fail.
        for ((project, trouble), count) in self.troubles.iter().take(MOST_TROUBLES) {
            let runs = plural(*count, "run");
            let line = format!("{project}, {runs} {trouble}").replace(char::is_control, " ");
            let _ = writeln!(text, "{line}");
        }
        if let Some(more) = self.troubles.len().checked_sub(MOST_TROUBLES).filter(|n| *n > 0) {
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

/// The suites of a study: `suites/PROJECT/ALGORITHM-SEED.json`.
struct Suites {
    folder: PathBuf,
    projects: FileNames<Digest>,
    algorithms: FileNames<String>,
    written: usize,
}

impl Suites {
    fn new(folder: PathBuf) -> Suites {
        Suites {
            folder,
            projects: FileNames::default(),
            algorithms: FileNames::default(),
            written: 0,
        }
    }

    fn write(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Failure> {
        let Some(suite) = record.artifacts.get("suite.json") else { return Ok(()) };
        let project = self.projects.of(spec.project, &spec.project_name);
        let label = &spec.algorithm.label;
        let algorithm = self.algorithms.of(label.clone(), label);
        let folder = self.folder.join(project);
        let file = folder.join(format!("{algorithm}-{}.json", spec.seed));
        let written = fs::create_dir_all(folder).and_then(|()| fs::write(&file, suite));
        written.map_err(|cause| {
            Failure::new(format_args!("{}: {cause}", file.display()))
                .hint("make room or correct the permissions, then repeat the command")
        })?;
        self.written += 1;
        Ok(())
    }
}

/// File names for things with names that may hold anything; all different, also where
/// upper and lower case are the same.
struct FileNames<K> {
    given: BTreeMap<K, String>,
    taken: BTreeSet<String>,
}

impl<K> Default for FileNames<K> {
    fn default() -> FileNames<K> {
        FileNames { given: BTreeMap::new(), taken: BTreeSet::new() }
    }
}

impl<K: Ord> FileNames<K> {
    fn of(&mut self, key: K, name: &str) -> &str {
        let taken = &mut self.taken;
        self.given.entry(key).or_insert_with(|| {
            let safe = safe_name(name);
            let others = (2..).map(|number| format!("{safe}~{number}"));
            let mut names = std::iter::once(safe.clone()).chain(others);
            // The names never end.
            names.find(|name| taken.insert(name.to_lowercase())).unwrap_or_default()
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_are_different() {
        let mut names = FileNames::default();
        assert_eq!(names.of(1, "a/b"), "a_b");
        assert_eq!(names.of(2, "a?b"), "a_b~2");
        assert_eq!(names.of(3, "A b"), "A_b~3");
        assert_eq!(names.of(1, "a/b"), "a_b");
    }
}
