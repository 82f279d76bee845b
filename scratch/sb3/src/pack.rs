//! Packing an unpacked project.

use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::path::Path;

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, System, ZipWriter};

use crate::source::Source;
use crate::{Asset, Cause, Limits, ReadError, load};

/// The archive of an unpacked project: its `project.json` as it is and the media that it
/// names, sorted. The same files give the same bytes on every machine; therefore nothing
/// is compressed, since what a compressor writes depends on its version and the processor.
///
/// # Errors
/// If the folder is no readable project.
pub fn pack(folder: impl AsRef<Path>) -> Result<Vec<u8>, ReadError> {
    let (folder, limits) = (folder.as_ref(), Limits::default());
    Source::folder(folder, &limits)
        .and_then(|source| archive(source, &limits))
        .map_err(|cause| cause.of(&folder.display().to_string()))
}

/// As [`pack`], of files in memory, by name; errors call the project `name`.
///
/// # Errors
/// If the files are no readable project.
pub fn pack_files(name: &str, files: &BTreeMap<String, Vec<u8>>) -> Result<Vec<u8>, ReadError> {
    let limits = Limits::default();
    archive(Source::memory(files, &limits), &limits).map_err(|cause| cause.of(name))
}

/// As [`pack`], of the files of an archive, whoever packed it. What [`pack`] wrote comes
/// back as it is.
///
/// # Errors
/// If the archive is no readable project.
pub fn repack(name: &str, bytes: &[u8]) -> Result<Vec<u8>, ReadError> {
    let limits = Limits::default();
    Source::archive(bytes, &limits)
        .and_then(|source| archive(source, &limits))
        .map_err(|cause| cause.of(name))
}

fn archive(mut source: Source<'_>, limits: &Limits) -> Result<Vec<u8>, Cause> {
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
