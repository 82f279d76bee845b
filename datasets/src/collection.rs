//! Finding the projects that a study names.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fmt, fs, io};

use catherd_sb3::{Project, Warning};

use crate::corpus::{Corpus, CorpusError, Sha};
use crate::{Description, Subject, Unusable, describe, name, synth};

/// How many folders deep below the one named a project may lie: `DIR/GROUP/SET/game.sb3`.
const LEVELS: usize = 2;

/// What [`find`] found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The usable projects, by name.
    pub projects: Vec<Entry>,
    /// What looked like a project but cannot be used, by path.
    pub skipped: Vec<Skipped>,
}

/// A project that was loaded once and found usable.
#[derive(Clone, Debug)]
pub struct Entry {
    /// Unique within its collection: the id that a corpus gives it, else the file stem; led
    /// by parent folders where these clash.
    pub name: String,
    /// The archive or the unpacked folder.
    pub path: PathBuf,
    /// SHA-256 of the archive, see [`Subject::digest`].
    pub digest: [u8; 32],
    /// What it is made of.
    pub description: Description,
    /// What the project lacks but can run without, one line each that names the file:
    /// missing media, kinds of blocks that are not known.
    pub warnings: Vec<String>,
    /// Seed and number of a synthetic project, which is made and not read.
    pub(crate) made: Option<(u64, u64)>,
}

impl Entry {
    /// Loads the project. Its digest differs from [`Entry::digest`] if the files were
    /// changed since the search.
    ///
    /// # Errors
    /// If the files are no longer those of a usable project.
    pub fn load(&self) -> Result<Subject, Unusable> {
        match self.made {
            Some((seed, number)) => Ok(synth::project(seed, number)),
            None => Subject::load(&self.path),
        }
    }
}

/// A project set aside; displays as one line that names file and cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The archive or the unpacked folder.
    pub path: PathBuf,
    /// Why, in one line, without the path.
    pub reason: String,
}

impl fmt::Display for Skipped {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.reason)
    }
}

/// A mistake in what was asked for, as opposed to one bad project among others.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The path does not exist or cannot be listed.
    #[error("{}: {source}", path.display())]
    Io {
        /// The path.
        path: PathBuf,
        /// What the file system says.
        source: io::Error,
    },
    /// A folder that is a corpus, but not an intact one.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A folder without a single project.
    #[error(
        "{}: no projects here: looked for .sb3 and .sb2 files and for folders with a \
         project.json, down to {LEVELS} folders deep",
        path.display()
    )]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// Finds the projects that `paths` name: archives, unpacked folders (or their
/// `project.json`), corpora, or folders of these, searched two levels deep without hidden
/// files. Of a corpus it takes what the manifest says. Each is loaded once to see that it can
/// be used, one after the other, and let go.
///
/// The result depends on the files, not on the order of `paths` or of a folder's listing;
/// a path that is named twice counts once.
///
/// # Errors
/// If a path does not exist, a folder cannot be listed, or a folder holds no projects.
pub fn find<P: AsRef<Path>>(paths: impl IntoIterator<Item = P>) -> Result<Found, FindError> {
    let mut candidates = Candidates::new();
    for path in paths {
        let path = path.as_ref();
        let metadata = fs::metadata(path).map_err(|e| io_error(path, e))?;
        if path.ends_with("project.json") {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            candidates.insert(folder.unwrap_or(Path::new(".")).to_owned(), None);
        } else if metadata.is_file() || is_unpacked(path) {
            candidates.insert(path.to_owned(), None);
        } else {
            let mut inside = Candidates::new();
            search(path, LEVELS, &mut inside)?;
            if inside.is_empty() {
                return Err(FindError::Empty { path: path.to_owned() });
            }
            candidates.extend(inside);
        }
    }
    Ok(check(without_aliases(candidates)))
}

/// Paths that may be projects, and what a manifest says of them: a path whose stem is the
/// project's id, and the digest.
type Candidates = BTreeMap<PathBuf, Option<(PathBuf, Sha)>>;

fn check(candidates: Candidates) -> Found {
    let mut found = Found::default();
    let mut named = Vec::new();
    for (path, listed) in candidates {
        match Subject::load(&path) {
            Ok(Subject { digest, .. }) if listed.as_ref().is_some_and(|l| l.1 != Sha(digest)) => {
                let reason = "is not what the manifest of its corpus says".to_owned();
                found.skipped.push(Skipped { path, reason });
            }
            Ok(Subject { project, digest, .. }) => {
                named.push(listed.map_or_else(|| path.clone(), |(name, _)| name));
                found.projects.push(Entry {
                    name: String::new(),
                    digest,
                    description: describe(&project),
                    warnings: warnings(&path, &project),
                    path,
                    made: None,
                });
            }
            Err(error) => found.skipped.push(Skipped { reason: one_line(error.reason()), path }),
        }
    }
    let names = name::unique(named.iter().map(|path| &**path));
    for (entry, name) in found.projects.iter_mut().zip(names) {
        entry.name = name;
    }
    found.projects.sort_by(|a, b| a.name.cmp(&b.name));
    found
}

/// Collects archives, unpacked projects and those of corpora in and below a folder.
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

/// Keeps the first of several paths to the same file.
fn without_aliases(mut candidates: Candidates) -> Candidates {
    let mut known = BTreeSet::new();
    let same = |path: &PathBuf| fs::canonicalize(path).unwrap_or_else(|_| path.clone());
    candidates.retain(|path, _| known.insert(same(path)));
    candidates
}

fn io_error(path: &Path, source: io::Error) -> FindError {
    FindError::Io { path: path.to_owned(), source }
}

fn warnings(path: &Path, project: &Project) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for warning in &project.warnings {
        let text = match warning {
            Warning::UnknownBlock { opcode, .. } => format!("unknown block {opcode} does nothing"),
            Warning::MissingAsset { target, name, file } => {
                format!("target {target:?}, {name:?}: {file} is missing")
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

/// A hostile name may carry line breaks into an error; reports have one line a project.
fn one_line(text: String) -> String {
    text.replace(|c: char| c.is_control(), " ")
}
