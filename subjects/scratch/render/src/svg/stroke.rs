//! Normalisation of stroke widths: transformations are applied to path data ("baked").
//!
//! Scratch's paint editor cannot draw a stroke that is wider in one direction than in another.
//! Scratch therefore applies transformations to path data before it shows a costume, and thereby
//! changes pixels. Only attributes are considered, not `style` or classes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use resvg::tiny_skia::PathBuilder;
use svgtypes::{SimplePathSegment, SimplifyingPathParser};

use super::dom::{Element, Node};
use super::gradient::{BoundingBox, Paint, baked_gradient};
use super::transform::{Matrix, number, rounded};

const CONTAINERS: [&str; 9] =
    ["a", "defs", "g", "marker", "glyph", "missing-glyph", "pattern", "svg", "switch"];
const SHAPES: [&str; 9] =
    ["circle", "ellipse", "image", "line", "polygon", "polyline", "rect", "text", "use"];

#[derive(Clone)]
struct Inherited {
    matrix: Matrix,
    stroke_width: f64,
    fill: Option<String>,
    stroke: Option<String>,
}

pub(super) fn normalise(root: &mut Element) {
    let mut gradients = BTreeMap::new();
    root.visit(&mut |element| {
        if let (true, Some(id)) = (is_gradient(element), element.get("id")) {
            gradients.entry(id.to_owned()).or_insert_with(|| element.clone());
        }
    });
    let mut traversal = Traversal { gradients, baked: BTreeMap::new() };
    traversal.visit(
        root,
        &Inherited { matrix: Matrix::IDENTITY, stroke_width: 1.0, fill: None, stroke: None },
    );
    if !traversal.baked.is_empty() {
        let children = traversal.baked.into_values().map(Node::Element).collect();
        let defs = Element::new("defs", children);
        root.children.insert(0, Node::Element(defs));
    }
}

fn is_gradient(element: &Element) -> bool {
    matches!(&element.name[..], "linearGradient" | "radialGradient")
}

struct Traversal {
    gradients: BTreeMap<String, Element>,
    /// Copies of gradients for baked paths, by their new ids.
    baked: BTreeMap<String, Element>,
}

impl Traversal {
    fn visit(&mut self, element: &mut Element, outer: &Inherited) {
        let name = &element.name[..];
        if CONTAINERS.contains(&name) || name == "symbol" {
            let inner = inherited(element, outer);
            for attribute in ["transform", "stroke-width", "fill", "stroke"] {
                element.take(attribute);
            }
            for child in element.elements_mut() {
                self.visit(child, &inner);
            }
        } else if name == "path" {
            let own = inherited(element, outer);
            let stroked = own.stroke_width != 0.0 && !own.stroke_width.is_nan();
            if stroked && element.get("d").is_some_and(|data| !data.is_empty()) {
                self.bake(element, own);
            } else {
                write_inherited(element, outer);
            }
        } else if SHAPES.contains(&name) {
            write_inherited(element, outer);
        }
    }

    fn bake(&mut self, path: &mut Element, own: Inherited) {
        let Inherited { matrix, mut stroke_width, mut fill, mut stroke } = own;
        path.take("transform");
        if matrix != Matrix::IDENTITY {
            let data = path.get("d").unwrap_or_default();
            let (transformed, geometry) = transformed_path(data, matrix);
            for paint in [&mut fill, &mut stroke] {
                let Some(id) = paint.as_deref().and_then(reference) else { continue };
                let Some(gradient) = self.gradients.get(id) else { continue };
                match baked_gradient(gradient, id, geometry, matrix) {
                    Paint::Copy(id, copy) => {
                        *paint = Some(format!("url(#{id})"));
                        self.baked.insert(id, copy);
                    }
                    Paint::Color(color) => *paint = Some(color),
                    Paint::Unchanged => {}
                }
            }
            path.set("d", transformed);
            stroke_width *= matrix.mean_scale();
        }
        path.set("stroke-width", stroke_width.to_string());
        for (name, paint) in [("fill", fill), ("stroke", stroke)] {
            if let Some(paint) = paint {
                path.set(name, paint);
            }
        }
    }
}

fn inherited(element: &Element, outer: &Inherited) -> Inherited {
    let paint = |name: &str, outer: &Option<String>| {
        element.get(name).map(str::to_owned).or_else(|| outer.clone())
    };
    Inherited {
        matrix: outer
            .matrix
            .then_inner(element.get("transform").map_or(Matrix::IDENTITY, Matrix::parse)),
        stroke_width: element.get("stroke-width").map_or(outer.stroke_width, number),
        fill: paint("fill", &outer.fill),
        stroke: paint("stroke", &outer.stroke),
    }
}

/// Writes inherited properties as attributes of a shape, unless the shape already has the
/// attributes. Transformations are combined.
fn write_inherited(shape: &mut Element, outer: &Inherited) {
    let matrix = inherited(shape, outer).matrix;
    if shape.get("stroke-width").is_none() && !outer.stroke_width.is_nan() {
        shape.set("stroke-width", outer.stroke_width.to_string());
    }
    for (name, paint) in [("fill", &outer.fill), ("stroke", &outer.stroke)] {
        if let (None, Some(paint)) = (shape.get(name), paint) {
            let paint = paint.clone();
            shape.set(name, paint);
        }
    }
    if matrix == Matrix::IDENTITY {
        shape.take("transform");
    } else {
        shape.set("transform", matrix.to_string());
    }
}

/// The id in `url(#id)`.
fn reference(paint: &str) -> Option<&str> {
    let inside = paint.trim().strip_prefix("url(")?.split(')').next()?;
    inside.trim().trim_matches(['"', '\'']).strip_prefix('#')
}

/// Path data with all coordinates transformed, and the bounding box before the transformation.
/// Invalid data ends the path, as in browsers.
fn transformed_path(data: &str, matrix: Matrix) -> (String, BoundingBox) {
    let mut out = String::with_capacity(data.len() * 2);
    let mut geometry = PathBuilder::new();
    let mut write = |command: char, points: &[(f64, f64)]| {
        out.push(command);
        for &point in points {
            let (x, y) = matrix.apply(point);
            // Writing to a string cannot fail.
            let _ = write!(out, "{} {} ", rounded(x), rounded(y));
        }
    };
    for segment in SimplifyingPathParser::from(data).map_while(Result::ok) {
        match segment {
            SimplePathSegment::MoveTo { x, y } => {
                geometry.move_to(x as f32, y as f32);
                write('M', &[(x, y)]);
            }
            SimplePathSegment::LineTo { x, y } => {
                geometry.line_to(x as f32, y as f32);
                write('L', &[(x, y)]);
            }
            SimplePathSegment::CurveTo { x1, y1, x2, y2, x, y } => {
                geometry.cubic_to(x1 as f32, y1 as f32, x2 as f32, y2 as f32, x as f32, y as f32);
                write('C', &[(x1, y1), (x2, y2), (x, y)]);
            }
            SimplePathSegment::Quadratic { x1, y1, x, y } => {
                geometry.quad_to(x1 as f32, y1 as f32, x as f32, y as f32);
                write('Q', &[(x1, y1), (x, y)]);
            }
            SimplePathSegment::ClosePath => {
                geometry.close();
                write('Z', &[]);
            }
        }
    }
    let bounds = geometry.finish().and_then(|path| path.compute_tight_bounds());
    let geometry = bounds.map_or(BoundingBox::default(), |bounds| BoundingBox {
        x: f64::from(bounds.x()),
        y: f64::from(bounds.y()),
        width: f64::from(bounds.width()),
        height: f64::from(bounds.height()),
    });
    (out, geometry)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalised(body: &str) -> Element {
        let text = format!("<svg xmlns='http://www.w3.org/2000/svg'>{body}</svg>");
        let xml = roxmltree::Document::parse(&text).unwrap();
        let mut root = Element::read(xml.root_element());
        normalise(&mut root);
        root
    }

    fn first<'a>(root: &'a Element, name: &str) -> &'a Element {
        let mut found = None;
        root.visit(&mut |element| {
            if element.name == name && found.is_none() {
                found = Some(element);
            }
        });
        found.unwrap()
    }

    #[test]
    fn a_stretched_path_gets_a_uniform_stroke() {
        let root = normalised(
            "<g transform='scale(3 4)' stroke='red' fill='none' stroke-width='2' opacity='.5'>\
             <path d='m1 1h2v1z'/></g>",
        );
        let path = first(&root, "path");
        assert_eq!(path.get("d"), Some("M3 4 L9 4 L9 8 Z"));
        assert_eq!(path.get("stroke-width"), Some(&(2.0 * 12.5_f64.sqrt()).to_string()[..]));
        assert_eq!((path.get("stroke"), path.get("fill")), (Some("red"), Some("none")));
        let group = first(&root, "g");
        assert_eq!((group.get("transform"), group.get("opacity")), (None, Some(".5")));
    }

    #[test]
    fn shapes_keep_their_geometry() {
        let root = normalised(
            "<g transform='translate(1 2)' fill='blue'><rect width='5' height='5' fill='red'/></g>",
        );
        let rect = first(&root, "rect");
        assert_eq!(rect.get("transform"), Some("matrix(1 0 0 1 1 2)"));
        assert_eq!((rect.get("fill"), rect.get("stroke-width")), (Some("red"), Some("1")));
        assert_eq!(rect.get("stroke"), None);
    }

    #[test]
    fn a_path_in_place_only_gets_attributes() {
        let root = normalised("<g stroke-width='3'><path d='M1 1h2'/></g><path d=''/>");
        assert_eq!(first(&root, "path").get("d"), Some("M1 1h2"));
        assert_eq!(first(&root, "path").get("stroke-width"), Some("3"));
    }

    #[test]
    fn clip_paths_are_left_alone() {
        let body = "<clipPath id='c' transform='scale(2)'><path d='M0 0h1' transform='scale(2)'/></clipPath>";
        let root = normalised(body);
        assert_eq!(first(&root, "path").get("transform"), Some("scale(2)"));
    }

    #[test]
    fn gradients_of_baked_paths_are_copied() {
        let root = normalised(
            "<linearGradient id='g' x2='1'><stop stop-color='red'/></linearGradient>\
             <path transform='translate(5 0)' fill='url(#g)' d='M0 0h10v10z'/>",
        );
        let path = first(&root, "path");
        let id = path.get("fill").and_then(reference).unwrap().to_owned();
        assert_ne!(id, "g");
        let copy = first(first(&root, "defs"), "linearGradient");
        assert_eq!(copy.get("id"), Some(&id[..]));
        assert_eq!(copy.get("gradientUnits"), Some("userSpaceOnUse"));
        assert_eq!((copy.get("x1"), copy.get("x2")), (Some("5"), Some("15")));
    }
}
