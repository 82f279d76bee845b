//! Which drawables a query looks at, where, and how they are sampled.

use std::sync::Arc;

use smallvec::SmallVec;

use super::axes::{Axes, Texel};
use super::drawable::{Drawable, Look};
use super::extent::fast_bounds;
use super::{Pen, Scene};
use crate::bounds::Rect;
use crate::color::{Ghosting, with_effects};
use crate::effect::Effects;
use crate::matrix::Inverse;
use crate::silhouette::{ColorMap, EMPTY, Silhouette};
use crate::skin::{Level, SkinSet};

/// Drawables of one query. Few boxes overlap at a time, so this stays on the stack.
pub(super) type Probes<'a> = SmallVec<[Probe<'a>; 8]>;

/// Slots of candidates, front to back, and the box around their intersections with the tester.
#[derive(Debug, Default)]
pub(super) struct Candidates {
    pub(super) slots: SmallVec<[u32; 16]>,
    pub(super) area: Option<Rect>,
}

/// The raster through which a drawable is sensed: the largest that its skin ever had.
pub(super) fn silhouette<'a>(
    skins: &'a SkinSet,
    levels: &[Level],
    pen: Option<&'a Pen>,
    drawable: &'a Drawable,
) -> &'a Silhouette {
    match &drawable.look {
        Look::Costume(skin) => skins.skin(*skin).silhouette(levels[skin.0 as usize]),
        Look::Bubble(bubble) => bubble.silhouette(),
        Look::PenLayer => pen.map_or(&EMPTY, |pen| &pen.layer),
        Look::Nothing => &EMPTY,
    }
}

/// A drawable ready to be sampled at stage points.
#[derive(Clone, Copy)]
pub(super) struct Probe<'a> {
    silhouette: &'a Silhouette,
    inverse: Inverse,
    effects: &'a Effects,
    size: (f64, f64),
    nearest: bool,
    warped: bool,
    /// Outside of this box the drawable has no colour.
    colored: Rect,
    /// Shortcuts to the texels of the query's area.
    axes: Option<Axes<'a>>,
}

impl Probe<'_> {
    #[inline]
    fn texture(&self, point: (f64, f64)) -> (f64, f64) {
        let (u, v) = self.inverse.texture(point);
        if self.warped && (0.0..1.0).contains(&u) && (0.0..1.0).contains(&v) {
            return self.effects.transform((u, v), self.size);
        }
        (u, v)
    }

    /// Whether the drawable is solid at a stage point.
    #[inline]
    pub(super) fn touches(&self, point: (f64, f64)) -> bool {
        if let Some(axes) = &self.axes {
            let (column, row) = axes.texel(point);
            return if self.nearest {
                self.silhouette.solid(column.index, row.index)
            } else {
                self.silhouette.solid_around(column.index, row.index)
            };
        }
        let texture = self.texture(point);
        if self.nearest {
            self.silhouette.touches_nearest(texture)
        } else {
            self.silhouette.touches_linear(texture)
        }
    }

    /// Whether the drawable could have a colour at a stage point.
    #[inline]
    pub(super) fn may_color(&self, point: (f64, f64)) -> bool {
        self.colored.contains(point)
    }

    /// Where on the stage the drawable shows a colour, if it fills the stage and lets nothing
    /// behind it show.
    pub(super) fn backdrop(&self, rgb: [u8; 3]) -> Option<Arc<ColorMap>> {
        let Rect { left, right, bottom, top } = Rect::STAGE;
        let corners = [(left, bottom), (left, top), (right, bottom), (right, top)];
        let inside = |(u, v): (f64, f64)| (0.0..=1.0).contains(&u) && (0.0..=1.0).contains(&v);
        // Coordinates depend on the point without bends, so the corners speak for all.
        let fills = !self.effects.any()
            && !self.silhouette.is_empty()
            && corners.iter().all(|&corner| inside(self.texture(corner)))
            && self.silhouette.palette().opaque;
        if fills { self.silhouette.color_map(self.inverse, rgb) } else { None }
    }

    /// The premultiplied colour of the drawable at a stage point.
    #[inline]
    pub(super) fn color(&self, point: (f64, f64), ghosting: Ghosting) -> [u8; 4] {
        let sample = match &self.axes {
            Some(axes) => {
                let (column, row) = axes.texel(point);
                if !column.colored || !row.colored || self.silhouette.is_empty() {
                    return [0; 4];
                }
                self.silhouette.pixel(column.index as usize, row.index as usize)
            }
            None if !self.colored.contains(point) => return [0; 4],
            None => self.silhouette.color(self.texture(point)),
        };
        if self.effects.any() { with_effects(sample, self.effects, ghosting) } else { sample }
    }
}

/// Gives probes shortcuts for an area, where these are possible and pay off.
pub(super) fn tabulate<'a, 'p>(
    probes: impl Iterator<Item = &'p mut Probe<'a>>,
    area: Rect,
    texels: &'a mut Vec<Texel>,
) where
    'a: 'p,
{
    texels.clear();
    if !Axes::pay_off(area) {
        return;
    }
    let mut tables: SmallVec<[_; 9]> = SmallVec::new();
    for probe in probes {
        let start = texels.len();
        let turned = if probe.warped {
            None
        } else {
            Axes::tabulate(probe.silhouette, &probe.inverse, area, texels)
        };
        tables.push((probe, start, turned));
    }
    let texels = &texels[..];
    for (probe, start, turned) in tables {
        probe.axes = turned.map(|turned| Axes::new(&texels[start..], area, turned));
    }
}

impl Scene {
    /// Makes a drawable ready to be sampled. Every [`prepare`](Self::prepare) of the query must
    /// have happened before, since drawables share rasters.
    pub(super) fn probe(&self, slot: usize) -> Probe<'_> {
        let drawable = &self.drawables[slot];
        let inverse = drawable.model.inverse();
        Probe {
            silhouette: silhouette(&self.skins, &self.levels, self.pen.as_ref(), drawable),
            inverse,
            effects: &drawable.effects,
            size: drawable.size,
            nearest: drawable.samples_nearest(&self.skins),
            warped: drawable.effects.changes_shape(),
            colored: colored(drawable, &inverse),
            axes: None,
        }
    }

    pub(super) fn probes(&self, slots: &[u32]) -> Probes<'_> {
        slots.iter().map(|&slot| self.probe(slot as usize)).collect()
    }

    /// The raster at 100 percent comes into being. `None` if the drawable has none.
    pub(super) fn require_full_size(&mut self, slot: usize) -> Option<()> {
        match self.drawables[slot].look {
            Look::Nothing => None,
            Look::PenLayer | Look::Bubble(_) => Some(()),
            Look::Costume(skin) => {
                let full_size = self.skins.skin(skin).level((100.0, 100.0));
                let level = &mut self.levels[skin.0 as usize];
                *level = full_size.max(*level);
                (full_size != Level::NONE).then_some(())
            }
        }
    }

    /// The whole points at which a query tests its tester; `None` fails the query.
    pub(super) fn query_bounds(&mut self, slot: usize) -> Option<Rect> {
        self.require_full_size(slot)?;
        let bounds = fast_bounds(&self.drawables[slot]).on_stage().snapped();
        (bounds.width() > 0.0 && bounds.height() > 0.0).then_some(bounds)
    }

    /// Walks drawables from front to back and keeps those whose box meets the tester's.
    pub(super) fn candidates(
        &mut self,
        tester: usize,
        front_to_back: impl IntoIterator<Item = usize>,
    ) -> Candidates {
        let mut candidates = Candidates::default();
        let Some(bounds) = self.query_bounds(tester) else { return candidates };
        for slot in front_to_back {
            let drawable = &self.drawables[slot];
            let sensed = slot != tester
                && drawable.visible
                && !matches!(drawable.look, Look::Nothing | Look::Bubble(_));
            if !sensed {
                continue;
            }
            self.prepare(slot);
            let other = fast_bounds(&self.drawables[slot]).snapped();
            if bounds.intersects(&other) {
                let common = bounds.intersection(other);
                candidates.slots.push(slot as u32);
                candidates.area = Some(candidates.area.map_or(common, |area| area.union(common)));
            }
        }
        candidates
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

/// The whole points of a box, row by row from the bottom.
pub(super) fn rows(area: Rect) -> impl Iterator<Item = f64> {
    whole(area.bottom, area.top)
}

/// The whole points of a row, from the left.
pub(super) fn columns(area: Rect) -> impl Iterator<Item = f64> {
    whole(area.left, area.right)
}

fn whole(from: f64, to: f64) -> impl Iterator<Item = f64> {
    // Areas are limited to the stage, so the casts are exact.
    (from as i32..=to as i32).map(f64::from)
}
