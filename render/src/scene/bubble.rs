//! Speech bubbles.

use crate::silhouette::Silhouette;

/// The look of a speech bubble.
#[derive(Debug)]
pub(super) struct Bubble {
    size: (f64, f64),
    silhouette: Silhouette,
}

impl PartialEq for Bubble {
    fn eq(&self, other: &Self) -> bool {
        self.size == other.size
    }
}

impl Bubble {
    pub(super) fn size(&self) -> (f64, f64) {
        self.size
    }

    pub(super) fn silhouette(&self) -> &Silhouette {
        &self.silhouette
    }
}
