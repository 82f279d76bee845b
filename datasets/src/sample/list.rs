//! Lists of ids: a ranking, or a frozen corpus.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use super::{Candidate, SampleError};
use crate::corpus::{CorpusError, Sha};

/// Reads a list: an id a line, and after a comma the SHA-256 that its project must have, if
/// any. Columns after that, lines that begin with `#` and a head line that begins with
/// `id` are passed over.
pub(super) fn read(file: &Path) -> Result<Vec<Candidate>, SampleError> {
    let text = fs::read_to_string(file).map_err(CorpusError::unreadable(file))?;
    let mut candidates = Vec::new();
    let mut known = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "id" || line.starts_with("id,") {
            continue;
        }
        let fault =
            |what: String| CorpusError::damaged(file, format!("line {}: {what}", number + 1));
        let mut cells = line.split(',').map(str::trim);
        let id = cells.next().unwrap_or_default();
        let id: u64 = id.parse().map_err(|_| fault(format!("`{id}` is no project id")))?;
        let frozen = cells.next().filter(|cell| cell.len() == 64).map(str::parse::<Sha>);
        let frozen = frozen.transpose().map_err(|_| fault("no SHA-256 after the id".to_owned()))?;
        if !known.insert(id) {
            return Err(fault(format!("{id} is there twice")).into());
        }
        candidates.push(Candidate { id, frozen });
    }
    if candidates.is_empty() {
        return Err(CorpusError::damaged(file, "lists no ids").into());
    }
    Ok(candidates)
}

/// What the list is, whatever its file looks like.
pub(super) fn digest(candidates: &[Candidate]) -> Sha {
    let mut text = String::new();
    for Candidate { id, frozen } in candidates {
        text += &match frozen {
            Some(sha) => format!("{id} {sha}\n"),
            None => format!("{id}\n"),
        };
    }
    Sha::of(text)
}
