//! Rasterisation of SVG documents as in the browser.
//!
//! Programs sense every pixel that is partly covered, so the outline of a costume must consist of
//! the same pixels as in the browser. The browser draws on a graphics device, which may be
//! emulated: the coverage of a pixel by a path is the share of its four samples that are inside the
//! path, and the coverage by a rectangle is the covered area, except at corners. Strokes consist of
//! triangles, and vertices are rounded to a grid of 1/16 pixel. This module computes the coverage
//! of plain paths and bitmaps in the same way. `resvg` draws other elements, such as text.

mod bitmap;
mod cost;
mod paint;
mod rectangle;
mod round;
mod samples;
mod strip;

use resvg::tiny_skia::{
    FillRule, LineCap, Mask, Paint, Path, PathStroker, Pixmap, PixmapPaint, Point, Rect, Stroke,
    Transform,
};
use resvg::usvg;

use crate::foreign;
use bitmap::Bitmap;
pub(crate) use cost::RasterCost;
use rectangle::Rectangle;
use samples::{Area, Sampling};

/// Prefix of the ids of circles and ellipses. `usvg` converts them to paths, but they are drawn
/// differently from paths.
pub(crate) const ROUND_SHAPE_ID: &str = "catherd:round";

/// Maximum absolute coordinate, in pixels, of bitmaps, ellipses and strips that are drawn here.
const MAX_COORDINATE: f32 = 1e6;
/// Maximum number of edges of a stroke that is drawn as a strip. Strokes with more edges are
/// outlined, because a small document may contain very many edges.
const MAX_EDGES: f64 = 1e6;

/// The method that determines the pixels at the edges of plain paths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edges {
    /// With four samples for each pixel, as on a graphics device.
    Device,
    /// With more samples, as in `resvg`, so pixels are not empty even if only a small part is
    /// covered.
    Fine,
}

pub(crate) fn draw(tree: &usvg::Tree, transform: Transform, edges: Edges, pixmap: &mut Pixmap) {
    let Some(mask) = Mask::new(pixmap.width(), pixmap.height()) else { return };
    Painter { edges, mask, in_layer: false }.group(tree.root(), transform, pixmap);
}

struct Painter {
    edges: Edges,
    /// Buffer for coverage; cleared after use.
    mask: Mask,
    /// Whether a layer is being drawn. Layers within layers are left to `resvg`, because each layer
    /// is as large as the picture.
    in_layer: bool,
}

impl Painter {
    fn group(&mut self, group: &usvg::Group, transform: Transform, pixmap: &mut Pixmap) {
        let transform = transform.pre_concat(group.transform());
        for node in group.children() {
            self.node(node, transform, pixmap);
        }
    }

    fn node(&mut self, node: &usvg::Node, transform: Transform, pixmap: &mut Pixmap) {
        match node {
            usvg::Node::Group(group) if !group.should_isolate() => {
                self.group(group, transform, pixmap);
            }
            usvg::Node::Group(group) if is_translucent_only(group) && !self.in_layer => {
                self.layer(group, transform, pixmap);
            }
            usvg::Node::Path(path) if self.edges == Edges::Device && is_plain(path) => {
                self.path(path, transform, pixmap);
            }
            usvg::Node::Image(image) if self.image(image, transform, pixmap) => {}
            _ => {
                // `render_node` draws the box of a node at the origin, so the transformation moves
                // it back.
                if let Some(bounds) = node.abs_layer_bounding_box() {
                    let place = transform.pre_translate(bounds.x(), bounds.y());
                    // Pixels that were drawn before a panic are kept.
                    let _ = foreign::call(|| resvg::render_node(node, place, &mut pixmap.as_mut()));
                }
            }
        }
    }

    /// Returns false if `resvg` must draw the image.
    fn image(&mut self, image: &usvg::Image, transform: Transform, pixmap: &mut Pixmap) -> bool {
        if !image.is_visible() {
            return true;
        }
        let Some(bitmap) = Bitmap::of(image, transform) else { return false };
        let sides = bitmap.place.sides();
        if !sides.iter().all(|side| side.abs() <= MAX_COORDINATE) {
            return false;
        }
        if let Some(area) = self.area(sides) {
            let width = pixmap.width() as usize;
            bitmap.place.fill(area, width, self.mask.data_mut());
            bitmap.paint(area, self.mask.data(), pixmap);
            self.clear(area);
        }
        true
    }

    fn layer(&mut self, group: &usvg::Group, transform: Transform, pixmap: &mut Pixmap) {
        let Some(mut layer) = Pixmap::new(pixmap.width(), pixmap.height()) else { return };
        self.in_layer = true;
        self.group(group, transform, &mut layer);
        self.in_layer = false;
        let paint = PixmapPaint { opacity: group.opacity().get(), ..PixmapPaint::default() };
        pixmap.draw_pixmap(0, 0, layer.as_ref(), &paint, Transform::identity(), None);
    }

    fn path(&mut self, path: &usvg::Path, transform: Transform, pixmap: &mut Pixmap) {
        if !path.is_visible() {
            return;
        }
        if path.paint_order() == usvg::PaintOrder::FillAndStroke {
            self.fill(path, transform, pixmap);
            self.stroke(path, transform, pixmap);
        } else {
            self.stroke(path, transform, pixmap);
            self.fill(path, transform, pixmap);
        }
    }

    fn fill(&mut self, path: &usvg::Path, transform: Transform, pixmap: &mut Pixmap) {
        let Some(fill) = path.fill() else { return };
        let rule = match fill.rule() {
            usvg::FillRule::NonZero => FillRule::Winding,
            usvg::FillRule::EvenOdd => FillRule::EvenOdd,
        };
        let Some(paint) = paint::shader_paint(fill.paint(), fill.opacity(), transform) else {
            return;
        };
        if path.id().starts_with(ROUND_SHAPE_ID)
            && let Some(ellipse) = round::ellipse_of(path.data(), transform)
            && ellipse.sides().iter().all(|side| side.abs() <= MAX_COORDINATE)
        {
            let Some(area) = self.area(ellipse.sides()) else { return };
            ellipse.fill(area, pixmap.width() as usize, self.mask.data_mut());
            return self.paint(area, &paint, pixmap);
        }
        let bounds = path.data().bounds().transform(transform);
        let sampling = bounds.map_or(samples::DIRECT, Sampling::of_fill);
        if let Some(path) = path.data().clone().transform(transform) {
            self.cover(&path, rule, sampling, &paint, pixmap);
        }
    }

    fn stroke(&mut self, path: &usvg::Path, transform: Transform, pixmap: &mut Pixmap) {
        let Some(stroke) = path.stroke() else { return };
        let Some(paint) = paint::shader_paint(stroke.paint(), stroke.opacity(), transform) else {
            return;
        };
        let style = stroke.to_tiny_skia();
        let scale = PathStroker::compute_resolution_scale(&transform);
        let dashed = style.dash.as_ref().map(|dash| path.data().dash(dash, scale));
        let line = match &dashed {
            Some(Some(dashed)) => dashed,
            Some(None) => return,
            None => path.data(),
        };
        if is_strip(line, &style, transform) {
            let triangles = strip::triangles(line, &style, transform);
            return self.cover_triangles(&triangles, &paint, pixmap);
        }
        let outline = line.stroke(&style, scale).and_then(|outline| outline.transform(transform));
        if let Some(outline) = outline {
            self.cover(&outline, FillRule::Winding, samples::DIRECT, &paint, pixmap);
        }
    }

    /// Paints triangles in pixel coordinates.
    fn cover_triangles(
        &mut self,
        triangles: &[[Point; 3]],
        paint: &Paint<'_>,
        pixmap: &mut Pixmap,
    ) {
        let mut sides = [f32::MAX, f32::MAX, f32::MIN, f32::MIN];
        for point in triangles.as_flattened() {
            let [left, top, right, bottom] = sides;
            sides = [left.min(point.x), top.min(point.y), right.max(point.x), bottom.max(point.y)];
        }
        let Some(area) = self.area(sides) else { return };
        let width = pixmap.width() as usize;
        samples::fill_triangles(triangles, area, width, self.mask.data_mut());
        self.paint(area, paint, pixmap);
    }

    /// Paints the inside of a path in pixel coordinates.
    fn cover(
        &mut self,
        path: &Path,
        rule: FillRule,
        sampling: Sampling,
        paint: &Paint<'_>,
        pixmap: &mut Pixmap,
    ) {
        let bounds = path.bounds();
        let sides = [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()];
        let Some(area) = self.area(sides) else { return };
        let width = pixmap.width() as usize;
        match Rectangle::of(path) {
            Some(rectangle) => rectangle.fill(area, width, self.mask.data_mut()),
            None => samples::fill(path, rule, sampling, area, width, self.mask.data_mut()),
        }
        self.paint(area, paint, pixmap);
    }

    fn area(&self, [left, top, right, bottom]: [f32; 4]) -> Option<Area> {
        // Add one pixel on each side, because corners are rounded to the grid. Casts saturate.
        let area = Area {
            left: (left - 1.0).floor() as usize,
            top: (top - 1.0).floor() as usize,
            right: ((right + 1.0).ceil() as usize).min(self.mask.width() as usize),
            bottom: ((bottom + 1.0).ceil() as usize).min(self.mask.height() as usize),
        };
        (area.left < area.right && area.top < area.bottom).then_some(area)
    }

    /// Paints the pixels that the mask covers, and clears the mask.
    fn paint(&mut self, area: Area, paint: &Paint<'_>, pixmap: &mut Pixmap) {
        let Area { left, top, right, bottom } = area;
        let place = Rect::from_ltrb(left as f32, top as f32, right as f32, bottom as f32);
        if let Some(place) = place {
            pixmap.fill_rect(place, paint, Transform::identity(), Some(&self.mask));
        }
        self.clear(area);
    }

    fn clear(&mut self, area: Area) {
        let width = self.mask.width() as usize;
        let rows = self.mask.data_mut().chunks_exact_mut(width);
        for row in rows.skip(area.top).take(area.bottom - area.top) {
            row[area.left..area.right].fill(0);
        }
    }
}

fn is_translucent_only(group: &usvg::Group) -> bool {
    group.filters().is_empty()
        && group.clip_path().is_none()
        && group.mask().is_none()
        && group.blend_mode() == usvg::BlendMode::Normal
}

/// Whether the stroke of a line is drawn as a strip of triangles. The stroke of a straight line
/// without round ends is a rectangle, and strokes of rectangles are drawn differently.
fn is_strip(line: &Path, style: &Stroke, transform: Transform) -> bool {
    let straight = strip::is_line(line) && style.line_cap != LineCap::Round;
    let bounds = line.bounds();
    let reach = [bounds.left(), bounds.top(), bounds.right(), bounds.bottom(), style.width]
        .into_iter()
        .fold(0.0_f32, |reach, side| reach.max(side.abs()));
    let scale = transform.get_scale();
    let reach = reach * scale.0.max(scale.1) * 4.0 + transform.tx.abs().max(transform.ty.abs());
    !straight
        && Rectangle::of(line).is_none()
        && reach * style.miter_limit.max(1.0) < MAX_COORDINATE
        && strip::max_edges(line, style, transform) < MAX_EDGES
}

/// Whether a path is painted without patterns and with smooth edges. Circles and ellipses with a
/// stroke are excluded, because the result of `resvg` is closer to the browser's.
fn is_plain(path: &usvg::Path) -> bool {
    let pattern = |paint: &usvg::Paint| matches!(paint, usvg::Paint::Pattern(_));
    let round_line = path.id().starts_with(ROUND_SHAPE_ID) && path.stroke().is_some();
    !round_line
        && path.rendering_mode().use_shape_antialiasing()
        && !path.fill().is_some_and(|fill| pattern(fill.paint()))
        && !path.stroke().is_some_and(|stroke| pattern(stroke.paint()))
}

#[cfg(test)]
mod tests;
