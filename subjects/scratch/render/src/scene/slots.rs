//! The slots of drawables, which are found by id.

use std::cell::{Cell, OnceCell};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::drawable::Drawable;
use super::{DrawableId, Scene};
use crate::skin::SkinSet;

/// Number of hints, a power of two.
const COUNT: usize = 256;

/// A table of the slots in which ids were last found, indexed by the lowest bits of an id.
/// Different ids can share an entry, but clones that exist at the same time rarely do, because
/// their ids are near each other.
#[derive(Debug, Default)]
pub(super) struct Hints(OnceCell<Box<[Cell<u32>; COUNT]>>);

impl Hints {
    #[inline]
    fn of(&self, id: DrawableId) -> &Cell<u32> {
        let hints = self.0.get_or_init(|| Box::new([const { Cell::new(0) }; COUNT]));
        &hints[id.0 as usize % COUNT]
    }
}

/// A new number for the set of drawables of a scene, different from all earlier numbers.
pub(super) fn next_version() -> u64 {
    static LAST: AtomicU64 = AtomicU64::new(0);
    LAST.fetch_add(1, Relaxed) + 1
}

/// Drawables that are sensed together many times, such as all clones of a sprite.
#[derive(Debug, Default)]
pub struct DrawableSet {
    /// The [version](Scene::version) in which the slots are valid.
    version: u64,
    pub(super) slots: Vec<u32>,
}

impl DrawableSet {
    /// Whether the set was [filled](Self::fill) from this scene and its slots are still valid.
    #[inline]
    pub fn is_current(&self, scene: &Scene) -> bool {
        self.version == scene.version
    }

    /// Replaces the drawables of the set with the drawables with these ids, if they exist.
    pub fn fill(&mut self, scene: &Scene, ids: impl Iterator<Item = DrawableId>) {
        self.version = scene.version;
        self.slots.clear();
        self.slots.extend(ids.filter_map(|id| scene.slot(id)).map(|slot| slot as u32));
    }
}

impl Scene {
    #[inline]
    pub(super) fn slot(&self, id: DrawableId) -> Option<usize> {
        // Ids are positions until a drawable is removed.
        let guess = id.0 as usize;
        if self.ids.get(guess) == Some(&id) {
            return Some(guess);
        }
        let hint = self.hints.of(id);
        let guess = hint.get() as usize;
        if self.ids.get(guess) == Some(&id) {
            return Some(guess);
        }
        let found = self.ids.binary_search(&id).ok()?;
        hint.set(found as u32);
        Some(found)
    }

    pub(super) fn get(&self, id: DrawableId) -> Option<&Drawable> {
        self.slot(id).map(|slot| &self.drawables[slot])
    }

    /// The drawable with an id, to be changed by the caller. Forgets the cached reach of the
    /// drawable.
    pub(super) fn get_mut(&mut self, id: DrawableId) -> Option<&mut Drawable> {
        self.get_with_skins(id).map(|(drawable, _)| drawable)
    }

    /// Like [`get_mut`](Self::get_mut), with the costumes of the scene.
    pub(super) fn get_with_skins(&mut self, id: DrawableId) -> Option<(&mut Drawable, &SkinSet)> {
        let slot = self.slot(id)?;
        self.reaches.forget(slot);
        Some((&mut self.drawables[slot], &self.skins))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::scene::Group;
    use crate::skin::SkinSetBuilder;

    #[test]
    fn slots_are_found_after_others_are_removed() {
        let mut scene = Scene::new(Arc::new(SkinSetBuilder::new(Limits::default()).build()));
        let mut ids = Vec::new();
        for number in 0..1_000_usize {
            ids.push(scene.add(Group::Sprite));
            if number % 3 != 0 {
                let removed: DrawableId = ids.remove(number * 7 % ids.len());
                scene.remove(removed);
                assert_eq!(scene.slot(removed), None);
            }
            for _ in 0..2 {
                for (slot, id) in ids.iter().enumerate() {
                    assert_eq!(scene.slot(*id), Some(slot));
                }
            }
        }
    }
}
