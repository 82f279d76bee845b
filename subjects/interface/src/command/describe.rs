//! Asks an adapter to describe a project (module `description`). The answer is stored in the
//! environment.

use std::fs;
use std::io::Read;
use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::json;

use super::contract::{CONTRACT, EXECUTABLE, REQUEST, RESULT};
use super::description::{Description, file_of, known};
use super::descriptor::Descriptor;
use super::prepared::{Tool, ToolError};
use super::process::{POLL_INTERVAL, Process};
use super::program;
use super::working_folder;
use crate::projects::FoundProject;
use crate::runner::Programs;

const LIMIT: Duration = Duration::from_secs(600);

const LARGEST: u64 = 1 << 20;

impl Tool {
    /// Whether the tool can describe projects.
    pub fn describes(&self) -> bool {
        self.adapter.describe
    }

    /// Returns the tool's description of a project, and stores it in the environment.
    ///
    /// # Errors
    ///
    /// If there is no description, or if it cannot be stored.
    pub fn describe(
        &self,
        project: &FoundProject,
        programs: &Programs,
    ) -> Result<Description, ToolError> {
        let Some(environment) = self.environment()? else {
            return Err(format!("{} has no environment", self.name()).into());
        };
        if let Some(known) = known(&environment, project.digest) {
            return Ok(known);
        }
        let folder = programs.folder.join(format!("describe-{}", project.digest.short()));
        let made = catherd_platform::remove_folder(&folder);
        made.and_then(|()| working_folder::make_folder(&folder))
            .map_err(|cause| named(&folder, &cause))?;
        let answer = self.ask(project, programs, &folder, &environment);
        // Without a supervisor, the folder still exists.
        catherd_platform::remove_folder(&folder).map_err(|cause| named(&folder, &cause))?;
        let answer = answer?;
        let found = Description::parse(&answer)?;
        let file = file_of(&environment, project.digest);
        // No process may read an incomplete description.
        let fresh = file.with_extension("new");
        fs::create_dir_all(file.parent().unwrap_or(&environment))
            .and_then(|()| fs::write(&fresh, &answer))
            .and_then(|()| fs::rename(&fresh, &file))
            .map_err(|cause| named(&file, &cause))?;
        Ok(found)
    }

    fn ask(
        &self,
        project: &FoundProject,
        programs: &Programs,
        folder: &Path,
        environment: &Path,
    ) -> Result<Vec<u8>, String> {
        let bytes = project.bytes().map_err(|cause| cause.to_string())?;
        let descriptor = Descriptor::of(&bytes);
        let own = working_folder::project_file(folder, descriptor.as_ref(), &project.name);
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
            "out": RESULT,
        });
        let file = folder.join(REQUEST);
        // Shell scripts can read the request if each key is on a separate line.
        fs::write(&file, format!("{request:#}")).map_err(|cause| named(&file, &cause))?;
        let executable = self.folder.join(EXECUTABLE).display().to_string();
        let words = vec![executable.clone(), "describe".to_owned(), REQUEST.to_owned()];
        let mut variables =
            working_folder::environment(folder).map_err(|cause| named(folder, &cause))?;
        variables.extend(self.adapter.variables(1));
        let crashed = |cause: crate::runner::RunError| cause.to_string();
        let mut process =
            Process::start(programs, folder, None, words, variables).map_err(crashed)?;
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
        let read = catherd_platform::open_regular(&folder.join(RESULT))
            .and_then(|file| file.take(LARGEST).read_to_end(&mut answer));
        let output = process.finish();
        match read {
            Ok(_) => Ok(answer),
            Err(_) => Err(program::how_it_ended(&end.exit.status, &output.end)),
        }
    }
}

fn named(path: &Path, cause: &dyn std::fmt::Display) -> String {
    format!("{}: {cause}", path.display())
}
