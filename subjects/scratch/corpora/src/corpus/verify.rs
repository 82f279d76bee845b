//! Verification of a corpus.

use std::collections::BTreeSet;
use std::{fmt, fs};

use catherd_scratch_sb3::{Limits, Project, read_archive, repack};
use md5::{Digest, Md5};

use super::{Corpus, CorpusError, Member, Sha, projects};
use crate::describe;

/// A defect of a corpus.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The id of the project, or the file.
    pub location: String,
    /// Description of the defect.
    pub fault: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.location, self.fault)
    }
}

/// Checks the projects of a corpus. `on_project` is called after each project.
///
/// # Errors
/// If the folder of the projects cannot be read.
pub fn verify(corpus: &Corpus, mut on_project: impl FnMut()) -> Result<Vec<Flaw>, CorpusError> {
    let mut flaws = Vec::new();
    let mut add =
        |location: &str, fault: String| flaws.push(Flaw { location: location.to_owned(), fault });
    if corpus.metadata.projects != corpus.members.len() {
        let (rows, expected) = (corpus.members.len(), corpus.metadata.projects);
        add(
            super::MANIFEST_FILE,
            format!("the number of rows is {rows}, but {} has {expected}", super::METADATA_FILE),
        );
    }
    for member in &corpus.members {
        if let Err(fault) = check(corpus, member) {
            add(&member.id, fault);
        }
        on_project();
    }
    let known: BTreeSet<_> = corpus.members.iter().map(|m| corpus.project(m.sha256)).collect();
    let folder = projects(&corpus.folder);
    if folder.is_dir() {
        let mut unlisted = Vec::new();
        for entry in fs::read_dir(&folder).map_err(CorpusError::io(&folder))? {
            let path = entry.map_err(CorpusError::io(&folder))?.path();
            unlisted.extend((!known.contains(&path)).then_some(path));
        }
        unlisted.sort();
        for path in unlisted {
            add(&path.display().to_string(), "is not in the manifest".to_owned());
        }
    }
    Ok(flaws)
}

fn check(corpus: &Corpus, member: &Member) -> Result<(), String> {
    let path = corpus.project(member.sha256);
    let bytes = read_archive(&path, &Limits::default()).map_err(|error| error.to_string())?;
    let sha = Sha::of(&bytes);
    if sha != member.sha256 {
        return Err(format!("{} has the SHA-256 {sha}", path.display()));
    }
    let name = path.display().to_string();
    let project = Project::from_bytes(&name, &bytes, &Limits::default());
    let project = project.map_err(|error| error.cause.to_string())?;
    let described = member.clone().described(sha, &describe(&project));
    if described != *member {
        return Err("has counts or extensions that differ from the manifest".to_owned());
    }
    if repack(&name, &bytes).map_err(|error| error.cause.to_string())? != bytes {
        return Err(format!("{name} is not packed as catherd packs projects"));
    }
    match project.assets.iter().find(|asset| checksum(&asset.name, &asset.bytes) == Some(false)) {
        Some(asset) => {
            Err(format!("the contents of {} do not match the checksum in its name", asset.name))
        }
        None => Ok(()),
    }
}

/// Whether the contents of a media file match the MD5 digest in its name; `None` if the name is not
/// a digest.
pub(crate) fn checksum(name: &str, bytes: &[u8]) -> Option<bool> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let hexadecimal = stem.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (stem.len() == 32 && hexadecimal).then(|| hex::encode(Md5::digest(bytes)) == stem)
}
