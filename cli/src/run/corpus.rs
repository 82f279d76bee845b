//! The projects of a study, checked.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{fs, io};

use catherd_analysis::tidy::Skipped;
use catherd_coordinator::Projects;
use catherd_datasets::{ProjectEntry, find, synth};
use catherd_experiments::{Digest, PlannedProject, ProjectSource, duplicates};
use catherd_proto::transport::MAX_PROJECT;
use catherd_worker::command;

use crate::dataset::describe;
use crate::failure::Failure;
use crate::terminal::{self, bar};

/// Usable projects, and what was set aside.
pub(crate) struct Corpus {
    entries: Vec<Item>,
    /// Projects whose bytes are those of another, whose runs would be the same.
    twins: Vec<Skipped>,
    /// Projects that cannot be run.
    pub(crate) unusable: Vec<Skipped>,
}

/// The bytes of a file of a kind and size that travels: no pipe, no device.
fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let metadata = fs::metadata(path)?;
    if !metadata.is_file() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "not a regular file"));
    }
    if metadata.len() > MAX_PROJECT {
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, "larger than a project may be"));
    }
    fs::read(path)
}

/// A project of the study.
struct Item {
    name: String,
    path: PathBuf,
    digest: Digest,
    /// Of a Scratch project; another kind of project is the file as it is.
    entry: Option<ProjectEntry>,
}

impl From<ProjectEntry> for Item {
    fn from(entry: ProjectEntry) -> Item {
        let (name, path) = (entry.name.clone(), entry.path.clone());
        Item { name, path, digest: Digest(entry.digest), entry: Some(entry) }
    }
}

impl Item {
    fn bytes(&self) -> Result<Vec<u8>, Failure> {
        let bytes = match &self.entry {
            Some(entry) => entry.load().map(|subject| subject.archive).map_err(|e| e.to_string()),
            None => {
                read_file(&self.path).map_err(|cause| format!("{}: {cause}", self.path.display()))
            }
        };
        bytes.map_err(|e| Failure::new(e).hint("it was changed meanwhile; repeat the command"))
    }
}

impl Corpus {
    /// Finds and checks projects; says at once what cannot be used, and why.
    pub(super) fn find(projects: &ProjectSource, subject: &str) -> Result<Corpus, Failure> {
        let found = match projects {
            ProjectSource::Paths(paths) if subject == command::KIND => {
                return Corpus::of_files(paths);
            }
            ProjectSource::Paths(paths) => find(paths)?,
            &ProjectSource::Synthetic { count, seed } => {
                let bar = bar(count as usize);
                let made = synth::find(count, seed, || bar.inc(1));
                bar.finish_and_clear();
                made
            }
        };
        let unusable: Vec<Skipped> = found
            .skipped
            .into_iter()
            .map(|skipped| Skipped {
                project: skipped.path.display().to_string(),
                reason: skipped.reason,
            })
            .collect();
        for Skipped { project, reason } in &unusable {
            terminal::note(&format!("skipped: {project}: {reason}"));
        }
        for warning in found.projects.iter().flat_map(|entry| &entry.warnings) {
            terminal::note(&format!("warning: {warning}"));
        }
        let entries = found.projects.into_iter().map(Item::from).collect();
        Ok(Corpus { entries, twins: Vec::new(), unusable }.without_twins())
    }

    /// Files as they are, for programs that know what to do with them. Of a folder, all
    /// files that are not hidden; not those of folders in it.
    fn of_files(paths: &[PathBuf]) -> Result<Corpus, Failure> {
        let unreadable = |path: &Path, cause: io::Error| {
            Failure::new(format_args!("{}: {cause}", path.display()))
                .hint("check the path given for projects")
        };
        let mut files = BTreeSet::new();
        for path in paths {
            if !path.is_dir() {
                files.insert(path.clone());
                continue;
            }
            for entry in fs::read_dir(path).map_err(|cause| unreadable(path, cause))? {
                let entry = entry.map_err(|cause| unreadable(path, cause))?;
                let hidden = entry.file_name().to_string_lossy().starts_with('.');
                if !hidden && entry.path().is_file() {
                    files.insert(entry.path());
                }
            }
        }
        let mut entries = Vec::new();
        for path in files {
            let bytes = read_file(&path).map_err(|cause| unreadable(&path, cause))?;
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            entries.push(Item { name, digest: Digest::of(&bytes), path, entry: None });
        }
        Ok(Corpus { entries, twins: Vec::new(), unusable: Vec::new() }.without_twins())
    }

    fn without_twins(self) -> Corpus {
        let mut corpus = self;
        let twins = duplicates(&corpus.planned());
        for &(twin, original) in &twins {
            let original = &corpus.entries[original].name;
            corpus.twins.push(Skipped {
                project: corpus.entries[twin].path.display().to_string(),
                reason: format!("the same project as {original}"),
            });
        }
        let mut number = 0..;
        corpus.entries.retain(|_| {
            let number = number.next();
            !twins.iter().any(|&(twin, _)| Some(twin) == number)
        });
        corpus
    }

    pub(super) fn planned(&self) -> Vec<PlannedProject> {
        let planned = self
            .entries
            .iter()
            .map(|entry| PlannedProject { name: entry.name.clone(), digest: entry.digest });
        planned.collect()
    }

    /// Everything that was named and is not run, for the tables.
    pub(super) fn skipped(&self) -> Vec<Skipped> {
        [&*self.unusable, &*self.twins].concat()
    }

    /// Writes what Scratch projects are made of into the folder of a study.
    pub(super) fn describe(&self, folder: &Path) -> Result<(), Failure> {
        let mut entries = self.entries.iter().filter_map(|item| item.entry.as_ref()).peekable();
        if entries.peek().is_none() {
            return Ok(());
        }
        describe(entries, folder)
    }

    /// Gives the coordinator the bytes of every project.
    pub(super) fn hand_over(&self, projects: &Projects) -> Result<(), Failure> {
        let digests: Vec<_> = self.entries.iter().map(|entry| entry.digest).collect();
        let missing = projects.missing(&digests).map_err(|cause| {
            Failure::new(format_args!("cannot look for projects: {cause}"))
                .hint("see that the disk is neither full nor failing")
        })?;
        self.each(|digest, bytes| {
            if !missing.contains(&digest) {
                return Ok(());
            }
            projects.insert(bytes).map(drop).map_err(|cause| {
                Failure::new(format_args!("cannot keep project {digest}: {cause}"))
                    .hint("make room in the study's folder, or name another with --out")
            })
        })
    }

    /// Reads every project again and passes on what it was planned as.
    pub(crate) fn each(
        &self,
        mut take: impl FnMut(Digest, &[u8]) -> Result<(), Failure>,
    ) -> Result<(), Failure> {
        for entry in &self.entries {
            let bytes = entry.bytes()?;
            let digest = Digest::of(&bytes);
            if digest != entry.digest {
                return Err(Failure::new(format_args!(
                    "{}: changed while the study was being planned",
                    entry.path.display()
                ))
                .hint("repeat the command"));
            }
            take(digest, &bytes)?;
        }
        Ok(())
    }
}
