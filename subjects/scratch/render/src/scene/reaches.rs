//! Where each drawable can be sensed, in a form that is read quickly.

use smallvec::SmallVec;

use super::Scene;
use super::candidates::Candidates;
use super::drawable::Look;
use crate::bounds::Rect;

/// The box of whole points that a drawable may cover, as far as it matters on the stage: its top,
/// bottom, right and left, 16 bits for each. Programs with hundreds of clones compare boxes for most
/// of their time, and a drawable takes several cache lines.
///
/// The lower sides are counted downwards. So a box intersects another one if each of its sides is at
/// least the opposite one of the other, counted in the same direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach(u64);

/// A number beyond the stage, to which boxes are limited.
const BEYOND: f64 = 1_000.0;

/// The largest number that a side counts.
const MOST: u64 = 2 * BEYOND as u64;

/// The highest bit of each side, which sides do not use.
const HIGHEST: u64 = 0x8000_8000_8000_8000;

impl Reach {
    /// Intersects everything.
    const UNKNOWN: Self = Self(!HIGHEST);
    /// Intersects nothing on the stage.
    const NOWHERE: Self = Self(0);

    /// The reach of a box with whole coordinates.
    pub(super) fn of(area: Rect) -> Self {
        let Rect { left, right, bottom, top } = area;
        if [left, right, bottom, top].iter().any(|side| side.is_nan()) {
            return Self::NOWHERE;
        }
        let side = |n: f64| (n.clamp(-BEYOND, BEYOND) + BEYOND) as u64;
        Self::of_sides([side(top), side(-bottom), side(right), side(-left)])
    }

    fn of_sides(sides: [u64; 4]) -> Self {
        Self(sides.into_iter().fold(0, |word, side| word << 16 | side))
    }

    fn sides(self) -> [u64; 4] {
        [48, 32, 16, 0].map(|shift| self.0 >> shift & 0xffff)
    }

    /// The sides that a box has at least if it intersects this one.
    fn least(self) -> u64 {
        let [top, bottom, right, left] = self.sides().map(|side| MOST - side);
        Self::of_sides([bottom, top, left, right]).0
    }

    /// Whether all sides are at least those of a word.
    #[inline]
    fn is_at_least(self, least: u64) -> bool {
        // The highest bits of the difference stay where nothing is borrowed.
        ((self.0 | HIGHEST) - least) & HIGHEST == HIGHEST
    }

    fn combined(self, other: Self, choose: fn(u64, u64) -> u64) -> Self {
        let (a, b) = (self.sides(), other.sides());
        Self::of_sides(std::array::from_fn(|side| choose(a[side], b[side])))
    }

    fn area(self) -> Rect {
        let [top, bottom, right, left] = self.sides().map(|side| side as f64 - BEYOND);
        Rect { left: -left, right, bottom: -bottom, top }
    }
}

/// The reaches by slot; none before the first question, and after the scene was restored. A
/// drawable with a known reach has [selected](super::raise_level) its raster.
#[derive(Debug, Default)]
pub(super) struct Reaches(Vec<Reach>);

impl Reaches {
    pub(super) fn add(&mut self) {
        if !self.0.is_empty() {
            self.0.push(Reach::UNKNOWN);
        }
    }

    pub(super) fn remove(&mut self, slot: usize) {
        if !self.0.is_empty() {
            self.0.remove(slot);
        }
    }

    /// The drawable of a slot may have changed.
    #[inline]
    pub(super) fn forget(&mut self, slot: usize) {
        if let Some(reach) = self.0.get_mut(slot) {
            *reach = Reach::UNKNOWN;
        }
    }

    pub(super) fn clear(&mut self) {
        self.0.clear();
    }
}

impl Scene {
    /// Those of some drawables whose box intersects the box `bounds` of the tester on the stage, and
    /// the box around the intersections.
    pub(super) fn reaching(
        &mut self,
        tester: usize,
        bounds: Rect,
        slots: impl Iterator<Item = u32>,
    ) -> Candidates {
        let own = Reach::of(bounds);
        let least = own.least();
        let (mut found, mut common) = (SmallVec::new(), None);
        for number in slots {
            let slot = number as usize;
            let mut other = self.reaches.0.get(slot).copied().unwrap_or(Reach::UNKNOWN);
            if !other.is_at_least(least) || slot == tester {
                continue;
            }
            if other == Reach::UNKNOWN {
                other = self.find_reach(slot, bounds);
                if !other.is_at_least(least) {
                    continue;
                }
            }
            found.push(number);
            let both = own.combined(other, u64::min);
            common = Some(common.map_or(both, |common: Reach| common.combined(both, u64::max)));
        }
        Candidates { slots: found, area: common.map(Reach::area) }
    }

    /// Where a drawable can be sensed by another one within `bounds`, for which it is prepared.
    #[inline(never)]
    fn find_reach(&mut self, slot: usize, bounds: Rect) -> Reach {
        if self.reaches.0.is_empty() {
            self.reaches.0.resize(self.drawables.len(), Reach::UNKNOWN);
        }
        let drawable = &self.drawables[slot];
        let reach = if drawable.visible && !matches!(drawable.look, Look::Nothing | Look::Bubble(_))
        {
            self.prepare_within(slot, bounds);
            Reach::of(self.drawables[slot].snapped_bounds())
        } else {
            Reach::NOWHERE
        };
        // The queue of the pen is drawn for each question.
        if !matches!(self.drawables[slot].look, Look::PenLayer) {
            self.reaches.0[slot] = reach;
        }
        reach
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reaches_intersect_like_boxes_on_the_stage() {
        let sides =
            [f64::NEG_INFINITY, -1e9, -241.0, -240.0, -3.0, 0.0, 7.0, 240.0, 500.0, f64::NAN];
        let own_box = Rect { left: -240.0, right: 7.0, bottom: -3.0, top: 180.0 };
        let own = Reach::of(own_box);
        assert_eq!(own.area(), own_box);
        let mut count = 0;
        for (left, right) in sides.iter().flat_map(|a| sides.map(|b| (*a, b))) {
            for (bottom, top) in sides.iter().flat_map(|a| sides.map(|b| (*a, b))) {
                let other_box = Rect { left, right, bottom, top };
                let other = Reach::of(other_box);
                let intersects = own_box.intersects(&other_box);
                assert_eq!(other.is_at_least(own.least()), intersects, "{other_box:?}");
                if intersects {
                    let common = own.combined(other, u64::min);
                    assert_eq!(common.area(), own_box.intersection(other_box));
                    let around = own.combined(common, u64::max);
                    assert_eq!(around.area(), own_box.union(common.area()));
                    count += 1;
                }
            }
        }
        assert!(count > 100, "{count}");
        assert!(!Reach::NOWHERE.is_at_least(own.least()));
        assert!(Reach::UNKNOWN.is_at_least(own.least()));
    }
}
