//! In-memory cache of project bytes.

use std::collections::VecDeque;
use std::sync::Arc;

use catherd_experiments::Digest;

/// Maximum size of the cache in bytes. The newest project is kept even if it is larger.
const MAX_BYTES: usize = 32 << 20;

/// The least recently used project is evicted first.
#[derive(Debug, Default)]
pub(crate) struct ProjectCache {
    /// The most recently used project is at the back.
    projects: VecDeque<(Digest, Arc<[u8]>)>,
    bytes: usize,
}

impl ProjectCache {
    pub(crate) fn get(&mut self, digest: Digest) -> Option<Arc<[u8]>> {
        let at = self.projects.iter().position(|(kept, _)| *kept == digest)?;
        let project = self.projects.remove(at)?;
        let bytes = project.1.clone();
        self.projects.push_back(project);
        Some(bytes)
    }

    pub(crate) fn insert(&mut self, digest: Digest, bytes: Arc<[u8]>) {
        self.bytes += bytes.len();
        self.projects.push_back((digest, bytes));
        while self.bytes > MAX_BYTES && self.projects.len() > 1 {
            if let Some((_, bytes)) = self.projects.pop_front() {
                self.bytes -= bytes.len();
            }
        }
    }

    pub(crate) fn digests(&self) -> impl Iterator<Item = Digest> {
        self.projects.iter().map(|(digest, _)| *digest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_project_is_evicted() {
        let mut cache = ProjectCache::default();
        let digest = |n: u8| Digest([n; 32]);
        let third: Arc<[u8]> = vec![0; MAX_BYTES / 3].into();
        for n in 0..3 {
            cache.insert(digest(n), third.clone());
        }
        assert!(cache.get(digest(0)).is_some());
        cache.insert(digest(3), third);
        assert_eq!(cache.digests().collect::<Vec<_>>(), [digest(2), digest(0), digest(3)]);
        cache.insert(digest(4), vec![0; 2 * MAX_BYTES].into());
        assert_eq!(cache.digests().collect::<Vec<_>>(), [digest(4)]);
    }
}
