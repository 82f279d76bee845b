//! A drawable, sampled at stage points.

use super::Scene;
use super::candidates::silhouette;
use super::drawable::{Appearance, Drawable};
use crate::bounds::Rect;
use crate::color::{Ghosting, with_effects};
use crate::effect::Effects;
use crate::matrix::Inverse;
use crate::silhouette::Silhouette;

/// A drawable ready to be sampled at stage points.
#[derive(Clone, Copy)]
pub(super) struct Probe<'a> {
    drawable: &'a Drawable,
    silhouette: &'a Silhouette,
    inverse: Inverse,
    nearest: bool,
    warped: bool,
    appearance: Option<Appearance>,
    /// Outside of this box the drawable has no colour.
    colored: Rect,
}

impl Probe<'_> {
    fn effects(&self) -> &Effects {
        &self.drawable.effects
    }

    /// All that answers depend on; `None` if that cannot be compared.
    pub(super) fn appearance(&self) -> Option<Appearance> {
        self.appearance
    }

    /// The part of the stage where the drawable may be seen, about.
    pub(super) fn reach(&self) -> Option<Rect> {
        let bounds = self.colored;
        let whole = bounds.on_stage().snapped();
        (bounds.intersects(&Rect::STAGE) && whole.width() >= 0.0).then_some(whole)
    }

    #[inline]
    fn texture(&self, point: (f64, f64)) -> (f64, f64) {
        let (u, v) = self.inverse.texture(point);
        if self.warped && (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v) {
            return self.effects().transform((u, v), self.drawable.size);
        }
        (u, v)
    }

    /// Whether the drawable is solid at a stage point.
    #[inline]
    pub(super) fn touches(&self, point: (f64, f64)) -> bool {
        let texture = self.texture(point);
        if self.nearest {
            self.silhouette.touches_nearest(texture)
        } else {
            self.silhouette.touches_linear(texture)
        }
    }

    /// [`touches`](Self::touches) for the points of a row that begins at `left`, one a bit.
    pub(super) fn solid_row(&self, left: i32, row: i32, points: u64) -> u64 {
        let mut solid = 0;
        if self.warped {
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
            let texture = self.inverse.texture((f64::from(left + bit as i32), y));
            (*column, *row) = self.silhouette.texel(texture);
        }
        for (bit, (&column, &row)) in columns.iter().zip(&rows).enumerate() {
            let touches = if self.nearest {
                self.silhouette.solid(column, row)
            } else {
                self.silhouette.solid_around(column, row)
            };
            solid |= u64::from(touches) << bit;
        }
        solid & points
    }

    /// Whether the drawable could have a colour at a whole point of a row between two columns.
    #[inline]
    pub(super) fn may_color(&self, left: i32, right: i32, row: i32) -> bool {
        let y = f64::from(row);
        let Rect { left: from, right: to, bottom, top } = self.colored;
        bottom <= y && y <= top && from <= f64::from(right) && f64::from(left) <= to
    }

    /// The premultiplied colour of the drawable at a stage point.
    #[inline]
    pub(super) fn color(&self, point: (f64, f64), ghosting: Ghosting) -> [u8; 4] {
        if !self.colored.contains(point) {
            return [0; 4];
        }
        let sample = self.silhouette.color(self.texture(point));
        let effects = self.effects();
        if effects.any() { with_effects(sample, effects, ghosting) } else { sample }
    }
}

impl Scene {
    /// Makes a drawable ready to be sampled. Every [`prepare`](Self::prepare) of the query must
    /// have happened before, since drawables share rasters.
    pub(super) fn probe(&self, slot: usize) -> Probe<'_> {
        let drawable = &self.drawables[slot];
        let inverse = drawable.model.inverse();
        let nearest = drawable.samples_nearest(&self.skins);
        Probe {
            drawable,
            silhouette: silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable),
            inverse,
            nearest,
            warped: drawable.effects.changes_shape(),
            appearance: drawable.appearance(nearest, &self.levels),
            colored: colored(drawable, &inverse),
        }
    }
}

/// A box that surely holds all points with texture coordinates from 0 to 1.
fn colored(drawable: &Drawable, inverse: &Inverse) -> Rect {
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
