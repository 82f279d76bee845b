//! Converts results of other tools to tidy tables.

mod columns;
mod fuzzbench;
mod pynguin;
mod row;
mod whisker;

pub use columns::{Columns, FIELDS};
pub use fuzzbench::FuzzBench;
pub use pynguin::Pynguin;
pub use whisker::Whisker;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};

use catherd_experiments::{
    Budget, CriterionInfo, Digest, Measure, Noun, RunOutcome, SubjectInfo, Unit,
};

use crate::tidy::{self, Imported, UNCOUNTED};

/// Why a file could not be imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// The file could not be opened or read.
    #[error("cannot read {}: {cause}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Cause of the error.
        cause: std::io::Error,
    },
    /// The file is malformed.
    #[error("{}, line {line}: {problem}", path.display())]
    Csv {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The cause.
        problem: String,
    },
    /// A required column is missing.
    #[error("{}: missing column `{column}`", path.display())]
    Column {
        /// The file.
        path: PathBuf,
        /// Name of the column.
        column: String,
    },
    /// A field has an invalid value.
    #[error("{}, line {line}: invalid value `{value}` in column `{column}`: expected {expected}", path.display())]
    Field {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The column.
        column: String,
        /// The value of the field.
        value: String,
        /// A description of the valid values.
        expected: &'static str,
    },
    /// The files contain a run twice.
    #[error(
        "{}, line {line}: duplicate run of {project} with {algorithm} and seed {seed}: it is also \
         on line {first} of {}", path.display(), earlier.display()
    )]
    Duplicate {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: u64,
        /// The project of the run.
        project: String,
        /// The algorithm of the run.
        algorithm: String,
        /// The seed of the run.
        seed: u64,
        /// The file of the first occurrence.
        earlier: PathBuf,
        /// The line of the first occurrence.
        first: u64,
    },
    /// A file contains no runs.
    #[error("{}: the file has no runs", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// The tables could not be written.
    #[error(transparent)]
    Tables(#[from] tidy::Error),
}

/// The file format of a tool.
pub trait Format {
    /// Returns the name of the tool, which is recorded as the engine of the runs.
    fn engine(&self) -> String;

    /// Returns the noun for a goal in singular and plural.
    fn goals(&self) -> (&'static str, &'static str) {
        ("goal", "goals")
    }

    /// Calls `each` with every run of a file.
    ///
    /// # Errors
    /// [`ImportError`] if the file cannot be read or is malformed, and any error returned by
    /// `each`.
    fn read(
        &self,
        path: &Path,
        each: &mut dyn FnMut(RawRun) -> Result<(), ImportError>,
    ) -> Result<(), ImportError>;
}

/// A run read from a file of another tool.
#[derive(Clone, Debug, Default)]
pub struct RawRun {
    project: String,
    algorithm: String,
    seed: Option<u64>,
    /// Whether the seed only identifies the run and is replaced by a number in the tables.
    renumbered: bool,
    outcome: Option<RunOutcome>,
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
    /// Whether the tool interpolated the timeline between its measurements.
    interpolated: bool,
    /// String that is part of the run's identifier.
    text: String,
    line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Coverage {
    goals: u32,
    covered: u32,
}

impl Coverage {
    /// `printed` is the share with the decimals given in the file.
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
            // The shares of neighbouring counts differ by 1 / goals.
            let unique = 1.0 / f64::from(goals) > 2.0 * rounding;
            if (back - share).abs() <= rounding && (unique || share == 0.0 || share == 1.0) {
                return Coverage { goals, covered: covered as u32 };
            }
        }
        Coverage { goals: UNCOUNTED, covered: (share * f64::from(UNCOUNTED)).round() as u32 }
    }

    fn is_between(self, share: f64) -> bool {
        /// Maximum rounding error of the tools' arithmetic, in goals.
        const ROUNDING: f64 = 1e-6;
        let covered = share * f64::from(self.goals);
        self.goals != UNCOUNTED && (covered - covered.round()).abs() > ROUNDING
    }

    fn at(self, share: f64) -> u32 {
        (share * f64::from(self.goals)).round() as u32
    }
}

const KIND: &str = "imported";

const EXECUTIONS: &str = "executions";

fn subject(engine: String, (criterion, goals): (&str, &str)) -> SubjectInfo {
    let meaning = "executions of a test by the search";
    SubjectInfo {
        kind: KIND.to_owned(),
        engine,
        units: vec![Unit::new(EXECUTIONS, "test execution", "test executions", meaning)],
        criteria: vec![CriterionInfo::new(criterion, goals)],
        suite_unit: Noun::new("event", "events"),
        mutant_levels: Vec::new(),
        artifact_extension: String::new(),
        measures: vec![
            Measure::related("lines", "Lines of code"),
            Measure::related("mccabe", "Mean McCabe complexity"),
        ],
    }
}

/// Counts of imported runs and projects.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImportSummary {
    /// Number of runs.
    pub runs: usize,
    /// Number of runs whose outcome is not [`RunOutcome::Done`].
    pub failed: usize,
    /// Number of runs for which only the share of covered goals is known.
    pub uncounted: usize,
    /// Number of runs whose timelines contain interpolated shares.
    pub interpolated: usize,
    /// Number of projects.
    pub projects: usize,
    /// Labels of algorithms, in the order of their first runs.
    pub algorithms: Vec<String>,
}

/// Imports the runs in `files` and writes them as tidy tables to the folder `out`.
///
/// A run without a usable seed is assigned its number among the runs of its project and algorithm,
/// from 1.
///
/// # Errors
/// [`ImportError`] if a file cannot be imported or the tables cannot be written.
pub fn import(
    format: &dyn Format,
    files: &[PathBuf],
    budget: Budget,
    out: &Path,
) -> Result<ImportSummary, ImportError> {
    let mut writer = tidy::Writer::create(out, &subject(format.engine(), format.goals()))?;
    let mut summary = ImportSummary::default();
    let mut repetitions: HashMap<(String, String), u64> = HashMap::new();
    let mut projects = HashSet::new();
    let mut seen = HashMap::new();
    for path in files {
        let before = summary.runs;
        format.read(path, &mut |raw| {
            let key = (raw.project.clone(), raw.algorithm.clone());
            if let Some(seed) = raw.seed {
                let position = (path, raw.line);
                let known = seen.insert((key.clone(), seed), position);
                if let Some((earlier, first)) = known {
                    let ((project, algorithm), (path, line)) = (key, position);
                    let (path, earlier) = (path.clone(), PathBuf::clone(earlier));
                    return Err(ImportError::Duplicate {
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
            summary.interpolated += usize::from(raw.interpolated);
            let repetition = repetitions.entry(key).or_default();
            *repetition += 1;
            let run = imported_run(raw, *repetition, format.engine(), budget.clone());
            summary.runs += 1;
            summary.failed += usize::from(run.outcome != RunOutcome::Done);
            summary.uncounted += usize::from(run.goals == UNCOUNTED);
            projects.insert(run.project.clone());
            if !summary.algorithms.contains(&run.algorithm) {
                summary.algorithms.push(run.algorithm.clone());
            }
            Ok(writer.push_imported(&run)?)
        })?;
        if summary.runs == before {
            return Err(ImportError::Empty { path: path.clone() });
        }
    }
    summary.projects = projects.len();
    writer.finish(&[], &[])?;
    Ok(summary)
}

fn imported_run(raw: RawRun, repetition: u64, engine: String, budget: Budget) -> Imported {
    let seed = raw.seed.filter(|_| !raw.renumbered).unwrap_or(repetition);
    let (outcome, reason) = match (raw.outcome, raw.coverage) {
        (None | Some(RunOutcome::Done), None) => {
            (RunOutcome::Failed, Some("the file has no coverage".to_owned()))
        }
        (None | Some(RunOutcome::Done), Some(Coverage { goals: 0, .. })) => {
            (RunOutcome::NoGoals, Some("there are no goals".to_owned()))
        }
        (None | Some(RunOutcome::Done), Some(_)) => (RunOutcome::Done, None),
        (Some(other), _) => (other, raw.reason),
    };
    let coverage = raw.coverage.unwrap_or(Coverage { goals: 0, covered: 0 });
    let key =
        serde_json::json!([engine, budget, raw.project, raw.algorithm, seed, repetition, raw.text]);
    Imported {
        id: Digest::of(key.to_string().as_bytes()),
        project: raw.project,
        subject: KIND.to_owned(),
        algorithm: raw.algorithm,
        seed,
        budget,
        engine,
        outcome,
        reason,
        goals: coverage.goals,
        covered: coverage.covered,
        work: raw.executions.map(|n| (EXECUTIONS.to_owned(), n)).into_iter().collect(),
        to_full: raw.executions_to_full,
        search_ms: raw.search_ms,
        wall_ms: raw.wall_ms,
        suite_tests: raw.suite_tests,
        suite_size: raw.suite_events,
        suite_unit: "events".to_owned(),
        suite_removed: raw.minimised_events,
        metrics: raw.counts,
        timeline: raw.timeline,
    }
}

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
        // For 1000 goals, several counts, such as 667 and 668, have shares that round to 0.67.
        assert_eq!(of("0.67", Some(1000)).goals, UNCOUNTED);
        // For four goals, no count has a share that rounds to 0.30.
        assert_eq!(of("0.30", Some(4)), Coverage { goals: UNCOUNTED, covered: 300_000_000 });
        assert_eq!(of("0.5", None), Coverage { goals: UNCOUNTED, covered: 500_000_000 });
    }
}
