//! Lines and stamps that are not yet drawn on all tiles of the pen layer, and the tiles on which
//! they are drawn.
//!
//! On each pixel, marks are drawn in their order, regardless of the order of the tiles.

use std::sync::Arc;

use super::fingerprint::Fingerprint;
use super::pen_layer::{Layer, Pixels, TILE_COUNT, TileBox};
use super::pen_line::Line;
use super::stamp::Stamp;
use crate::bounds::Rect;
use crate::skin::SkinSet;

/// Maximum number of queued marks. That many lines take about 450 KB.
pub(super) const MAX_QUEUED: usize = 4096;

/// Number of marks in each part that copies of a queue share.
const SHARED: usize = 64;

#[derive(Clone, Debug)]
pub(super) enum Mark {
    Line(Line),
    Stamp(Arc<Stamp>),
}

impl Mark {
    pub(super) fn print(&self) -> Fingerprint {
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

type Boxed = (Mark, Pixels);

/// Marks in their order, and the number of marks that are drawn on each tile.
#[derive(Debug)]
pub(super) struct Queue {
    /// Parts of [`SHARED`] marks each, shared with copies of the queue.
    parts: Vec<Arc<Vec<Boxed>>>,
    /// The marks after the parts.
    last: Vec<Boxed>,
    /// Empty parts, whose memory is kept for the next marks.
    spare: Vec<Arc<Vec<Boxed>>>,
    drawn: [u16; TILE_COUNT],
}

impl Default for Queue {
    fn default() -> Self {
        let (parts, last, spare) = (Vec::new(), Vec::new(), Vec::new());
        Self { parts, last, spare, drawn: [0; TILE_COUNT] }
    }
}

impl Clone for Queue {
    fn clone(&self) -> Self {
        let (parts, last) = (self.parts.clone(), self.last.clone());
        Self { parts, last, spare: Vec::new(), drawn: self.drawn }
    }

    fn clone_from(&mut self, source: &Self) {
        self.parts.clone_from(&source.parts);
        self.last.clone_from(&source.last);
        self.drawn = source.drawn;
    }
}

impl Queue {
    pub(super) fn len(&self) -> usize {
        self.parts.len() * SHARED + self.last.len()
    }

    pub(super) fn clear(&mut self) {
        self.last.clear();
        for mut part in self.parts.drain(..) {
            if let Some(marks) = Arc::get_mut(&mut part) {
                marks.clear();
                self.spare.push(part);
            }
        }
        self.drawn = [0; TILE_COUNT];
    }

    pub(super) fn marks_from(&self, start: usize) -> impl Iterator<Item = &Boxed> {
        let parts = self.parts.iter().skip(start / SHARED);
        parts.flat_map(|part| part.iter()).chain(&self.last).skip(start % SHARED)
    }

    pub(super) fn same(&self, other: &Self) -> bool {
        let pairs = || self.marks_from(0).zip(other.marks_from(0));
        self.len() == other.len()
            && self.drawn == other.drawn
            && pairs().all(|((mark, _), (other, _))| mark.same(other))
    }

    pub(super) fn unshared_bytes(&self, earlier: Option<&Self>) -> usize {
        let parts = self.parts.iter().enumerate();
        let unshared = parts.filter(|(number, part)| {
            let before = earlier.and_then(|earlier| earlier.parts.get(*number));
            before.is_none_or(|before| !Arc::ptr_eq(before, part))
        });
        (unshared.count() * SHARED + self.last.len()) * size_of::<Boxed>()
    }

    pub(super) fn push(&mut self, mark: Mark) {
        let pixels = match &mark {
            Mark::Line(line) => line.pixels(),
            Mark::Stamp(stamp) => stamp.pixels(),
        };
        self.last.push((mark, pixels));
        if self.last.len() == SHARED {
            let mut part = self.spare.pop().unwrap_or_default();
            std::mem::swap(Arc::make_mut(&mut part), &mut self.last);
            self.last.reserve_exact(SHARED);
            self.parts.push(part);
        }
    }

    pub(super) fn is_drawn(&self, mark: usize, tile: usize) -> bool {
        mark < usize::from(self.drawn[tile])
    }

    pub(super) fn is_pending(&self, area: Rect) -> bool {
        let count = self.len();
        count > 0 && TileBox::around(area).tiles().any(|tile| usize::from(self.drawn[tile]) < count)
    }

    pub(super) fn draw(&mut self, layer: &mut Layer, skins: &SkinSet, area: Rect) {
        let count = self.len();
        let area = TileBox::around(area);
        let pixels_of_area = area.pixels();
        let start = area.tiles().map(|tile| usize::from(self.drawn[tile])).min().unwrap_or(0);
        for ((mark, pixels), number) in self.marks_from(start).zip(start..) {
            if !pixels.intersects(&pixels_of_area) {
                continue;
            }
            let print = mark.print();
            for tile in TileBox::of(pixels).intersection(&area).tiles() {
                if self.is_drawn(number, tile) {
                    continue;
                }
                layer.drawn(tile, print);
                let within = Pixels::of_tile(tile);
                let mut canvas = layer.pixels.tiles.canvas(tile);
                match mark {
                    Mark::Line(line) => line.draw(&mut canvas, &within),
                    Mark::Stamp(stamp) => stamp.draw(&mut canvas, skins, &within),
                }
            }
        }
        for tile in area.tiles() {
            self.drawn[tile] = count as u16;
        }
        if self.drawn.iter().all(|&drawn| usize::from(drawn) == count) {
            self.clear();
        }
    }
}
