//! The folder of a study, and its comparison with the files that are made from the records.

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

use catherd_analysis::claims;
use catherd_analysis::tidy::RunStates;
use catherd_analysis_results::{CORPUS, MANIFEST, RESULT_FILES};
use catherd_cli_console::Failure;
use catherd_cli_failures::Worded;
use catherd_coordinator::CoordinatorError;
use catherd_experiments::{CorpusDescription, Engines, Plan};

use super::{TABLES_AGAIN, file_digest};

pub(crate) struct StudyFolder {
    pub(crate) folder: PathBuf,
    pub(crate) plan: Plan,
    pub(super) states: RunStates,
    pub(crate) projects: CorpusDescription,
    _lock: Option<File>,
}

impl StudyFolder {
    pub(crate) fn open(folder: &Path) -> Result<StudyFolder, Failure> {
        let refused = |cause: String| {
            Failure::new(format_args!("{}: {cause}", folder.display()))
                .hint("name a folder that catherd run or catherd results has written")
        };
        let lock = lock(folder)?;
        let json = fs::read(folder.join(MANIFEST))
            .map_err(|cause| refused(format!("{MANIFEST}: {cause}")))?;
        let plan: Plan = serde_json::from_slice(&json)
            .map_err(|cause| refused(format!("{MANIFEST} cannot be read: {cause}")))?;
        // Any engine is accepted, because the runs are not executed.
        plan.check(&Engines::new()).map_err(|invalid| refused(format!("{MANIFEST}: {invalid}")))?;
        let states = RunStates::read(folder).map_err(Worded::worded)?.ok_or_else(|| {
            let file = RunStates::FILE;
            Failure::new(format_args!("{}: has no {file}", folder.display())).hint(TABLES_AGAIN)
        })?;
        if plan.count() as u64 != states.planned {
            return Err(refused(format!("its tables do not belong to the plan in {MANIFEST}")));
        }
        let projects = description(folder)?;
        Ok(StudyFolder { folder: folder.to_owned(), plan, states, projects, _lock: lock })
    }

    pub(super) fn claims(&self) -> Result<Option<Vec<u8>>, Failure> {
        let path = self.folder.join(claims::FILE);
        match fs::symlink_metadata(&path) {
            Err(_) => Ok(None),
            Ok(found) if found.is_file() => fs::read(&path).map(Some).map_err(|cause| {
                Failure::new(format_args!("{}: {cause}", path.display()))
                    .hint("check that you may read it")
            }),
            Ok(_) => Err(Failure::new(format_args!("{}: is not a file", path.display()))
                .hint("put a copy of the file there, not a link")),
        }
    }

    pub(super) fn compare(&self, made: &Path) -> Result<(), Failure> {
        match differing_files(&self.folder, made, RESULT_FILES)?.first() {
            None => Ok(()),
            Some((name, problem)) => {
                let path = self.folder.join(name);
                Err(Failure::new(format_args!("{}: {problem}", path.display())).hint(TABLES_AGAIN))
            }
        }
    }
}

fn lock(folder: &Path) -> Result<Option<File>, Failure> {
    let Ok(lock) = File::open(folder.join("study.lock")) else { return Ok(None) };
    match lock.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(CoordinatorError::Busy { folder: folder.to_owned() }.worded())
        }
        // Some file systems do not have locks.
        Ok(()) | Err(TryLockError::Error(_)) => Ok(Some(lock)),
    }
}

fn description(folder: &Path) -> Result<CorpusDescription, Failure> {
    let path = folder.join(CORPUS);
    let refused = |cause: String| {
        Failure::new(format_args!("{}: {cause}", path.display())).hint(TABLES_AGAIN)
    };
    let json = fs::read(&path).map_err(|cause| refused(cause.to_string()))?;
    let read = serde_json::from_slice(&json).map_err(|cause| refused(cause.to_string()))?;
    let projects: CorpusDescription = read;
    projects.check().map_err(|cause| refused(cause.to_string()))?;
    Ok(projects)
}

pub(crate) fn differing_files<'n>(
    folder: &Path,
    made: &Path,
    names: impl IntoIterator<Item = &'n str>,
) -> Result<Vec<(&'n str, &'static str)>, Failure> {
    let mut differing = Vec::new();
    for name in names {
        let (path, made) = (folder.join(name), made.join(name));
        let failed = |path: &Path, cause: io::Error| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("check that you may read the folder")
        };
        let problem = match (fs::symlink_metadata(&path), made.exists()) {
            (Err(cause), _) if cause.kind() != io::ErrorKind::NotFound => {
                return Err(failed(&path, cause));
            }
            (Err(_), false) => None,
            (Err(_), true) => Some("is missing"),
            (Ok(_), false) => Some("is not made from the records of the study"),
            (Ok(found), true) if !found.is_file() => Some("is a link or a folder, not a file"),
            (Ok(found), true) => {
                let size = fs::metadata(&made).map_err(|cause| failed(&made, cause))?.len();
                let same = found.len() == size && file_digest(&path)? == file_digest(&made)?;
                (!same).then_some("is not the file that is made from the records in the store")
            }
        };
        differing.extend(problem.map(|problem| (name, problem)));
    }
    Ok(differing)
}
