//! From run records to tables.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use catherd_experiments::{
    Budget, Digest, MutantRecord, Outcome, RunRecord, RunSpec, TimelinePoint,
};
use polars_core::prelude::Column;

use super::table::{Row, TableWriter, column};
use super::{Dropped, Error, MUTANT_OUTCOMES, OUTCOMES, Skipped};

/// Writes the tables of a study into a folder, which is created if it is missing.
///
/// Give the runs in the order of the study: tables and figures show algorithms in
/// the order of their first run. Memory does not grow with the number of runs.
///
/// # Errors
/// [`Error::Io`] and [`Error::Table`].
pub fn write(
    dir: &Path,
    runs: impl IntoIterator<Item = (RunSpec, RunRecord)>,
    skipped: &[Skipped],
) -> Result<(), Error> {
    let mut writer = Writer::create(dir)?;
    for (spec, record) in runs {
        writer.push(&spec, &record)?;
    }
    writer.finish(skipped, &[])
}

/// The tables of a study, being written. They appear under their names when
/// [`Writer::finish`] has written them all; until then they end in `.partial`.
pub struct Writer {
    runs: TableWriter<RunRow>,
    timeline: TableWriter<TimelineRow>,
    mutants: TableWriter<MutantRow>,
    skipped: TableWriter<Skipped>,
    dropped: TableWriter<Dropped>,
}

impl Writer {
    /// Starts the tables in a folder.
    ///
    /// # Errors
    /// [`Error::Io`] if the folder or a file cannot be created.
    pub fn create(dir: &Path) -> Result<Writer, Error> {
        fs::create_dir_all(dir).map_err(|source| Error::Io { path: dir.to_owned(), source })?;
        Ok(Writer {
            runs: TableWriter::create(dir)?,
            timeline: TableWriter::create(dir)?,
            mutants: TableWriter::create(dir)?,
            skipped: TableWriter::create(dir)?,
            dropped: TableWriter::create(dir)?,
        })
    }

    /// Adds a run.
    ///
    /// # Errors
    /// [`Error::Table`] if a slice of rows cannot be written.
    pub fn push(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Error> {
        let row = RunRow::new(spec, record);
        for point in &record.timeline {
            self.timeline.push(TimelineRow::new(row.run.clone(), record, point))?;
        }
        for mutant in &record.mutants {
            self.mutants.push(MutantRow { run: row.run.clone(), mutant: mutant.clone() })?;
        }
        self.runs.push(row)
    }

    /// Adds a run that was given up: what broke down with it left no record.
    ///
    /// # Errors
    /// As [`Writer::push`].
    pub fn push_given_up(
        &mut self,
        spec: &RunSpec,
        outcome: Outcome,
        reason: &str,
        attempts: u32,
    ) -> Result<(), Error> {
        self.runs.push(RunRow::given_up(spec, outcome, reason, attempts))
    }

    /// Adds a run of another tool.
    ///
    /// # Errors
    /// As [`Writer::push`].
    pub fn push_imported(&mut self, run: &Imported) -> Result<(), Error> {
        let row = RunRow::imported(run);
        for &(wall_ms, covered) in &run.timeline {
            self.timeline.push(TimelineRow {
                run: row.run.clone(),
                executions: None,
                steps: None,
                wall_ms: Some(wall_ms),
                covered,
            })?;
        }
        self.runs.push(row)
    }

    /// Adds the projects that were not run and the configurations that lost a race, and
    /// completes the tables.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Table`].
    pub fn finish(mut self, skipped: &[Skipped], dropped: &[Dropped]) -> Result<(), Error> {
        for project in skipped {
            self.skipped.push(project.clone())?;
        }
        for algorithm in dropped {
            self.dropped.push(algorithm.clone())?;
        }
        self.skipped.finish()?;
        self.dropped.finish()?;
        self.timeline.finish()?;
        self.mutants.finish()?;
        self.runs.finish()
    }
}

/// A run of another tool. What the tool did not measure is none, and stays an empty field.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// Its id; the same input gives the same.
    pub id: Digest,
    /// The name of the project.
    pub project: String,
    /// The subject kind, as `scratch`.
    pub subject: String,
    /// The label of the configuration.
    pub algorithm: String,
    /// The seed, or the number of the repetition if the tool does not tell the seed.
    pub seed: u64,
    /// The budget, as far as it is known.
    pub budget: Budget,
    /// The tool that made the run.
    pub engine: String,
    /// How it ended.
    pub outcome: Outcome,
    /// Why, unless it is done.
    pub reason: Option<String>,
    /// Goals, or [`UNCOUNTED`](super::UNCOUNTED).
    pub goals: u32,
    /// Goals covered.
    pub covered: u32,
    /// Test executions of the search.
    pub executions: Option<u64>,
    /// Executions until every goal was covered.
    pub executions_to_full: Option<u64>,
    /// Milliseconds of the search.
    pub search_ms: Option<u64>,
    /// Milliseconds of the whole run.
    pub wall_ms: Option<u64>,
    /// Tests in the final suite.
    pub suite_tests: Option<u32>,
    /// Events, or statements, in the final suite.
    pub suite_events: Option<u32>,
    /// Events that minimisation removed.
    pub minimised_events: Option<u32>,
    /// Further numbers by name.
    pub counts: BTreeMap<String, f64>,
    /// Improvements: milliseconds from the start of the search, goals covered from then on.
    pub timeline: Vec<(u64, u32)>,
}

struct RunRow {
    run: String,
    record: Option<String>,
    project: String,
    project_digest: String,
    subject: String,
    algorithm: String,
    algorithm_name: String,
    parameters: String,
    seed: u64,
    budget_executions: Option<u64>,
    budget_steps: Option<u64>,
    budget_wall_ms: Option<u64>,
    engine: String,
    outcome: &'static str,
    reason: Option<String>,
    goals: u32,
    covered: u32,
    coverage: Option<f64>,
    executions: Option<u64>,
    steps: Option<u64>,
    executions_to_full: Option<u64>,
    search_ms: Option<u64>,
    wall_ms: Option<u64>,
    peak_rss_kib: Option<u64>,
    suite_tests: Option<u32>,
    suite_events: Option<u32>,
    minimised_events: Option<u32>,
    counts: String,
    host: Option<String>,
    worker: Option<String>,
    core: Option<u32>,
    attempt: Option<u32>,
}

impl RunRow {
    fn new(spec: &RunSpec, record: &RunRecord) -> RunRow {
        let goals = record.goals();
        let covered_all = record.outcome == Outcome::Done && goals > 0;
        let to_full = record.timeline.iter().find(|p| covered_all && p.covered >= goals);
        RunRow {
            run: record.run.to_string(),
            record: Some(record.digest().to_string()),
            outcome: name_of(record.outcome),
            reason: (!record.reason.is_empty()).then(|| record.reason.clone()),
            goals,
            covered: record.covered(),
            coverage: record.coverage(),
            executions: record.work.get("executions").copied(),
            steps: record.work.get("steps").copied(),
            executions_to_full: to_full.and_then(|p| amount(record, p, "executions")),
            search_ms: Some(record.resources.search_ms),
            wall_ms: Some(record.resources.wall_ms),
            peak_rss_kib: Some(record.resources.peak_rss_kib).filter(|&kib| kib > 0),
            suite_tests: Some(record.suite.tests),
            suite_events: Some(record.suite.size),
            minimised_events: Some(record.suite.removed),
            counts: json(&record.metrics),
            host: Some(record.provenance.host.clone()),
            worker: Some(record.provenance.worker.clone()),
            core: record.provenance.core,
            attempt: Some(record.provenance.attempt),
            ..RunRow::planned(spec)
        }
    }

    fn given_up(spec: &RunSpec, outcome: Outcome, reason: &str, attempts: u32) -> RunRow {
        RunRow {
            outcome: name_of(outcome),
            reason: Some(reason.to_owned()),
            attempt: Some(attempts),
            ..RunRow::planned(spec)
        }
    }

    /// What is known of a run before it has run.
    fn planned(spec: &RunSpec) -> RunRow {
        RunRow {
            run: spec.id().to_string(),
            record: None,
            project: spec.project_name.clone(),
            project_digest: spec.project.to_string(),
            subject: spec.subject.clone(),
            algorithm: spec.algorithm.label.clone(),
            algorithm_name: spec.algorithm.name.clone(),
            parameters: json(&spec.algorithm.parameters),
            seed: spec.seed,
            budget_executions: spec.budget.limit("executions"),
            budget_steps: spec.budget.limit("steps"),
            budget_wall_ms: spec.budget.wall_ms,
            engine: spec.engine.clone(),
            outcome: "",
            reason: None,
            goals: 0,
            covered: 0,
            coverage: None,
            executions: None,
            steps: None,
            executions_to_full: None,
            search_ms: None,
            wall_ms: None,
            peak_rss_kib: None,
            suite_tests: None,
            suite_events: None,
            minimised_events: None,
            counts: "{}".to_owned(),
            host: None,
            worker: None,
            core: None,
            attempt: None,
        }
    }

    fn imported(run: &Imported) -> RunRow {
        let counted = run.outcome == Outcome::Done && run.goals > 0;
        RunRow {
            run: run.id.to_string(),
            record: None,
            project: run.project.clone(),
            project_digest: String::new(),
            subject: run.subject.clone(),
            algorithm: run.algorithm.clone(),
            algorithm_name: run.algorithm.clone(),
            parameters: "{}".to_owned(),
            seed: run.seed,
            budget_executions: run.budget.limit("executions"),
            budget_steps: run.budget.limit("steps"),
            budget_wall_ms: run.budget.wall_ms,
            engine: run.engine.clone(),
            outcome: name_of(run.outcome),
            reason: run.reason.clone(),
            goals: run.goals,
            covered: run.covered,
            coverage: counted.then(|| f64::from(run.covered) / f64::from(run.goals)),
            executions: run.executions,
            steps: None,
            executions_to_full: run.executions_to_full,
            search_ms: run.search_ms,
            wall_ms: run.wall_ms,
            peak_rss_kib: None,
            suite_tests: run.suite_tests,
            suite_events: run.suite_events,
            minimised_events: run.minimised_events,
            counts: json(&run.counts),
            host: None,
            worker: None,
            core: None,
            attempt: None,
        }
    }
}

/// Maps with names as their keys always have a JSON text.
fn json(map: &impl serde::Serialize) -> String {
    serde_json::to_string(map).unwrap_or_default()
}

fn name_of(outcome: Outcome) -> &'static str {
    OUTCOMES.iter().find(|o| o.0 == outcome).map_or("", |o| o.1)
}

impl Row for RunRow {
    const NAME: &str = "runs";

    fn columns(rows: &[RunRow]) -> Vec<Column> {
        vec![
            column("run", rows, |r| r.run.as_str()),
            column("record", rows, |r| r.record.as_deref()),
            column("project", rows, |r| r.project.as_str()),
            column("project_digest", rows, |r| r.project_digest.as_str()),
            column("subject", rows, |r| r.subject.as_str()),
            column("algorithm", rows, |r| r.algorithm.as_str()),
            column("algorithm_name", rows, |r| r.algorithm_name.as_str()),
            column("parameters", rows, |r| r.parameters.as_str()),
            column("seed", rows, |r| r.seed),
            column("budget_executions", rows, |r| r.budget_executions),
            column("budget_steps", rows, |r| r.budget_steps),
            column("budget_wall_ms", rows, |r| r.budget_wall_ms),
            column("engine", rows, |r| r.engine.as_str()),
            column("outcome", rows, |r| r.outcome),
            column("reason", rows, |r| r.reason.as_deref()),
            column("goals", rows, |r| r.goals),
            column("covered", rows, |r| r.covered),
            column("coverage", rows, |r| r.coverage),
            column("executions", rows, |r| r.executions),
            column("steps", rows, |r| r.steps),
            column("executions_to_full", rows, |r| r.executions_to_full),
            column("search_ms", rows, |r| r.search_ms),
            column("wall_ms", rows, |r| r.wall_ms),
            column("peak_rss_kib", rows, |r| r.peak_rss_kib),
            column("suite_tests", rows, |r| r.suite_tests),
            column("suite_events", rows, |r| r.suite_events),
            column("minimised_events", rows, |r| r.minimised_events),
            column("counts", rows, |r| r.counts.as_str()),
            column("host", rows, |r| r.host.as_deref()),
            column("worker", rows, |r| r.worker.as_deref()),
            column("core", rows, |r| r.core),
            column("attempt", rows, |r| r.attempt),
        ]
    }
}

fn amount(record: &RunRecord, point: &TimelinePoint, unit: &str) -> Option<u64> {
    point.work.get(record.unit_position(unit)?).copied()
}

struct TimelineRow {
    run: String,
    executions: Option<u64>,
    steps: Option<u64>,
    wall_ms: Option<u64>,
    covered: u32,
}

impl TimelineRow {
    fn new(run: String, record: &RunRecord, point: &TimelinePoint) -> TimelineRow {
        TimelineRow {
            run,
            executions: amount(record, point, "executions"),
            steps: amount(record, point, "steps"),
            wall_ms: Some(point.wall_ms),
            covered: point.covered,
        }
    }
}

impl Row for TimelineRow {
    const NAME: &str = "timeline";

    fn columns(rows: &[TimelineRow]) -> Vec<Column> {
        vec![
            column("run", rows, |r| r.run.as_str()),
            column("executions", rows, |r| r.executions),
            column("steps", rows, |r| r.steps),
            column("wall_ms", rows, |r| r.wall_ms),
            column("covered", rows, |r| r.covered),
        ]
    }
}

struct MutantRow {
    run: String,
    mutant: MutantRecord,
}

impl Row for MutantRow {
    const NAME: &str = "mutants";

    fn columns(rows: &[MutantRow]) -> Vec<Column> {
        let outcome = |row: &MutantRow| {
            MUTANT_OUTCOMES.iter().find(|o| o.0 == row.mutant.outcome).map_or("", |o| o.1)
        };
        vec![
            column("run", rows, |r| r.run.as_str()),
            column("mutant", rows, |r| r.mutant.id.as_str()),
            column("operator", rows, |r| r.mutant.operator.as_str()),
            column("target", rows, |r| r.mutant.at("target")),
            column("script", rows, |r| r.mutant.at("script")),
            column("block", rows, |r| r.mutant.at("block")),
            column("change", rows, |r| r.mutant.change.as_str()),
            column("outcome", rows, outcome),
            column("killed_by", rows, |r| r.mutant.killed_by),
            column("executions", rows, |r| r.mutant.executions),
            column("duplicate_of", rows, |r| r.mutant.duplicate_of.as_deref()),
        ]
    }
}

impl Row for Skipped {
    const NAME: &str = "skipped";

    fn columns(rows: &[Skipped]) -> Vec<Column> {
        vec![
            column("project", rows, |r| r.project.as_str()),
            column("reason", rows, |r| r.reason.as_str()),
        ]
    }
}

impl Row for Dropped {
    const NAME: &str = "dropped";

    fn columns(rows: &[Dropped]) -> Vec<Column> {
        vec![
            column("algorithm", rows, |r| r.algorithm.as_str()),
            column("projects", rows, |r| r.projects),
            column("mean_rank", rows, |r| r.mean_rank),
            column("best_mean_rank", rows, |r| r.best_mean_rank),
            column("p", rows, |r| r.p),
        ]
    }
}
