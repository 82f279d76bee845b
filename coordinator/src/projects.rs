//! Project bytes by digest, kept in the store.

use std::collections::BTreeSet;
use std::sync::mpsc::{Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use catherd_experiments::Digest;

use crate::coordinator::StoreUnavailable;
use crate::store::{ProjectChunk, Reader, StoreError, StoreUrl};
use crate::writer::Request;

/// Parts on their way to the store at a time.
const UNDER_WAY: usize = 16;

/// The projects of a store, each named by the SHA-256 of its bytes. They are written by the
/// writer, as everything is, and read through a connection that all share.
///
/// Every call waits for the database; in async code only threads of a multi-threaded runtime
/// may call.
#[derive(Clone)]
pub struct Projects {
    writer: Sender<Request>,
    url: StoreUrl,
    reader: Arc<Mutex<Option<Reader>>>,
}

impl Projects {
    pub(crate) fn new(writer: Sender<Request>, url: StoreUrl) -> Projects {
        Projects { writer, url, reader: Arc::default() }
    }

    /// Keeps a project and returns its name.
    ///
    /// # Errors
    ///
    /// When the store does not answer. The project is then not there, or whole.
    pub fn insert(&self, bytes: &[u8]) -> Result<Digest, StoreUnavailable> {
        let digest = Digest::of(bytes);
        // The last part says that all are there, so it waits for the others.
        let last = ProjectChunk::count(bytes) - 1;
        for first in (0..last).step_by(UNDER_WAY) {
            let parts = first..last.min(first + UNDER_WAY);
            self.keep(parts.map(|part| ProjectChunk::new(digest, bytes, part)))?;
        }
        self.keep(std::iter::once(ProjectChunk::new(digest, bytes, last)))?;
        Ok(digest)
    }

    fn keep(&self, parts: impl Iterator<Item = ProjectChunk>) -> Result<(), StoreUnavailable> {
        let (answer, answers) = channel();
        let mut sent = 0;
        for part in parts {
            let answer = answer.clone();
            self.writer
                .send(Request::PutProjectChunk { part, answer })
                .map_err(|_| StoreUnavailable)?;
            sent += 1;
        }
        drop(answer);
        if answers.iter().count() == sent { Ok(()) } else { Err(StoreUnavailable) }
    }

    /// Those of these projects that are not here.
    ///
    /// # Errors
    ///
    /// When the database refuses.
    pub fn missing(&self, projects: &[Digest]) -> Result<BTreeSet<Digest>, StoreError> {
        self.read(|reader| reader.missing_projects(projects))
    }

    /// Passes on the size of a project, in bytes, and its bytes part by part, until `take` says
    /// that nobody wants more. Receivers check the digest.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoProject`], and when the database refuses.
    pub fn stream(
        &self,
        project: Digest,
        mut take: impl FnMut(u64, Vec<u8>) -> bool,
    ) -> Result<(), StoreError> {
        let size = self.read(|reader| reader.project_size(project))?;
        let (mut part, mut sent) = (0, 0);
        loop {
            // Nobody waits for a slow receiver: the connection is let go after each part.
            let bytes = self.read(|reader| reader.project_part(project, part))?;
            sent += bytes.len() as u64;
            part += 1;
            if !take(size, bytes) || sent >= size {
                return Ok(());
            }
        }
    }

    fn read<T>(
        &self,
        read: impl FnOnce(&mut Reader) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let mut shared = self.reader.lock().unwrap_or_else(PoisonError::into_inner);
        let mut reader = match shared.take() {
            Some(reader) => reader,
            None => Reader::open(&self.url)?,
        };
        let value = read(&mut reader)?;
        // After an error the next one connects anew.
        *shared = Some(reader);
        Ok(value)
    }
}
