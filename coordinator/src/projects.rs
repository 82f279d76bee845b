//! Projects of a store, identified by their digests.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex, PoisonError};

use catherd_experiments::{Digest, DigestBuilder};

use crate::error::StoreUnavailable;
use crate::store::{ProjectChunk, StoreError, StoreReader, StoreUrl};
use crate::writer::{Request, WriterHandle};

/// Maximum number of chunks of an upload that wait for the store at the same time.
const CHUNKS_IN_FLIGHT: usize = 16;

/// The projects of a store, each identified by the SHA-256 of its bytes.
///
/// Methods may wait for the database, so async code may call them only on threads of a
/// multi-threaded runtime.
#[derive(Clone)]
pub struct Projects {
    writer: WriterHandle,
    url: StoreUrl,
    reader: Arc<Mutex<Option<StoreReader>>>,
    checked: Arc<Mutex<Checked>>,
}

#[derive(Default)]
struct Checked {
    /// The projects whose bytes matched their digests when they were stored or compared last.
    whole: BTreeSet<Digest>,
    /// The projects whose bytes cannot be used, with the reasons.
    damaged: BTreeMap<Digest, String>,
}

impl Projects {
    pub(crate) fn new(writer: WriterHandle, url: StoreUrl) -> Projects {
        Projects { writer, url, reader: Arc::default(), checked: Arc::default() }
    }

    /// Stores a project and returns its digest.
    ///
    /// # Errors
    ///
    /// If the store does not answer.
    pub fn insert(&self, bytes: &[u8]) -> Result<Digest, StoreUnavailable> {
        let digest = Digest::of(bytes);
        // The last chunk marks the project as complete, so it is sent after all others are stored.
        let last = ProjectChunk::count(bytes) - 1;
        for first in (0..last).step_by(CHUNKS_IN_FLIGHT) {
            let numbers = first..last.min(first + CHUNKS_IN_FLIGHT);
            self.put(numbers.map(|number| ProjectChunk::new(digest, bytes, number)))?;
        }
        self.put(std::iter::once(ProjectChunk::new(digest, bytes, last)))?;
        self.note(digest, Ok(()))?;
        Ok(digest)
    }

    fn put(&self, chunks: impl Iterator<Item = ProjectChunk>) -> Result<(), StoreUnavailable> {
        let (reply, replies) = channel();
        let mut sent = 0;
        for chunk in chunks {
            self.writer.send(Request::PutProjectChunk { chunk, reply: reply.clone() })?;
            sent += 1;
        }
        drop(reply);
        if replies.iter().count() == sent { Ok(()) } else { Err(StoreUnavailable) }
    }

    /// Returns the given projects that the store does not have, or whose bytes are known to be
    /// damaged.
    ///
    /// # Errors
    ///
    /// If the database returns an error.
    pub fn missing(&self, projects: &[Digest]) -> Result<BTreeSet<Digest>, StoreError> {
        let mut missing = self.read(|reader| reader.missing_projects(projects))?;
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        missing.extend(projects.iter().filter(|one| checked.damaged.contains_key(*one)));
        Ok(missing)
    }

    /// Compares the bytes of a stored project with its digest, unless they are known to match.
    ///
    /// # Errors
    ///
    /// If the project is missing or damaged, or if the database returns an error.
    pub fn check(&self, project: Digest) -> Result<(), StoreError> {
        if self.checked.lock().unwrap_or_else(PoisonError::into_inner).whole.contains(&project) {
            return Ok(());
        }
        let (mut hash, mut length, mut stated) = (DigestBuilder::default(), 0, 0);
        let read = self.read_chunks(project, |size, bytes| {
            hash.add(&bytes);
            (length, stated) = (length + bytes.len() as u64, size);
            true
        });
        let checked = read.and_then(|()| match hash.finish() {
            digest if digest == project && length == stated => Ok(()),
            _ => Err(StoreError::Damaged(format!("the bytes of project {project} have changed"))),
        });
        match &checked {
            Ok(()) => drop(self.note(project, Ok(()))),
            Err(error) if error.is_damage() => drop(self.note(project, Err(error.to_string()))),
            Err(_) => {}
        }
        checked
    }

    /// Compares the bytes of a stored project with its digest, even if they are known to match.
    ///
    /// # Errors
    ///
    /// The same as for [`Projects::check`].
    pub fn check_again(&self, project: Digest) -> Result<(), StoreError> {
        self.checked.lock().unwrap_or_else(PoisonError::into_inner).whole.remove(&project);
        self.check(project)
    }

    /// The projects whose stored bytes are known to be damaged.
    pub fn damaged(&self) -> BTreeSet<Digest> {
        let checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        checked.damaged.keys().copied().collect()
    }

    fn note_unreadable(&self, project: Digest, cause: &StoreError) {
        if cause.is_damage() {
            // An error means that the writer has ended.
            drop(self.note(project, Err(cause.to_string())));
        }
    }

    /// Publishes damage in the progress.
    fn note(&self, project: Digest, state: Result<(), String>) -> Result<(), StoreUnavailable> {
        let mut checked = self.checked.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = match state {
            Ok(()) => {
                checked.whole.insert(project);
                checked.damaged.remove(&project).is_some()
            }
            Err(cause) => {
                checked.whole.remove(&project);
                checked.damaged.insert(project, cause);
                true
            }
        };
        if !changed {
            return Ok(());
        }
        let damage = checked.damaged.values().next().cloned();
        let projects = checked.damaged.keys().copied().collect();
        self.writer.send(Request::NoteDamage { projects, damage })
    }

    pub(crate) fn close(&self) {
        drop(self.reader.lock().unwrap_or_else(PoisonError::into_inner).take());
    }

    /// Passes the size of a project in bytes and its chunks to `take`, until `take` returns false.
    ///
    /// # Errors
    ///
    /// If the project is missing or damaged, or if the database returns an error.
    pub fn stream(
        &self,
        project: Digest,
        take: impl FnMut(u64, Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        self.check(project)?;
        // The bytes may have been damaged since they were checked.
        self.read_chunks(project, take).inspect_err(|cause| self.note_unreadable(project, cause))
    }

    fn read_chunks(
        &self,
        project: Digest,
        mut take: impl FnMut(u64, Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        let size = self.read(|reader| reader.project_size(project))?;
        let (mut chunk, mut sent) = (0, 0);
        loop {
            // The connection is released after each chunk, because a slow receiver must not delay
            // others.
            let bytes = self.read(|reader| reader.project_chunk(project, chunk))?;
            sent += bytes.len() as u64;
            chunk += 1;
            if !take(size, bytes) || sent >= size {
                return Ok(());
            }
        }
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&mut StoreReader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut shared = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = match shared.take() {
            Some(reader) => reader,
            None => StoreReader::open(&self.url)?,
        };
        let value = read(&mut reader)?;
        // After an error the connection is dropped, and the next call opens a new one.
        *shared = Some(reader);
        Ok(value)
    }
}
