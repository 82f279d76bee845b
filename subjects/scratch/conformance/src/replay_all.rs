//! Replay of all traces of a folder.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_scratch_sb3::Project;
use catherd_scratch_vm::{Compat, Program};
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::bench::ProgramError;
use crate::environment::Devices;
use crate::replay::{Replay, replay_best};
use crate::trace::{Trace, TraceError};

/// Index of the project files of a folder by SHA-256 (in hexadecimal).
pub struct ProjectIndex(BTreeMap<String, PathBuf>);

impl ProjectIndex {
    /// Indexes a folder and its subfolders.
    ///
    /// # Errors
    /// If a folder or file cannot be read.
    pub fn build(folder: &Path) -> std::io::Result<ProjectIndex> {
        let mut files = Vec::new();
        let mut folders = vec![folder.to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(&folder)? {
                let path = entry?.path();
                if path.is_dir() {
                    folders.push(path);
                } else if path.extension().is_some_and(|e| e == "sb3" || e == "sb2") {
                    files.push(path);
                }
            }
        }
        let digests: std::io::Result<Vec<_>> = files
            .into_par_iter()
            .map(|path| Ok((hex::encode(Sha256::digest(std::fs::read(&path)?)), path)))
            .collect();
        Ok(ProjectIndex(digests?.into_iter().collect()))
    }

    /// The project from which a trace was recorded.
    pub fn project(&self, trace: &Trace) -> Option<&Path> {
        self.0.get(&trace.sha256).map(PathBuf::as_path)
    }
}

/// Result for one trace.
#[derive(Clone, Debug, Serialize)]
pub struct TraceVerdict {
    /// File name without extensions.
    pub trace: String,
    /// The part of the name before `__`; `-` if the name does not contain `__`.
    pub group: String,
    /// The replay, or the reason for its failure.
    #[serde(flatten)]
    pub outcome: ReplayOutcome,
}

/// A replay or its failure.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum ReplayOutcome {
    /// The trace was replayed.
    Replayed(Box<Replay>),
    /// The trace could not be replayed, for the given reason.
    Failed(String),
}

impl TraceVerdict {
    /// Whether states and coverage agree.
    pub fn is_identical(&self) -> bool {
        matches!(&self.outcome, ReplayOutcome::Replayed(replay) if replay.is_identical())
    }

    /// Whether the replay assumed an environment other than the default.
    pub fn is_assumed(&self) -> bool {
        matches!(&self.outcome, ReplayOutcome::Replayed(replay) if !replay.environment.is_default())
    }
}

/// The traces of a folder (`*.json`, `*.json.gz`), sorted by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn trace_files(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let name = |p: &PathBuf| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|p| name(p).ends_with(".json") || name(p).ends_with(".json.gz"));
    files.sort();
    Ok(files)
}

/// States in which keyboard and mouse may be after these traces.
pub fn device_states(traces: &[Trace]) -> Vec<Devices> {
    let mut states: Vec<Devices> = Vec::new();
    let mut cumulative = Devices::default();
    for trace in traces {
        cumulative = cumulative.after(trace);
        for state in [cumulative.clone(), Devices::default().after(trace)] {
            if !states.contains(&state) {
                states.push(state);
            }
        }
    }
    states
}

/// Replays a trace as one version of Scratch, with the project from the index.
///
/// # Errors
/// If the index does not contain the project or the project cannot run.
pub fn replay_indexed(
    trace: &Trace,
    index: &ProjectIndex,
    devices: &[Devices],
    compat: Compat,
) -> Result<Replay, ProgramError> {
    let path = index
        .project(trace)
        .ok_or_else(|| format!("no project with SHA-256 {} in the corpus", trace.sha256))?;
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile_for(&project, compat);
    let program = program.map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(replay_best(trace, &project, &Arc::new(program), devices))
}

/// Replays all traces in parallel, as one version of Scratch. `on_verdict` is called after each
/// trace.
pub fn replay_all(
    files: &[PathBuf],
    index: &ProjectIndex,
    compat: Compat,
    on_verdict: impl Fn(&TraceVerdict) + Sync,
) -> Vec<TraceVerdict> {
    let traces: Vec<Result<Trace, TraceError>> = files.par_iter().map(|f| Trace::read(f)).collect();
    let readable: Vec<Trace> = traces.iter().filter_map(|t| t.as_ref().ok().cloned()).collect();
    let devices = device_states(&readable);
    drop(readable);
    files
        .par_iter()
        .zip(traces)
        .map(|(file, trace)| {
            let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let name = name.trim_end_matches(".gz").trim_end_matches(".json").to_owned();
            let replay = trace.map_err(|e| e.to_string()).and_then(|trace| {
                replay_indexed(&trace, index, &devices, compat).map_err(|error| error.to_string())
            });
            let replayed = |replay| ReplayOutcome::Replayed(Box::new(replay));
            let verdict = TraceVerdict {
                group: name.split_once("__").map_or("-", |(group, _)| group).to_owned(),
                trace: name,
                outcome: replay.map_or_else(ReplayOutcome::Failed, replayed),
            };
            on_verdict(&verdict);
            verdict
        })
        .collect()
}
