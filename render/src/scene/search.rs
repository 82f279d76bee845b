//! The nearest place where a colour shows, on a coarse grid.

use std::collections::VecDeque;

use super::candidates::Probes;
use super::coloring::blend;
use super::drawable::Look;
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::{Ghosting, matches};
use crate::rounding::clamp;

/// How many samples a search of any area takes, about.
const SAMPLES: f64 = 1728.0;

/// Whose colours a search looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorOf {
    /// Everything visible, backdrop and pen layer included, without this drawable and without
    /// bubbles.
    AllBut(DrawableId),
    /// This drawable alone, hidden or not, where it is not fully transparent.
    Only(DrawableId),
}

/// Memory that searches use again.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    queue: VecDeque<(i32, i32)>,
    seen: Vec<bool>,
}

/// The points that a search may visit: multiples of a spacing around a start.
struct Grid {
    start: (f64, f64),
    spacing: f64,
    /// Range of columns and rows, the start being (0, 0).
    columns: (i32, i32),
    rows: (i32, i32),
}

impl Grid {
    fn new(start: (f64, f64), within: Rect) -> Option<Self> {
        let area = within.width().ceil() * within.height().ceil();
        let spacing = (area / SAMPLES).sqrt().trunc().max(1.0);
        let start = (
            clamp(start.0.trunc(), within.left.ceil(), within.right.floor()),
            clamp(start.1.trunc(), within.bottom.ceil(), within.top.floor()),
        );
        if !within.contains(start) {
            return None;
        }
        let range = |from: f64, low: f64, high: f64| {
            (((low - from) / spacing).ceil() as i32, ((high - from) / spacing).floor() as i32)
        };
        Some(Self {
            start,
            spacing,
            columns: range(start.0, within.left, within.right),
            rows: range(start.1, within.bottom, within.top),
        })
    }

    fn point(&self, (column, row): (i32, i32)) -> (f64, f64) {
        (
            self.start.0 + f64::from(column) * self.spacing,
            self.start.1 + f64::from(row) * self.spacing,
        )
    }

    /// Visits the grid breadth first over eight neighbours, by x, then by y, each cell once.
    fn search(
        &self,
        scratch: &mut Scratch,
        horizon: f64,
        mut found: impl FnMut((f64, f64)) -> bool,
    ) -> Option<(f64, f64)> {
        let (columns, rows) = (self.columns, self.rows);
        let height = (rows.1 - rows.0 + 1) as usize;
        scratch.seen.clear();
        scratch.seen.resize((columns.1 - columns.0 + 1) as usize * height, false);
        scratch.queue.clear();
        let reach = |scratch: &mut Scratch, cell: (i32, i32)| {
            let index = (cell.0 - columns.0) as usize * height + (cell.1 - rows.0) as usize;
            if !std::mem::replace(&mut scratch.seen[index], true) {
                scratch.queue.push_back(cell);
            }
        };
        reach(scratch, (0, 0));
        while let Some(cell) = scratch.queue.pop_front() {
            // Cells come ring by ring, and no point of a ring is nearer than its radius. The
            // caller measures from before the start was cut to whole units.
            let ring = f64::from(cell.0.abs().max(cell.1.abs()));
            if ring * self.spacing - 2.0 > horizon {
                return None;
            }
            let point = self.point(cell);
            if found(point) {
                return Some(point);
            }
            for column in (cell.0 - 1).max(columns.0)..=(cell.0 + 1).min(columns.1) {
                for row in (cell.1 - 1).max(rows.0)..=(cell.1 + 1).min(rows.1) {
                    reach(scratch, (column, row));
                }
            }
        }
        None
    }
}

impl Scene {
    /// Searches a colour on a grid of about 1,700 points inside a box, breadth first from a
    /// start, and returns the first point where it shows. The start is cut to whole units and
    /// moved into the box if it lies outside. Colours compare as in
    /// [`touching_color`](Self::touching_color). The stage is searched every 10 units.
    ///
    /// The search ends where everything left is further from the start than `horizon`, in
    /// stage units; infinity searches the whole box.
    ///
    /// The part of the box further than one stage away from the stage is not searched.
    pub fn find_color(
        &mut self,
        start: (f64, f64),
        within: Rect,
        rgb: [u8; 3],
        of: ColorOf,
        horizon: f64,
    ) -> Option<(f64, f64)> {
        let around = Rect { left: -720.0, right: 720.0, bottom: -540.0, top: 540.0 };
        if !within.intersects(&around) {
            return None;
        }
        let grid = Grid::new(start, within.intersection(around))?;
        let slots: Vec<usize> = match of {
            ColorOf::Only(id) => vec![self.slot(id)?],
            ColorOf::AllBut(id) => {
                let mut slots = self.front_to_back();
                slots.retain(|slot| {
                    let other = &self.drawables[*slot];
                    other.id != id
                        && other.visible
                        && !matches!(other.look, Look::Nothing | Look::Bubble(_))
                });
                slots.to_vec()
            }
        };
        for &slot in &slots {
            self.prepare(slot);
        }
        let mut scratch = std::mem::take(&mut self.search);
        let probes: Probes<'_> = slots.iter().map(|&slot| self.probe(slot)).collect();
        let found = grid.search(&mut scratch, horizon, |point| {
            let shown = match (of, &probes[..]) {
                (ColorOf::Only(_), [own]) => own.color(point, Ghosting::Seen)[3] > 0,
                _ => true,
            };
            shown && matches(blend(&probes, point), rgb)
        });
        drop(probes);
        self.search = scratch;
        found
    }
}
