//! Measuring apart from trials. After the process of a tool has ended, the measurer computes
//! criteria from the artifact that the tool has left. `run measure REQUEST` is started in a
//! separate working folder, with the same isolation as a run.
//!
//! The name of a measurement is a digest of what the measurement depends on. Measurements are
//! stored, so an artifact is usually measured only once on a computer. The time and memory of
//! measuring are not part of the run's resources.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_experiments::text::truncated;
use catherd_experiments::{Digest, MAX_REASON_BYTES, Metric, RunOutcome, RunRecord, RunSpec};
use serde_json::{Map, Value, json};

use super::UNITS;
use super::answer::{self, Flaw, open};
use super::binaries;
use super::contract::{ARTIFACT, CONTRACT, EXECUTABLE, REQUEST};
use super::descriptor::Descriptor;
use super::limits::RunLimits;
use super::measurements::Measurements;
use super::measurer;
use super::prepared::Tool;
use super::process::{POLL_INTERVAL, Process};
use super::program::{failed, how_it_ended};
use super::result::{self, Unread};
use super::space;
use super::trials::{self, Trial};
use super::working_folder::{environment, project_file};
use crate::runner::{Limits, Programs, RunError, RunProgress};

const MEASURED: &str = "measured.json";

const LOG: &str = "measure.txt";

/// Only the measurer may set these keys of a result.
const OF_MEASURER: [&str; 7] =
    ["goals", "covered", "goal_names", "criteria", "timeline", "timelines", "faults"];

const MEASURE_INTERVAL: Duration = Duration::from_millis(200);

/// Reads the result of a tool that is measured apart, and keeps its artifact in the folder `kept`.
pub(super) fn trial(
    read: &dyn Fn(Map<String, Value>) -> Result<RunRecord, Flaw>,
    mut file: Map<String, Value>,
    folder: &Path,
    kept: &Path,
) -> Result<RunRecord, Flaw> {
    let artifact = file.remove(ARTIFACT);
    if file.get("outcome").is_some_and(|outcome| outcome != "done") {
        return read(file);
    }
    if let Some(key) = OF_MEASURER.iter().find(|key| file.contains_key(**key)) {
        return Err(format!(
            "{key}: the study measures apart from the trial, so only the measurer may report it"
        )
        .into());
    }
    let Some(Value::String(artifact)) = artifact else {
        return Err(format!("{ARTIFACT}: missing: the path of the file that is measured").into());
    };
    file.insert("criteria".to_owned(), json!([]));
    for unit in UNITS {
        if let Some(amount) = file.remove(unit)
            && let Some(work) = file.entry("work").or_insert_with(|| json!({})).as_object_mut()
        {
            work.insert(unit.to_owned(), amount);
        }
    }
    let groups = match file.remove("files") {
        Some(Value::Object(groups)) => groups,
        Some(list) => Map::from_iter([("files".to_owned(), list)]),
        None => Map::new(),
    };
    file.insert("files".to_owned(), Value::Object(with_artifact(groups, &artifact)));
    let record = read(file)?;
    let name = Path::new(&artifact);
    let flaw = |cause: io::Error| format!("{ARTIFACT}: {artifact}: {cause}");
    drop(open(folder, name).map_err(flaw)?);
    trials::keep_artifact(&folder.join(name), &binaries::name_of(name), kept)
        .map_err(|cause| Flaw::Unkept(flaw(cause)))?;
    Ok(record)
}

/// The artifact becomes the first binary file.
fn with_artifact(mut groups: Map<String, Value>, artifact: &str) -> Map<String, Value> {
    let binary = groups.entry(binaries::BINARY).or_insert_with(|| json!([]));
    if let Some(list) = binary.as_array_mut() {
        list.retain(|file| file != artifact);
        list.insert(0, json!(artifact));
    }
    groups
}

pub(super) struct Measuring<'p> {
    spec: &'p RunSpec,
    programs: &'p Programs,
    own: RunLimits,
    limits: Limits,
    measurer: Tool,
    environment: Option<PathBuf>,
    digest: Value,
}

impl<'p> Measuring<'p> {
    /// Prepares the measuring of a run that is measured apart.
    pub(super) fn of(
        spec: &'p RunSpec,
        programs: &'p Programs,
        limits: Limits,
    ) -> Result<Option<Measuring<'p>>, RunError> {
        if !measurer::is_apart(&spec.algorithm).map_err(failed)? {
            return Ok(None);
        }
        let Some(measurer) = measurer::tool(&spec.algorithm, &programs.tools)? else {
            return Err(RunError::Failed("there is no measurer".to_owned()));
        };
        let environment = measurer.environment_for_runs();
        let environment = environment.map_err(|error| RunError::Crashed(error.to_string()))?;
        let own = RunLimits::of(&spec.algorithm).map_err(failed)?;
        let digest = json!(spec.algorithm.parameters.get(measurer::MEASURER_DIGEST));
        Ok(Some(Measuring { spec, programs, own, limits, measurer, environment, digest }))
    }

    /// Returns the record of the trial with the measurer's answer. If measuring fails for good, the
    /// record has no criteria. `bytes` is the project, and `folder` is the working folder of the
    /// measurer.
    pub(super) fn execute(
        &self,
        trial: &Trial,
        bytes: &[u8],
        folder: &Path,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let artifact = trial.artifact();
        let crashed =
            |cause: io::Error| RunError::Crashed(format!("{}: {cause}", artifact.display()));
        let digest = trials::digest_of(&artifact).map_err(crashed)?;
        let mut record = trial.described(digest);
        let (name, measurements) = (self.name_of(digest), Measurements::of(&self.measurer.folder));
        let stored = measurements.as_ref().and_then(|measurements| measurements.get(name));
        let (measured, how) = match stored {
            Some(measured) => (
                Ok(RunRecord { run: self.spec.id(), ..measured }),
                "the artifact had been measured before".to_owned(),
            ),
            None => {
                let start = Instant::now();
                let (measured, used) = match self.measure(&artifact, bytes, folder, on_progress) {
                    Ok((measured, used)) => (Ok(measured), used),
                    Err(RunError::Failed(reason)) => (Err(reason), Duration::ZERO),
                    Err(error) => return Err(named(error)),
                };
                if let (Some(measurements), Ok(measured)) = (&measurements, &measured) {
                    // Without a stored measurement, the same artifact is measured again.
                    let _ = measurements.put(name, measured);
                }
                let (real, used) = (start.elapsed().as_millis(), used.as_millis());
                (measured, format!("measured in {real} ms, with {used} ms of processor time"))
            }
        };
        record.logs.insert(LOG.to_owned(), format!("artifact {digest}: {how}\n"));
        Ok(match measured {
            Ok(measured) if matches!(measured.outcome, RunOutcome::Done | RunOutcome::NoGoals) => {
                merged(record, measured, self.own.artifacts)
            }
            Ok(measured) => without_criteria(record, &measured.reason),
            Err(reason) => without_criteria(record, &reason),
        })
    }

    fn name_of(&self, artifact: Digest) -> Digest {
        // Files beyond the limit are left out, so a measurement depends on the limit.
        let name = json!({
            "contract": CONTRACT, "artifact": artifact, "measurer": self.digest,
            "project": self.spec.project, "files": self.own.artifacts,
        });
        Digest::of(name.to_string().as_bytes())
    }

    /// Returns the result as a record, and the processor time.
    fn measure(
        &self,
        artifact: &Path,
        bytes: &[u8],
        folder: &Path,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<(RunRecord, Duration), RunError> {
        let start = Instant::now();
        let variables = self
            .write_request(artifact, bytes, folder)
            .map_err(|(file, cause)| RunError::Crashed(format!("{}: {cause}", file.display())))?;
        let executable = self.measurer.folder.join(EXECUTABLE).display().to_string();
        let words = vec![executable.clone(), "measure".to_owned(), REQUEST.to_owned()];
        let memory = self.memory();
        let mut process = Process::start(self.programs, folder, memory, words, variables)?;
        let (mut used, mut sampled) = (Duration::ZERO, None::<Instant>);
        let end = loop {
            if let Some(end) = process.ended(&executable)? {
                break end;
            }
            if on_progress(RunProgress::default()).is_break() {
                return Err(RunError::Stopped);
            }
            let limit = self.time();
            if start.elapsed() > limit {
                return Err(RunError::TimedOut(format!("killed after {} s", limit.as_secs_f64())));
            }
            if sampled.is_none_or(|last| last.elapsed() > MEASURE_INTERVAL) {
                (used, sampled) = (used.max(process.processor_time()), Some(Instant::now()));
                let resident = process.resident_memory();
                if let Some(limit) = memory.filter(|limit| resident > *limit) {
                    let reason = format!("killed because it exceeded {} MiB", limit >> 20);
                    return Err(RunError::OutOfMemory(reason));
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let used = used.max(end.processor_time);
        // The supervisor removes the folder when the process is finished.
        let answer = result::read(&folder.join(MEASURED))
            .map(|file| answer::record(&self.measurer.adapter, self.spec, file, folder, 0));
        let needed = if matches!(answer, Ok(Ok(_))) { space::LEAST } else { space::AMPLE };
        let shortage = space::shortage(&self.programs.folder, needed);
        let output = process.finish();
        if let Some(shortage) = shortage {
            return Err(RunError::DiskFull(shortage));
        }
        match answer {
            Ok(Ok(record)) => Ok((record, used)),
            Ok(Err(Flaw::Invalid(flaw))) => {
                Err(RunError::Failed(format!("the measurer left an invalid result: {flaw}")))
            }
            Ok(Err(Flaw::OtherTool(flaw) | Flaw::Unkept(flaw))) => Err(RunError::Crashed(flaw)),
            Err(Unread::Missing(flaw) | Unread::Malformed(flaw)) => {
                let how = how_it_ended(&end.exit.status, &output.end);
                Err(RunError::Crashed(format!("{flaw}; {how}")))
            }
        }
    }

    /// Writes the files of the measurer's working folder, and returns its environment variables. An
    /// error contains the path.
    fn write_request(
        &self,
        artifact: &Path,
        bytes: &[u8],
        folder: &Path,
    ) -> Result<BTreeMap<String, String>, (PathBuf, io::Error)> {
        let descriptor = Descriptor::of(bytes);
        let project = project_file(folder, descriptor.as_ref(), &self.spec.project_name);
        fs::write(&project, bytes).map_err(|cause| (project.clone(), cause))?;
        let copy = folder.join(ARTIFACT);
        let copied = catherd_platform::open_regular(artifact).and_then(|mut artifact| {
            let mut copy = File::create_new(&copy)?;
            io::copy(&mut artifact, &mut copy)
        });
        copied.map_err(|cause| (copy, cause))?;
        let request = json!({
            "contract": CONTRACT,
            "project": {
                "name": self.spec.project_name,
                "path": project.file_name().unwrap_or_default().to_string_lossy(),
                "digest": self.spec.project,
                "data": descriptor.map(|descriptor| descriptor.data),
            },
            "artifact": ARTIFACT,
            "environment": self.environment,
            "deadline_ms": self.time().as_millis() as u64,
            "memory_bytes": self.memory(),
            "cores": 1,
            "out": MEASURED,
        });
        let file = folder.join(REQUEST);
        fs::write(&file, format!("{request:#}\n")).map_err(|cause| (file, cause))?;
        let mut variables = environment(folder).map_err(|cause| (folder.to_owned(), cause))?;
        // Several runs share a measurement, so use the same seed for all runs.
        variables.extend(self.measurer.adapter.variables(1));
        Ok(variables)
    }

    fn time(&self) -> Duration {
        self.limits.wall.map_or(self.own.measuring, |wall| wall.min(self.own.measuring))
    }

    /// The limit on memory in bytes.
    fn memory(&self) -> Option<u64> {
        self.own.memory.into_iter().chain(self.limits.memory).min()
    }
}

fn named(error: RunError) -> RunError {
    let named = |reason: String| format!("measuring: {reason}");
    match error {
        RunError::Failed(reason) => RunError::Failed(named(reason)),
        RunError::TimedOut(reason) => RunError::TimedOut(named(reason)),
        RunError::OutOfMemory(reason) => RunError::OutOfMemory(named(reason)),
        RunError::Crashed(reason) => RunError::Crashed(named(reason)),
        RunError::DiskFull(reason) => RunError::DiskFull(reason),
        RunError::Stopped => RunError::Stopped,
    }
}

/// `most` is the maximum total size of binary files in bytes.
fn merged(mut trial: RunRecord, measured: RunRecord, most: u64) -> RunRecord {
    let of_tool = std::mem::replace(&mut trial.work, measured.work);
    for (unit, amount) in of_tool {
        if !trial.work.contains_key(&unit) {
            // The measurer has not counted this unit, so keep the total from the tool as a metric.
            let amount = Metric::Integer(i64::try_from(amount).unwrap_or(i64::MAX));
            trial.metrics.entry(unit).or_insert(amount);
        }
    }
    trial.artifacts.extend(measured.artifacts);
    let mut record = RunRecord {
        outcome: measured.outcome,
        reason: measured.reason,
        criteria: measured.criteria,
        timeline: measured.timeline,
        timelines: measured.timelines,
        ..trial
    };
    binaries::merge(&mut record, measured.metrics, measured.logs, measured.binaries, most);
    record
}

fn without_criteria(trial: RunRecord, reason: &str) -> RunRecord {
    let reason = format!("measuring: {reason}");
    let reason = truncated(&reason, MAX_REASON_BYTES).into_owned();
    RunRecord { outcome: RunOutcome::Failed, reason, ..trial }
}
