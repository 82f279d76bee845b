//! Corpora from files and from other corpora.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use catherd_sb3::{Limits, read_archive};
use catherd_search::Stream;

use super::{Corpus, CorpusError, Member, Recipe, Sha, project, projects};
use crate::collection::Found;
use crate::subject::Unusable;
use crate::{describe, whole_file};

/// Number of the random stream that splits.
const SPLIT: u64 = 101;

/// Where added projects are from.
#[derive(Clone, Debug)]
pub struct Source {
    /// For people: an address, a course, a study.
    pub source: String,
    /// SPDX identifier of their licence.
    pub licence: String,
    /// Today.
    pub fetched: String,
}

/// Why projects could not be added.
#[derive(Debug, thiserror::Error)]
pub enum AddError {
    /// The corpus refuses.
    #[error(transparent)]
    Corpus(#[from] CorpusError),
    /// A project was changed between finding and adding it.
    #[error(transparent)]
    Unusable(#[from] Unusable),
}

/// Adds projects to the corpus in a folder, which is made if there is none. They are
/// packed anew. Names that the corpus has already get a number, projects that it has
/// already are left out. Gives the corpus and how many were added.
///
/// # Errors
/// If the folder holds a corpus of another kind, which would no longer be what its
/// recipe says; see also [`AddError`].
pub fn add(folder: &Path, found: &Found, source: &Source) -> Result<(Corpus, usize), AddError> {
    let mut members = Vec::new();
    if Corpus::is_at(folder) {
        // Unchecked: whoever was interrupted between the two files just goes on.
        let corpus = Corpus::read_unchecked(folder)?;
        if corpus.about.recipe != Recipe::Files {
            let line = format!("{}: was not made by adding files", folder.display());
            return Err(CorpusError::Unfit(line).into());
        }
        members = corpus.members;
    }
    let mut ids: BTreeSet<String> = members.iter().map(|m| m.id.clone()).collect();
    let mut known: BTreeSet<Sha> = members.iter().map(|m| m.sha256).collect();
    make_folder(&projects(folder))?;
    let before = members.len();
    for entry in &found.projects {
        let subject = entry.load()?;
        let packed = catherd_sb3::repack(&entry.path.display().to_string(), &subject.archive);
        let packed = packed.map_err(Unusable::from)?;
        let sha = Sha::of(&packed);
        if !known.insert(sha) {
            continue;
        }
        let path = project(folder, sha);
        whole_file::write(&path, &packed).map_err(CorpusError::io(&path))?;
        let numbered = (2..).map(|n| format!("{}-{n}", entry.name));
        let mut names = std::iter::once(entry.name.clone()).chain(numbered);
        let id = names.find(|name| ids.insert(name.clone())).unwrap_or_default();
        let member = Member {
            id,
            title: entry.name.clone(),
            author: String::new(),
            source: source.source.clone(),
            licence: source.licence.clone(),
            fetched: source.fetched.clone(),
            sha256: sha,
            statements: 0,
            scripts: 0,
            sprites: 0,
            extensions: String::new(),
        };
        members.push(member.described(sha, &describe(&subject.project)));
    }
    let added = members.len() - before;
    Ok((Corpus::write(folder, Recipe::Files, BTreeMap::new(), members)?, added))
}

/// Draws disjoint parts of a corpus, each a corpus in the folder of its name. Copies of
/// one project stay together: all in the part in which the first of them is drawn, and a
/// part is full with the last of the projects it asked for. What no part asks for is left.
///
/// # Errors
/// If the corpus has not enough projects, a part is not empty before, or the file system
/// refuses.
pub fn split(
    corpus: &Corpus,
    parts: &[(String, usize)],
    seed: u64,
    folder: &Path,
) -> Result<Vec<Corpus>, CorpusError> {
    let mut copies: BTreeMap<Sha, Vec<usize>> = BTreeMap::new();
    for (index, member) in corpus.members.iter().enumerate() {
        copies.entry(member.sha256).or_default().push(index);
    }
    // In the order of the manifest, not of digests.
    let mut order: Vec<Vec<usize>> = copies.into_values().collect();
    order.sort();
    let mut stream = Stream::new(seed, SPLIT);
    for end in (1..order.len()).rev() {
        order.swap(end, stream.index(end + 1));
    }
    let wanted: usize = parts.iter().map(|(_, size)| size).sum();
    let there: usize = order.len();
    if wanted > there {
        let line = format!(
            "{}: has {there} different projects; the parts want {wanted}",
            corpus.folder.display()
        );
        return Err(CorpusError::Unfit(line));
    }
    let taken: Vec<PathBuf> = parts.iter().map(|(name, _)| folder.join(name)).collect();
    if let Some(taken) = taken.iter().find(|path| path.exists()) {
        return Err(CorpusError::Unfit(format!("{}: exists already", taken.display())));
    }
    let mut drawn = order.into_iter();
    let mut made = Vec::new();
    for (name, size) in parts {
        let mut chosen: Vec<usize> = drawn.by_ref().take(*size).flatten().collect();
        chosen.sort_unstable();
        let members: Vec<Member> = chosen.iter().map(|&i| corpus.members[i].clone()).collect();
        let place = folder.join(name);
        make_folder(&projects(&place))?;
        for member in &members {
            let from = corpus.project(member.sha256);
            let bytes = read_archive(&from, &Limits::default())
                .map_err(|error| CorpusError::damaged(&from, error.cause))?;
            if Sha::of(&bytes) != member.sha256 {
                return Err(CorpusError::damaged(&from, "is not what the manifest says"));
            }
            let to = project(&place, member.sha256);
            whole_file::write(&to, &bytes).map_err(CorpusError::io(&to))?;
        }
        let recipe = Recipe::Part {
            of: corpus.about.digest,
            name: name.clone(),
            parts: parts.to_vec(),
            seed,
        };
        made.push(Corpus::write(&place, recipe, BTreeMap::new(), members)?);
    }
    Ok(made)
}

/// Writes the list from which another laboratory gets the same corpus: ids and digests
/// in order, for `--from-list`.
///
/// # Errors
/// If the file system refuses.
pub fn export_frozen(corpus: &Corpus, file: &Path) -> Result<(), CorpusError> {
    let mut text = format!(
        "# {} projects; the digest of the corpus is {}\n# Get them with: catherd dataset sample \
         --from-list FILE -o DIR\nid,sha256\n",
        corpus.members.len(),
        corpus.about.digest
    );
    for Member { id, sha256, .. } in &corpus.members {
        text += &format!("{id},{sha256}\n");
    }
    whole_file::write(file, text.as_bytes()).map_err(CorpusError::io(file))
}

pub(crate) fn make_folder(path: &Path) -> Result<(), CorpusError> {
    fs::create_dir_all(path).map_err(CorpusError::io(path))
}
