//! Stamps on the pen layer.

use std::ops::Range;

use super::drawable::Look;
use super::fingerprint::Fingerprint;
use super::pen_layer::{Pixels, common};
use super::shader::{Lens, Shader};
use super::{DrawableId, Scene, raise_level};
use crate::bounds::{STAGE_X, STAGE_Y};
use crate::color::{GhostEffect, source_over};
use crate::silhouette::EMPTY;
use crate::skin::{Level, SkinSet};
use crate::tiles::Canvas;

/// A drawable in its state at the time of stamping.
#[derive(Debug)]
pub(super) struct Stamp {
    look: Look,
    level: Level,
    lens: Lens,
    pixels: Pixels,
    /// Fingerprint of the stamped drawable, without `pixels`.
    print: Fingerprint,
}

impl Stamp {
    pub(super) fn print(&self) -> Fingerprint {
        let Pixels { columns, rows } = &self.pixels;
        let word = |range: &Range<usize>| (range.start as u64) << 32 | range.end as u64;
        self.print.with(word(columns), word(rows))
    }

    pub(super) fn pixels(&self) -> Pixels {
        self.pixels.clone()
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, skins: &SkinSet, within: &Pixels) {
        let silhouette = match &self.look {
            Look::Costume(skin) => skins.skin(*skin).silhouette(self.level),
            Look::Bubble(bubble) => bubble.silhouette(),
            // Stamping the pen layer has no effect.
            Look::PenLayer | Look::Nothing => &EMPTY,
        };
        let shader = Shader::new(silhouette, self.lens);
        let mut last = None;
        for row in common(&self.pixels.rows, &within.rows) {
            for column in common(&self.pixels.columns, &within.columns) {
                let center = (column as f64 - STAGE_X + 0.5, STAGE_Y - 0.5 - row as f64);
                let Some(sample) = shader.sample(center) else { continue };
                // Reuse the last result, because most pixels have the colour of their neighbour.
                let source = match last {
                    Some((known, source)) if known == sample => source,
                    _ => Source::of(shader.shaded(sample, GhostEffect::Apply)),
                };
                last = Some((sample, source));
                match source {
                    Source::Nothing => {}
                    Source::Opaque(pixel) => canvas.replace(column, row, pixel),
                    Source::Translucent(color) => canvas.paint(column, row, color),
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
enum Source {
    Nothing,
    /// Bytes that replace the pixel.
    Opaque([u8; 4]),
    /// A premultiplied colour (0 to 1).
    Translucent([f64; 4]),
}

impl Source {
    fn of(color: [f64; 4]) -> Source {
        if color[3] == 0.0 {
            // After effects, the channels of such a colour are smaller than a byte can represent.
            Source::Nothing
        } else if color[3] == 1.0 {
            Source::Opaque(source_over([0; 4], color))
        } else {
            Source::Translucent(color)
        }
    }
}

impl Scene {
    /// Stamps a drawable, hidden or not, onto the pen layer, with all its effects. If the hull of
    /// the drawable is known, the box around the hull clips the stamp.
    pub fn pen_stamp(&mut self, id: DrawableId) {
        self.pen();
        let Some(slot) = self.slot(id) else { return };
        let Some(area) = self.query_bounds(slot) else { return };
        raise_level(&mut self.levels, &self.drawables[slot]);
        if self.colors_ignored {
            return;
        }
        let (left, right) = (area.left + STAGE_X, area.right + STAGE_X);
        let (top, bottom) = (STAGE_Y - area.top, STAGE_Y - area.bottom);
        let pixels =
            Pixels { columns: left as usize..right as usize, rows: top as usize..bottom as usize };
        let drawable = &self.drawables[slot];
        let stamp = Stamp {
            look: drawable.look.clone(),
            level: drawable.level,
            lens: self.lens(slot),
            pixels,
            print: match &drawable.look {
                Look::Bubble(bubble) => bubble.print().and(drawable.appearance()),
                _ => drawable.appearance(),
            },
        };
        if let Some(pen) = &mut self.pen {
            pen.stamp(stamp, &self.skins);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

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
        let skins = Arc::clone(&scene.skins);
        scene.pen().draw_all(&skins);
        let layer = scene.pen.as_ref().unwrap().layer().clone();
        let stamped = |x: usize, y: usize| layer.pixel(x, y);
        assert_eq!(stamped(230, 170), [128, 0, 0, 128]);
        assert_eq!(stamped(249, 189), [128, 0, 0, 128]);
        assert_eq!((stamped(229, 180)[3], stamped(250, 180)[3]), (0, 0));
        assert_eq!((stamped(240, 169)[3], stamped(240, 190)[3]), (0, 0));
        assert!(scene.touching_color(paper, [255, 127, 127]));
        assert!(!scene.touching_color(paper, [255, 0, 0]));
    }

    fn stage() -> (Scene, Vec<DrawableId>) {
        let mut skins = SkinSetBuilder::new(Limits::default());
        for body in [
            "<rect width='70' height='50' fill='#00f'/>",
            "<circle cx='25' cy='25' r='22' fill='#f00' fill-opacity='.6'/>",
        ] {
            let svg =
                format!("<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 70 50'>{body}</svg>");
            skins.add_svg(svg.as_bytes().into(), None).unwrap();
        }
        let mut scene = Scene::new(Arc::new(skins.build()));
        scene.add(Group::Background);
        let ids: Vec<_> = (0..3).map(|_| scene.add(Group::Sprite)).collect();
        for (&id, skin) in ids.iter().zip([0, 1, 0]) {
            scene.set_skin(id, crate::skin::SkinId(skin));
        }
        (scene, ids)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]
        #[test]
        #[ignore = "slow"]
        fn the_time_of_drawing_changes_no_pixel(
            changes in prop::collection::vec(
                (
                    0_usize..3,
                    (-260.0..260.0, -200.0..200.0),
                    (0.0..360.0, 40.0..250.0),
                    prop::sample::select(vec![
                        (Effect::Ghost, 0.0),
                        (Effect::Ghost, 40.0),
                        (Effect::Fisheye, 60.0),
                        (Effect::Brightness, -30.0),
                    ]),
                    0_u8..8,
                ),
                1..40,
            ),
        ) {
            let (mut lazy, ids) = stage();
            let mut eager = lazy.clone();
            let skins = Arc::clone(&lazy.skins);
            let mut last = (0.0, 0.0);
            for (at, (x, y), (direction, size), (effect, value), what) in changes {
                let id = ids[at];
                for scene in [&mut lazy, &mut eager] {
                    scene.set_position(id, x, y);
                    scene.set_direction_scale(id, direction, size, size);
                    scene.set_effect(id, effect, value);
                    match what {
                        0..=2 => scene.pen_stamp(id),
                        3..=5 => {
                            let rgba = [0.0, 1.0, 0.0, 0.5 + f64::from(what % 2) / 2.0];
                            let stroke = crate::PenStroke { rgba, diameter: size / 20.0 };
                            scene.pen_line(last, (x, y), &stroke);
                        }
                        6 if size < 60.0 => scene.pen_clear(),
                        _ => {}
                    }
                }
                if let Some(pen) = &mut eager.pen {
                    pen.draw_all(&skins);
                }
                if what == 7 {
                    for rgb in [[0, 0, 255], [0, 255, 0], [255, 0, 0]] {
                        prop_assert_eq!(
                            lazy.touching_color(id, rgb),
                            eager.touching_color(id, rgb)
                        );
                        let search = |scene: &mut Scene| {
                            let of = crate::ColorOf::AllBut(id);
                            scene.find_color((x, y), crate::Rect::STAGE, rgb, of, direction)
                        };
                        prop_assert_eq!(search(&mut lazy), search(&mut eager));
                    }
                }
                last = (x, y);
            }
            prop_assert!(lazy == eager);
            for scene in [&mut lazy, &mut eager] {
                scene.pen().draw_all(&skins);
            }
            prop_assert!(lazy.pen().layer().same_pixels(eager.pen().layer()));
        }
    }

    #[test]
    fn states_share_their_common_tiles_and_marks() {
        let (mut scene, ids) = stage();
        scene.pen_clear();
        let pen = |scene: &Scene, earlier: &Scene| {
            scene.pen.as_ref().unwrap().unshared_bytes(earlier.pen.as_ref())
        };
        let line = |scene: &mut Scene, x: f64| {
            let stroke = crate::PenStroke { rgba: [1.0; 4], diameter: 1.0 };
            scene.pen_line((x, 5.0), (x + 9.0, 9.0), &stroke);
        };
        let draw = |scene: &mut Scene| {
            let skins = Arc::clone(&scene.skins);
            scene.pen().draw_all(&skins);
        };
        let mut blank = scene.clone();
        assert_eq!(pen(&scene, &blank), 0);
        for _ in 0..100 {
            line(&mut scene, 1.0);
        }
        let queued = scene.clone();
        line(&mut scene, 1.0);
        let (all, last) = (pen(&scene, &blank), pen(&scene, &queued));
        assert!(0 < last && last < all, "{last} of {all}");
        // All lines are in one tile.
        draw(&mut scene);
        let one = pen(&scene, &blank);
        assert!(4 * 32 * 30 < one && one < 12_000, "{one}");
        let drawn = scene.clone();
        assert_eq!(pen(&scene, &drawn), 0);
        line(&mut scene, 100.0);
        draw(&mut scene);
        assert_eq!(pen(&scene, &drawn), one);
        assert_eq!(pen(&scene, &blank), one + 4 * 32 * 30);
        // A stamp of 70 x 50 covers several tiles, but only a small part of all tiles.
        scene.pen_stamp(ids[0]);
        draw(&mut scene);
        assert!((2..=12).contains(&((pen(&scene, &drawn) - one) / (4 * 32 * 30))));
        scene.pen_clear();
        assert_eq!(pen(&scene, &blank), 0);
        // Blank tiles are shared by all layers.
        draw(&mut blank);
        assert_eq!(pen(&blank, &stage().0), 0);
    }
}
