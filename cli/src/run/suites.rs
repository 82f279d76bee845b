//! The artifacts of runs as files.

use std::fs;
use std::path::PathBuf;

use catherd_experiments::{Digest, RunRecord, RunSpec, SubjectInfo};

use crate::failure::Failure;
use crate::file_names::{FileNames, safe_name};

/// The artifacts of a study: `suites/PROJECT/ALGORITHM-SEED.json` for a suite, and
/// `suites/PROJECT/ALGORITHM-SEED.NAME` for any other artifact.
pub(super) struct Suites {
    folder: PathBuf,
    /// Name of the suite among the artifacts of a record.
    suite: String,
    extension: String,
    projects: FileNames<Digest>,
    algorithms: FileNames<String>,
    /// Number of suites written.
    pub(super) written: usize,
}

impl Suites {
    pub(super) fn new(folder: PathBuf, subject: &SubjectInfo) -> Suites {
        Suites {
            folder,
            suite: subject.suite_file(),
            extension: subject.artifact_extension.clone(),
            projects: FileNames::default(),
            algorithms: FileNames::default(),
            written: 0,
        }
    }

    pub(super) fn write(&mut self, spec: &RunSpec, record: &RunRecord) -> Result<(), Failure> {
        if record.artifacts.is_empty() {
            return Ok(());
        }
        let project = self.projects.of(spec.project, &spec.project_name);
        let label = &spec.algorithm.label;
        let algorithm = self.algorithms.of(label.clone(), label);
        let folder = self.folder.join(project);
        for (name, text) in &record.artifacts {
            let is_suite = *name == self.suite;
            let name = if is_suite { self.extension.clone() } else { safe_name(name) };
            let file = folder.join(format!("{algorithm}-{}.{name}", spec.seed));
            let written = fs::create_dir_all(&folder).and_then(|()| fs::write(&file, text));
            written.map_err(|cause| {
                Failure::new(format_args!("{}: {cause}", file.display()))
                    .hint("free disk space or correct the permissions, then repeat the command")
            })?;
            self.written += usize::from(is_suite);
        }
        Ok(())
    }
}
