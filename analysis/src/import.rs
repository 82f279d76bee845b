//! Published raw data and results of other tools, as our tidy tables.
//!
//! Coverage is taken from counts where the file has them, never from a rounded share: a
//! share is turned back into counts if the total is known and only one count rounds to it,
//! and kept as a share ([`UNCOUNTED`](crate::tidy::UNCOUNTED)) otherwise. A row without a
//! coverage is a run that failed. What the file does not say stays empty.

mod columns;
mod pynguin;
mod row;
mod whisker;

pub use columns::{Columns, FIELDS};
pub use pynguin::Pynguin;
pub use whisker::Whisker;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use catherd_experiments::{
    Budget, CriterionInfo, Digest, Measure, Noun, Outcome, SubjectInfo, Unit,
};

use crate::tidy::{self, Imported, UNCOUNTED};

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened or read.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The file is not the CSV that it should be.
    #[error("{}, line {line}: {problem}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// What is wrong with it.
        problem: String,
    },
    /// A column that is needed is missing.
    #[error("{}: there is no column `{column}`", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// Its name.
        column: String,
    },
    /// A field holds what its column cannot.
    #[error("{}, line {line}: column `{column}` holds `{value}`, {expected} is needed", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// What it holds.
        value: String,
        /// What it should hold.
        expected: &'static str,
    },
    /// A run stands in the files twice.
    #[error(
        "{}, line {line}: the run of {project} with {algorithm} and seed {seed} stands in line \
         {first} of {} already", path.display(), earlier.display()
    )]
    Twice {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The project of the run.
        project: String,
        /// Its algorithm.
        algorithm: String,
        /// Its seed.
        seed: u64,
        /// The file that had it before.
        earlier: PathBuf,
        /// The line in that.
        first: u64,
    },
    /// A file has no runs.
    #[error("{}: there are no runs in it", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The tables could not be written.
    #[error(transparent)]
    Tables(#[from] tidy::Error),
}

/// What the files of a tool look like.
pub trait Format {
    /// The tool, as the engine of the runs.
    fn engine(&self) -> String;

    /// The runs of a file, one at a time.
    ///
    /// # Errors
    /// [`ImportError`]
    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(Draft) -> Result<(), ImportError>,
    ) -> Result<(), ImportError>;
}

/// A run as a file has it.
#[derive(Clone, Debug, Default)]
pub struct Draft {
    project: String,
    algorithm: String,
    seed: Option<u64>,
    outcome: Option<Outcome>,
    reason: Option<String>,
    coverage: Option<Coverage>,
    executions: Option<u64>,
    executions_to_full: Option<u64>,
    search_ms: Option<u64>,
    wall_ms: Option<u64>,
    suite_tests: Option<u32>,
    suite_events: Option<u32>,
    minimised_events: Option<u32>,
    counts: BTreeMap<String, f64>,
    timeline: Vec<(u64, u32)>,
    /// The row as it stands in the file.
    text: String,
    /// The line where it begins, from 1.
    line: u64,
}

/// Goals, and how many of them are covered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Coverage {
    goals: u32,
    covered: u32,
}

impl Coverage {
    /// From a share in 0..=1 as it is printed, and the number of goals if that is known.
    fn from_share(share: f64, printed: &str, goals: Option<u32>) -> Coverage {
        let decimals = match printed.split_once('.') {
            Some((_, fraction)) if !fraction.contains(['e', 'E']) => fraction.len(),
            Some(_) => 17,
            None => 0,
        };
        let rounding = 0.5 / 10_f64.powi(decimals.min(17) as i32) + 1e-12;
        if let Some(goals) = goals.filter(|&goals| goals > 0) {
            let covered = (share * f64::from(goals)).round();
            let back = covered / f64::from(goals);
            // Another count would be at least 1 / goals away.
            let alone = 1.0 / f64::from(goals) > 2.0 * rounding;
            if (back - share).abs() <= rounding && (alone || share == 0.0 || share == 1.0) {
                return Coverage { goals, covered: covered as u32 };
            }
        }
        Coverage { goals: UNCOUNTED, covered: (share * f64::from(UNCOUNTED)).round() as u32 }
    }

    /// As many of the same goals as a share of them is.
    fn at(self, share: f64) -> u32 {
        (share * f64::from(self.goals)).round() as u32
    }
}

/// The subject kind of imported runs.
const KIND: &str = "imported";

/// The unit of work of imported runs.
const EXECUTIONS: &str = "executions";

/// What imported runs measure and count.
fn subject(engine: String) -> SubjectInfo {
    let meaning = "executions of a test by the search";
    SubjectInfo {
        kind: KIND.to_owned(),
        engine,
        units: vec![Unit::new(EXECUTIONS, "test execution", "test executions", meaning)],
        criteria: vec![CriterionInfo::new("goal", "goals")],
        suite_unit: Noun::new("event", "events"),
        mutant_levels: Vec::new(),
        artifact_extension: String::new(),
        measures: vec![
            Measure::related("lines", "Lines of code"),
            Measure::related("mccabe", "Mean McCabe complexity"),
        ],
    }
}

/// What was imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Runs.
    pub runs: usize,
    /// Runs without a coverage, which count as failed.
    pub failed: usize,
    /// Runs of which only the share is known, not the counts.
    pub uncounted: usize,
    /// Projects.
    pub projects: usize,
    /// Labels of algorithms, in the order of their first run.
    pub algorithms: Vec<String>,
}

/// Writes the runs of some files as tidy tables into a folder, which is created if it is
/// missing.
///
/// Runs of one project and algorithm whose seed the file does not tell are numbered from 1,
/// in the order of the files.
///
/// # Errors
/// [`ImportError`]; the folder then has no new tables.
pub fn import(
    format: &dyn Format,
    files: &[PathBuf],
    budget: Budget,
    out: &Path,
) -> Result<Tally, ImportError> {
    let mut writer = tidy::Writer::create(out, &subject(format.engine()))?;
    let mut tally = Tally::default();
    let mut repetitions: HashMap<(String, String), u64> = HashMap::new();
    let mut projects = HashSet::new();
    let mut seen = HashMap::new();
    for path in files {
        let before = tally.runs;
        format.read(path, &mut |draft| {
            let key = (draft.project.clone(), draft.algorithm.clone());
            if let Some(seed) = draft.seed {
                let place = (path, draft.line);
                let known = seen.insert((key.clone(), seed), place);
                if let Some((earlier, first)) = known {
                    let ((project, algorithm), (path, line)) = (key, place);
                    let (path, earlier) = (path.clone(), PathBuf::clone(earlier));
                    return Err(ImportError::Twice {
                        path,
                        line,
                        project,
                        algorithm,
                        seed,
                        earlier,
                        first,
                    });
                }
            }
            let repetition = repetitions.entry(key).or_default();
            *repetition += 1;
            let run = finished(draft, *repetition, format.engine(), budget.clone());
            tally.runs += 1;
            tally.failed += usize::from(run.outcome != Outcome::Done);
            tally.uncounted += usize::from(run.goals == UNCOUNTED);
            projects.insert(run.project.clone());
            if !tally.algorithms.contains(&run.algorithm) {
                tally.algorithms.push(run.algorithm.clone());
            }
            Ok(writer.push_imported(&run)?)
        })?;
        if tally.runs == before {
            return Err(ImportError::Empty { path: path.clone() });
        }
    }
    tally.projects = projects.len();
    writer.finish(&[], &[])?;
    Ok(tally)
}

fn finished(draft: Draft, repetition: u64, engine: String, budget: Budget) -> Imported {
    let seed = draft.seed.unwrap_or(repetition);
    let (outcome, reason) = match (draft.outcome, draft.coverage) {
        (None | Some(Outcome::Done), None) => {
            (Outcome::Failed, Some("the file has no coverage".to_owned()))
        }
        (None | Some(Outcome::Done), Some(Coverage { goals: 0, .. })) => {
            (Outcome::NoGoals, Some("there are no goals".to_owned()))
        }
        (None | Some(Outcome::Done), Some(_)) => (Outcome::Done, None),
        (Some(other), _) => (other, draft.reason),
    };
    let coverage = draft.coverage.unwrap_or(Coverage { goals: 0, covered: 0 });
    let key = serde_json::json!([
        engine,
        budget,
        draft.project,
        draft.algorithm,
        seed,
        repetition,
        draft.text
    ]);
    Imported {
        id: Digest::of(key.to_string().as_bytes()),
        project: draft.project,
        subject: KIND.to_owned(),
        algorithm: draft.algorithm,
        seed,
        budget,
        engine,
        outcome,
        reason,
        goals: coverage.goals,
        covered: coverage.covered,
        work: draft.executions.map(|n| (EXECUTIONS.to_owned(), n)).into_iter().collect(),
        to_full: draft.executions_to_full,
        search_ms: draft.search_ms,
        wall_ms: draft.wall_ms,
        suite_tests: draft.suite_tests,
        suite_size: draft.suite_events,
        suite_unit: "events".to_owned(),
        suite_removed: draft.minimised_events,
        metrics: draft.counts,
        timeline: draft.timeline,
    }
}

/// The improvements of a timeline of counts at moments; what is missing stays as it was.
fn improvements(points: impl Iterator<Item = (u64, Option<u32>)>) -> Vec<(u64, u32)> {
    let mut improvements: Vec<(u64, u32)> = Vec::new();
    for (at, covered) in points {
        let before = improvements.last().map_or(0, |last| last.1);
        if let Some(covered) = covered.filter(|&covered| covered > before) {
            improvements.push((at, covered));
        }
    }
    improvements
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounded_shares_become_counts_only_where_one_count_fits() {
        let of = |text: &str, goals| Coverage::from_share(text.parse().unwrap(), text, goals);
        assert_eq!(of("0.67", Some(3)), Coverage { goals: 3, covered: 2 });
        assert_eq!(of("0.9629629629629629", Some(54)), Coverage { goals: 54, covered: 52 });
        assert_eq!(of("1.0", Some(7000)), Coverage { goals: 7000, covered: 7000 });
        // 0.67 is 66.5 to 67.5 of 100, and 667 or 668 or ... of 1000.
        assert_eq!(of("0.67", Some(1000)).goals, UNCOUNTED);
        // Not a share of four goals.
        assert_eq!(of("0.30", Some(4)), Coverage { goals: UNCOUNTED, covered: 300_000_000 });
        assert_eq!(of("0.5", None), Coverage { goals: UNCOUNTED, covered: 500_000_000 });
    }
}
