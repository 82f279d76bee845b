//! Lists of ids, such as a ranking or a frozen corpus.

use std::collections::BTreeSet;
use std::fs;
use std::io::Read as _;
use std::path::Path;

use super::{Candidate, SampleError};
use crate::corpus::{CorpusError, Sha};

const MAX_BYTES: u64 = 64 << 20;

/// Reads a list with one id on each line, optionally followed by a comma and the SHA-256 that its
/// project must have. Further columns, a second column that does not have 64 characters, empty
/// lines, lines that begin with `#` and headers whose first column is `id` are ignored.
pub(super) fn read(file: &Path) -> Result<Vec<Candidate>, SampleError> {
    let text = text(file)?;
    let mut candidates = Vec::new();
    let mut known = BTreeSet::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') || line == "id" || line.starts_with("id,") {
            continue;
        }
        let fault =
            |cause: String| CorpusError::damaged(file, format!("line {}: {cause}", number + 1));
        let mut cells = line.split(',').map(str::trim);
        let id = cells.next().unwrap_or_default();
        let id: u64 = id.parse().map_err(|_| fault(format!("`{id}` is not a project id")))?;
        let frozen = cells.next().filter(|cell| cell.len() == 64).map(str::parse::<Sha>);
        let frozen = frozen
            .transpose()
            .map_err(|_| fault("the id is not followed by a SHA-256".to_owned()))?;
        if !known.insert(id) {
            return Err(fault(format!("id {id} is repeated")).into());
        }
        candidates.push(Candidate { id, frozen });
    }
    if candidates.is_empty() {
        return Err(CorpusError::damaged(file, "contains no ids").into());
    }
    Ok(candidates)
}

/// The text of a list.
///
/// # Errors
/// If the file cannot be read, is not text in UTF-8, or has more than [`MAX_BYTES`] bytes, for
/// example because it is an endless device.
pub(super) fn text(file: &Path) -> Result<String, CorpusError> {
    let mut text = String::new();
    let opened = fs::File::open(file).map_err(CorpusError::unreadable(file))?;
    let mut limited = opened.take(MAX_BYTES + 1);
    limited.read_to_string(&mut text).map_err(CorpusError::unreadable(file))?;
    if text.len() as u64 > MAX_BYTES {
        let fault = format!("a list has at most {} MiB", MAX_BYTES >> 20);
        return Err(CorpusError::damaged(file, fault));
    }
    Ok(text)
}

/// Digest of the ids and their SHA-256, independent of formatting.
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
