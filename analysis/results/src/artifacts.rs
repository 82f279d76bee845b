//! The artifacts of runs as files.

use std::fs;
use std::path::{Path, PathBuf};

use catherd_experiments::file_names::{FileNames, safe_name};
use catherd_experiments::{Digest, RunRecord, RunSpec, SubjectInfo};

use crate::error::ResultsError;

/// Writes the artifacts of a study: a suite as `suites/PROJECT/ALGORITHM-SEED.json`, any other
/// artifact as `suites/PROJECT/ALGORITHM-SEED.NAME`, and a log as `logs/PROJECT/ALGORITHM-SEED.NAME`.
pub(super) struct Artifacts {
    /// `suites`.
    folder: PathBuf,
    logs: PathBuf,
    /// Name of the suite among the artifacts of a record.
    suite: String,
    /// The ending of the suite's file.
    extension: String,
    projects: FileNames<Digest>,
    algorithms: FileNames<String>,
    /// Number of written runs that have a suite, in one file or in several.
    pub(super) suites: usize,
}

impl Artifacts {
    /// The artifacts of a study with this folder.
    pub(super) fn new(study: &Path, subject: &SubjectInfo) -> Artifacts {
        Artifacts {
            folder: study.join("suites"),
            logs: study.join("logs"),
            suite: subject.suite_file(),
            extension: subject.artifact_extension.clone(),
            projects: FileNames::default(),
            algorithms: FileNames::default(),
            suites: 0,
        }
    }

    /// Writes the artifacts and logs of a run.
    pub(super) fn write(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), ResultsError> {
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
}
