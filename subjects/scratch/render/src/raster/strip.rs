//! Strokes as strips of triangles, which browsers send to graphics devices.
//!
//! The browser does not outline a stroked curve. It divides the curve by edges across the line, at
//! points where a chord would deviate too far from the curve (parametric edges) and where the
//! direction has changed so much that the outer side would not look round (radial edges). Between
//! edges, the outline is straight, and deviates from the outline of the true curve by up to a
//! quarter of a pixel.

use std::f64::consts::PI;

use resvg::tiny_skia::{LineCap, LineJoin, Path, PathSegment, Point, Stroke, Transform};

use super::samples::{self, PRECISION};

/// Minimum distance, in the curve parameter, of a cut from an end of a curve. Cuts nearer to an end
/// are ignored.
const MIN_PIECE: f64 = 1.0 / 2048.0;
/// Sine of the angle below which the join of two lines is filled on both sides.
const NEARLY_STRAIGHT: f64 = 1e-2;
/// Maximum number of parametric segments of a piece.
const MAX_PARAMETRIC: f64 = 32.0;

type Vector = (f64, f64);
type Cubic = [Vector; 4];

/// The triangles of a stroke, in pixels.
pub(super) fn triangles(path: &Path, style: &Stroke, transform: Transform) -> Vec<[Point; 3]> {
    let radius = f64::from(style.width) / 2.0;
    let mut strip = Strip {
        radius,
        cap: style.line_cap,
        join: style.line_join,
        miter_limit: f64::from(style.miter_limit),
        per_radian: radial_segments(style, transform),
        transform,
        triangles: Vec::new(),
    };
    let mut contour: Vec<Cubic> = Vec::new();
    let (mut start, mut last) = ((0.0, 0.0), (0.0, 0.0));
    for segment in path.segments() {
        match segment {
            PathSegment::MoveTo(to) => {
                strip.open(&mut contour, start);
                (start, last) = (vector(to), vector(to));
                continue;
            }
            PathSegment::LineTo(to) => contour.push([last, last, vector(to), vector(to)]),
            PathSegment::QuadTo(control, to) => {
                let (control, to) = (vector(control), vector(to));
                contour.push([
                    last,
                    mix(last, control, 2.0 / 3.0),
                    mix(to, control, 2.0 / 3.0),
                    to,
                ]);
            }
            PathSegment::CubicTo(first, second, to) => {
                contour.push([last, vector(first), vector(second), vector(to)]);
            }
            PathSegment::Close => {
                if last != start {
                    contour.push([last, last, start, start]);
                }
                strip.closed(&mut contour, start);
                last = start;
                continue;
            }
        }
        last = contour.last().map_or(last, |curve| curve[3]);
    }
    strip.open(&mut contour, start);
    strip.triangles
}

/// Estimated maximum number of edges of a stroke.
pub(super) fn max_edges(path: &Path, style: &Stroke, transform: Transform) -> f64 {
    let radial = PI * radial_segments(style, transform);
    path.len() as f64 * (2.0 * radial + MAX_PARAMETRIC)
}

/// Number of radial segments for each radian by which a line turns.
fn radial_segments(style: &Stroke, transform: Transform) -> f64 {
    let radius = f64::from(style.width) / 2.0 * largest_scale(transform);
    let cosine = 1.0 - 1.0 / (f64::from(PRECISION) * radius);
    0.5 / libm::acos(cosine.max(-1.0))
}

/// Whether a path is a single straight line, which is drawn as a rectangle.
pub(super) fn is_line(path: &Path) -> bool {
    let mut segments = path.segments();
    matches!(segments.next(), Some(PathSegment::MoveTo(_)))
        && matches!(segments.next(), Some(PathSegment::LineTo(_)))
        && segments.next().is_none()
}

struct Strip {
    radius: f64,
    cap: LineCap,
    join: LineJoin,
    miter_limit: f64,
    per_radian: f64,
    transform: Transform,
    triangles: Vec<[Point; 3]>,
}

/// Both ends of an edge across the line.
type Edge = [Vector; 2];

impl Strip {
    fn open(&mut self, contour: &mut Vec<Cubic>, start: Vector) {
        let empty = contour.is_empty();
        contour.retain(|curve| curve.iter().any(|&point| point != curve[0]));
        let ends = contour.first().zip(contour.last());
        let ends = match ends {
            Some((first, last)) => [(first[0], tangents(first).0), (last[3], tangents(last).1)],
            // A point has no direction but has caps.
            None if !empty => [(start, (1.0, 0.0)); 2],
            None => return,
        };
        match self.cap {
            LineCap::Butt => {}
            LineCap::Round => ends.iter().for_each(|end| self.circle(end.0)),
            LineCap::Square => {
                let [(first, from), (last, to)] = ends;
                self.piece(&line(offset(first, from, -self.radius), first));
                self.piece(&line(last, offset(last, to, self.radius)));
            }
        }
        self.curves(contour, None);
        contour.clear();
    }

    /// Adds a line whose end is joined to its start.
    fn closed(&mut self, contour: &mut Vec<Cubic>, start: Vector) {
        let empty = contour.is_empty();
        contour.retain(|curve| curve.iter().any(|&point| point != curve[0]));
        match contour.last() {
            Some(last) => {
                let before = tangents(last).1;
                self.curves(contour, Some(before));
            }
            None if self.cap == LineCap::Round && !empty => self.circle(start),
            None => {}
        }
        contour.clear();
    }

    fn curves(&mut self, contour: &[Cubic], mut before: Option<Vector>) {
        for curve in contour {
            let (from, to) = tangents(curve);
            if let Some(before) = before {
                self.join(curve[0], before, from);
            }
            self.curve(curve);
            before = Some(to);
        }
    }

    /// Adds a curve, cut into pieces that turn in one direction and by at most half a circle.
    fn curve(&mut self, curve: &Cubic) {
        let (cuts, cusps) = cuts(curve);
        let (mut rest, mut done) = (*curve, 0.0);
        for cut in cuts.into_iter().flatten() {
            let (mut piece, mut next) = split(&rest, (cut - done) / (1.0 - done));
            if cusps {
                self.circle(piece[3]);
                (piece[2], next[1]) = (piece[3], piece[3]);
            }
            self.piece(&piece);
            (rest, done) = (next, cut);
        }
        self.piece(&rest);
    }

    /// Adds a circle: the stroke of a point.
    fn circle(&mut self, center: Vector) {
        let count = (PI * self.per_radian).ceil().max(1.0);
        let edges: Vec<Edge> = (0..=count as usize)
            .map(|i| self.edge(center, direction(PI * i as f64 / count), [1.0; 2]))
            .collect();
        self.fill(&edges);
    }

    fn join(&mut self, at: Vector, before: Vector, after: Vector) {
        let cosine = dot(before, after).clamp(-1.0, 1.0);
        let turn = cross(before, after);
        let angle = libm::acos(cosine).copysign(turn);
        let count = match self.join {
            LineJoin::Bevel => 1.0,
            LineJoin::Miter | LineJoin::MiterClip => 2.0,
            LineJoin::Round => (angle.abs() * self.per_radian).ceil().max(1.0),
        };
        let sides = match turn {
            _ if turn.abs() < NEARLY_STRAIGHT && cosine >= 0.0 => [1.0, 1.0],
            _ if turn < 0.0 => [0.0, 1.0],
            _ => [1.0, 0.0],
        };
        let start = libm::atan2(before.1, before.0);
        let edges: Vec<Edge> = (0..=count as usize)
            .map(|i| {
                let tangent = match i {
                    0 => before,
                    _ if i as f64 == count => after,
                    _ => direction(start + angle * i as f64 / count),
                };
                let pointed = i == 1 && count == 2.0 && self.join != LineJoin::Round;
                let extent = if pointed { self.miter_extent(cosine) } else { 1.0 };
                self.edge(at, tangent, sides.map(|side| side * extent))
            })
            .collect();
        self.fill(&edges);
    }

    /// Distance of the tip of a join from the middle of the line, in half line widths. Beyond the
    /// miter limit, the tip is the middle of a bevel.
    fn miter_extent(&self, cosine: f64) -> f64 {
        let half = cosine * 0.5 + 0.5;
        if half * self.miter_limit * self.miter_limit >= 1.0 {
            1.0 / half.sqrt()
        } else {
            half.sqrt()
        }
    }

    fn piece(&mut self, curve: &Cubic) {
        let (from, to) = tangents(curve);
        if from == (0.0, 0.0) {
            return;
        }
        let [p0, p1, p2, p3] = *curve;
        let parametric = if p0 == p1 && p2 == p3 {
            1.0
        } else {
            let points = curve.map(|(x, y)| {
                let mut point = Point::from_xy(x as f32, y as f32);
                self.transform.map_point(&mut point);
                point
            });
            f64::from(samples::cubic_segments(points)).ceil().clamp(1.0, MAX_PARAMETRIC)
        };
        let turn = cross(minus(p2, p0), minus(p3, p1));
        let angle = libm::acos(dot(from, to).clamp(-1.0, 1.0));
        let angle = if turn < 0.0 { -angle } else { angle };
        let radial = (angle.abs() * self.per_radian).ceil().max(1.0);
        let start = libm::atan2(from.1, from.0);
        let derivative = Derivative::of(curve);
        // Curve parameters of parametric and radial edges; radial edges have a given direction.
        let mut places: Vec<(f64, Option<Vector>)> = Vec::new();
        places.extend((1..parametric as usize).map(|i| (i as f64 / parametric, None)));
        places.extend((1..radial as usize).map(|i| {
            let tangent = direction(start + angle * i as f64 / radial);
            (derivative.parallel_to(tangent), Some(tangent))
        }));
        places.sort_by(|a, b| a.0.total_cmp(&b.0));
        let mut edges = vec![self.edge(p0, from, [1.0; 2])];
        for (t, tangent) in places {
            let (head, tail) = split(curve, t);
            let tangent = tangent.unwrap_or_else(|| normalized(minus(tail[1], head[2])));
            edges.push(self.edge(head[3], tangent, [1.0; 2]));
        }
        edges.push(self.edge(p3, to, [1.0; 2]));
        self.fill(&edges);
    }

    fn edge(&self, at: Vector, tangent: Vector, [right, left]: [f64; 2]) -> Edge {
        let across = (tangent.1, -tangent.0);
        [offset(at, across, self.radius * right), offset(at, across, -self.radius * left)]
    }

    fn fill(&mut self, edges: &[Edge]) {
        let map = |(x, y): Vector| {
            let mut point = Point::from_xy(x as f32, y as f32);
            self.transform.map_point(&mut point);
            point
        };
        for pair in edges.windows(2) {
            let [a, b, c, d] = [pair[0][0], pair[0][1], pair[1][0], pair[1][1]].map(map);
            self.triangles.extend([[a, b, c], [b, c, d]]);
        }
    }
}

/// A third of a cubic's derivative: `a t^2 + 2 b t + c`.
struct Derivative {
    a: Vector,
    b: Vector,
    c: Vector,
}

impl Derivative {
    fn of(&[p0, p1, p2, p3]: &Cubic) -> Self {
        let c = minus(p1, p0);
        let middle = minus(p2, p1);
        let whole = minus(p3, p0);
        let a = (whole.0 - 3.0 * middle.0, whole.1 - 3.0 * middle.1);
        Self { a, b: minus(middle, c), c }
    }

    /// The curve parameter at which the curve has the direction `tangent`, which must occur only
    /// once.
    fn parallel_to(&self, tangent: Vector) -> f64 {
        let (a, half_b, c) =
            (cross(tangent, self.a), cross(tangent, self.b), cross(tangent, self.c));
        let root = (half_b * half_b - a * c).max(0.0).sqrt();
        let q = if half_b > 0.0 { -root } else { root } - half_b;
        // Choose the root that is nearer to the middle of the curve: q / a or c / q.
        let shift = -0.5 * q * a;
        let (over, under) =
            if (q * q + shift).abs() < (a * c + shift).abs() { (q, a) } else { (c, q) };
        if under == 0.0 { 0.0 } else { (over / under).clamp(0.0, 1.0) }
    }
}

/// The parameters at which a curve must be cut so that no piece has an inflection or turns by more
/// than half a circle, and whether these parameters are cusps.
fn cuts(curve: &Cubic) -> ([Option<f64>; 2], bool) {
    let Derivative { a, b, c } = Derivative::of(curve);
    let inside = |t: f64| (MIN_PIECE..=1.0 - MIN_PIECE).contains(&t).then_some(t);
    let (mut k2, mut k1, mut k0) = (cross(a, b), -0.5 * cross(a, c), cross(b, c));
    let mut discriminant = k1 * k1 - k2 * k0;
    let threshold = (k2 * MIN_PIECE / 2.0) * (k2 * MIN_PIECE / 2.0);
    if discriminant < -threshold {
        return ([inside(k0 / k1), None], false);
    }
    let cusps = discriminant <= threshold;
    if cusps {
        if k2 != 0.0 || k1 != 0.0 || k0 != 0.0 {
            return ([inside(k1 / k2), None], true);
        }
        // A curve along a straight line reverses where its derivative is 0.
        let tangent = if c == (0.0, 0.0) { minus(curve[2], curve[0]) } else { c };
        (k2, k1, k0) = (dot(tangent, a), -dot(tangent, b), dot(tangent, c));
        discriminant = (k1 * k1 - k2 * k0).max(0.0);
    }
    let q = k1 + discriminant.sqrt().copysign(k1);
    match (inside(q / k2), inside(k0 / q)) {
        (Some(one), Some(other)) if one == other => ([Some(one), None], cusps),
        (Some(one), Some(other)) => ([Some(one.min(other)), Some(one.max(other))], cusps),
        (one, other) => ([one.or(other), None], cusps),
    }
}

/// The unit directions in which a curve begins and ends; zero vectors for a point.
fn tangents(&[p0, p1, p2, p3]: &Cubic) -> (Vector, Vector) {
    let towards = [p1, p2, p3].into_iter().find(|&p| p != p0).unwrap_or(p0);
    let from = [p2, p1, p0].into_iter().find(|&p| p != p3).unwrap_or(p3);
    (normalized(minus(towards, p0)), normalized(minus(p3, from)))
}

fn split(&[p0, p1, p2, p3]: &Cubic, t: f64) -> (Cubic, Cubic) {
    let (a, b, c) = (mix(p0, p1, t), mix(p1, p2, t), mix(p2, p3, t));
    let (ab, bc) = (mix(a, b, t), mix(b, c, t));
    let middle = mix(ab, bc, t);
    ([p0, a, ab, middle], [middle, bc, c, p3])
}

fn largest_scale(transform: Transform) -> f64 {
    let [a, b, c, d] = [transform.sx, transform.ky, transform.kx, transform.sy].map(f64::from);
    let sum = (a * a + b * b + c * c + d * d) / 2.0;
    let product = a * d - b * c;
    (sum + (sum * sum - product * product).max(0.0).sqrt()).sqrt()
}

fn line(from: Vector, to: Vector) -> Cubic {
    [from, from, to, to]
}

fn vector(point: Point) -> Vector {
    (f64::from(point.x), f64::from(point.y))
}

fn direction(angle: f64) -> Vector {
    (libm::cos(angle), libm::sin(angle))
}

fn minus(a: Vector, b: Vector) -> Vector {
    (a.0 - b.0, a.1 - b.1)
}

fn offset(at: Vector, by: Vector, times: f64) -> Vector {
    (at.0 + by.0 * times, at.1 + by.1 * times)
}

fn mix(a: Vector, b: Vector, t: f64) -> Vector {
    (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t)
}

fn dot(a: Vector, b: Vector) -> f64 {
    a.0 * b.0 + a.1 * b.1
}

fn cross(a: Vector, b: Vector) -> f64 {
    a.0 * b.1 - a.1 * b.0
}

fn normalized(v: Vector) -> Vector {
    let length = dot(v, v).sqrt();
    if length > 0.0 { (v.0 / length, v.1 / length) } else { (0.0, 0.0) }
}
