//! Sampling of a drawable at stage points, as the original does on the CPU.

use super::Scene;
use super::candidates::silhouette;
use super::drawable::{Drawable, Look};
use super::point_words::span;
use crate::bounds::Rect;
use crate::color::{GhostEffect, Shown, with_effects};
use crate::effect::Effects;
use crate::matrix::{InverseModel, Model};
use crate::silhouette::Silhouette;

/// Parameters for sampling a drawable, valid until its appearance changes.
#[derive(Clone, Copy, Debug)]
pub(super) struct SamplingParams {
    pub(super) inverse: InverseModel,
    pub(super) nearest: bool,
    warped: bool,
    /// Whether texture coordinates are precise and finite on and around the stage, and not changed
    /// by effects.
    affine: bool,
    /// A box outside which the drawable is transparent.
    pub(super) colored_bounds: Rect,
}

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
            affine: false,
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

    #[inline]
    pub(super) fn touches(&self, point: (f64, f64)) -> bool {
        let texture = self.texture(point);
        if self.params.nearest {
            self.silhouette.touches_nearest(texture)
        } else {
            self.silhouette.touches_linear(texture)
        }
    }

    /// Evaluates [`touches`](Self::touches) at the points of a word that begins at column `left`.
    /// Each bit stands for a point.
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
        let span = span(points);
        let (first, count) = (span.start, span.len());
        let (mut columns, mut rows) = ([0; 64], [0; 64]);
        let (columns, rows) = (&mut columns[..count], &mut rows[..count]);
        // The loop has no branches, so the compiler can vectorise it.
        for (i, (column, row)) in columns.iter_mut().zip(rows.iter_mut()).enumerate() {
            let x = f64::from(left + first as i32 + i as i32);
            (*column, *row) = self.silhouette.texel(self.params.inverse.texture((x, y)));
        }
        for (bit, (&column, &row)) in (first..).zip(columns.iter().zip(&*rows)) {
            let touches = if self.params.nearest {
                self.silhouette.solid(column, row)
            } else {
                self.silhouette.solid_around(column, row)
            };
            solid |= u64::from(touches) << bit;
        }
        solid & points
    }

    /// The premultiplied colour of the drawable at a stage point, before effects on colours.
    #[inline]
    pub(super) fn plain_color(&self, point: (f64, f64)) -> [u8; 4] {
        if !self.params.colored_bounds.contains(point) {
            return [0; 4];
        }
        self.silhouette.color(self.texture(point))
    }

    #[inline]
    pub(super) fn with_effects(&self, color: [u8; 4], ghost: GhostEffect) -> [u8; 4] {
        let effects = self.effects();
        if effects.any() { with_effects(color, effects, ghost) } else { color }
    }

    /// Whether [`plain_color_row`](Self::plain_color_row) may be called.
    pub(super) fn samples_rows(&self) -> bool {
        self.params.affine && !self.silhouette.is_empty()
    }

    /// Evaluates [`plain_color`](Self::plain_color) at some points of a word that begins at column
    /// `left`. Calls `each` with the bit and the colour of each point.
    pub(super) fn plain_color_row(
        &self,
        left: i32,
        row: i32,
        mut points: u64,
        mut each: impl FnMut(u64, [u8; 4]),
    ) {
        const OUTSIDE: u32 = u32::MAX;
        let (y, bounds) = (f64::from(row), &self.params.colored_bounds);
        let mut places = [OUTSIDE; 64];
        let span = span(points);
        let (first, count) = (span.start, span.len());
        if bounds.bottom <= y && y <= bounds.top {
            // The loop has no branches, so the compiler can vectorise it.
            for (i, place) in places[..count].iter_mut().enumerate() {
                let x = f64::from(left + first as i32 + i as i32);
                let (u, v) = self.params.inverse.texture((x, y));
                let inside = (bounds.left <= x)
                    & (x <= bounds.right)
                    & (u >= 0.0)
                    & (v >= 0.0)
                    & (u <= 1.0)
                    & (v <= 1.0);
                let there = self.silhouette.place((u, v));
                *place = if inside { there } else { OUTSIDE };
            }
        }
        while points != 0 {
            let bit = points & points.wrapping_neg();
            points ^= bit;
            let place = places[(bit.trailing_zeros() - first) as usize];
            let color =
                if place == OUTSIDE { [0; 4] } else { self.silhouette.pixel_at(place as usize) };
            each(bit, color);
        }
    }
}

impl Scene {
    /// The sampler of a drawable. All drawables of the query must have been
    /// [prepared](Self::prepare), because drawables share rasters.
    pub(super) fn sampler(&self, slot: usize) -> Sampler<'_> {
        self.sampler_with(slot, self.params(slot))
    }

    pub(super) fn sampler_with(&self, slot: usize, params: SamplingParams) -> Sampler<'_> {
        let drawable = &self.drawables[slot];
        Sampler { drawable, silhouette: self.silhouette(drawable), params }
    }

    pub(super) fn params(&self, slot: usize) -> SamplingParams {
        let drawable = &self.drawables[slot];
        let inverse = drawable.model.inverse();
        let warped = drawable.effects.changes_shape();
        SamplingParams {
            inverse,
            affine: !warped && inverse.is_precise() && inverse.is_moderate(),
            nearest: drawable.samples_nearest(&self.skins),
            warped,
            colored_bounds: colored_bounds(drawable, &inverse),
        }
    }

    /// A box that contains all solid points of a drawable. Samples extend one texel beyond the
    /// costume.
    pub(super) fn solid_bounds(&self, slot: usize, params: &SamplingParams) -> Rect {
        let drawable = &self.drawables[slot];
        let silhouette = self.silhouette(drawable);
        let larger = |length: usize| (length as f64 + 1.0) / (length as f64 - 1.0);
        // A raster with a single column or row may be solid at any distance.
        if !params.inverse.is_precise() || silhouette.width() < 2 || silhouette.height() < 2 {
            return EVERYWHERE;
        }
        let bounds =
            drawable.model.aabb_of(larger(silhouette.width()), larger(silhouette.height()));
        bounds.grown(1.0)
    }

    /// Whether a drawable may show a colour somewhere, by itself or blended with the drawables
    /// behind it.
    pub(super) fn may_show(&self, slot: usize, rgb: [u8; 3]) -> bool {
        let drawable = &self.drawables[slot];
        // The pen layer has no palette.
        if !matches!(drawable.look, Look::Costume(_)) {
            return true;
        }
        let (palette, effects) = (self.silhouette(drawable).palette(), &drawable.effects);
        if !effects.any() {
            return palette.may_show(rgb);
        }
        palette.may_show_after(|pixel| {
            Shown::of(with_effects(pixel, effects, GhostEffect::Apply), rgb)
        })
    }

    fn silhouette<'a>(&'a self, drawable: &'a Drawable) -> &'a Silhouette {
        silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable)
    }
}

const EVERYWHERE: Rect = Rect {
    left: f64::NEG_INFINITY,
    right: f64::INFINITY,
    bottom: f64::NEG_INFINITY,
    top: f64::INFINITY,
};

/// A box that contains all points with texture coordinates from 0 to 1.
fn colored_bounds(drawable: &Drawable, inverse: &InverseModel) -> Rect {
    // With NaN or imprecise coordinates, the box might not contain all points.
    if !inverse.is_precise() {
        return EVERYWHERE;
    }
    drawable.model.aabb().grown(1.0)
}
