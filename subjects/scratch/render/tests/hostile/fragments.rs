//! Generated SVG elements.

use proptest::prelude::*;

const ELEMENTS: [&str; 33] = [
    "g",
    "feImage",
    "feTurbulence",
    "feMorphology",
    "feDropShadow",
    "feDiffuseLighting",
    "feConvolveMatrix",
    "feTile",
    "textPath",
    "path",
    "rect",
    "circle",
    "use",
    "defs",
    "linearGradient",
    "radialGradient",
    "stop",
    "text",
    "tspan",
    "image",
    "svg",
    "symbol",
    "pattern",
    "clipPath",
    "mask",
    "filter",
    "feGaussianBlur",
    "ellipse",
    "line",
    "polygon",
    "style",
    "switch",
    "marker",
];

const ATTRIBUTES: [&str; 39] = [
    "d",
    "preserveAspectRatio",
    "rx",
    "markerWidth",
    "marker-mid",
    "filter",
    "baseFrequency",
    "radius",
    "primitiveUnits",
    "patternContentUnits",
    "order",
    "kernelMatrix",
    "refX",
    "vector-effect",
    "transform",
    "fill",
    "stroke",
    "stroke-width",
    "width",
    "height",
    "x",
    "y",
    "r",
    "id",
    "href",
    "viewBox",
    "style",
    "points",
    "offset",
    "stop-color",
    "x2",
    "gradientUnits",
    "gradientTransform",
    "stdDeviation",
    "clip-path",
    "mask",
    "stroke-dasharray",
    "font-size",
    "opacity",
];

const VALUES: [&str; 38] = [
    "M0 0L10 10",
    "data:image/gif;base64,R0lGODlhAQABAPAAAP8AAAAAACwAAAAAAQABAAACAkQBADs=",
    "data:image/gif;base64,R0lGODlhAAAAAPAAAP8AAAAAACwAAAAAAAAAAAACAkQBADs=",
    "1e-9",
    "1e38",
    "-1e38",
    "3e-39",
    "1e30em",
    "xMaxYMin slice",
    "none",
    "non-scaling-stroke",
    "objectBoundingBox",
    "1e-9 1e-9 1e9 1e9",
    "M1 1a5 5 0 1 1 3 3z",
    "m1,1 c1 2 3 4 5 6 s1 1 1 1 t2 2",
    "",
    "0",
    "-1",
    "1e9",
    "NaN",
    "50%",
    "5px",
    "url(#a)",
    "#a",
    "a",
    "red",
    "none",
    "matrix(1 2 2 4 0 0)",
    "scale(0)",
    "rotate(45) skewX(90)",
    "scale(1e20)",
    "translate(3,4)scale(2 -3)",
    "0 0 10 10",
    "1,2 3,4 5,6",
    "userSpaceOnUse",
    "stroke-width: 3",
    "1e-40",
    "&#xe9;",
];

pub(crate) fn fragment() -> impl Strategy<Value = String> {
    let names = prop::sample::select(&ELEMENTS[..]);
    let attributes = prop::collection::vec(
        (prop::sample::select(&ATTRIBUTES[..]), prop::sample::select(&VALUES[..])),
        0..5,
    );
    let leaf = (names.clone(), attributes.clone())
        .prop_map(|(name, attributes)| element(name, &attributes, ""));
    leaf.prop_recursive(4, 24, 4, move |inner| {
        (names.clone(), attributes.clone(), prop::collection::vec(inner, 0..4))
            .prop_map(|(name, attributes, children)| element(name, &attributes, &children.concat()))
    })
}

fn element(name: &str, attributes: &[(&str, &str)], inside: &str) -> String {
    let mut seen = Vec::new();
    let mut text = format!("<{name}");
    for (attribute, value) in attributes {
        if !seen.contains(attribute) {
            text += &format!(" {attribute}='{value}'");
            seen.push(attribute);
        }
    }
    format!("{text}>{inside}</{name}>")
}
