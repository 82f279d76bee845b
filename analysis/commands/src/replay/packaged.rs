//! Reads runs of an unpacked replication package.

use std::fs::{self, File};
use std::path::{Path, PathBuf};

use catherd_analysis_archive::Contents;
use catherd_analysis_archive::records::{self, End, RecordReader};
use catherd_analysis_results::MANIFEST;
use catherd_cli_console::Failure;
use catherd_cli_console::terminal::plural;
use catherd_experiments::{Digest, Plan, RunRecord, RunSpec};

pub(super) type Ended = (RunSpec, Result<RunRecord, String>);

pub(super) fn is_package(folder: &Path) -> bool {
    folder.join(Contents::FILE).is_file() && folder.join(records::FILE).is_file()
}

pub(super) fn runs(folder: &Path, digits: &str) -> Result<Vec<Ended>, Failure> {
    let refused = |path: &Path, cause: &dyn std::fmt::Display| {
        Failure::new(format_args!("{}: {cause}", path.display()))
            .hint("get the package again from where it is published")
    };
    let path = folder.join("results").join(MANIFEST);
    let json = fs::read(&path).map_err(|cause| refused(&path, &cause))?;
    let plan: Plan = serde_json::from_slice(&json).map_err(|cause| refused(&path, &cause))?;
    let path = folder.join(records::FILE);
    let file = File::open(&path).map_err(|cause| refused(&path, &cause))?;
    let mut found = Vec::new();
    for run in RecordReader::new(file, &plan) {
        let (spec, end) = run.map_err(|cause| refused(&path, &cause))?;
        if !spec.id().to_string().starts_with(digits) {
            continue;
        }
        let before = match end {
            End::Record(record) => Ok(*record),
            End::Quarantined(run) => {
                let attempts = plural(run.attempts as usize, "attempt");
                Err(format!("quarantined after {attempts}: {}", run.reason))
            }
        };
        found.push((spec, before));
    }
    Ok(found)
}

pub(super) fn project(folder: &Path, digest: Digest) -> Result<Vec<u8>, String> {
    let projects = folder.join("projects");
    let entries = fs::read_dir(&projects).into_iter().flatten().flatten();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    files.sort_unstable();
    let found = files.iter().filter_map(|path| fs::read(path).ok());
    found.into_iter().find(|bytes| Digest::of(bytes) == digest).ok_or_else(|| {
        format!(
            "{}: does not contain the project of the run; ./repeat --projects DIR takes projects from DIR",
            projects.display()
        )
    })
}
