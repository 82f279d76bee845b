//! Rows of the tables and their columns.

use std::sync::Arc;

use catherd_experiments::text::is_printable;
use catherd_experiments::{
    Budget, Conditions, Criterion, MutantRecord, RunOutcome, RunRecord, RunSpec,
};

use super::Imported;
use crate::tidy::table::{Column, Layout, Row, column, text};
use crate::tidy::{Dropped, MUTANT_OUTCOMES, OUTCOMES, Skipped};

pub(super) struct RunRow {
    pub(super) run: String,
    record: Option<String>,
    record_format_1: Option<String>,
    project: String,
    project_digest: String,
    subject: String,
    algorithm: String,
    algorithm_name: String,
    parameters: String,
    seed: u64,
    limits: Vec<Option<u64>>,
    budget_wall_ms: Option<u64>,
    engine: String,
    outcome: &'static str,
    reason: Option<String>,
    goals: u32,
    covered: u32,
    coverage: Option<f64>,
    work: Vec<Option<u64>>,
    to_full: Option<u64>,
    search_ms: Option<u64>,
    wall_ms: Option<u64>,
    peak_rss_kib: Option<u64>,
    cpu_ms: Option<u64>,
    conditions: Option<Conditions>,
    suite_tests: Option<u32>,
    suite_size: Option<u32>,
    suite_unit: Option<String>,
    suite_removed: Option<u32>,
    metrics: String,
    host: Option<String>,
    worker: Option<String>,
    core: Option<u32>,
    attempt: Option<u32>,
    isolation: Option<String>,
}

impl RunRow {
    pub(super) fn new(spec: &RunSpec, record: &RunRecord, layout: &Layout) -> RunRow {
        let goals = record.goals();
        let covered_all = record.outcome == RunOutcome::Done && goals > 0;
        let full = record.timeline.iter().find(|point| covered_all && point.covered >= goals);
        let first = layout.units.first().and_then(|unit| record.unit_position(unit));
        let size = |size: u32| Some(size).filter(|_| !record.criteria.is_empty());
        RunRow {
            run: record.run.to_string(),
            record: Some(record.digest().to_string()),
            record_format_1: record.digest_of_format_1().map(|digest| digest.to_string()),
            outcome: name_of(record.outcome),
            reason: (!record.reason.is_empty()).then(|| record.reason.clone()),
            goals,
            covered: record.covered(),
            coverage: record.coverage(),
            work: layout.units.iter().map(|unit| record.work.get(unit).copied()).collect(),
            to_full: full.zip(first).and_then(|(point, at)| point.work.get(at).copied()),
            search_ms: Some(record.resources.search_ms),
            wall_ms: Some(record.resources.wall_ms),
            peak_rss_kib: Some(record.resources.peak_rss_kib).filter(|&kib| kib > 0),
            cpu_ms: Some(record.resources.cpu_ms).filter(|&ms| ms > 0),
            conditions: record.resources.conditions,
            suite_tests: size(record.suite.tests),
            suite_size: size(record.suite.size),
            suite_unit: Some(record.suite.unit.clone()).filter(|unit| !unit.is_empty()),
            suite_removed: size(record.suite.removed),
            metrics: json(&record.metrics),
            host: Some(record.provenance.host.clone()),
            worker: Some(record.provenance.worker.clone()),
            core: record.provenance.core,
            attempt: Some(record.provenance.attempt),
            isolation: Some(record.provenance.isolation.clone()).filter(|text| !text.is_empty()),
            ..RunRow::planned(spec, layout)
        }
    }

    pub(super) fn quarantined(
        spec: &RunSpec,
        outcome: RunOutcome,
        reason: &str,
        attempts: u32,
        layout: &Layout,
    ) -> RunRow {
        RunRow {
            outcome: name_of(outcome),
            reason: Some(reason.to_owned()),
            attempt: Some(attempts),
            ..RunRow::planned(spec, layout)
        }
    }

    /// Processor time divided by real time of the whole run, rounded to thousandths.
    fn cores_used(&self) -> Option<f64> {
        let wall_ms = self.wall_ms.filter(|&ms| ms > 0)?;
        Some((self.cpu_ms? as f64 / wall_ms as f64 * 1000.0).round() / 1000.0)
    }

    fn planned(spec: &RunSpec, layout: &Layout) -> RunRow {
        RunRow {
            run: spec.id().to_string(),
            project: spec.project_name.clone(),
            project_digest: spec.project.to_string(),
            subject: spec.subject.clone(),
            algorithm: spec.algorithm.label.clone(),
            algorithm_name: spec.algorithm.name.clone(),
            parameters: json(&spec.algorithm.parameters),
            seed: spec.seed,
            engine: spec.engine.clone(),
            ..RunRow::empty(&spec.budget, layout)
        }
    }

    pub(super) fn imported(run: &Imported, layout: &Layout) -> RunRow {
        let counted = run.outcome == RunOutcome::Done && run.goals > 0;
        let sized = run.suite_size.or(run.suite_removed).is_some();
        RunRow {
            run: run.id.to_string(),
            project: run.project.clone(),
            subject: run.subject.clone(),
            algorithm: run.algorithm.clone(),
            algorithm_name: run.algorithm.clone(),
            seed: run.seed,
            engine: run.engine.clone(),
            outcome: name_of(run.outcome),
            reason: run.reason.clone(),
            goals: run.goals,
            covered: run.covered,
            coverage: counted.then(|| f64::from(run.covered) / f64::from(run.goals)),
            work: layout.units.iter().map(|unit| run.work.get(unit).copied()).collect(),
            to_full: run.to_full,
            search_ms: run.search_ms,
            wall_ms: run.wall_ms,
            suite_tests: run.suite_tests,
            suite_size: run.suite_size,
            suite_unit: sized.then(|| run.suite_unit.clone()),
            suite_removed: run.suite_removed,
            metrics: json(&run.metrics),
            ..RunRow::empty(&run.budget, layout)
        }
    }

    fn empty(budget: &Budget, layout: &Layout) -> RunRow {
        RunRow {
            run: String::new(),
            record: None,
            record_format_1: None,
            project: String::new(),
            project_digest: String::new(),
            subject: String::new(),
            algorithm: String::new(),
            algorithm_name: String::new(),
            parameters: "{}".to_owned(),
            seed: 0,
            limits: layout.units.iter().map(|unit| budget.limit(unit)).collect(),
            budget_wall_ms: budget.wall_ms,
            engine: String::new(),
            outcome: "",
            reason: None,
            goals: 0,
            covered: 0,
            coverage: None,
            work: vec![None; layout.units.len()],
            to_full: None,
            search_ms: None,
            wall_ms: None,
            peak_rss_kib: None,
            cpu_ms: None,
            conditions: None,
            suite_tests: None,
            suite_size: None,
            suite_unit: None,
            suite_removed: None,
            metrics: "{}".to_owned(),
            host: None,
            worker: None,
            core: None,
            attempt: None,
            isolation: None,
        }
    }
}

fn json(map: &impl serde::Serialize) -> String {
    let json = serde_json::to_string(map).unwrap_or_default();
    if json.chars().all(is_printable) {
        return json;
    }
    let mut escaped = String::with_capacity(json.len() + 8);
    for c in json.chars() {
        match is_printable(c) {
            true => escaped.push(c),
            // All of these characters have at most 16 bits.
            false => escaped.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    escaped
}

fn name_of(outcome: RunOutcome) -> &'static str {
    OUTCOMES.iter().find(|o| o.0 == outcome).map_or("", |o| o.1)
}

fn by_unit<R>(
    rows: &[R],
    layout: &Layout,
    name: impl Fn(&str) -> String,
    amounts: impl Fn(&R) -> &[Option<u64>],
) -> Vec<Column> {
    let units = layout.units.iter().enumerate();
    units.map(|(at, unit)| column(&name(unit), rows, |row| amounts(row)[at])).collect()
}

impl Row for RunRow {
    const NAME: &str = "runs";

    fn columns(rows: &[RunRow], layout: &Layout) -> Vec<Column> {
        let mut columns = vec![
            column("run", rows, |r| r.run.as_str()),
            column("record", rows, |r| r.record.as_deref()),
            column("record_format_1", rows, |r| r.record_format_1.as_deref()),
            text("project", rows, |r| Some(&r.project)),
            column("project_digest", rows, |r| r.project_digest.as_str()),
            text("subject", rows, |r| Some(&r.subject)),
            text("algorithm", rows, |r| Some(&r.algorithm)),
            text("algorithm_name", rows, |r| Some(&r.algorithm_name)),
            column("parameters", rows, |r| r.parameters.as_str()),
            column("seed", rows, |r| r.seed),
        ];
        columns.extend(by_unit(rows, layout, |unit| format!("budget_{unit}"), |r| &r.limits));
        columns.extend([
            column("budget_wall_ms", rows, |r| r.budget_wall_ms),
            text("engine", rows, |r| Some(&r.engine)),
            column("outcome", rows, |r| r.outcome),
            text("reason", rows, |r| r.reason.as_deref()),
            column("goals", rows, |r| r.goals),
            column("covered", rows, |r| r.covered),
            column("coverage", rows, |r| r.coverage),
        ]);
        columns.extend(by_unit(rows, layout, str::to_owned, |r| &r.work));
        if let Some(first) = layout.units.first() {
            columns.push(column(&format!("{first}_to_full"), rows, |r| r.to_full));
        }
        columns.extend([
            column("search_ms", rows, |r| r.search_ms),
            column("wall_ms", rows, |r| r.wall_ms),
            column("peak_rss_kib", rows, |r| r.peak_rss_kib),
            column("cpu_ms", rows, |r| r.cpu_ms),
            column("cores_used", rows, RunRow::cores_used),
            column("started_ms", rows, |r| r.conditions.map(|c| c.started_ms)),
            column("others_busy", rows, |r| r.conditions?.others_busy),
            column("siblings_busy", rows, |r| r.conditions?.siblings_busy),
            column("machine_busy", rows, |r| r.conditions?.machine_busy),
            column("steal", rows, |r| r.conditions?.steal),
            column("mhz", rows, |r| r.conditions?.mhz),
            column("throttled", rows, |r| r.conditions?.throttled),
            column("preemptions", rows, |r| r.conditions?.preemptions),
            column("energy_j", rows, |r| r.conditions?.energy_j),
            column("suite_tests", rows, |r| r.suite_tests),
            column("suite_size", rows, |r| r.suite_size),
            text("suite_unit", rows, |r| r.suite_unit.as_deref()),
            column("suite_removed", rows, |r| r.suite_removed),
            column("metrics", rows, |r| r.metrics.as_str()),
            text("host", rows, |r| r.host.as_deref()),
            text("worker", rows, |r| r.worker.as_deref()),
            column("core", rows, |r| r.core),
            column("attempt", rows, |r| r.attempt),
            text("isolation", rows, |r| r.isolation.as_deref()),
        ]);
        columns
    }
}

pub(super) struct CriterionRow {
    run: String,
    criterion: String,
    goals: u32,
    covered: u32,
    coverage: Option<f64>,
}

impl CriterionRow {
    pub(super) fn new(run: String, record: &RunRecord, criterion: &Criterion) -> CriterionRow {
        let (goals, covered) = (criterion.goals, criterion.covered.len() as u32);
        let counted = record.outcome == RunOutcome::Done && goals > 0;
        CriterionRow {
            run,
            criterion: criterion.name.clone(),
            goals,
            covered,
            coverage: counted.then(|| f64::from(covered) / f64::from(goals)),
        }
    }
}

impl Row for CriterionRow {
    const NAME: &str = "criteria";

    fn columns(rows: &[CriterionRow], _: &Layout) -> Vec<Column> {
        vec![
            column("run", rows, |r| r.run.as_str()),
            text("criterion", rows, |r| Some(&r.criterion)),
            column("goals", rows, |r| r.goals),
            column("covered", rows, |r| r.covered),
            column("coverage", rows, |r| r.coverage),
        ]
    }
}

/// The columns that identify a run in the tables of timelines, which therefore need not be joined
/// with `runs`.
pub(super) struct RunKey {
    run: String,
    project: String,
    algorithm: String,
    seed: u64,
}

impl RunKey {
    pub(super) fn of(row: &RunRow) -> Arc<RunKey> {
        let RunRow { run, project, algorithm, seed, .. } = row;
        Arc::new(RunKey {
            run: run.clone(),
            project: project.clone(),
            algorithm: algorithm.clone(),
            seed: *seed,
        })
    }
}

pub(super) struct TimelineRow {
    pub(super) of: Arc<RunKey>,
    pub(super) work: Vec<Option<u64>>,
    pub(super) wall_ms: u64,
    pub(super) covered: u32,
}

impl Row for TimelineRow {
    const NAME: &str = "timeline";

    fn columns(rows: &[TimelineRow], layout: &Layout) -> Vec<Column> {
        let mut columns = vec![
            column("run", rows, |r| r.of.run.as_str()),
            text("project", rows, |r| Some(&r.of.project)),
            text("algorithm", rows, |r| Some(&r.of.algorithm)),
            column("seed", rows, |r| r.of.seed),
        ];
        columns.extend(by_unit(rows, layout, str::to_owned, |r| &r.work));
        columns.push(column("wall_ms", rows, |r| r.wall_ms));
        columns.push(column("covered", rows, |r| r.covered));
        columns
    }
}

pub(super) struct CriterionTimelineRow {
    pub(super) of: Arc<RunKey>,
    pub(super) criterion: String,
    pub(super) work: Vec<Option<u64>>,
    pub(super) wall_ms: u64,
    pub(super) covered: u32,
    pub(super) goals: u32,
}

impl Row for CriterionTimelineRow {
    const NAME: &str = "criteria-timeline";

    fn columns(rows: &[CriterionTimelineRow], layout: &Layout) -> Vec<Column> {
        let mut columns = vec![
            column("run", rows, |r| r.of.run.as_str()),
            text("project", rows, |r| Some(&r.of.project)),
            text("algorithm", rows, |r| Some(&r.of.algorithm)),
            column("seed", rows, |r| r.of.seed),
            text("criterion", rows, |r| Some(&r.criterion)),
        ];
        columns.extend(by_unit(rows, layout, str::to_owned, |r| &r.work));
        columns.push(column("wall_ms", rows, |r| r.wall_ms));
        columns.push(column("covered", rows, |r| r.covered));
        columns.push(column("goals", rows, |r| r.goals));
        columns
    }
}

pub(super) struct MutantRow {
    pub(super) run: String,
    pub(super) mutant: MutantRecord,
}

impl Row for MutantRow {
    const NAME: &str = "mutants";

    fn columns(rows: &[MutantRow], layout: &Layout) -> Vec<Column> {
        let outcome = |row: &MutantRow| {
            MUTANT_OUTCOMES.iter().find(|o| o.0 == row.mutant.outcome).map_or("", |o| o.1)
        };
        let mut columns = vec![
            column("run", rows, |r| r.run.as_str()),
            text("mutant", rows, |r| Some(&r.mutant.id)),
            text("operator", rows, |r| Some(&r.mutant.operator)),
        ];
        let levels = layout.levels.iter();
        columns.extend(levels.map(|level| text(level, rows, |r| r.mutant.at(level))));
        columns.extend([
            text("change", rows, |r| Some(&r.mutant.change)),
            column("outcome", rows, outcome),
            column("killed_by", rows, |r| r.mutant.killed_by),
            column("executions", rows, |r| r.mutant.executions),
            text("duplicate_of", rows, |r| r.mutant.duplicate_of.as_deref()),
        ]);
        columns
    }
}

impl Row for Skipped {
    const NAME: &str = "skipped";

    fn columns(rows: &[Skipped], _: &Layout) -> Vec<Column> {
        vec![text("project", rows, |r| Some(&r.project)), text("reason", rows, |r| Some(&r.reason))]
    }
}

impl Row for Dropped {
    const NAME: &str = "dropped";

    fn columns(rows: &[Dropped], _: &Layout) -> Vec<Column> {
        vec![
            text("algorithm", rows, |r| Some(&r.algorithm)),
            column("projects", rows, |r| r.projects),
            column("mean_rank", rows, |r| r.mean_rank),
            column("best_mean_rank", rows, |r| r.best_mean_rank),
            column("p", rows, |r| r.p),
        ]
    }
}
