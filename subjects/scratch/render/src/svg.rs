//! SVG documents, and the changes that Scratch makes to them before the browser draws them.

mod dom;
mod expansion;
mod extent;
mod fonts;
mod gradient;
mod measure;
mod repair;
mod stroke;
mod transform;

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use resvg::usvg;
use roxmltree::ParsingOptions;
use svgtypes::{PathParser, PathSegment};

use crate::foreign;
use crate::limits::{Limits, SkinError};
use crate::picture::Format;
use crate::raster::{ROUND_SHAPE_ID, RasterCost};
use dom::Element;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ViewBox {
    pub(crate) x: f64,
    pub(crate) y: f64,
    pub(crate) width: f64,
    pub(crate) height: f64,
}

/// A document. When a document is loaded, only its size is computed.
#[derive(Debug)]
pub(crate) struct Document {
    text: String,
    limits: Limits,
    view_box: ViewBox,
    intrinsic: (f64, f64),
}

impl Document {
    pub(crate) fn new(bytes: &[u8], limits: &Limits) -> Result<Self, SkinError> {
        let text = repair::repaired(&String::from_utf8_lossy(bytes)).into_owned();
        let xml = parse(&text, limits)?;
        let root = xml.root_element();
        if root.tag_name().name() != "svg" {
            return Err(SkinError::NotSvg(root.tag_name().name().to_owned()));
        }
        check_depth(&xml, limits.depth)?;
        check_text(&xml, limits.letters)?;
        let (view_box, intrinsic) = match root.attribute("viewBox") {
            Some(view_box) => {
                let view_box = measure::parse_view_box(view_box);
                let lengths = (root.attribute("width"), root.attribute("height"));
                (view_box, measure::intrinsic_size(view_box, lengths))
            }
            // A drawing without a `viewBox` must be measured.
            None => {
                let mut root = Element::read(root);
                prepare(&mut root);
                let view_box = measure::measured_view_box(root, limits);
                (view_box, (view_box.width, view_box.height))
            }
        };
        drop(xml);
        Ok(Self { text, limits: *limits, view_box, intrinsic })
    }

    pub(crate) fn view_box(&self) -> ViewBox {
        self.view_box
    }

    pub(crate) fn intrinsic_size(&self) -> (f64, f64) {
        self.intrinsic
    }

    /// Factors by which the drawing is stretched to compensate for the rounding of its size in the
    /// browser's layout.
    pub(crate) fn stretch(&self) -> (f64, f64) {
        let (width, height) = self.intrinsic;
        (width / layout_length(width), height / layout_length(height))
    }

    pub(crate) fn allows(&self, cost: RasterCost) -> bool {
        cost.painted <= self.limits.painted as f64 && cost.layers <= self.limits.layers as f64
    }

    pub(crate) fn tree(&self) -> Option<usvg::Tree> {
        let xml = parse(&self.text, &self.limits).ok()?;
        let mut root = Element::read(xml.root_element());
        prepare(&mut root);
        let ViewBox { x, y, width, height } = self.view_box;
        root.set("viewBox", format!("{x} {y} {width} {height}"));
        let (width, height) = self.intrinsic;
        root.set("width", layout_length(width).to_string());
        root.set("height", layout_length(height).to_string());
        build_tree(&root, &self.limits)
    }
}

/// Rounds a length down to a multiple of 1/64 pixel, as the browser's layout does. Lengths below
/// 1/64 pixel are kept.
fn layout_length(length: f64) -> f64 {
    if length < 1.0 / 64.0 { length } else { (length * 64.0).floor() / 64.0 }
}

fn parse<'a>(text: &'a str, limits: &Limits) -> Result<roxmltree::Document<'a>, SkinError> {
    let options =
        ParsingOptions { allow_dtd: true, nodes_limit: limits.nodes, ..Default::default() };
    roxmltree::Document::parse_with_options(text, options)
        .map_err(|error| SkinError::Xml(error.to_string()))
}

/// Checks the depth of a document. Must be called first, because later functions are recursive.
fn check_depth(xml: &roxmltree::Document<'_>, limit: usize) -> Result<(), SkinError> {
    // Nodes are numbered in document order, parents before children.
    let mut depths: Vec<usize> = Vec::new();
    for node in xml.descendants() {
        let depth = node.parent().map_or(0, |parent| depths[parent.id().get_usize()] + 1);
        depths.push(depth);
        if depth > limit {
            return Err(SkinError::NestedTooDeeply { limit });
        }
    }
    Ok(())
}

fn check_text(xml: &roxmltree::Document<'_>, limit: usize) -> Result<(), SkinError> {
    let texts = xml.descendants().filter(|node| node.tag_name().name() == "text");
    // A letter in nested `text` elements counts several times.
    let within = texts.flat_map(|text| text.descendants().filter(roxmltree::Node::is_text));
    let found = within.filter_map(|node| node.text()).map(|text| text.chars().count()).sum();
    if found > limit { Err(SkinError::TooMuchText { found, limit }) } else { Ok(()) }
}

/// Maximum radius of an arc. Arcs are converted to curves in quadratic time, and the number of
/// curves grows with the radius.
const MAX_RADIUS: f64 = 1e9;

/// Applies the changes that Scratch makes to every document. Also removes the data of paths with
/// arcs larger than [`MAX_RADIUS`], and marks circles and ellipses by their ids.
fn prepare(root: &mut Element) {
    root.visit_mut(&mut |element| {
        if element.get("d").is_some_and(has_giant_arc) {
            element.take("d");
        }
    });
    stroke::normalise(root);
    let mut round = HashSet::new();
    root.visit_mut(&mut |element| {
        if element.name == "image" {
            let own = element.get("style").unwrap_or_default();
            let style = format!("image-rendering: pixelated; {own}");
            element.set("style", style);
        }
        if matches!(&element.name[..], "circle" | "ellipse") {
            let own = element.get("id").unwrap_or_default();
            let id = format!("{ROUND_SHAPE_ID}{own}");
            round.extend(element.take("id"));
            element.set("id", id);
        }
    });
    root.visit_mut(&mut |element| {
        for link in ["href", "xlink:href"] {
            let target = element.get(link).and_then(|link| link.trim().strip_prefix('#'));
            if let Some(target) = target.filter(|target| round.contains(*target)) {
                let renamed = format!("#{ROUND_SHAPE_ID}{target}");
                element.set(link, renamed);
            }
        }
    });
}

fn has_giant_arc(path: &str) -> bool {
    PathParser::from(path).map_while(Result::ok).any(|segment| match segment {
        PathSegment::EllipticalArc { rx, ry, .. } => rx.abs().max(ry.abs()) > MAX_RADIUS,
        _ => false,
    })
}

/// Parses a prepared document. Embedded bitmaps are read within the limits; references to other
/// files are ignored.
fn build_tree(root: &Element, limits: &Limits) -> Option<usvg::Tree> {
    if !expansion::expanded_size(root)?.is_within(limits) {
        return None;
    }
    let pixels = limits.pixels;
    let embedded = Arc::new(AtomicU64::new(0));
    let added = embedded.clone();
    let resolver = usvg::ImageHrefResolver {
        resolve_data: Box::new(move |_, data, _| {
            let format = Format::of(&data)?;
            let (width, height) = format.size(&data).ok()?;
            // This function is called for each use of a picture, because each use decodes the
            // picture.
            let more = u64::from(width) * u64::from(height);
            if added.fetch_add(more, Ordering::Relaxed).saturating_add(more) > pixels {
                return None;
            }
            match format {
                Format::Png => Some(usvg::ImageKind::PNG(data)),
                Format::Jpeg => Some(usvg::ImageKind::JPEG(data)),
                Format::Gif => Some(usvg::ImageKind::GIF(data)),
                Format::WebP => Some(usvg::ImageKind::WEBP(data)),
                Format::Bmp => None,
            }
        }),
        resolve_string: Box::new(|_, _| None),
    };
    let options = usvg::Options {
        image_href_resolver: resolver,
        font_resolver: fonts::resolver(),
        ..usvg::Options::default()
    };
    let tree = foreign::call(|| usvg::Tree::from_str(&root.document(), &options).ok()).flatten();
    tree.filter(|_| embedded.load(Ordering::Relaxed) <= pixels)
}
