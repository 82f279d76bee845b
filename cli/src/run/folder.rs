//! Where a study lives, and whether it is the same study.
//!
//! `study.json` says what the folder is for. It is written before the first run and
//! compared when the folder is used again: results of different studies never mix.

use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use catherd_coordinator::CoordinatorError;
use catherd_experiments::Plan;

use crate::failure::Failure;

const MANIFEST: &str = "study.json";

/// Everything that a study puts into its folder but `study.lock`, for `--fresh`: nothing
/// else is ever removed.
const CONTENTS: [&str; 26] = [
    MANIFEST,
    "study.db",
    "study.db-wal",
    "study.db-shm",
    "projects",
    "spool",
    "suites",
    "subject.json",
    "runs.parquet",
    "runs.csv",
    "criteria.parquet",
    "criteria.csv",
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
    "comparisons.csv",
    "coverage.csv",
    "algorithms.csv",
    "coverage-over-time.svg",
];

/// The folder of a study.
pub(crate) struct Folder {
    pub(crate) path: PathBuf,
}

impl Folder {
    /// Creates the folder if it is missing.
    pub(crate) fn open(path: &Path) -> Result<Folder, Failure> {
        let folder = Folder { path: path.to_owned() };
        fs::create_dir_all(path).map_err(|cause| folder.unusable(cause))?;
        Ok(folder)
    }

    pub(super) fn suites(&self) -> PathBuf {
        self.path.join("suites")
    }

    pub(super) fn spools(&self) -> PathBuf {
        self.path.join("spool")
    }

    /// Makes the folder that of this study, or says that it is another's. A study may have
    /// grown: what it had before is not run again.
    pub(super) fn claim(&self, study: &Plan, fresh: bool) -> Result<(), Failure> {
        if fresh {
            self.clear()?;
        }
        let manifest = self.path.join(MANIFEST);
        let taken = |what: String| {
            Failure::new(format_args!("{}: {what}", self.path.display()))
                .hint("name another folder with --out, or start over with --fresh")
        };
        match fs::read(&manifest) {
            Ok(bytes) => {
                let found: Plan = serde_json::from_slice(&bytes)
                    .map_err(|error| taken(format!("{MANIFEST} cannot be understood: {error}")))?;
                match study.extends(&found) {
                    Err(part) => Err(taken(format!("holds a study with {part}"))),
                    Ok(()) if found == *study => Ok(()),
                    Ok(()) => write_whole(&manifest, study).map_err(|cause| self.unusable(cause)),
                }
            }
            Err(error) if error.kind() == ErrorKind::NotFound => {
                if self.path.join("study.db").exists() {
                    return Err(taken(format!("holds a study without its {MANIFEST}")));
                }
                write_whole(&manifest, study).map_err(|cause| self.unusable(cause))
            }
            Err(error) => Err(self.unusable(error)),
        }
    }

    /// Removes what an earlier study left, unless somebody is at it.
    fn clear(&self) -> Result<(), Failure> {
        let lock = File::create(self.path.join("study.lock"));
        match lock.map_err(TryLockError::Error).and_then(|lock| lock.try_lock().map(|()| lock)) {
            // Held until the last file is gone.
            Ok(_lock) => self.remove_contents().map_err(|cause| self.unusable(cause)),
            Err(TryLockError::WouldBlock) => {
                Err(CoordinatorError::Busy { folder: self.path.clone() }.into())
            }
            Err(TryLockError::Error(cause)) => Err(self.unusable(cause)),
        }
    }

    fn remove_contents(&self) -> io::Result<()> {
        for path in CONTENTS.map(|name| self.path.join(name)) {
            let is_folder = path.is_dir();
            let removed = if is_folder { fs::remove_dir_all(path) } else { fs::remove_file(path) };
            match removed {
                Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }

    fn unusable(&self, cause: io::Error) -> Failure {
        CoordinatorError::Folder { folder: self.path.clone(), cause }.into()
    }
}

/// Writes a file that is whole or not there.
fn write_whole(path: &Path, content: &Plan) -> io::Result<()> {
    let temporary = path.with_extension("part");
    let mut file = File::create(&temporary)?;
    serde_json::to_writer_pretty(&file, content)?;
    file.write_all(b"\n")?;
    file.sync_all()?;
    fs::rename(temporary, path)
}

/// A name made fit to be that of a file on any system.
pub(crate) fn safe_name(name: &str) -> String {
    const LONGEST: usize = 80;
    let fit = |c: char| if c.is_alphanumeric() || "-_.".contains(c) { c } else { '_' };
    let mut safe: String = name.chars().map(fit).take(LONGEST).collect();
    if safe.is_empty() || safe.starts_with('.') {
        safe.insert(0, '_');
    }
    safe
}

#[cfg(test)]
mod tests {
    use catherd_experiments::format_1::subject_info;
    use catherd_experiments::{Digest, Flags, PlannedProject, Study};

    use super::*;

    #[test]
    fn names_become_safe() {
        assert_eq!(safe_name("Snake 2: größer?"), "Snake_2__größer_");
        assert_eq!(safe_name("../../etc"), "_.._.._etc");
        assert_eq!((safe_name(""), safe_name("..")), ("_".to_owned(), "_..".to_owned()));
        assert_eq!(safe_name(&"x".repeat(500)).len(), 80);
    }

    #[test]
    fn a_folder_is_one_studys() {
        let place = tempfile::tempdir().unwrap();
        let folder = Folder::open(&place.path().join("a/b")).unwrap();
        let plan = |seeds: &str| {
            let flags = Flags {
                projects: vec!["cat".into()],
                algorithms: Some("mio".to_owned()),
                seeds: Some(seeds.to_owned()),
                work: [("executions".to_owned(), "5".to_owned())].into(),
                ..Flags::default()
            };
            let cat = PlannedProject { name: "cat".to_owned(), digest: Digest::of(b"cat") };
            let info = subject_info("noop", "noop/1");
            Plan::new(&Study::from_flags(&flags).unwrap(), &info, vec![cat], |_| Ok(())).unwrap()
        };
        folder.claim(&plan("2"), false).unwrap();
        folder.claim(&plan("2"), false).unwrap();
        folder.claim(&plan("3"), false).unwrap();

        let other = plan("2");
        let failure = folder.claim(&other, false).unwrap_err().to_string();
        assert!(failure.contains("other seeds") && failure.contains("--fresh"), "{failure}");
        fs::write(folder.path.join("study.db"), "runs").unwrap();
        fs::write(folder.path.join("mine.txt"), "notes").unwrap();
        folder.claim(&other, true).unwrap();
        assert!(!folder.path.join("study.db").exists() && folder.path.join("mine.txt").exists());

        fs::write(folder.path.join("study.db"), "runs").unwrap();
        fs::remove_file(folder.path.join(MANIFEST)).unwrap();
        assert!(folder.claim(&other, false).is_err());
    }
}
