//! Folders for working files, and checks of paths that users name.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::nearest;

use tempfile::TempDir;

use crate::Failure;

/// Creates a folder for working files in the system's folder for temporary files. The name of the
/// folder is `prefix` and random characters. The folder is removed when the returned value is
/// dropped.
///
/// # Errors
///
/// If the folder cannot be created.
pub fn work_folder(prefix: &str) -> Result<TempDir, Failure> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(prefix);
    // Without this, the umask may let other users read the files.
    #[cfg(unix)]
    let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    #[cfg(unix)]
    builder.permissions(owner_only);
    builder.tempdir().map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", std::env::temp_dir().display()))
            .hint("set TMPDIR to a folder that you may write to")
    })
}

/// Checks that a path exists. `hint` is the hint of the error unless the path suggests a better
/// hint.
///
/// # Errors
///
/// If the path does not exist.
pub fn check(path: &Path, hint: &str) -> Result<(), Failure> {
    match path.symlink_metadata() {
        Err(cause) if cause.kind() == std::io::ErrorKind::NotFound => Err(missing(path, hint)),
        _ => Ok(()),
    }
}

/// Checks that a path is a folder. `hint` says which folder to name.
///
/// # Errors
///
/// If the path does not exist or is a file.
pub fn folder(path: &Path, hint: &str) -> Result<(), Failure> {
    check(path, hint)?;
    if path.is_file() {
        let failure = Failure::new(format_args!("{}: is a file, not a folder", path.display()));
        return Err(failure.hint(hint));
    }
    Ok(())
}

/// Returns the failure for a path that does not exist.
pub fn missing(path: &Path, hint: &str) -> Failure {
    let failure = Failure::new(format_args!("{}: no such file or folder", path.display()));
    let text = path.to_string_lossy();
    if text.contains("://") {
        return failure.hint("name a local file or folder: nothing is fetched");
    }
    if text.contains('*') {
        return failure.hint("name the folder: patterns are expanded only by shells");
    }
    if text.starts_with("~/") || text.contains("/~/") {
        return failure.hint("write the whole path: `~` is expanded only by shells");
    }
    match near(path) {
        Some(near) => failure.hint(format!("there is {}", near.display())),
        None => failure.hint(hint),
    }
}

/// Returns an existing path near a missing path: the first missing part is replaced by the nearest
/// name in its folder, and the later parts are kept if the resulting path exists.
fn near(path: &Path) -> Option<PathBuf> {
    let parents: Vec<&Path> =
        path.ancestors().take_while(|part| !part.as_os_str().is_empty()).collect();
    let lost = parents.into_iter().rev().find(|part| !part.exists())?;
    let folder = lost.parent().filter(|folder| !folder.as_os_str().is_empty());
    let entries = fs::read_dir(folder.unwrap_or(Path::new("."))).ok()?.flatten();
    let names: Vec<String> =
        entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
    let wanted = lost.file_name()?.to_str()?;
    let name = nearest(wanted, names.iter().map(String::as_str))?;
    let found = folder.map_or_else(|| PathBuf::from(name), |folder| folder.join(name));
    let rest = path.strip_prefix(lost).ok()?;
    let whole = if rest.as_os_str().is_empty() { found.clone() } else { found.join(rest) };
    Some(if whole.exists() { whole } else { found })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_path_has_a_near_one() {
        let place = tempfile::tempdir().unwrap();
        let path = |name: &str| place.path().join(name);
        fs::create_dir(path("datasets")).unwrap();
        fs::write(path("datasets/demo.sb3"), "").unwrap();
        assert_eq!(near(&path("dataset")), Some(path("datasets")));
        assert_eq!(near(&path("dataset/demo.sb3")), Some(path("datasets/demo.sb3")));
        assert_eq!(near(&path("datasets/dmo.sb3")), Some(path("datasets/demo.sb3")));
        assert_eq!(near(&path("nothing")), None);
        assert!(folder(&path("datasets"), "name a folder").is_ok());
        let failure = folder(&path("datasets/demo.sb3"), "name a folder").unwrap_err().to_string();
        assert!(failure.contains("demo.sb3: is a file, not a folder"), "{failure}");
        assert!(check(&path("datasets"), "").is_ok());
        let failure = check(&path("dataset"), "").unwrap_err().to_string();
        assert!(
            failure.contains("no such file or folder") && failure.contains("there is "),
            "{failure}"
        );
    }
}
