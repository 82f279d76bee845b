//! The pen layer.

use std::sync::{Arc, OnceLock};

use super::drawable::Look;
use super::fingerprint::Fingerprint;
use super::pen_layer::{Layer, TILE_COUNT, TileBox, blank_layer};
use super::pen_line::{Line, PenStroke};
use super::pen_queue::{MAX_QUEUED, Mark, Queue};
use super::stamp::Stamp;
use super::{DrawableId, Group, Scene};
use crate::bounds::Rect;
use crate::silhouette::Silhouette;
use crate::skin::SkinSet;
use crate::tiles::TILE_BYTES;

/// The pen layer. Lines and stamps are queued, and usually drawn only when a query needs their
/// pixels, because many programs redraw everything in every step but sense few colours.
#[derive(Debug)]
pub(super) struct Pen {
    pub(super) id: DrawableId,
    layer: Arc<Layer>,
    queue: Queue,
}

impl Clone for Pen {
    fn clone(&self) -> Self {
        Self { id: self.id, layer: Arc::clone(&self.layer), queue: self.queue.clone() }
    }

    fn clone_from(&mut self, source: &Self) {
        self.id = source.id;
        self.layer.clone_from(&source.layer);
        self.queue.clone_from(&source.queue);
    }
}

impl Scene {
    /// Makes the pen layer transparent.
    pub fn pen_clear(&mut self) {
        let pen = self.pen();
        pen.queue.clear();
        pen.layer = blank_layer();
    }

    /// Draws a line with round ends, or a dot if both ends are equal. A line does not blend with
    /// itself. If [colours are ignored](Self::ignore_colors), the call only creates the pen layer.
    pub fn pen_line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &PenStroke) {
        self.pen();
        if let Some(pen) = self.pen.as_mut().filter(|_| !self.colors_ignored) {
            pen.push(Mark::Line(Line { from, to, stroke: *stroke }), &self.skins);
        }
    }

    /// Copies the pixels of the pen layer from another scene with the same costumes. Has no effect if
    /// that scene has no pen layer.
    pub fn take_drawing(&mut self, other: &Self) {
        if let Some(drawn) = &other.pen {
            let pen = self.pen();
            *pen = Pen { id: pen.id, ..drawn.clone() };
        }
    }

    /// Copies the state of a drawable, except its layer, from another scene with the same costumes.
    pub fn take_look(&mut self, id: DrawableId, other: &Self) {
        if let (Some(drawable), Some(other)) = (self.get_mut(id), other.get(id)) {
            drawable.clone_from(other);
        }
    }

    /// The pen. The first call creates it together with the drawable of its layer.
    pub(super) fn pen(&mut self) -> &mut Pen {
        if self.pen.is_none() {
            let id = self.add(Group::Pen);
            if let Some((drawable, skins)) = self.get_with_skins(id) {
                drawable.set_look(Look::PenLayer, skins);
            }
            self.pen = Some(Pen { id, layer: blank_layer(), queue: Queue::default() });
        }
        self.pen.as_mut().expect("the pen was made above")
    }
}

impl Pen {
    /// The pixels, which are up to date only in [drawn](Self::draw) areas.
    pub(super) fn layer(&self) -> &Silhouette {
        &self.layer.pixels
    }

    pub(super) fn drawn_print(&self) -> Fingerprint {
        self.layer.whole
    }

    pub(super) fn drawn_tiles(&self) -> &[Fingerprint; TILE_COUNT] {
        &self.layer.tiles
    }

    pub(super) fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The fingerprints of the tiles that contain the pixels of an area or their neighbours. The
    /// area must be [drawn](Self::draw).
    pub(super) fn prints_in(&self, area: Rect) -> impl Iterator<Item = Fingerprint> {
        TileBox::around(area).tiles().map(|tile| self.layer.tiles[tile])
    }

    /// Number of bytes of queued marks and pixels that are not shared with `earlier` or, if there
    /// is no earlier pen, with a blank layer. Pixels that queued marks will change are not counted.
    pub(super) fn unshared_bytes(&self, earlier: Option<&Self>) -> usize {
        let blank = blank_layer();
        let before = earlier.map_or(&blank, |pen| &pen.layer);
        let layer = if Arc::ptr_eq(&self.layer, before) {
            0
        } else {
            let tiles = self.layer.pixels.tiles.unshared(&before.pixels.tiles);
            size_of::<Layer>() + TILE_COUNT * size_of::<Arc<()>>() + tiles * TILE_BYTES
        };
        layer + self.queue.unshared_bytes(earlier.map(|pen| &pen.queue))
    }

    fn push(&mut self, mark: Mark, skins: &SkinSet) {
        if self.queue.len() >= MAX_QUEUED {
            self.draw_all(skins);
        }
        self.queue.push(mark);
    }

    pub(super) fn stamp(&mut self, stamp: Stamp, skins: &SkinSet) {
        self.push(Mark::Stamp(Arc::new(stamp)), skins);
    }

    pub(super) fn draw_all(&mut self, skins: &SkinSet) {
        self.draw(skins, Rect::STAGE);
    }

    /// Draws the queued marks on the tiles that contain the pixels of an area or their
    /// neighbours.
    pub(super) fn draw(&mut self, skins: &SkinSet, area: Rect) {
        if !self.queue.is_pending(area) {
            return;
        }
        let layer = Arc::make_mut(&mut self.layer);
        layer.pixels.hull = OnceLock::new();
        self.queue.draw(layer, skins, area);
    }

    /// Whether two pens have the same drawable, and the same pixels after all queued marks are
    /// drawn.
    pub(super) fn same(&self, other: &Self, skins: &SkinSet) -> bool {
        let same_layer = || {
            Arc::ptr_eq(&self.layer, &other.layer)
                || self.layer.pixels.same_pixels(&other.layer.pixels)
        };
        let same_pixels = || {
            let [mut a, mut b] = [self.clone(), other.clone()];
            a.draw_all(skins);
            b.draw_all(skins);
            a.layer.pixels.same_pixels(&b.layer.pixels)
        };
        self.id == other.id && (self.queue.same(&other.queue) && same_layer() || same_pixels())
    }
}

#[cfg(test)]
mod tests {
    use rusty_fork::rusty_fork_test;

    use super::super::pen_layer::{COLUMNS, ROWS};
    use super::*;
    use crate::limits::Limits;
    use crate::skin::SkinSetBuilder;

    fn scene() -> Scene {
        Scene::new(Arc::new(SkinSetBuilder::new(Limits::default()).build()))
    }

    fn stroke(diameter: f64, opacity: f64) -> PenStroke {
        PenStroke { rgba: [0.0, 0.0, 1.0, opacity], diameter }
    }

    fn inked(scene: &Scene) -> Vec<(usize, usize, [u8; 4])> {
        let mut pen = scene.pen.clone().unwrap();
        pen.draw_all(&scene.skins);
        let layer = pen.layer();
        (0..ROWS)
            .flat_map(|row| (0..COLUMNS).map(move |column| (column, row)))
            .map(|(column, row)| (column, row, layer.pixel(column, row)))
            .filter(|(.., pixel)| pixel[3] > 0)
            .collect()
    }

    #[test]
    fn a_dot_of_size_one_fills_one_pixel() {
        let mut scene = scene();
        scene.pen_line((10.0, 20.0), (10.0, 20.0), &stroke(1.0, 1.0));
        assert_eq!(inked(&scene), [(250, 159, [0, 0, 255, 255])]);
    }

    #[test]
    fn a_dot_of_size_two_shades_four_pixels() {
        let mut scene = scene();
        scene.pen_line((0.0, 0.0), (0.0, 0.0), &stroke(2.0, 1.0));
        let pixel = [0, 0, 202, 202];
        assert_eq!(
            inked(&scene),
            [(239, 179, pixel), (240, 179, pixel), (239, 180, pixel), (240, 180, pixel)]
        );
    }

    #[test]
    fn joints_of_translucent_lines_are_darker_and_lines_are_not() {
        let mut scene = scene();
        scene.pen_line((-5.0, 0.0), (5.0, 0.0), &stroke(1.0, 0.5));
        assert!(inked(&scene).iter().all(|(.., pixel)| pixel[3] == 128));
        scene.pen_line((5.0, 0.0), (9.0, 0.0), &stroke(1.0, 0.5));
        let twice = inked(&scene).iter().filter(|(.., pixel)| pixel[3] == 192).count();
        assert_eq!((inked(&scene).len(), twice), (15, 1));
    }

    #[test]
    fn no_line_of_many_is_lost() {
        let mut scene = scene();
        let dots = MAX_QUEUED + 400;
        for dot in 0..dots {
            let at = ((dot % 480) as f64 - 240.0, (dot / 480) as f64);
            scene.pen_line(at, at, &stroke(1.0, 1.0));
        }
        assert_eq!(inked(&scene).len(), dots);
    }

    rusty_fork_test! {
        #![rusty_fork(timeout_ms = 60_000)]

        #[test]
        fn lines_without_finite_ends_are_harmless() {
            let mut scene = scene();
            for x in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
                scene.pen_line((x, 0.0), (0.0, x), &stroke(1200.0, 1.0));
            }
            let skins = Arc::clone(&scene.skins);
            scene.pen().draw_all(&skins);
        }
    }

    #[test]
    fn a_drawing_is_taken_over() {
        let blank = scene();
        let mut drawn = blank.clone();
        drawn.pen_line((0.0, 0.0), (0.0, 0.0), &stroke(1.0, 1.0));
        let mut other = blank.clone();
        other.add(Group::Sprite);
        other.take_drawing(&blank);
        assert!(other.pen.is_none());
        other.take_drawing(&drawn);
        assert_eq!((inked(&other).len(), inked(&other)), (1, inked(&drawn)));
    }

    #[test]
    fn layers_are_copied_on_write() {
        let mut scene = scene();
        scene.pen_line((0.0, 0.0), (9.0, 9.0), &stroke(1.0, 1.0));
        let mut copy = scene.clone();
        assert_eq!(scene, copy);
        copy.pen_line((0.0, 0.0), (0.0, 0.0), &stroke(5.0, 1.0));
        assert_ne!(scene, copy);
        // Drawing the queued strokes makes no difference.
        let mut flushed = copy.clone();
        let skins = Arc::clone(&flushed.skins);
        flushed.pen().draw_all(&skins);
        assert_eq!(flushed, copy);
        assert_ne!(flushed, scene);
        scene.pen_clear();
        assert!(inked(&scene).is_empty() && !inked(&copy).is_empty());
    }

    #[test]
    fn a_queue_in_several_parts_is_restored() {
        let mut scene = scene();
        let dots = |scene: &mut Scene, from: u32, to: u32| {
            for dot in from..to {
                scene.pen_line((f64::from(dot), 0.0), (f64::from(dot), 0.0), &stroke(1.0, 1.0));
            }
        };
        dots(&mut scene, 0, 100);
        let earlier = scene.clone();
        dots(&mut scene, 100, 230);
        let later = scene.clone();
        for (to, count) in [(&earlier, 100), (&later, 230), (&earlier, 100)] {
            scene.clone_from(to);
            assert_eq!((inked(&scene).len(), &scene), (count, to));
            dots(&mut scene, 100, 150);
            assert_eq!(inked(&scene).len(), count.max(150));
        }
        assert_eq!((inked(&earlier).len(), inked(&later).len()), (100, 230));
    }

    #[test]
    fn the_layer_is_a_drawable_between_stage_and_sprites() {
        let mut scene = scene();
        scene.add(Group::Background);
        let sprite = scene.add(Group::Sprite);
        assert_eq!(scene.order(sprite), 1);
        scene.pen_clear();
        assert_eq!(scene.order(sprite), 2);
        scene.pen_clear();
        assert_eq!(scene.order(sprite), 2);
    }
}
