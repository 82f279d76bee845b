//! The draw list, which consists of four groups from back to front.

use super::{DrawableId, Scene};

/// A group of the draw list. The variants are in order from back to front.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(usize)]
pub enum Group {
    /// The stage's backdrop.
    Background,
    /// The camera's picture.
    Video,
    /// The pen layer.
    Pen,
    /// Sprites, clones and bubbles.
    Sprite,
}

#[derive(Debug, Default, PartialEq)]
pub(super) struct Layers {
    list: Vec<DrawableId>,
    ends: [usize; 4],
}

impl Clone for Layers {
    fn clone(&self) -> Self {
        Self { list: self.list.clone(), ends: self.ends }
    }

    fn clone_from(&mut self, source: &Self) {
        self.list.clone_from(&source.list);
        self.ends = source.ends;
    }
}

impl Layers {
    pub(super) fn push(&mut self, id: DrawableId, group: Group) {
        self.list.insert(self.ends[group as usize], id);
        for end in &mut self.ends[group as usize..] {
            *end += 1;
        }
    }

    pub(super) fn remove(&mut self, id: DrawableId) {
        if let Some(index) = self.index(id) {
            self.list.remove(index);
            for end in &mut self.ends {
                *end -= usize::from(index < *end);
            }
        }
    }

    /// All drawables, from back to front.
    pub(super) fn list(&self) -> &[DrawableId] {
        &self.list
    }

    fn index(&self, id: DrawableId) -> Option<usize> {
        self.list.iter().position(|&other| other == id)
    }

    /// Moves a drawable to the index that `target` computes from the old index, or as near to that
    /// index as its group allows.
    fn reorder(&mut self, id: DrawableId, order: f64, target: impl Fn(f64) -> f64) {
        // An order of 0 changes nothing, whether absolute or relative.
        let Some(old) = self.index(id).filter(|_| order != 0.0 && !order.is_nan()) else { return };
        let group = self.ends.iter().position(|&end| old < end).unwrap_or(3);
        let start = if group == 0 { 0 } else { self.ends[group - 1] };
        // The end of the group includes the drawable itself, which is removed before the insertion.
        let last = self.ends[group] - 1;
        let new = target(old as f64).max(start as f64).min(last as f64) as usize;
        let id = self.list.remove(old);
        self.list.insert(new, id);
    }
}

impl Scene {
    /// The layer of a drawable in the whole draw list, counted from 0 at the back; 0 if the
    /// drawable does not exist.
    pub fn order(&self, id: DrawableId) -> usize {
        self.layers.index(id).unwrap_or(0)
    }

    /// Moves a drawable to an absolute layer within the layers of its group; positive infinity is
    /// the front. Fractions are truncated; 0 and NaN change nothing.
    pub fn set_order(&mut self, id: DrawableId, order: f64) {
        self.layers.reorder(id, order, |_| order);
    }

    /// Moves a drawable by a number of layers within its group. The resulting layer is truncated.
    pub fn move_order(&mut self, id: DrawableId, delta: f64) {
        self.layers.reorder(id, delta, |old| old + delta);
    }

    /// Moves a drawable, within its group, to the layer of another drawable. As in
    /// [`set_order`](Self::set_order), layer 0 changes nothing.
    pub fn place_behind(&mut self, id: DrawableId, other: DrawableId) {
        if let Some(index) = self.layers.index(other) {
            self.set_order(id, index as f64);
        }
    }

    /// The sprites, clones and bubbles, from back to front.
    pub fn sprite_order(&self) -> impl Iterator<Item = DrawableId> + '_ {
        self.layers.list[self.layers.ends[Group::Pen as usize]..].iter().copied()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::limits::Limits;
    use crate::skin::SkinSetBuilder;

    fn scene() -> (Scene, DrawableId, [DrawableId; 4]) {
        let mut scene = Scene::new(Arc::new(SkinSetBuilder::new(Limits::default()).build()));
        let stage = scene.add(Group::Background);
        let sprites = [(); 4].map(|()| scene.add(Group::Sprite));
        (scene, stage, sprites)
    }

    fn order(scene: &Scene) -> Vec<u32> {
        scene.sprite_order().map(|id| id.0).collect()
    }

    #[test]
    fn groups_stay_in_order() {
        let (mut scene, stage, sprites) = scene();
        let pen = scene.add(Group::Pen);
        assert_eq!((scene.order(stage), scene.order(pen), scene.order(sprites[0])), (0, 1, 2));
        let video = scene.add(Group::Video);
        assert_eq!((scene.order(video), scene.order(pen), scene.order(sprites[3])), (1, 2, 6));
        scene.remove(pen);
        assert_eq!(order(&scene), [1, 2, 3, 4]);
        assert_eq!(scene.order(sprites[0]), 2);
    }

    #[test]
    fn front_back_and_steps() {
        let (mut scene, _, [a, b, c, d]) = scene();
        scene.set_order(a, f64::INFINITY);
        assert_eq!(order(&scene), [b.0, c.0, d.0, a.0]);
        scene.set_order(d, f64::NEG_INFINITY);
        assert_eq!(order(&scene), [d.0, b.0, c.0, a.0]);
        scene.move_order(d, 2.0);
        assert_eq!(order(&scene), [b.0, c.0, d.0, a.0]);
        scene.move_order(d, -1.0);
        assert_eq!(order(&scene), [b.0, d.0, c.0, a.0]);
        scene.move_order(b, 100.0);
        assert_eq!(order(&scene), [d.0, c.0, a.0, b.0]);
    }

    #[test]
    fn fractions_of_a_layer_are_cut_off() {
        let (mut scene, _, [a, b, c, d]) = scene();
        scene.move_order(b, 0.5);
        assert_eq!(order(&scene), [a.0, b.0, c.0, d.0]);
        scene.move_order(b, -0.5);
        assert_eq!(order(&scene), [b.0, a.0, c.0, d.0]);
        scene.move_order(d, 0.0);
        scene.set_order(d, 0.0);
        assert_eq!(order(&scene), [b.0, a.0, c.0, d.0]);
    }

    #[test]
    fn a_new_clone_stands_directly_behind_its_original() {
        let (mut scene, _, [a, b, c, d]) = scene();
        let clone = scene.add(Group::Sprite);
        scene.place_behind(clone, b);
        assert_eq!(order(&scene), [a.0, clone.0, b.0, c.0, d.0]);
        // A drawable that was further back is then in front of the other drawable.
        scene.place_behind(a, c);
        assert_eq!(order(&scene), [clone.0, b.0, c.0, a.0, d.0]);
    }

    #[test]
    fn the_stage_stays_where_it_is() {
        let (mut scene, stage, _) = scene();
        scene.set_order(stage, f64::INFINITY);
        assert_eq!(scene.order(stage), 0);
    }
}
