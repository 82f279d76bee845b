//! Search for the nearest point of a coarse grid at which a colour is visible.

use smallvec::SmallVec;

use super::color_view::ColorView;
use super::drawable::Look;
use super::fingerprint::Fingerprint;
use super::point_words::{WORDS, columns_of, point_of, word_of, words};
use super::query_cache::QueryCache;
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::color_kind;
use crate::rounding::clamp;

/// Approximate number of points of a grid in a large area.
const SAMPLES: f64 = 1728.0;

/// The drawables whose colours are searched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColorOf {
    /// All visible drawables, including the backdrop and the pen layer, except this drawable and
    /// bubbles.
    AllBut(DrawableId),
    /// Only this drawable, hidden or not, where it is not fully transparent.
    Only(DrawableId),
}

/// The points that a search may visit: a grid of cells around a start. A ring consists of the cells
/// at the same Chebyshev distance from the start.
struct Grid {
    start: (i32, i32),
    spacing: i32,
    /// Inclusive ranges of columns and rows; the start is (0, 0).
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

    /// Removes the rings that are further from the start than `max_distance`, with a tolerance of 2
    /// units, because the caller measures distances from the start before truncation.
    fn limit_distance(&mut self, max_distance: f64) {
        // The cast saturates.
        let max_distance = if max_distance.is_nan() { f64::INFINITY } else { max_distance };
        let last = ((max_distance + 2.0) / f64::from(self.spacing)).floor() as i32;
        let within = |(low, high): (i32, i32)| (low.max(last.saturating_neg()), high.min(last));
        (self.columns, self.rows) = (within(self.columns), within(self.rows));
    }

    fn point(&self, (column, row): (i32, i32)) -> (f64, f64) {
        (
            f64::from(self.start.0 + column * self.spacing),
            f64::from(self.start.1 + row * self.spacing),
        )
    }

    fn area(&self) -> Rect {
        let (left, bottom) = self.point((self.columns.0, self.rows.0));
        let (right, top) = self.point((self.columns.1, self.rows.1));
        Rect { left, right, bottom, top }
    }

    fn print(&self) -> Fingerprint {
        let word = |(a, b): (i32, i32)| u64::from(a as u32) << 32 | u64::from(b as u32);
        Fingerprint::of(self.spacing as u64)
            .with(word(self.start), word(self.columns))
            .with(word(self.rows), 0)
    }

    /// Collects the matching cells of the innermost ring with a matching cell.
    fn nearest_matches(&self, found: &mut Vec<(i32, i32)>, search: &mut ColorSearch<'_, '_>) {
        found.clear();
        let Self { start, spacing, columns, rows } = *self;
        let x = |column: i32| start.0 + column * spacing;
        let mut grid_columns = [0; WORDS];
        for x in (columns.0..=columns.1).map(x) {
            grid_columns[word_of(x) as usize] |= point_of(x);
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
            let row_words = search.view.enter_row(y);
            if row_words == 0 {
                continue;
            }
            let reach = ring.unwrap_or(i32::MAX);
            let (left, right) = (columns.0.max(-reach), columns.1.min(reach));
            for (word, points) in words(x(left), x(right)) {
                let points = points & grid_columns[word as usize];
                if points == 0 || row_words >> word & 1 == 0 {
                    continue;
                }
                for x in columns_of(word, search.matching_points(word, y, points)) {
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
    }

    /// The first of some cells of one ring that a breadth-first search from the start visits. The
    /// search visits the eight neighbours of a cell in the order of x, then y. Therefore, the first
    /// cell is the cell whose shortest path is lexicographically least.
    fn first_visited(&self, cells: &[(i32, i32)]) -> Option<(i32, i32)> {
        cells.iter().copied().min_by(|&a, &b| self.path(a).cmp(self.path(b)))
    }

    /// The moves by x and y of the lexicographically least shortest path from the start to a cell.
    fn path(&self, cell: (i32, i32)) -> impl Iterator<Item = (i32, i32)> {
        let ring = cell.0.abs().max(cell.1.abs());
        // First down, while the grid permits it and the cell remains reachable; then no move; then
        // up.
        let moves = |to: i32, end: i32| {
            let down = ((ring - to) / 2).min(-end);
            let up = ring - (down + to);
            move |step| i32::from(step >= up) - i32::from(step < down)
        };
        let (dx, dy) = (moves(cell.0, self.columns.0), moves(cell.1, self.rows.0));
        (0..ring).map(move |step| (dx(step), dy(step)))
    }
}

struct ColorSearch<'a, 'b> {
    view: ColorView<'a>,
    cache: &'b mut QueryCache,
    of: ColorOf,
}

impl ColorSearch<'_, '_> {
    fn matching_points(&mut self, word: i32, row: i32, mut points: u64) -> u64 {
        if matches!(self.of, ColorOf::Only(_)) {
            points = self.view.visible_points(self.cache, word, row, points);
        }
        self.view.matching_points(self.cache, word, row, points)
    }
}

impl Scene {
    /// Searches for a colour on a coarse grid inside a box, breadth-first from a start, and returns
    /// the first point at which the colour is visible. Colours are compared as in
    /// [`touching_color`](Self::touching_color).
    ///
    /// The search ends at a distance of about `max_distance` stage units from the start. The part
    /// of the box that is more than one stage away from the stage is not searched.
    pub fn find_color(
        &mut self,
        start: (f64, f64),
        within: Rect,
        rgb: [u8; 3],
        of: ColorOf,
        max_distance: f64,
    ) -> Option<(f64, f64)> {
        let around = Rect { left: -720.0, right: 720.0, bottom: -540.0, top: 540.0 };
        if !within.intersects(&around) {
            return None;
        }
        let mut grid = Grid::new(start, within.intersection(around))?;
        grid.limit_distance(max_distance);
        let slots: SmallVec<[u32; 64]> = match of {
            ColorOf::Only(id) => SmallVec::from_elem(self.slot(id)? as u32, 1),
            ColorOf::AllBut(id) => {
                let mut slots = self.front_to_back();
                slots.retain(|slot| {
                    let other = &self.drawables[*slot as usize];
                    self.ids[*slot as usize] != id
                        && other.visible
                        && !matches!(other.look, Look::Nothing | Look::Bubble(_))
                });
                slots
            }
        };
        for &slot in &slots {
            self.prepare_within(slot as usize, grid.area());
        }
        if max_distance < -2.0 {
            return None;
        }
        let only = u64::from(matches!(of, ColorOf::Only(_)));
        let question = grid.print().with(color_kind(rgb) as u64, only);
        let question = slots.iter().try_fold(question, |question, &slot| {
            self.with_print_in(question, slot as usize, grid.area())
        });
        if let Some(known) = question.and_then(|question| self.query_cache.nearest.get(question)) {
            return known.map(|cell| grid.point(cell));
        }
        let mut cache = std::mem::take(&mut self.query_cache);
        let mut found = std::mem::take(&mut self.search_buffer);
        cache.begin_query();
        let view = self.color_view(&slots, rgb, false, grid.area(), &mut cache);
        grid.nearest_matches(&mut found, &mut ColorSearch { view, cache: &mut cache, of });
        let cell = grid.first_visited(&found);
        if let Some(question) = question {
            cache.nearest.insert(question, cell);
        }
        (self.query_cache, self.search_buffer) = (cache, found);
        cell.map(|cell| grid.point(cell))
    }
}

#[cfg(test)]
mod tests {
    use std::collections::VecDeque;

    use super::*;

    fn visit(grid: &Grid) -> Vec<Vec<(i32, i32)>> {
        let mut rings: Vec<Vec<(i32, i32)>> = Vec::new();
        let mut queue = VecDeque::from([(0_i32, 0_i32)]);
        let mut seen = vec![(0, 0)];
        while let Some(cell) = queue.pop_front() {
            let ring = cell.0.abs().max(cell.1.abs()) as usize;
            rings.resize(rings.len().max(ring + 1), Vec::new());
            rings[ring].push(cell);
            for column in (cell.0 - 1)..=(cell.0 + 1) {
                for row in (cell.1 - 1)..=(cell.1 + 1) {
                    let inside = (grid.columns.0..=grid.columns.1).contains(&column)
                        && (grid.rows.0..=grid.rows.1).contains(&row);
                    if inside && !seen.contains(&(column, row)) {
                        seen.push((column, row));
                        queue.push_back((column, row));
                    }
                }
            }
        }
        rings
    }

    #[test]
    fn the_first_of_a_ring_agrees_with_a_breadth_first_visit() {
        let sides = [0, 1, 2, 3, 5];
        let sides = || sides.into_iter();
        let boxes = sides().flat_map(|left| sides().map(move |right| (-left, right)));
        for (columns, rows) in boxes.clone().flat_map(|x| boxes.clone().map(move |y| (x, y))) {
            let grid = Grid { start: (0, 0), spacing: 1, columns, rows };
            for ring in visit(&grid) {
                // Checking all pairs of neighbours in the order checks the whole order.
                for pair in ring.windows(2) {
                    assert_eq!(
                        grid.first_visited(&[pair[1], pair[0]]),
                        Some(pair[0]),
                        "{columns:?} {rows:?}"
                    );
                }
            }
        }
    }
}
