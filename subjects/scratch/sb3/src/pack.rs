//! Packing of projects.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use crate::source::FileSource;
use crate::{Asset, Cause, Limits, ReadError, load};

/// Packs an unpacked project: its `project.json`, and the media that the project uses. Nothing is
/// compressed, so the same files result in the same bytes on every computer.
///
/// # Errors
/// If the folder is not a readable project.
pub fn pack(folder: impl AsRef<Path>) -> Result<Vec<u8>, ReadError> {
    let (folder, limits) = (folder.as_ref(), Limits::default());
    FileSource::folder(folder, &limits)
        .and_then(|source| archive(source, &limits))
        .map_err(|cause| cause.in_file(&folder.display().to_string()))
}

/// Like [`pack`], for named files in memory. Errors contain `name` in place of the path.
///
/// # Errors
/// If the files are not a readable project.
pub fn pack_files(name: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ReadError> {
    let limits = Limits::default();
    archive(FileSource::memory(files, &limits), &limits).map_err(|cause| cause.in_file(name))
}

/// Like [`pack`], for the files of an archive, or for a single `project.json`.
///
/// # Errors
/// If the archive is not a readable project.
pub fn repack(name: &str, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    if load::is_json(bytes) {
        let files = BTreeMap::from([("project.json".to_owned(), bytes.to_owned())]);
        return pack_files(name, &files);
    }
    let limits = Limits::default();
    FileSource::archive(bytes, &limits)
        .and_then(|source| archive(source, &limits))
        .map_err(|cause| cause.in_file(name))
}

fn archive(mut source: FileSource<'_>, limits: &Limits) -> Result<Vec<u8>, Cause> {
    let json = source.project_json()?;
    let project = load::from_json(&json, source, limits)?;
    let mut assets: Vec<&Asset> = project.assets.iter().collect();
    assets.sort_by(|a, b| a.name.cmp(&b.name));
    write(&json, &assets)
}

fn write(json: &[u8], assets: &[&Asset]) -> Result<Vec<u8>, Cause> {
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Stored)
        .last_modified_time(DateTime::default())
        .unix_permissions(0o644)
        .system(System::Unix);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    zip.start_file("project.json", options)?;
    zip.write_all(json)?;
    for asset in assets {
        zip.start_file(&*asset.name, options)?;
        zip.write_all(&asset.bytes)?;
    }
    Ok(zip.finish()?.into_inner())
}
