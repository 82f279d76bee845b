//! The projects of a study.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::{Digest, ProjectSource};
use catherd_interface::{
    Examination, FindError, FoundProject, FoundProjects, Progress, SkippedProject,
};
use catherd_javascript_classes::machine::instrument::is_typescript;
use catherd_javascript_classes::machine::{Package, PackageError};

use crate::Examiner;

/// Finds files, packages and archives, and those directly inside other folders.
pub(crate) fn find(
    projects: &ProjectSource,
    progress: &dyn Progress,
    examine: Examiner,
) -> Result<FoundProjects, FindError> {
    let ProjectSource::Paths(paths) = projects else {
        return Err(FindError {
            cause: "subject kind `javascript` makes no synthetic projects".to_owned(),
            advice: "name .js files, folders with package.json, or .tgz packages".to_owned(),
        });
    };
    let mut places: BTreeSet<PathBuf> = BTreeSet::new();
    for path in paths {
        if path.is_dir() && !is_package(path) {
            let entries = fs::read_dir(path).map_err(|error| refusal(path, &error.to_string()))?;
            for entry in entries {
                let inside = entry.map_err(|error| refusal(path, &error.to_string()))?.path();
                if is_package(&inside) || is_file(&inside) {
                    places.insert(inside);
                }
            }
        } else if path.exists() {
            places.insert(path.clone());
        } else {
            return Err(refusal(path, "no such file or folder"));
        }
    }
    let total = places.len() as u64;
    let mut found = FoundProjects::default();
    for (done, path) in (1..).zip(places) {
        match read(&path, examine) {
            Ok(bytes) => {
                let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
                let again = path.clone();
                let read = move || {
                    read(&again, examine).map_err(|cause| format!("{}: {cause}", again.display()))
                };
                found.projects.push(FoundProject::new(name, path, Digest::of(&bytes), read));
            }
            Err(reason) => found.skipped.push(SkippedProject { path, reason }),
        }
        progress.report(done, total);
    }
    if found.projects.is_empty() && found.skipped.is_empty() {
        let shown: Vec<String> = paths.iter().map(|path| path.display().to_string()).collect();
        return Err(refusal(Path::new(&shown.join(", ")), "no JavaScript project"));
    }
    Ok(found)
}

fn read(path: &Path, examine: Examiner) -> Result<Vec<u8>, String> {
    let package = Package::read(path).map_err(|error| match error {
        // The caller adds the path.
        PackageError::File { path: at, cause } if Path::new(&at) == path => cause,
        other => other.to_string(),
    })?;
    catherd_javascript_classes::check_config(&package.config).map_err(|error| error.to_string())?;
    let bytes = package.pack();
    examine(Digest::of(&bytes), bytes.as_slice().into(), &Examination::Usable)?;
    Ok(bytes)
}

fn is_package(path: &Path) -> bool {
    path.join("package.json").is_file() || path.join("subject.toml").is_file()
}

fn is_file(path: &Path) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let known = [".js", ".cjs", ".mjs", ".tgz"].iter().any(|end| name.ends_with(end))
        || is_typescript(&name);
    known && path.is_file() && !name.starts_with('.')
}

fn refusal(path: &Path, cause: &str) -> FindError {
    FindError {
        cause: format!("{}: {cause}", path.display()),
        advice: "name .js or .ts files, folders with package.json, or .tgz packages".to_owned(),
    }
}
