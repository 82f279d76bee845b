//! The size of a document.

use svgtypes::{Length, LengthUnit, NumberListParser};

use super::dom::Element;
use super::{ViewBox, build_tree, extent};
use crate::limits::Limits;
use crate::rounding::to_binary32;

/// The size of a picture that specifies no size, in CSS pixels.
const DEFAULT_SIZE: (f64, f64) = (300.0, 150.0);
const INCH: f64 = 96.0;
/// CSS pixels in an em.
const FONT_SIZE: f64 = 16.0;

/// Parses a `viewBox` attribute, whose numbers browsers store in binary32. An invalid attribute
/// results in a size of 0.
pub(super) fn parse_view_box(text: &str) -> ViewBox {
    let numbers: Result<Vec<f64>, _> = NumberListParser::from(text).take(5).collect();
    match numbers.as_deref() {
        Ok(&[x, y, width, height]) => ViewBox {
            x: to_binary32(x),
            y: to_binary32(y),
            width: to_binary32(width.max(0.0)),
            height: to_binary32(height.max(0.0)),
        },
        _ => ViewBox::default(),
    }
}

/// The intrinsic size of a picture in CSS pixels, from its `width` and `height` attributes.
pub(super) fn intrinsic_size(
    view_box: ViewBox,
    (width, height): (Option<&str>, Option<&str>),
) -> (f64, f64) {
    let (Some(width), Some(height)) = (width, height) else {
        return (view_box.width, view_box.height);
    };
    let ratio = view_box.width / view_box.height;
    match (pixels(width), pixels(height)) {
        (Some(width), Some(height)) => (width, height),
        (Some(width), None) => (width, width / ratio),
        (None, Some(height)) => (height * ratio, height),
        (None, None) => {
            let (width, height) = DEFAULT_SIZE;
            if ratio > width / height { (width, width / ratio) } else { (height * ratio, height) }
        }
    }
}

/// A length in CSS pixels.
fn pixels(text: &str) -> Option<f64> {
    let length: Length = text.trim().parse().ok()?;
    let unit = match length.unit {
        LengthUnit::None | LengthUnit::Px => 1.0,
        LengthUnit::Em => FONT_SIZE,
        LengthUnit::Ex => FONT_SIZE / 2.0,
        LengthUnit::In => INCH,
        LengthUnit::Cm => INCH / 2.54,
        LengthUnit::Mm => INCH / 25.4,
        LengthUnit::Pt => INCH / 72.0,
        LengthUnit::Pc => INCH / 6.0,
        LengthUnit::Percent => return None,
    };
    Some(length.number * unit).filter(|pixels| *pixels >= 0.0)
}

/// The box around the drawing of a prepared document without a `viewBox`, plus half of the largest
/// stroke width on every side. An element with a `stroke` counts as at least 1 wide.
pub(super) fn measured_view_box(mut root: Element, limits: &Limits) -> ViewBox {
    let mut broadest = 0.0_f64;
    root.visit(&mut |element| {
        if element.get("stroke").is_some_and(|stroke| !stroke.is_empty()) {
            broadest = broadest.max(1.0);
        }
        let width = element.get("stroke-width").map_or(0.0, super::transform::number);
        broadest = broadest.max(width);
    });
    // Set an explicit size, so that the drawing is not scaled.
    root.set("width", "480");
    root.set("height", "360");
    let Some(tree) = build_tree(&root, limits) else { return ViewBox::default() };
    let Some(extent) = extent::extent_of(tree.root()) else { return ViewBox::default() };
    let [x, y, width, height] = [extent.x, extent.y, extent.width, extent.height].map(f64::from);
    if width == 0.0 || height == 0.0 {
        return ViewBox { x, y, width, height };
    }
    let half = broadest / 2.0;
    ViewBox {
        x: to_binary32(x - half),
        y: to_binary32(y - half),
        width: to_binary32(width + broadest),
        height: to_binary32(height + broadest),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::svg::Document;

    fn document(svg: &str) -> Document {
        Document::new(svg.as_bytes(), &Limits::default()).unwrap()
    }

    #[test]
    fn view_boxes_are_single_precision() {
        let view = parse_view_box("0 0 45.3 20.1");
        assert_eq!((view.width, view.height), (45.299_999_237_060_55, 20.100_000_381_469_727));
        assert_eq!(parse_view_box("0,0,1"), ViewBox::default());
        assert_eq!(parse_view_box("0 0 -5 5").width, 0.0);
    }

    #[test]
    fn a_document_without_view_box_is_measured() {
        let measured = document(
            "<svg width='100' height='100'>\
             <rect x='10' y='20' width='50' height='40' stroke='red' stroke-width='4'/></svg>",
        );
        let expected = ViewBox { x: 8.0, y: 18.0, width: 54.0, height: 44.0 };
        assert_eq!(measured.view_box(), expected);
        assert_eq!(measured.intrinsic_size(), (54.0, 44.0));
        assert_eq!(document("<svg/>").view_box(), ViewBox::default());
        let with_point = document(
            "<svg><g><path d='M159 140.5H301V222H159Z' stroke='#000' stroke-width='2'/>
             <ellipse cx='258' cy='404' transform='scale(0.5)' rx='0' ry='0'/></g></svg>",
        );
        assert_eq!(with_point.intrinsic_size(), (144.0, 83.5));
    }

    #[test]
    fn intrinsic_sizes_come_from_attributes() {
        for (attributes, size) in [
            ("width='100' height='100'", (100.0, 100.0)),
            ("width='100'", (50.0, 50.0)),
            ("width='100%' height='100%'", (150.0, 150.0)),
            ("width='1in' height='72pt'", (96.0, 96.0)),
            ("width='25.4mm' height='100%'", (96.0, 96.0)),
        ] {
            let document = document(&format!("<svg viewBox='0 0 50 50' {attributes}/>"));
            assert_eq!(document.intrinsic_size(), size, "{attributes}");
        }
    }
}
