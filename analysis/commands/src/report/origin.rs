//! Of which results the report in a folder is.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_experiments::Digest;

/// Checks that the default folder has no report of other results, which is not overwritten unless
/// `--out` names it.
///
/// # Errors
///
/// If it has one.
pub(super) fn check(folder: &Path, results: &[PathBuf]) -> Result<(), Failure> {
    let Ok(known) = fs::read_to_string(folder.join(SOURCES)) else { return Ok(()) };
    if known == sources(results) {
        return Ok(());
    }
    let of: Vec<_> = known.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    Err(Failure::new(format_args!("{} has the report of {}", folder.display(), of.join(", ")))
        .hint("name a folder with --out; -o report overwrites it"))
}

/// The file in the folder of a report that names the folders of its results.
const SOURCES: &str = "sources.txt";

/// The folders of the results of a report, a line each: a digest of its path, which others who get the
/// report need not know, and its name.
fn sources(results: &[PathBuf]) -> String {
    let line = |folder: &PathBuf| {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let digest = Digest::of(absolute.as_os_str().as_encoded_bytes());
        format!("{}  {}\n", digest.short(), name_of(folder))
    };
    results.iter().map(line).collect()
}

/// Notes in the folder of a report which results it is of, unless the folder is in one of these.
///
/// # Errors
///
/// If the file cannot be written.
pub(super) fn write(out: &Path, results: &[PathBuf]) -> Result<(), Failure> {
    if is_inside_one(out, results) {
        return Ok(());
    }
    let file = out.join(SOURCES);
    fs::write(&file, sources(results)).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", file.display())).hint("free disk space")
    })
}

/// Whether a report is in a folder of its results, so that where it is says what it is of, and all of its
/// files can be made again anywhere.
fn is_inside_one(out: &Path, results: &[PathBuf]) -> bool {
    let Ok(out) = out.canonicalize() else { return false };
    results.iter().any(|of| of.canonicalize().is_ok_and(|of| out.starts_with(of)))
}

/// The last part of a path that has a name.
pub(super) fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}
