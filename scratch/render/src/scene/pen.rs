//! The pen layer and its lines.

use std::sync::{Arc, OnceLock};

use super::drawable::Look;
use super::{DrawableId, Group, Scene};
use crate::bounds::{STAGE_X, STAGE_Y};
use crate::rounding::clamp;
use crate::silhouette::{Alpha, Silhouette};

/// Number of columns of the pen layer.
pub(super) const COLUMNS: usize = 480;
/// Number of rows of the pen layer.
pub(super) const ROWS: usize = 360;

/// Colour and width of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenStroke {
    /// Red, green, blue, not multiplied by opacity, and opacity; each from 0 to 1.
    pub rgba: [f64; 4],
    /// Width of the line in stage units, from 1 to 1200.
    pub diameter: f64,
}

/// Most queued lines; they take about 300 KB.
const MAX_QUEUED_LINES: usize = 4096;

/// The pen layer. Lines are drawn when a query needs the pixels, because many programs redraw
/// everything in every step but rarely sense colours.
#[derive(Clone, Debug)]
pub(super) struct Pen {
    pub(super) id: DrawableId,
    layer: Arc<Silhouette>,
    /// Lines that are not yet drawn on the layer.
    queued_lines: Vec<Line>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Line {
    from: (f64, f64),
    to: (f64, f64),
    stroke: PenStroke,
}

impl Scene {
    /// Makes the pen layer transparent.
    pub fn pen_clear(&mut self) {
        let pen = self.pen();
        pen.queued_lines.clear();
        pen.layer = blank_layer();
    }

    /// Draws a line with round ends; a dot if both ends are equal. A line does not blend with
    /// itself, because it is drawn in one pass. Coverage is computed exactly, without the 1/16
    /// pixel grid of a particular graphics driver.
    pub fn pen_line(&mut self, from: (f64, f64), to: (f64, f64), stroke: &PenStroke) {
        let ignored = self.colors_ignored;
        let pen = self.pen();
        if ignored {
            return;
        }
        if pen.queued_lines.len() >= MAX_QUEUED_LINES {
            pen.flush();
        }
        pen.queued_lines.push(Line { from, to, stroke: *stroke });
    }

    /// The pen. The first call creates it together with the drawable of its layer.
    pub(super) fn pen(&mut self) -> &mut Pen {
        if self.pen.is_none() {
            let id = self.add(Group::Pen);
            let skins = Arc::clone(&self.skins);
            if let Some(drawable) = self.get_mut(id) {
                drawable.set_look(Look::PenLayer, &skins);
            }
            self.pen = Some(Pen { id, layer: blank_layer(), queued_lines: Vec::new() });
        }
        self.pen.as_mut().expect("the pen was made above")
    }
}

impl Pen {
    /// The pixels, without the lines that are not [flushed](Self::flush).
    pub(super) fn layer(&self) -> &Silhouette {
        &self.layer
    }

    /// Bytes of queued lines and of pixels that are not shared with `earlier`.
    pub(super) fn unshared_bytes(&self, earlier: Option<&Self>) -> usize {
        let shared = earlier.map_or_else(blank_layer, |pen| Arc::clone(&pen.layer));
        let pixels = if Arc::ptr_eq(&self.layer, &shared) { 0 } else { 4 * COLUMNS * ROWS };
        size_of_val(&*self.queued_lines) + pixels
    }

    /// Draws the queued lines.
    pub(super) fn flush(&mut self) {
        if self.queued_lines.is_empty() {
            return;
        }
        let layer = Arc::make_mut(&mut self.layer);
        layer.hull = OnceLock::new();
        for line in self.queued_lines.drain(..) {
            line.draw(layer);
        }
    }

    /// The pixels for drawing, after the queued lines.
    pub(super) fn layer_mut(&mut self) -> &mut Silhouette {
        self.flush();
        let layer = Arc::make_mut(&mut self.layer);
        layer.hull = OnceLock::new();
        layer
    }
}

impl PartialEq for Pen {
    fn eq(&self, other: &Self) -> bool {
        let same_layer =
            || Arc::ptr_eq(&self.layer, &other.layer) || self.layer.same_pixels(&other.layer);
        let same_pixels = || {
            let [mut a, mut b] = [self.clone(), other.clone()];
            a.layer_mut().same_pixels(b.layer_mut())
        };
        self.id == other.id
            && (self.queued_lines == other.queued_lines && same_layer() || same_pixels())
    }
}

impl Line {
    fn draw(&self, layer: &mut Silhouette) {
        let Self { from, to, stroke } = *self;
        let offset = if stroke.diameter == 1.0 || stroke.diameter == 3.0 { 0.5 } else { 0.0 };
        let line = Segment::new(
            (from.0 + offset, from.1 + offset),
            (to.0 + offset, to.1 + offset),
            (stroke.diameter + 1.0) / 2.0,
        );
        let [r, g, b, a] = stroke.rgba;
        for row in line.rows() {
            let y = STAGE_Y - 0.5 - row as f64;
            for column in line.columns(y) {
                let x = column as f64 - (STAGE_X - 0.5);
                let coverage = line.coverage((x, y));
                if coverage > 0.0 {
                    let source = [r * a, g * a, b * a, a].map(|channel| channel * coverage);
                    layer.paint(column, row, source);
                }
            }
        }
    }
}

fn blank_layer() -> Arc<Silhouette> {
    static BLANK: OnceLock<Arc<Silhouette>> = OnceLock::new();
    let blank = BLANK.get_or_init(|| {
        let pixels = vec![[0; 4]; COLUMNS * ROWS];
        Arc::new(Silhouette::new(COLUMNS, ROWS, pixels, Alpha::Premultiplied))
    });
    Arc::clone(blank)
}

/// A line and the distance from it at which coverage ends.
struct Segment {
    from: (f64, f64),
    delta: (f64, f64),
    squared: f64,
    reach: f64,
}

impl Segment {
    fn new(from: (f64, f64), to: (f64, f64), reach: f64) -> Self {
        let delta = (to.0 - from.0, to.1 - from.1);
        Self { from, delta, squared: delta.0 * delta.0 + delta.1 * delta.1, reach }
    }

    fn coverage(&self, (x, y): (f64, f64)) -> f64 {
        let (px, py) = (x - self.from.0, y - self.from.1);
        let along = if self.squared > 0.0 {
            clamp((px * self.delta.0 + py * self.delta.1) / self.squared, 0.0, 1.0)
        } else {
            0.0
        };
        let (dx, dy) = (px - along * self.delta.0, py - along * self.delta.1);
        clamp(self.reach - (dx * dx + dy * dy).sqrt(), 0.0, 1.0)
    }

    /// Rows of the layer that the line may cover.
    fn rows(&self) -> std::ops::Range<usize> {
        let (y0, y1) = (self.from.1, self.from.1 + self.delta.1);
        let top = y0.max(y1) + self.reach;
        let bottom = y0.min(y1) - self.reach;
        pixels(STAGE_Y - top, STAGE_Y - bottom, ROWS)
    }

    /// Columns that the line may cover in the row whose centre is at `y`.
    fn columns(&self, y: f64) -> std::ops::Range<usize> {
        let (x0, dx, dy) = (self.from.0, self.delta.0, self.delta.1);
        let mut left = x0.min(x0 + dx) - self.reach;
        let mut right = x0.max(x0 + dx) + self.reach;
        // The band around the infinite line, slightly wider because of rounding.
        let middle = x0 + (y - self.from.1) * dx / dy;
        let half = (self.squared.sqrt() / dy).abs() * self.reach + 1.0;
        if middle.is_finite() && half.is_finite() {
            left = left.max(middle - half);
            right = right.min(middle + half);
        }
        pixels(left + STAGE_X, right + STAGE_X, COLUMNS)
    }
}

/// The pixels, of `count` in a row or column, that a closed interval intersects.
fn pixels(from: f64, to: f64, count: usize) -> std::ops::Range<usize> {
    let count = count as f64;
    // Casts saturate and map NaN to 0, so that nothing is drawn.
    clamp(from.floor(), 0.0, count) as usize..clamp(to.ceil(), 0.0, count) as usize
}

#[cfg(test)]
mod tests {
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
        let layer = pen.layer_mut();
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
    fn the_row_ranges_miss_nothing() {
        let ends = [
            ((-300.5, -200.25), (100.0, 90.0)),
            ((0.0, 0.0), (0.0, 100.0)),
            ((3.0, 3.0), (90.0, 3.5)),
            ((250.0, 10.0), (-250.0, 10.0)),
        ];
        for (from, to) in ends {
            for reach in [1.0, 3.3, 40.0] {
                let line = Segment::new(from, to, reach);
                for row in 0..ROWS {
                    let y = 179.5 - row as f64;
                    for column in 0..COLUMNS {
                        let x = column as f64 - 239.5;
                        let inside =
                            line.rows().contains(&row) && line.columns(y).contains(&column);
                        assert!(inside || line.coverage((x, y)) == 0.0);
                    }
                }
            }
        }
    }

    #[test]
    fn no_line_of_many_is_lost() {
        let mut scene = scene();
        let dots = MAX_QUEUED_LINES + 400;
        for dot in 0..dots {
            let at = ((dot % 480) as f64 - 240.0, (dot / 480) as f64);
            scene.pen_line(at, at, &stroke(1.0, 1.0));
        }
        assert_eq!(inked(&scene).len(), dots);
    }

    #[test]
    fn lines_without_finite_ends_are_harmless() {
        let mut scene = scene();
        for x in [f64::NAN, f64::INFINITY, -1e300, 1e300] {
            scene.pen_line((x, 0.0), (0.0, x), &stroke(1200.0, 1.0));
        }
        scene.pen().flush();
    }

    #[test]
    fn layers_are_copied_on_write() {
        let mut scene = scene();
        scene.pen_line((0.0, 0.0), (9.0, 9.0), &stroke(1.0, 1.0));
        let mut copy = scene.clone();
        assert_eq!(scene, copy);
        copy.pen_line((0.0, 0.0), (0.0, 0.0), &stroke(5.0, 1.0));
        assert_ne!(scene, copy);
        // Flushing makes no difference.
        let mut flushed = copy.clone();
        flushed.pen().flush();
        assert_eq!(flushed, copy);
        assert_ne!(flushed, scene);
        scene.pen_clear();
        assert!(inked(&scene).is_empty() && !inked(&copy).is_empty());
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
