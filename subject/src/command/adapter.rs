//! Adapters: folders that make a tool usable, with `adapter.toml`, which says what the tool takes,
//! and the executable `run`.
//!
//! `run execute REQUEST` is started in the working folder of a run. The request is a JSON file;
//! paths in it are relative to the working folder. The result is the JSON file that
//! the request names as `out`: that of a program without an adapter, with `"contract": 1` and
//! these keys too:
//!
//! | key | meaning |
//! | --- | --- |
//! | `tool` | `name` and `version` of what ran, which must be those of `adapter.toml` |
//! | `times` | `search_ms`, outside of the digest |
//! | `files` | paths of text files in the working folder that become artifacts, `-` for `/` |
//! | `outcome` | also `unsupported`, with a `reason`: the tool can never do this project |

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Component, Path, PathBuf};

use catherd_experiments::{Algorithm, Parameter, RunRecord, RunSpec};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::tool::{ADAPTER, DIGEST};
use super::{UNITS, result, template};
use crate::algorithm::{FieldError, Values};
use crate::runner::Limits;

/// The version of the contract.
const CONTRACT: u64 = 1;

/// The description of an adapter, in its folder.
const DESCRIPTION: &str = "adapter.toml";

/// The executable of an adapter, in its folder.
const EXECUTABLE: &str = "run";

/// The request, in the working folder.
const REQUEST: &str = "request.json";

/// The result, in the working folder.
pub(super) const RESULT: &str = "result.json";

/// Improvements while the tool runs, in the working folder, a JSON object on each line.
pub(super) const LIVE: &str = "live.jsonl";

/// Most bytes of all files of a result.
const MOST_BYTES: u64 = 8 << 20;

/// Most files of a result.
const MOST_FILES: usize = 1000;

/// What `adapter.toml` says.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Adapter {
    contract: u64,
    /// Name of the tool.
    tool: String,
    /// Version of the tool.
    version: String,
    /// File with pinned versions of what the tool needs, in the adapter's folder.
    environment: Option<PathBuf>,
    /// Names of algorithms; empty if the tool takes any.
    #[serde(default)]
    algorithms: Vec<String>,
    /// Limits that the tool keeps: units of work, or `wall`. Empty if it keeps all.
    #[serde(default)]
    budgets: Vec<String>,
    /// Variables of the environment.
    #[serde(default)]
    variables: BTreeMap<String, String>,
    #[serde(default)]
    parameters: BTreeMap<String, Declaration>,
}

/// A parameter that a tool takes.
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
    /// Reads the description in an adapter's folder.
    ///
    /// # Errors
    ///
    /// Why the folder is no adapter, with the file at fault.
    pub(super) fn read(folder: &Path) -> Result<Adapter, String> {
        let file = folder.join(DESCRIPTION);
        let named = |cause: &dyn std::fmt::Display| format!("{}: {cause}", file.display());
        let text = fs::read_to_string(&file).map_err(|cause| named(&cause))?;
        let adapter: Adapter = toml::from_str(&text).map_err(|cause| named(&cause.message()))?;
        if adapter.contract != CONTRACT {
            let contract = adapter.contract;
            return Err(named(&format_args!("contract {contract}, and there is {CONTRACT} only")));
        }
        let own = [Some(Path::new(EXECUTABLE)), adapter.environment.as_deref()];
        for file in own.into_iter().flatten().map(|name| folder.join(name)) {
            if !file.is_file() {
                return Err(format!("{}: no such file", file.display()));
            }
        }
        Ok(adapter)
    }

    /// Checks the name and the parameters of an algorithm.
    ///
    /// # Errors
    ///
    /// The first that the tool does not take.
    pub(super) fn check(&self, algorithm: &Algorithm) -> Result<(), FieldError> {
        let Adapter { tool, algorithms, parameters, .. } = self;
        if !algorithms.is_empty() && !algorithms.contains(&algorithm.name) {
            return Err(FieldError {
                field: None,
                cause: format!("{tool} has no algorithm `{}`", algorithm.name),
                advice: format!("use one of {}", algorithms.join(", ")),
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
                    return refused(cause, format!("use one of {}", known.join(", ")));
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

    /// Writes the request of a run into its working folder and returns the command line and the
    /// variables of the environment.
    ///
    /// # Errors
    ///
    /// What the tool does not take, or why the request cannot be written.
    pub(super) fn prepare(
        &self,
        spec: &RunSpec,
        folder: &Path,
        own: &Path,
        project: &Path,
        limits: Limits,
    ) -> Result<template::Filled, String> {
        self.check(&spec.algorithm).map_err(|error| error.cause)?;
        let set = |name: &String| match name.as_str() {
            "wall" => spec.budget.wall_ms.is_some(),
            unit => spec.budget.limit(unit).is_some(),
        };
        if !self.budgets.is_empty() && !self.budgets.iter().any(set) {
            let known = self.budgets.join(", ");
            return Err(format!("{} keeps no limit of the budget: set one of {known}", self.tool));
        }
        let file = folder.join(REQUEST);
        let request = serde_json::to_vec_pretty(&self.request(spec, project, limits));
        let written = request.map_err(Into::into).and_then(|request| fs::write(&file, request));
        written.map_err(|cause: std::io::Error| format!("{}: {cause}", file.display()))?;
        let executable = own.join(EXECUTABLE).display().to_string();
        let words = vec![executable, "execute".to_owned(), REQUEST.to_owned()];
        let variables = self
            .variables
            .iter()
            .map(|(name, value)| (name.clone(), value.replace("{seed}", &spec.seed.to_string())));
        Ok(template::Filled { words, variables: variables.collect() })
    }

    fn request(&self, spec: &RunSpec, project: &Path, limits: Limits) -> Value {
        let mut parameters: BTreeMap<&String, Value> = BTreeMap::new();
        for (name, declared) in &self.parameters {
            parameters.insert(name, json!(declared.default()));
        }
        parameters.extend(settings(&spec.algorithm).map(|(name, value)| (name, json!(value))));
        let mut budget: Map<String, Value> =
            UNITS.iter().map(|unit| ((*unit).to_owned(), json!(spec.budget.limit(unit)))).collect();
        budget.insert("wall_ms".to_owned(), json!(spec.budget.wall_ms));
        json!({
            "contract": CONTRACT,
            "run": spec.id(),
            "project": {
                "name": spec.project_name,
                "path": project.file_name().unwrap_or_default().to_string_lossy(),
                "digest": spec.project,
            },
            "algorithm": spec.algorithm.name,
            "parameters": parameters,
            "seed": spec.seed,
            "budget": budget,
            "deadline_ms": limits.wall.map(|wall| wall.as_millis() as u64),
            "memory_bytes": limits.memory,
            "environment": self.environment,
            "out": RESULT,
            "live": LIVE,
        })
    }

    /// The record of a result file in a working folder.
    ///
    /// # Errors
    ///
    /// Why the file is not the result of a run of this tool.
    pub(super) fn record(
        &self,
        spec: &RunSpec,
        mut file: Map<String, Value>,
        folder: &Path,
        wall_ms: u64,
    ) -> Result<RunRecord, String> {
        let contract = file.remove("contract").unwrap_or(Value::Null);
        if contract != json!(CONTRACT) {
            return Err(format!("`contract` is {contract}, expected {CONTRACT}"));
        }
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Tool {
            name: String,
            version: String,
        }
        #[derive(Default, Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Times {
            search_ms: Option<u64>,
        }
        if let Some(ran) = taken::<Tool>(&mut file, "tool")?
            && (&ran.name, &ran.version) != (&self.tool, &self.version)
        {
            let Adapter { tool, version, .. } = self;
            let Tool { name, version: other } = ran;
            return Err(format!("{name} {other} ran, and {DESCRIPTION} says {tool} {version}"));
        }
        let times: Times = taken(&mut file, "times")?.unwrap_or_default();
        let files: Vec<PathBuf> = taken(&mut file, "files")?.unwrap_or_default();
        if file.get("outcome").is_some_and(|outcome| outcome == "unsupported") {
            file.insert("outcome".to_owned(), json!("failed"));
            let reason = file.remove("reason").unwrap_or_default();
            let reason = format!("unsupported: {}", reason.as_str().unwrap_or_default());
            file.insert("reason".to_owned(), json!(reason));
            file.entry("criteria").or_insert_with(|| json!([]));
        }
        let mut record = result::record(spec, file, wall_ms)?;
        record.resources.search_ms = times.search_ms.unwrap_or(record.resources.search_ms);
        record.artifacts.extend(artifacts(folder, &files)?);
        Ok(record)
    }
}

/// The parameters of an algorithm that are the tool's own.
fn settings(algorithm: &Algorithm) -> impl Iterator<Item = (&String, &Parameter)> {
    algorithm.parameters.iter().filter(|(name, _)| ![ADAPTER, DIGEST].contains(&name.as_str()))
}

/// Takes a value out of a result file; `None` if there is none.
fn taken<T: serde::de::DeserializeOwned>(
    file: &mut Map<String, Value>,
    key: &str,
) -> Result<Option<T>, String> {
    let value = file.remove(key).map(serde_json::from_value).transpose();
    value.map_err(|error| format!("`{key}`: {error}"))
}

/// Reads the files of a result: regular text files of the working folder.
fn artifacts(folder: &Path, files: &[PathBuf]) -> Result<BTreeMap<String, String>, String> {
    if files.len() > MOST_FILES {
        return Err(format!("{} files, at most {MOST_FILES} are kept", files.len()));
    }
    let mut artifacts = BTreeMap::new();
    let mut left = MOST_BYTES;
    for name in files {
        let flaw = |cause: &dyn std::fmt::Display| format!("{}: {cause}", name.display());
        if !name.components().all(|part| matches!(part, Component::Normal(_))) {
            return Err(flaw(&"not a path within the working folder"));
        }
        let file = folder.join(name);
        // A link in the place of a folder would lead elsewhere.
        let real = fs::canonicalize(file.parent().unwrap_or(folder)).map_err(|e| flaw(&e))?;
        if !real.starts_with(fs::canonicalize(folder).map_err(|e| flaw(&e))?) {
            return Err(flaw(&"not a path within the working folder"));
        }
        let file = catherd_platform::open_regular(&file).map_err(|cause| flaw(&cause))?;
        let mut text = String::new();
        let read = file.take(left + 1).read_to_string(&mut text);
        read.map_err(|cause| flaw(&format_args!("not readable as text: {cause}")))?;
        left = left
            .checked_sub(text.len() as u64)
            .ok_or_else(|| flaw(&format_args!("more than {} MiB of files", MOST_BYTES >> 20)))?;
        // An artifact has the name of a file, without folders.
        let parts = name.components().map(|part| part.as_os_str().to_string_lossy());
        let artifact = parts.collect::<Vec<_>>().join("-");
        if artifacts.insert(artifact, text).is_some() {
            return Err(flaw(&"another file has the same name as an artifact"));
        }
    }
    Ok(artifacts)
}
