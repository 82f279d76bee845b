//! Prevents reports from being overwritten by mistake with reports of other results.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_cli_console::Failure;
use catherd_experiments::Digest;

/// Refuses to overwrite a report of other results in the default folder.
pub(super) fn check(folder: &Path, results: &[PathBuf]) -> Result<(), Failure> {
    let Ok(known) = fs::read_to_string(folder.join(SOURCES)) else { return Ok(()) };
    if known == sources(results) {
        return Ok(());
    }
    let of: Vec<_> = known.lines().filter_map(|line| Some(line.split_once("  ")?.1)).collect();
    Err(Failure::new(format_args!("{} has the report of {}", folder.display(), of.join(", ")))
        .hint("name a folder with --out; -o report overwrites it"))
}

const SOURCES: &str = "sources.txt";

/// The paths themselves are not written, because readers of the report need not know them.
fn sources(results: &[PathBuf]) -> String {
    let line = |folder: &PathBuf| {
        let absolute = folder.canonicalize().unwrap_or_else(|_| folder.clone());
        let digest = Digest::of(absolute.as_os_str().as_encoded_bytes());
        format!("{}  {}\n", digest.short(), name_of(folder))
    };
    results.iter().map(line).collect()
}

pub(super) fn write(out: &Path, results: &[PathBuf]) -> Result<(), Failure> {
    if is_inside_one(out, results) {
        return Ok(());
    }
    let file = out.join(SOURCES);
    fs::write(&file, sources(results)).map_err(|cause| {
        Failure::new(format_args!("{}: {cause}", file.display()))
            .hint("check that you may write there and that the disk is not full")
    })
}

/// The path of a report inside a folder of results shows from which results the report was made.
fn is_inside_one(out: &Path, results: &[PathBuf]) -> bool {
    let Ok(out) = out.canonicalize() else { return false };
    results.iter().any(|of| of.canonicalize().is_ok_and(|of| out.starts_with(of)))
}

pub(super) fn name_of(folder: &Path) -> String {
    let absolute = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    absolute.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned()
}
