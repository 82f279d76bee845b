//! The external tools of a package that is verified.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_analysis_archive::{Package, PackageError};
use catherd_cli_console::Failure;
use catherd_cli_console::terminal;
use catherd_cli_failures::Worded;
use catherd_experiments::Plan;
use catherd_interface::FoundProject;
use tempfile::TempDir;

use super::Choice;
use super::projects::OfSample;
use crate::archive::tools::{Tools, WHEELS, is_of_tools};

const MAX_FILE_BYTES: u64 = 1 << 30;

pub(super) struct Unpacked {
    pub(super) tools: Tools,
    folder: TempDir,
}

impl Unpacked {
    pub(super) fn of(package: &mut Package, plan: &Plan) -> Result<Option<Unpacked>, Failure> {
        let names = package.contents().files.iter().map(|file| file.name.clone());
        let names: Vec<String> = names.filter(|name| is_of_tools(name)).collect();
        // If the study has no tools, files of tools are refused like all other unexpected files.
        let Some(mut tools) = Tools::of(plan).filter(|_| !names.is_empty()) else {
            return Ok(None);
        };
        let folder = folder()?;
        for name in names {
            let path = folder.path().join(&name);
            let failed = |cause| PackageError::Io { path: path.clone(), cause }.worded();
            let bytes = package.read(&name, MAX_FILE_BYTES).map_err(Worded::worded)?;
            if let Some(parent) = path.parent() {
                fs::create_dir_all(parent).map_err(failed)?;
            }
            fs::write(&path, bytes).map_err(failed)?;
            if !name.starts_with(WHEELS) {
                make_executable(&path).map_err(failed)?;
            }
        }
        tools.wheels = folder.path().join(WHEELS).is_dir();
        let base = folder.path().join(&tools.base);
        let failed = |cause| PackageError::Io { path: base.clone(), cause }.worded();
        fs::create_dir_all(&base).map_err(failed)?;
        tools.check(&base)?;
        Ok(Some(Unpacked { tools, folder }))
    }

    pub(super) fn prepare(
        &self,
        plan: &Plan,
        choice: &Choice,
        projects: &OfSample,
    ) -> Result<PathBuf, Failure> {
        let base = self.folder.path().join(&self.tools.base);
        let wheels = self.tools.wheels.then(|| self.folder.path().join(WHEELS));
        let mut needed = Vec::new();
        let is_chosen = |digest| choice.chosen.iter().any(|(spec, _)| spec.project == digest);
        for project in plan.projects.iter().filter(|project| is_chosen(project.digest)) {
            let bytes = projects.bytes(project.digest).map_err(Failure::new)?;
            let read = move || Ok(bytes.to_vec());
            let path = PathBuf::from(&project.name);
            needed.push(FoundProject::new(project.name.clone(), path, project.digest, read));
        }
        for tool in self.tools.adapters(&base)? {
            terminal::note(&format!("preparing {}", tool.name()));
            tool.prepare(&needed, wheels.as_deref()).map_err(|cause| {
                Failure::new(cause)
                    .hint("see the lines above, and what README.md says about the tool")
            })?;
        }
        Ok(base)
    }

    pub(super) fn spool(&self) -> PathBuf {
        self.folder.path().join("spool")
    }
}

/// Other users can read the folder, because tools may run as another user.
fn folder() -> Result<TempDir, Failure> {
    let folder = super::package::work_folder()?;
    let failed = |cause| PackageError::Io { path: folder.path().to_owned(), cause }.worded();
    make_executable(folder.path()).map_err(failed)?;
    Ok(folder)
}

#[cfg(unix)]
fn make_executable(path: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::PermissionsExt as _;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755))
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> std::io::Result<()> {
    Ok(())
}
