//! Gradients of paths with transformed coordinates.

use super::dom::Element;
use super::transform::{Matrix, quadratic_mean, rounded};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct BoundingBox {
    pub(super) x: f64,
    pub(super) y: f64,
    pub(super) width: f64,
    pub(super) height: f64,
}

pub(super) enum Paint {
    Copy(String, Element),
    Color(String),
    Unchanged,
}

/// The gradient in the coordinates of a transformed path. `geometry` is the bounding box of the
/// path before the transformation.
///
/// Radial gradients become circular, because their radius is scaled by an average. A linear
/// gradient whose ends are equal becomes the colour of its last stop.
pub(super) fn baked_gradient(
    gradient: &Element,
    id: &str,
    geometry: BoundingBox,
    matrix: Matrix,
) -> Paint {
    let in_box = gradient.get("gradientUnits") != Some("userSpaceOnUse");
    let to_user = |(x, y): (f64, f64)| {
        if in_box {
            (geometry.x + x * geometry.width, geometry.y + y * geometry.height)
        } else {
            (x, y)
        }
    };
    let length = |name: &str, default: f64| gradient.get(name).map_or(default, fraction);
    let point = |x: &str, y: &str, default: (f64, f64)| {
        to_user((length(x, default.0), length(y, default.1)))
    };
    let mut copy = gradient.clone();
    let mut put = |name: &str, value: f64| copy.set(name, rounded(value).to_string());
    if gradient.name == "radialGradient" {
        let center = matrix.apply(point("cx", "cy", (0.5, 0.5)));
        let box_scale = if in_box { quadratic_mean(geometry.width, geometry.height) } else { 1.0 };
        put("cx", center.0);
        put("cy", center.1);
        put("r", length("r", 0.5) * box_scale * matrix.mean_scale());
        if gradient.get("fx").is_some() && gradient.get("fy").is_some() {
            let focus = matrix.apply(point("fx", "fy", (0.5, 0.5)));
            put("fx", focus.0);
            put("fy", focus.1);
        }
    } else {
        let start = point("x1", "y1", (0.0, 0.0));
        let end = point("x2", "y2", (1.0, 0.0));
        if start == end {
            let last = gradient.elements().filter(|child| child.name == "stop").last();
            return match last.and_then(|stop| stop.get("stop-color")) {
                Some(color) => Paint::Color(color.to_owned()),
                None => Paint::Unchanged,
            };
        }
        let (start, end) = transformed_axis(start, end, matrix);
        put("x1", start.0);
        put("y1", start.1);
        put("x2", end.0);
        put("y2", end.1);
    }
    let Matrix { a, b, c, d, e, f } = matrix;
    let id = format!("{id}-{a},{b},{c},{d},{e},{f}-{geometry:?}").replace([' ', '{', '}'], "");
    copy.set("id", &id[..]);
    copy.set("gradientUnits", "userSpaceOnUse");
    Paint::Copy(id, copy)
}

/// The axis of a linear gradient after a transformation: perpendicular to the transformed lines of
/// equal colour.
fn transformed_axis(
    start: (f64, f64),
    end: (f64, f64),
    matrix: Matrix,
) -> ((f64, f64), (f64, f64)) {
    let (dx, dy) = (end.0 - start.0, end.1 - start.1);
    // A point next to the start that has the same colour.
    let neighbour = matrix.apply((start.0 - dy, start.1 + dx));
    let (start, end) = (matrix.apply(start), matrix.apply(end));
    let normal = (start.1 - neighbour.1, neighbour.0 - start.0);
    let squared = normal.0 * normal.0 + normal.1 * normal.1;
    if squared == 0.0 {
        return (start, end);
    }
    let along = ((end.0 - start.0) * normal.0 + (end.1 - start.1) * normal.1) / squared;
    (start, (start.0 + along * normal.0, start.1 + along * normal.1))
}

/// Parses a number or a percentage. An invalid value results in 0, and units such as `px` are
/// ignored.
fn fraction(text: &str) -> f64 {
    let text = text.trim();
    let (digits, scale) = text.strip_suffix('%').map_or((text, 1.0), |digits| (digits, 0.01));
    let end = digits
        .find(|c: char| !matches!(c, '0'..='9' | '.' | '-' | '+' | 'e' | 'E'))
        .unwrap_or(digits.len());
    digits[..end].parse::<f64>().unwrap_or(0.0) * scale
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_equal_colour_are_sheared_with_the_path() {
        // A horizontal gradient after a shear to the right: its lines are slanted, and its axis is
        // rotated.
        let shear = Matrix { c: 1.0, ..Matrix::IDENTITY };
        let (start, end) = transformed_axis((0.0, 0.0), (10.0, 0.0), shear);
        assert_eq!(start, (0.0, 0.0));
        assert!((end.0 - 5.0).abs() < 1e-12 && (end.1 + 5.0).abs() < 1e-12, "{end:?}");
    }

    #[test]
    fn elliptic_gradients_become_circular() {
        let gradient = Element::new("radialGradient", Vec::new());
        let geometry = BoundingBox { x: 0.0, y: 0.0, width: 3.0, height: 4.0 };
        let Paint::Copy(_, copy) = baked_gradient(&gradient, "g", geometry, Matrix::IDENTITY)
        else {
            panic!("a copy was expected");
        };
        assert_eq!((copy.get("cx"), copy.get("cy")), (Some("1.5"), Some("2")));
        assert_eq!(copy.get("r"), Some("1.7678"));
    }

    #[test]
    fn a_gradient_without_length_is_a_colour() {
        let mut gradient = Element::new("linearGradient", Vec::new());
        gradient.set("x1", "1");
        let mut stop = Element::new("stop", Vec::new());
        stop.set("stop-color", "#123456");
        gradient.children.push(super::super::dom::Node::Element(stop));
        let paint = baked_gradient(&gradient, "g", BoundingBox::default(), Matrix::IDENTITY);
        assert!(matches!(paint, Paint::Color(color) if color == "#123456"));
    }
}
