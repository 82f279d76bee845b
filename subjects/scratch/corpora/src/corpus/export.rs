//! Export of the list from which a corpus can be fetched again.

use std::path::Path;

use super::{Corpus, CorpusError, Member};
use crate::atomic_file;

/// The ids of projects that are shared on Scratch are numbers.
fn is_shared(member: &Member) -> bool {
    !member.id.is_empty() && member.id.bytes().all(|byte| byte.is_ascii_digit())
}

/// Writes the list of ids and digests for `--from-list`. In a list with projects that are shared on
/// Scratch, the other projects are comments.
///
/// # Errors
/// If the file cannot be written.
pub fn export_frozen(corpus: &Corpus, file: &Path) -> Result<(), CorpusError> {
    let local = corpus.members.iter().filter(|member| !is_shared(member)).count();
    let get = match local {
        0 => "Get them with: catherd dataset sample --from-list FILE -o DIR".to_owned(),
        some if some == corpus.members.len() => {
            "They are not shared on Scratch: pass on the folder of the corpus as well".to_owned()
        }
        some => format!(
            "Not shared on Scratch: {some} of them. Pass on the folder of the corpus as well, and get the \
             others with: catherd dataset sample --from-list FILE -o DIR"
        ),
    };
    let mut text = format!(
        "# {} project{}; the digest of the corpus is {}\n# {get}\nid,sha256\n",
        corpus.members.len(),
        if corpus.members.len() == 1 { "" } else { "s" },
        corpus.metadata.digest
    );
    for member in &corpus.members {
        let skipped = !is_shared(member) && local < corpus.members.len();
        let start = if skipped { "# " } else { "" };
        text += &format!("{start}{},{}\n", member.id, member.sha256);
    }
    atomic_file::write(file, text.as_bytes()).map_err(CorpusError::io(file))
}
