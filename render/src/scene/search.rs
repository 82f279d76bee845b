//! The nearest place where a colour shows, on a coarse grid.

use smallvec::SmallVec;

use super::drawable::Look;
use super::stencil::{columns_of, words};
use super::{DrawableId, Scene};
use crate::bounds::Rect;
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
    /// Cells of the innermost ring that has some.
    found: Vec<(i32, i32)>,
    queue: Vec<(i32, i32)>,
    cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Cell {
    New,
    Wanted,
    Seen,
}

/// The points that a search may visit: multiples of a spacing around a start, column by row.
/// A ring is made of the cells whose larger coordinate is the same.
struct Grid {
    start: (i32, i32),
    spacing: i32,
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
            start: (start.0 as i32, start.1 as i32),
            spacing: spacing as i32,
            columns: range(start.0, within.left, within.right),
            rows: range(start.1, within.bottom, within.top),
        })
    }

    /// Leaves out the rings further than a distance from the start. The caller measures from
    /// before the start was cut to whole units.
    fn cut(&mut self, horizon: f64) {
        // The cast saturates.
        let horizon = if horizon.is_nan() { f64::INFINITY } else { horizon };
        let last = ((horizon + 2.0) / f64::from(self.spacing)).floor() as i32;
        let within = |(low, high): (i32, i32)| (low.max(last.saturating_neg()), high.min(last));
        (self.columns, self.rows) = (within(self.columns), within(self.rows));
    }

    fn point(&self, (column, row): (i32, i32)) -> (f64, f64) {
        (
            f64::from(self.start.0 + column * self.spacing),
            f64::from(self.start.1 + row * self.spacing),
        )
    }

    /// The box around all points.
    fn area(&self) -> Rect {
        let (left, bottom) = self.point((self.columns.0, self.rows.0));
        let (right, top) = self.point((self.columns.1, self.rows.1));
        Rect { left, right, bottom, top }
    }

    /// The cells of the innermost ring at which something is shown; `shows` picks among points
    /// of a word. Returns the number of the ring.
    fn innermost(
        &self,
        found: &mut Vec<(i32, i32)>,
        mut shows: impl FnMut(i32, i32, u64) -> u64,
    ) -> Option<i32> {
        found.clear();
        let Self { start, spacing, columns, rows } = *self;
        let mut lattice: SmallVec<[u64; 24]> = SmallVec::new();
        let x = |column: i32| start.0 + column * spacing;
        let first = words(x(columns.0), x(columns.0)).next().map_or(0, |(word, _)| word);
        for column in columns.0..=columns.1 {
            for (word, point) in words(x(column), x(column)) {
                lattice.resize((word - first) as usize + 1, 0);
                lattice[(word - first) as usize] |= point;
            }
        }
        let mut ring = None;
        let outwards = (0..=rows.1.max(-rows.0))
            .flat_map(|distance| {
                [distance, -distance].into_iter().take(1 + distance.min(1) as usize)
            })
            .filter(|row| (rows.0..=rows.1).contains(row));
        for row in outwards {
            if ring.is_some_and(|ring| row.abs() > ring) {
                break;
            }
            let y = start.1 + row * spacing;
            let reach = ring.unwrap_or(i32::MAX);
            let (left, right) = (columns.0.max(-reach), columns.1.min(reach));
            for (word, points) in words(x(left), x(right)) {
                let points = points & lattice[(word - first) as usize];
                for x in columns_of(word, shows(word, y, points)) {
                    let cell = ((x - start.0) / spacing, row);
                    let distance = cell.0.abs().max(row.abs());
                    if ring.is_none_or(|ring| distance < ring) {
                        found.clear();
                        ring = Some(distance);
                    }
                    if ring == Some(distance) {
                        found.push(cell);
                    }
                }
            }
        }
        ring
    }

    /// Which of the found cells of a ring is visited first, when the grid is visited breadth
    /// first over eight neighbours, by x, then by y, each cell once.
    fn first(&self, ring: i32, scratch: &mut Scratch) -> Option<(i32, i32)> {
        let Scratch { found, queue, cells } = scratch;
        if let &mut [only] = &mut found[..] {
            return Some(only);
        }
        let within = |(low, high): (i32, i32)| (low.max(-ring), high.min(ring));
        let (columns, rows) = (within(self.columns), within(self.rows));
        // A border that counts as seen saves every test for the end of the grid.
        let height = (rows.1 - rows.0 + 3) as usize;
        let width = (columns.1 - columns.0 + 3) as usize;
        cells.clear();
        cells.resize(width * height, Cell::Seen);
        for column in cells.chunks_exact_mut(height).skip(1).take(width - 2) {
            column[1..height - 1].fill(Cell::New);
        }
        let index = |(column, row): (i32, i32)| {
            (column - columns.0 + 1) as usize * height + (row - rows.0 + 1) as usize
        };
        for &cell in &*found {
            cells[index(cell)] = Cell::Wanted;
        }
        queue.clear();
        queue.push((0, 0));
        if std::mem::replace(&mut cells[index((0, 0))], Cell::Seen) == Cell::Wanted {
            return Some((0, 0));
        }
        let mut next = 0;
        while let Some(&cell) = queue.get(next) {
            next += 1;
            let center = index(cell);
            for (dx, column) in [center - height, center, center + height].into_iter().enumerate() {
                for (dy, state) in cells[column - 1..=column + 1].iter_mut().enumerate() {
                    let neighbor = (cell.0 + dx as i32 - 1, cell.1 + dy as i32 - 1);
                    match std::mem::replace(state, Cell::Seen) {
                        Cell::New => queue.push(neighbor),
                        // Cells are visited in the order in which they are seen.
                        Cell::Wanted => return Some(neighbor),
                        Cell::Seen => {}
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
        let mut grid = Grid::new(start, within.intersection(around))?;
        grid.cut(horizon);
        let slots: SmallVec<[usize; 32]> = match of {
            ColorOf::Only(id) => SmallVec::from_elem(self.slot(id)?, 1),
            ColorOf::AllBut(id) => {
                let mut slots = self.front_to_back();
                slots.retain(|slot| {
                    let other = &self.drawables[*slot];
                    other.id != id
                        && other.visible
                        && !matches!(other.look, Look::Nothing | Look::Bubble(_))
                });
                slots
            }
        };
        for &slot in &slots {
            self.prepare(slot);
        }
        if horizon < -2.0 {
            return None;
        }
        let mut memory = std::mem::take(&mut self.memory);
        let mut scratch = std::mem::take(&mut self.search);
        memory.begin();
        let view = self.view(slots.into_iter(), rgb, grid.area(), &mut memory);
        let ring = grid.innermost(&mut scratch.found, |word, row, mut points| {
            if matches!(of, ColorOf::Only(_)) {
                points = view.present(&mut memory, word, row, points);
            }
            view.shows(&mut memory, word, row, points)
        });
        let cell = ring.and_then(|ring| grid.first(ring, &mut scratch));
        drop(view);
        (self.memory, self.search) = (memory, scratch);
        cell.map(|cell| grid.point(cell))
    }
}
