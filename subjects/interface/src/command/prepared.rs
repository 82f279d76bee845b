//! Environments of tools: the packages that a tool needs, installed on a computer.
//!
//! Environments are in the folder `.environment` of the adapter, and are named after the digest of
//! the lock.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{self, Stdio};

use serde_json::{Value, json};

use super::adapter::Adapter;
use super::contract::{CONTRACT, ENVIRONMENTS, EXECUTABLE};
use super::description::{Description, known};
use super::descriptor::Descriptor;
use super::tool;
use crate::projects::{FoundProject, FoundProjects, SkippedProject};
use crate::resolved::Resolved;

/// Marks an environment as complete.
const MARK: &str = "prepared";

/// A tool with an adapter, on this computer.
pub struct Tool {
    pub(super) adapter: Adapter,
    pub(super) folder: PathBuf,
}

/// Why a tool cannot be used on this computer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ToolError(String);

impl From<String> for ToolError {
    fn from(line: String) -> ToolError {
        ToolError(line)
    }
}

/// The result of checking whether a tool can run on this computer.
pub struct Diagnosis {
    /// Whether the tool can run.
    pub usable: bool,
    /// The report, usually from the adapter.
    pub text: String,
}

impl Tool {
    /// Reads the adapter in a folder.
    ///
    /// # Errors
    ///
    /// If the folder does not contain a valid adapter.
    pub fn open(folder: &Path) -> Result<Tool, ToolError> {
        let folder =
            fs::canonicalize(folder).map_err(|cause| format!("{}: {cause}", folder.display()))?;
        Ok(Tool::read(folder)?)
    }

    /// Reads the adapter in a folder, without changing the path.
    pub(super) fn read(folder: PathBuf) -> Result<Tool, String> {
        Ok(Tool { adapter: Adapter::read(&folder)?, folder })
    }

    /// The name and the version of the tool.
    pub fn name(&self) -> String {
        format!("{} {}", self.adapter.tool, self.adapter.version)
    }

    /// The version of Python that runs the tool, such as 3.11.
    pub fn python(&self) -> Option<&str> {
        self.adapter.python.as_deref()
    }

    /// The budget limits that the tool observes. Empty if it observes all limits.
    pub fn budgets(&self) -> &[String] {
        self.adapter.budgets()
    }

    /// The folder of the environment, if the tool needs one.
    ///
    /// # Errors
    ///
    /// If the lock cannot be read.
    pub fn environment(&self) -> Result<Option<PathBuf>, ToolError> {
        let Some(lock) = &self.adapter.environment else { return Ok(None) };
        let lock = self.folder.join(lock);
        let digest = tool::digest(&lock).map_err(|cause| format!("{}: {cause}", lock.display()))?;
        Ok(Some(self.folder.join(ENVIRONMENTS).join(digest.short())))
    }

    pub(super) fn environment_for_runs(&self) -> Result<Option<PathBuf>, ToolError> {
        match self.environment()? {
            Some(environment) if !environment.join(MARK).is_file() => Err(format!(
                "{} has no environment here: run `catherd tool prepare {}`",
                self.name(),
                self.folder.display()
            )
            .into()),
            environment => Ok(environment),
        }
    }

    /// Checks that the environment is prepared on this computer, if the tool needs one.
    ///
    /// # Errors
    ///
    /// If the environment is not prepared, or if the lock cannot be read.
    pub fn check_prepared(&self) -> Result<(), ToolError> {
        match self.environment()? {
            Some(folder) if !folder.join(MARK).is_file() => {
                Err(format!("{} has no environment on this machine", self.name()).into())
            }
            _ => Ok(()),
        }
    }

    /// Has the adapter create the environment and install the packages that these projects need.
    /// `wheels` is a folder of packages to use instead of a package index.
    ///
    /// # Errors
    ///
    /// If the environment cannot be created.
    pub fn prepare(
        &self,
        projects: &[FoundProject],
        wheels: Option<&Path>,
    ) -> Result<PathBuf, ToolError> {
        let Some(environment) = self.environment()? else {
            return Err(format!("{} needs no environment", self.name()).into());
        };
        let failed =
            |path: &Path, cause: &dyn std::fmt::Display| format!("{}: {cause}", path.display());
        fs::create_dir_all(&environment).map_err(|cause| failed(&environment, &cause))?;
        let mut described = Vec::new();
        for project in projects {
            let bytes = project.bytes().map_err(|cause| cause.to_string())?;
            let data = Descriptor::of(&bytes).map(|descriptor| descriptor.data);
            described.push(json!({
                "name": project.name, "digest": project.digest, "data": data,
            }));
        }
        let wheels = wheels.map(std::path::absolute).transpose();
        let wheels = wheels.map_err(|cause| format!("--wheels: {cause}"))?;
        let request = json!({
            "contract": CONTRACT,
            "environment": environment,
            "projects": described,
            "wheels": wheels,
        });
        let file = environment.join("prepare.json");
        write(&file, &request)?;
        let status = process::Command::new(self.folder.join(EXECUTABLE))
            .arg("prepare")
            .arg(&file)
            .stdin(Stdio::null())
            .status()
            .map_err(|cause| failed(&self.folder.join(EXECUTABLE), &cause))?;
        if !status.success() {
            return Err(format!("{} prepare ended with {status}", self.name()).into());
        }
        let mark = environment.join(MARK);
        fs::write(&mark, self.name() + "\n").map_err(|cause| failed(&mark, &cause))?;
        Ok(environment)
    }

    /// Asks the adapter whether the tool can run on this computer.
    ///
    /// # Errors
    ///
    /// If the adapter cannot be asked.
    pub fn doctor(&self) -> Result<Diagnosis, ToolError> {
        let environment = self.environment()?;
        if let Some(folder) = &environment
            && !folder.join(MARK).is_file()
        {
            let text = format!("the environment {} is not prepared\n", folder.display());
            return Ok(Diagnosis { usable: false, text });
        }
        let file = std::env::temp_dir().join(format!("catherd-doctor-{}", process::id()));
        let request = json!({ "contract": CONTRACT, "environment": environment });
        // Shell scripts can read the request if each key is on a separate line.
        let request = format!("{request:#}");
        // Another user may have put a link at this path.
        catherd_platform::write_private(&file, &request)
            .map_err(|cause| format!("{}: {cause}", file.display()))?;
        let output = process::Command::new(self.folder.join(EXECUTABLE))
            .arg("doctor")
            .arg(&file)
            .stdin(Stdio::null())
            .output();
        // A remaining request is harmless.
        let _ = fs::remove_file(&file);
        let output = output
            .map_err(|cause| format!("{}: {cause}", self.folder.join(EXECUTABLE).display()))?;
        let text = [output.stdout, output.stderr].concat();
        let text = String::from_utf8_lossy(&text).into_owned();
        // A tool that needs no environment may have nothing to report.
        let nothing_to_say = environment.is_none() && text.trim().is_empty();
        let text = match nothing_to_say {
            true => "it needs no environment; `run doctor` reports nothing\n".to_owned(),
            false => text,
        };
        Ok(Diagnosis { usable: output.status.success() || nothing_to_say, text })
    }
}

/// Adds what a study's tools have reported about the projects (module `description`).
pub(super) fn described(found: FoundProjects, resolved: &Resolved) -> FoundProjects {
    let environments: BTreeSet<Option<PathBuf>> =
        resolved.tool_of.iter().map(|tool| resolved.tools[(*tool)?].environment().ok()?).collect();
    let FoundProjects { projects, mut skipped, warnings } = found;
    let mut all = Vec::with_capacity(projects.len());
    for mut project in projects {
        let known = environments.iter().map(|environment| {
            environment.as_deref().and_then(|folder| known(folder, project.digest))
        });
        let known: Vec<_> = known.collect();
        let unsupported = |one: &Option<Description>| {
            one.as_ref().is_some_and(|description| description.unsupported().is_some())
        };
        if let Some(Some(first)) = known.first()
            && known.iter().all(unsupported)
        {
            let reason = format!("unsupported: {}", first.unsupported().unwrap_or_default());
            skipped.push(SkippedProject { path: project.path, reason });
            continue;
        }
        project.measures.extend(known.into_iter().flatten().flat_map(|one| one.measures));
        all.push(project);
    }
    FoundProjects { projects: all, skipped, warnings }
}

fn write(file: &Path, request: &Value) -> Result<(), String> {
    let written = serde_json::to_vec_pretty(request).map_err(std::io::Error::from);
    let written = written.and_then(|request| fs::write(file, request));
    written.map_err(|cause| format!("{}: {cause}", file.display()))
}
