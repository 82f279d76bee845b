//! Adapters: folders with which catherd can run a tool. An adapter contains the executable `run`
//! and the file `adapter.toml`, which declares the tool's algorithms, parameters and requirements.
//!
//! `run execute REQUEST` is started in the working folder of a run. The request and the answer
//! (module `answer`) are JSON files.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Algorithm, Parameter, RunSpec, instead};
use serde::Deserialize;
use serde_json::{Map, Value, json};
use toml::de::DeTable;

use super::contract::{
    ADAPTER, CONTRACT, DESCRIPTION, DIGEST, EXECUTABLE, LIVE, REQUEST, RESULT, SNAPSHOT,
};
use super::descriptor::Descriptor;
use super::limits::{self, RunLimits};
use super::measurer::{self, MEASURE, MEASURER, MEASURER_DIGEST};
use super::{UNITS, template};
use crate::algorithm::{FieldError, Values};
use crate::runner::Limits;

/// Parameters of every tool.
const COMMON: [&str; 10] = [
    ADAPTER,
    DIGEST,
    MEASURER,
    MEASURER_DIGEST,
    MEASURE,
    limits::MEASURING,
    limits::TIME,
    limits::CPU,
    limits::MEMORY,
    limits::ARTIFACTS,
];

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adapter {
    contract: u64,
    pub(super) tool: String,
    pub(super) version: String,
    /// `3.11` means any release of Python 3.11.
    pub(super) python: Option<String>,
    /// The file or folder with the pinned versions of the packages that the tool needs, relative to
    /// the adapter's folder.
    pub(super) environment: Option<PathBuf>,
    /// Empty if the tool accepts any name.
    #[serde(default)]
    algorithms: Vec<String>,
    /// The limits that the tool observes: units of work, or `wall`. Empty if it observes all
    /// limits.
    #[serde(default)]
    budgets: Vec<String>,
    #[serde(default)]
    pub(super) determinism: Determinism,
    /// Whether the tool can execute its suites on mutants.
    #[serde(default)]
    pub(super) mutation: bool,
    /// Whether the tool can describe projects (module `describe`).
    #[serde(default)]
    pub(super) describe: bool,
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    parameters: BTreeMap<String, Declaration>,
}

/// Which runs of a tool have the same result if they are repeated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Determinism {
    None,
    /// Runs without a budget of real time.
    #[default]
    Logical,
    Always,
}

#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
enum Declaration {
    Choice { values: Vec<String>, default: Option<Parameter> },
    Integer { min: Option<i64>, max: Option<i64>, default: Option<Parameter> },
    Number { min: Option<f64>, max: Option<f64>, default: Option<Parameter> },
    Flag { default: Option<Parameter> },
    Text { default: Option<Parameter> },
}

impl Declaration {
    fn default(&self) -> Option<&Parameter> {
        match self {
            Declaration::Choice { default, .. }
            | Declaration::Integer { default, .. }
            | Declaration::Number { default, .. }
            | Declaration::Flag { default }
            | Declaration::Text { default } => default.as_ref(),
        }
    }

    fn values(&self) -> Values {
        match self {
            Declaration::Choice { values, .. } => Values::Choice { words: values.clone() },
            Declaration::Integer { min, max, .. } => {
                Values::Integer { low: min.unwrap_or(i64::MIN), high: max.unwrap_or(i64::MAX) }
            }
            Declaration::Number { min, max, .. } => {
                Values::Number { low: min.unwrap_or(f64::MIN), high: max.unwrap_or(f64::MAX) }
            }
            Declaration::Flag { .. } => Values::Flag,
            Declaration::Text { .. } => Values::Text,
        }
    }

    fn takes(&self, parameter: &Parameter) -> bool {
        match (self.values(), parameter) {
            (Values::Flag, Parameter::Bool(_)) | (Values::Text, Parameter::Text(_)) => true,
            (Values::Integer { low, high }, Parameter::Integer(n)) => (low..=high).contains(n),
            (Values::Number { low, high }, Parameter::Number(n)) => (low..=high).contains(n),
            (Values::Number { low, high }, Parameter::Integer(n)) => {
                (low..=high).contains(&(*n as f64))
            }
            (Values::Choice { words }, Parameter::Text(word)) => words.contains(word),
            _ => false,
        }
    }
}

impl Adapter {
    pub(super) fn read(folder: &Path) -> Result<Adapter, String> {
        let file = folder.join(DESCRIPTION);
        let named = |cause: &dyn std::fmt::Display| format!("{}: {cause}", file.display());
        let text = fs::read_to_string(&file).map_err(|cause| named(&cause))?;
        let at = |(offset, cause): (usize, String)| {
            let line = 1 + text[..offset.min(text.len())].matches('\n').count();
            format!("{}:{line}: {cause}", file.display())
        };
        unknown_key(&text).map_or(Ok(()), |found| Err(at(found)))?;
        let adapter: Adapter = toml::from_str(&text).map_err(|cause| {
            let start = cause.span().unwrap_or_default().start;
            at((start, cause.message().replace('\n', ", ")))
        })?;
        if adapter.contract != CONTRACT {
            let contract = adapter.contract;
            return Err(named(&format_args!(
                "contract {contract}; only contract {CONTRACT} exists"
            )));
        }
        let executable = folder.join(EXECUTABLE);
        let lock = adapter.environment.as_ref().map(|lock| folder.join(lock));
        let missing = [(!executable.is_file()).then_some(executable), lock.filter(|l| !l.exists())];
        if let Some(file) = missing.into_iter().flatten().next() {
            return Err(format!("{}: no such file", file.display()));
        }
        if let Some(name) = COMMON.iter().find(|name| adapter.parameters.contains_key(**name)) {
            return Err(named(&format_args!(
                "every tool has the parameter `{name}`: use a different name"
            )));
        }
        Ok(adapter)
    }

    pub(super) fn first_algorithm(&self) -> &str {
        self.algorithms.first().unwrap_or(&self.tool)
    }

    pub(super) fn budgets(&self) -> &[String] {
        &self.budgets
    }

    pub(super) fn check(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        let Adapter { tool, algorithms, parameters, .. } = self;
        if !algorithms.is_empty() && !algorithms.contains(&algorithm.name) {
            return Err(FieldError {
                field: None,
                cause: format!("{tool} has no algorithm `{}`", algorithm.name),
                advice: instead(&algorithm.name, algorithms),
            });
        }
        for (name, parameter) in settings(algorithm) {
            let refused = |cause: String, advice: String| {
                Err(FieldError { field: Some(name.clone()), cause, advice })
            };
            match parameters.get(name) {
                None => {
                    let known: Vec<_> = parameters.keys().map(String::as_str).collect();
                    let cause = format!("{tool} has no parameter `{name}`");
                    return refused(cause, instead(name, &known));
                }
                Some(declared) if !declared.takes(parameter) => {
                    let cause = format!("{tool} does not take this value of `{name}`");
                    return refused(cause, format!("give {}", declared.values()));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }

    /// Writes the request of a run and returns the command line and the environment variables.
    pub(super) fn prepare(
        &self,
        spec: &RunSpec,
        places: &Places<'_>,
        project: &Project<'_>,
        limits: Limits,
    ) -> Result<template::Filled, String> {
        self.check(&spec.algorithm).map_err(|error| error.cause)?;
        let set = |name: &String| match name.as_str() {
            "wall" => spec.budget.wall_ms.is_some(),
            unit => spec.budget.limit(unit).is_some(),
        };
        if !self.budgets.is_empty() && !self.budgets.iter().any(set) {
            let known = self.budgets.join(", ");
            return Err(format!(
                "the study sets none of the limits that {} observes: set one of {known}",
                self.tool
            ));
        }
        if spec.mutation.is_some() && !self.mutation {
            return Err(format!("{} has no mutation analysis", self.tool));
        }
        let file = places.folder.join(REQUEST);
        let request = self.request(spec, project, places, limits)?;
        let request = serde_json::to_vec_pretty(&request);
        let written = request.map_err(Into::into).and_then(|request| fs::write(&file, request));
        written.map_err(|cause: std::io::Error| format!("{}: {cause}", file.display()))?;
        let executable = places.own.join(EXECUTABLE).display().to_string();
        let words = vec![executable, "execute".to_owned(), REQUEST.to_owned()];
        Ok(template::Filled { words, variables: self.variables(spec.seed).collect() })
    }

    pub(super) fn variables(&self, seed: u64) -> impl Iterator<Item = (String, String)> {
        let filled = move |value: &String| value.replace("{seed}", &seed.to_string());
        self.variables.iter().map(move |(name, value)| (name.clone(), filled(value)))
    }

    fn request(
        &self,
        spec: &RunSpec,
        project: &Project<'_>,
        places: &Places<'_>,
        limits: Limits,
    ) -> Result<Value, String> {
        let mut parameters: BTreeMap<&String, Value> = BTreeMap::new();
        for (name, declared) in &self.parameters {
            parameters.insert(name, json!(declared.default()));
        }
        parameters.extend(settings(&spec.algorithm).map(|(name, value)| (name, json!(value))));
        let mut budget: Map<String, Value> =
            UNITS.iter().map(|unit| ((*unit).to_owned(), json!(spec.budget.limit(unit)))).collect();
        budget.insert("wall_ms".to_owned(), json!(spec.budget.wall_ms));
        let own = RunLimits::of(&spec.algorithm).map_err(|error| error.cause)?;
        let apart = measurer::is_apart(&spec.algorithm).map_err(|error| error.cause)?;
        let time = own.time.into_iter().chain(limits.wall).min();
        let memory = own.memory.into_iter().chain(limits.memory).min();
        Ok(json!({
            "contract": CONTRACT,
            "run": spec.id(),
            "project": {
                "name": spec.project_name,
                "path": project.file.file_name().unwrap_or_default().to_string_lossy(),
                "digest": spec.project,
                "data": project.descriptor.map(|descriptor| &descriptor.data),
            },
            "algorithm": spec.algorithm.name,
            "parameters": parameters,
            "seed": spec.seed,
            "budget": budget,
            "deadline_ms": time.map(|time| time.as_millis() as u64),
            "memory_bytes": memory,
            "cores": 1,
            "cpu_ms": own.cpu.map(|cpu| cpu.as_millis() as u64),
            "artifact_bytes": own.artifacts,
            "environment": places.environment,
            "measurer": places.measurer,
            "measure": measurer::TIMES[usize::from(apart)],
            "out": RESULT,
            "snapshot": SNAPSHOT,
            "live": LIVE,
            "mutation": spec.mutation,
        }))
    }
}

const KEYS: [&str; 12] = [
    "contract",
    "tool",
    "version",
    "python",
    "environment",
    "algorithms",
    "budgets",
    "determinism",
    "mutation",
    "describe",
    "variables",
    "parameters",
];

const DECLARATION_KEYS: [&str; 5] = ["kind", "default", "min", "max", "values"];

/// The position, in bytes, of an unknown key in `adapter.toml`, and a message with a hint.
fn unknown_key(text: &str) -> Option<(usize, String)> {
    let root = DeTable::parse(text).ok()?;
    let unknown = |table: &DeTable<'_>, known: &[&str]| {
        let key = table.keys().find(|key| !known.contains(&&**key.get_ref()))?;
        let name = key.get_ref();
        Some((key.span().start, format!("unknown key `{name}`: {}", instead(name, known))))
    };
    unknown(root.get_ref(), &KEYS).or_else(|| {
        let declared = root.get_ref().get("parameters")?.get_ref().as_table()?;
        let mut tables = declared.values().filter_map(|value| value.get_ref().as_table());
        tables.find_map(|table| unknown(table, &DECLARATION_KEYS))
    })
}

pub(super) struct Places<'p> {
    pub(super) folder: &'p Path,
    pub(super) own: &'p Path,
    pub(super) environment: Option<&'p Path>,
    /// The folder and the environment of the measurer, or null.
    pub(super) measurer: &'p Value,
}

pub(super) struct Project<'d> {
    pub(super) file: &'d Path,
    pub(super) descriptor: Option<&'d Descriptor>,
}

fn settings(algorithm: &Algorithm) -> impl Iterator<Item = (&String, &Parameter)> {
    algorithm.parameters.iter().filter(|(name, _)| !COMMON.contains(&name.as_str()))
}
