//! Sampling of a drawable at stage points, as the original does on the CPU.

use super::Scene;
use super::candidates::silhouette;
use super::drawable::{Drawable, Look};
use crate::bounds::Rect;
use crate::color::{GhostEffect, with_effects};
use crate::effect::Effects;
use crate::matrix::{InverseModel, Model};
use crate::silhouette::Silhouette;

/// Parameters of sampling, valid as long as the appearance of the drawable does not change.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingParams {
    inverse: InverseModel,
    /// Touching takes one sample instead of four.
    nearest: bool,
    /// Effects change the shape.
    warped: bool,
    /// Outside of this box the drawable is transparent.
    pub(super) colored_bounds: Rect,
}

/// Sampler of one drawable.
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

    /// [`touches`](Self::touches) for the points of a word that begins at column `left`, one bit
    /// for each.
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
        // Loops without branches, so that the compiler can vectorise them.
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
    /// The sampler of a drawable. All drawables of the query must be [prepared](Self::prepare)
    /// before, because drawables share rasters.
    pub(super) fn sampler(&self, slot: usize) -> Sampler<'_> {
        self.sampler_with(slot, self.params(slot))
    }

    /// The sampler of a drawable with parameters computed before.
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

    /// Whether a drawable may show a colour somewhere, alone or blended with those behind.
    pub(super) fn may_show(&self, slot: usize, rgb: [u8; 3]) -> bool {
        let drawable = &self.drawables[slot];
        // Only costumes have a fixed palette; lines change the pen layer all the time.
        !matches!(drawable.look, Look::Costume(_))
            || drawable.effects.any()
            || self.silhouette(drawable).palette().may_show(rgb)
    }

    fn silhouette<'a>(&'a self, drawable: &'a Drawable) -> &'a Silhouette {
        silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable)
    }
}

/// A box that contains all points with texture coordinates from 0 to 1.
pub(super) fn colored_bounds(drawable: &Drawable, inverse: &InverseModel) -> Rect {
    const EVERYWHERE: Rect = Rect {
        left: f64::NEG_INFINITY,
        right: f64::INFINITY,
        bottom: f64::NEG_INFINITY,
        top: f64::INFINITY,
    };
    // With NaN as coordinates a drawable shows its last texel everywhere. If a unit on the stage
    // is less than the precision of the coordinates, the box might miss points.
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
