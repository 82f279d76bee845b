//! Rasters of skins: pixels, and a bit mask of the pixels that are not fully transparent.

use std::sync::{Arc, OnceLock};

use crate::bounds::HullPoints;
use crate::palette::Palette;
use crate::rounding::clamped_byte;
use crate::tiles::{TILE, Tiles};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Alpha {
    Straight,
    Premultiplied,
}

impl Alpha {
    #[inline]
    fn premultiplied(self, pixel: [u8; 4]) -> [u8; 4] {
        match self {
            Self::Straight => premultiplied(pixel),
            Self::Premultiplied => pixel,
        }
    }
}

/// One raster of a skin. The raster of the pen layer has its pixels in tiles.
#[derive(Clone, Debug)]
pub(crate) struct Silhouette {
    width: usize,
    height: usize,
    /// Number of mask words in one row.
    stride: usize,
    mask: Vec<u64>,
    pixels: Vec<[u8; 4]>,
    /// The pixels if `mask` and `pixels` are empty.
    pub(crate) tiles: Tiles,
    alpha: Alpha,
    /// The hull without shape effects.
    pub(crate) hull: OnceLock<Arc<HullPoints>>,
    palette: OnceLock<Palette>,
}

pub(crate) static EMPTY: Silhouette = Silhouette {
    width: 0,
    height: 0,
    stride: 0,
    mask: Vec::new(),
    pixels: Vec::new(),
    tiles: Tiles::NONE,
    alpha: Alpha::Straight,
    hull: OnceLock::new(),
    palette: OnceLock::new(),
};

impl Silhouette {
    /// A raster of `width` times `height` pixels, rows from the top.
    pub(crate) fn new(width: usize, height: usize, pixels: Vec<[u8; 4]>, alpha: Alpha) -> Self {
        debug_assert_eq!(pixels.len(), width * height);
        let stride = width.div_ceil(64);
        let mut mask = vec![0; stride * height];
        if width > 0 {
            for (row, words) in pixels.chunks_exact(width).zip(mask.chunks_exact_mut(stride)) {
                for (x, pixel) in row.iter().enumerate() {
                    words[x / 64] |= u64::from(pixel[3] > 0) << (x % 64);
                }
            }
        }
        Self {
            width,
            height,
            stride,
            mask,
            pixels,
            tiles: Tiles::NONE,
            alpha,
            hull: OnceLock::new(),
            palette: OnceLock::new(),
        }
    }

    pub(crate) fn blank(across: usize, down: usize) -> Self {
        Self {
            width: across * TILE.0,
            height: down * TILE.1,
            tiles: Tiles::blank(across, down),
            alpha: Alpha::Premultiplied,
            ..Self::new(0, 0, Vec::new(), Alpha::Premultiplied)
        }
    }

    pub(crate) fn same_pixels(&self, other: &Self) -> bool {
        self.width == other.width && self.pixels == other.pixels && self.tiles == other.tiles
    }

    /// Column and row of texture coordinates, which are scaled by the width minus 1 and the height
    /// minus 1.
    #[inline]
    pub(crate) fn texel(&self, (u, v): (f64, f64)) -> (i32, i32) {
        (index(u, self.width), index(v, self.height))
    }

    #[inline]
    pub(crate) fn solid(&self, column: i32, row: i32) -> bool {
        // Negative numbers become large, so one comparison for each axis is enough.
        let (x, y) = (column as u32 as usize, row as u32 as usize);
        x < self.width
            && y < self.height
            && match self.mask.get(y * self.stride + x / 64) {
                Some(word) => word >> (x % 64) & 1 == 1,
                None => self.tiles.pixel(x, y)[3] > 0,
            }
    }

    /// Touching with one sample. The coordinates are not checked, so the last row and column extend
    /// one texel beyond the costume.
    #[inline]
    pub(crate) fn touches_nearest(&self, texture: (f64, f64)) -> bool {
        let (column, row) = self.texel(texture);
        self.solid(column, row)
    }

    /// Touching with four samples.
    #[inline]
    pub(crate) fn touches_linear(&self, texture: (f64, f64)) -> bool {
        let (column, row) = self.texel(texture);
        self.solid_around(column, row)
    }

    #[inline]
    pub(crate) fn solid_around(&self, column: i32, row: i32) -> bool {
        self.solid(column, row)
            || self.solid(column + 1, row)
            || self.solid(column, row + 1)
            || self.solid(column + 1, row + 1)
    }

    /// The premultiplied colour at texture coordinates.
    #[inline]
    pub(crate) fn color(&self, (u, v): (f64, f64)) -> [u8; 4] {
        if u < 0.0 || v < 0.0 || u > 1.0 || v > 1.0 || self.is_empty() {
            return [0; 4];
        }
        // NaN reads the last texel.
        let last = |length: usize, index: i32, t: f64| {
            if t.is_nan() { length - 1 } else { (index.max(0) as usize).min(length - 1) }
        };
        let (column, row) = self.texel((u, v));
        self.pixel(last(self.width, column, u), last(self.height, row, v))
    }

    /// The colours of a raster without tiles. Cached, because such rasters never change.
    pub(crate) fn palette(&self) -> &Palette {
        debug_assert_eq!(self.tiles, Tiles::NONE);
        self.palette.get_or_init(|| {
            Palette::of(self.pixels.iter().map(|&pixel| self.alpha.premultiplied(pixel)))
        })
    }

    /// The index, in row-major order, of the pixel that [`color`](Self::color) reads for texture
    /// coordinates in the unit square. The raster must not be empty.
    #[inline]
    pub(crate) fn place(&self, texture: (f64, f64)) -> u32 {
        let (column, row) = self.texel(texture);
        let (column, row) = (column.max(0) as u32, row.max(0) as u32);
        let (width, height) = (self.width as u32, self.height as u32);
        row.min(height - 1) * width + column.min(width - 1)
    }

    /// The premultiplied pixel of a [`place`](Self::place).
    #[inline]
    pub(crate) fn pixel_at(&self, place: usize) -> [u8; 4] {
        match self.pixels.get(place) {
            Some(&pixel) => self.alpha.premultiplied(pixel),
            None => self.tiles.pixel(place % self.width, place / self.width),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.width == 0 || self.height == 0
    }

    pub(crate) fn width(&self) -> usize {
        self.width
    }

    pub(crate) fn height(&self) -> usize {
        self.height
    }

    /// The premultiplied pixel of a column and a row inside the raster.
    #[inline]
    pub(crate) fn pixel(&self, column: usize, row: usize) -> [u8; 4] {
        match self.pixels.get(row * self.width + column) {
            Some(&pixel) => self.alpha.premultiplied(pixel),
            None => self.tiles.pixel(column, row),
        }
    }
}

/// `floor(t * (length - 1))`, clamped to a range that is larger than any raster; NaN becomes the
/// lower end of this range.
#[inline]
fn index(t: f64, length: usize) -> i32 {
    // After adding this number, no bits remain for a fraction, so the lower bits are the integer.
    // Without special instructions, the addition is much faster than `floor`, and can be
    // vectorised.
    const NO_FRACTION: f64 = (3_u64 << 51) as f64;
    #[expect(clippy::manual_clamp, reason = "`clamp` keeps NaN")]
    let scaled = (t * (length as f64 - 1.0)).max(-1e6).min(1e9);
    let sum = scaled + NO_FRACTION;
    sum.to_bits() as i32 - i32::from(sum - NO_FRACTION > scaled)
}

#[inline]
fn premultiplied(pixel: [u8; 4]) -> [u8; 4] {
    match pixel[3] {
        0 => [0; 4],
        255 => pixel,
        _ => multiplied(pixel),
    }
}

fn multiplied([r, g, b, a]: [u8; 4]) -> [u8; 4] {
    let factor = f64::from(a) / 255.0;
    let times = |channel: u8| clamped_byte(f64::from(channel) * factor);
    [times(r), times(g), times(b), a]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn opaque(width: usize, height: usize) -> Silhouette {
        Silhouette::new(width, height, vec![[9, 9, 9, 255]; width * height], Alpha::Straight)
    }

    #[test]
    fn the_last_column_reaches_one_texel_further() {
        let silhouette = opaque(480, 360);
        assert!(silhouette.touches_nearest((481.0 / 480.0, 0.0)));
        assert!(!silhouette.touches_nearest((482.0 / 480.0, 0.0)));
        assert!(!silhouette.touches_nearest((-1.0 / 480.0, 0.0)));
    }

    #[test]
    fn a_single_texel_touches_everywhere() {
        assert!(opaque(1, 1).touches_nearest((-1000.0, 1000.0)));
        assert!(!opaque(1, 1).touches_nearest((f64::NAN, 0.0)));
    }

    #[test]
    fn nothing_touches_an_empty_raster() {
        let empty = &EMPTY;
        for u in [0.0, 0.5, 1.0, f64::NAN, f64::INFINITY] {
            assert!(!empty.touches_nearest((u, 0.0)) && !empty.touches_linear((u, 0.0)));
            assert_eq!(empty.color((u, 0.0)), [0; 4]);
        }
    }

    #[test]
    fn an_alpha_of_one_is_solid() {
        let faint = Silhouette::new(2, 1, vec![[255, 0, 0, 1], [0; 4]], Alpha::Straight);
        assert!(faint.touches_nearest((0.0, 0.0)));
        assert!(!faint.touches_nearest((1.0, 0.0)));
        assert_eq!(faint.color((0.0, 0.0)), [1, 0, 0, 1]);
    }

    #[test]
    fn without_coordinates_the_last_texel_gives_the_colour() {
        let two = Silhouette::new(2, 1, vec![[1, 1, 1, 255], [2, 2, 2, 255]], Alpha::Straight);
        assert_eq!(two.color((f64::NAN, f64::NAN)), [2, 2, 2, 255]);
    }
}
