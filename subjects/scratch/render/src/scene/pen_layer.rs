//! The pixels of the pen layer, in tiles.

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::fingerprint::Fingerprint;
use crate::bounds::{Rect, STAGE_X, STAGE_Y};
use crate::rounding::clamp;
use crate::silhouette::Silhouette;
use crate::tiles::TILE;

pub(super) const COLUMNS: usize = 480;
pub(super) const ROWS: usize = 360;

/// Number of tiles in a row, and number of rows of tiles.
pub(super) const TILES: (usize, usize) = (COLUMNS / TILE.0, ROWS / TILE.1);
pub(super) const TILE_COUNT: usize = TILES.0 * TILES.1;

#[derive(Clone, Debug)]
pub(super) struct Layer {
    pub(super) pixels: Silhouette,
    /// Fingerprint of everything drawn on each tile since the tile was blank.
    pub(super) tiles: [Fingerprint; TILE_COUNT],
    /// Fingerprint of everything drawn on all tiles.
    pub(super) whole: Fingerprint,
}

impl Layer {
    pub(super) fn drawn(&mut self, tile: usize, mark: Fingerprint) {
        let place = Fingerprint::of(tile as u64);
        let old = self.tiles[tile];
        let new = old.and(mark);
        self.tiles[tile] = new;
        self.whole = self.whole.exchange(place.and(old), place.and(new));
    }
}

pub(super) fn blank_layer() -> Arc<Layer> {
    static BLANK: OnceLock<Arc<Layer>> = OnceLock::new();
    let blank = BLANK.get_or_init(|| {
        let pixels = Silhouette::blank(TILES.0, TILES.1);
        let (tiles, whole) = ([Fingerprint::default(); TILE_COUNT], Fingerprint::default());
        Arc::new(Layer { pixels, tiles, whole })
    });
    Arc::clone(blank)
}

/// A rectangle of pixels of the layer. It is empty if one of the ranges is empty.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pixels {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Pixels {
    pub(super) fn of_tile(tile: usize) -> Self {
        let (left, top) = (tile % TILES.0 * TILE.0, tile / TILES.0 * TILE.1);
        Self { columns: left..left + TILE.0, rows: top..top + TILE.1 }
    }

    pub(super) fn intersects(&self, other: &Self) -> bool {
        !common(&self.columns, &other.columns).is_empty()
            && !common(&self.rows, &other.rows).is_empty()
    }
}

pub(super) fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

#[derive(Clone, Debug)]
pub(super) struct TileBox {
    columns: Range<usize>,
    rows: Range<usize>,
}

impl TileBox {
    pub(super) fn of(pixels: &Pixels) -> Self {
        let numbers = |range: &Range<usize>, side: usize| {
            if range.is_empty() { 0..0 } else { range.start / side..(range.end - 1) / side + 1 }
        };
        Self { columns: numbers(&pixels.columns, TILE.0), rows: numbers(&pixels.rows, TILE.1) }
    }

    /// The tiles with the pixels of an area, and of a margin of two pixels, because queries sample
    /// pixels next to the area.
    pub(super) fn around(area: Rect) -> Self {
        const BEYOND: f64 = 2.0;
        let number = |at: f64, side: usize, count: usize| {
            // The cast saturates and maps NaN to 0.
            (clamp(at, 0.0, f64::MAX) as usize / side).min(count - 1)
        };
        let column = |x: f64| number(x + STAGE_X, TILE.0, TILES.0);
        let row = |y: f64| number(STAGE_Y - y, TILE.1, TILES.1);
        Self {
            columns: column(area.left - BEYOND)..column(area.right + BEYOND) + 1,
            rows: row(area.top + BEYOND)..row(area.bottom - BEYOND) + 1,
        }
    }

    pub(super) fn intersection(&self, other: &Self) -> Self {
        Self {
            columns: common(&self.columns, &other.columns),
            rows: common(&self.rows, &other.rows),
        }
    }

    pub(super) fn pixels(&self) -> Pixels {
        let pixels = |range: &Range<usize>, side: usize| range.start * side..range.end * side;
        Pixels { columns: pixels(&self.columns, TILE.0), rows: pixels(&self.rows, TILE.1) }
    }

    /// The numbers of the tiles. Tiles are numbered row by row.
    pub(super) fn tiles(&self) -> impl Iterator<Item = usize> + use<> {
        let columns = self.columns.clone();
        self.rows
            .clone()
            .flat_map(move |row| columns.clone().map(move |column| row * TILES.0 + column))
    }
}
