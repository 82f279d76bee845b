//! Filled ellipses, whose coverage the browser's graphics device computes from their equation.
//!
//! Corners of the shape are pieces of the unit circle, drawn as triangles half a pixel larger than
//! the shape. In each pixel, the device divides the value of the equation by its change from pixel
//! to pixel, so the width of the edge equals the extent of a pixel perpendicular to the edge. The
//! positions of vertices are rounded to the grid, but their coordinates relative to the unit circle
//! are not.

use resvg::tiny_skia::{Path, PathSegment, Point, Rect, Transform};

use super::samples::{Area, GRID};

/// Distance between a corner of the square around the unit circle and the nearest corners of the
/// octagon around the same circle.
const OCTAGON: f32 = 1.0 / (1.0 + std::f32::consts::FRAC_1_SQRT_2);
/// Minimum gap between two corners, in pixels.
const GAP: f32 = 0.0625;

#[derive(Clone, Copy, Debug)]
struct Vertex {
    at: (f32, f32),
    value: Value,
}

#[derive(Clone, Copy, Debug)]
enum Value {
    /// Position relative to the centre of the unit circle.
    Arc(f32, f32),
    /// A coverage; the device interpolates between the coverages of vertices.
    Coverage(f32),
}

pub(super) struct Ellipse {
    /// Transforms the square from -1 to 1 to pixels.
    transform: Transform,
}

/// Minimum length of a semi-axis of an ellipse, in pixels. With much shorter semi-axes,
/// vertices would overflow binary32 in coordinates of the shape.
const LEAST_AXIS: f32 = 1e-6;

/// The ellipse from which a path was made, if the ellipse can be drawn here.
pub(super) fn ellipse_of(path: &Path, transform: Transform) -> Option<Ellipse> {
    // The ends of the four arcs of an ellipse are on the sides of its box.
    let mut sides: Option<[f32; 4]> = None;
    for segment in path.segments() {
        let to = match segment {
            PathSegment::MoveTo(to)
            | PathSegment::LineTo(to)
            | PathSegment::QuadTo(_, to)
            | PathSegment::CubicTo(_, _, to) => to,
            PathSegment::Close => continue,
        };
        let [left, top, right, bottom] = sides.unwrap_or([to.x, to.y, to.x, to.y]);
        sides = Some([left.min(to.x), top.min(to.y), right.max(to.x), bottom.max(to.y)]);
    }
    let [left, top, right, bottom] = sides?;
    let bounds = Rect::from_ltrb(left, top, right, bottom)?;
    let (rx, ry) = (bounds.width() / 2.0, bounds.height() / 2.0);
    let transform = transform.pre_translate(left + rx, top + ry).pre_scale(rx, ry);
    let Transform { sx, ky, kx, sy, .. } = transform;
    let is_long = |x: f32, y: f32| x * x + y * y >= LEAST_AXIS * LEAST_AXIS;
    let long = is_long(sx, ky) && is_long(kx, sy);
    let drawn = long && transform.is_finite() && transform.invert().is_some();
    drawn.then_some(Ellipse { transform })
}

/// A direction along both axes: -1, 0, 1 or a fraction on each.
type Direction = (f32, f32);

struct Frame {
    transform: Transform,
    /// Length of a pixel along both axes of the shape.
    pixel: (f32, f32),
    /// Distance by which edges are moved, along both axes of the shape.
    bloat: (f32, f32),
    /// Radii of the corners: 1 minus half of the gap between corners, or less in small shapes;
    /// `None` if the shape is too small for corners.
    radii: Option<(f32, f32)>,
    /// Position of the corners: 1, or more in shapes thinner than a pixel.
    corner: (f32, f32),
    /// Factor for all coverage: 1, or less in shapes thinner than a pixel.
    share: f32,
}

impl Frame {
    fn new(transform: Transform) -> Frame {
        let Transform { sx, ky, kx, sy, .. } = transform;
        let pixel = (1.0 / (sx * sx + ky * ky).sqrt(), 1.0 / (kx * kx + sy * sy).sqrt());
        let widths = ((sx.abs() + ky.abs()) * pixel.0, (kx.abs() + sy.abs()) * pixel.1);
        let bloat = (widths.0 * pixel.0 * 0.5, widths.1 * pixel.1 * 0.5);
        let thin = bloat.0 > 1.0 || bloat.1 > 1.0;
        let small = thin || bloat.0 * 1.5 > 1.0 || bloat.1 * 1.5 > 1.0;
        let radius = |pixel: f32| {
            // If the bounds contradict each other, the upper bound is used.
            let radius = 1.0_f32.max(pixel * 1.5).min(2.0 - pixel * 1.5);
            radius - (pixel * GAP - (2.0 - 2.0 * radius)).max(0.0) * 0.5
        };
        Frame {
            transform,
            pixel,
            bloat,
            radii: (!small).then(|| (radius(pixel.0), radius(pixel.1))),
            corner: if thin { (bloat.0.max(1.0), bloat.1.max(1.0)) } else { (1.0, 1.0) },
            share: if thin { 1.0 / (bloat.0.max(1.0) * bloat.1.max(1.0)) } else { 1.0 },
        }
    }

    /// A vertex near a corner: moved by the radius in the direction `along`, towards another
    /// corner, and outwards or inwards in the direction `bloat`.
    fn vertex(&self, corner: Direction, along: Direction, bloat: Direction, arc: bool) -> Vertex {
        let inner = bloat.0 * corner.0 < 0.0 || bloat.1 * corner.1 < 0.0;
        let mut coverage = if inner { 1.0 } else { 0.0 };
        let (radii, bloat) = match self.radii {
            Some(radii) => (radii, bloat),
            // A sharp corner, with the frame of a rectangle.
            None if inner => ((0.0, 0.0), (-corner.0, -corner.1)),
            None => ((0.0, 0.0), corner),
        };
        let outset = (bloat.0 * self.bloat.0, bloat.1 * self.bloat.1);
        let mut x = corner.0 * self.corner.0 + along.0 * radii.0 + outset.0;
        let mut y = corner.1 * self.corner.1 + along.1 * radii.1 + outset.1;
        if inner {
            // Edges are not moved beyond the centre.
            if bloat.0 != 0.0 && x * corner.0 < 0.0 {
                let back = x.abs();
                x = 0.0;
                y += back * corner.1 * self.pixel.1 / self.pixel.0;
                coverage = (coverage - 0.5) * self.corner.0 / (self.corner.0 + back) + 0.5;
            }
            if bloat.1 != 0.0 && y * corner.1 < 0.0 {
                let back = y.abs();
                y = 0.0;
                x += back * corner.0 * self.pixel.0 / self.pixel.1;
                coverage = (coverage - 0.5) * self.corner.1 / (self.corner.1 + back) + 0.5;
            }
        }
        let mut at = Point::from_xy(x, y);
        self.transform.map_point(&mut at);
        let snapped = |at: f32| (at * GRID + 0.5).floor() / GRID;
        let value = match self.radii {
            Some(radii) if arc => Value::Arc(
                1.0 - along.0.abs() + outset.0 / radii.0 * corner.0,
                1.0 - along.1.abs() + outset.1 / radii.1 * corner.1,
            ),
            _ => Value::Coverage(coverage * self.share),
        };
        Vertex { at: (snapped(at.x), snapped(at.y)), value }
    }

    /// Whether the curvature is so small that the device uses differences between pixels.
    fn has_gentle_curves(&self) -> bool {
        let (a, b) = (1.0 / self.pixel.0, 1.0 / self.pixel.1);
        let least = a.min(b).max(1.0);
        least * least * 5.0 > a.max(b)
    }

    fn triangles(&self) -> Vec<[Vertex; 3]> {
        // The corners in order around the shape, beginning at the upper left.
        let corners = [(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)];
        let mut triangles = Vec::with_capacity(30);
        let mut inner = Vec::with_capacity(8);
        for (number, &(sx, sy)) in corners.iter().enumerate() {
            let corner = (sx, sy);
            // Ends of the corner on the vertical and on the horizontal side.
            let (down, across) = ((0.0, -sy), (-sx, 0.0));
            let ends = [(down, (sx, 0.0)), (across, (0.0, sy))];
            let end = |number: usize, sign: f32, arc: bool| {
                let (along, bloat): (Direction, Direction) = ends[number];
                self.vertex(corner, along, (bloat.0 * sign, bloat.1 * sign), arc)
            };
            let cut = |along: Direction| {
                self.vertex(corner, (along.0 * OCTAGON, along.1 * OCTAGON), corner, true)
            };
            if self.radii.is_some() {
                let a =
                    [end(0, 1.0, true), end(0, -1.0, true), end(1, -1.0, true), end(1, 1.0, true)];
                let (upper, side) = (cut(across), cut(down));
                triangles.extend([
                    [a[0], a[1], side],
                    [a[1], side, a[2]],
                    [side, a[2], upper],
                    [a[2], upper, a[3]],
                ]);
            }
            // Around the shape, the second and the fourth corners are entered at their horizontal
            // sides.
            let order = if number % 2 == 0 { [0, 1] } else { [1, 0] };
            inner.extend(order.map(|number| (end(number, -1.0, false), end(number, 1.0, false))));
        }
        // Edges between the corners: from the second end of a corner to the first end of the next
        // corner.
        for i in 0..4 {
            let ((a, outer_a), (b, outer_b)) = (inner[2 * i + 1], inner[(2 * i + 2) % 8]);
            triangles.extend([[a, b, outer_a], [b, outer_b, outer_a]]);
        }
        for i in 1..7 {
            triangles.push([inner[0].0, inner[i].0, inner[i + 1].0]);
        }
        triangles
    }
}

impl Ellipse {
    /// The sides, in pixels, of a box around the ellipse: left, top, right, bottom.
    pub(super) fn sides(&self) -> [f32; 4] {
        let Transform { sx, ky, kx, sy, tx, ty } = self.transform;
        let (across, down) = (sx.abs() + kx.abs() + 1.0, sy.abs() + ky.abs() + 1.0);
        [tx - across, ty - down, tx + across, ty + down]
    }

    /// Writes the coverage to `alpha`, whose rows have `width` pixels.
    pub(super) fn fill(&self, area: Area, width: usize, alpha: &mut [u8]) {
        let frame = Frame::new(self.transform);
        let differences = frame.has_gentle_curves();
        for triangle in frame.triangles() {
            let Some(plane) = Plane::new(&triangle) else { continue };
            for_each_inside(&triangle, area, |x, y| {
                let coverage = plane.coverage(x, y, differences);
                alpha[y * width + x] = (coverage.clamp(0.0, 1.0) * 255.0).round() as u8;
            });
        }
    }
}

/// The values of a triangle as functions of the position.
struct Plane {
    arc: bool,
    origin: (f64, f64),
    /// Both values at the origin, and their changes along x and y.
    values: [[f64; 3]; 2],
}

impl Plane {
    fn new(triangle: &[Vertex; 3]) -> Option<Plane> {
        let at = triangle.map(|vertex| (f64::from(vertex.at.0), f64::from(vertex.at.1)));
        let [u, v] = [1, 2].map(|i| (at[i].0 - at[0].0, at[i].1 - at[0].1));
        let area = u.0 * v.1 - u.1 * v.0;
        let arc = matches!(triangle[0].value, Value::Arc(..));
        let plane = |number: usize| {
            let values = triangle.map(|vertex| {
                f64::from(match vertex.value {
                    Value::Arc(x, y) => [x, y][number],
                    Value::Coverage(coverage) => coverage,
                })
            });
            let (a, b) = (values[1] - values[0], values[2] - values[0]);
            [values[0], (a * v.1 - b * u.1) / area, (b * u.0 - a * v.0) / area]
        };
        (area != 0.0).then(|| Plane { arc, origin: at[0], values: [plane(0), plane(1)] })
    }

    fn at(&self, x: usize, y: usize) -> (f64, f64) {
        let (x, y) = (x as f64 + 0.5 - self.origin.0, y as f64 + 0.5 - self.origin.1);
        let [first, second] = self.values.map(|[value, dx, dy]| value + dx * x + dy * y);
        (first, second)
    }

    /// The coverage of a pixel. The change of the equation from pixel to pixel is computed in a
    /// block of four pixels if `differences` is set, otherwise from the derivative.
    fn coverage(&self, x: usize, y: usize, differences: bool) -> f64 {
        let (first, second) = self.at(x, y);
        if !self.arc {
            return first;
        }
        let equation = |(x, y): (f64, f64)| x * x + y * y - 1.0;
        let change = if differences {
            let (left, top) = (x & !1, y & !1);
            let here = equation(self.at(left, top));
            (equation(self.at(left + 1, top)) - here).abs()
                + (equation(self.at(left, top + 1)) - here).abs()
        } else {
            let [[_, first_dx, first_dy], [_, second_dx, second_dy]] = self.values;
            2.0 * (first * first_dx + second * second_dx).abs()
                + 2.0 * (first * first_dy + second * second_dy).abs()
        };
        0.5 - equation((first, second)) / change
    }
}

/// Calls a function for each pixel of an area whose centre is in a triangle.
fn for_each_inside(triangle: &[Vertex; 3], area: Area, mut found: impl FnMut(usize, usize)) {
    let mut corners =
        triangle.map(|vertex| ((vertex.at.0 * GRID) as i64, (vertex.at.1 * GRID) as i64));
    let side = |a: (i64, i64), b: (i64, i64), p: (i64, i64)| {
        (b.0 - a.0) * (p.1 - a.1) - (b.1 - a.1) * (p.0 - a.0)
    };
    if side(corners[0], corners[1], corners[2]) < 0 {
        corners.swap(1, 2);
    }
    let grid = GRID as i64;
    let range = |of: fn((i64, i64)) -> i64, low: usize, high: usize| {
        let [a, b, c] = corners.map(of);
        let from = a.min(b).min(c).div_euclid(grid).max(low as i64);
        let to = (a.max(b).max(c).div_euclid(grid) + 1).min(high as i64);
        from as usize..to.max(from) as usize
    };
    for y in range(|corner| corner.1, area.top, area.bottom) {
        for x in range(|corner| corner.0, area.left, area.right) {
            let center = (x as i64 * grid + grid / 2, y as i64 * grid + grid / 2);
            let inside = (0..3).all(|i| {
                let (a, b) = (corners[i], corners[(i + 1) % 3]);
                // A pixel centre on an edge belongs to the triangle below or to the right of the
                // edge.
                let own = b.1 < a.1 || (a.1 == b.1 && b.0 > a.0);
                let side = side(a, b, center);
                side > 0 || (side == 0 && own)
            });
            if inside {
                found(x, y);
            }
        }
    }
}
