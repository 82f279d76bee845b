//! Estimated cost of drawing a document, computed before drawing, because documents of a few
//! hundred bytes can require hours and all memory.

use std::cell::Cell;

use resvg::tiny_skia::Transform;
use resvg::usvg;
use resvg::usvg::filter::Kind;

/// Largest area of a layer as a multiple of the picture's area, as in `resvg`.
const MAX_LAYER_RATIO: f64 = 25.0;

/// Maximum number of nodes that an estimate visits; nodes of shared tiles and masks count once for
/// each use.
const MAX_VISITS: u32 = 1 << 20;

/// Number of layers that a filter needs besides its input and its result.
const FILTER_LAYERS: f64 = 3.0;

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RasterCost {
    /// Number of painted pixels, including layers, masks and tiles; pixels of a filter count as
    /// often as the filter reads them.
    pub(crate) painted: f64,
    /// Largest number of pixels of layers that exist at the same time.
    pub(crate) layers: f64,
}

impl RasterCost {
    /// Estimates the cost of drawing a document into a picture of `pixels` pixels. The number of
    /// painted pixels is infinite if more than [`MAX_VISITS`] nodes are visited.
    pub(crate) fn estimate(tree: &usvg::Tree, transform: Transform, pixels: f64) -> RasterCost {
        let visits = Cell::new(MAX_VISITS);
        Estimate { pixels, visits: &visits }.group(tree.root(), transform)
    }

    fn add(&mut self, other: RasterCost) {
        self.painted += other.painted;
        self.layers = self.layers.max(other.layers);
    }

    fn in_layers(self, layers: f64) -> RasterCost {
        RasterCost { painted: self.painted + layers, layers: self.layers + layers }
    }
}

struct Estimate<'a> {
    pixels: f64,
    /// Number of nodes that may still be visited.
    visits: &'a Cell<u32>,
}

impl Estimate<'_> {
    fn group(&self, group: &usvg::Group, transform: Transform) -> RasterCost {
        let transform = transform.pre_concat(group.transform());
        let mut cost = RasterCost::default();
        for node in group.children() {
            cost.add(self.node(node, transform));
        }
        if !group.should_isolate() {
            return cost;
        }
        let bounds = group.layer_bounding_box();
        let layer = self.layer(bounds.width(), bounds.height(), transform);
        if let Some(clip) = group.clip_path() {
            cost.add(self.clip(clip, layer, transform));
        }
        if let Some(mask) = group.mask() {
            cost.add(self.mask(mask, layer, transform));
        }
        for filter in group.filters() {
            let mut filtered = RasterCost::default();
            for primitive in filter.primitives() {
                let reads_per_pixel =
                    self.reads_per_pixel(primitive.kind(), transform, layer, &mut filtered);
                filtered.painted += layer * reads_per_pixel;
            }
            cost.add(filtered.in_layers(FILTER_LAYERS * layer));
        }
        cost.in_layers(layer)
    }

    fn node(&self, node: &usvg::Node, transform: Transform) -> RasterCost {
        let Some(left) = self.visits.get().checked_sub(1) else {
            return RasterCost { painted: f64::INFINITY, layers: 0.0 };
        };
        self.visits.set(left);
        match node {
            usvg::Node::Group(group) => self.group(group, transform),
            usvg::Node::Text(text) => self.group(text.flattened(), transform),
            usvg::Node::Image(_) => RasterCost { painted: self.pixels, layers: 0.0 },
            usvg::Node::Path(path) => {
                let bounds = path.stroke_bounding_box();
                let covered = area(bounds.width(), bounds.height(), transform).min(self.pixels);
                let mut cost = RasterCost { painted: covered, layers: 0.0 };
                let fill = path.fill().map(usvg::Fill::paint);
                let stroke = path.stroke().map(usvg::Stroke::paint);
                for paint in [fill, stroke].into_iter().flatten() {
                    if let usvg::Paint::Pattern(pattern) = paint {
                        cost.add(self.pattern(pattern, transform));
                    }
                }
                cost
            }
        }
    }

    /// The cost of a pattern. Its tile is drawn completely, even if only a part of it is visible.
    fn pattern(&self, pattern: &usvg::Pattern, transform: Transform) -> RasterCost {
        let transform = transform.pre_concat(pattern.transform());
        let (sx, sy) = transform.get_scale();
        let tile = area(pattern.rect().width(), pattern.rect().height(), transform);
        let inside = Estimate { pixels: tile, visits: self.visits };
        inside.group(pattern.root(), Transform::from_scale(sx, sy)).in_layers(tile)
    }

    fn clip(&self, clip: &usvg::ClipPath, layer: f64, transform: Transform) -> RasterCost {
        let transform = transform.pre_concat(clip.transform());
        let mut cost = self.group(clip.root(), transform);
        if let Some(clip) = clip.clip_path() {
            cost.add(self.clip(clip, layer, transform));
        }
        cost.in_layers(layer)
    }

    fn mask(&self, mask: &usvg::Mask, layer: f64, transform: Transform) -> RasterCost {
        let mut cost = self.group(mask.root(), transform);
        if let Some(mask) = mask.mask() {
            cost.add(self.mask(mask, layer, transform));
        }
        cost.in_layers(layer)
    }

    /// Estimates how often a filter primitive reads each pixel. Adds the cost of drawing a
    /// primitive that is a picture to `cost`.
    fn reads_per_pixel(
        &self,
        kind: &Kind,
        transform: Transform,
        layer: f64,
        cost: &mut RasterCost,
    ) -> f64 {
        let (sx, sy) = transform.get_scale();
        match kind {
            Kind::Morphology(morphology) => {
                let width = 2.0 * f64::from(morphology.radius_x().get() * sx) + 1.0;
                let height = 2.0 * f64::from(morphology.radius_y().get() * sy) + 1.0;
                (width * height).min(layer)
            }
            Kind::Turbulence(turbulence) => 40.0 * f64::from(turbulence.num_octaves()),
            Kind::ConvolveMatrix(convolution) => {
                let matrix = convolution.matrix();
                f64::from(matrix.columns()) * f64::from(matrix.rows())
            }
            Kind::Image(image) => {
                cost.add(self.group(image.root(), transform));
                2.0
            }
            _ => 10.0,
        }
    }

    fn layer(&self, width: f32, height: f32, transform: Transform) -> f64 {
        area(width, height, transform).min(MAX_LAYER_RATIO * self.pixels)
    }
}

/// Number of pixels of a transformed rectangle; infinity instead of NaN.
fn area(width: f32, height: f32, transform: Transform) -> f64 {
    let Transform { sx, kx, ky, sy, .. } = transform;
    let factor = (f64::from(sx) * f64::from(sy) - f64::from(kx) * f64::from(ky)).abs();
    // Add one unit to width and height, because thin shapes also cover pixels.
    let area = (f64::from(width) + 1.0) * (f64::from(height) + 1.0) * factor;
    if area.is_nan() { f64::INFINITY } else { area }
}
