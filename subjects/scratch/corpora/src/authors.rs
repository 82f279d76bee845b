//! Authors of the projects of corpora.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::corpus::Corpus;

/// Authors of project files, looked up in the manifests of their corpora.
#[derive(Debug, Default)]
pub struct Authors {
    /// Pseudonyms of authors by folder of the corpus and name of the archive.
    corpora: BTreeMap<PathBuf, BTreeMap<String, String>>,
}

impl Authors {
    /// The pseudonym of the author of the project in a file (see
    /// [`Member::author_hash`](crate::corpus::Member::author_hash)); empty if unknown.
    pub fn of(&mut self, file: &Path) -> &str {
        let Some((folder, name)) =
            file.parent().and_then(Path::parent).zip(file.file_name().and_then(|n| n.to_str()))
        else {
            return "";
        };
        let known = self.corpora.entry(folder.to_owned()).or_insert_with(|| {
            let members = Corpus::read(folder).map(|corpus| corpus.members).unwrap_or_default();
            let author = members.into_iter().map(|m| (format!("{}.sb3", m.sha256), m.author));
            author.collect()
        });
        known.get(name).map_or("", String::as_str)
    }
}
