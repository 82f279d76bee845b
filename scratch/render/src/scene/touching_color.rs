//! Queries for touching colours.

use smallvec::SmallVec;

use super::candidates::rows;
use super::fingerprint::Fingerprint;
use super::point_words::{WordRegion, words};
use super::query_cache::{PointQuery, QueryCache};
use super::shading::Shader;
use super::{DrawableId, Scene};
use crate::bounds::Rect;
use crate::color::{
    BACKGROUND_COLOR, GhostEffect, color_kind, matches, matches_mask_gpu, source_over,
};

/// Points times drawables that the original samples on the CPU in one query.
const ROW_BUDGET: f64 = 40_000.0;

/// The kinds of questions with the answer yes or no, in fingerprints.
const COLOR_QUESTION: u64 = 1;
pub(super) const OVERLAP_QUESTION: u64 = 2;

impl Scene {
    /// Whether a drawable, hidden or not, is solid at a whole point of the stage at which the
    /// others show a colour.
    pub fn touching_color(&mut self, id: DrawableId, rgb: [u8; 3]) -> bool {
        self.color_query(id, None, rgb)
    }

    /// Whether a drawable, hidden or not, has the colour `mask` at a whole point of the stage
    /// at which the others show the colour `rgb`.
    pub fn color_touching_color(&mut self, id: DrawableId, mask: [u8; 3], rgb: [u8; 3]) -> bool {
        self.color_query(id, Some(mask), rgb)
    }

    fn color_query(&mut self, id: DrawableId, mask: Option<[u8; 3]>, rgb: [u8; 3]) -> bool {
        let Some(tester) = self.slot(id) else { return false };
        let slots = self.front_to_back();
        let candidates = self.candidates(tester, slots);
        // The background is everywhere, so that candidates do not limit the area.
        let area = if matches(rgb, BACKGROUND_COLOR) {
            self.query_bounds(tester)
        } else {
            candidates.area
        };
        let Some(area) = area else { return false };
        self.prepare(tester);
        // Masks are compared with all their bits on the graphics processor.
        let mask_word = mask.map_or(0, |[r, g, b]| u64::from(u32::from_be_bytes([1, r, g, b])));
        let kind = Fingerprint::of(COLOR_QUESTION).with(color_kind(rgb) as u64, mask_word);
        self.answered(kind, tester, &candidates.slots, area, |scene, cache| {
            scene.color_query_in(tester, &candidates.slots, mask, rgb, area, cache)
        })
    }

    /// The answer to a question of a tester about others within an area, in which the pen's queue is
    /// drawn: the one that is known, otherwise that of `ask`. All that the answer depends on besides
    /// is in `question`.
    pub(super) fn answered(
        &mut self,
        question: Fingerprint,
        tester: usize,
        others: &[u32],
        area: Rect,
        ask: impl FnOnce(&Self, &mut QueryCache) -> bool,
    ) -> bool {
        let question = question.numbers(&[area.left, area.right, area.bottom, area.top]);
        let slots = || [tester].into_iter().chain(others.iter().map(|&slot| slot as usize));
        let question =
            slots().try_fold(question, |question, slot| self.with_print_in(question, slot, area));
        if let Some(known) = question.and_then(|question| self.query_cache.touching.get(question)) {
            return known;
        }
        let mut cache = std::mem::take(&mut self.query_cache);
        let answer = ask(self, &mut cache);
        if let Some(question) = question {
            cache.touching.insert(question, answer);
        }
        self.query_cache = cache;
        answer
    }

    fn color_query_in(
        &self,
        tester: usize,
        front_to_back: &[u32],
        mask: Option<[u8; 3]>,
        rgb: [u8; 3],
        area: Rect,
        cache: &mut QueryCache,
    ) -> bool {
        cache.begin_query();
        let query = mask.map_or(PointQuery::Solid, PointQuery::Mask);
        let own = cache.candidate(self, tester, query);
        cache.prepare(&own, &WordRegion::around(area));
        let mut others = self.color_view(front_to_back, rgb, area, cache);
        let mut found_at = |row: i32| {
            let row_words = others.enter_row(row);
            if row_words == 0 {
                return false;
            }
            words(area.left as i32, area.right as i32).any(|(word, points)| {
                if row_words >> word & 1 == 0 {
                    return false;
                }
                let points = others.possible_points(cache, word, row, points);
                if points == 0 {
                    return false;
                }
                let points = cache.answers(self, &own, word, row, points).yes & points;
                points != 0 && others.matching_points(cache, word, row, points) != 0
            })
        };
        // In large areas the original samples rows from the bottom on the CPU, up to its budget,
        // and the others on the graphics processor.
        let row_cost = area.width() * (front_to_back.len() + 1) as f64;
        if row_cost * area.height() < ROW_BUDGET {
            return rows(area).any(found_at);
        }
        let lower_rows = (ROW_BUDGET / row_cost).ceil();
        rows(area).take(lower_rows as usize).any(&mut found_at)
            || self.gpu_color_query(
                tester,
                front_to_back,
                mask,
                rgb,
                Rect { bottom: area.bottom + lower_rows, ..area },
            )
    }

    /// The same query as the original's graphics processor answers it: one sample in the middle of
    /// every pixel of the area, with the rasters of the drawables' own scales, blended from back
    /// to front.
    fn gpu_color_query(
        &self,
        tester: usize,
        front_to_back: &[u32],
        mask: Option<[u8; 3]>,
        rgb: [u8; 3],
        area: Rect,
    ) -> bool {
        let own = self.shader(tester);
        let others: SmallVec<[Shader<'_>; 8]> =
            front_to_back.iter().map(|&slot| self.shader(slot as usize)).collect();
        let mut seen: SmallVec<[[f64; 4]; 16]> = SmallVec::new();
        let mut drawn = |point: (f64, f64), others: &[&Shader<'_>]| {
            // Drawables behind the first opaque one make no difference.
            seen.clear();
            for over in others.iter().filter_map(|other| other.fragment(point, GhostEffect::Apply))
            {
                seen.push(over);
                if over[3] == 1.0 {
                    break;
                }
            }
            seen.iter().rev().fold(BACKGROUND_COLOR, |under, &over| source_over(under, over))
        };
        let pixels =
            |from: f64, to: f64| (from as i32..to as i32).map(|pixel| f64::from(pixel) + 0.5);
        let mut in_row: SmallVec<[&Shader<'_>; 8]> = SmallVec::new();
        let columns = |area: Rect| {
            let reached = own.columns();
            pixels(area.left, area.right)
                .skip_while(move |x| *x < reached.0)
                .take_while(move |x| *x <= reached.1)
        };
        pixels(area.bottom, area.top).filter(|&y| own.reaches_row(y)).any(|y| {
            in_row.clear();
            in_row.extend(others.iter().filter(|other| other.reaches_row(y)));
            columns(area).any(|x| {
                let inside =
                    own.fragment((x, y), GhostEffect::Ignore).is_some_and(|drawn| match mask {
                        Some(mask) => matches_mask_gpu(drawn, mask),
                        None => drawn[3] != 0.0,
                    });
                inside && matches(drawn((x, y), &in_row), rgb)
            })
        })
    }

    /// Slots of the whole draw list, front to back.
    pub(super) fn front_to_back(&self) -> SmallVec<[u32; 32]> {
        let slot = |&id: &DrawableId| self.slot(id).map(|slot| slot as u32);
        self.layers.list().iter().rev().filter_map(slot).collect()
    }
}
