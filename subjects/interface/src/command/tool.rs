//! Tools that a study names by paths relative to its file: a program, or the folder of an adapter.
//!
//! When the study is planned, the digest of the tool becomes a parameter, so that a changed tool
//! makes other runs. A worker looks the path up below its own folders and compares the digest, so
//! that no path of a machine is a part of the run id.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use catherd_experiments::{Algorithm, Digest, Parameter};

use super::{prepared, template};
use crate::algorithm::FieldError;
use crate::runner::RunError;

/// The parameter that names the folder of an adapter.
pub(super) const ADAPTER: &str = "adapter";

/// The parameter with the digest of the tool.
pub(super) const DIGEST: &str = "tool";

/// Most files of a tool.
const MOST_FILES: usize = 10_000;

/// Most bytes of a tool.
const MOST_BYTES: u64 = 256 << 20;

/// A folder that Python writes when it runs a tool.
const CACHE: &str = "__pycache__";

/// The path of an algorithm's tool. `None` if the tool is a program with an absolute path, or one
/// that is looked up in `PATH`.
///
/// # Errors
///
/// What is wrong with the parameters.
pub(super) fn relative_path(algorithm: &Algorithm) -> Result<Option<PathBuf>, FieldError> {
    let path = match algorithm.parameters.get(ADAPTER) {
        Some(Parameter::Text(path)) if Path::new(path).is_relative() => path.clone(),
        Some(_) => {
            let cause = "`adapter` is not a relative path";
            let advice = "give the folder with adapter.toml, relative to the study file";
            return Err(wrong(ADAPTER, cause, advice));
        }
        None => {
            let program = template::program(algorithm)?;
            if !program.contains('/') {
                return Ok(None);
            }
            program
        }
    };
    Ok(Some(PathBuf::from(path)).filter(|path| path.is_relative()))
}

/// The folder of an algorithm's adapter, as the study names it. `None` if it has none.
pub(super) fn adapter(algorithm: &Algorithm) -> Option<PathBuf> {
    match algorithm.parameters.get(ADAPTER) {
        Some(Parameter::Text(path)) => Some(PathBuf::from(path)),
        _ => None,
    }
}

/// The algorithm with the digest of its tool, which is looked up from the folder of the study.
///
/// # Errors
///
/// If the tool cannot be read.
pub(super) fn resolve(algorithm: &Algorithm, folder: &Path) -> Result<Algorithm, FieldError> {
    let mut resolved = algorithm.clone();
    let field =
        if algorithm.parameters.contains_key(ADAPTER) { ADAPTER } else { template::PARAMETER };
    if let Some(path) = relative_path(algorithm)? {
        let path = folder.join(path);
        let digest = digest(&path).map_err(|cause| {
            let cause = format!("{}: {cause}", path.display());
            wrong(field, cause, "name an existing tool by a path relative to the study file")
        })?;
        let before = resolved.parameters.insert(DIGEST.into(), Parameter::Text(digest.to_string()));
        if before.is_some_and(|before| before != Parameter::Text(digest.to_string())) {
            let cause = format!("{} has digest {digest}", path.display());
            return Err(wrong(DIGEST, cause, "correct the digest, or leave it out"));
        }
    }
    Ok(resolved)
}

/// The path of an algorithm's tool on this machine, below one of these folders. `None` if the tool
/// is not named by a relative path.
///
/// # Errors
///
/// If no folder has the tool, or what is there has another digest.
pub(super) fn find(
    algorithm: &Algorithm,
    folders: &[PathBuf],
) -> Result<Option<PathBuf>, RunError> {
    let path = relative_path(algorithm).map_err(|error| RunError::Failed(error.cause))?;
    let Some(path) = path else { return Ok(None) };
    let Some(Parameter::Text(wanted)) = algorithm.parameters.get(DIGEST) else {
        return Err(RunError::Failed(format!("the study has no digest of {}", path.display())));
    };
    let mut found = Vec::new();
    for candidate in folders.iter().map(|folder| folder.join(&path)) {
        match digest(&candidate) {
            Ok(digest) if digest.to_string() == *wanted => return Ok(Some(candidate)),
            Ok(digest) => found.push(format!("{} has {}", candidate.display(), digest.short())),
            Err(cause) => found.push(format!("{}: {cause}", candidate.display())),
        }
    }
    let short: String = wanted.chars().take(12).collect();
    let found = if found.is_empty() { "no --tools folder".to_owned() } else { found.join("; ") };
    // Another worker may have it.
    Err(RunError::Crashed(format!(
        "this worker does not have {} with digest {short}: {found}",
        path.display()
    )))
}

/// The digest of a file, or of a folder: that of the names and digests of its files.
pub(super) fn digest(path: &Path) -> io::Result<Digest> {
    // The tool itself may be a link, because the user of the study named it.
    if !fs::metadata(path)?.is_dir() {
        return Ok(Digest::of(&read(path, &mut 0)?));
    }
    let (mut files, mut folders) = (Vec::new(), vec![path.to_owned()]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let entry = entry?;
            if [CACHE, prepared::FOLDER].iter().any(|own| entry.file_name() == *own) {
                continue;
            }
            match entry.file_type()?.is_dir() {
                true => folders.push(entry.path()),
                false => files.push(entry.path()),
            }
            if files.len() + folders.len() > MOST_FILES {
                return Err(io::Error::other(format!("more than {MOST_FILES} files")));
            }
        }
    }
    files.sort_unstable();
    let (mut list, mut bytes) = (String::new(), 0);
    for file in files {
        let name = file.strip_prefix(path).unwrap_or(&file).display().to_string();
        let contents = read(&file, &mut bytes)
            .map_err(|cause| io::Error::new(cause.kind(), format!("{name}: {cause}")))?;
        list += &format!("{}  {name}\n", Digest::of(&contents));
    }
    Ok(Digest::of(list.as_bytes()))
}

/// Reads a file, whose length is added to `bytes`.
fn read(path: &Path, bytes: &mut u64) -> io::Result<Vec<u8>> {
    let path = fs::canonicalize(path)?;
    *bytes += catherd_platform::open_regular(&path)?.metadata()?.len();
    if *bytes > MOST_BYTES {
        return Err(io::Error::other(format!("more than {} MiB", MOST_BYTES >> 20)));
    }
    fs::read(path)
}

fn wrong(field: &str, cause: impl Into<String>, advice: &str) -> FieldError {
    let field = Some(field.to_owned());
    FieldError { field, cause: cause.into(), advice: advice.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tool_is_known_by_its_digest() {
        let place = tempfile::tempdir().unwrap();
        let (study, worker) = (place.path().join("study"), place.path().join("worker"));
        for folder in [&study, &worker] {
            fs::create_dir_all(folder.join("adapter/locks")).unwrap();
            fs::write(folder.join("adapter/run"), "run").unwrap();
            fs::write(folder.join("adapter/locks/a"), "lock").unwrap();
            fs::write(folder.join("tool"), "tool").unwrap();
        }
        let with = |name: &str, value: &str| {
            let mut algorithm = Algorithm::plain("mio");
            algorithm.parameters.insert(name.into(), Parameter::Text(value.into()));
            algorithm
        };
        for (name, value) in [(ADAPTER, "adapter"), (template::PARAMETER, "./tool {out}")] {
            let resolved = resolve(&with(name, value), &study).unwrap();
            assert!(resolved.parameters.contains_key(DIGEST));
            let found = find(&resolved, &[place.path().to_owned(), worker.clone()]).unwrap();
            assert!(found.unwrap().starts_with(&worker));
            let missing = find(&resolved, &[]).unwrap_err().to_string();
            assert!(missing.contains("no --tools folder"), "{missing}");
        }
        let resolved = resolve(&with(ADAPTER, "adapter"), &study).unwrap();
        fs::create_dir(worker.join("adapter/__pycache__")).unwrap();
        fs::write(worker.join("adapter/__pycache__/x"), "x").unwrap();
        assert!(find(&resolved, std::slice::from_ref(&worker)).is_ok());
        fs::write(worker.join("adapter/locks/a"), "another lock").unwrap();
        let other = find(&resolved, std::slice::from_ref(&worker)).unwrap_err().to_string();
        assert!(other.contains("adapter has "), "{other}");
        let plain = with(template::PARAMETER, "tool {out}");
        assert_eq!(resolve(&plain, &study), Ok(plain.clone()));
        let lost = resolve(&with(template::PARAMETER, "./lost {out}"), &study).unwrap_err();
        assert_eq!(lost.field.as_deref(), Some(template::PARAMETER));
    }
}
