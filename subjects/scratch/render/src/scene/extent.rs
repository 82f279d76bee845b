//! Bounding boxes and hulls of drawables, and the clamping of positions to the stage.

use std::sync::Arc;

use super::candidates::silhouette;
use super::drawable::{Drawable, Look};
use super::{DrawableId, Scene, raise_level};
use crate::bounds::HullPoints;
use crate::bounds::{Rect, STAGE_X, STAGE_Y};
use crate::effect::Effect;
use crate::hull::hull;
use crate::rounding::floor;

const EMPTY_BOUNDS: Rect = Rect { left: 0.0, right: 0.0, bottom: 0.0, top: 0.0 };

/// Minimum overlap of the box of a sprite with the stage, in stage units; less for small sprites.
const MIN_OVERLAP: f64 = 15.0;

/// Cost of a point under shape effects, as a multiple of the cost of other points.
const SHAPE_EFFECT_COST: f64 = 8.0;

fn point_cost(drawable: &Drawable) -> f64 {
    if drawable.effects.changes_shape() { SHAPE_EFFECT_COST } else { 1.0 }
}

impl Scene {
    /// The box around the convex hull of a drawable, or the [`aabb`](Self::aabb) if there is no
    /// hull. The call may compute the hull, which changes the results of later queries.
    pub fn bounds(&mut self, id: DrawableId) -> Rect {
        let Some(slot) = self.slot(id) else { return EMPTY_BOUNDS };
        self.ensure_hull(slot);
        self.drawables[slot].fast_bounds()
    }

    /// The box around the hull if a valid hull is known, otherwise the [`aabb`](Self::aabb).
    pub fn fast_bounds(&self, id: DrawableId) -> Rect {
        self.get(id).map_or(EMPTY_BOUNDS, Drawable::fast_bounds)
    }

    /// The box around the whole costume, transparent margins included.
    pub fn aabb(&self, id: DrawableId) -> Rect {
        self.get(id).map_or(EMPTY_BOUNDS, |drawable| drawable.model.aabb())
    }

    /// Approximate maximum number of points that a query about a drawable samples. Points under
    /// shape effects count several times.
    pub fn query_cost(&self, id: DrawableId) -> f64 {
        self.get(id).map_or(0.0, |drawable| {
            let bounds = drawable.fast_bounds();
            // Points beyond the stage are not sampled.
            let within = |length: f64, most: f64| length.clamp(0.0, 2.0 * most);
            within(bounds.width(), STAGE_X)
                * within(bounds.height(), STAGE_Y)
                * point_cost(drawable)
        })
    }

    /// Approximate maximum number of points that [`bounds`](Self::bounds) samples, counted as in
    /// [`query_cost`](Self::query_cost). Hulls without shape effects are not counted, because
    /// drawables share them.
    pub fn hull_cost(&self, id: DrawableId) -> f64 {
        let drawable = self.get(id).filter(|drawable| {
            !drawable.has_hull() && drawable.visible && drawable.effects.changes_shape()
        });
        drawable.map_or(0.0, |drawable| drawable.size.0 * drawable.size.1 * point_cost(drawable))
    }

    /// The position of a drawable after a move to (x, y). Coordinates at which too little of the
    /// costume would stay on the stage are corrected to whole units.
    pub fn clamp_to_stage(&self, id: DrawableId, x: f64, y: f64) -> (f64, f64) {
        let Some(drawable) = self.get(id) else { return (x, y) };
        let (px, py) = drawable.position();
        let bounds = drawable.model.aabb();
        // Shortcut: after most moves, more of the costume is on the stage than is required.
        let reaches = |to: f64, from: f64, low: f64, high: f64, edge: f64| {
            high + (to - from) >= MIN_OVERLAP - edge && low + (to - from) <= edge - MIN_OVERLAP
        };
        if reaches(x, px, bounds.left, bounds.right, STAGE_X)
            && reaches(y, py, bounds.bottom, bounds.top, STAGE_Y)
        {
            return (x, y);
        }
        let inset = floor(bounds.width().min(bounds.height()) / 2.0).min(MIN_OVERLAP);
        let clamped = |to: f64, from: f64, low: f64, high: f64, border: f64| {
            let delta = to - from;
            if high + delta < -border {
                (from - (border + high)).ceil()
            } else if low + delta > border {
                (from + (border - low)).floor()
            } else {
                to
            }
        };
        (
            clamped(x, px, bounds.left, bounds.right, STAGE_X - inset),
            clamped(y, py, bounds.bottom, bounds.top, STAGE_Y - inset),
        )
    }

    pub(super) fn ensure_hull(&mut self, slot: usize) {
        let drawable = &self.drawables[slot];
        let (width, height) = drawable.size;
        if drawable.has_hull() || !drawable.visible || width == 0.0 || height == 0.0 {
            return;
        }
        self.prepare(slot);
        let drawable = &self.drawables[slot];
        let silhouette = silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable);
        let compute =
            || Arc::<HullPoints>::from(hull(silhouette, &drawable.effects, drawable.size));
        let points = if drawable.effects.changes_shape() {
            compute()
        } else {
            Arc::clone(silhouette.hull.get_or_init(compute))
        };
        self.drawables[slot].set_hull(points);
        self.reaches.forget(slot);
    }

    /// Prepares a drawable for sampling on the CPU.
    pub(super) fn prepare(&mut self, slot: usize) {
        self.prepare_within(slot, Rect::STAGE);
    }

    /// Like [`prepare`](Self::prepare), for sampling within an area of the stage.
    pub(super) fn prepare_within(&mut self, slot: usize, area: Rect) {
        let drawable = &self.drawables[slot];
        if let (Look::PenLayer, Some(pen)) = (&drawable.look, &mut self.pen) {
            pen.draw(&self.skins, area);
        }
        raise_level(&mut self.levels, drawable);
        if drawable.effects.enabled(Effect::Pixelate) {
            self.require_full_size(slot);
        }
    }
}
