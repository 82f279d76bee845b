//! `catherd replay`: executes a run of a study again.

mod packaged;

use std::collections::BTreeSet;
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::slice::from_ref;
use std::sync::Arc;

use catherd_cli_console::terminal::{self, plural};
use catherd_cli_console::{Exit, Failure, places};
use catherd_cli_failures as failure;
use catherd_coordinator::store::StoreReader;
use catherd_coordinator::{QuarantinedRun, StoreError, StoreUrl, StudyNumber};
use catherd_experiments::{Digest, RunRecord, RunSpec};
use catherd_interface::{RunError, RunnerContext};
use clap::Args;
use serde_json::Value;

use crate::Program;

/// The arguments for a study whose store or package this process can read.
#[derive(Args)]
pub(crate) struct Stored {
    /// Folder of the study or of an unpacked package, the file of a package (only for catherd
    /// verify), or the study's name if --store is given
    #[arg(value_name = "STUDY")]
    study: PathBuf,

    /// Store of a coordinator: postgres://USER@HOST/NAME, or its SQLite file
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// Folder of the tools that the study names by relative paths
    #[arg(long, value_name = "DIR", default_value = ".")]
    tools: PathBuf,
}

impl Stored {
    fn store_url(&self) -> StoreUrl {
        let own = || StoreUrl::Sqlite(self.study.join("study.db"));
        self.store.as_deref().map_or_else(own, StoreUrl::parse)
    }

    pub(crate) fn broken(&self, cause: &StoreError) -> Failure {
        let failure = Failure::new(format_args!("{}: {cause}", self.store_url()));
        match cause {
            StoreError::DamagedRun { .. } => return failure.hint(failure::DAMAGED_RUN),
            StoreError::WithoutPostgres => return failure.hint(failure::BUILD_FOR_CLUSTERS),
            cause if cause.is_damage() => return failure.hint(failure::DAMAGED_STORE),
            _ => {}
        }
        failure.hint("name the folder of a study, or a store and the name of one of its studies")
    }

    /// The studies in the store of a folder, or the study with this name and its rounds in a store
    /// that is named separately.
    fn numbers(&self) -> Result<Vec<StudyNumber>, Failure> {
        let name = self.study.display().to_string();
        let round = format!("{name}, round ");
        let wanted =
            |stored: &str| self.store.is_none() || stored == name || stored.starts_with(&round);
        let read = || {
            let studies = StoreReader::open(&self.store_url())?.studies()?;
            let found = studies.into_iter().filter(|study| wanted(&study.name));
            let numbers: Vec<_> = found.map(|study| study.number).collect();
            if numbers.is_empty() { Err(StoreError::NoStudy(name.clone())) } else { Ok(numbers) }
        };
        read().map_err(|cause| self.broken(&cause))
    }

    /// After an error about a single run ([`StoreError::DamagedRun`]), further runs follow.
    pub(crate) fn records(
        &self,
    ) -> Result<impl Iterator<Item = Result<(RunSpec, RunRecord), StoreError>>, Failure> {
        let url = self.store_url();
        Ok(self.numbers()?.into_iter().flat_map(move |study| {
            let (records, error) = match StoreReader::open(&url) {
                Ok(reader) => (Some(reader.records(study)), None),
                Err(cause) => (None, Some(Err(cause))),
            };
            records.into_iter().flatten().chain(error)
        }))
    }

    fn quarantined(&self) -> Result<Vec<QuarantinedRun>, Failure> {
        let mut quarantined = Vec::new();
        for study in self.numbers()? {
            let read = StoreReader::open(&self.store_url());
            let read = read.and_then(|mut reader| reader.quarantined(study));
            quarantined.extend(read.map_err(|cause| self.broken(&cause))?);
        }
        Ok(quarantined)
    }

    fn project(&self, digest: Digest) -> Result<Vec<u8>, String> {
        if self.is_package() {
            return packaged::project(&self.study, digest);
        }
        let read =
            StoreReader::open(&self.store_url()).and_then(|mut reader| reader.project(digest));
        read.or_else(|cause| {
            // Studies of version 0.2.0 keep their projects next to the database.
            let file = self.study.join("projects").join(digest.to_string());
            fs::read(file).map_err(|_| format!("{}: {cause}", self.store_url()))
        })
    }

    fn is_package(&self) -> bool {
        self.store.is_none() && packaged::is_package(&self.study)
    }

    pub(crate) fn execute(&self, program: &Program, spec: &RunSpec) -> Result<RunRecord, String> {
        let bytes = self.project(spec.project)?;
        if self.is_package() {
            // Packages must not be changed.
            let folder = places::work_folder("catherd-replay-")
                .map_err(|failure| failure.cause().to_owned())?;
            let tools = [self.study.join("tools"), self.tools.clone()];
            let executed = execute(program, spec, Arc::from(bytes), folder.path(), &[], &tools);
            return executed.map_err(|failure| failure.cause().to_owned());
        }
        let own = || self.study.join("spool");
        let folder = self.store.as_ref().map_or_else(own, |_| PathBuf::from("spool"));
        let hidden = [self.study.join("study.db")];
        execute(program, spec, Arc::from(bytes), &folder, &hidden, from_ref(&self.tools))
            .map_err(|failure| failure.cause().to_owned())
    }

    pub(crate) fn study(&self) -> &Path {
        &self.study
    }

    pub(crate) fn has_store(&self) -> bool {
        self.store.is_some()
    }

    pub(crate) fn tools(&self) -> &PathBuf {
        &self.tools
    }
}

/// Executes a run on a project. External programs work below `folder` and do not see the paths in
/// `hidden`; `tools` are the folders in which tools are found.
///
/// # Errors
/// If the run cannot be executed or ends without a record.
pub fn execute(
    program: &Program,
    spec: &RunSpec,
    project: Arc<[u8]>,
    folder: &Path,
    hidden: &[PathBuf],
    tools: &[PathBuf],
) -> Result<RunRecord, Failure> {
    let programs = (program.programs)(folder, hidden, tools)?;
    let context = RunnerContext { programs: Some(&programs), ..RunnerContext::default() };
    program.kind(&spec.subject)?;
    let runner = (program.runner)(&spec.subject, &context);
    let mut runner = runner
        .ok_or_else(|| Failure::new(format_args!("`{}` cannot be executed", spec.subject)))?;
    let loaded = runner.load(spec.project, project).map_err(RunError::from);
    match loaded.and_then(|()| runner.run(spec, &mut |_| ControlFlow::Continue(()))) {
        // A repetition fails with the same error, so make the same record as a worker.
        Err(RunError::Failed(reason)) => Ok(RunRecord::failed(spec, &reason, 0)),
        ended => ended.map_err(Failure::new),
    }
}

/// Executes one run again and compares its record.
///
/// The run is executed on this machine, and the record in the store or the package is compared with
/// the new one. Quarantined runs can be replayed as well: the command prints how they end. The
/// store is not changed.
#[derive(Args)]
#[command(after_help = "\
Examples:
  catherd replay results/smoke 3fa9c1
  catherd replay results/smoke 3fa9c1 --json | jq .timeline
  catherd replay games 3fa9c1 --store catherd-data/study.db
  ./program/catherd replay . 3fa9c1                    # in an unpacked package

Exit codes: 0 if the records are the same, 2 if they differ, a record is missing or the run cannot be
executed, 1 if the run cannot be found.")]
pub struct Arguments {
    #[command(flatten)]
    stored: Stored,

    /// First digits of the run id, which is in the column `run` of runs.csv
    #[arg(value_name = "RUN")]
    run: String,

    /// Print the new record, if there is one, as JSON
    #[arg(long)]
    json: bool,
}

/// Executes `catherd replay`.
///
/// # Errors
/// If the run cannot be found or the study cannot be read.
pub fn run(arguments: &Arguments, program: &Program) -> Result<Exit, Failure> {
    terminal::log("warn");
    if arguments.stored.store.is_none() {
        places::folder(&arguments.stored.study, "name the folder of a study")?;
    }
    let (spec, before) = find(arguments)?;
    if let Some(other) = program.another_engine(&spec.subject, &spec.engine) {
        terminal::note(&format!("the run is {other}"));
    }
    let now = arguments.stored.execute(program, &spec);
    let same = match (&before, &now) {
        (Ok(before), Ok(now)) => before.digest() == now.digest(),
        _ => false,
    };
    let text = match (&now, arguments.json) {
        (Ok(now), true) => format!("{:#}\n", as_json(now)?),
        _ => as_text(&spec, &before, &now)?,
    };
    terminal::print(&text);
    Ok(if same { Exit::Success } else { Exit::Incomplete })
}

/// The run whose id starts with the given digits, and its record or the reason for a missing
/// record.
fn find(arguments: &Arguments) -> Result<(RunSpec, Result<RunRecord, String>), Failure> {
    let wanted = arguments.run.to_lowercase();
    if arguments.stored.is_package() {
        return only(packaged::runs(&arguments.stored.study, &wanted)?, &wanted);
    }
    let mut found = Vec::new();
    let mut add_if_wanted = |spec: RunSpec, before| {
        if spec.id().to_string().starts_with(&wanted) {
            found.push((spec, before));
        }
    };
    for record in arguments.stored.records()? {
        match record {
            Ok((spec, record)) => add_if_wanted(spec, Ok(record)),
            // Damage to another run does not prevent the replay.
            Err(StoreError::DamagedRun { run, .. }) if !run.to_string().starts_with(&wanted) => {}
            Err(cause) => return Err(arguments.stored.broken(&cause)),
        }
    }
    for QuarantinedRun { spec, attempts, reason, .. } in arguments.stored.quarantined()? {
        let attempts = plural(attempts as usize, "attempt");
        add_if_wanted(spec, Err(format!("quarantined after {attempts}: {reason}")));
    }
    only(found, &wanted)
}

fn only(mut found: Vec<packaged::Ended>, wanted: &str) -> Result<packaged::Ended, Failure> {
    match found.pop() {
        Some(run) if found.is_empty() => Ok(run),
        Some(_) => Err(Failure::new(format_args!(
            "the ids of {} runs start with `{wanted}`",
            found.len() + 1
        ))
        .hint("give more digits")),
        None => {
            Err(Failure::new(format_args!("no finished run has an id that starts with `{wanted}`"))
                .hint("copy an id from the column `run` of runs.csv"))
        }
    }
}

fn as_json(record: &RunRecord) -> Result<Value, Failure> {
    serde_json::to_value(record).map_err(Failure::new)
}

fn as_text(
    spec: &RunSpec,
    before: &Result<RunRecord, String>,
    now: &Result<RunRecord, String>,
) -> Result<String, Failure> {
    let RunSpec { project_name, algorithm, seed, .. } = spec;
    let mut text = format!("{}\n{project_name}, {}, seed {seed}\n", spec.id(), algorithm.label);
    for (when, record) in [("before", before), ("now", now)] {
        text += &match record {
            Ok(record) => format!(
                "{when:7} {}: {} of {} goals, {}{}, {} ms, digest {}\n",
                as_json(record)?["outcome"].as_str().unwrap_or_default(),
                record.covered(),
                record.goals(),
                record.work.iter().map(|(unit, n)| format!("{n} {unit}, ")).collect::<String>(),
                plural(record.suite.tests as usize, "test"),
                record.resources.wall_ms,
                record.digest().short(),
            ),
            Err(reason) => format!("{when:7} {}\n", reason.replace(char::is_control, " ")),
        };
    }
    if let (Ok(before), Ok(now)) = (before, now) {
        if before.digest() == now.digest() {
            text += "The records are the same.\n";
        } else {
            text += &format!("The records differ: {}\n", differing(before, now)?.join(", "));
        }
    }
    Ok(text)
}

/// The names of the fields in which records differ, of the fields that affect their digests.
fn differing(before: &RunRecord, now: &RunRecord) -> Result<Vec<String>, Failure> {
    let pure = |record: &RunRecord| {
        let mut record = record.clone();
        (record.resources, record.provenance) = Default::default();
        (record.logs, record.binaries) = Default::default();
        let points = record.timelines.values_mut().flatten();
        points.chain(&mut record.timeline).for_each(|point| point.wall_ms = 0);
        as_json(&record)
    };
    let (before, now) = (pure(before)?, pure(now)?);
    let fields = [&before, &now].into_iter().filter_map(Value::as_object).flatten();
    let names: BTreeSet<_> = fields.map(|(name, _)| name).collect();
    let differ = |name: &&&String| before.get(name.as_str()) != now.get(name.as_str());
    Ok(names.iter().filter(differ).map(|name| (*name).clone()).collect())
}
