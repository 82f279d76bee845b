//! Search for projects in files, folders and corpora.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use catherd_scratch_sb3::{Project, Warning};

use crate::corpus::{Corpus, CorpusError, Sha};
use crate::unique_names::unique_names;
use crate::{Description, LoadError, LoadedProject, describe, synth};

/// Number of folder levels below the given folder that are searched: `DIR/GROUP/SET/game.sb3`.
const SEARCH_LEVELS: usize = 2;

/// Result of [`find`].
#[derive(Clone, Debug, Default)]
pub struct FoundProjects {
    /// The usable projects.
    pub projects: Vec<ProjectEntry>,
    /// The unusable projects, sorted by path.
    pub skipped: Vec<SkippedProject>,
}

/// A usable project.
#[derive(Clone, Debug)]
pub struct ProjectEntry {
    /// Name, unique within the collection.
    pub name: String,
    /// The archive or the unpacked folder, or the name of a synthetic project.
    pub path: PathBuf,
    /// SHA-256 of the archive (see [`LoadedProject::digest`]).
    pub digest: [u8; 32],
    /// Counts of the parts of the project.
    pub description: Description,
    /// Defects that do not prevent the project from running, one line each.
    pub warnings: Vec<String>,
    /// Seed and number of a synthetic project, which is generated instead of read.
    pub(crate) synthetic: Option<(u64, u64)>,
}

impl ProjectEntry {
    /// Loads the project.
    ///
    /// # Errors
    /// If the project is no longer usable.
    pub fn load(&self) -> Result<LoadedProject, LoadError> {
        match self.synthetic {
            Some((seed, number)) => Ok(synth::project(seed, number)),
            None => LoadedProject::load(&self.path),
        }
    }
}

/// A project that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SkippedProject {
    /// The archive or the unpacked folder.
    pub path: PathBuf,
    /// The reason, on one line.
    pub reason: String,
}

impl fmt::Display for SkippedProject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// Error in a search for projects. Unusable projects are not errors.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// A path cannot be accessed.
    #[error("{}: {cause}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// Error of the file system.
        cause: io::Error,
    },
    /// A corpus is damaged or cannot be read.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// No projects were found in the folder.
    #[error(
        "{}: no projects here: searched for .sb3 and .sb2 files and for folders with a \
         project.json, up to {SEARCH_LEVELS} folders deep",
        path.display()
    )]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// Finds the projects at `paths`, and loads each project to check that it is usable. Folders are
/// searched two levels deep.
///
/// # Errors
/// If a path cannot be accessed, a folder contains no projects, or a corpus cannot be read.
pub fn find<P: AsRef<Path>>(
    paths: impl IntoIterator<Item = P>,
) -> Result<FoundProjects, FindError> {
    let mut candidates = Candidates::new();
    for path in paths {
        let path = path.as_ref();
        let metadata = fs::metadata(path).map_err(|e| io_error(path, e))?;
        if path.ends_with("project.json") {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            candidates.insert(folder.unwrap_or(Path::new(".")).to_owned(), None);
        } else if !metadata.is_dir() || is_unpacked(path) {
            candidates.insert(path.to_owned(), None);
        } else {
            let mut inside = Candidates::new();
            search(path, SEARCH_LEVELS, &mut inside)?;
            if inside.is_empty() {
                return Err(FindError::Empty { path: path.to_owned() });
            }
            candidates.extend(inside);
        }
    }
    Ok(check(without_aliases(candidates)))
}

/// Paths that may be projects. A project of a corpus also has a path whose stem is its id, and the
/// digest from the manifest.
type Candidates = BTreeMap<PathBuf, Option<(PathBuf, Sha)>>;

fn check(candidates: Candidates) -> FoundProjects {
    let mut found = FoundProjects::default();
    let mut named = Vec::new();
    for (path, listed) in candidates {
        match LoadedProject::load(&path) {
            Ok(LoadedProject { digest, .. })
                if listed.as_ref().is_some_and(|l| l.1 != Sha(digest)) =>
            {
                let reason = "does not have the digest in the manifest of its corpus".to_owned();
                found.skipped.push(SkippedProject { path, reason });
            }
            Ok(LoadedProject { project, digest, .. }) => {
                named.push(listed.map_or_else(|| path.clone(), |(name, _)| name));
                found.projects.push(ProjectEntry {
                    name: String::new(),
                    digest,
                    description: describe(&project),
                    warnings: warnings(&path, &project),
                    path,
                    synthetic: None,
                });
            }
            Err(error) => {
                found.skipped.push(SkippedProject { reason: one_line(error.reason()), path })
            }
        }
    }
    let names = unique_names(named.iter().map(|path| &**path));
    for (entry, name) in found.projects.iter_mut().zip(names) {
        entry.name = name;
    }
    found.projects.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

fn search(folder: &Path, levels: usize, into: &mut Candidates) -> Result<(), FindError> {
    if Corpus::is_at(folder) {
        let corpus = Corpus::read(folder)?;
        for member in &corpus.members {
            let listed = (folder.join(format!("{}.sb3", member.id)), member.sha256);
            into.entry(corpus.project(member.sha256)).or_insert(Some(listed));
        }
        return Ok(());
    }
    for entry in fs::read_dir(folder).map_err(|e| io_error(folder, e))? {
        let entry = entry.map_err(|e| io_error(folder, e))?;
        if entry.file_name().to_string_lossy().starts_with('.') {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            if is_unpacked(&path) {
                into.insert(path, None);
            } else if levels > 0 {
                search(&path, levels - 1, into)?;
            }
        } else if is_archive(&path) {
            into.insert(path, None);
        }
    }
    Ok(())
}

fn is_unpacked(path: &Path) -> bool {
    path.join("project.json").is_file()
}

fn is_archive(path: &Path) -> bool {
    let extension = path.extension().unwrap_or_default();
    extension.eq_ignore_ascii_case("sb3") || extension.eq_ignore_ascii_case("sb2")
}

fn without_aliases(mut candidates: Candidates) -> Candidates {
    let mut known = BTreeSet::new();
    let same = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    candidates.retain(|path, _| known.insert(same(path)));
    candidates
}

fn io_error(path: &Path, cause: io::Error) -> FindError {
    FindError::Io { path: path.to_owned(), cause }
}

fn warnings(path: &Path, project: &Project) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for warning in &project.warnings {
        let text = match warning {
            Warning::UnknownBlock { opcode, .. } => format!("unknown block {opcode} does nothing"),
            Warning::MissingAsset { target, name, file } => {
                format!("target {target:?}, {name:?}: {file} is missing or damaged")
            }
            Warning::Other(text) => text.to_string(),
        };
        let line = one_line(format!("{}: {text}", path.display()));
        if !lines.contains(&line) {
            lines.push(line);
        }
    }
    lines
}

/// Names may contain line breaks, but reports have one line per project.
fn one_line(text: String) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
