//! Measurers: adapters that compute criteria from the artifact of a tool, such as a corpus of
//! inputs. With a measurer, several tools can be measured in the same way.
//!
//! The digest of the measurer is a part of the run id. A run is measured by `run measure REQUEST`,
//! either within its trial by the tool's adapter, or apart from the trial (module `measuring`).

use std::path::{Path, PathBuf};

use catherd_experiments::{Algorithm, Parameter};
use serde_json::{Value, json};

use super::prepared::Tool;
use super::tool;
use crate::algorithm::FieldError;
use crate::runner::RunError;

pub(super) const MEASURER: &str = "measurer";

pub(super) const MEASURER_DIGEST: &str = "measurer_digest";

/// The parameter that determines when the measurer is started.
pub(super) const MEASURE: &str = "measure";

/// The values of [`MEASURE`]: within the trial, or after the trial.
pub(super) const TIMES: [&str; 2] = ["trial", "apart"];

/// The parameter of fuzzers that determines whether the corpus is kept.
const CORPUS: &str = "corpus";

/// Whether catherd measures the artifact after the trial.
pub(super) fn is_apart(algorithm: &Algorithm) -> Result<bool, FieldError> {
    let wrong = |field: &str, cause: String, advice: &str| {
        let field = Some(field.to_owned());
        Err(FieldError { field, cause, advice: advice.to_owned() })
    };
    let parameters = &algorithm.parameters;
    let apart = match parameters.get(MEASURE) {
        None => false,
        Some(Parameter::Text(when)) if TIMES.contains(&when.as_str()) => when == TIMES[1],
        Some(_) => {
            let cause = format!("`{MEASURE}` is neither {}", TIMES.join(" nor "));
            return wrong(MEASURE, cause, "write \"apart\", or leave it out");
        }
    };
    if apart && !parameters.contains_key(MEASURER) {
        let cause = format!("`{MEASURE} = \"{}\"` needs a measurer", TIMES[1]);
        return wrong(MEASURE, cause, "name the folder of an adapter in `measurer`");
    }
    if apart && parameters.get(CORPUS) == Some(&Parameter::Bool(false)) {
        let cause = format!("`{CORPUS} = false` leaves nothing to measure apart");
        return wrong(CORPUS, cause, "keep the corpus, or measure within the trial");
    }
    Ok(apart)
}

/// The path of the measurer, relative to the study file.
pub(super) fn path(algorithm: &Algorithm) -> Result<Option<PathBuf>, FieldError> {
    match algorithm.parameters.get(MEASURER) {
        None => Ok(None),
        Some(Parameter::Text(path)) if !path.is_empty() && Path::new(path).is_relative() => {
            Ok(Some(path.into()))
        }
        Some(_) => Err(FieldError {
            field: Some(MEASURER.to_owned()),
            cause: "`measurer` is not a relative path".to_owned(),
            advice: "give the folder of the measurer, relative to the study file".to_owned(),
        }),
    }
}

/// The value for the measurer in the request of a run.
pub(super) fn find(algorithm: &Algorithm, folders: &[PathBuf]) -> Result<Value, RunError> {
    let Some(measurer) = tool(algorithm, folders)? else { return Ok(Value::Null) };
    let environment = measurer.environment_for_runs();
    let environment = environment.map_err(|error| RunError::Crashed(error.to_string()))?;
    Ok(json!({ "folder": measurer.folder, "environment": environment }))
}

pub(super) fn tool(algorithm: &Algorithm, folders: &[PathBuf]) -> Result<Option<Tool>, RunError> {
    let Some(path) = path(algorithm).map_err(|error| RunError::Failed(error.cause))? else {
        return Ok(None);
    };
    let folder = tool::located(algorithm, &path, MEASURER_DIGEST, folders)?;
    // The program is started in another folder.
    let folder = std::path::absolute(&folder)
        .map_err(|cause| RunError::Crashed(format!("{}: {cause}", folder.display())))?;
    Tool::read(folder).map(Some).map_err(RunError::Crashed)
}
