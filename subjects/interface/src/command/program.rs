//! The runner of external programs, with a new process and a new working folder for each run.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Digest, RunOutcome, RunRecord, RunSpec};
use serde_json::Value;

use super::adapter::{Adapter, Places, Project};
use super::answer::Flaw;
use super::contract::{LIVE, REQUEST, RESULT};
use super::descriptor::Descriptor;
use super::limits::{NOTICE, RunLimits};
use super::live::Live;
use super::measuring::Measuring;
use super::prepared::Tool;
use super::process::{POLL_INTERVAL, Process, UNSUPERVISED};
use super::result::Unread;
use super::template::Filled;
use super::tool::FoundTool;
use super::trial::Exchange;
use super::trials::{self, Trial};
use super::working_folder::{environment, make_folder, new_folder, project_file};
use super::{answer, measurer, measuring, result, snapshot, space, template, tool};
use crate::algorithm::FieldError;
use crate::loaded::LoadedProjects;
use crate::runner::{Limits, LoadError, Programs, RunError, RunProgress, Runner};

const FOLDER_PREFIX: &str = "run-";

/// Maximum size of a file that is kept for [`Exchange`], in bytes.
const MAX_KEPT: u64 = 1 << 20;

const MEASURE_INTERVAL: Duration = Duration::from_millis(200);

pub(super) struct Program {
    programs: Programs,
    limits: Limits,
    projects: LoadedProjects<Arc<[u8]>>,
    /// What catherd and the program of the last run exchanged.
    exchange: Option<RefCell<Exchange>>,
    /// The last trial that has been measured.
    measured: Option<Trial>,
}

impl Program {
    pub(super) fn new(programs: &Programs, limits: Limits) -> Program {
        let (programs, projects) = (programs.clone(), LoadedProjects::new(1));
        Program { programs, limits, projects, exchange: None, measured: None }
    }

    pub(super) fn keep_exchange(&mut self) {
        self.exchange = Some(RefCell::default());
    }

    pub(super) fn exchange(mut self) -> Exchange {
        self.exchange.take().unwrap_or_default().into_inner()
    }

    fn forget_measured(&mut self) {
        if let Some(trial) = self.measured.take() {
            trial.remove();
        }
    }

    fn folder_of(&self, spec: &RunSpec, end: &str) -> PathBuf {
        let name = format!("{FOLDER_PREFIX}{}-{}{end}", spec.id().short(), std::process::id());
        self.programs.folder.join(name)
    }

    fn in_folder(
        &self,
        spec: &RunSpec,
        execute: impl FnOnce(&Path) -> Result<RunRecord, RunError>,
    ) -> Result<RunRecord, RunError> {
        let folder = self.folder_of(spec, "");
        new_folder(&folder)?;
        let ended = execute(&folder);
        match catherd_platform::remove_folder(&folder) {
            Ok(()) => ended,
            Err(cause) => Err(RunError::Crashed(format!(
                "the working folder cannot be removed: {}: {cause}",
                folder.display()
            ))),
        }
    }

    /// Keeps the files of a run before its folder is removed.
    fn note_files(&self, folder: &Path) {
        let Some(exchange) = &self.exchange else { return };
        let text = |name: &str| {
            // The program may have created a pipe with this name.
            let file = catherd_platform::open_regular(&folder.join(name)).ok();
            let mut bytes = Vec::new();
            let read = file.and_then(|file| file.take(MAX_KEPT).read_to_end(&mut bytes).ok());
            read.map(|_| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
        };
        let mut kept = exchange.borrow_mut();
        (kept.request, kept.result, kept.live) = (text(REQUEST), text(RESULT), text(LIVE));
    }

    fn command_line(
        &self,
        spec: &RunSpec,
        folder: &Path,
        project: &Project<'_>,
        out: &Path,
    ) -> Result<(Option<Adapter>, Filled), RunError> {
        match tool::find(&spec.algorithm, &self.programs.tools)? {
            FoundTool::Adapter(tool) => {
                // Another computer may have the environment, so the run has crashed, not failed.
                let environment = tool.environment_for_runs();
                let environment =
                    environment.map_err(|error| RunError::Crashed(error.to_string()))?;
                let Tool { adapter, folder: own } = *tool;
                let apart = measurer::is_apart(&spec.algorithm).map_err(failed)?;
                let measurer = match apart {
                    true => Value::Null,
                    false => measurer::find(&spec.algorithm, &self.programs.tools)?,
                };
                let places = Places {
                    folder,
                    own: &own,
                    environment: environment.as_deref(),
                    measurer: &measurer,
                };
                let filled = adapter.prepare(spec, &places, project, self.limits);
                Ok((Some(adapter), filled.map_err(RunError::Failed)?))
            }
            FoundTool::Program(own) => {
                let mut filled = template::fill(spec, project.file, out).map_err(failed)?;
                filled.words[0] = own.display().to_string();
                Ok((None, filled))
            }
            FoundTool::System => {
                Ok((None, template::fill(spec, project.file, out).map_err(failed)?))
            }
        }
    }

    /// `bytes` is the project. If `kept` is given, the run is measured apart, and its artifact is
    /// moved into this folder.
    fn attempt(
        &self,
        spec: &RunSpec,
        folder: &Path,
        bytes: &[u8],
        kept: Option<&Path>,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let start = Instant::now();
        let here = |cause: io::Error| RunError::Crashed(format!("{}: {cause}", folder.display()));
        let descriptor = Descriptor::of(bytes);
        let project = project_file(folder, descriptor.as_ref(), &spec.project_name);
        let out = folder.join(RESULT);
        fs::write(&project, bytes).map_err(here)?;
        let own_limits = RunLimits::of(&spec.algorithm).map_err(failed)?;
        let project = Project { file: &project, descriptor: descriptor.as_ref() };
        let (adapter, filled) = self.command_line(spec, folder, &project, &out)?;
        let mut live = adapter.as_ref().map(|_| Live::of(folder.join(LIVE)));
        let mut variables = environment(folder).map_err(here)?;
        variables.extend(filled.variables);
        let program = filled.words[0].clone();
        let kills = || catherd_platform::oom_kills(&catherd_platform::own_cgroup_leaf()?);
        let kills_before = kills();
        let shared_memory = own_limits.memory.or(self.limits.memory);
        let mut process =
            Process::start(&self.programs, folder, shared_memory, filled.words, variables)?;
        let (mut peak, mut noticed, mut measured) = (0, None, None::<Instant>);
        let mut processor_time = Duration::ZERO;
        let read = |file| {
            let wall_ms = start.elapsed().as_millis() as u64;
            let Some(adapter) = &adapter else {
                return result::record(spec, file, wall_ms).map_err(Flaw::Invalid);
            };
            let read = |file| answer::record(adapter, spec, file, folder, wall_ms);
            match kept {
                Some(kept) => measuring::trial(&read, file, folder, kept),
                None => read(file),
            }
        };
        let snapshot =
            |reason: &str| adapter.as_ref().and_then(|_| snapshot::record(read, folder, reason));
        let end = loop {
            if let Some(end) = process.ended(&program)? {
                break end;
            }
            let progress = live.as_mut().map_or_else(RunProgress::default, Live::progress);
            if on_progress(progress).is_break() {
                return Err(RunError::Stopped);
            }
            let elapsed = start.elapsed();
            let mut resident = 0;
            if measured.is_none_or(|last| last.elapsed() > MEASURE_INTERVAL) {
                resident = process.resident_memory();
                processor_time = processor_time.max(process.processor_time());
                (peak, measured) = (peak.max(resident), Some(Instant::now()));
            }
            if let Some(record) = own_limits.exceeded(spec, elapsed, resident) {
                let record = snapshot(&record.reason).unwrap_or(record);
                return Ok(with_resources(record, peak, processor_time));
            }
            if let Some(limit) = self.limits.memory.filter(|limit| resident > *limit) {
                let reason = format!(
                    "killed because it exceeded the limit of its worker, {} MiB",
                    limit >> 20
                );
                return Err(RunError::OutOfMemory(reason));
            }
            if self.limits.wall.is_some_and(|wall| elapsed > wall) {
                let seconds = elapsed.as_secs();
                return Err(RunError::TimedOut(format!("killed after {seconds} s")));
            }
            let late = own_limits.notice().is_some_and(|notice| elapsed > notice);
            let used = own_limits.cpu.is_some_and(|limit| processor_time > limit);
            match noticed {
                None if late || used => {
                    process.ask_to_end();
                    noticed = Some(elapsed);
                }
                Some(since) if used && elapsed > since + NOTICE => {
                    let record = own_limits.timed_out(spec, since);
                    let record = snapshot(&record.reason).unwrap_or(record);
                    return Ok(with_resources(record, peak, processor_time));
                }
                _ => {}
            }
            std::thread::sleep(POLL_INTERVAL);
        };
        let processor_time = processor_time.max(end.processor_time);
        let wall_ms = start.elapsed().as_millis() as u64;
        // The supervisor removes the folder when the process is finished.
        let result = result::read(&out).map(read);
        // If the kernel has killed processes for lack of memory, another worker may have more
        // memory, so the snapshot is usually not used.
        let out_of_memory = kills() > kills_before;
        let cut_short = noticed.is_some() || (end.exit.killed && !out_of_memory);
        let early = match &result {
            Err(_) if cut_short => snapshot(&end.exit.status),
            _ => None,
        };
        let needed = if matches!(result, Ok(Ok(_))) { space::LEAST } else { space::AMPLE };
        let shortage = space::shortage(&self.programs.folder, needed);
        self.note_files(folder);
        let output = process.finish();
        if let Some(exchange) = &self.exchange {
            exchange.borrow_mut().output = output.shown();
        }
        // A full disk may have cut the result short.
        if let Some(shortage) = shortage.filter(|_| !out_of_memory) {
            let how = how_it_ended(&end.exit.status, &output.end);
            return Err(RunError::DiskFull(format!("{shortage}; {how}")));
        }
        match result {
            Ok(Ok(mut record)) => {
                record.provenance.isolation = isolation(&end.missing);
                Ok(with_resources(record, peak, processor_time))
            }
            // Another worker may have the tool, or be able to keep the artifact.
            Ok(Err(Flaw::OtherTool(flaw) | Flaw::Unkept(flaw))) => Err(RunError::Crashed(flaw)),
            // A repetition would write the same file.
            Ok(Err(Flaw::Invalid(flaw))) => {
                Err(RunError::Failed(format!("invalid result file: {flaw}")))
            }
            Err(_) if noticed.is_some() || early.is_some() => {
                let timed_out = || own_limits.timed_out(spec, noticed.unwrap_or_default());
                let mut record = early.unwrap_or_else(timed_out);
                record.resources.wall_ms = wall_ms;
                record.provenance.isolation = isolation(&end.missing);
                Ok(with_resources(record, peak, processor_time))
            }
            Err(unread) => {
                let (flaw, repeated) = match unread {
                    Unread::Missing(flaw) => (flaw, false),
                    // A program that was killed may have written only a part of the file.
                    Unread::Malformed(flaw) => (flaw, !end.exit.killed),
                };
                let reason = format!("{flaw}; {}", how_it_ended(&end.exit.status, &output.end));
                Err(match repeated {
                    _ if out_of_memory => RunError::OutOfMemory(reason),
                    true => RunError::Failed(reason),
                    false => RunError::Crashed(reason),
                })
            }
        }
    }

    fn execute(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let (bytes, _) = self.projects.take_turn(spec.project)?;
        let bytes = Arc::clone(bytes);
        tool::check(&spec.algorithm).map_err(failed)?;
        // The record of the previous run has been delivered.
        self.forget_measured();
        let Some(measuring) = Measuring::of(spec, &self.programs, self.limits)? else {
            return self
                .in_folder(spec, |folder| self.attempt(spec, folder, &bytes, None, on_progress));
        };
        let id = trials::id(spec);
        let stored = self.programs.trials.as_deref();
        let stored = stored.and_then(|trials| Trial::stored(trials, id, spec));
        let trial = match stored {
            Some(trial) => trial,
            None => {
                let kept = self.folder_of(spec, "-trial");
                new_folder(&kept)?;
                let record = self.in_folder(spec, |folder| {
                    self.attempt(spec, folder, &bytes, Some(&kept), on_progress)
                });
                match record {
                    Ok(record) if record.outcome == RunOutcome::Done => {
                        let trials = self.programs.trials.as_deref();
                        let trials = trials.ok_or(io::ErrorKind::NotFound.into());
                        Trial::keep(record, kept, trials, id)
                    }
                    unmeasured => {
                        // If this fails, the next worker that starts removes the folder.
                        let _ = catherd_platform::remove_folder(&kept);
                        return unmeasured;
                    }
                }
            }
        };
        let record =
            self.in_folder(spec, |folder| measuring.execute(&trial, &bytes, folder, on_progress));
        if record.is_ok() {
            self.measured = Some(trial);
        }
        record
    }
}

impl Runner for Program {
    fn load(&mut self, digest: Digest, bytes: Arc<[u8]>) -> Result<(), LoadError> {
        self.projects.load(digest, || Ok(bytes))
    }

    fn starts_programs(&self) -> bool {
        true
    }

    fn run(
        &mut self,
        spec: &RunSpec,
        on_progress: &mut dyn FnMut(RunProgress) -> ControlFlow<()>,
    ) -> Result<RunRecord, RunError> {
        let folder = &self.programs.folder.clone();
        let full = |shortage| Err(RunError::DiskFull(shortage));
        if let Some(shortage) = space::shortage(folder, space::LEAST) {
            return full(shortage);
        }
        // The files of the run are removed before the space is checked again.
        match self.execute(spec, on_progress) {
            Err(RunError::DiskFull(reason)) if space::is_plenty(folder) => {
                Err(RunError::Crashed(reason))
            }
            ended @ Err(RunError::DiskFull(_) | RunError::Stopped) => ended,
            Ok(record) if matches!(record.outcome, RunOutcome::Done | RunOutcome::NoGoals) => {
                Ok(record)
            }
            ended => space::shortage(folder, space::AMPLE).map_or(ended, full),
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        self.forget_measured();
    }
}

impl Programs {
    /// Creates the folder for working folders of runs, and removes the working folders of earlier
    /// workers.
    ///
    /// # Errors
    ///
    /// If the folder cannot be created or cleared.
    pub fn prepare(&self) -> io::Result<()> {
        make_folder(&self.folder)?;
        for entry in fs::read_dir(&self.folder)? {
            let entry = entry?;
            if entry.file_name().to_string_lossy().starts_with(FOLDER_PREFIX) {
                let path = entry.path();
                // A killed worker may have left the file that tests the disk for space.
                if entry.file_type()?.is_dir() {
                    catherd_platform::remove_folder(&path)?;
                } else {
                    fs::remove_file(&path)?;
                }
            }
        }
        Ok(())
    }

    /// Returns the guarantees that this system cannot provide, such as hiding tokens.
    ///
    /// # Errors
    ///
    /// If programs cannot be run on this system.
    pub fn missing_guarantees(&self) -> Result<Vec<String>, RunError> {
        let Some(supervisor) = &self.supervisor else {
            return Ok(vec![UNSUPERVISED.to_owned()]);
        };
        let folder = self.folder.join(format!("{FOLDER_PREFIX}probe"));
        make_folder(&folder).map_err(|cause| RunError::Crashed(cause.to_string()))?;
        let words = vec![supervisor.display().to_string(), "--version".to_owned()];
        // The supervisor removes the folder.
        let mut process = Process::start(self, &folder, None, words, BTreeMap::new())?;
        loop {
            match process.ended("the supervisor")? {
                Some(end) => return Ok(end.missing),
                None => std::thread::sleep(POLL_INTERVAL),
            }
        }
    }
}

/// `peak` is in bytes.
fn with_resources(mut record: RunRecord, peak: u64, processor_time: Duration) -> RunRecord {
    record.resources.peak_rss_kib = peak >> 10;
    record.resources.cpu_ms = processor_time.as_millis() as u64;
    record
}

fn isolation(missing: &[String]) -> String {
    match missing {
        [] => "full".to_owned(),
        missing => format!("without {}", missing.join("; ")),
    }
}

pub(super) fn failed(error: FieldError) -> RunError {
    RunError::Failed(error.cause)
}

pub(super) fn how_it_ended(status: &str, output: &str) -> String {
    match output.lines().last() {
        Some(last) => {
            let last = last.replace(char::is_control, " ");
            format!("the program ended with {status}; its last line: {last}")
        }
        None => format!("the program ended with {status} and wrote nothing"),
    }
}

#[cfg(test)]
mod tests;
