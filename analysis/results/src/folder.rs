//! The folder of a study.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use catherd_analysis::tidy::RunStates;
use catherd_coordinator::store::{StoreReader, StoredStudy};
use catherd_coordinator::{CoordinatorError, StoreUrl};
use catherd_experiments::Plan;

use crate::error::ResultsError;

/// Name of the file with the plan.
pub const MANIFEST: &str = "study.json";

/// Name of the file with the description of the projects.
pub const CORPUS: &str = "corpus.json";

const WORKING_FILES: [&str; 9] = [
    "tables.partial",
    "study.db",
    "study.db-wal",
    "study.db-shm",
    "projects",
    "spool",
    "suites",
    "logs",
    "artifacts",
];

/// The files with the results of a study and their descriptions.
pub const RESULT_FILES: [&str; 28] = [
    MANIFEST,
    CORPUS,
    RunStates::FILE,
    "subject.json",
    "projects.csv",
    "goals.csv",
    "risk.csv",
    "runs.parquet",
    "runs.csv",
    "criteria.parquet",
    "criteria.csv",
    "criteria-timeline.parquet",
    "criteria-timeline.csv",
    "timeline.parquet",
    "timeline.csv",
    "mutants.parquet",
    "mutants.csv",
    "skipped.parquet",
    "skipped.csv",
    "dropped.parquet",
    "dropped.csv",
    "table6.md",
    "table6.csv",
    "decisions.csv",
    "comparisons.csv",
    "coverage.csv",
    "algorithms.csv",
    "coverage-over-time.svg",
];

/// The names of the files and folders that [`StudyFolder::claim`] removes to start over.
pub fn contents() -> impl Iterator<Item = &'static str> {
    WORKING_FILES.into_iter().chain(RESULT_FILES)
}

/// The folder of a study.
#[derive(Debug)]
pub struct StudyFolder {
    /// Path of the folder.
    pub path: PathBuf,
}

impl StudyFolder {
    /// Opens the folder at a path, and creates the folder if necessary.
    ///
    /// # Errors
    /// If the folder cannot be created.
    pub fn open(path: &Path) -> Result<StudyFolder, ResultsError> {
        let folder = StudyFolder { path: path.to_owned() };
        fs::create_dir_all(path).map_err(|cause| folder.unusable(cause))?;
        Ok(folder)
    }

    /// The folder with the spools of the workers on this computer.
    pub fn spools(&self) -> PathBuf {
        self.path.join("spool")
    }

    /// Assigns the folder to a study. With `fresh`, the files of an earlier study are removed
    /// first.
    ///
    /// # Errors
    /// If the folder belongs to a different study or cannot be used.
    pub fn claim(&self, study: &Plan, fresh: bool) -> Result<(), ResultsError> {
        if fresh {
            self.clear()?;
        }
        let manifest = self.path.join(MANIFEST);
        let taken = |holds: String| ResultsError::Taken { folder: self.path.clone(), holds };
        match fs::read(&manifest) {
            Ok(bytes) => {
                let found: Plan = serde_json::from_slice(&bytes)
                    .map_err(|error| taken(format!("{MANIFEST} cannot be read: {error}")))?;
                study
                    .is_variant_of(&found)
                    .map_err(|part| taken(format!("holds a study with {part}")))?;
                if found == *study {
                    return Ok(());
                }
                // The names of suites and logs contain labels, which may have changed.
                let written = self
                    .remove(&["suites", "logs"])
                    .and_then(|()| write_atomically(&manifest, study));
                written.map_err(|cause| self.unusable(cause))
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if self.path.join("study.db").exists() {
                    self.compare_with_store(study).map_err(taken)?;
                }
                write_atomically(&manifest, study).map_err(|cause| self.unusable(cause))
            }
            Err(error) => Err(self.unusable(error)),
        }
    }

    /// Checks that a store without a manifest, such as a restored copy, belongs to this study.
    fn compare_with_store(&self, study: &Plan) -> Result<(), String> {
        let unreadable = |cause| {
            format!("holds a study without its {MANIFEST}, and its store cannot be read: {cause}")
        };
        let store = StoreUrl::Sqlite(self.path.join("study.db"));
        let stored = StoreReader::open(&store).and_then(|mut reader| reader.studies());
        for StoredStudy { name, plan, .. } in
            stored.map_err(|cause| unreadable(cause.to_string()))?
        {
            let mut found: Plan =
                serde_json::from_slice(&plan).map_err(|cause| unreadable(cause.to_string()))?;
            if name.starts_with(&format!("{}, round ", study.name)) {
                found.race.clone_from(&study.race);
                found.stop.clone_from(&study.stop);
            } else if name != study.name {
                return Err(format!("holds a store with the study `{name}`"));
            }
            study.is_variant_of(&found).map_err(|part| format!("holds a study with {part}"))?;
        }
        Ok(())
    }

    fn clear(&self) -> Result<(), ResultsError> {
        let lock = File::create(self.path.join("study.lock"));
        match lock.map_err(TryLockError::Error).and_then(|lock| lock.try_lock().map(|()| lock)) {
            Ok(_lock) => {
                let names: Vec<_> = contents().collect();
                self.remove(&names).map_err(|cause| self.unusable(cause))
            }
            Err(TryLockError::WouldBlock) => {
                Err(CoordinatorError::Busy { folder: self.path.clone() }.into())
            }
            Err(TryLockError::Error(cause)) => Err(self.unusable(cause)),
        }
    }

    fn remove(&self, names: &[&str]) -> io::Result<()> {
        for path in names.iter().map(|name| self.path.join(name)) {
            let is_folder = path.is_dir();
            let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            match removed {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn unusable(&self, cause: io::Error) -> ResultsError {
        CoordinatorError::Folder { folder: self.path.clone(), cause }.into()
    }
}

/// After a crash, the file has either the old or the new content.
fn write_atomically(path: &Path, content: &Plan) -> io::Result<()> {
    let temporary = path.with_extension("part");
    let mut file = File::create(&temporary)?;
    file.write_all(&content.to_json()?)?;
    file.sync_all()?;
    fs::rename(temporary, path)
}

#[cfg(test)]
mod tests {
    use catherd_experiments::format_1::subject_info;
    use catherd_experiments::{Digest, Flags, PlannedProject, Study};

    use super::*;

    #[test]
    fn a_folder_belongs_to_one_study() {
        let place = tempfile::tempdir().unwrap();
        let folder = StudyFolder::open(&place.path().join("a/b")).unwrap();
        let plan_with = |seeds: &str, executions: &str| {
            let flags = Flags {
                projects: vec!["cat".into()],
                algorithms: Some("mio".to_owned()),
                seeds: Some(seeds.to_owned()),
                work: [("executions".to_owned(), executions.to_owned())].into(),
                ..Flags::default()
            };
            let cat = PlannedProject { name: "cat".to_owned(), digest: Digest::of(b"cat") };
            let info = subject_info("noop", "noop/1");
            Plan::new(&Study::from_flags(&flags).unwrap(), &info, vec![cat], |_| Ok(())).unwrap()
        };
        let plan = |seeds: &str| plan_with(seeds, "5");
        for seeds in ["2", "2", "3", "2"] {
            folder.claim(&plan(seeds), false).unwrap();
        }

        let other = plan_with("2", "6");
        let failure = folder.claim(&other, false).unwrap_err().to_string();
        let expected =
            "holds a study with another budget: it has 5 executions, this one 6 executions";
        assert!(failure.ends_with(expected), "{failure}");
        fs::write(folder.path.join("study.db"), "runs").unwrap();
        fs::write(folder.path.join("mine.txt"), "notes").unwrap();
        folder.claim(&other, true).unwrap();
        assert!(!folder.path.join("study.db").exists() && folder.path.join("mine.txt").exists());

        fs::write(folder.path.join("study.db"), "runs").unwrap();
        fs::remove_file(folder.path.join(MANIFEST)).unwrap();
        assert!(folder.claim(&other, false).is_err());
    }
}
