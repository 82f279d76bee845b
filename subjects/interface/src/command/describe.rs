//! What a tool says of a project before any run: its measures, or that it can never be used.
//!
//! An adapter whose description has `describe = true` is asked once for each project, when its
//! environment is prepared: `run describe REQUEST` is started as a run is, in a working folder, with a
//! built environment and in namespaces. Its answer is kept in the environment, in the file
//! `described/DIGEST.json`, where runs find it as well:
//!
//! ```json
//! {"contract": 1, "measures": {"lines": 40, "mccabe": 1.5, "goals": 12}}
//! {"contract": 1, "outcome": "unsupported", "reason": "No module named 'x'"}
//! ```

use std::collections::BTreeMap;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use catherd_experiments::Digest;
use serde::Deserialize;
use serde_json::json;

use super::adapter::{self, CONTRACT, EXECUTABLE};
use super::descriptor::{Descriptor, MEASURES};
use super::prepared::Tool;
use super::process::{POLL_INTERVAL, Process};
use super::program;
use crate::projects::FoundProject;
use crate::runner::Programs;

/// The folder of descriptions, in that of the environment.
const FOLDER: &str = "described";

/// Real time that a tool has for a project.
const LIMIT: Duration = Duration::from_secs(600);

/// Most bytes of an answer.
const LARGEST: u64 = 1 << 20;

/// The measure with the number of goals, which runs count themselves: it is for adapters, which can
/// then say how far a run is.
const GOALS: &str = "goals";

/// What a tool says of a project.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    contract: u64,
    /// Numbers that describe the project, by the name of the measure.
    #[serde(default)]
    pub measures: BTreeMap<String, f64>,
    outcome: Option<String>,
    reason: Option<String>,
}

impl Description {
    /// Why the tool can never do the project; `None` if it can.
    pub fn unsupported(&self) -> Option<&str> {
        self.outcome.as_ref().map(|_| self.reason.as_deref().unwrap_or("no reason was given"))
    }

    fn parse(bytes: &[u8]) -> Result<Description, String> {
        let found: Description =
            serde_json::from_slice(bytes).map_err(|cause| cause.to_string())?;
        if found.contract != CONTRACT {
            return Err(format!("contract {}, and there is {CONTRACT} only", found.contract));
        }
        if let Some(other) = found.outcome.as_ref().filter(|outcome| *outcome != "unsupported") {
            return Err(format!("`outcome` is `{other}`, expected `unsupported` or none"));
        }
        let known = |name: &&String| *name == GOALS || MEASURES.iter().any(|(own, _)| own == name);
        if let Some(unknown) = found.measures.keys().find(|name| !known(name)) {
            let all = MEASURES.map(|(name, _)| name).join(", ");
            return Err(format!("unknown measure `{unknown}`: there are {all} and {GOALS}"));
        }
        Ok(found)
    }
}

/// The file with the description of a project, in an environment.
fn file_of(environment: &Path, project: Digest) -> PathBuf {
    environment.join(FOLDER).join(format!("{project}.json"))
}

/// The description of a project in an environment; `None` if the tool was not asked, or if it is
/// damaged: then the project is run as it is.
pub(super) fn known(environment: &Path, project: Digest) -> Option<Description> {
    Description::parse(&fs::read(file_of(environment, project)).ok()?).ok()
}

impl Tool {
    /// Whether the tool describes projects.
    pub fn describes(&self) -> bool {
        self.adapter.describe
    }

    /// Has the tool describe a project in its environment, which must be prepared, unless it has done
    /// so before. The answer stays in the environment.
    ///
    /// # Errors
    ///
    /// Why there is no description, in one line. The project may be run nevertheless.
    pub fn describe(
        &self,
        project: &FoundProject,
        programs: &Programs,
    ) -> Result<Description, String> {
        let Some(environment) = self.environment()? else {
            return Err(format!("{} has no environment", self.name()));
        };
        if let Some(known) = known(&environment, project.digest) {
            return Ok(known);
        }
        let folder = programs.folder.join(format!("describe-{}", project.digest.short()));
        let made = catherd_platform::remove_folder(&folder);
        made.and_then(|()| program::make_folder(&folder))
            .map_err(|cause| named(&folder, &cause))?;
        let answer = self.ask(project, programs, &folder, &environment);
        // The supervisor removes it where there is one.
        catherd_platform::remove_folder(&folder).map_err(|cause| named(&folder, &cause))?;
        let answer = answer?;
        let found = Description::parse(&answer)?;
        let file = file_of(&environment, project.digest);
        // A file that is half written would be taken for none.
        let fresh = file.with_extension("new");
        fs::create_dir_all(environment.join(FOLDER))
            .and_then(|()| fs::write(&fresh, &answer))
            .and_then(|()| fs::rename(&fresh, &file))
            .map_err(|cause| named(&file, &cause))?;
        Ok(found)
    }

    /// Runs the adapter's `describe` in a folder and returns its answer.
    fn ask(
        &self,
        project: &FoundProject,
        programs: &Programs,
        folder: &Path,
        environment: &Path,
    ) -> Result<Vec<u8>, String> {
        let bytes = project.bytes().map_err(|cause| cause.to_string())?;
        let descriptor = Descriptor::of(&bytes);
        let own = program::project_file(folder, descriptor.as_ref(), &project.name);
        fs::write(&own, &bytes).map_err(|cause| named(&own, &cause))?;
        let request = json!({
            "contract": CONTRACT,
            "project": {
                "name": project.name,
                "path": own.file_name().unwrap_or_default().to_string_lossy(),
                "digest": project.digest,
                "data": descriptor.map(|descriptor| descriptor.data),
            },
            "seed": 1,
            "deadline_ms": LIMIT.as_millis() as u64,
            "environment": environment,
            "out": adapter::RESULT,
        });
        let file = folder.join(adapter::REQUEST);
        // One line for each key, so that shells can read it.
        fs::write(&file, format!("{request:#}")).map_err(|cause| named(&file, &cause))?;
        let executable = self.folder.join(EXECUTABLE).display().to_string();
        let words = vec![executable.clone(), "describe".to_owned(), adapter::REQUEST.to_owned()];
        let mut variables = program::environment(folder).map_err(|cause| named(folder, &cause))?;
        variables.extend(self.adapter.variables(1));
        let crashed = |cause: crate::runner::RunError| cause.to_string();
        let mut process = Process::start(programs, folder, words, variables).map_err(crashed)?;
        let start = Instant::now();
        let end = loop {
            match process.ended(&executable).map_err(crashed)? {
                Some(end) => break end,
                None if start.elapsed() > LIMIT => {
                    return Err(format!("no description after {} s", LIMIT.as_secs()));
                }
                None => std::thread::sleep(POLL_INTERVAL),
            }
        };
        let mut answer = Vec::new();
        let read = catherd_platform::open_regular(&folder.join(adapter::RESULT))
            .and_then(|file| file.take(LARGEST).read_to_end(&mut answer));
        let output = process.finish();
        match read {
            Ok(_) => Ok(answer),
            Err(_) => Err(program::how_it_ended(&end.status, &output)),
        }
    }
}

fn named(path: &Path, cause: &dyn std::fmt::Display) -> String {
    format!("{}: {cause}", path.display())
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
