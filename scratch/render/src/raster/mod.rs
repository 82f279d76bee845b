//! Rasterisation of SVG documents as in the browser.
//!
//! Programs sense every pixel that is partly covered, so that a costume's outline must consist of
//! the same pixels as in the browser. The browser draws on a graphics device, which may be
//! emulated: the coverage of a pixel by a path is that of four samples, by a rectangle its area;
//! strokes consist of triangles, and corners are rounded to a grid of 1/16 pixel. This module
//! computes the coverage of plain paths in that way. `resvg` does the rest: blending, text and
//! unusual elements.

mod cost;
mod paint;
mod rectangle;
mod samples;
mod strip;

use resvg::tiny_skia::{
    FillRule, LineCap, Mask, Paint, Path, PathStroker, Pixmap, PixmapPaint, Point, Rect, Stroke,
    Transform,
};
use resvg::usvg;

pub(crate) use cost::RasterCost;
use rectangle::Rectangle;
use samples::Area;

/// Id of circles and ellipses without an id of their own. `usvg` converts them to paths, but they
/// are drawn differently from paths.
pub(crate) const ROUND_SHAPE_ID: &str = "catherd:round";

/// Largest coordinate in pixels of a path that is drawn on the grid.
const MAX_COORDINATE: f32 = 1e6;
/// Most edges of a stroke that is drawn as a strip. Longer strokes are outlined, because a small
/// document may contain very many edges.
const MAX_EDGES: f64 = 1e6;

/// Draws a document.
pub(crate) fn draw(tree: &usvg::Tree, transform: Transform, pixmap: &mut Pixmap) {
    let Some(mask) = Mask::new(pixmap.width(), pixmap.height()) else { return };
    Painter { mask, in_layer: false }.group(tree.root(), transform, pixmap);
}

struct Painter {
    /// Buffer for the coverage of one path; cleared after use.
    mask: Mask,
    /// Whether a layer is being drawn. Layers within layers are left to `resvg`, because each is
    /// as large as the picture.
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
            usvg::Node::Path(path) if is_plain(path) => self.path(path, transform, pixmap),
            _ => {
                // `render_node` draws a node at the origin.
                if let Some(bounds) = node.abs_layer_bounding_box() {
                    let place = transform.pre_translate(bounds.x(), bounds.y());
                    resvg::render_node(node, place, &mut pixmap.as_mut());
                }
            }
        }
    }

    /// Draws a group into a layer of its own, then the layer.
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
        if let Some(path) = path.data().clone().transform(transform) {
            self.cover(&path, rule, &paint, pixmap);
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
            self.cover(&outline, FillRule::Winding, &paint, pixmap);
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
    fn cover(&mut self, path: &Path, rule: FillRule, paint: &Paint<'_>, pixmap: &mut Pixmap) {
        let bounds = path.bounds();
        let sides = [bounds.left(), bounds.top(), bounds.right(), bounds.bottom()];
        if !sides.iter().all(|side| side.abs() <= MAX_COORDINATE) {
            return pixmap.fill_path(path, paint, rule, Transform::identity(), None);
        }
        let Some(area) = self.area(sides) else { return };
        let width = pixmap.width() as usize;
        match Rectangle::of(path) {
            Some(rectangle) => rectangle.fill(area, width, self.mask.data_mut()),
            None => samples::fill(path, rule, area, width, self.mask.data_mut()),
        }
        self.paint(area, paint, pixmap);
    }

    /// The pixels that a path may cover.
    fn area(&self, [left, top, right, bottom]: [f32; 4]) -> Option<Area> {
        // One more pixel on each side, because corners are rounded to the grid. Casts saturate.
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
        let rows = self.mask.data_mut().chunks_exact_mut(pixmap.width() as usize);
        for row in rows.skip(top).take(bottom - top) {
            row[left..right].fill(0);
        }
    }
}

/// Whether a group only changes the opacity of its contents.
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

/// Whether a path is painted in colours and gradients, with smooth edges, and is not a circle or
/// an ellipse, which `resvg` draws closer to the browser.
fn is_plain(path: &usvg::Path) -> bool {
    let pattern = |paint: &usvg::Paint| matches!(paint, usvg::Paint::Pattern(_));
    path.id() != ROUND_SHAPE_ID
        && path.rendering_mode().use_shape_antialiasing()
        && !path.fill().is_some_and(|fill| pattern(fill.paint()))
        && !path.stroke().is_some_and(|stroke| pattern(stroke.paint()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn alpha(body: &str) -> Vec<[u8; 4]> {
        let text =
            format!("<svg xmlns='http://www.w3.org/2000/svg' width='4' height='2'>{body}</svg>");
        let tree = usvg::Tree::from_str(&text, &usvg::Options::default()).unwrap();
        let mut pixmap = Pixmap::new(4, 2).unwrap();
        draw(&tree, Transform::identity(), &mut pixmap);
        let alpha: Vec<u8> = pixmap.pixels().iter().map(|pixel| pixel.alpha()).collect();
        alpha.as_chunks().0.to_vec()
    }

    #[test]
    fn slivers_between_samples_cover_nothing() {
        // The samples of a row lie 1/8, 3/8, 5/8 and 7/8 below its top.
        let body = "<path d='M0 0.95H4L3.9 2H0z'/>";
        assert_eq!(alpha(body)[0], [0; 4]);
        let body = "<path d='M0 0.7H4L3.9 2H0z'/>";
        assert_eq!(alpha(body)[0], [64; 4]);
    }

    #[test]
    fn rectangles_cover_by_area() {
        assert_eq!(alpha("<rect x='0.5' y='0.9375' width='2' height='1'/>")[0], [16, 16, 16, 0]);
        assert_eq!(alpha("<rect x='0.5' y='1' width='2' height='1'/>")[1], [128, 255, 128, 0]);
    }

    /// Strokes, and the number of samples of every pixel that the browser of the recordings covers.
    #[rustfmt::skip]
    const STROKES: [(&str, &str, [[u8; 8]; 6]); 8] = [
        ("M4 3h0.001", "stroke-linecap='round' stroke-width='5'", [
            [0, 0, 0, 1, 2, 0, 0, 0],
            [0, 0, 3, 4, 4, 3, 0, 0],
            [0, 2, 4, 4, 4, 4, 1, 0],
            [0, 1, 4, 4, 4, 4, 2, 0],
            [0, 0, 3, 4, 4, 3, 0, 0],
            [0, 0, 0, 2, 1, 0, 0, 0],
        ]),
        ("M1 6C1 0 7 0 7 6", "stroke-width='2'", [
            [0, 0, 1, 1, 2, 0, 0, 0],
            [0, 2, 4, 4, 4, 4, 1, 0],
            [0, 4, 4, 3, 2, 4, 4, 1],
            [2, 4, 2, 0, 0, 3, 4, 3],
            [3, 4, 1, 0, 0, 1, 4, 3],
            [4, 4, 0, 0, 0, 0, 4, 4],
        ]),
        ("M1 3C4 -4 4 10 7 3", "stroke-width='1.5'", [
            [0, 1, 3, 1, 0, 0, 0, 0],
            [0, 4, 4, 4, 1, 0, 0, 0],
            [1, 4, 2, 4, 3, 0, 1, 0],
            [0, 1, 0, 3, 4, 2, 4, 1],
            [0, 0, 0, 1, 4, 4, 4, 0],
            [0, 0, 0, 0, 1, 3, 1, 0],
        ]),
        ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4' stroke-linejoin='bevel'", [
            [2, 2, 1, 1, 1, 0, 0, 0],
            [4, 4, 4, 4, 4, 3, 0, 0],
            [4, 4, 4, 4, 4, 4, 1, 0],
            [0, 0, 0, 1, 4, 4, 2, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
        ]),
        ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4' stroke-linejoin='round'", [
            [2, 2, 1, 1, 1, 0, 0, 0],
            [4, 4, 4, 4, 4, 3, 0, 0],
            [4, 4, 4, 4, 4, 4, 1, 0],
            [0, 0, 0, 1, 4, 4, 2, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
        ]),
        ("M0 1.7L5 2.1L6.3 9", "stroke-width='2.4'", [
            [2, 2, 1, 1, 1, 0, 0, 0],
            [4, 4, 4, 4, 4, 4, 1, 0],
            [4, 4, 4, 4, 4, 4, 1, 0],
            [0, 0, 0, 1, 4, 4, 2, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
            [0, 0, 0, 0, 3, 4, 3, 0],
        ]),
        ("M2 2L6 2.5L6.2 3.1", "stroke-width='1.5' stroke-linecap='square'", [
            [0, 0, 0, 0, 0, 0, 0, 0],
            [0, 2, 3, 2, 2, 1, 0, 0],
            [0, 2, 3, 4, 4, 4, 3, 0],
            [0, 0, 0, 0, 0, 2, 3, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
            [0, 0, 0, 0, 0, 0, 0, 0],
        ]),
        ("M2 1.5L6.2 2.1L4 5Z", "stroke-width='1.3'", [
            [0, 1, 0, 0, 0, 0, 0, 0],
            [0, 3, 4, 4, 3, 2, 2, 1],
            [0, 1, 4, 3, 2, 4, 2, 0],
            [0, 0, 3, 3, 2, 4, 0, 0],
            [0, 0, 0, 4, 4, 1, 0, 0],
            [0, 0, 0, 2, 2, 0, 0, 0],
        ]),
    ];

    #[test]
    fn strokes_cover_the_samples_that_the_browser_covers() {
        for (path, style, expected) in STROKES {
            let text = format!(
                "<svg xmlns='http://www.w3.org/2000/svg' width='8' height='6'>\
                 <path d='{path}' fill='none' stroke='#000' {style}/></svg>"
            );
            let tree = usvg::Tree::from_str(&text, &usvg::Options::default()).unwrap();
            let mut pixmap = Pixmap::new(8, 6).unwrap();
            draw(&tree, Transform::identity(), &mut pixmap);
            let levels: Vec<u8> =
                pixmap.pixels().iter().map(|pixel| pixel.alpha().div_ceil(64)).collect();
            assert_eq!(levels, expected.as_flattened(), "{path} {style}");
        }
    }

    #[test]
    fn strokes_of_too_many_edges_are_outlined() {
        let line = |corners: usize| {
            let mut line = resvg::tiny_skia::PathBuilder::new();
            line.move_to(0.0, 0.0);
            (0..corners).for_each(|i| line.line_to((i % 7) as f32, (i % 5) as f32));
            line.finish().unwrap()
        };
        let style = Stroke { width: 900.0, ..Stroke::default() };
        assert!(is_strip(&line(100), &style, Transform::identity()));
        assert!(!is_strip(&line(100_000), &style, Transform::identity()));
    }

    #[test]
    fn holes_and_overlaps_follow_the_fill_rule() {
        let path = "M0 0H4L4 2 0 2zM1 0L3 0 3 2 1 2z";
        assert_eq!(alpha(&format!("<path d='{path}'/>"))[0], [255; 4]);
        let odd = format!("<path fill-rule='evenodd' d='{path}'/>");
        assert_eq!(alpha(&odd)[0], [255, 0, 0, 255]);
    }

    #[test]
    fn groups_and_far_corners_are_drawn() {
        let body = "<g opacity='.5'><path d='M0 0H4L4 2 0 2z'/><path d='M0 0H4L3.99 2 0 2z'/></g>";
        assert_eq!(alpha(body)[1][..3], [128; 3]);
        assert_eq!(alpha("<path d='M-1e9 0L1e9 -1 1e9 9 -1e9 9z'/>")[1], [255; 4]);
    }
}
