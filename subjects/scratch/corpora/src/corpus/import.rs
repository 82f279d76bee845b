//! Corpora of local files.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use super::{Corpus, CorpusError, Member, Recipe, Sha, create_folder, project, projects};
use crate::collection::FoundProjects;
use crate::loaded_project::LoadError;
use crate::{atomic_file, describe};

/// Origin of added projects.
#[derive(Clone, Debug)]
pub struct Origin {
    /// Free text, such as an address, a course or a study.
    pub source: String,
    /// SPDX identifier of the licence of the projects.
    pub licence: String,
    /// Date of fetching (see [`crate::today`]).
    pub fetched: String,
}

/// Error in adding projects.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The corpus cannot be read or written.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A project cannot be loaded or repacked.
    #[error(transparent)]
    Load(#[from] LoadError),
}

/// Repacks projects and adds them to the corpus in a folder, which is created if it does not exist.
/// Projects that the corpus already contains are left out. Returns the corpus and the number of
/// added projects.
///
/// # Errors
/// If the corpus or a project cannot be used.
pub fn add(
    folder: &Path,
    found: &FoundProjects,
    origin: &Origin,
) -> Result<(Corpus, usize), AddError> {
    let mut members = Vec::new();
    if Corpus::is_at(folder) {
        // The digest is not checked, so that a command that was interrupted between writing the
        // manifest and the metadata can be repeated.
        let corpus = Corpus::read_unchecked(folder)?;
        if corpus.metadata.recipe != Recipe::Files {
            let line = format!("{}: was not made by `catherd dataset add`", folder.display());
            return Err(CorpusError::Rejected(line).into());
        }
        members = corpus.members;
    }
    let mut ids: BTreeSet<String> = members.iter().map(|m| m.id.clone()).collect();
    let mut known: BTreeSet<Sha> = members.iter().map(|m| m.sha256).collect();
    create_folder(&projects(folder))?;
    let before = members.len();
    for entry in &found.projects {
        let loaded = entry.load()?;
        let packed =
            catherd_scratch_sb3::repack(&entry.path.display().to_string(), &loaded.archive);
        let packed = packed.map_err(LoadError::from)?;
        let sha = Sha::of(&packed);
        if !known.insert(sha) {
            continue;
        }
        let path = project(folder, sha);
        atomic_file::write(&path, &packed).map_err(CorpusError::io(&path))?;
        let numbered = (2..).map(|n| format!("{}-{n}", entry.name));
        let mut names = std::iter::once(entry.name.clone()).chain(numbered);
        let id = names.find(|name| ids.insert(name.clone())).unwrap_or_default();
        let member = Member {
            id,
            title: entry.name.clone(),
            author: String::new(),
            source: origin.source.clone(),
            licence: origin.licence.clone(),
            fetched: origin.fetched.clone(),
            sha256: sha,
            statements: 0,
            scripts: 0,
            sprites: 0,
            extensions: String::new(),
        };
        members.push(member.described(sha, &describe(&loaded.project)));
    }
    let added = members.len() - before;
    Ok((Corpus::write(folder, Recipe::Files, BTreeMap::new(), members)?, added))
}
