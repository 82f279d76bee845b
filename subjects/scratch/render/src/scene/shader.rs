//! Sampling of a drawable as in the original on the graphics processor: at pixel centres, with the
//! raster for the scale of the drawable, and with colours in floating point.

use crate::bounds::Rect;
use crate::color::{GhostEffect, with_effects_gpu};
use crate::effect::Effects;
use crate::matrix::InverseModel;
use crate::rounding::floor;
use crate::silhouette::Silhouette;

#[derive(Clone, Copy, Debug)]
pub(super) struct Lens {
    pub(super) inverse: InverseModel,
    pub(super) effects: Effects,
    pub(super) size: (f64, f64),
    pub(super) nearest: bool,
    pub(super) colored_bounds: Rect,
}

/// The value of a raster at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Sample {
    Texel([u8; 4]),
    /// An interpolated premultiplied colour (0 to 1) between pixels.
    Between([f64; 4]),
}

pub(super) struct Shader<'a> {
    silhouette: &'a Silhouette,
    lens: Lens,
}

impl<'a> Shader<'a> {
    pub(super) fn new(silhouette: &'a Silhouette, lens: Lens) -> Self {
        Self { silhouette, lens }
    }

    /// Whether the drawable may have a fragment at some point with this y.
    pub(super) fn reaches_row(&self, y: f64) -> bool {
        let Rect { bottom, top, .. } = self.lens.colored_bounds;
        bottom <= y && y <= top && !self.silhouette.is_empty()
    }
}

impl Shader<'_> {
    #[inline]
    pub(super) fn is_solid(&self, point: (f64, f64)) -> bool {
        let lens = &self.lens;
        if !lens.nearest || lens.effects.changes_shape() {
            // Effects on colours do not change alpha, except the ghost effect, which is ignored
            // here.
            return self.sample(point).is_some_and(|sample| match sample {
                Sample::Texel(texel) => texel[3] != 0,
                Sample::Between(color) => color[3] != 0.0,
            });
        }
        if !lens.colored_bounds.contains(point) {
            return false;
        }
        let (u, v) = lens.inverse.texture(point);
        let inside = (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v);
        let (width, height) = (self.silhouette.width(), self.silhouette.height());
        // Because of rounding, the product may equal the width or the height.
        let column = ((u * width as f64) as i32).min(width as i32 - 1);
        let row = ((v * height as f64) as i32).min(height as i32 - 1);
        inside && self.silhouette.solid(column, row)
    }

    /// The premultiplied colour (0 to 1) of the pixel around a stage point.
    pub(super) fn fragment(&self, point: (f64, f64), ghost: GhostEffect) -> Option<[f64; 4]> {
        self.sample(point).map(|sample| self.shaded(sample, ghost))
    }

    /// The premultiplied colour (0 to 1) of a sample after the effects on colours.
    #[inline]
    pub(super) fn shaded(&self, sample: Sample, ghost: GhostEffect) -> [f64; 4] {
        let color = match sample {
            Sample::Texel(texel) => texel.map(unit),
            Sample::Between(color) => color,
        };
        let effects = &self.lens.effects;
        if effects.any() { with_effects_gpu(color, effects, ghost) } else { color }
    }

    #[inline]
    pub(super) fn sample(&self, point: (f64, f64)) -> Option<Sample> {
        let lens = &self.lens;
        if !lens.colored_bounds.contains(point) {
            return None;
        }
        let (mut u, mut v) = lens.inverse.texture(point);
        if !(0.0..1.0).contains(&u) || !(0.0..1.0).contains(&v) || self.silhouette.is_empty() {
            return None;
        }
        if lens.effects.changes_shape() {
            (u, v) = lens.effects.transform((u, v), lens.size);
        }
        Some(if lens.nearest {
            let (width, height) = (self.silhouette.width() as f64, self.silhouette.height() as f64);
            Sample::Texel(self.texel(u * width, v * height))
        } else {
            self.sample_linear(u, v)
        })
    }

    /// Bilinear interpolation of four texels. Texels at the edge are repeated beyond the edge.
    fn sample_linear(&self, u: f64, v: f64) -> Sample {
        let x = u * self.silhouette.width() as f64 - 0.5;
        let y = v * self.silhouette.height() as f64 - 0.5;
        let (i, j) = (floor(x), floor(y));
        let corners = [
            self.texel(i, j),
            self.texel(i + 1.0, j),
            self.texel(i, j + 1.0),
            self.texel(i + 1.0, j + 1.0),
        ];
        // Shortcut for equal texels. The sum below may differ in the last bit, but the colour is
        // rounded to bytes later.
        if !self.lens.effects.any() && corners[1..].iter().all(|corner| *corner == corners[0]) {
            return Sample::Texel(corners[0]);
        }
        let (fx, fy) = (x - i, y - j);
        Sample::Between(std::array::from_fn(|channel| {
            let [a, b, c, d] = corners.map(|corner| unit(corner[channel]));
            (a * (1.0 - fx) + b * fx) * (1.0 - fy) + (c * (1.0 - fx) + d * fx) * fy
        }))
    }

    #[inline]
    fn texel(&self, column: f64, row: f64) -> [u8; 4] {
        // Casts truncate, saturate at 0 and map NaN to 0.
        let column = (column as usize).min(self.silhouette.width() - 1);
        let row = (row as usize).min(self.silhouette.height() - 1);
        self.silhouette.pixel(column, row)
    }
}

fn unit(channel: u8) -> f64 {
    const UNITS: [f64; 256] = {
        let mut units = [0.0; 256];
        let mut channel = 0;
        while channel < 256 {
            units[channel] = channel as f64 / 255.0;
            channel += 1;
        }
        units
    };
    UNITS[usize::from(channel)]
}
