//! The artifacts of runs as files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::file_names::{FileNames, safe_name};
use catherd_experiments::text::printable;
use catherd_experiments::{Digest, RunRecord, RunSpec, SubjectInfo};

use crate::error::ResultsError;

const INDEX: &str = "index.csv";

const INDEX_COLUMNS: [&str; 7] = ["run", "project", "algorithm", "seed", "name", "bytes", "sha256"];

/// A binary file is written once, under its digest, because names are chosen by tools.
pub(super) struct Artifacts {
    folder: PathBuf,
    logs: PathBuf,
    binaries: PathBuf,
    written: BTreeSet<Digest>,
    index: Vec<[String; 7]>,
    suite: String,
    extension: String,
    projects: FileNames<Digest>,
    algorithms: FileNames<String>,
    pub(super) suites: usize,
}

impl Artifacts {
    pub(super) fn new(study: &Path, subject: &SubjectInfo) -> Artifacts {
        Artifacts {
            folder: study.join("suites"),
            logs: study.join("logs"),
            binaries: study.join("artifacts"),
            written: BTreeSet::new(),
            index: Vec::new(),
            suite: subject.suite_file(),
            extension: subject.artifact_extension.clone(),
            projects: FileNames::default(),
            algorithms: FileNames::default(),
            suites: 0,
        }
    }

    pub(super) fn write(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), ResultsError> {
        self.write_binaries(spec, record)?;
        if record.artifacts.is_empty() && record.logs.is_empty() {
            return Ok(());
        }
        let project = self.projects.of(spec.project, &spec.project_name);
        let label = &spec.algorithm.label;
        let algorithm = self.algorithms.of(label.clone(), label);
        let write = |folder: PathBuf, name: &str, text: &str| {
            let file = folder.join(format!("{algorithm}-{}.{name}", spec.seed));
            let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
            written.map_err(|cause| ResultsError::File { path: file, cause })
        };
        for (name, text) in &record.artifacts {
            let is_suite = *name == self.suite;
            let name = if is_suite { self.extension.clone() } else { safe_name(name) };
            write(self.folder.join(project), &name, text)?;
        }
        let has_suite = record.artifacts.contains_key(&self.suite);
        self.suites += usize::from(has_suite || record.suite.tests > 0);
        for (name, text) in &record.logs {
            write(self.logs.join(project), &safe_name(name), text)?;
        }
        Ok(())
    }

    fn write_binaries(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), ResultsError> {
        for (name, binary) in &record.binaries {
            let digest = Digest::of(&binary.0);
            if self.written.insert(digest) {
                let file = self.binaries.join(digest.to_string());
                let made = fs::create_dir_all(&self.binaries);
                let written = made.and_then(|()| fs::write(&file, &binary.0));
                written.map_err(|cause| ResultsError::File { path: file, cause })?;
            }
            self.index.push([
                record.run.to_string(),
                printable(&spec.project_name).into_owned(),
                printable(&spec.algorithm.label).into_owned(),
                spec.seed.to_string(),
                printable(name).into_owned(),
                binary.0.len().to_string(),
                digest.to_string(),
            ]);
        }
        Ok(())
    }

    pub(super) fn finish(&self) -> Result<(), ResultsError> {
        if self.index.is_empty() {
            return Ok(());
        }
        let path = self.binaries.join(INDEX);
        let write = || -> csv::Result<()> {
            let mut file = csv::Writer::from_path(&path)?;
            file.write_record(INDEX_COLUMNS)?;
            self.index.iter().try_for_each(|row| file.write_record(row))?;
            Ok(file.flush()?)
        };
        write().map_err(|cause| ResultsError::File { path: path.clone(), cause: cause.into() })
    }
}
