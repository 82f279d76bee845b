//! Stamps on the pen layer.

use super::pen::ROWS;
use super::{DrawableId, Scene, raise_level};
use crate::bounds::{STAGE_X, STAGE_Y};
use crate::color::GhostEffect;

impl Scene {
    /// Stamps a drawable, hidden or not, onto the pen layer, with all its effects. If its hull is
    /// known, the box around it clips the stamp.
    pub fn pen_stamp(&mut self, id: DrawableId) {
        self.pen();
        let Some(slot) = self.slot(id) else { return };
        let Some(area) = self.query_bounds(slot) else { return };
        raise_level(&mut self.levels, &self.drawables[slot]);
        if self.colors_ignored {
            return;
        }
        // The layer is taken out of the scene while the drawable is sampled, so that stamping the
        // layer itself stamps nothing.
        let Some(mut pen) = self.pen.take() else { return };
        let shader = self.shader(slot);
        let layer = pen.layer_mut();
        let (left, right) = (area.left + STAGE_X, area.right + STAGE_X);
        let (top, bottom) = (STAGE_Y - area.top, STAGE_Y - area.bottom);
        for row in top as usize..(bottom as usize).min(ROWS) {
            for column in left as usize..right as usize {
                let center = (column as f64 - STAGE_X + 0.5, STAGE_Y - 0.5 - row as f64);
                // Without alpha, effects leave less of a colour than a byte can represent.
                let source = shader.fragment(center, GhostEffect::Apply);
                if let Some(source) = source.filter(|source| source[3] != 0.0) {
                    layer.paint(column, row, source);
                }
            }
        }
        self.pen = Some(pen);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::effect::Effect;
    use crate::limits::Limits;
    use crate::scene::Group;
    use crate::skin::SkinSetBuilder;

    #[test]
    fn a_stamp_shows_what_was_there() {
        let mut skins = SkinSetBuilder::new(Limits::default());
        let svg = br#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 20 20"><rect width="20" height="20" fill="red"/></svg>"#;
        let red = skins.add_svg(svg[..].into(), None).unwrap();
        let mut scene = Scene::new(Arc::new(skins.build()));
        let sprite = scene.add(Group::Sprite);
        let paper = scene.add(Group::Sprite);
        scene.set_skin(sprite, red);
        scene.set_skin(paper, red);
        scene.set_visible(sprite, false);
        scene.set_effect(sprite, Effect::Ghost, 50.0);
        scene.pen_stamp(sprite);
        let layer = scene.pen.as_ref().unwrap().layer().clone();
        let stamped = |x: usize, y: usize| layer.pixel(x, y);
        assert_eq!(stamped(230, 170), [128, 0, 0, 128]);
        assert_eq!(stamped(249, 189), [128, 0, 0, 128]);
        assert_eq!((stamped(229, 180)[3], stamped(250, 180)[3]), (0, 0));
        assert_eq!((stamped(240, 169)[3], stamped(240, 190)[3]), (0, 0));
        assert!(scene.touching_color(paper, [255, 127, 127]));
        assert!(!scene.touching_color(paper, [255, 0, 0]));
    }
}
