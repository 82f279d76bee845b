//! Copies of parts of a scene, which can be restored in a later state of the same scene.

use super::drawable::Drawable;
use super::{DrawableId, Scene};
use crate::skin::Level;

/// A copy of a drawable, without its position in the drawing order.
#[derive(Clone, Debug)]
pub struct DrawableCopy(Drawable);

/// A copy of the [rasters](Scene::rasters) of a scene.
#[derive(Clone, Debug)]
pub struct Rasters(Vec<Level>);

impl DrawableCopy {
    /// Number of bytes of the convex hull, which the copy shares with the drawable.
    pub fn bytes(&self) -> usize {
        size_of_val(self.0.hull_points())
    }
}

impl Rasters {
    /// Number of bytes on the heap.
    pub fn bytes(&self) -> usize {
        size_of_val(&*self.0)
    }
}

impl Scene {
    /// Copies a drawable. Returns `None` if the drawable does not exist.
    pub fn copy_drawable(&self, id: DrawableId) -> Option<DrawableCopy> {
        self.get(id).cloned().map(DrawableCopy)
    }

    /// Restores a drawable. Has no effect if the drawable does not exist.
    pub fn restore_drawable(&mut self, id: DrawableId, copy: &DrawableCopy) {
        if let Some(drawable) = self.get_mut(id) {
            drawable.clone_from(&copy.0);
        }
    }

    /// The largest raster selected so far for each costume. The results of queries depend on these
    /// rasters.
    pub fn rasters(&self) -> Rasters {
        Rasters(self.levels.clone())
    }

    /// Restores the rasters of a scene with the same costumes.
    pub fn restore_rasters(&mut self, rasters: &Rasters) {
        self.levels.clone_from(&rasters.0);
        self.reaches.clear();
    }

    /// Whether the pen layer exists.
    pub fn has_pen(&self) -> bool {
        self.pen.is_some()
    }
}
