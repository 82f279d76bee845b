//! What drawing a document takes, known before it begins. Documents of a few hundred bytes can
//! ask for hours and for all memory there is.

use std::cell::Cell;

use resvg::tiny_skia::Transform;
use resvg::usvg;
use resvg::usvg::filter::Kind;

/// Layers may reach so far beyond the picture, in areas of it, see `resvg`.
const MAX_LAYER_RATIO: f64 = 25.0;

/// Nodes that an estimate reads_per_pixel at, those of shared tiles and masks once for each use.
const MAX_VISITS: u32 = 1 << 20;

/// Layers that a filter keeps beside its input and its result.
const FILTER_LAYERS: f64 = 3.0;

/// What a drawing takes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct RasterCost {
    /// Pixels painted, those of layers, masks and tiles included; a filter's count as often as
    /// it reads_per_pixel at them.
    pub(crate) painted: f64,
    /// Pixels of layers that exist at the same time.
    pub(crate) layers: f64,
}

impl RasterCost {
    /// The cost of drawing a document into a picture of `pixels` pixels.
    pub(crate) fn estimate(tree: &usvg::Tree, transform: Transform, pixels: f64) -> RasterCost {
        let visits = Cell::new(MAX_VISITS);
        Estimate { pixels, visits: &visits }.group(tree.root(), transform)
    }

    /// One after the other.
    fn add(&mut self, other: RasterCost) {
        self.painted += other.painted;
        self.layers = self.layers.max(other.layers);
    }

    /// Drawn into layers of its own.
    fn in_layers(self, layers: f64) -> RasterCost {
        RasterCost { painted: self.painted + layers, layers: self.layers + layers }
    }
}

struct Estimate<'a> {
    /// Pixels of the picture.
    pixels: f64,
    /// Nodes that may still be looked at.
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

    /// Tiles are drawn whole, however little of them shows.
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

    /// How often a filter's primitive reads_per_pixel at each pixel.
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

/// Pixels of a rectangle; infinity for one beyond measure.
fn area(width: f32, height: f32, transform: Transform) -> f64 {
    let Transform { sx, kx, ky, sy, .. } = transform;
    let factor = (f64::from(sx) * f64::from(sy) - f64::from(kx) * f64::from(ky)).abs();
    // Thin shapes still take a pixel's width.
    let area = (f64::from(width) + 1.0) * (f64::from(height) + 1.0) * factor;
    if area.is_nan() { f64::INFINITY } else { area }
}
