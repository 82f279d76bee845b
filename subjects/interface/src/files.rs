//! Finds projects that are single files.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use catherd_experiments::Digest;

use crate::projects::{FindError, FoundProject, FoundProjects, Progress};

/// Maximum size of a project, in bytes.
pub const LARGEST_PROJECT: u64 = 512 << 20;

/// Finds the named files, and in each named folder the visible files that `takes` accepts. The name
/// of a project is the name of its file.
///
/// # Errors
///
/// If a path cannot be used.
pub fn find(
    paths: &[PathBuf],
    takes: impl Fn(&Path) -> bool,
    progress: &dyn Progress,
) -> Result<FoundProjects, FindError> {
    let mut files = BTreeSet::new();
    for path in paths {
        if !path.is_dir() {
            files.insert(path.clone());
            continue;
        }
        for entry in fs::read_dir(path).map_err(|cause| unreadable(path, &cause))? {
            let entry = entry.map_err(|cause| unreadable(path, &cause))?;
            let hidden = entry.file_name().to_string_lossy().starts_with('.');
            if !hidden && entry.path().is_file() && takes(&entry.path()) {
                files.insert(entry.path());
            }
        }
    }
    let total = files.len() as u64;
    let mut found = FoundProjects::default();
    for (done, path) in (1..).zip(files) {
        let bytes = read(&path).map_err(|cause| unreadable(&path, &cause))?;
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let own = path.clone();
        let again = move || read(&own).map_err(|cause| format!("{}: {cause}", own.display()));
        found.projects.push(FoundProject::new(name, path, Digest::of(&bytes), again));
        progress.report(done, total);
    }
    Ok(found)
}

/// Reading a pipe or a device might never end.
fn read(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "is a pipe, a device or a socket; expected a regular file",
        ));
    }
    if metadata.len() > LARGEST_PROJECT {
        return Err(io::Error::new(
            io::ErrorKind::FileTooLarge,
            "is larger than 512 MiB, the limit of a project",
        ));
    }
    fs::read(path)
}

fn unreadable(path: &Path, cause: &io::Error) -> FindError {
    FindError {
        cause: format!("{}: {cause}", path.display()),
        advice: "check the path given for projects".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_folder_the_visible_files_that_are_accepted_are_found() {
        let place = tempfile::tempdir().unwrap();
        for name in ["b.txt", "a.txt", ".hidden", "c.md"] {
            fs::write(place.path().join(name), name).unwrap();
        }
        fs::create_dir(place.path().join("below")).unwrap();
        fs::write(place.path().join("below/d.txt"), "d").unwrap();
        let paths = [place.path().to_owned(), place.path().join("a.txt")];
        let texts = |path: &Path| path.extension().is_some_and(|extension| extension == "txt");
        let found = find(&paths, texts, &()).unwrap();
        let names: Vec<_> = found.projects.iter().map(|project| &*project.name).collect();
        assert_eq!(names, ["a.txt", "b.txt"]);
        assert_eq!(found.projects[0].bytes().unwrap(), b"a.txt");

        let error = find(&[place.path().join("gone")], |_| true, &()).unwrap_err();
        assert!(error.cause.contains("gone: "), "{error}");
    }
}
