//! Fingerprints of all data that determine the results of queries on a scene.

use super::drawable::{Drawable, Look};
use super::fingerprint::Fingerprint;
use super::pen::Pen;
use super::pen_layer::TileBox;
use super::{DrawableId, Scene};

impl Scene {
    /// The fingerprint of the state that belongs to no drawable of a program. Scenes with the same
    /// costumes return equal answers to equal queries if this fingerprint and the [fingerprints of
    /// all drawables](Self::drawable_fingerprint) are equal.
    pub fn fingerprint(&self) -> Fingerprint {
        let levels = self
            .levels
            .chunks(8)
            .map(|levels| levels.iter().fold(0, |word, level| word << 8 | u64::from(level.rank())));
        let print = levels.fold(Fingerprint::of(0), |print, word| print.with(word, 0));
        self.pen.as_ref().map_or(print, |pen| print.and(pen.print()))
    }

    /// The fingerprint of a drawable, including its position in the drawing order, but not its id.
    /// Returns the default fingerprint if the drawable does not exist.
    pub fn drawable_fingerprint(&self, id: DrawableId) -> Fingerprint {
        let Some(drawable) = self.get(id) else { return Fingerprint::default() };
        drawable.print().with(self.order(id) as u64, 1)
    }
}

impl Drawable {
    fn print(&self) -> Fingerprint {
        let (effects, enabled) = self.effects.parts();
        let (direction, scale) = self.pose();
        let flags = u64::from(self.visible) << 8 | u64::from(enabled);
        let print = self.appearance().with(flags, direction.to_bits());
        let print = print.singles(&[scale.0, scale.1]).numbers(effects);
        let print = match &self.look {
            Look::Nothing => print.with(0, 2),
            Look::PenLayer => print.with(1, 2),
            Look::Bubble(bubble) => print.and(bubble.print()),
            // The skin is a part of the appearance.
            Look::Costume(_) => print,
        };
        let points = self.hull_points().iter();
        points.fold(print, |print, point| print.singles(&[point.0, point.1]))
    }
}

impl Pen {
    /// The fingerprint of the layer after the whole queue is drawn.
    fn print(&self) -> Fingerprint {
        let drawn = self.drawn_tiles();
        let mut tiles = *drawn;
        for (number, (mark, pixels)) in self.queue().marks_from(0).enumerate() {
            let print = mark.print();
            for tile in TileBox::of(pixels).tiles() {
                if !self.queue().is_drawn(number, tile) {
                    tiles[tile] = tiles[tile].and(print);
                }
            }
        }
        let changed = tiles.iter().zip(drawn).zip(0_u64..).filter(|((new, old), _)| new != old);
        changed.fold(self.drawn_print(), |whole, ((new, old), tile)| {
            let place = Fingerprint::of(tile);
            whole.exchange(place.and(*old), place.and(*new))
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::effect::Effect;
    use crate::limits::Limits;
    use crate::scene::{Group, PenStroke};
    use crate::skin::{SkinId, SkinSetBuilder};

    fn scene() -> (Scene, [DrawableId; 2]) {
        let mut skins = SkinSetBuilder::new(Limits::default());
        for side in [20, 30] {
            let svg = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {side} {side}'>\
                 <rect width='{side}' height='{side}' fill='red'/></svg>"
            );
            skins.add_svg(svg.as_bytes().into(), None).unwrap();
        }
        let mut scene = Scene::new(Arc::new(skins.build()));
        let ids = [(); 2].map(|()| scene.add(Group::Sprite));
        ids.iter().for_each(|id| scene.set_skin(*id, SkinId(0)));
        (scene, ids)
    }

    fn prints((scene, ids): &(Scene, [DrawableId; 2])) -> [Fingerprint; 3] {
        let [a, b] = ids.map(|id| scene.drawable_fingerprint(id));
        [scene.fingerprint(), a, b]
    }

    fn line(scene: &mut Scene, x: f64) {
        let stroke = PenStroke { rgba: [1.0; 4], diameter: 3.0 };
        scene.pen_line((x, 0.0), (x + 40.0, 50.0), &stroke);
    }

    #[test]
    fn the_fingerprint_does_not_depend_on_when_marks_are_drawn() {
        let (mut lazy, mut eager) = (scene(), scene());
        for number in 0..200 {
            for (scene, ids) in [&mut lazy, &mut eager] {
                line(scene, f64::from(number % 9) * 20.0);
                scene.pen_stamp(ids[0]);
            }
            let skins = Arc::clone(&eager.0.skins);
            if number % 3 == 0 {
                eager.0.pen().draw_all(&skins);
            }
            if number % 50 == 0 {
                lazy.0.touching_color(lazy.1[1], [1, 2, 3]);
                eager.0.touching_color(eager.1[1], [1, 2, 3]);
            }
            assert_eq!(prints(&lazy), prints(&eager), "{number}");
        }
        let before = prints(&lazy);
        line(&mut lazy.0, 1.0);
        assert_ne!(prints(&lazy)[0], before[0]);
        let mut blank = scene();
        assert_ne!(prints(&blank)[0], before[0]);
        // Sense and stamp in the blank scene as well, because the fingerprint contains the selected
        // rasters even after the pen layer is cleared.
        blank.0.touching_color(blank.1[1], [1, 2, 3]);
        blank.0.pen_stamp(blank.1[0]);
        blank.0.pen_clear();
        lazy.0.pen_clear();
        assert_eq!(prints(&blank)[0], prints(&lazy)[0]);
    }

    #[test]
    fn every_property_changes_the_fingerprint() {
        let mut seen = vec![prints(&scene())];
        let changes: [fn(&mut Scene, DrawableId); 11] = [
            |scene, id| scene.set_skin(id, SkinId(1)),
            |scene, id| scene.set_position(id, 1.0, 0.0),
            |scene, id| scene.set_position(id, 0.0, -1.0),
            |scene, id| scene.set_direction_scale(id, 91.0, 100.0, 100.0),
            |scene, id| scene.set_direction_scale(id, 90.0, -100.0, 100.0),
            |scene, id| scene.set_visible(id, false),
            |scene, id| scene.set_effect(id, Effect::Color, 5.0),
            |scene, id| scene.set_effect(id, Effect::Ghost, 5.0),
            |scene, id| scene.set_order(id, f64::INFINITY),
            // Computes the hull.
            |scene, id| assert!(scene.bounds(id).width() > 0.0),
            |scene, _| line(scene, 0.0),
        ];
        for (number, change) in changes.into_iter().enumerate() {
            let mut changed = scene();
            let id = changed.1[0];
            change(&mut changed.0, id);
            let prints = prints(&changed);
            assert!(!seen.contains(&prints), "{number}");
            seen.push(prints);
        }
        let mut back = scene();
        let id = back.1[0];
        back.0.set_position(id, 1.0, 0.0);
        back.0.set_position(id, 0.0, 0.0);
        assert_eq!(prints(&back), seen[0]);
    }
}
