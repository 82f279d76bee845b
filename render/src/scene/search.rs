//! The nearest place where a colour shows, on a coarse grid.

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
    queue: Vec<(i32, i32)>,
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
        // A border that counts as seen saves every test for the end of the grid.
        let height = (rows.1 - rows.0 + 3) as usize;
        let width = (columns.1 - columns.0 + 3) as usize;
        let Scratch { queue, seen } = scratch;
        seen.clear();
        seen.resize(width * height, true);
        for column in seen.chunks_exact_mut(height).skip(1).take(width - 2) {
            column[1..height - 1].fill(false);
        }
        queue.clear();
        let index = |(column, row): (i32, i32)| {
            (column - columns.0 + 1) as usize * height + (row - rows.0 + 1) as usize
        };
        seen[index((0, 0))] = true;
        queue.push((0, 0));
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
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
            let center = index(cell);
            for (dx, column) in [center - height, center, center + height].into_iter().enumerate() {
                for (dy, seen) in seen[column - 1..=column + 1].iter_mut().enumerate() {
                    if !std::mem::replace(seen, true) {
                        queue.push((cell.0 + dx as i32 - 1, cell.1 + dy as i32 - 1));
                    }
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
        let area = within.intersection(around);
        let grid = Grid::new(start, area)?;
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
        // What a backdrop shows where nothing stands before it is known from a map.
        let (before, backdrop) = match (of, probes.split_last()) {
            (ColorOf::AllBut(_), Some((last, before)))
                if Rect::STAGE.union(area) == Rect::STAGE =>
            {
                (before, last.backdrop(rgb))
            }
            _ => (&probes[..], None),
        };
        let found = grid.search(&mut scratch, horizon, |point| {
            if let Some(map) = &backdrop
                && !before.iter().any(|probe| probe.may_color(point))
            {
                return map.shows(point);
            }
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
