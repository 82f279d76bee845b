//! Lines and stamps that are not yet drawn on the pen layer, and the tiles on which they are.
//!
//! Marks are drawn in their order on each pixel, whichever tiles are drawn first.

use std::ops::Range;
use std::sync::Arc;

use super::fingerprint::Fingerprint;
use super::pen::{COLUMNS, Layer, ROWS};
use super::pen_line::Line;
use super::stamp::Stamp;
use crate::bounds::{Rect, STAGE_X, STAGE_Y};
use crate::rounding::clamp;
use crate::skin::SkinSet;

/// Most queued marks; lines take about 300 KB.
pub(super) const MAX_QUEUED: usize = 4096;

/// Columns and rows of a tile, in pixels.
const TILE: (usize, usize) = (32, 30);
/// Tiles in a row and rows of tiles.
const TILES: (usize, usize) = (COLUMNS / TILE.0, ROWS / TILE.1);
/// Number of tiles.
pub(super) const TILE_COUNT: usize = TILES.0 * TILES.1;

/// A box of pixels of the layer; empty if one of the ranges is.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Pixels {
    pub(super) columns: Range<usize>,
    pub(super) rows: Range<usize>,
}

impl Pixels {
    fn of_tile(tile: usize) -> Self {
        let (left, top) = (tile % TILES.0 * TILE.0, tile / TILES.0 * TILE.1);
        Self { columns: left..left + TILE.0, rows: top..top + TILE.1 }
    }

    fn intersects(&self, other: &Self) -> bool {
        !common(&self.columns, &other.columns).is_empty()
            && !common(&self.rows, &other.rows).is_empty()
    }
}

/// The numbers that are in both ranges.
pub(super) fn common(a: &Range<usize>, b: &Range<usize>) -> Range<usize> {
    a.start.max(b.start)..a.end.min(b.end)
}

/// A line or a stamp.
#[derive(Clone, Debug)]
pub(super) enum Mark {
    Line(Line),
    Stamp(Arc<Stamp>),
}

impl Mark {
    fn print(&self) -> Fingerprint {
        match self {
            Self::Line(line) => line.print(),
            Self::Stamp(stamp) => stamp.print(),
        }
    }

    fn same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Line(line), Self::Line(other)) => line == other,
            (Self::Stamp(stamp), Self::Stamp(other)) => Arc::ptr_eq(stamp, other),
            _ => false,
        }
    }
}

/// Marks in their order, each with a box around it, and how many of them are drawn on each tile.
#[derive(Clone, Debug)]
pub(super) struct Queue {
    marks: Vec<(Mark, Pixels)>,
    drawn: [u16; TILE_COUNT],
}

impl Default for Queue {
    fn default() -> Self {
        Self { marks: Vec::new(), drawn: [0; TILE_COUNT] }
    }
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.marks.len()
    }

    pub(super) fn clear(&mut self) {
        self.marks.clear();
        self.drawn = [0; TILE_COUNT];
    }

    /// Whether the same marks are drawn on the same tiles.
    pub(super) fn same(&self, other: &Self) -> bool {
        let pairs = || self.marks.iter().zip(&other.marks);
        self.len() == other.len()
            && self.drawn == other.drawn
            && pairs().all(|((mark, _), (other, _))| mark.same(other))
    }

    pub(super) fn push(&mut self, mark: Mark) {
        let pixels = match &mark {
            Mark::Line(line) => line.pixels(),
            Mark::Stamp(stamp) => stamp.pixels(),
        };
        self.marks.push((mark, pixels));
    }

    /// Whether some mark is not drawn on a tile of an area.
    pub(super) fn is_pending(&self, area: Rect) -> bool {
        !self.marks.is_empty()
            && tiles(area).any(|tile| usize::from(self.drawn[tile]) < self.marks.len())
    }

    /// Draws the marks on the tiles of an area.
    pub(super) fn draw(&mut self, layer: &mut Layer, skins: &SkinSet, area: Rect) {
        for tile in tiles(area) {
            let within = Pixels::of_tile(tile);
            for (mark, pixels) in &self.marks[usize::from(self.drawn[tile])..] {
                if pixels.intersects(&within) {
                    layer.drawn(tile, mark.print());
                    match mark {
                        Mark::Line(line) => line.draw(&mut layer.pixels, &within),
                        Mark::Stamp(stamp) => stamp.draw(&mut layer.pixels, skins, &within),
                    }
                }
            }
            self.drawn[tile] = self.marks.len() as u16;
        }
        if self.drawn.iter().all(|&drawn| usize::from(drawn) == self.marks.len()) {
            self.clear();
        }
    }
}

/// The tiles with the pixels of an area. Queries sample the pixels at most two beyond it.
pub(super) fn tiles(area: Rect) -> impl Iterator<Item = usize> {
    const BEYOND: f64 = 2.0;
    let number = |at: f64, side: usize, count: usize| {
        // The cast saturates, and NaN cannot be, because areas are intersected with the stage.
        (clamp(at, 0.0, f64::MAX) as usize / side).min(count - 1)
    };
    let column = |x: f64| number(x + STAGE_X, TILE.0, TILES.0);
    let row = |y: f64| number(STAGE_Y - y, TILE.1, TILES.1);
    let columns = column(area.left - BEYOND)..=column(area.right + BEYOND);
    let rows = row(area.top + BEYOND)..=row(area.bottom - BEYOND);
    rows.flat_map(move |row| columns.clone().map(move |column| row * TILES.0 + column))
}
