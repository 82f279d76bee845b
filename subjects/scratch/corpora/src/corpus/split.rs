//! Disjoint parts of a corpus.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use catherd_scratch_sb3::{Limits, read_archive};
use catherd_search::Stream;

use super::{Corpus, CorpusError, Member, Recipe, Sha, create_folder, project, projects};
use crate::atomic_file;

const SPLIT_STREAM: u64 = 101;

/// Splits a corpus at random into disjoint parts. Each part is a corpus in a subfolder with its
/// name. Duplicates are kept in the same part and count as one project.
///
/// # Errors
/// If the corpus has too few different projects, or if a part cannot be made.
pub fn split(
    corpus: &Corpus,
    parts: &[(String, usize)],
    seed: u64,
    folder: &Path,
) -> Result<Vec<Corpus>, CorpusError> {
    let mut duplicates: BTreeMap<Sha, Vec<usize>> = BTreeMap::new();
    for (index, member) in corpus.members.iter().enumerate() {
        duplicates.entry(member.sha256).or_default().push(index);
    }
    // Start from the order of the manifest, not of the digests.
    let mut order: Vec<Vec<usize>> = duplicates.into_values().collect();
    order.sort();
    let mut stream = Stream::new(seed, SPLIT_STREAM);
    for end in (1..order.len()).rev() {
        order.swap(end, stream.index(end + 1));
    }
    let wanted: usize = parts.iter().map(|(_, size)| size).sum();
    let available: usize = order.len();
    if wanted > available {
        let line = format!(
            "{}: has {available} different projects, but the parts need {wanted}",
            corpus.folder.display()
        );
        return Err(CorpusError::Rejected(line));
    }
    let folders: Vec<PathBuf> = parts.iter().map(|(name, _)| folder.join(name)).collect();
    if let Some(existing) = folders.iter().find(|path| path.exists()) {
        return Err(CorpusError::Rejected(format!("{}: exists already", existing.display())));
    }
    let mut drawn = order.into_iter();
    let mut made = Vec::new();
    for (name, size) in parts {
        let mut chosen: Vec<usize> = drawn.by_ref().take(*size).flatten().collect();
        chosen.sort_unstable();
        let members: Vec<Member> = chosen.iter().map(|&i| corpus.members[i].clone()).collect();
        let part_folder = folder.join(name);
        create_folder(&projects(&part_folder))?;
        for member in &members {
            let from = corpus.project(member.sha256);
            let bytes = read_archive(&from, &Limits::default())
                .map_err(|error| CorpusError::damaged(&from, error.cause))?;
            if Sha::of(&bytes) != member.sha256 {
                return Err(CorpusError::damaged(
                    &from,
                    "does not have the digest in the manifest",
                ));
            }
            let to = project(&part_folder, member.sha256);
            atomic_file::write(&to, &bytes).map_err(CorpusError::io(&to))?;
        }
        let recipe = Recipe::Part {
            of: corpus.metadata.digest,
            name: name.clone(),
            parts: parts.to_vec(),
            seed,
        };
        made.push(Corpus::write(&part_folder, recipe, BTreeMap::new(), members)?);
    }
    Ok(made)
}
