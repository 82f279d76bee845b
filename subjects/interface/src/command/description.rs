//! Tools' descriptions of projects.
//!
//! If `adapter.toml` has `describe = true`, the adapter is asked for each project when the
//! environment is prepared: `run describe REQUEST` is started in the same way as a run. The answer
//! is stored in the file `described/DIGEST.json` of the environment:
//!
//! ```json
//! {"contract": 1, "measures": {"lines": 40, "mccabe": 1.5, "goals": 12}}
//! {"contract": 1, "outcome": "unsupported", "reason": "No module named 'x'"}
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::Digest;
use serde::Deserialize;

use super::contract::CONTRACT;
use super::descriptor::MEASURES;

const FOLDER: &str = "described";

/// A measure that only adapters use, to report the progress of a run. Runs count their goals
/// themselves.
const GOALS: &str = "goals";

/// The description of a project by a tool.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    contract: u64,
    /// Numbers that describe the project, by name.
    #[serde(default)]
    pub measures: BTreeMap<String, f64>,
    outcome: Option<String>,
    reason: Option<String>,
}

impl Description {
    /// Why the tool does not support the project.
    pub fn unsupported(&self) -> Option<&str> {
        self.outcome.as_ref().map(|_| self.reason.as_deref().unwrap_or("no reason was given"))
    }

    pub(super) fn parse(bytes: &[u8]) -> Result<Description, String> {
        let found: Description =
            serde_json::from_slice(bytes).map_err(|cause| cause.to_string())?;
        if found.contract != CONTRACT {
            return Err(format!("contract {}; only contract {CONTRACT} exists", found.contract));
        }
        if let Some(other) = found.outcome.as_ref().filter(|outcome| *outcome != "unsupported") {
            return Err(format!("`outcome` is `{other}`, expected `unsupported` or no outcome"));
        }
        let known = |name: &&String| *name == GOALS || MEASURES.iter().any(|(own, _)| own == name);
        if let Some(unknown) = found.measures.keys().find(|name| !known(name)) {
            let all = MEASURES.map(|(name, _)| name).join(", ");
            return Err(format!("unknown measure `{unknown}`; the measures are {all} and {GOALS}"));
        }
        Ok(found)
    }
}

pub(super) fn file_of(environment: &Path, project: Digest) -> PathBuf {
    environment.join(FOLDER).join(format!("{project}.json"))
}

/// A project whose description is missing or damaged can still be run.
pub(super) fn known(environment: &Path, project: Digest) -> Option<Description> {
    Description::parse(&fs::read(file_of(environment, project)).ok()?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_measures_or_a_reason() {
        let parse = |text: &str| Description::parse(text.as_bytes());
        let found = parse(r#"{"contract": 1, "measures": {"lines": 40, "goals": 3}}"#).unwrap();
        assert_eq!((found.measures["lines"], found.unsupported()), (40.0, None));
        let none = parse(r#"{"contract": 1, "outcome": "unsupported", "reason": "no"}"#).unwrap();
        assert_eq!(none.unsupported(), Some("no"));
        for (text, flaw) in [
            (r#"{"contract": 2}"#, "contract 2"),
            (r#"{"contract": 1, "outcome": "failed"}"#, "`outcome` is `failed`"),
            (r#"{"contract": 1, "measures": {"size": 1}}"#, "unknown measure `size`"),
            (r#"{"contract": 1, "measure": {}}"#, "unknown field `measure`"),
            ("", "EOF"),
        ] {
            let error = parse(text).unwrap_err();
            assert!(error.contains(flaw), "{error}");
        }
    }
}
