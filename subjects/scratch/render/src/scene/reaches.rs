//! The box in which each drawable can be sensed, in a compact format.

use smallvec::SmallVec;

use super::Scene;
use super::candidates::Candidates;
use super::drawable::Look;
use super::fingerprint::Fingerprint;
use crate::bounds::Rect;
use crate::skin::SkinId;

/// The box of whole points that a drawable may cover on the stage: its top, bottom, right and left
/// sides, with 16 bits for each. The format is compact because programs with hundreds of clones can
/// spend most of their time comparing boxes, and a whole drawable takes several cache lines.
///
/// The bottom side is counted downwards, and the left side to the left. Two boxes therefore
/// intersect if each side of one box is at least the opposite side of the other box, counted in the
/// same direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Reach(u64);

/// Maximum distance of a side from the origin, which is beyond the stage. Sides further away are
/// moved to this distance.
const BEYOND: f64 = 1_000.0;

/// The largest number that represents a side of a known box.
const MAX_SIDE: u64 = 2 * BEYOND as u64;

/// The highest bit of each side, which sides do not use.
const HIGHEST: u64 = 0x8000_8000_8000_8000;

impl Reach {
    /// The reach of a drawable whose box is not known. It intersects every box.
    const UNKNOWN: Self = Self(!HIGHEST);
    /// A box that intersects no box on the stage.
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

    /// The minimum sides of a box that intersects this box.
    fn least(self) -> u64 {
        let [top, bottom, right, left] = self.sides().map(|side| MAX_SIDE - side);
        Self::of_sides([bottom, top, left, right]).0
    }

    #[inline]
    fn is_at_least(self, least: u64) -> bool {
        // The highest bit of a side remains set in the difference if nothing is borrowed.
        ((self.0 | HIGHEST) - least) & HIGHEST == HIGHEST
    }

    /// A mask of the sides that are at least the same side of the other box.
    #[inline]
    fn larger(self, other: Self) -> u64 {
        ((((self.0 | HIGHEST) - other.0) & HIGHEST) >> 15) * 0xffff
    }

    #[inline]
    fn intersection(self, other: Self) -> Self {
        let larger = self.larger(other);
        Self(other.0 & larger | self.0 & !larger)
    }

    #[inline]
    fn union(self, other: Self) -> Self {
        let larger = self.larger(other);
        Self(self.0 & larger | other.0 & !larger)
    }

    fn area(self) -> Rect {
        let [top, bottom, right, left] = self.sides().map(|side| side as f64 - BEYOND);
        Rect { left: -left, right, bottom: -bottom, top }
    }
}

/// The data of a drawable with a costume that are part of the fingerprint of a query.
#[derive(Clone, Copy, Debug)]
struct Print {
    appearance: Fingerprint,
    skin: u32,
}

/// Stands for the print of a drawable without a costume, and for an unknown print.
const NO_PRINT: Print = Print { appearance: Fingerprint::NONE, skin: u32::MAX };

/// The reaches and prints, indexed by slot; both may be empty. If a reach is known and not
/// [`Reach::NOWHERE`], the raster of the drawable is [selected](super::raise_level).
#[derive(Debug, Default)]
pub(super) struct Reaches {
    reaches: Vec<Reach>,
    prints: Vec<Print>,
}

impl Reaches {
    pub(super) fn add(&mut self) {
        if !self.reaches.is_empty() {
            self.reaches.push(Reach::UNKNOWN);
            self.prints.push(NO_PRINT);
        }
    }

    pub(super) fn remove(&mut self, slot: usize) {
        if !self.reaches.is_empty() {
            self.reaches.remove(slot);
            self.prints.remove(slot);
        }
    }

    #[inline]
    pub(super) fn forget(&mut self, slot: usize) {
        if let (Some(reach), Some(print)) = (self.reaches.get_mut(slot), self.prints.get_mut(slot))
        {
            (*reach, *print) = (Reach::UNKNOWN, NO_PRINT);
        }
    }

    pub(super) fn clear(&mut self) {
        self.reaches.clear();
        self.prints.clear();
    }

    #[inline]
    pub(super) fn print(&self, slot: usize) -> Option<(Fingerprint, u32)> {
        let Print { appearance, skin } = *self.prints.get(slot)?;
        (skin != NO_PRINT.skin).then_some((appearance, skin))
    }
}

impl Scene {
    /// Selects the drawables other than the tester whose boxes intersect `bounds`, the box of the
    /// tester on the stage. The area is the box around the intersections.
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
            let mut other = self.reaches.reaches.get(slot).copied().unwrap_or(Reach::UNKNOWN);
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
            let both = own.intersection(other);
            common = Some(common.map_or(both, |common: Reach| common.union(both)));
        }
        Candidates { slots: found, area: common.map(Reach::area) }
    }

    /// Computes the reach of a drawable, and prepares the drawable for sampling within `bounds` if
    /// it can be sensed.
    #[inline(never)]
    fn find_reach(&mut self, slot: usize, bounds: Rect) -> Reach {
        if self.reaches.reaches.is_empty() {
            self.reaches.reaches.resize(self.drawables.len(), Reach::UNKNOWN);
            self.reaches.prints.resize(self.drawables.len(), NO_PRINT);
        }
        let drawable = &self.drawables[slot];
        let reach = if drawable.visible && !matches!(drawable.look, Look::Nothing | Look::Bubble(_))
        {
            self.prepare_within(slot, bounds);
            Reach::of(self.drawables[slot].snapped_bounds())
        } else {
            Reach::NOWHERE
        };
        let drawable = &self.drawables[slot];
        // The pen layer is prepared for each query.
        if !matches!(drawable.look, Look::PenLayer) {
            self.reaches.reaches[slot] = reach;
        }
        if let Look::Costume(SkinId(skin)) = drawable.look {
            self.reaches.prints[slot] = Print { appearance: drawable.appearance(), skin };
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
                    let common = own.intersection(other);
                    assert_eq!(common.area(), own_box.intersection(other_box));
                    let around = own.union(common);
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
