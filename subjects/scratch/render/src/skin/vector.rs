//! Vector costumes. The size is computed when a costume is loaded; rasters, which are scaled by
//! powers of two, are computed when they are needed.

use std::sync::OnceLock;

use resvg::{tiny_skia, usvg};

use crate::limits::{Limits, SkinError};
use crate::raster::{self, Edges};
use crate::silhouette::{Alpha, Silhouette};
use crate::svg::Document;

/// Number of the raster at 100 %; the next number doubles the scale.
const FULL_SIZE: i32 = 8;
/// Maximum width and height of rasters above 100 %, in pixels.
const MAX_SIDE: f64 = 2048.0;
/// Number of rasters: a costume of one unit may be enlarged by 2^11.
const LEVELS: usize = FULL_SIZE as usize + 12;

#[derive(Debug)]
pub(super) struct Vector {
    document: Document,
    size: (f64, f64),
    center: (f64, f64),
    largest_scale: f64,
    edges: Edges,
    tree: OnceLock<Option<usvg::Tree>>,
    rasters: [OnceLock<Silhouette>; LEVELS],
}

impl Vector {
    pub(super) fn new(
        bytes: &[u8],
        center: Option<(f64, f64)>,
        edges: Edges,
        limits: &Limits,
    ) -> Result<Self, SkinError> {
        let document = Document::new(bytes, limits)?;
        let view = document.view_box();
        let (w, h) = (view.width, view.height);
        if w.max(h) > f64::from(limits.side) || w * h > limits.pixels as f64 {
            let Limits { side, pixels, .. } = *limits;
            return Err(SkinError::PictureTooLarge { width: w, height: h, side, pixels });
        }
        let visible = w > 0.0 && h > 0.0;
        let center = if visible {
            let (x, y) = center.unwrap_or((w / 2.0, h / 2.0));
            // The origin is subtracted from the default as well.
            (x - view.x, y - view.y)
        } else {
            (0.0, 0.0)
        };
        let size = match (w > 0.0, h > 0.0) {
            (true, true) => (w, h),
            (true, false) => (w, 0.0),
            (false, _) => (0.0, 0.0),
        };
        Ok(Self {
            document,
            size,
            center,
            largest_scale: largest_scale(size),
            edges,
            tree: OnceLock::new(),
            rasters: [const { OnceLock::new() }; LEVELS],
        })
    }

    pub(super) fn size(&self) -> (f64, f64) {
        self.size
    }

    pub(super) fn center(&self) -> (f64, f64) {
        self.center
    }

    fn visible(&self) -> bool {
        self.size.0 > 0.0 && self.size.1 > 0.0
    }

    /// The number of the raster for a scale in percent.
    pub(super) fn level(&self, (sx, sy): (f32, f32)) -> Option<usize> {
        if !self.visible() {
            return Some(0);
        }
        let wanted = f64::from(sx).abs().max(f64::from(sy).abs()) / 100.0;
        let scale = wanted.min(self.largest_scale);
        // The cast saturates for the logarithm of 0.
        let number = (libm::log2(scale).ceil() as i32).saturating_add(FULL_SIZE).max(0) as usize;
        let (columns, rows) = self.raster_size(number);
        let (width, height) = self.document.intrinsic_size();
        let drawn = columns > 0 && rows > 0 && width.round() > 0.0 && height.round() > 0.0;
        drawn.then_some(number)
    }

    fn raster_size(&self, number: usize) -> (u32, u32) {
        let scale = scale_of(number);
        ((self.size.0 * scale) as u32, (self.size.1 * scale) as u32)
    }

    pub(super) fn silhouette(&self, number: usize) -> &Silhouette {
        self.rasters[number].get_or_init(|| {
            if !self.visible() {
                return Silhouette::new(1, 1, vec![[0; 4]], Alpha::Straight);
            }
            let (width, height) = self.raster_size(number);
            let pixels = self
                .rasterise(number, width, height)
                .unwrap_or_else(|| vec![[0; 4]; width as usize * height as usize]);
            Silhouette::new(width as usize, height as usize, pixels, Alpha::Straight)
        })
    }

    /// Draws the document with its intrinsic size times the scale, independently of the size of the
    /// raster.
    fn rasterise(&self, number: usize, width: u32, height: u32) -> Option<Vec<[u8; 4]>> {
        let tree = self.tree.get_or_init(|| self.document.tree()).as_ref()?;
        let mut pixmap = tiny_skia::Pixmap::new(width, height)?;
        let scale = scale_of(number);
        let (wider, higher) = self.document.stretch();
        let transform =
            tiny_skia::Transform::from_scale((scale * wider) as f32, (scale * higher) as f32);
        let pixels = f64::from(width) * f64::from(height);
        if !self.document.allows(raster::RasterCost::estimate(tree, transform, pixels)) {
            return None;
        }
        raster::draw(tree, transform, self.edges, &mut pixmap);
        // A picture shows nothing outside its intrinsic box.
        let (shown_width, shown_height) = self.document.intrinsic_size();
        let last_column = (shown_width * scale).ceil() as usize;
        let last_row = (shown_height * scale).ceil() as usize;
        let width = width as usize;
        let pixels = pixmap.pixels().iter().enumerate().map(|(index, pixel)| {
            if index % width >= last_column || index / width >= last_row {
                return [0; 4];
            }
            let color = pixel.demultiply();
            [color.red(), color.green(), color.blue(), color.alpha()]
        });
        Some(pixels.collect())
    }
}

fn scale_of(number: usize) -> f64 {
    libm::ldexp(1.0, number as i32 - FULL_SIZE)
}

/// The largest power of two by which a costume may be enlarged.
fn largest_scale((w, h): (f64, f64)) -> f64 {
    let side = w.max(h).ceil();
    let mut scale = 1.0;
    let mut next = 2.0;
    while next <= MAX_SIDE && side * next <= MAX_SIDE {
        scale = next;
        next *= 2.0;
    }
    scale
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vector(svg: &str) -> Vector {
        Vector::new(svg.as_bytes(), None, Edges::Device, &Limits::default()).unwrap()
    }

    #[test]
    fn large_costumes_grow_less() {
        for (size, scale) in [
            ((3000.0, 10.0), 1.0),
            ((700.0, 600.0), 2.0),
            ((60.0, 60.0), 32.0),
            ((0.5, 0.5), 2048.0),
        ] {
            assert_eq!(largest_scale(size), scale, "{size:?}");
        }
    }

    #[test]
    fn scales_map_to_powers_of_two() {
        let square = vector(r#"<svg viewBox="0 0 60 60"/>"#);
        for (percent, number) in [
            (100.0, 8),
            (50.5, 8),
            (50.0, 7),
            (100.5, 9),
            (200.0, 9),
            (25.0, 6),
            (1e6, 13),
            (-150.0, 9),
        ] {
            assert_eq!(square.level((percent, percent)), Some(number), "{percent}");
        }
        assert_eq!(square.level((1.0, 1.0)), None, "60/64 of a pixel is not a raster");
        assert_eq!(square.level((0.0, 0.0)), None);
    }

    #[test]
    fn the_origin_is_subtracted_from_the_default_centre() {
        let square = vector(r#"<svg viewBox="10 20 50 50"/>"#);
        assert_eq!(square.size(), (50.0, 50.0));
        assert_eq!(square.center(), (15.0, 5.0));
    }
}
