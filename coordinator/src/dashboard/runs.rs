//! The runs of a study on the dashboard.

use std::collections::BTreeMap;

use axum::Json;
use axum::extract::{Query, State};
use axum::http::StatusCode;
use catherd_experiments::{Digest, RunRecord};
use serde::Deserialize;
use serde_json::{Value, json};

use super::{Refusal, Source};
use crate::ledger::Phase;

const MAX_PROJECTS: usize = 500;

const MAX_RUNS: usize = 1000;

/// Maximum total size of a run's logs that are shown, in bytes.
const MAX_LOG_BYTES: usize = 256 << 10;

#[derive(Deserialize)]
pub(super) struct StudyQuery {
    study: String,
}

/// Projects in the order of the study, each with its cells by algorithm.
pub(super) async fn cells(
    State(source): State<Source>,
    Query(StudyQuery { study }): Query<StudyQuery>,
) -> Result<Json<Value>, Refusal> {
    let number = source.study(&study)?;
    let counts = source.read(move |mut reader| reader.cells(number)).await?;
    let (mut names, mut algorithms): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
    let mut rows: BTreeMap<String, BTreeMap<String, Cell>> = BTreeMap::new();
    for count in counts {
        let row = rows.entry(count.project.clone()).or_insert_with(|| {
            names.push(count.project.clone());
            BTreeMap::new()
        });
        if !algorithms.contains(&count.label) {
            algorithms.push(count.label.clone());
        }
        let cell = row.entry(count.label).or_default();
        cell.runs += count.runs;
        match count.phase {
            Phase::Done => cell.done += count.runs,
            Phase::Failed | Phase::Quarantined => cell.failed += count.runs,
            Phase::Pending | Phase::Leased => {}
        }
        cell.coverage += count.coverage;
        cell.covered += count.covered;
    }
    let left_out = names.len().saturating_sub(MAX_PROJECTS);
    let projects = names.into_iter().take(MAX_PROJECTS).map(|name| {
        let cells: Value =
            rows[&name].iter().map(|(label, cell)| (label.clone(), cell.as_json())).collect();
        json!({ "project": name, "cells": cells })
    });
    let projects: Vec<_> = projects.collect();
    Ok(Json(json!({ "algorithms": algorithms, "projects": projects, "left_out": left_out })))
}

#[derive(Default)]
struct Cell {
    runs: u64,
    done: u64,
    failed: u64,
    coverage: f64,
    covered: u64,
}

impl Cell {
    fn as_json(&self) -> Value {
        let coverage = (self.covered > 0).then(|| self.coverage / self.covered as f64);
        json!({ "runs": self.runs, "done": self.done, "failed": self.failed, "coverage": coverage })
    }
}

#[derive(Deserialize)]
pub(super) struct CellQuery {
    study: String,
    project: String,
    algorithm: String,
}

pub(super) async fn of_cell(
    State(source): State<Source>,
    Query(CellQuery { study, project, algorithm }): Query<CellQuery>,
) -> Result<Json<Value>, Refusal> {
    let number = source.study(&study)?;
    let runs = source.read(move |mut reader| reader.cell(number, &project, &algorithm)).await?;
    let runs = runs.into_iter().take(MAX_RUNS).map(|run| {
        json!({
            "run": run.id, "seed": run.seed, "phase": run.phase.name(), "reason": run.reason,
            "covered": run.goals.map(|(covered, _)| covered), "goals": run.goals.map(|(_, goals)| goals),
        })
    });
    Ok(Json(runs.collect()))
}

#[derive(Deserialize)]
pub(super) struct RunQuery {
    run: Digest,
}

pub(super) async fn one(
    State(source): State<Source>,
    Query(RunQuery { run }): Query<RunQuery>,
) -> Result<Json<Value>, Refusal> {
    let none = || (StatusCode::NOT_FOUND, format!("run {run} has no record"));
    let found = source.read(move |mut reader| reader.recorded(run)).await?.ok_or_else(none)?;
    let record: RunRecord = serde_json::from_slice(&found.record)
        .map_err(|cause| (StatusCode::INTERNAL_SERVER_ERROR, format!("run {run}: {cause}")))?;
    let mut left = MAX_LOG_BYTES;
    let logs = record.logs.iter().map(|(name, text)| {
        let shown = catherd_experiments::text::truncated(text, left);
        left = left.saturating_sub(shown.len());
        (name.clone(), json!(shown))
    });
    let logs: Value = logs.collect();
    Ok(Json(json!({
        "run": run, "project": found.project, "algorithm": found.label, "seed": found.seed, "outcome": record.outcome, "reason": record.reason, "work": record.work,
        "covered": record.covered(), "goals": record.goals(), "timeline": record.timeline,
        "suite": record.suite, "metrics": record.metrics, "resources": record.resources,
        "provenance": record.provenance, "logs": logs,
        "artifacts": record.artifacts.keys().collect::<Vec<_>>(),
    })))
}
