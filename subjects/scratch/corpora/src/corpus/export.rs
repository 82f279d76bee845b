//! Export of the list from which a corpus can be fetched again.

use std::path::Path;

use super::{Corpus, CorpusError, Member};
use crate::atomic_file;

/// Writes the list from which another laboratory can fetch the same corpus: ids and digests in
/// order, for `--from-list`.
///
/// # Errors
/// If the file cannot be written.
pub fn export_frozen(corpus: &Corpus, file: &Path) -> Result<(), CorpusError> {
    let mut text = format!(
        "# {} projects; the digest of the corpus is {}\n# Get them with: catherd dataset sample \
         --from-list FILE -o DIR\nid,sha256\n",
        corpus.members.len(),
        corpus.metadata.digest
    );
    for Member { id, sha256, .. } in &corpus.members {
        text += &format!("{id},{sha256}\n");
    }
    atomic_file::write(file, text.as_bytes()).map_err(CorpusError::io(file))
}
