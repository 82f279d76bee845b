//! All traces of a folder, replayed and counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use catherd_sb3::Project;
use catherd_vm::Program;
use rayon::prelude::*;
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::replay::{Replay, replay_best};
use crate::surroundings::Devices;
use crate::trace::{Trace, TraceError};

/// The project files of a corpus by their SHA-256.
pub struct Corpus(BTreeMap<String, PathBuf>);

impl Corpus {
    /// Looks through a folder and its subfolders.
    ///
    /// # Errors
    /// If a folder or file cannot be read.
    pub fn index(folder: &Path) -> std::io::Result<Corpus> {
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
        Ok(Corpus(digests?.into_iter().collect()))
    }

    /// The project that a trace was recorded from.
    pub fn project(&self, trace: &Trace) -> Option<&Path> {
        self.0.get(&trace.sha256).map(PathBuf::as_path)
    }
}

/// What came of one trace.
#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    /// File name without its endings.
    pub trace: String,
    /// What stands before `__` in the name.
    pub group: String,
    /// The replay, or why there was none.
    #[serde(flatten)]
    pub result: Outcome,
}

/// A replay or its failure.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    /// It was replayed.
    Replayed(Box<Replay>),
    /// It could not be, for this reason.
    Failed(String),
}

impl Verdict {
    /// States and coverage agree.
    pub fn is_identical(&self) -> bool {
        matches!(&self.result, Outcome::Replayed(replay) if replay.is_identical())
    }

    /// The replay assumed something that the recording does not say.
    pub fn is_assumed(&self) -> bool {
        matches!(&self.result, Outcome::Replayed(replay) if !replay.surroundings.is_default())
    }
}

/// The traces of a folder (`*.json`, `*.json.gz`), sorted by name.
///
/// # Errors
/// If the folder cannot be read.
pub fn traces(folder: &Path) -> std::io::Result<Vec<PathBuf>> {
    let name = |p: &PathBuf| p.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)?
        .map(|entry| Ok(entry?.path()))
        .collect::<std::io::Result<_>>()?;
    files.retain(|p| name(p).ends_with(".json") || name(p).ends_with(".json.gz"));
    files.sort();
    Ok(files)
}

/// The states in which recordings left keyboard and mouse, and so may have begun: after
/// each trace alone, and after all up to each.
pub fn device_states(traces: &[Trace]) -> Vec<Devices> {
    let mut states: Vec<Devices> = Vec::new();
    let mut running = Devices::default();
    for trace in traces {
        running = running.after(trace);
        for state in [running.clone(), Devices::default().after(trace)] {
            if !states.contains(&state) {
                states.push(state);
            }
        }
    }
    states
}

/// Replays one trace.
///
/// # Errors
/// If the project is not in the corpus or cannot run.
pub fn examine(trace: &Trace, corpus: &Corpus, devices: &[Devices]) -> Result<Replay, String> {
    let path = corpus
        .project(trace)
        .ok_or_else(|| format!("no project with SHA-256 {} in the corpus", trace.sha256))?;
    let project = Project::read(path).map_err(|e| e.to_string())?;
    let program = Program::compile(&project).map_err(|e| format!("{}: {e}", path.display()))?;
    Ok(replay_best(trace, &project, &Arc::new(program), devices))
}

/// Replays all traces in parallel; `done` is called after each.
pub fn survey(files: &[PathBuf], corpus: &Corpus, done: impl Fn(&Verdict) + Sync) -> Vec<Verdict> {
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
            let result = trace
                .map_err(|e| e.to_string())
                .and_then(|trace| examine(&trace, corpus, &devices));
            let verdict = Verdict {
                group: name.split_once("__").map_or("-", |(group, _)| group).to_owned(),
                trace: name,
                result: result.map_or_else(Outcome::Failed, |r| Outcome::Replayed(Box::new(r))),
            };
            done(&verdict);
            verdict
        })
        .collect()
}
