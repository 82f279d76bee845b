//! A trial of a tool: a run outside a study, with the messages between the tool and catherd.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use catherd_experiments::{Algorithm, Budget, Parameter, RunRecord, RunSpec};

use super::adapter::Adapter;
use super::contract::ADAPTER;
use super::program::Program;
use super::{Command, KIND, tool};
use crate::algorithm::FieldError;
use crate::kind::SubjectKind;
use crate::projects::FoundProject;
use crate::runner::{Limits, Programs, RunError, Runner};

/// The settings of a trial.
#[derive(Clone, Debug, Default)]
pub struct TrialSettings {
    /// The name of the algorithm. Each adapter has a default.
    pub algorithm: Option<String>,
    /// The parameters, by name.
    pub parameters: BTreeMap<String, Parameter>,
    /// The seed of the run.
    pub seed: u64,
    /// The budget of the run.
    pub budget: Budget,
}

/// What a tool and catherd exchanged in a run, as text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The request.
    pub request: String,
    /// The end of the program's standard output and standard error.
    pub output: String,
    /// The result file.
    pub result: String,
    /// The improvements that the tool reported during the run.
    pub live: String,
}

/// A run of a tool outside a study.
#[derive(Debug)]
pub struct Trial {
    /// The specification of the run.
    pub spec: RunSpec,
    /// What the tool and catherd exchanged.
    pub exchange: Exchange,
    /// The record, or why there is no record.
    pub record: Result<RunRecord, RunError>,
    /// The real time of the run.
    pub time: Duration,
}

impl Trial {
    /// Executes a run on a project with the tool in an adapter's folder.
    ///
    /// # Errors
    ///
    /// If the run cannot be started with these settings.
    pub fn execute(
        adapter: &Path,
        project: &FoundProject,
        settings: TrialSettings,
        programs: &Programs,
    ) -> Result<Trial, FieldError> {
        let wrong = |cause: String, advice: &str| FieldError {
            field: Some(ADAPTER.to_owned()),
            cause,
            advice: advice.to_owned(),
        };
        let advice = "name a folder with adapter.toml and the executable run";
        let folder = std::fs::canonicalize(adapter)
            .map_err(|cause| wrong(format!("{}: {cause}", adapter.display()), advice))?;
        let known = Adapter::read(&folder).map_err(|cause| wrong(cause, advice))?;
        let name = settings.algorithm.unwrap_or_else(|| known.first_algorithm().to_owned());
        let own = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parent = folder.parent().map_or_else(|| PathBuf::from("/"), Path::to_owned);
        let mut algorithm =
            Algorithm { label: name.clone(), name, parameters: settings.parameters };
        algorithm.parameters.insert(ADAPTER.to_owned(), Parameter::Text(own));
        let mut resolved =
            tool::resolve(&[algorithm], &parent, false).map_err(|error| error.error)?;
        let spec = RunSpec {
            project: project.digest,
            project_name: project.name.clone(),
            subject: KIND.to_owned(),
            algorithm: resolved.algorithms.remove(0),
            seed: settings.seed,
            budget: settings.budget,
            mutation: None,
            engine: Command.info().engine,
        };
        let bytes = project.bytes();
        let bytes = bytes.map_err(|cause| wrong(cause.to_string(), "keep the file unchanged"))?;
        let programs = Programs { tools: vec![parent], ..programs.clone() };
        let mut program = Program::new(&programs, Limits::default());
        program.keep_exchange();
        let start = Instant::now();
        let record = match program.load(spec.project, Arc::from(bytes)) {
            Ok(()) => program.run(&spec, &mut |_| ControlFlow::Continue(())),
            Err(error) => Err(error.into()),
        };
        let time = start.elapsed();
        Ok(Trial { spec, exchange: program.exchange(), record, time })
    }
}
