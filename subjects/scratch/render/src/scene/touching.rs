//! Queries for touching drawables, the edge and points, and for the target of a click.

use smallvec::SmallVec;

use super::fingerprint::Fingerprint;
use super::point_words::{WordRegion, words};
use super::query_cache::{Candidate, PointQuery, QueryCache};
use super::touching_color::OVERLAP_QUESTION;
use super::{DrawableId, DrawableSet, Scene};
use crate::bounds::{Rect, STAGE_X, STAGE_Y};
use crate::effect::Effect;

impl Scene {
    /// Whether the [`bounds`](Self::bounds) of a drawable reach beyond the stage.
    pub fn touching_edge(&mut self, id: DrawableId) -> bool {
        if self.get(id).is_none() {
            return false;
        }
        let bounds = self.bounds(id);
        bounds.left < -STAGE_X
            || bounds.right > STAGE_X
            || bounds.top > STAGE_Y
            || bounds.bottom < -STAGE_Y
    }

    /// Whether a drawable is solid at a point, even if the drawable is hidden or the point is
    /// outside the stage.
    pub fn touching_point(&mut self, id: DrawableId, x: f64, y: f64) -> bool {
        self.slot(id).is_some_and(|slot| {
            self.prepare(slot);
            self.sampler(slot).touches((x, y))
        })
    }

    /// Whether a visible drawable touches one of the other visible drawables at a whole point of
    /// the stage. Bubbles and the drawable itself never count.
    pub fn touching_drawables(&mut self, id: DrawableId, others: &[DrawableId]) -> bool {
        let mut set = DrawableSet::default();
        set.fill(self, others.iter().copied());
        self.touching_set(id, &set)
    }

    /// Like [`touching_drawables`](Self::touching_drawables), for a set. The result is false if the
    /// set is not [current](DrawableSet::is_current).
    pub fn touching_set(&mut self, id: DrawableId, others: &DrawableSet) -> bool {
        let Some(tester) = self.slot(id).filter(|_| others.is_current(self)) else { return false };
        let candidates = self.candidates(tester, others.slots.iter().rev().copied());
        let Some(area) = candidates.area else { return false };
        if !self.drawables[tester].visible {
            return false;
        }
        self.prepare(tester);
        let kind = Fingerprint::of(OVERLAP_QUESTION);
        self.answered(kind, tester, &candidates.slots, area, |scene, cache| {
            scene.overlap(tester, &candidates.slots, area, cache)
        })
    }

    fn overlap(&self, tester: usize, others: &[u32], area: Rect, cache: &mut QueryCache) -> bool {
        cache.begin_query();
        let region = WordRegion::around(area);
        let own = cache.candidate(self, tester, PointQuery::Solid);
        cache.prepare(&own, &region);
        let own_region = region.intersection(&own.visible_region);
        others.iter().any(|&slot| {
            let other = cache.candidate(self, slot as usize, PointQuery::Solid);
            let shared = own_region.intersection(&other.visible_region);
            if shared.is_empty() {
                return false;
            }
            cache.prepare(&other, &region);
            self.overlap_of(&own, &other, shared, area, cache)
        })
    }

    /// Whether two drawables are both solid at a point of an area. `shared` contains all such
    /// points.
    fn overlap_of(
        &self,
        own: &Candidate,
        other: &Candidate,
        shared: WordRegion,
        area: Rect,
        cache: &mut QueryCache,
    ) -> bool {
        let columns = shared.columns();
        let (left, right) = (columns.start.max(area.left as i32), area.right as i32);
        let right = right.min(columns.end - 1);
        shared.rows().any(|row| {
            words(left, right).any(|(word, points)| {
                // Skip points at which, according to the cache, one of the drawables is not solid.
                let points = points
                    & cache.known(other, word, row).possible()
                    & cache.known(own, word, row).possible();
                if points == 0 {
                    return false;
                }
                let solid = cache.answers(self, own, word, row, points).yes & points;
                solid != 0 && cache.answers(self, other, word, row, solid).yes & solid != 0
            })
        })
    }

    /// The drawable that a click at a stage point hits: the frontmost drawable of the whole draw
    /// list that is visible, not entirely ghosted, and solid at this point.
    pub fn pick(&mut self, x: f64, y: f64) -> Option<DrawableId> {
        let point = Rect { left: x, right: x, bottom: y, top: y };
        let in_reach: SmallVec<[usize; 16]> = self
            .layers
            .list()
            .iter()
            .rev()
            .filter_map(|&id| self.slot(id))
            .filter(|&slot| {
                let drawable = &self.drawables[slot];
                drawable.visible
                    && drawable.effects.value(Effect::Ghost) != 0.0
                    && drawable.fast_bounds().intersects(&point)
            })
            .collect();
        for &slot in &in_reach {
            self.prepare(slot);
        }
        in_reach
            .into_iter()
            .find(|&slot| self.sampler(slot).touches((x, y)))
            .map(|slot| self.ids[slot])
    }
}
