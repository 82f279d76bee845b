//! Axis-aligned rectangles, whose coverage of a pixel is the covered area, except at corners.

use resvg::tiny_skia::{Path, PathSegment, Point};

use super::samples::{Area, GRID};

/// An axis-aligned rectangle in pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rectangle {
    left: f32,
    top: f32,
    right: f32,
    bottom: f32,
}

impl Rectangle {
    pub(super) fn of(path: &Path) -> Option<Self> {
        let mut points: Vec<Point> = Vec::with_capacity(5);
        for (index, segment) in path.segments().enumerate() {
            match segment {
                PathSegment::MoveTo(point) if index == 0 => points.push(point),
                PathSegment::LineTo(point) if points.len() < 5 => points.push(point),
                PathSegment::Close => {}
                _ => return None,
            }
        }
        if points.len() == 5 && points[0] == points[4] {
            points.pop();
        }
        let [a, b, c, d] = points[..] else { return None };
        let rectangle = (a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y)
            || (a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x);
        rectangle.then(|| Self {
            left: a.x.min(c.x),
            top: a.y.min(c.y),
            right: a.x.max(c.x),
            bottom: a.y.max(c.y),
        })
    }

    pub(super) fn between(a: (f32, f32), b: (f32, f32)) -> Self {
        Self { left: a.0.min(b.0), top: a.1.min(b.1), right: a.0.max(b.0), bottom: a.1.max(b.1) }
    }

    pub(super) fn corner(self) -> (f64, f64) {
        (f64::from(self.left), f64::from(self.top))
    }

    pub(super) fn size(self) -> (f64, f64) {
        let [left, top, right, bottom] =
            [self.left, self.top, self.right, self.bottom].map(f64::from);
        (right - left, bottom - top)
    }

    /// The sides: left, top, right, bottom.
    pub(super) fn sides(self) -> [f32; 4] {
        [self.left, self.top, self.right, self.bottom]
    }

    /// Writes the coverage of the rectangle within an area to `alpha`, whose rows have `width`
    /// pixels.
    pub(super) fn fill(self, area: Area, width: usize, alpha: &mut [u8]) {
        let columns: Vec<f32> =
            (area.left..area.right).map(|x| overlap(x, self.left, self.right)).collect();
        for y in area.top..area.bottom {
            let rows = overlap(y, self.top, self.bottom);
            let pixels = &mut alpha[y * width + area.left..y * width + area.right];
            for (pixel, columns) in pixels.iter_mut().zip(&columns) {
                // At corners, the device uses the smaller of the coverages in both directions, not
                // the area.
                *pixel = (columns.min(rows) * 255.0).round() as u8;
            }
        }
    }
}

fn overlap(pixel: usize, from: f32, to: f32) -> f32 {
    let [from, to] = [from, to].map(|x| (x * GRID).round_ties_even() / GRID);
    let start = pixel as f32;
    (to.min(start + 1.0) - from.max(start)).clamp(0.0, 1.0)
}
