//! From run records to tables.

use std::fs;
use std::path::Path;

use catherd_experiments::{Outcome, RunRecord, RunSpec, TimelinePoint};
use polars_core::prelude::Column;

use super::table::{Row, TableWriter, column};
use super::{Error, OUTCOMES, Skipped};

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
    writer.finish(skipped)
}

/// The tables of a study, being written. They appear under their names when
/// [`Writer::finish`] has written them all; until then they end in `.partial`.
pub struct Writer {
    runs: TableWriter<RunRow>,
    timeline: TableWriter<TimelineRow>,
    skipped: TableWriter<Skipped>,
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
            skipped: TableWriter::create(dir)?,
        })
    }

    /// Adds a run.
    ///
    /// # Errors
    /// [`Error::Table`] if a slice of rows cannot be written.
    pub fn push(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Error> {
        let row = RunRow::new(spec, record);
        for &point in &record.timeline {
            self.timeline.push(TimelineRow { run: row.run.clone(), point })?;
        }
        self.runs.push(row)
    }

    /// Adds the projects that were not run, and completes the tables.
    ///
    /// # Errors
    /// [`Error::Io`] and [`Error::Table`].
    pub fn finish(mut self, skipped: &[Skipped]) -> Result<(), Error> {
        for project in skipped {
            self.skipped.push(project.clone())?;
        }
        self.skipped.finish()?;
        self.timeline.finish()?;
        self.runs.finish()
    }
}

struct RunRow {
    run: String,
    record: String,
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
    executions: u64,
    steps: u64,
    executions_to_full: Option<u64>,
    search_ms: u64,
    wall_ms: u64,
    peak_rss_kib: Option<u64>,
    suite_tests: u32,
    suite_events: u32,
    minimised_events: u32,
    counts: String,
    host: String,
    worker: String,
    core: Option<u32>,
    attempt: u32,
}

impl RunRow {
    fn new(spec: &RunSpec, record: &RunRecord) -> RunRow {
        let json = |map: serde_json::Result<String>| map.unwrap_or_default();
        let covered_all = record.outcome == Outcome::Done && record.goals > 0;
        let to_full = record.timeline.iter().find(|p| covered_all && p.covered >= record.goals);
        RunRow {
            run: record.run.to_string(),
            record: record.digest().to_string(),
            project: spec.project_name.clone(),
            project_digest: spec.project.to_string(),
            subject: spec.subject.clone(),
            algorithm: spec.algorithm.label.clone(),
            algorithm_name: spec.algorithm.name.clone(),
            parameters: json(serde_json::to_string(&spec.algorithm.parameters)),
            seed: spec.seed,
            budget_executions: spec.budget.executions,
            budget_steps: spec.budget.steps,
            budget_wall_ms: spec.budget.wall_ms,
            engine: spec.engine.clone(),
            outcome: OUTCOMES.iter().find(|o| o.0 == record.outcome).map_or("", |o| o.1),
            reason: (!record.reason.is_empty()).then(|| record.reason.clone()),
            goals: record.goals,
            covered: record.covered.len() as u32,
            coverage: record.coverage(),
            executions: record.executions,
            steps: record.steps,
            executions_to_full: to_full.map(|p| p.executions),
            search_ms: record.resources.search_ms,
            wall_ms: record.resources.wall_ms,
            peak_rss_kib: Some(record.resources.peak_rss_kib).filter(|&kib| kib > 0),
            suite_tests: record.suite_tests,
            suite_events: record.suite_events,
            minimised_events: record.minimised_events,
            counts: json(serde_json::to_string(&record.counts)),
            host: record.provenance.host.clone(),
            worker: record.provenance.worker.clone(),
            core: record.provenance.core,
            attempt: record.provenance.attempt,
        }
    }
}

impl Row for RunRow {
    const NAME: &str = "runs";

    fn columns(rows: &[RunRow]) -> Vec<Column> {
        vec![
            column("run", rows, |r| r.run.as_str()),
            column("record", rows, |r| r.record.as_str()),
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
            column("host", rows, |r| r.host.as_str()),
            column("worker", rows, |r| r.worker.as_str()),
            column("core", rows, |r| r.core),
            column("attempt", rows, |r| r.attempt),
        ]
    }
}

struct TimelineRow {
    run: String,
    point: TimelinePoint,
}

impl Row for TimelineRow {
    const NAME: &str = "timeline";

    fn columns(rows: &[TimelineRow]) -> Vec<Column> {
        vec![
            column("run", rows, |r| r.run.as_str()),
            column("executions", rows, |r| r.point.executions),
            column("steps", rows, |r| r.point.steps),
            column("wall_ms", rows, |r| r.point.wall_ms),
            column("covered", rows, |r| r.point.covered),
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
