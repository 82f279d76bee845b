//! Project bytes at hand, bounded in memory.

use std::collections::VecDeque;
use std::sync::Arc;

use catherd_experiments::Digest;

/// Bytes of all projects together; the newest project is kept whatever its size.
const MOST_BYTES: usize = 32 << 20;

/// Least recently used projects go first.
#[derive(Debug, Default)]
pub(crate) struct Cache {
    /// The most recently used at the back.
    projects: VecDeque<(Digest, Arc<[u8]>)>,
    bytes: usize,
}

impl Cache {
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
        while self.bytes > MOST_BYTES && self.projects.len() > 1 {
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
    fn forgets_what_was_not_used() {
        let mut cache = Cache::default();
        let digest = |n: u8| Digest([n; 32]);
        let third: Arc<[u8]> = vec![0; MOST_BYTES / 3].into();
        for n in 0..3 {
            cache.insert(digest(n), third.clone());
        }
        assert!(cache.get(digest(0)).is_some());
        cache.insert(digest(3), third);
        assert_eq!(cache.digests().collect::<Vec<_>>(), [digest(2), digest(0), digest(3)]);
        cache.insert(digest(4), vec![0; 2 * MOST_BYTES].into());
        assert_eq!(cache.digests().collect::<Vec<_>>(), [digest(4)]);
    }
}
