//! Pixels of the pen layer in tiles. Copies of the layer share a tile until one copy draws on the
//! tile.

use std::sync::{Arc, OnceLock};

use crate::color::source_over;

/// Columns and rows of a tile, in pixels.
pub(crate) const TILE: (usize, usize) = (32, 30);
const TILE_PIXELS: usize = TILE.0 * TILE.1;
pub(crate) const TILE_BYTES: usize = 4 * TILE_PIXELS;

/// Premultiplied pixels of a tile, rows from the top.
type Tile = [[u8; 4]; TILE_PIXELS];

/// Premultiplied pixels of a raster whose width and height are multiples of the width and height of
/// a tile.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tiles {
    across: usize,
    tiles: Vec<Arc<Tile>>,
}

impl Tiles {
    pub(crate) const NONE: Self = Self { across: 0, tiles: Vec::new() };

    pub(crate) fn blank(across: usize, down: usize) -> Self {
        static BLANK: OnceLock<Arc<Tile>> = OnceLock::new();
        let blank = BLANK.get_or_init(|| Arc::new([[0; 4]; TILE_PIXELS]));
        Self { across, tiles: vec![Arc::clone(blank); across * down] }
    }

    #[inline]
    pub(crate) fn pixel(&self, column: usize, row: usize) -> [u8; 4] {
        let tile = row / TILE.1 * self.across + column / TILE.0;
        self.tiles[tile][row % TILE.1 * TILE.0 + column % TILE.0]
    }

    /// A tile to draw on. Tiles are numbered row by row.
    pub(crate) fn canvas(&mut self, tile: usize) -> Canvas<'_> {
        let (left, top) = (tile % self.across * TILE.0, tile / self.across * TILE.1);
        Canvas { left, top, shared: Some(&mut self.tiles[tile]), own: None }
    }

    /// The number of tiles that are not shared with another raster of the same size.
    pub(crate) fn unshared(&self, other: &Self) -> usize {
        let pairs = self.tiles.iter().zip(&other.tiles);
        pairs.filter(|(tile, other)| !Arc::ptr_eq(tile, other)).count()
    }
}

/// A tile to draw on. Columns and rows are counted from the corner of the whole raster.
pub(crate) struct Canvas<'a> {
    left: usize,
    top: usize,
    /// The tile before the first change.
    shared: Option<&'a mut Arc<Tile>>,
    /// The tile after the first change.
    own: Option<&'a mut Tile>,
}

impl Canvas<'_> {
    /// Composites a premultiplied colour (0 to 1) over a pixel inside the tile.
    pub(crate) fn paint(&mut self, column: usize, row: usize, source: [f64; 4]) {
        if let Some(pixel) = self.pixel(column, row) {
            *pixel = source_over(*pixel, source);
        }
    }

    pub(crate) fn replace(&mut self, column: usize, row: usize, pixel: [u8; 4]) {
        if let Some(old) = self.pixel(column, row) {
            *old = pixel;
        }
    }

    #[inline]
    fn pixel(&mut self, column: usize, row: usize) -> Option<&mut [u8; 4]> {
        if let Some(shared) = self.shared.take() {
            self.own = Some(Arc::make_mut(shared));
        }
        let tile = self.own.as_mut()?;
        tile.get_mut((row - self.top) * TILE.0 + column - self.left)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copies_share_tiles_until_one_is_drawn_on() {
        let blank = Tiles::blank(3, 2);
        let mut drawn = blank.clone();
        assert_eq!((drawn.unshared(&blank), &drawn), (0, &blank));
        // The second tile of the second row.
        drawn.canvas(4).paint(40, 35, [1.0, 0.0, 0.0, 1.0]);
        assert_eq!((drawn.unshared(&blank), drawn == blank), (1, false));
        let copy = drawn.clone();
        drawn.canvas(4).paint(63, 59, [0.0, 0.0, 1.0, 1.0]);
        assert_eq!((drawn.unshared(&copy), drawn.unshared(&blank)), (1, 1));
        for row in 0..60 {
            for column in 0..96 {
                let expected = match (column, row) {
                    (40, 35) => [255, 0, 0, 255],
                    (63, 59) => [0, 0, 255, 255],
                    _ => [0; 4],
                };
                assert_eq!(drawn.pixel(column, row), expected);
                assert_eq!(copy.pixel(column, row) == expected, (column, row) != (63, 59));
                assert_eq!(blank.pixel(column, row), [0; 4]);
            }
        }
    }
}
