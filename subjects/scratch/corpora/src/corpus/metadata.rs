//! Metadata of a corpus, the file `corpus.toml`: recipe, digest and sampling frame.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::{CorpusError, Sha};

/// Version of the layout of a corpus folder.
pub const FORMAT: u32 = 1;

const HEADER: &str = "\
# A corpus of catherd: recipe, sampling frame and digest of the projects in manifest.csv.
# `catherd dataset verify` checks the projects.

";

/// Metadata of a corpus.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CorpusMetadata {
    /// Version of the layout.
    pub format: u32,
    /// Number of rows of the manifest.
    pub projects: usize,
    /// SHA-256 over ids and digests of the projects in their order.
    pub digest: Sha,
    /// Recipe by which the projects were chosen.
    pub recipe: Recipe,
    /// Sampling frame: number of ids by outcome.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub frame: BTreeMap<String, u64>,
}

/// Recipe by which the projects of a corpus were chosen.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Recipe {
    /// The first acceptable projects in a random order of ids.
    Sample {
        /// First id.
        from: u64,
        /// One past the last id.
        to: u64,
        /// Number of projects wanted.
        count: usize,
        /// Seed of the order.
        seed: u64,
        /// Digests of the corpora whose projects were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        disjoint_from: Vec<Sha>,
    },
    /// The acceptable projects of a list of ids.
    List {
        /// SHA-256 over the ids and digests of the list.
        list: Sha,
        /// Number of ids in the list.
        ids: usize,
        /// Number of projects wanted; `None` for all.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
        /// Digests of the corpora whose projects were left out.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        disjoint_from: Vec<Sha>,
    },
    /// The projects at the addresses of a list.
    Addresses {
        /// SHA-256 over the ids and digests of the list.
        list: Sha,
        /// Number of projects in the list.
        projects: usize,
    },
    /// Added files.
    Files,
    /// Projects of the generator.
    Synthetic {
        /// Number of projects.
        count: usize,
        /// Seed of the projects.
        seed: u64,
        /// Version of the generator.
        generator: u32,
    },
    /// Projects drawn from another corpus.
    Part {
        /// Digest of the other corpus.
        of: Sha,
        /// Name of the part.
        name: String,
        /// Names and sizes of all parts, in the order in which they were drawn.
        parts: Vec<(String, usize)>,
        /// Seed of the random split.
        seed: u64,
    },
}

impl CorpusMetadata {
    pub(super) fn read(path: &Path) -> Result<CorpusMetadata, CorpusError> {
        let text = fs::read_to_string(path).map_err(CorpusError::unreadable(path))?;
        let metadata: CorpusMetadata = toml::from_str(&text)
            .map_err(|error| CorpusError::damaged(path, error.message().replace('\n', ", ")))?;
        if metadata.format != FORMAT {
            let fault = format!("has format {}; this version reads {FORMAT}", metadata.format);
            return Err(CorpusError::damaged(path, fault));
        }
        Ok(metadata)
    }

    pub(super) fn to_toml(&self) -> String {
        let body = toml::to_string(self)
            .expect("numbers, strings and lists of them can be written as TOML");
        format!("{HEADER}{body}")
    }
}
