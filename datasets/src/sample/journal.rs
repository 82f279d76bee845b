//! The log of all probes, appended to and never rewritten: what a sample knows is what
//! is in it.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::client::Troubles;
use super::{Outcome, SampleError};
use crate::corpus::{CorpusError, Member, Recipe};

/// A line of the log.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Line {
    /// What the log is of; the first line.
    Recipe(Recipe),
    /// What came of an id.
    Probe(Box<Entry>),
}

/// What came of an id.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Entry {
    /// Place in the order of ids, from 0.
    pub(super) position: usize,
    pub(super) id: u64,
    pub(super) outcome: Outcome,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) detail: Option<String>,
    #[serde(default, skip_serializing_if = "Troubles::is_empty")]
    pub(super) troubles: Troubles,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) project: Option<Member>,
}

/// The log, open and held by this process alone.
pub(super) struct Journal {
    path: PathBuf,
    file: File,
}

impl Journal {
    /// Opens the log of a recipe, or begins one; gives what it holds. A line that was cut
    /// off, as a kill or a full disk leaves it, is cut away.
    pub(super) fn open(path: &Path, recipe: &Recipe) -> Result<(Journal, Vec<Entry>), SampleError> {
        let io = || CorpusError::io(path);
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let mut file = file.map_err(io())?;
        match file.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Err(SampleError::Busy { folder: path.to_owned() });
            }
            Err(TryLockError::Error(error)) => return Err(io()(error).into()),
            Ok(()) => {}
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(io())?;
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        if whole < text.len() {
            file.set_len(whole as u64).map_err(io())?;
            file.seek(SeekFrom::End(0)).map_err(io())?;
        }
        let mut journal = Journal { path: path.to_owned(), file };
        let mut entries = Vec::new();
        for (number, line) in text[..whole].split_inclusive(|&byte| byte == b'\n').enumerate() {
            let fault =
                |what: &str| CorpusError::damaged(path, format!("line {}: {what}", number + 1));
            match serde_json::from_slice(line).map_err(|error| fault(&error.to_string()))? {
                Line::Recipe(found) if number == 0 => {
                    if !same_order(&found, recipe) {
                        let folder = path.parent().unwrap_or(path).to_owned();
                        return Err(SampleError::Other { folder });
                    }
                }
                Line::Probe(entry) if number > 0 => entries.push(*entry),
                _ => return Err(fault("is out of place").into()),
            }
        }
        if whole == 0 {
            journal.write(&Line::Recipe(recipe.clone()))?;
        }
        Ok((journal, entries))
    }

    /// Appends what came of an id. It is on the disk when this returns.
    pub(super) fn append(&mut self, entry: &Entry) -> Result<(), CorpusError> {
        self.write(&Line::Probe(Box::new(entry.clone())))
    }

    fn write(&mut self, line: &Line) -> Result<(), CorpusError> {
        let mut text = serde_json::to_vec(line).expect("texts and numbers have a notation");
        text.push(b'\n');
        let written = self.file.write_all(&text).and_then(|()| self.file.sync_data());
        written.map_err(CorpusError::io(&self.path))
    }
}

/// Do both ask the same ids in the same order? How many are wanted may differ: a sample
/// can be enlarged.
fn same_order(a: &Recipe, b: &Recipe) -> bool {
    let uncounted = |recipe: &Recipe| {
        let mut recipe = recipe.clone();
        match &mut recipe {
            Recipe::Sample { count, .. } => *count = 0,
            Recipe::List { count, .. } => *count = None,
            _ => {}
        }
        recipe
    };
    uncounted(a) == uncounted(b)
}
