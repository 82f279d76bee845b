//! Whether a corpus is what it says.

use std::collections::BTreeSet;
use std::{fmt, fs};

use catherd_sb3::{Limits, Project, read_archive, repack};
use md5::{Digest, Md5};

use super::{Corpus, CorpusError, Member, Sha, projects};
use crate::describe;

/// Something wrong with a corpus; displays as one line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// The id of the project, or the file.
    pub place: String,
    /// What is wrong.
    pub fault: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.fault)
    }
}

/// Checks every project against the manifest: digest, packing, counts, the checksums
/// that media have for names, and that the folder holds nothing else. `checked` hears of
/// each project.
///
/// # Errors
/// If the corpus cannot be read at all.
pub fn verify(corpus: &Corpus, mut checked: impl FnMut()) -> Result<Vec<Flaw>, CorpusError> {
    let mut flaws = Vec::new();
    let mut add = |place: &str, fault: String| flaws.push(Flaw { place: place.to_owned(), fault });
    if corpus.about.projects != corpus.members.len() {
        let (rows, said) = (corpus.members.len(), corpus.about.projects);
        add(super::MANIFEST, format!("has {rows} rows, {} says {said}", super::ABOUT));
    }
    for member in &corpus.members {
        if let Err(fault) = check(corpus, member) {
            add(&member.id, fault);
        }
        checked();
    }
    let known: BTreeSet<_> = corpus.members.iter().map(|m| corpus.project(m.sha256)).collect();
    let folder = projects(&corpus.folder);
    if folder.is_dir() {
        let mut strays = Vec::new();
        for entry in fs::read_dir(&folder).map_err(CorpusError::io(&folder))? {
            let path = entry.map_err(CorpusError::io(&folder))?.path();
            strays.extend((!known.contains(&path)).then_some(path));
        }
        strays.sort();
        for path in strays {
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
        return Err("its counts are not those of the manifest".to_owned());
    }
    if repack(&name, &bytes).map_err(|error| error.cause.to_string())? != bytes {
        return Err(format!("{name} is not packed as catherd packs"));
    }
    match project.assets.iter().find(|asset| checksum(&asset.name, &asset.bytes) == Some(false)) {
        Some(asset) => Err(format!("the contents of {} are not those of its name", asset.name)),
        None => Ok(()),
    }
}

/// Whether the contents of a media file have the MD5 that is its name; none if its name
/// is none.
pub(crate) fn checksum(name: &str, bytes: &[u8]) -> Option<bool> {
    let stem = name.split_once('.').map_or(name, |(stem, _)| stem);
    let hexadecimal = stem.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
    (stem.len() == 32 && hexadecimal).then(|| hex::encode(Md5::digest(bytes)) == stem)
}
