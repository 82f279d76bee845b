//! Manifest of a corpus, the file `manifest.csv`: one row per project.

use std::collections::BTreeSet;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use sha2::{Digest, Sha256};

use super::CorpusError;
use crate::Description;

/// A SHA-256 digest, written as 64 hexadecimal digits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sha(pub [u8; 32]);

impl Sha {
    /// The digest of some bytes.
    pub fn of(bytes: impl AsRef<[u8]>) -> Sha {
        Sha(Sha256::digest(bytes).into())
    }
}

impl fmt::Display for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&hex::encode(self.0))
    }
}

impl fmt::Debug for Sha {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl FromStr for Sha {
    type Err = hex::FromHexError;

    fn from_str(text: &str) -> Result<Sha, hex::FromHexError> {
        let mut bytes = [0; 32];
        hex::decode_to_slice(text, &mut bytes)?;
        Ok(Sha(bytes))
    }
}

impl Serialize for Sha {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Sha {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Sha, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse()
            .map_err(|_| serde::de::Error::custom(format!("`{text}` is not a SHA-256 digest")))
    }
}

/// A project of a corpus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Member {
    /// Id, unique in the corpus: Scratch's number of the project, or a name.
    pub id: String,
    /// Title or another name of the project; may be empty.
    pub title: String,
    /// Pseudonym of the author (see [`Member::author_hash`]); empty if unknown.
    pub author: String,
    /// Source of the project, as free text.
    pub source: String,
    /// SPDX identifier of the licence; empty if unknown.
    pub licence: String,
    /// Date of fetching (UTC), such as `2026-11-21`; may be empty.
    pub fetched: String,
    /// SHA-256 of the archive.
    pub sha256: Sha,
    /// See [`Description::statements`].
    pub statements: usize,
    /// See [`Description::scripts`].
    pub scripts: usize,
    /// See [`Description::sprites`].
    pub sprites: usize,
    /// See [`Description::extensions`]; separated by spaces.
    pub extensions: String,
}

impl Member {
    pub(crate) fn described(self, sha256: Sha, description: &Description) -> Member {
        let Description { statements, scripts, sprites, ref extensions, .. } = *description;
        Member { sha256, statements, scripts, sprites, extensions: extensions.join(" "), ..self }
    }

    /// Pseudonym of an author: 16 hexadecimal digits of SHA-256 over a public salt and the name in
    /// lower case, because Scratch ignores the case of names. The pseudonym keeps names out of
    /// tables, but a name can still be found by hashing candidates.
    pub fn author_hash(name: &str) -> String {
        let hash = Sha::of(format!("catherd author of {}", name.to_lowercase()));
        hex::encode(&hash.0[..8])
    }
}

pub(super) fn to_csv(members: &[Member]) -> Vec<u8> {
    let mut table = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
    table.write_record(HEADER).expect("writing to memory does not fail");
    for member in members {
        table.serialize(member).expect("a member is a row of scalars");
    }
    table.into_inner().expect("writing to memory does not fail")
}

const HEADER: [&str; 11] = [
    "id",
    "title",
    "author",
    "source",
    "licence",
    "fetched",
    "sha256",
    "statements",
    "scripts",
    "sprites",
    "extensions",
];

pub(super) fn read(path: &Path) -> Result<Vec<Member>, CorpusError> {
    let mut table = csv::Reader::from_path(path).map_err(|e| CorpusError::damaged(path, e))?;
    let mut members: Vec<Member> = Vec::new();
    for row in table.deserialize() {
        members.push(row.map_err(|error| CorpusError::damaged(path, error))?);
    }
    let mut ids = BTreeSet::new();
    match members.iter().find(|member| !ids.insert(&member.id)) {
        Some(repeated) => {
            Err(CorpusError::damaged(path, format!("the id {} is repeated", repeated.id)))
        }
        None => Ok(members),
    }
}
