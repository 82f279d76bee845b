//! Opening projects: archives, folders, bytes.

use std::path::Path;

use crate::json::{self, Json};
use crate::source::{Source, open, read_up_to};
use crate::{Cause, Limits, Place, Project, ReadError, sb2, sb3};

impl Project {
    /// Reads an archive, or a folder with an unpacked `project.json`, within the default limits.
    ///
    /// # Errors
    /// Everything that keeps a project from being read, with the path as given.
    pub fn read(path: impl AsRef<Path>) -> Result<Project, ReadError> {
        Project::read_within(path, &Limits::default())
    }

    /// As [`Project::read`], within limits of the caller's choice.
    ///
    /// # Errors
    /// As for [`Project::read`].
    pub fn read_within(path: impl AsRef<Path>, limits: &Limits) -> Result<Project, ReadError> {
        let path = path.as_ref();
        let name = path.display().to_string();
        if path.is_dir() {
            return Source::folder(path, limits)
                .and_then(|source| read(source, limits))
                .map_err(|cause| cause.of(&name));
        }
        Project::from_bytes(&name, &read_archive(path, limits)?, limits)
    }

    /// Reads an archive from memory; `name` is what errors call it.
    ///
    /// # Errors
    /// As for [`Project::read`].
    pub fn from_bytes(name: &str, bytes: &[u8], limits: &Limits) -> Result<Project, ReadError> {
        Source::archive(bytes, limits)
            .and_then(|source| read(source, limits))
            .map_err(|cause| cause.of(name))
    }
}

/// The bytes of an archive, whatever is in it. Pipes and devices are no archives.
///
/// # Errors
/// If the file cannot be read or is larger than [`Limits::archive_bytes`].
pub fn read_archive(path: impl AsRef<Path>, limits: &Limits) -> Result<Vec<u8>, ReadError> {
    let path = path.as_ref();
    open(path)
        .and_then(|file| read_up_to(file, limits.archive_bytes))
        .map_err(Cause::Io)
        .and_then(|bytes| {
            bytes.ok_or_else(|| Cause::limit("bytes of archive", limits.archive_bytes))
        })
        .map_err(|cause| cause.of(&path.display().to_string()))
}

pub(crate) fn read(mut source: Source, limits: &Limits) -> Result<Project, Cause> {
    let bytes = source.project_json()?;
    from_json(&bytes, source, limits)
}

pub(crate) fn from_json(bytes: &[u8], source: Source, limits: &Limits) -> Result<Project, Cause> {
    let text = json::decode(bytes);
    let json = json::parse(&text, limits)?;
    if json.get("targets").is_some() {
        sb3::read(&json, source, limits)
    } else if json.get("objName").is_some() {
        sb2::read(&json, source, limits)
    } else if matches!(json, Json::Object(_)) {
        Err(Cause::Version("neither `targets` (Scratch 3) nor `objName` (Scratch 2)".to_owned()))
    } else {
        Err(Place::Project.fault("is not an object"))
    }
}
