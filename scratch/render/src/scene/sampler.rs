//! A drawable, sampled at stage points.

use super::Scene;
use super::candidates::silhouette;
use super::drawable::{Drawable, Look};
use crate::bounds::Rect;
use crate::color::{GhostEffect, with_effects};
use crate::effect::Effects;
use crate::matrix::{Inverse, Model};
use crate::silhouette::Silhouette;

/// How a drawable is sampled, as long as it looks the same.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingParams {
    inverse: Inverse,
    nearest: bool,
    warped: bool,
    /// Outside of this box the drawable has no colour.
    pub(super) colored_bounds: Rect,
}

/// A drawable ready to be sampled at stage points.
#[derive(Clone, Copy)]
pub(super) struct Sampler<'a> {
    drawable: &'a Drawable,
    silhouette: &'a Silhouette,
    params: SamplingParams,
}

impl Default for SamplingParams {
    fn default() -> Self {
        Self {
            inverse: Model::default().inverse(),
            nearest: true,
            warped: false,
            colored_bounds: Rect { left: 0.0, right: 0.0, bottom: 0.0, top: 0.0 },
        }
    }
}

impl Sampler<'_> {
    fn effects(&self) -> &Effects {
        &self.drawable.effects
    }

    #[inline]
    fn texture(&self, point: (f64, f64)) -> (f64, f64) {
        let (u, v) = self.params.inverse.texture(point);
        if self.params.warped && (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v) {
            return self.effects().transform((u, v), self.drawable.size);
        }
        (u, v)
    }

    /// Whether the drawable is solid at a stage point.
    #[inline]
    pub(super) fn touches(&self, point: (f64, f64)) -> bool {
        let texture = self.texture(point);
        if self.params.nearest {
            self.silhouette.touches_nearest(texture)
        } else {
            self.silhouette.touches_linear(texture)
        }
    }

    /// [`touches`](Self::touches) for the points of a row that begins at `left`, one a bit.
    pub(super) fn solid_row(&self, left: i32, row: i32, points: u64) -> u64 {
        let mut solid = 0;
        if self.params.warped {
            for bit in (0..64).filter(|bit| points >> bit & 1 == 1) {
                let point = (f64::from(left + bit), f64::from(row));
                solid |= u64::from(self.touches(point)) << bit;
            }
            return solid;
        }
        let y = f64::from(row);
        let (mut columns, mut rows) = ([0; 64], [0; 64]);
        // Simple loops without branches, for the compiler to do several points at a time.
        for (bit, (column, row)) in columns.iter_mut().zip(&mut rows).enumerate() {
            let texture = self.params.inverse.texture((f64::from(left + bit as i32), y));
            (*column, *row) = self.silhouette.texel(texture);
        }
        for (bit, (&column, &row)) in columns.iter().zip(&rows).enumerate() {
            let touches = if self.params.nearest {
                self.silhouette.solid(column, row)
            } else {
                self.silhouette.solid_around(column, row)
            };
            solid |= u64::from(touches) << bit;
        }
        solid & points
    }

    /// The premultiplied colour of the drawable at a stage point.
    #[inline]
    pub(super) fn color(&self, point: (f64, f64), ghost: GhostEffect) -> [u8; 4] {
        if !self.params.colored_bounds.contains(point) {
            return [0; 4];
        }
        let sample = self.silhouette.color(self.texture(point));
        let effects = self.effects();
        if effects.any() { with_effects(sample, effects, ghost) } else { sample }
    }
}

impl Scene {
    /// Makes a drawable ready to be sampled. Every [`prepare`](Self::prepare) of the query must
    /// have happened before, since drawables share rasters.
    pub(super) fn sampler(&self, slot: usize) -> Sampler<'_> {
        self.sampler_with(slot, self.params(slot))
    }

    /// The same with a params that the drawable has got before.
    pub(super) fn sampler_with(&self, slot: usize, params: SamplingParams) -> Sampler<'_> {
        let drawable = &self.drawables[slot];
        Sampler { drawable, silhouette: self.silhouette(drawable), params }
    }

    pub(super) fn params(&self, slot: usize) -> SamplingParams {
        let drawable = &self.drawables[slot];
        let inverse = drawable.model.inverse();
        SamplingParams {
            inverse,
            nearest: drawable.samples_nearest(&self.skins),
            warped: drawable.effects.changes_shape(),
            colored_bounds: colored_bounds(drawable, &inverse),
        }
    }

    /// Whether a drawable may show a colour somewhere, or something translucent through which
    /// the colour may come about.
    pub(super) fn may_show(&self, slot: usize, rgb: [u8; 3]) -> bool {
        let drawable = &self.drawables[slot];
        // Lines change the pen layer all the time.
        !matches!(drawable.look, Look::Costume(_))
            || drawable.effects.any()
            || self.silhouette(drawable).palette().may_show(rgb)
    }

    fn silhouette<'a>(&'a self, drawable: &'a Drawable) -> &'a Silhouette {
        silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable)
    }
}

/// A box that surely holds all points with texture coordinates from 0 to 1.
pub(super) fn colored_bounds(drawable: &Drawable, inverse: &Inverse) -> Rect {
    const EVERYWHERE: Rect = Rect {
        left: f64::NEG_INFINITY,
        right: f64::INFINITY,
        bottom: f64::NEG_INFINITY,
        top: f64::INFINITY,
    };
    // Without coordinates a drawable shows its last texel everywhere. Where a unit on the stage
    // is less than the precision of the coordinates, the box would not be sure.
    if !inverse.is_precise() {
        return EVERYWHERE;
    }
    let bounds = drawable.model.aabb();
    Rect {
        left: bounds.left - 1.0,
        right: bounds.right + 1.0,
        bottom: bounds.bottom - 1.0,
        top: bounds.top + 1.0,
    }
}
