//! `corpus.toml`: how the projects of a corpus were chosen, and what came of it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CorpusError, Sha};

/// Version of the folder's layout.
pub const FORMAT: u32 = 1;

const HEAD: &str = "\
# A corpus of catherd: recipe, result and digest of the projects in manifest.csv.
# `catherd dataset verify` checks that nothing was changed.

";

/// What a corpus says of itself. It holds no date, so that who follows the same recipe
/// gets the same file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct About {
    /// Version of the layout.
    pub format: u32,
    /// Rows of the manifest.
    pub projects: usize,
    /// SHA-256 over ids and digests of the projects in their order.
    pub digest: Sha,
    /// How the projects were chosen.
    pub recipe: Recipe,
    /// The sampling frame: how many ids were probed until the last project was found, by
    /// outcome. Empty where nothing was probed.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frame: BTreeMap<String, u64>,
}

/// How the projects of a corpus were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Recipe {
    /// The first acceptable ones of a random order of ids.
    Sample {
        /// First id.
        from: u64,
        /// One past the last id.
        to: u64,
        /// How many were wanted.
        count: usize,
        /// Seed of the order.
        seed: u64,
        /// Digests of the corpora whose projects were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        disjoint_from: Vec<Sha>,
    },
    /// The acceptable ones of a list of ids.
    List {
        /// SHA-256 over the ids and the digests that go with them.
        list: Sha,
        /// Ids in the list.
        ids: usize,
        /// How many were wanted, if not all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
        /// Digests of the corpora whose projects were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        disjoint_from: Vec<Sha>,
    },
    /// Files that somebody added.
    Files,
    /// Made by a program.
    Synthetic {
        /// How many.
        count: usize,
        /// Seed of the first.
        seed: u64,
        /// Version of the program.
        generator: u32,
    },
    /// Drawn from another corpus.
    Part {
        /// Digest of that corpus.
        of: Sha,
        /// Name of the part.
        name: String,
        /// Names and sizes of all parts, in the order in which they were drawn.
        parts: Vec<(String, usize)>,
        /// Seed of the drawing.
        seed: u64,
    },
}

impl About {
    pub(super) fn read(path: &Path) -> Result<About, CorpusError> {
        let text = fs::read_to_string(path).map_err(CorpusError::unreadable(path))?;
        let about: About = toml::from_str(&text)
            .map_err(|error| CorpusError::damaged(path, error.message().replace('\n', ", ")))?;
        if about.format != FORMAT {
            let fault = format!("has format {}; this version reads {FORMAT}", about.format);
            return Err(CorpusError::damaged(path, fault));
        }
        Ok(about)
    }

    pub(super) fn to_toml(&self) -> String {
        let body = toml::to_string(self).expect("numbers, texts and lists of them have a notation");
        format!("{HEAD}{body}")
    }
}
