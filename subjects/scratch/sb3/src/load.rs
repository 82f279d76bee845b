//! Loading of projects from archives, folders and bytes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::json::{self, Json};
use crate::source::{FileSource, open, read_up_to};
use crate::{Cause, Limits, Project, ProjectLocation, ReadError, sb2, sb3};

impl Project {
    /// Reads an archive, a folder with an unpacked `project.json`, or a single `project.json`
    /// without media, within the default limits.
    ///
    /// # Errors
    /// If the project cannot be read.
    pub fn read(path: impl AsRef<Path>) -> Result<Project, ReadError> {
        Project::read_within(path, &Limits::default())
    }

    /// Like [`Project::read`], but with the given limits.
    ///
    /// # Errors
    /// Like [`Project::read`].
    pub fn read_within(path: impl AsRef<Path>, limits: &Limits) -> Result<Project, ReadError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if path.is_dir() {
            return FileSource::folder(path, limits)
                .and_then(|source| read(source, limits))
                .map_err(|cause| cause.in_file(&name));
        }
        Project::from_bytes(&name, &read_archive(path, limits)?, limits)
    }

    /// Reads an archive, or a `project.json` without media, from memory. Errors contain `name` in
    /// place of the path.
    ///
    /// # Errors
    /// Like [`Project::read`].
    pub fn from_bytes(name: &str, bytes: &[u8], limits: &Limits) -> Result<Project, ReadError> {
        let project = if is_json(bytes) {
            bare_json(bytes, limits)
        } else {
            FileSource::archive(bytes, limits).and_then(|source| read(source, limits))
        };
        project.map_err(|cause| cause.in_file(name))
    }
}

/// Scratch also reads a `project.json` that is not in an archive.
pub(crate) fn is_json(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(b"{")
}

fn bare_json(bytes: &[u8], limits: &Limits) -> Result<Project, Cause> {
    if bytes.len() as u64 > limits.json_bytes {
        return Err(Cause::limit("bytes in project.json", limits.json_bytes));
    }
    from_json(bytes, FileSource::memory(&BTreeMap::new(), limits), limits)
}

/// Reads the bytes of an archive without checking them.
///
/// # Errors
/// If the file cannot be read or is too large.
pub fn read_archive(path: impl AsRef<Path>, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let path = path.as_ref();
    open(path)
        .and_then(|file| read_up_to(file, limits.archive_bytes))
        .map_err(Cause::Io)
        .and_then(|bytes| {
            bytes.ok_or_else(|| Cause::limit("bytes in the archive", limits.archive_bytes))
        })
        .map_err(|cause| cause.in_file(&path.display().to_string()))
}

pub(crate) fn read(mut source: FileSource, limits: &Limits) -> Result<Project, Cause> {
    let bytes = source.project_json()?;
    from_json(&bytes, source, limits)
}

pub(crate) fn from_json(
    bytes: &[u8],
    source: FileSource,
    limits: &Limits,
) -> Result<Project, Cause> {
    let text = json::decode(bytes);
    let json = json::parse(&text, limits)?;
    if json.get("targets").is_some() {
        sb3::read(&json, source, limits)
    } else if json.get("objName").is_some() {
        sb2::read(&json, source, limits)
    } else if matches!(json, Json::Object(_)) {
        Err(Cause::Version(
            "unknown; there is neither `targets` (Scratch 3) nor `objName` (Scratch 2)".to_owned(),
        ))
    } else {
        Err(ProjectLocation::Project.fault("is not an object"))
    }
}
