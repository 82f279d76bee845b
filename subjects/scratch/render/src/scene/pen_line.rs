//! Lines on the pen layer.

use std::ops::Range;

use super::fingerprint::Fingerprint;
use super::pen_layer::{COLUMNS, Pixels, ROWS, common};
use crate::bounds::{STAGE_X, STAGE_Y};
use crate::rounding::clamp;
use crate::tiles::Canvas;

/// Colour and width of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PenStroke {
    /// Red, green and blue (not multiplied by opacity), and opacity, each from 0 to 1.
    pub rgba: [f64; 4],
    /// Width of the line in stage units, from 1 to 1200.
    pub diameter: f64,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Line {
    pub(super) from: (f64, f64),
    pub(super) to: (f64, f64),
    pub(super) stroke: PenStroke,
}

impl Line {
    fn segment(&self) -> Segment {
        let Self { from, to, stroke } = *self;
        let offset = if stroke.diameter == 1.0 || stroke.diameter == 3.0 { 0.5 } else { 0.0 };
        Segment::new(
            (from.0 + offset, from.1 + offset),
            (to.0 + offset, to.1 + offset),
            (stroke.diameter + 1.0) / 2.0,
        )
    }

    pub(super) fn print(&self) -> Fingerprint {
        let Self { from, to, stroke } = self;
        Fingerprint::of(0)
            .numbers(&[from.0, from.1, to.0, to.1])
            .numbers(&stroke.rgba)
            .numbers(&[stroke.diameter])
    }

    pub(super) fn pixels(&self) -> Pixels {
        let line = self.segment();
        Pixels { columns: line.box_columns(), rows: line.rows() }
    }

    pub(super) fn draw(&self, canvas: &mut Canvas<'_>, within: &Pixels) {
        let line = self.segment();
        let [r, g, b, a] = self.stroke.rgba;
        for row in common(&line.rows(), &within.rows) {
            let y = STAGE_Y - 0.5 - row as f64;
            for column in common(&line.columns(y), &within.columns) {
                let x = column as f64 - (STAGE_X - 0.5);
                let coverage = line.coverage((x, y));
                if coverage > 0.0 {
                    let source = [r * a, g * a, b * a, a].map(|channel| channel * coverage);
                    canvas.paint(column, row, source);
                }
            }
        }
    }
}

/// A line, and the distance from the line at which coverage ends.
struct Segment {
    from: (f64, f64),
    delta: (f64, f64),
    squared: f64,
    reach: f64,
}

impl Segment {
    fn new(from: (f64, f64), to: (f64, f64), reach: f64) -> Self {
        let delta = (to.0 - from.0, to.1 - from.1);
        Self { from, delta, squared: delta.0 * delta.0 + delta.1 * delta.1, reach }
    }

    fn coverage(&self, (x, y): (f64, f64)) -> f64 {
        let (px, py) = (x - self.from.0, y - self.from.1);
        let along = if self.squared > 0.0 {
            clamp((px * self.delta.0 + py * self.delta.1) / self.squared, 0.0, 1.0)
        } else {
            0.0
        };
        let (dx, dy) = (px - along * self.delta.0, py - along * self.delta.1);
        clamp(self.reach - (dx * dx + dy * dy).sqrt(), 0.0, 1.0)
    }

    fn rows(&self) -> Range<usize> {
        let (y0, y1) = (self.from.1, self.from.1 + self.delta.1);
        let top = y0.max(y1) + self.reach;
        let bottom = y0.min(y1) - self.reach;
        pixels(STAGE_Y - top, STAGE_Y - bottom, ROWS)
    }

    fn box_columns(&self) -> Range<usize> {
        let (x0, x1) = (self.from.0, self.from.0 + self.delta.0);
        pixels(x0.min(x1) - self.reach + STAGE_X, x0.max(x1) + self.reach + STAGE_X, COLUMNS)
    }

    /// Columns that the line may cover in the row whose centre is at `y`.
    fn columns(&self, y: f64) -> Range<usize> {
        let (x0, dx, dy) = (self.from.0, self.delta.0, self.delta.1);
        let mut left = x0.min(x0 + dx) - self.reach;
        let mut right = x0.max(x0 + dx) + self.reach;
        // The band around the infinite line, slightly wider because of rounding.
        let middle = x0 + (y - self.from.1) * dx / dy;
        let half = (self.squared.sqrt() / dy).abs() * self.reach + 1.0;
        if middle.is_finite() && half.is_finite() {
            left = left.max(middle - half);
            right = right.min(middle + half);
        }
        pixels(left + STAGE_X, right + STAGE_X, COLUMNS)
    }
}

/// The range of pixels in a row or column of `count` pixels that an interval intersects.
fn pixels(from: f64, to: f64, count: usize) -> Range<usize> {
    let count = count as f64;
    // Casts saturate and map NaN to 0.
    clamp(from.floor(), 0.0, count) as usize..clamp(to.ceil(), 0.0, count) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_row_ranges_miss_nothing() {
        let ends = [
            ((-300.5, -200.25), (100.0, 90.0)),
            ((0.0, 0.0), (0.0, 100.0)),
            ((3.0, 3.0), (90.0, 3.5)),
            ((250.0, 10.0), (-250.0, 10.0)),
        ];
        for (from, to) in ends {
            for reach in [1.0, 3.3, 40.0] {
                let line = Segment::new(from, to, reach);
                for row in 0..ROWS {
                    let y = 179.5 - row as f64;
                    for column in 0..COLUMNS {
                        let x = column as f64 - 239.5;
                        let inside = line.rows().contains(&row)
                            && line.columns(y).contains(&column)
                            && line.box_columns().contains(&column);
                        assert!(inside || line.coverage((x, y)) == 0.0);
                    }
                }
            }
        }
    }
}
