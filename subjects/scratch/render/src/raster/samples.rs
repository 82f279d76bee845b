//! Coverage of paths and triangles in pixel coordinates, from four samples for each pixel.

use resvg::tiny_skia::{FillRule, Path, PathSegment, Point, Rect};

/// Number of positions for each pixel, in each direction, on the grid to which corners are rounded.
pub(super) const GRID: f32 = 16.0;
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sampling {
    /// Positions of the samples of a pixel on the grid, from top to bottom.
    positions: [(i32, i32); 4],
    /// Coverage of a pixel, indexed by the number of samples inside.
    levels: [u8; 5],
}

/// Sampling of shapes that are drawn into the picture. The browser's graphics device averages the
/// samples of the picture in two steps that round up.
pub(super) const DIRECT: Sampling =
    Sampling { positions: [(6, 2), (14, 6), (2, 10), (10, 14)], levels: [0, 64, 128, 192, 255] };
/// Sampling of shapes that are drawn as masks into an atlas.
const MASKED: Sampling = Sampling { levels: [0, 64, 128, 191, 255], ..DIRECT };
/// Sampling of shapes whose masks are in the atlas with rows and columns exchanged.
const TRANSPOSED: Sampling = Sampling { positions: [(10, 2), (2, 6), (14, 10), (6, 14)], ..MASKED };
/// Maximum number of pixels of a mask.
const MASK_PIXELS: f32 = 16_384.0;
/// Maximum width and maximum height of a mask, in pixels.
const MASK_SIDE: f32 = 1024.0;

impl Sampling {
    /// The sampling of a filled path. `bounds` is its box in pixels, which contains all control
    /// points of its curves.
    pub(super) fn of_fill(bounds: Rect) -> Sampling {
        let width = bounds.right().ceil() - bounds.left().floor();
        let height = bounds.bottom().ceil() - bounds.top().floor();
        // The negation includes NaN.
        if !(width * height <= MASK_PIXELS && width.max(height) <= MASK_SIDE) {
            return DIRECT;
        }
        // The height of each shelf of the atlas is a power of two. A mask is turned if it then
        // fills more of the height of its shelf, or fits into a lower shelf.
        let [across, down] = [width, height].map(|side| (side as u32).next_power_of_two());
        let transposed = if across == down { width > height } else { height > width };
        if transposed { TRANSPOSED } else { MASKED }
    }
}

/// Inverse of the distance that is tolerated between a curve and its chords, in pixels.
pub(super) const PRECISION: f32 = 4.0;
/// Binary logarithm of the maximum number of chords of a curve.
const MAX_HALVINGS: i32 = 5;

/// A rectangle of pixels, from `left` and `top` (included) to `right` and `bottom` (excluded).
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Area {
    pub(super) left: usize,
    pub(super) top: usize,
    pub(super) right: usize,
    pub(super) bottom: usize,
}

#[derive(Clone, Copy, Debug)]
struct Edge {
    upper: (i32, i32),
    lower: (i32, i32),
    winding: i32,
}

impl Edge {
    fn new(from: Point, to: Point) -> Option<Self> {
        let [from, to] = [from, to].map(snapped);
        match from.1.cmp(&to.1) {
            std::cmp::Ordering::Less => Some(Self { upper: from, lower: to, winding: 1 }),
            std::cmp::Ordering::Greater => Some(Self { upper: to, lower: from, winding: -1 }),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// The first sample column at the edge or to the right of the edge, on a line of samples that
    /// are at `offset` in every pixel.
    fn column(&self, y: i32, offset: i32) -> i64 {
        let [x0, y0, x1, y1, y, offset] =
            [self.upper.0, self.upper.1, self.lower.0, self.lower.1, y, offset].map(i64::from);
        let (rise, run) = (y1 - y0, x1 - x0);
        // The smallest column with `16 column + offset >= x0 + run (y - y0) / rise`.
        let over = (x0 - offset) * rise + run * (y - y0);
        -(-over).div_euclid(16 * rise)
    }
}

/// Maximum coordinate of a corner on the grid, eight million pixels, so that products of
/// coordinates fit into 64 bits.
const MAX_POSITION: f32 = 134_217_728.0;

fn snapped(point: Point) -> (i32, i32) {
    let position = |at: f32| (at * GRID).round_ties_even().clamp(-MAX_POSITION, MAX_POSITION);
    let [x, y] = [point.x, point.y].map(|at| position(at) as i32);
    (x, y)
}

/// Writes the coverage of a path within an area to `alpha`, whose rows have `width` pixels.
pub(super) fn fill(
    path: &Path,
    rule: FillRule,
    sampling: Sampling,
    area: Area,
    width: usize,
    alpha: &mut [u8],
) {
    cover(edges(path), rule, sampling, area, width, alpha);
}

/// Writes the coverage of the union of triangles within an area to `alpha`, whose rows have `width`
/// pixels.
pub(super) fn fill_triangles(triangles: &[[Point; 3]], area: Area, width: usize, alpha: &mut [u8]) {
    let edges = triangles.iter().flat_map(|&[a, b, c]| {
        // All triangles need the same orientation to form a union, but rounding to the grid may
        // flip a thin triangle.
        let [pa, pb, pc] = [a, b, c].map(snapped).map(|(x, y)| (i64::from(x), i64::from(y)));
        let area = (pb.0 - pa.0) * (pc.1 - pa.1) - (pb.1 - pa.1) * (pc.0 - pa.0);
        let corners = if area < 0 { [a, c, b] } else { [a, b, c] };
        (0..3).filter_map(move |i| Edge::new(corners[i], corners[(i + 1) % 3]))
    });
    cover(edges.collect(), FillRule::Winding, DIRECT, area, width, alpha);
}

fn cover(
    mut edges: Vec<Edge>,
    rule: FillRule,
    sampling: Sampling,
    area: Area,
    width: usize,
    alpha: &mut [u8],
) {
    edges.sort_by_key(|edge| edge.upper.1);
    let mut waiting = edges.into_iter().peekable();
    let mut active: Vec<Edge> = Vec::new();
    let mut crossings: Vec<(i64, i32)> = Vec::new();
    let mut counts = vec![0_u8; area.right - area.left];
    for row in area.top..area.bottom {
        for (offset, line) in sampling.positions {
            let y = row as i32 * GRID as i32 + line;
            while let Some(edge) = waiting.next_if(|edge| edge.upper.1 <= y) {
                active.push(edge);
            }
            active.retain(|edge| edge.lower.1 > y);
            crossings.clear();
            crossings.extend(active.iter().map(|edge| (edge.column(y, offset), edge.winding)));
            crossings.sort_unstable();
            let mut winding = 0;
            for pair in crossings.windows(2) {
                winding += pair[0].1;
                let inside = match rule {
                    FillRule::Winding => winding != 0,
                    FillRule::EvenOdd => winding & 1 != 0,
                };
                let column =
                    |x: i64| x.clamp(area.left as i64, area.right as i64) as usize - area.left;
                if inside {
                    for count in &mut counts[column(pair[0].0)..column(pair[1].0)] {
                        *count += 1;
                    }
                }
            }
        }
        let start = row * width;
        for (pixel, count) in
            alpha[start + area.left..start + area.right].iter_mut().zip(&mut counts)
        {
            *pixel = sampling.levels[usize::from(std::mem::take(count))];
        }
    }
}

fn edges(path: &Path) -> Vec<Edge> {
    let mut edges = Vec::new();
    let (mut start, mut last) = (Point::zero(), Point::zero());
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(to) => {
                edges.extend(Edge::new(last, start));
                (start, last) = (to, to);
            }
            PathSegment::LineTo(to) => {
                edges.extend(Edge::new(last, to));
                last = to;
            }
            PathSegment::QuadTo(control, to) => {
                let bend = bend(last, control, to);
                chords((PRECISION / 4.0 * bend).sqrt(), &mut edges, last, to, |t| {
                    between(between(last, control, t), between(control, to, t), t)
                });
                last = to;
            }
            PathSegment::CubicTo(first, second, to) => {
                let least = cubic_segments([last, first, second, to]);
                chords(least, &mut edges, last, to, |t| {
                    let middle = between(first, second, t);
                    let left = between(between(last, first, t), middle, t);
                    let right = between(middle, between(second, to, t), t);
                    between(left, right, t)
                });
                last = to;
            }
            PathSegment::Close => {
                edges.extend(Edge::new(last, start));
                last = start;
            }
        }
    }
    edges.extend(Edge::new(last, start));
    edges
}

pub(super) fn cubic_segments([from, first, second, to]: [Point; 4]) -> f32 {
    let bend = bend(from, first, second).max(bend(first, second, to));
    (PRECISION * 0.75 * bend).sqrt()
}

/// The deviation of three points from being evenly spaced on a line.
fn bend(a: Point, b: Point, c: Point) -> f32 {
    let (x, y) = (a.x - 2.0 * b.x + c.x, a.y - 2.0 * b.y + c.y);
    (x * x + y * y).sqrt()
}

fn between(a: Point, b: Point, t: f32) -> Point {
    Point::from_xy(a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t)
}

/// Replaces a curve by chords. Their number is the smallest power of two that is at least `least`,
/// but at most 2^[`MAX_HALVINGS`].
fn chords(least: f32, edges: &mut Vec<Edge>, from: Point, to: Point, at: impl Fn(f32) -> Point) {
    let mut count = 1;
    while (count as f32) < least && count < 1 << MAX_HALVINGS {
        count *= 2;
    }
    let mut last = from;
    for i in 1..=count {
        let next = if i == count { to } else { at(i as f32 / count as f32) };
        edges.extend(Edge::new(last, next));
        last = next;
    }
}
