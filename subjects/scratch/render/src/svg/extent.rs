//! The box around a drawing, computed as in the browser: in binary32, where the last digit of the
//! size of a costume depends on the order of operations.

use resvg::tiny_skia::{Path, Point, Transform};
use resvg::usvg;

/// The size is rounded separately from the corner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Extent {
    pub(super) x: f32,
    pub(super) y: f32,
    pub(super) width: f32,
    pub(super) height: f32,
}

pub(super) fn extent_of(group: &usvg::Group) -> Option<Extent> {
    let boxes = group.children().iter().filter_map(|node| match node {
        usvg::Node::Group(group) => extent_of(group),
        usvg::Node::Path(path) => Some(Extent::of(path.data())?.mapped(path.abs_transform())),
        usvg::Node::Image(_) | usvg::Node::Text(_) => {
            let bounds = node.abs_bounding_box();
            let (width, height) = (bounds.width(), bounds.height());
            Some(Extent { x: bounds.x(), y: bounds.y(), width, height })
        }
    });
    boxes.reduce(Extent::union)
}

impl Extent {
    fn between(left: f32, top: f32, right: f32, bottom: f32) -> Extent {
        Extent { x: left, y: top, width: right - left, height: bottom - top }
    }

    fn around(points: impl IntoIterator<Item = Point>) -> Option<Extent> {
        let sides = points.into_iter().fold(None, |sides, point| {
            let Point { x, y } = point;
            let [left, top, right, bottom] = sides.unwrap_or([x, y, x, y]);
            Some([left.min(x), top.min(y), right.max(x), bottom.max(y)])
        });
        sides.map(|[left, top, right, bottom]| Extent::between(left, top, right, bottom))
    }

    /// The box around a path, in which curves are measured exactly.
    fn of(path: &Path) -> Option<Extent> {
        let bounds = path.compute_tight_bounds()?;
        Some(Extent::between(bounds.left(), bounds.top(), bounds.right(), bounds.bottom()))
    }

    fn union(self, other: Extent) -> Extent {
        Extent::between(
            self.x.min(other.x),
            self.y.min(other.y),
            (self.x + self.width).max(other.x + other.width),
            (self.y + self.height).max(other.y + other.height),
        )
    }

    fn mapped(self, transform: Transform) -> Extent {
        let Transform { sx, kx, ky, sy, tx, ty } = transform;
        if (sx, kx, ky, sy) == (1.0, 0.0, 0.0, 1.0) {
            return Extent { x: self.x + tx, y: self.y + ty, ..self };
        }
        let [sx, kx, ky, sy, tx, ty] = [sx, kx, ky, sy, tx, ty].map(f64::from);
        let (right, bottom) = (self.x + self.width, self.y + self.height);
        let corners = [(self.x, self.y), (right, self.y), (right, bottom), (self.x, bottom)];
        let mapped = corners.map(|(x, y)| {
            let (x, y) = (f64::from(x), f64::from(y));
            Point::from_xy((sx * x + kx * y + tx) as f32, (ky * x + sy * y + ty) as f32)
        });
        Extent::around(mapped).unwrap_or(self)
    }
}
